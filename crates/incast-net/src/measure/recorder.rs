//! The recorder of one thread, to which its nodes write. Records are integer sums, or sorted at the
//! end, so the order of nodes does not matter.

use std::collections::BTreeMap;

use incast_signals::int::Telemetry;
use incast_units::{FlowId, NodeId, Time};

use super::fault_log::FaultLog;
use super::int_ages::{self, IntAgesByPosition, RecordOrder};
use super::pause_log::PauseLog;
use super::queue_statistics::QueueStatistics;
use super::series::{FlowSeries, QueueSeries};
use super::{
    ArrivalOrders, Breakdown, EntropyRecord, FlowRecord, MeanWeight, MeasureConfig, PacketLatency,
    PauseEvent, RoundTrips,
};
use crate::flow::{Flow, Milestone};
use crate::violation::NetworkError;

/// Recordings of the nodes of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub(crate) measure: MeasureConfig,
    /// Flows that have completed in the current window.
    pub(crate) finished: Vec<FlowRecord>,
    /// Flows that waited and have started in the current window.
    pub(crate) released: Vec<Flow>,
    /// Milestones of the current window at hosts whose sends wait.
    pub(crate) milestones: Vec<Milestone>,
    pub(crate) delivered: u64,
    /// By flow: data packets that its receiver had already.
    pub(crate) duplicates: BTreeMap<FlowId, u32>,
    pub(crate) arrival_orders: ArrivalOrders,
    pub(crate) entropies: Vec<EntropyRecord>,
    /// Packets that switch programs dropped.
    pub(crate) speculative_dropped: u64,
    pub(crate) queues: QueueSeries,
    pub(crate) flows: FlowSeries,
    pub(crate) queue_statistics: QueueStatistics,
    pub(crate) pauses: PauseLog,
    /// By traffic entry.
    pub(crate) round_trips: Vec<RoundTrips>,
    pub(crate) int_ages: IntAgesByPosition,
    pub(crate) packet_latencies: Vec<PacketLatency>,
    pub(crate) breakdowns: Vec<Breakdown>,
    pub(crate) mean_weights: Vec<MeanWeight>,
    pub(crate) faults: FaultLog,
    /// The first one.
    failure: Option<Failure>,
}

/// A reason to end a run, its place and time.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    time: Time,
    node: NodeId,
    pub(crate) error: NetworkError,
}

impl Failure {
    /// The first one of two failures in time; of simultaneous ones, the one at the lower node.
    pub(crate) fn first(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let both = one.into_iter().chain(other);
        both.min_by_key(|failure| (failure.time, failure.node))
    }
}

impl Recorder {
    pub(crate) fn new(measure: MeasureConfig) -> Self {
        Self {
            queues: QueueSeries::new(measure.queue_interval, &measure),
            flows: FlowSeries::new(measure.flow_interval, &measure),
            pauses: PauseLog::new(measure.row_limit),
            queue_statistics: QueueStatistics::new(measure.window),
            measure,
            finished: Vec::new(),
            released: Vec::new(),
            milestones: Vec::new(),
            delivered: 0,
            duplicates: BTreeMap::new(),
            arrival_orders: ArrivalOrders::default(),
            entropies: Vec::new(),
            speculative_dropped: 0,
            round_trips: Vec::new(),
            int_ages: IntAgesByPosition::new(),
            packet_latencies: Vec::new(),
            breakdowns: Vec::new(),
            mean_weights: Vec::new(),
            faults: FaultLog::default(),
            failure: None,
        }
    }

    pub(crate) fn pause(&mut self, event: PauseEvent) {
        if self.measure.pauses {
            self.pauses.push(event);
        }
    }

    /// Records a round trip of a packet of this traffic entry.
    #[inline]
    pub(crate) fn round_trip(&mut self, tag: u16, rtt: Time) {
        let entry = usize::from(tag);
        if entry >= self.round_trips.len() {
            self.round_trips.resize(entry + 1, RoundTrips::default());
        }
        self.round_trips[entry].count(rtt);
    }

    /// Records the ages of INT records that an ACK has brought to its sender.
    pub(crate) fn int_ages(&mut self, telemetry: Telemetry<'_>, order: RecordOrder, now: Time) {
        int_ages::add(&mut self.int_ages, telemetry, order, now);
    }

    /// Records a violation at `node`, or an impossible input; it ends the run.
    #[cold]
    pub(crate) fn fail(&mut self, time: Time, node: NodeId, error: impl Into<NetworkError>) {
        let error = error.into();
        let failure = Failure { time, node, error };
        self.failure = Failure::first(self.failure.take(), Some(failure));
    }

    /// Whether there is anything for the observer at the end of a step.
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        self.failure.is_some()
            || !self.finished.is_empty()
            || !self.released.is_empty()
            || !self.milestones.is_empty()
            || self.queue_statistics.has_open()
            || self.queues.is_full()
            || self.flows.is_full()
    }

    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    /// Records a data packet that its receiver has already.
    #[cold]
    pub(crate) fn note_duplicate(&mut self, flow: u32) {
        *self.duplicates.entry(FlowId(flow)).or_default() += 1;
    }

    /// Takes everything recorded so far.
    pub(crate) fn take(&mut self) -> Self {
        let measure = std::mem::take(&mut self.measure);
        std::mem::replace(self, Self::new(measure))
    }

    /// Adds the recordings of another thread.
    pub(crate) fn merge(&mut self, other: Self) {
        self.delivered += other.delivered;
        for (flow, count) in other.duplicates {
            *self.duplicates.entry(flow).or_default() += count;
        }
        self.arrival_orders += other.arrival_orders;
        self.entropies.extend(other.entropies);
        self.speculative_dropped += other.speculative_dropped;
        self.queues.merge(other.queues);
        self.flows.merge(other.flows);
        self.queue_statistics.merge(other.queue_statistics);
        self.pauses.merge(other.pauses);
        int_ages::merge(&mut self.int_ages, &other.int_ages);
        self.packet_latencies.extend(other.packet_latencies);
        self.breakdowns.extend(other.breakdowns);
        self.mean_weights.extend(other.mean_weights);
        self.faults.merge(other.faults);
        if self.round_trips.len() < other.round_trips.len() {
            let entries = other.round_trips.len();
            self.round_trips.resize(entries, RoundTrips::default());
        }
        for (sum, other) in self.round_trips.iter_mut().zip(&other.round_trips) {
            sum.merge(other);
        }
    }

    /// Drops samples of ports and flows after `last`. In a stall, timers go on after the last
    /// packet.
    pub(crate) fn cut_samples(&mut self, last: Time) {
        self.queues.samples.retain(|sample| sample.time <= last);
        let samples = &mut self.flows.samples;
        samples.flows.retain(|sample| sample.time <= last);
        samples.probes.retain(|sample| sample.time <= last);
    }

    /// Sorts individual records, so that their order does not depend on threads.
    pub(crate) fn sort(&mut self) {
        let samples = &mut self.flows.samples;
        samples
            .flows
            .sort_unstable_by_key(|sample| (sample.time, sample.flow));
        // A flow has several probes at one time; they keep their order.
        samples
            .probes
            .sort_by_key(|sample| (sample.time, sample.flow));
        self.arrival_orders.sort();
        self.entropies
            .sort_unstable_by_key(|each| (each.flow, each.entropy));
        self.packet_latencies.sort_unstable_by_key(|each| each.flow);
        self.breakdowns.sort_unstable_by_key(|each| each.flow);
        self.mean_weights.sort_unstable_by_key(|each| each.flow);
    }
}
