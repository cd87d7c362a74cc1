//! Series of one thread or of a run, thinned to a limit of rows.

use incast_engine::{RowLimit, Thinning};
use incast_units::Time;

use super::idle_time::IdleTime;
use super::ticks::Ticks;
use super::{FlowSample, MeasureConfig, ProbeSample, QueueSample, Tick};

/// Rows that a tick counts for. In results a tick has three: longest queue, sum and paused ports,
/// or flows alive, goodput and Jain's index. The fourth leaves room for sampled ports.
const ROWS_PER_TICK: usize = 4;
/// Rows of a flow's sample: rate, window, bytes sent and acknowledged.
const ROWS_PER_FLOW: usize = 4;

/// Samples of single ports or flows, in addition to totals.
pub(crate) trait Samples: Default {
    /// Number of rows in results.
    fn rows(&self) -> usize;

    /// Keeps the samples at multiples of `interval`.
    fn thin(&mut self, interval: Time);

    fn merge(&mut self, other: Self);
}

/// A series: totals over the network, and samples of single ports or flows.
#[derive(Clone, Debug)]
pub(crate) struct Series<S> {
    limit: RowLimit,
    pub(crate) ticks: Ticks,
    pub(crate) samples: S,
}

/// Queue lengths: totals, and single ports that are not empty.
pub(crate) type QueueSeries = Series<Vec<QueueSample>>;
/// Flows: totals, and single flows.
pub(crate) type FlowSeries = Series<FlowSamples>;

/// Samples of flows.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowSamples {
    pub(crate) flows: Vec<FlowSample>,
    pub(crate) probes: Vec<ProbeSample>,
}

impl<S: Samples> Series<S> {
    pub(crate) fn new(interval: Option<Time>, measure: &MeasureConfig) -> Self {
        Self {
            limit: measure.row_limit,
            ticks: Ticks::new(interval),
            samples: S::default(),
        }
    }

    pub(crate) fn thinning(&self) -> Thinning {
        self.ticks.thinning()
    }

    /// Rows of this series in results, if no other thread has a part of it.
    #[inline]
    fn rows(&self) -> usize {
        self.ticks.count() * ROWS_PER_TICK + self.samples.rows()
    }

