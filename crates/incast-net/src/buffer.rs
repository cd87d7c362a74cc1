//! A switch's buffer: how much each port may use, and what happens to a packet without room.

mod admission;
mod contention;
mod options;
mod per_port;
pub(crate) mod pfc;
mod shared;
mod switch_buffer;
mod trimming;

pub(crate) use self::admission::Admission;
pub use self::contention::Contention;
pub(crate) use self::contention::PlaceDraws;
pub(crate) use self::options::EgressFacts;
pub use self::options::{
    BufferConfig, DropConfig, HeaderService, PortBufferConfig, PortLimit, TrimmingConfig,
};
pub(crate) use self::per_port::PortRule;
pub use self::pfc::{Headroom, IngressLink, PfcConfig, PfcThreshold};
pub(crate) use self::pfc::{PfcBuffer, PortFacts};
pub(crate) use self::shared::DropBuffer;
pub(crate) use self::switch_buffer::Buffer;
pub(crate) use self::trimming::Trimmer;
