//! A switch's buffer: who may use how much of it, and what happens to a packet without room.

mod admission;
mod options;
mod per_port;
pub(crate) mod pfc;
mod shared;

pub(crate) use self::admission::{Admission, Buffer};
pub use self::options::{BufferConfig, DropConfig, PortBufferConfig};
pub(crate) use self::per_port::PortRule;
pub use self::pfc::{Headroom, PfcConfig, PfcThreshold};
pub(crate) use self::pfc::{PfcBuffer, PortFacts};
pub(crate) use self::shared::DropBuffer;
