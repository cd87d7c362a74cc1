//! Flows, as the network gets them, and the source of their controllers.

use incast_cc::{FlowController, Needs};
use incast_units::{Bytes, FlowId, HostId, Time};

use crate::wire::{Lane, MarkReport};

/// No flow: the largest number is never given to one.
pub(crate) const NO_FLOW: u32 = u32::MAX;

/// A message of one host to another; it gets a QP of its own, unless QPs are persistent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Its number.
    pub id: FlowId,
    /// Time at which its QP is created.
    pub start: Time,
    /// The sender.
    pub source: HostId,
    /// The receiver.
    pub destination: HostId,
    /// Payload.
    pub size: Bytes,
    /// The traffic entry it belongs to.
    pub tag: u16,
    /// Tells QPs between the same hosts apart where QPs live on from flow to flow.
    pub lane: u16,
    /// UDP source port, by which ECMP tells it from others between the same hosts.
    pub source_port: u16,
}

impl Flow {
    /// The lane of its data, which has nothing to do with the number of its QP: all flows take the
    /// first.
    #[inline(always)]
    pub(crate) fn data_lane(&self) -> Lane {
        Lane::FIRST
    }
}

/// The calls of NICs that a controller needs; they leave out the others.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NicCalls {
    /// One for every data packet that is sent.
    pub sent_packets: bool,
    /// One at the time of its timer.
    pub timers: bool,
    /// Whether its limit may name a sequence number.
    pub sequence_limit: bool,
    /// Whether its limit says how many bytes may leave.
    pub room: bool,
    /// Whether a change of the rate reschedules the packet that is paced already.
    pub reschedules_pending: bool,
    /// Whether marks of its flow cause CNPs, where receivers send any.
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

/// Gives every flow its congestion control.
pub trait Controllers: Send + Sync {
    /// The controller of `flow`.
    fn create(&self, flow: &Flow) -> Box<dyn FlowController>;

    /// Flows of different groups have controllers of different kinds: they never share one.
    fn group(&self, _flow: &Flow) -> u16 {
        0
    }

    /// The calls that the controller of `flow` needs; `common` are those of [`needs`](Self::needs).
    fn calls(&self, _flow: &Flow, common: NicCalls) -> NicCalls {
        common
    }

    /// Why a controller cannot go on, if that is so: asked after every step, it ends the run.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Whether the observer is to be asked at once if the run goes on.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// The needs of all controllers together.
    fn needs(&self) -> Needs;
}

/// What a host has come to, as [`WaitingSends`](crate::WaitingSends) says.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Milestone {
    /// When.
    pub time: Time,
    /// Where.
    pub host: HostId,
    /// A number that only the maker of the waiting sends understands.
    pub what: u64,
    /// Another number, of what this milestone waited for.
    pub cause: u64,
    /// When that had happened; the host may have computed since.
    pub since: Time,
}
