//! The RoCE network: packets, links, switches, NICs, PFC, ECN. Names no algorithm.
//!
//! A [`Run`] takes a topology, a [`NetworkConfig`] and a stream of [`Flow`]s, and leaves a
//! [`Recording`]. Each piece of state belongs to one node: a flow's sender state to its source, its
//! receiver state to its destination.

mod buffer;
mod clock;
mod cnp;
mod config;
mod context;
mod diagnostics;
mod execution_path;
mod faults;
mod fifo;
mod flow;
mod host;
mod marker;
mod measure;
mod network;
mod observer;
mod programs;
mod routing;
mod shared;
mod single_threaded;
mod stall;
mod switch;
mod timing_errors;
mod transmitter;
mod transport;
mod violation;
mod waiting;
mod wire;

pub use buffer::{
    BufferConfig, Contention, DropConfig, HeaderService, Headroom, IngressLink, PfcConfig,
    PfcThreshold, PortBufferConfig, PortLimit, TrimmingConfig,
};
pub use clock::{Clock, Ties};
pub use cnp::CnpConfig;
pub use config::{AckClass, FlowControl, Model, NetworkConfig};
pub use execution_path::ExecutionPath;
pub use faults::{FaultKind, FaultPlan, LinkFault};
pub use flow::{Controllers, Flow, Milestone, NicCalls};
pub use host::{Enforcement, HostProgramSpec, IdleState, NicConfig, NicScheduler, QpLifetime};
pub use incast_engine::{NodeOrder, Partitioning, Rehearsal, RoundPrice, RowLimit, Threads};
pub use incast_signals::int::IntSource;
pub use marker::MarkingRandom;
pub use measure::{
    ArrivalOrder, ArrivalOrders, Breakdown, CauseRecords, CompanyRecord, EntropyCounters,
    EntropyRecord, FaultOutcome, FaultRecord, FlowCounters, FlowRecord, FlowSample, Heard,
    Histogram, IntAges, Losses, MeanWeight, MeasureConfig, MeasuringWindow, OnLinks, PacketEvent,
    PacketLatency, PacketRecord, PacketTrace, PathPosition, PauseCause, PauseEvent, PayloadWait,
    PortCounters, ProbeSample, QueueSample, Recording, RoundTrips, SampleIntervals, SendState,
    SenderPart, SenderRecord, Tick, TraceConfig, TrimCounters, UnfinishedFlow,
};
pub use network::{DrivenNetwork, END_OF_TIME, FlowQueue, HaltAt, Run, Stand};
pub use observer::{Observer, Progress};
pub use programs::{NetworkFacts, ProgramDemands, SwitchProgram};
pub use routing::{
    AsymmetricPath, Balance, BitmapPaths, Direction, EcmpHash, EntropySkips, FlowAddress,
    FreezeSign, KeptPath, LegacyReps, MixedPaths, ObliviousPaths, PassOrder, PathChoice,
    PathShares, PathUse, Plb, RandomPaths, Reps, RoundRobinPaths, Routing, TimeoutBlame,
    check_path_symmetry, path,
};
pub use single_threaded::SingleThreadedBecause;
pub use stall::{OnDeadlock, Stall, StallConfig, StuckFlows, StuckPort};
pub use switch::PortArbitration;
pub use timing_errors::TimingErrors;
pub use transport::{
    AckPolicy, Backoff, EarlyCount, Explicit, InOrder, LossDetection, Probes, RecoveryConfig,
    RecoveryKind, Reordering, TimeoutOf,
};
pub use violation::{NetworkError, OverflowCause, Violation};
pub use waiting::{Dependencies, Unblocked, WaitingSends};
pub use wire::{Carried, MAX_HOPS, MAX_INT_WORDS, PacketKind, PacketSizes};
