//! A switch's buffer: who may use how much of it, and what happens to a packet without room.

mod options;
pub(crate) mod pfc;
mod shared;

pub use self::options::{BufferConfig, DropConfig};
pub use self::pfc::{Headroom, PfcConfig, PfcThreshold};
pub(crate) use self::pfc::{PfcBuffer, PortFacts};
pub(crate) use self::shared::{Buffer, DropBuffer};