    /// Whether the series has too many rows.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.rows() > self.limit.0
    }

    /// Thins the series within a step, to bound its memory. Rows after the end of the run count,
    /// too, but they are hardly as many as the limit.
    #[inline]
    pub(crate) fn bound_in_step(&mut self) {
        while self.rows() > self.limit.0.saturating_mul(2) {
            if !self.ticks.are_several() {
                return;
            }
            self.thin();
        }
    }

    /// Drops every second sample.
    #[cold]
    fn thin(&mut self) {
        self.ticks.thin();
        self.samples.thin(self.ticks.interval());
    }

    /// Thins the series at least as much as `thinning`.
    fn thin_to(&mut self, thinning: Thinning) {
        while self.thinning() < thinning {
            self.thin();
        }
    }

    /// Adds the series of another thread.
    pub(crate) fn merge(&mut self, mut other: Self) {
        other.thin_to(self.thinning());
        self.thin_to(other.thinning());
        self.ticks.merge(other.ticks);
        self.samples.merge(other.samples);
    }

    /// All totals up to `end`, including zeros, except in idle time. Thins until they fit the limit
    /// of rows, together with the queues of `ports`. Without ports the series ends with the last
    /// total that is not zero.
    pub(crate) fn complete(&mut self, idle: &IdleTime, end: Time, ports: usize) -> Vec<Tick> {
        self.settle_pauses();
        loop {
            let interval = self.ticks.interval();
            let Some(last) = self.last(end, ports) else {
                return Vec::new();
            };
            let idle_ticks = self.in_idle_time(idle, last);
            let sampled = idle.sampled(interval, last);
            let counted: u64 = sampled.map(|range| range.end() - range.start() + 1).sum();
            let count = usize::try_from(counted).unwrap_or(usize::MAX);
            let count = count.saturating_add(idle_ticks);
            let rows = count.saturating_mul(ROWS_PER_TICK + ports);
            let fits = rows.saturating_add(self.samples.rows()) <= self.limit.0;
            if fits || last == 0 {
                return self.with_zeros(idle, last, count);
            }
            self.thin();
        }
    }

    /// Adds the paused ports to ticks, after thinning to the limit of rows.
    fn settle_pauses(&mut self) {
        let most = (self.limit.0 / ROWS_PER_TICK).max(1) as u64;
        while self.ticks.paused_samples() > most {
            self.thin();
        }
        self.ticks.settle_pauses();
    }

    /// Number of the last sample up to `end`; `None` without samples.
    fn last(&self, end: Time, ports: usize) -> Option<u64> {
        let number = |time: Time| time.as_ps().checked_div(self.ticks.interval().as_ps());
        if ports > 0 {
            return number(end);
        }
        let before_end = self.ticks.iter().take_while(|tick| tick.time <= end);
        before_end.last().and_then(|tick| number(tick.time))
    }

    /// Number of totals in idle time that are not zero.
    fn in_idle_time(&self, idle: &IdleTime, last: u64) -> usize {
        let interval = self.ticks.interval();
        let mut sampled = idle.sampled(interval, last).peekable();
        let numbers = self
            .ticks
            .iter()
            .map(|tick| tick.time.as_ps() / interval.as_ps());
        let outside = numbers
            .take_while(|number| *number <= last)
            .filter(|number| {
                while sampled.next_if(|range| range.end() < number).is_some() {}
                !sampled.peek().is_some_and(|range| range.contains(number))
            });
        outside.count()
    }

    fn with_zeros(&self, idle: &IdleTime, last: u64, count: usize) -> Vec<Tick> {
        let interval = self.ticks.interval();
        let mut all = Vec::with_capacity(count);
        let mut found = self.ticks.iter().peekable();
        for number in idle.sampled(interval, last).flatten() {
            let time = interval * number;
            while let Some(tick) = found.next_if(|tick| tick.time < time) {
                all.push(tick);
            }
            let tick = found.next_if(|tick| tick.time == time);
            all.push(tick.unwrap_or(Tick::at(time)));
        }
        all.extend(found.take_while(|tick| tick.time <= interval * last));
        all
    }
}

/// Bounds the parts of a series, one per thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartBound {
    /// The thinning of all parts when rows were last counted, and a number of rows. As long as the
    /// parts have fewer rows in sum, they keep to the limit. (Totals of several parts may have
    /// equal times, which count once.)
    counted: Option<(Thinning, usize)>,
}

impl PartBound {
    /// Thins the parts while together they have too many rows. All rows must be before the end of
    /// the run, so that the result does not depend on the time of the call.
    pub(crate) fn bound<S: Samples>(&mut self, parts: &mut [&mut Series<S>], limit: RowLimit) {
        let most = parts.iter().map(|part| part.thinning()).max();
        let mut thinning = most.unwrap_or_default();
        parts.iter_mut().for_each(|part| part.thin_to(thinning));
        loop {
            let apart: usize = parts.iter().map(|part| part.rows()).sum();
            let enough = match self.counted {
                Some((counted, enough)) if counted == thinning => enough,
                _ => limit.0,
            };
            if apart <= enough {
                return;
            }
            let together = rows_together(parts);
            if together <= limit.0 {
                self.counted = Some((thinning, apart + (limit.0 - together)));
                return;
            }
            if !parts.iter().any(|part| part.ticks.are_several()) {
                return;
            }
            parts.iter_mut().for_each(|part| part.thin());
            thinning = thinning.doubled();
        }
    }
}

/// Rows of a series in results, from parts with equal thinning.
fn rows_together<S: Samples>(parts: &[&mut Series<S>]) -> usize {
    let ticks = match parts {
        [whole] => whole.ticks.count(),
        _ => {
            let times = parts.iter().flat_map(|part| part.ticks.iter());
            let mut times: Vec<Time> = times.map(|tick| tick.time).collect();
            times.sort_unstable();
            times.dedup();
            times.len()
        }
    };
    let samples: usize = parts.iter().map(|part| part.samples.rows()).sum();
    ticks * ROWS_PER_TICK + samples
}

