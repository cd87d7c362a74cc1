//! Task graphs: the sends, receives and computing of ranks, and their dependencies.
//!
//! A rank is a host. A rank's tasks depend only on messages that have arrived at the rank, on ACKs
//! of its own messages, and on its own computing. So a graph is known as a whole ([`TaskGraph`]),
//! but unrolled rank by rank as time passes ([`RankProgress`]): memory follows the tasks under way.
//!
//! Messages have numbers, counted from 0 over all rounds; each is a flow.

use std::fmt;

use dyn_clone::DynClone;
use incast_units::{Bytes, HostId, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod list;

pub use list::{ListedTasks, TaskList, TaskWork};
pub(crate) use list::{OF_COLLECTIVE, PlacedTasks};

/// A graph of tasks of several ranks.
pub trait TaskGraph: fmt::Debug + Send + Sync {
    /// The host of each rank. No host has two ranks.
    fn hosts(&self) -> &[HostId];

    /// The time at which the ranks begin.
    fn start(&self) -> Time;

    /// How many times the graph is executed. Each rank begins a round when it has finished the
    /// round before.
    fn rounds(&self) -> u64;

    /// How long a rank computes between two rounds.
    fn between_rounds(&self) -> Time {
        Time::ZERO
    }

    /// Number of messages in all rounds.
    fn messages(&self) -> u128;

    /// The message with this number.
    fn message(&self, number: u64) -> TaskMessage;

    /// Whether any task waits for ACKs.
    fn waits_for_acks(&self) -> bool;

    /// The size of the list in memory; zero if tasks are computed as time passes.
    fn listed(&self) -> ListSize {
        ListSize::default()
    }

    /// Operation and size of data, if the graph is a collective.
    fn collective(&self) -> Option<(CollectiveOperation, Bytes)> {
        None
    }

    /// The progress of a rank, before it begins.
    fn rank(&self, rank: u32) -> Box<dyn RankProgress + '_>;
}

/// The size of a list of tasks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSize {
    /// Tasks.
    pub tasks: u64,
    /// The most messages under way at once, if all messages take the same time and computing takes
    /// none.
    pub widest: u64,
}

/// A message from one rank to another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TaskMessage {
    /// The sending host.
    pub source: HostId,
    /// The receiving host, never the source.
    pub destination: HostId,
    /// Payload, at least one byte.
    pub size: Bytes,
    /// An upper bound on the earlier messages between these two ranks, in all rounds so far.
    pub turn: u64,
    /// The lane: messages of one lane between the same ranks follow each other on one persistent
    /// QP.
    pub lane: u16,
    /// The number of the sender's NIC, among those that reach the receiver. `None`: each in turn.
    pub nic: Option<u16>,
}

/// The progress of a rank through its tasks.
pub trait RankProgress: Send + DynClone {
    /// Handles an event at this rank: adds the actions that it starts.
    fn advance(&mut self, event: TaskEvent, actions: &mut Actions);
}

dyn_clone::clone_trait_object!(RankProgress);

/// An event at a rank.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum TaskEvent {
    /// The rank begins.
    Begin,
    /// The message with this number has arrived here in full.
    Received(u64),
    /// The message with this number, sent from here, has been acknowledged in full.
    Acknowledged(u64),
    /// The computing with this token has ended.
    Computed(u64),
}

/// The actions that a rank starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// Messages, by number.
    pub sends: Vec<u64>,
    /// Computing: its token, and its duration, which is never zero.
    pub computes: Vec<(u64, Time)>,
    /// Rounds that the rank has finished.
    pub done: Vec<u64>,
}

impl Actions {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.sends.clear();
        self.computes.clear();
        self.done.clear();
    }
}

/// The operation of a collective.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollectiveOperation {
    /// All ranks get the sum of all ranks' data.
    AllReduce,
    /// Each rank gets a part of the sum of all ranks' data.
    ReduceScatter,
    /// All ranks get the parts of all ranks.
    AllGather,
    /// All ranks get the data of one rank.
    Broadcast,
    /// One rank gets the sum of all ranks' data.
    Reduce,
    /// Each rank gets a part of every rank's data.
    AllToAll,
    /// Each rank gets the data of the rank before.
    SendReceive,
}

impl CollectiveOperation {
    /// The operation's name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllGather => "all-gather",
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::AllToAll => "all-to-all",
            Self::SendReceive => "send-receive",
        }
    }

    /// Bus bandwidth over algorithm bandwidth: the share of the data that each rank's link carries
    /// (nccl-tests, doc/PERFORMANCE.md).
    pub fn bus_factor(self, ranks: u64) -> f64 {
        let others = (ranks.saturating_sub(1)) as f64 / ranks as f64;
        match self {
            Self::AllReduce => 2.0 * others,
            Self::ReduceScatter | Self::AllGather | Self::AllToAll => others,
            Self::Broadcast | Self::Reduce | Self::SendReceive => 1.0,
        }
    }
}
