//! The contents of nodes and links at the end of a run.

use incast_units::Time;

use super::RunLoop;
use crate::measure::{Log, PortCounters, TrimCounters, UnfinishedFlow};
use crate::network::engines::Engine;
use crate::network::nodes::RunLoopNode;

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
        match all.iter().any(Option::is_some) {
            true => all.into_iter().map(Option::unwrap_or_default).collect(),
            false => Vec::new(),
        }
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
        all.sort_unstable_by_key(|each| each.flow.id);
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
