//! The series of one thread, as far as they are thinned; and those of a run.

use incast_engine::{RowLimit, Thinning};
use incast_units::Time;

use super::idle_time::IdleTime;
use super::ticks::Ticks;
use super::{FlowSample, MeasureConfig, ProbeSample, QueueSample, Tick};

/// Rows that totals take in results, at most: longest queue, sum, paused ports; flows alive,
/// goodput, Jain's index, paused ports.
const ROWS_PER_TICK: usize = 4;
/// Rows that a sample of a flow takes: rate, window, bytes sent and acknowledged.
const ROWS_PER_FLOW: usize = 4;

/// Samples one by one beside totals.
pub(crate) trait Samples: Default {
    /// The rows that they take.
    fn rows(&self) -> usize;

    /// Keeps those that are taken at multiples of `interval`.
    fn thin(&mut self, interval: Time);

    fn merge(&mut self, other: Self);
}

/// A series: totals over the network, and samples one by one.
#[derive(Clone, Debug)]
pub(crate) struct Series<S> {
    limit: RowLimit,
    pub(crate) ticks: Ticks,
    pub(crate) samples: S,
}

/// Queues that are not empty, port by port.
pub(crate) type QueueSeries = Series<Vec<QueueSample>>;
/// Flows, one by one.
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

    /// Thins the series while it has too many rows. The last tick may yet prove to be beyond the
    /// end.
    #[inline]
    pub(crate) fn bound(&mut self) {
        while self.ticks.count().saturating_sub(1) * ROWS_PER_TICK + self.samples.rows()
            > self.limit.0
        {
            if !self.ticks.are_several() {
                return;
            }
            self.thin();
        }
    }

    /// Keeps every second sample of those that are left.
    #[cold]
    fn thin(&mut self) {
        self.ticks.thin();
        self.samples.thin(self.ticks.interval());
    }

    /// Thins the series at least as much as that.
    fn thin_to(&mut self, thinning: Thinning) {
        while self.thinning() < thinning {
            self.thin();
        }
    }

    /// Adds that of another thread.
    pub(crate) fn merge(&mut self, mut other: Self) {
        other.thin_to(self.thinning());
        self.thin_to(other.thinning());
        self.ticks.merge(other.ticks);
        self.samples.merge(other.samples);
    }

    /// All totals up to `end`, zero or not, but for idle time; thinned until they have, with the
    /// queues of `ports` beside each, no more rows than they may. Without ports the series ends
    /// with the last that are not zero.
    pub(crate) fn complete(&mut self, idle: &IdleTime, end: Time, ports: usize) -> Vec<Tick> {
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

    /// The number of the last sample up to `end`, if there are samples.
    fn last(&self, end: Time, ports: usize) -> Option<u64> {
        let number = |time: Time| time.as_ps().checked_div(self.ticks.interval().as_ps());
        if ports > 0 {
            return number(end);
        }
        let before_end = self.ticks.iter().take_while(|tick| tick.time <= end);
        before_end.last().and_then(|tick| number(tick.time))
    }

    /// How many totals are not zero in idle time.
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
        let mut found = self.ticks.iter().copied().peekable();
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

/// Thins the parts of a series, one of each thread, while all together have too many rows. Totals
/// are not counted: those of several threads are of the same times.
pub(crate) fn bound_parts<S: Samples>(parts: &mut [&mut Series<S>], limit: RowLimit) {
    let rows = |parts: &[&mut Series<S>]| parts.iter().map(|part| part.samples.rows()).sum();
    while limit.0 < rows(parts) {
        let levels = parts.iter().map(|part| part.thinning());
        let (least, most) = (levels.clone().min(), levels.max().unwrap_or_default());
        if least < Some(most) {
            parts.iter_mut().for_each(|part| part.thin_to(most));
        } else if parts.iter().any(|part| part.ticks.are_several()) {
            parts.iter_mut().for_each(|part| part.thin());
        } else {
            return;
        }
    }
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
