//! The RoCE network: packets, links, switches, NICs, PFC, ECN. Names no algorithm.

mod config;
mod record;

pub use config::{
    AckClass, BufferConfig, Clock, CnpConfig, DropConfig, EcmpHash, EcnConfig, FlowControl,
    Headroom, IntCollection, MarkingPoint, Model, NetworkConfig, NicScheduler, PacketSizes,
    PfcConfig, PfcThreshold, RecoveryConfig, Ties,
};
pub use record::{
    FlowRecord, FlowSample, MeasureConfig, PauseEvent, PortCounters, QueueSample, Recording, Tick,
};
