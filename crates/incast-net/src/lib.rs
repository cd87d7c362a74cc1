//! The RoCE network: packets, links, switches, NICs, PFC, ECN. Names no algorithm.
//!
//! A [`Run`] takes a topology, a [`NetworkConfig`] and a stream of [`Flow`]s, and leaves a
//! [`Recording`]. State belongs to exactly one node: a flow's sender state to its source, its
//! receiver state to its destination.

mod buffer;
mod clock;
mod config;
mod context;
mod divisor;
mod draws;
mod ecmp;
mod fault;
mod fifo;
mod flow;
mod forwarding;
mod host;
mod indivisible;
mod int;
mod network;
mod packet;
mod path;
mod programs;
mod record;
mod recorder;
mod retrace;
mod round_trips;
mod shared;
mod switch;
mod trace;
mod transmitter;

pub use config::{
    AckClass, BufferConfig, Carried, Clock, CnpConfig, DropConfig, EcmpHash, EcnConfig,
    FlowControl, Headroom, IntCollection, IntTable, MarkingPoint, MarkingRandom, Model,
    NetworkConfig, NicScheduler, PacketSizes, PathChoice, PfcConfig, PfcThreshold, Recovery,
    RecoveryConfig, Routing, Ties,
};
pub use fault::Fault;
pub use flow::{Controllers, Flow, Observer, Progress};
pub use incast_engine::{Division, NodeOrder, Threads};
pub use indivisible::Indivisible;
pub use network::Run;
pub use packet::MOST_INT_WORDS;
pub use path::{Direction, FlowAddress, path};
pub use record::{
    Bin, FlowRecord, FlowSample, MeasureConfig, PacketEvent, PacketKind, PacketRecord, PacketTrace,
    PauseEvent, PortCounters, ProbeSample, QueueSample, Recording, Tick, TraceConfig,
};
pub use retrace::{Detour, acks_retrace};
pub use round_trips::{RoundTrips, RttBin};
