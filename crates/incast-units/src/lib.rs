//! Time, Rate, Bytes and ids: the quantities every other crate speaks in.
//!
//! All three are integers, so that sums do not depend on their order: [`Time`] counts
//! picoseconds (one byte at 400 Gb/s takes exactly 20 ps), [`Rate`] bits per second,
//! [`Bytes`] bytes. Division states its rounding.

mod ids;
mod quantity;

pub use ids::{FlowId, HostId, NodeId};
pub use quantity::{Bytes, Rate, Time};
