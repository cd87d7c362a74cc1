//! The memory fabric: accelerators read and write each other's memory over switches that replicate
//! writes and reduce reads. Injection control limits what accelerators send.
//!
//! After Klenk et al., "An In-Network Architecture for Accelerating Shared-Memory Multiprocessor
//! Collectives" (ISCA 2020), as the dissertation that proposes 3CPO describes it (ch. 6).
//!
//! | file | holds |
//! |---|---|
//! | `shape`, `group`, `config` | the graph, groups of endpoints, options |
//! | `packet`, `credits` | operations, packets, virtual channels, credits |
//! | `store` | the packets of a node, each stored once for all its copies |
//! | `switch` | output queues, credits, replication, the reduction table |
//! | `endpoint` | network interface and memory of an accelerator |
//! | `control` | injection control, one file for each scheme |
//! | `work`, `workload`, `collective` | scripts of the endpoints' operations |
//! | `node`, `wheel`, `simulation` | the run on the window engine |
//! | `metrics`, `measure` | recordings of a run, and figures computed from them |
//!
//! The tests compare it with an oracle: an independent cycle-by-cycle model of the same fabric.

mod arbiter;
mod collective;
mod config;
mod control;
mod credits;
mod endpoint;
mod group;
mod measure;
mod metrics;
mod node;
mod packet;
mod shape;
mod simulation;
mod store;
mod switch;
mod touch;
mod violation;
mod wheel;
mod work;
mod workload;

pub use collective::{Collective, CollectiveKind, CollectiveTiming};
pub use config::{
    Arbitration, FabricConfig, InjectionChannels, MatchAt, Reserve, Turn, UplinkChoice,
};
pub use control::{
    AimdOptions, ControlScheme, ControlState, Decrease, DecrementScope, Hold, InjectionControl,
    OwnOperation, RateLimitOptions, RemoteRequest, RepairedOptions, ThreeCpoOptions, TokenCheck,
    TokenGeneration, TokenOptions, UncontrolledOptions, WatermarkStep, WindowOptions, WindowScope,
    watermarks,
};
pub use group::Group;
pub use measure::{ControlSample, FabricMeasure, OccupancySample, PacketStart};
pub use metrics::{LatencyFigures, OperationTotals};
pub use packet::{
    Cycle, FLIT_BYTES, Leg, MAX_PACKET_FLITS, MAX_PAYLOAD_FLITS, NEVER, OperationKind,
};
pub use shape::FabricShape;
pub use simulation::{EndpointException, FabricOutcome, FabricProgress, FabricSimulation};
pub use violation::FabricViolation;
pub use work::{OperationRecord, Script, StepStart, Work, WorkKind, WorkStep};
pub use workload::{EqualWork, RandomSets, UniformUnicast, random_halves};
