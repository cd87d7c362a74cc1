//! What faults of links do: packets lost, by cause, port and flow; and when flows have recovered.

use std::collections::BTreeMap;

use incast_units::{FlowId, Time};
use rustc_hash::{FxHashMap, FxHashSet};

use super::quantity::quantities;
use crate::wire::Packet;

/// Why a packet of a run with faults was lost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LossCause {
    /// Its link was down.
    LinkDown,
    /// The packet was corrupted on the link.
    Corrupted,
    /// No way led to its destination, or it had passed too many switches while routes changed.
    Unreachable,
}

quantities! {
    /// Packets lost by faults, PFC frames apart.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct Losses {
        /// Packets whose link was down.
        link_down: u64 => "lost_link_down",
        /// They were corrupted.
        corrupted: u64 => "lost_corrupted",
        /// No way led to their destination.
        unreachable: u64 => "lost_unreachable",
    }
}

impl Losses {
    /// Those on links.
    pub fn on_links(&self) -> u64 {
        self.link_down + self.corrupted
    }

    fn count(&mut self, cause: LossCause) {
        *match cause {
            LossCause::LinkDown => &mut self.link_down,
            LossCause::Corrupted => &mut self.corrupted,
            LossCause::Unreachable => &mut self.unreachable,
        } += 1;
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.link_down += other.link_down;
        self.corrupted += other.corrupted;
        self.unreachable += other.unreachable;
    }
}

/// What one fault has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultOutcome {
    /// Data packets lost.
    pub data: u64,
    /// ACKs, NACKs and CNPs lost.
    pub control: u64,
    /// When the last of these began to leave.
    pub last_loss: Time,
    /// Flows that lost any.
    pub flows: u64,
    /// Of a link that failed: when all those flows had recovered, if they have. A flow has when all
    /// is acknowledged that it had sent while the fault could still harm it.
    pub recovered: Option<Time>,
}

/// What faults have done in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultRecord {
    /// By global port index: losses of packets that left, or had come by this port if they were
    /// unreachable. Ports without any are left out.
    pub ports: BTreeMap<u32, Losses>,
    /// By flow.
    pub flows: BTreeMap<FlowId, Losses>,
    /// By number of the fault.
    pub faults: Vec<FaultOutcome>,
    /// Packets that arrived at hosts, PFC frames apart.
    pub arrived_at_hosts: u64,
    /// Packets that arrived at switches.
    pub arrived_at_switches: u64,
}

impl FaultRecord {
    /// All losses.
    pub fn losses(&self) -> Losses {
        let mut all = Losses::default();
        self.ports.values().for_each(|losses| all.add(losses));
        all
    }
}

/// What one thread has written down of faults.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultLog {
    pub(crate) ports: FxHashMap<u32, Losses>,
    pub(crate) flows: FxHashMap<u32, Losses>,
    /// By number of the fault.
    pub(crate) outcomes: FxHashMap<u32, FaultOutcome>,
    /// Faults and flows that lost packets to them.
    pub(crate) affected: FxHashSet<(u32, u32)>,
    /// When flows recovered from faults.
    pub(crate) recovered: FxHashMap<(u32, u32), Time>,
    pub(crate) arrived_at_hosts: u64,
    pub(crate) arrived_at_switches: u64,
}

impl FaultLog {
    /// A packet is lost at this port; `fault`: to which one, and when it began to leave.
    pub(crate) fn lose<const WORDS: usize>(
        &mut self,
        packet: &Packet<WORDS>,
        port: u32,
        cause: LossCause,
        fault: Option<(u32, Time)>,
    ) {
        if packet.is_pfc() {
            return;
        }
        self.ports.entry(port).or_default().count(cause);
        self.flows.entry(packet.flow()).or_default().count(cause);
        let Some((fault, time)) = fault else {
            return;
        };
        let outcome = self.outcomes.entry(fault).or_default();
        outcome.data += u64::from(packet.is_data());
        outcome.control += u64::from(!packet.is_data());
        outcome.last_loss = outcome.last_loss.max(time);
        self.affected.insert((fault, packet.flow()));
    }

    /// All is acknowledged that a flow had sent while a fault could harm it.
    pub(crate) fn recover(&mut self, fault: u32, flow: u32, now: Time) {
        self.recovered.insert((fault, flow), now);
    }

    /// Adds what another thread has written down.
    pub(crate) fn merge(&mut self, other: Self) {
        for (port, losses) in &other.ports {
            self.ports.entry(*port).or_default().add(losses);
        }
        for (flow, losses) in &other.flows {
            self.flows.entry(*flow).or_default().add(losses);
        }
        for (fault, other) in &other.outcomes {
            let outcome = self.outcomes.entry(*fault).or_default();
            outcome.data += other.data;
            outcome.control += other.control;
            outcome.last_loss = outcome.last_loss.max(other.last_loss);
        }
        self.affected.extend(other.affected);
        self.recovered.extend(other.recovered);
        self.arrived_at_hosts += other.arrived_at_hosts;
        self.arrived_at_switches += other.arrived_at_switches;
    }
}
