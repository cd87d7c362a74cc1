//! Speculative packets of a host: their sequence numbers, and the counts of connections that divide
//! windows.
//!
//! Snyder's dissertation, §5.2 and §5.3: flows that a host starts in one epoch may share one
//! sequence, and then together get as much as a single flow. A window is divided by the connections
//! that were open before the epoch. The connections of the epoch already share a sequence.

use incast_signals::{OneRttOptions, WindowDivisor};
use incast_units::{NodeId, Time};

use crate::programs::one_rtt::EpochClock;
use crate::wire::Speculation;

/// Of one host.
#[derive(Clone, Debug)]
pub(super) struct Speculations {
    clock: EpochClock,
    shared: bool,
    divided_by: Option<WindowDivisor>,
    /// The last epoch in which a connection opened or closed.
    epoch: u64,
    /// Connections that were open when `epoch` began.
    open_before: u64,
    /// Sequences of epochs in which flows still speculate.
    sequences: Vec<SharedSequence>,
}

/// The sequence number of the flows that started in one epoch.
#[derive(Copy, Clone, Debug)]
struct SharedSequence {
    epoch: u64,
    next: u32,
    /// Flows that speculate.
    flows: u32,
}

/// A flow whose first rate request is in flight.
#[derive(Clone, Debug)]
pub(super) struct Speculating {
    /// SSTS.
    started: Time,
    epoch: u64,
    /// n.
    connections: u16,
    /// The sequence numbers of its packets.
    numbers: Vec<u32>,
}

impl Speculations {
    pub(super) fn new(options: &OneRttOptions, node: NodeId, seed: u64) -> Self {
        Self {
            clock: EpochClock::new(options, node, seed),
            shared: options.shared,
            divided_by: options.divided_by,
            epoch: 0,
            open_before: 0,
            sequences: Vec::new(),
        }
    }

    pub(super) fn clock(&self) -> EpochClock {
        self.clock
    }

    /// The number of open connections changes now; before, it was `open`.
    pub(super) fn note_connections(&mut self, open: u64, now: Time) {
        let epoch = self.clock.epoch_of(self.clock.read(now));
        if epoch > self.epoch {
            (self.epoch, self.open_before) = (epoch, open);
        }
    }

    /// A flow starts; `open` connections are open, its own among them.
    pub(super) fn begin(&mut self, open: u64, now: Time) -> Speculating {
        let started = self.clock.read(now);
        let epoch = self.clock.epoch_of(started);
        let connections = match self.divided_by {
            None => 1,
            Some(WindowDivisor::EpochStart) => self.open_before,
            Some(WindowDivisor::FlowStart) => open,
        };
        match self.sequences.iter_mut().find(|one| one.epoch == epoch) {
            Some(sequence) => sequence.flows += 1,
            None => self.sequences.push(SharedSequence {
                epoch,
                next: 0,
                flows: 1,
            }),
        }
        Speculating {
            started,
            epoch,
            connections: u16::try_from(connections).unwrap_or(u16::MAX).max(1),
            numbers: Vec::new(),
        }
    }

    /// A flow sends its next speculative packet.
    pub(super) fn number_packet(&mut self, flow: &mut Speculating) -> Speculation {
        let mut sequences = self.sequences.iter_mut();
        let sequence = match sequences.find(|one| self.shared && one.epoch == flow.epoch) {
            Some(shared) => {
                shared.next += 1;
                shared.next - 1
            }
            None => flow.numbers.len() as u32,
        };
        flow.numbers.push(sequence);
        Speculation {
            started: flow.started,
            sequence,
            connections: flow.connections,
        }
    }

    /// The first rate reply of a flow arrives, and its speculation ends. A sequence is kept while
    /// flows may join it.
    pub(super) fn end(&mut self, flow: &Speculating) {
        let current = self.epoch;
        self.sequences.retain_mut(|sequence| {
            sequence.flows -= u32::from(sequence.epoch == flow.epoch);
            sequence.flows > 0 || sequence.epoch >= current
        });
    }
}

impl Speculating {
    /// n.
    pub(super) fn connections(&self) -> u16 {
        self.connections
    }

    /// Index of the flow's first packet whose number is at least `let_through`; the first unsent
    /// packet if there is none.
    pub(super) fn first_beyond(&self, let_through: u32) -> u32 {
        self.numbers.partition_point(|number| *number < let_through) as u32
    }
}

#[cfg(test)]
mod tests;
