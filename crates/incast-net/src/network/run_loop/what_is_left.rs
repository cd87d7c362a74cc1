//! The contents of nodes and links at the end of a run.

use incast_units::{Bytes, FlowId, Time};

use super::RunLoop;
use super::state::LoopState;
use crate::measure::{FaultRecord, Log, MeasureConfig, PacketTrace, PortCounters, Recorder};
use crate::measure::{Recording, SampleIntervals, TrimCounters, UnfinishedFlow};
use crate::network::engines::Engine;
use crate::network::nodes::RunLoopNode;
use crate::stall::Stall;

/// Counters of trimming; none if no port ever trims.
fn if_any(all: Vec<Option<TrimCounters>>) -> Vec<TrimCounters> {
    match all.iter().any(Option::is_some) {
        true => all.into_iter().map(Option::unwrap_or_default).collect(),
        false => Vec::new(),
    }
}

fn sort_by_number(flows: &mut [UnfinishedFlow]) {
    flows.sort_unstable_by_key(|each| each.flow.id);
}

pub(super) fn numbers_of(flows: &[UnfinishedFlow]) -> Vec<FlowId> {
    flows.iter().map(|each| each.flow.id).collect()
}

/// What is known at the end of a run, but for what was recorded during the run.
pub(super) struct Remains {
    pub(super) ports: Vec<PortCounters>,
    pub(super) trims: Vec<TrimCounters>,
    pub(super) unsent: Vec<u64>,
    pub(super) links_free_at: Time,
    pub(super) unfinished: Vec<UnfinishedFlow>,
    pub(super) packets: Option<PacketTrace>,
    pub(super) faults: Option<FaultRecord>,
    pub(super) stall: Option<Stall>,
    pub(super) is_done: bool,
    /// The time of the last sample.
    pub(super) last_sample: Time,
    /// Number of samples of switch ports in the measuring window.
    pub(super) queue_samples: u64,
}

impl Remains {
    /// The recording of the run, with what the recorder of all threads holds.
    pub(super) fn into_recording(
        self,
        recorder: Recorder,
        state: &LoopState,
        measure: &MeasureConfig,
        keeps_early: bool,
    ) -> Recording {
        let last = self.last_sample;
        let Recorder {
            mut queues,
            mut flows,
            pauses,
            mut queue_statistics,
            ..
        } = recorder;
        queue_statistics.end(last);
        let (queue_histogram, queue_sum) = queue_statistics.of_all(self.queue_samples);
        let recorded = &measure.queue_ports;
        let queue_ticks = queues.complete(&state.idle, last, recorded.len());
        let flow_ticks = flows.complete(&state.idle, last, 0);
        let (pauses, pauses_cut) = pauses.finish();
        Recording {
            packet_hops: self.ports.iter().map(PortCounters::packet_hops).sum(),
            ports: self.ports,
            trims: self.trims,
            unsent: self.unsent,
            links_free_at: self.links_free_at,
            kept_intervals: SampleIntervals {
                queues: measure.queue_interval.map(|_| queues.ticks.interval()),
                flows: measure.flow_interval.map(|_| flows.ticks.interval()),
            },
            queue_sum,
            queues: queues.of_ports(&queue_ticks, recorded),
            queue_ticks,
            flow_ticks,
            queue_histogram,
            flow_samples: flows.samples.flows,
            probes: flows.samples.probes,
            round_trips: recorder.round_trips,
            int_ages: recorder.int_ages,
            packet_latencies: recorder.packet_latencies,
            breakdowns: recorder.breakdowns,
            unfinished: self.unfinished,
            mean_weights: recorder.mean_weights,
            pauses,
            pauses_cut,
            packets: self.packets,
            delivered: Bytes::new(recorder.delivered),
            duplicates: recorder.duplicates,
            arrival_orders: keeps_early.then_some(recorder.arrival_orders),
            entropies: recorder.entropies,
            speculative_dropped: recorder.speculative_dropped,
            started: state.started,
            finished: state.started - state.alive,
            faults: self.faults,
            stall: self.stall,
            is_done: self.is_done,
            end: state.end,
        }
    }
}

impl<N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'_, N, L, E> {
    /// Counters of every port, by global port index.
    pub(super) fn counters(&self) -> Vec<PortCounters> {
        let mut all = Vec::with_capacity(self.ports.count());
        for node in self.engine.nodes() {
            node.append_counters(&mut all);
        }
        all
    }

    /// Counters of trimming of every port, by global port index; empty in runs without trimming.
    pub(super) fn trims(&self) -> Vec<TrimCounters> {
        let mut all = Vec::with_capacity(self.ports.count());
        for node in self.engine.nodes() {
            node.append_trims(&mut all);
        }
        if_any(all)
    }

    /// By global port index: bytes counted as sent whose transmission is not over at `end`. And the
    /// end of the last transmission.
    pub(super) fn link_ends(&self, end: Time) -> (Vec<u64>, Time) {
        let (mut unsent, mut free_at) = (Vec::with_capacity(self.ports.count()), Time::ZERO);
        for node in self.engine.nodes() {
            node.for_each_link(&mut |link| {
                unsent.push(link.unsent_at(end));
                free_at = free_at.max(link.free_at());
            });
        }
        (unsent, free_at)
    }

    /// Flows that have not completed, by number.
    pub(super) fn unfinished(&self) -> Vec<UnfinishedFlow> {
        let mut all = Vec::new();
        for node in self.engine.nodes() {
            node.append_unfinished(&mut all);
        }
        sort_by_number(&mut all);
        all
    }

    /// Number of samples of switch ports in the measuring window, up to `last`.
    pub(super) fn queue_samples(&self, last: Time) -> u64 {
        let Some(interval) = self.measure.queue_interval else {
            return 0;
        };
        let ports = self.ports.iter().count() as u64 - u64::from(self.hosts);
        self.measure.window.count(Time::ZERO, last, interval) * ports
    }
}
