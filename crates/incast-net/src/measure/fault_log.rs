//! Effects of link faults: packets lost, by cause, port and flow, and the times at which flows
//! recovered.

use std::collections::BTreeMap;

use incast_units::{FlowId, Time};
use rustc_hash::{FxHashMap, FxHashSet};

use super::quantity::quantities;
use crate::wire::Packet;

/// The cause of a packet's loss in a run with faults.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LossCause {
    /// Its link was down.
    LinkDown,
    /// The packet was corrupted on the link.
    Corrupted,
    /// There was no path to the destination, or the packet had passed too many switches while
    /// routes changed.
    Unreachable,
}

quantities! {
    /// Packets lost by faults, except PFC frames.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct Losses {
        /// Packets lost on links that were down.
        link_down: u64 => "lost_link_down",
        /// They were corrupted.
        corrupted: u64 => "lost_corrupted",
        /// Packets without a path to their destination.
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

/// The effects of one fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultOutcome {
    /// Data packets lost.
    pub data: u64,
    /// ACKs, NACKs and CNPs lost.
    pub control: u64,
    /// When the last lost packet started to leave.
    pub last_loss: Time,
    /// Flows that lost packets.
    pub flows: u64,
    /// For a link that failed: when all these flows had recovered; `None` if some had not. A flow
    /// has recovered when all data that it sent while the fault could harm it are acknowledged.
    pub recovered: Option<Time>,
}

/// The effects of all faults in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultRecord {
    /// Losses by global port index: the port by which a packet left; for unreachable packets the
    /// port by which it arrived. Ports without losses are left out.
    pub ports: BTreeMap<u32, Losses>,
    /// By flow.
    pub flows: BTreeMap<FlowId, Losses>,
    /// Effects of each fault, by number.
    pub faults: Vec<FaultOutcome>,
    /// Packets that arrived at hosts, except PFC frames.
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

/// The effects of faults that one thread has recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultLog {
    pub(crate) ports: FxHashMap<u32, Losses>,
    pub(crate) flows: FxHashMap<u32, Losses>,
    /// By number of the fault.
    pub(crate) outcomes: FxHashMap<u32, FaultOutcome>,
    /// Pairs of a fault and a flow that lost packets to it.
    pub(crate) affected: FxHashSet<(u32, u32)>,
    /// By fault and flow: time of recovery.
    pub(crate) recovered: FxHashMap<(u32, u32), Time>,
    pub(crate) arrived_at_hosts: u64,
    pub(crate) arrived_at_switches: u64,
}

impl FaultLog {
    /// Records a packet lost at this port; `fault`: number of the fault, and when the packet
    /// started to leave.
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

    /// Records that a flow has recovered from a fault.
    pub(crate) fn recover(&mut self, fault: u32, flow: u32, now: Time) {
        self.recovered.insert((fault, flow), now);
    }

    /// Adds the records of another thread.
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
