//! Flows as input of the network, and the source of their controllers.

use incast_cc::{FlowController, Needs};
use incast_units::{Bytes, FlowId, HostId, Time};

use crate::wire::{Lane, MarkReport};

/// Stands for no flow. No flow has this largest number.
pub(crate) const NO_FLOW: u32 = u32::MAX;

/// A message from one host to another. Each flow gets its own QP, unless QPs are persistent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Its number.
    pub id: FlowId,
    /// Time at which the flow's QP is created.
    pub start: Time,
    /// The sender.
    pub source: HostId,
    /// The receiver.
    pub destination: HostId,
    /// Payload.
    pub size: Bytes,
    /// The traffic entry that the flow belongs to.
    pub tag: u16,
    /// Distinguishes QPs between the same hosts if QPs are persistent.
    pub lane: u16,
    /// UDP source port, by which ECMP distinguishes flows between the same hosts.
    pub source_port: u16,
}

impl Flow {
    /// The lane of the flow's data. Not related to the number of its QP: all flows use the first
    /// lane.
    #[inline(always)]
    pub(crate) fn data_lane(&self) -> Lane {
        Lane::FIRST
    }
}

/// The NIC calls that a controller needs; NICs make no others.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NicCalls {
    /// A call for every data packet that is sent.
    pub sent_packets: bool,
    /// A call at the time of the controller's timer.
    pub timers: bool,
    /// Whether the controller's limit may contain a sequence number.
    pub sequence_limit: bool,
    /// Whether the controller's limit contains the number of bytes that may leave.
    pub room: bool,
    /// Whether a change of the rate reschedules a packet that is already paced.
    pub reschedules_pending: bool,
    /// Whether marks on the flow's packets cause CNPs, if receivers send CNPs.
    pub cnps: bool,
}

impl From<&Needs> for NicCalls {
    fn from(needs: &Needs) -> Self {
        Self {
            sent_packets: needs.sent_packets,
            timers: needs.timers,
            sequence_limit: needs.sequence_limit,
            room: needs.room,
            reschedules_pending: needs.reschedules_pending,
            cnps: true,
        }
    }
}

impl NicCalls {
    pub(crate) fn mark_report(self) -> MarkReport {
        match self.cnps {
            true => MarkReport::EchoAndCnps,
            false => MarkReport::Echo,
        }
    }
}

/// Provides the congestion control of every flow.
pub trait Controllers: Send + Sync {
    /// Creates the controller of `flow`.
    fn create(&self, flow: &Flow) -> Box<dyn FlowController>;

    /// The group of a flow's controller. Flows of different groups have different kinds of
    /// controllers, and never share one.
    fn group(&self, _flow: &Flow) -> u16 {
        0
    }

    /// The calls that the controller of `flow` needs. `common`: the calls by
    /// [`needs`](Self::needs).
    fn calls(&self, _flow: &Flow, common: NicCalls) -> NicCalls {
        common
    }

    /// The error of a controller that cannot continue, if any. Checked after every step; an error
    /// ends the run.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Whether the observer must be called at once if the run continues.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// The needs of all controllers together.
    fn needs(&self) -> Needs;
}

/// An event that a host has reached, as defined by [`WaitingSends`](crate::WaitingSends).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Milestone {
    /// When.
    pub time: Time,
    /// Where.
    pub host: HostId,
    /// A number with a meaning for the maker of the waiting sends only.
    pub what: u64,
    /// Number of the event that this milestone waited for, with a meaning for the same maker only.
    pub cause: u64,
    /// Time of this event; the host may have computed since then.
    pub since: Time,
}
