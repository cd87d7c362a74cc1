//! What the nodes of one thread write down. Everything is summed as integers or sorted at the
//! end, so it does not matter which node comes first.

use incast_units::{NodeId, Time};

use crate::record::{Bin, FlowSample, PauseEvent, ProbeSample, QueueSample, Tick};
use crate::round_trips::RoundTrips;
use crate::{Fault, FlowRecord, MeasureConfig};

/// State shared by the nodes of one thread.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) measure: MeasureConfig,
    /// Flows that completed in the current window.
    pub(crate) finished: Vec<FlowRecord>,
    pub(crate) delivered: u64,
    pub(crate) queue_ticks: Vec<Tick>,
    pub(crate) flow_ticks: Vec<Tick>,
    pub(crate) queue_histogram: Vec<u64>,
    pub(crate) queues: Vec<QueueSample>,
    pub(crate) flow_samples: Vec<FlowSample>,
    pub(crate) pauses: Vec<PauseEvent>,
    /// By traffic entry.
    pub(crate) round_trips: Vec<RoundTrips>,
    pub(crate) probes: Vec<ProbeSample>,
    /// The first one.
    breach: Option<Breach>,
}

/// A broken promise of the model.
#[derive(Debug)]
pub(crate) struct Breach {
    time: Time,
    node: NodeId,
    pub(crate) fault: Fault,
}

impl Breach {
    /// The first of two in time; among those at one time the one of the lower node.
    pub(crate) fn first(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let both = one.into_iter().chain(other);
        both.min_by_key(|breach| (breach.time, breach.node))
    }
}

impl Recorder {
    pub(crate) fn new(measure: MeasureConfig) -> Self {
        Self {
            measure,
            finished: Vec::new(),
            delivered: 0,
            queue_ticks: Vec::new(),
            flow_ticks: Vec::new(),
            queue_histogram: vec![0; Bin::COUNT],
            queues: Vec::new(),
            flow_samples: Vec::new(),
            pauses: Vec::new(),
            round_trips: Vec::new(),
            probes: Vec::new(),
            breach: None,
        }
    }

    pub(crate) fn pause(&mut self, event: PauseEvent) {
        if self.measure.pauses {
            self.pauses.push(event);
        }
    }

    /// A packet of this traffic entry was answered after so long.
    #[inline]
    pub(crate) fn round_trip(&mut self, tag: u16, rtt: Time) {
        let entry = usize::from(tag);
        if entry >= self.round_trips.len() {
            self.round_trips.resize(entry + 1, RoundTrips::default());
        }
        self.round_trips[entry].count(rtt);
    }

    /// A promise is broken at `node`.
    #[cold]
    pub(crate) fn fail(&mut self, time: Time, node: NodeId, fault: Fault) {
        let breach = Breach { time, node, fault };
        self.breach = Breach::first(self.breach.take(), Some(breach));
    }

    pub(crate) fn take_breach(&mut self) -> Option<Breach> {
        self.breach.take()
    }

    /// What was written down; nothing is left.
    pub(crate) fn take(&mut self) -> Self {
        let measure = std::mem::take(&mut self.measure);
        std::mem::replace(self, Self::new(measure))
    }

    /// Adds what another thread has written down.
    pub(crate) fn merge(&mut self, other: Self) {
        self.delivered += other.delivered;
        merge_ticks(&mut self.queue_ticks, other.queue_ticks);
        merge_ticks(&mut self.flow_ticks, other.flow_ticks);
        for (sum, count) in self.queue_histogram.iter_mut().zip(other.queue_histogram) {
            *sum += count;
        }
        self.queues.extend(other.queues);
        self.flow_samples.extend(other.flow_samples);
        self.pauses.extend(other.pauses);
        self.probes.extend(other.probes);
        if self.round_trips.len() < other.round_trips.len() {
            let entries = other.round_trips.len();
            self.round_trips.resize(entries, RoundTrips::default());
        }
        for (sum, other) in self.round_trips.iter_mut().zip(&other.round_trips) {
            sum.merge(other);
        }
    }

