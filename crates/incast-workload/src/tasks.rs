//! Task graphs: what ranks send, receive and compute, and what waits for what.
//!
//! A rank is a host. What it starts depends on what has arrived there, on the ACKs of what it has
//! sent, and on its own computing; on nothing else. So a graph is known as a whole ([`TaskGraph`]),
//! but unrolled rank by rank, as time passes ([`RankProgress`]): memory follows what is under way.
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

/// Tasks of several ranks.
pub trait TaskGraph: fmt::Debug + Send + Sync {
    /// By rank: its host. No host has two.
    fn hosts(&self) -> &[HostId];

    /// When its ranks begin.
    fn start(&self) -> Time;

    /// How many times the whole of it is done; each rank begins a round when it is done with the
    /// one before.
    fn rounds(&self) -> u64;

    /// How long a rank computes between two rounds.
    fn between_rounds(&self) -> Time {
        Time::ZERO
    }

    /// How many messages there are in all rounds.
    fn messages(&self) -> u128;

    /// The message of this number.
    fn message(&self, number: u64) -> TaskMessage;

    /// Whether its ranks wait for ACKs.
    fn waits_for_acks(&self) -> bool;

    /// What of it is held in memory: nothing, if each rank is worked out as time passes.
    fn listed(&self) -> ListSize {
        ListSize::default()
    }

    /// What it does to how much data, if it is a collective.
    fn collective(&self) -> Option<(CollectiveOperation, Bytes)> {
        None
    }

    /// A rank before it begins.
    fn rank(&self, rank: u32) -> Box<dyn RankProgress + '_>;
}

/// How large a list of tasks is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSize {
    /// Tasks.
    pub tasks: u64,
    /// Messages that are under way at once, at most, if all of them take equally long and computing
    /// takes no time.
    pub widest: u64,
}

/// What one rank sends to another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TaskMessage {
    /// The sending host.
    pub source: HostId,
    /// The receiving host, never the source.
    pub destination: HostId,
    /// Payload, at least one byte.
    pub size: Bytes,
    /// How many messages between these two come before, in this round and those before, at most.
    pub turn: u64,
    /// Messages of one lane between the same ranks follow each other on one persistent QP.
    pub lane: u16,
    /// Where the hosts reach each other by several NICs: by which of them, counted on from the
    /// first. None: by one after the other.
    pub nic: Option<u16>,
}

/// What a rank has done so far.
pub trait RankProgress: Send + DynClone {
    /// Something has happened at this rank: adds what it starts now.
    fn advance(&mut self, event: TaskEvent, actions: &mut Actions);
}

dyn_clone::clone_trait_object!(RankProgress);

/// What happens at a rank.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum TaskEvent {
    /// It begins.
    Begin,
    /// All of this message has arrived here.
    Received(u64),
    /// The last ACK of this message, which was sent from here, has arrived.
    Acknowledged(u64),
    /// The computing of this token is done.
    Computed(u64),
}

/// What a rank starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// Messages, by number.
    pub sends: Vec<u64>,
    /// Tokens of computing, and how long it takes; never zero.
    pub computes: Vec<(u64, Time)>,
    /// Rounds with which the rank is done now.
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

/// What is done.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollectiveOperation {
    /// All ranks have the sum of what each has.
    AllReduce,
    /// Each rank has a part of that sum.
    ReduceScatter,
    /// All ranks have the parts that each has.
    AllGather,
    /// All ranks have what one rank has.
    Broadcast,
    /// One has the sum of what each has.
    Reduce,
    /// Each rank has a part of what each rank has.
    AllToAll,
    /// Each rank has what the rank before it has.
    SendReceive,
}

impl CollectiveOperation {
    /// Its name in scenarios.
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

    /// Bus bandwidth over data over time: the share of the data that each link to a rank has to
    /// carry (nccl-tests, doc/PERFORMANCE.md).
    pub fn bus_factor(self, ranks: u64) -> f64 {
        let others = (ranks.saturating_sub(1)) as f64 / ranks as f64;
        match self {
            Self::AllReduce => 2.0 * others,
            Self::ReduceScatter | Self::AllGather | Self::AllToAll => others,
            Self::Broadcast | Self::Reduce | Self::SendReceive => 1.0,
        }
    }
}
