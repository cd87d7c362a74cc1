//! The RoCE network: packets, links, switches, NICs, PFC, ECN. Names no algorithm.
//!
//! A [`Run`] takes a topology, a [`NetworkConfig`] and a stream of [`Flow`]s, and leaves a
//! [`Recording`]. State belongs to exactly one node: a flow's sender state to its source, its
//! receiver state to its destination.

mod clock;
mod cnp;
mod config;
mod context;
mod diagnostics;
mod ecmp;

mod execution_path;
mod faults;
mod fifo;
mod flow;
mod forwarding;
mod host;
mod marker;
mod measure;
mod network;
mod packet;
mod packet_sizes;
mod path;
mod pfc;
mod programs;
mod recovery;
mod shared;
mod shared_buffer;
mod single_threaded;
mod stall;
mod switch;
mod transmitter;
mod violation;
mod waiting;

pub use clock::{Clock, Ties};
pub use cnp::CnpConfig;
pub use config::{AckClass, FlowControl, Model, NetworkConfig};
pub use ecmp::{EcmpHash, PathChoice, Routing};
pub use execution_path::ExecutionPath;
pub use faults::{FaultKind, FaultPlan, LinkFault};
pub use flow::{Controllers, Flow, Milestone, NicCalls, Observer, Progress, UnfinishedFlow};
pub use host::{Enforcement, IdleState, NicConfig, NicScheduler, QpLifetime};
pub use incast_engine::{NodeOrder, Partitioning, Rehearsal, RoundPrice, RowLimit, Threads};
pub use incast_signals::int::IntSource;
pub use marker::MarkingRandom;
pub use measure::{
    FaultOutcome, FaultRecord, FlowCounters, FlowRecord, FlowSample, Histogram, IntAges, Losses,
    MeanWeight, MeasureConfig, MeasuringWindow, PacketEvent, PacketKind, PacketLatency,
    PacketRecord, PacketTrace, PathPosition, PauseEvent, PortCounters, ProbeSample, QueueSample,
    Recording, RoundTrips, SampleIntervals, Tick, TraceConfig,
};
pub use network::{DrivenNetwork, END_OF_TIME, FlowQueue, HaltAt, Run, Stand};
pub use packet::{MAX_HOPS, MAX_INT_WORDS};
pub use packet_sizes::{Carried, PacketSizes};
pub use path::{AsymmetricPath, Direction, FlowAddress, check_path_symmetry, path};
pub use pfc::{Headroom, PfcConfig, PfcThreshold};
pub use programs::{NetworkFacts, ProgramDemands, SwitchProgram};
pub use recovery::{RecoveryConfig, RecoveryKind};
pub use shared_buffer::{BufferConfig, DropConfig};
pub use single_threaded::SingleThreadedBecause;
pub use stall::{OnDeadlock, Stall, StallConfig, StuckFlows, StuckPort};
pub use switch::PortArbitration;
pub use violation::{NetworkError, OverflowCause, Violation};
pub use waiting::{Dependencies, Unblocked, WaitingSends};