    /// Puts what was kept one by one in order, whoever wrote it down.
    pub(crate) fn sort(&mut self) {
        self.queues
            .sort_unstable_by_key(|sample| (sample.time, sample.port));
        self.flow_samples
            .sort_unstable_by_key(|sample| (sample.time, sample.flow));
        // A flow has several probes at one time; these stay in their order.
        self.probes.sort_by_key(|sample| (sample.time, sample.flow));
        // A port may be paused and resumed at one time: these stay in their order.
        self.pauses
            .sort_by_key(|event| (event.time, event.node, event.port));
    }

    /// The totals of tick `index`, which is made if it is not there yet.
    pub(crate) fn tick(ticks: &mut Vec<Tick>, index: u64, interval: Time) -> &mut Tick {
        let index = index as usize;
        while ticks.len() <= index {
            ticks.push(Tick {
                time: interval * ticks.len() as u64,
                ..Tick::default()
            });
        }
        &mut ticks[index]
    }
}

fn merge_ticks(ticks: &mut Vec<Tick>, mut others: Vec<Tick>) {
    if ticks.len() < others.len() {
        std::mem::swap(ticks, &mut others);
    }
    for (tick, other) in ticks.iter_mut().zip(&others) {
        tick.merge(other);
    }
}

/// Sampling times of one node. A node's state only changes when it handles an event, so its
/// samples are taken lazily: just before the first event at or after the sampling time.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sampling {
    interval: Option<Time>,
    until: Time,
    /// Time of the next sample; `Time::MAX` if there is none.
    next: Time,
    index: u64,
}

impl Sampling {
    pub(crate) fn new(interval: Option<Time>, until: Time) -> Self {
        let next = if interval.is_some() {
            Time::ZERO
        } else {
            Time::MAX
        };
        Self {
            interval,
            until,
            next,
            index: 0,
        }
    }

    /// Whether a sample is due at `now`.
    #[inline]
    pub(crate) fn due(&self, now: Time) -> bool {
        now >= self.next
    }

    /// When the next sample is due; `Time::MAX` if there is none.
    #[inline]
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// The next sample up to `now`: number, time, interval.
    pub(crate) fn take(&mut self, now: Time) -> Option<(u64, Time, Time)> {
        let interval = self.interval?;
        if self.next > now || self.next == Time::MAX {
            return None;
        }
        let sample = (self.index, self.next, interval);
        self.index += 1;
        self.next += interval;
        if self.next > self.until {
            self.next = Time::MAX;
        }
        Some(sample)
    }

    /// Skips all samples up to `now` and says how many they were.
    pub(crate) fn skip(&mut self, now: Time) -> u64 {
        let Some(interval) = self.interval else {
            return 0;
        };
        if self.next > now || self.next == Time::MAX {
            return 0;
        }
        let last = now.min(self.until);
        let count = (last.as_ps() - self.next.as_ps()) / interval.as_ps() + 1;
        self.index += count;
        self.next += interval * count;
        if self.next > self.until {
            self.next = Time::MAX;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 10 ns up to 45: 0, 10, 20, 30, 40.
    #[test]
    fn samples_end_where_they_should() {
        let ns = Time::from_ns;
        let mut sampling = Sampling::new(Some(ns(10)), ns(45));
        assert_eq!(sampling.take(ns(12)), Some((0, ns(0), ns(10))));
        assert_eq!(sampling.take(ns(12)), Some((1, ns(10), ns(10))));
        assert_eq!(sampling.take(ns(12)), None);
        assert_eq!(sampling.skip(ns(30)), 2);
        assert_eq!(sampling.take(ns(100)), Some((4, ns(40), ns(10))));
        assert!(!sampling.due(ns(1_000)));
        assert_eq!(sampling.skip(ns(1_000)), 0);
    }
}