impl Samples for Vec<QueueSample> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn thin(&mut self, interval: Time) {
        self.retain(|sample| is_multiple(sample.time, interval));
    }

    fn merge(&mut self, other: Self) {
        self.extend(other);
    }
}

impl Samples for FlowSamples {
    fn rows(&self) -> usize {
        self.flows.len() * ROWS_PER_FLOW + self.probes.len()
    }

    fn thin(&mut self, interval: Time) {
        self.flows
            .retain(|sample| is_multiple(sample.time, interval));
        self.probes
            .retain(|sample| is_multiple(sample.time, interval));
    }

    fn merge(&mut self, other: Self) {
        self.flows.extend(other.flows);
        self.probes.extend(other.probes);
    }
}

impl QueueSeries {
    /// The queues of these ports at the times of `ticks`, empty ones included, in order.
    pub(crate) fn of_ports(mut self, ticks: &[Tick], ports: &[u32]) -> Vec<QueueSample> {
        self.samples
            .sort_unstable_by_key(|sample| (sample.time, sample.port));
        let mut ports = ports.to_vec();
        ports.sort_unstable();
        ports.dedup();
        let mut found = self.samples.into_iter().peekable();
        let mut all = Vec::with_capacity(ticks.len() * ports.len());
        for &Tick { time, .. } in ticks {
            for &port in &ports {
                let sample = found.next_if(|sample| (sample.time, sample.port) == (time, port));
                let bytes = sample.map_or(0, |sample| sample.bytes);
                all.push(QueueSample { time, port, bytes });
            }
        }
        debug_assert!(found.next().is_none(), "every sample has a tick");
        all
    }
}

fn is_multiple(time: Time, interval: Time) -> bool {
    time.as_ps().is_multiple_of(interval.as_ps())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Totals every 10 ns up to this number, where `has` is true; with a sample each where
    /// `samples` is true.
    fn part(
        limit: usize,
        count: u64,
        has: fn(u64) -> bool,
        samples: fn(u64) -> bool,
    ) -> QueueSeries {
        let every = Time::from_ns(10);
        let measure = MeasureConfig {
            row_limit: RowLimit(limit),
            ..MeasureConfig::default()
        };
        let mut series = QueueSeries::new(Some(every), &measure);
        for index in (0..count).filter(|&index| has(index)) {
            let time = every * index;
            let bytes = 1;
            let tick = Tick {
                queue_max: bytes,
                ..Tick::at(time)
            };
            series.ticks.add(index, &tick);
            if samples(index) {
                let port = 0;
                series.samples.push(QueueSample { time, port, bytes });
            }
        }
        series
    }

    /// Two parts have the same hundred totals, and one of them has 50 samples: 450 rows, which fit
    /// a limit of 450. With a limit of 449, every second total is left, and with 225, every fourth
    /// one.
    #[test]
    fn totals_of_the_same_times_count_once() {
        for (limit, stride) in [(450, 1), (449, 2), (225, 2), (224, 4)] {
            let whole = part(limit, 100, |_| true, |index| index < 50);
            let other = part(limit, 100, |_| true, |_| false);
            for parts in [&mut [whole.clone(), other][..], &mut [whole][..]] {
                let mut parts: Vec<_> = parts.iter_mut().collect();
                PartBound::default().bound(&mut parts, RowLimit(limit));
                for part in parts {
                    assert_eq!(part.thinning().stride(), stride, "{limit}");
                }
            }
        }
    }

    /// The result does not depend on the division into parts, nor on earlier counts of rows.
    #[test]
    fn parts_are_thinned_as_the_whole() {
        for limit in [300, 395, 396, 397, 400, 404] {
            let mut bound = PartBound::default();
            for count in 1..=200 {
                let part = |has| part(limit, count, has, |_| false);
                let mut whole = part(|_| true);
                PartBound::default().bound(&mut [&mut whole], RowLimit(limit));
                let mut parts = [
                    part(|index| index % 3 != 0),
                    part(|index| index % 2 == 1),
                    part(|index| index % 6 == 0),
                ];
                bound.bound(&mut parts.each_mut(), RowLimit(limit));
                for part in parts {
                    assert_eq!(part.thinning(), whole.thinning(), "{limit} {count}");
                }
            }
        }
    }
}
