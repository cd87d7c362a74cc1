//! The sections of a scenario file as written; every key with a default may be missing.
//!
//! A section becomes a part of the network in two steps. `with_defaults` fills in all missing keys;
//! the canonical text prints its result. `build` then checks the values, and builds the
//! configuration of the run from them.

mod ack_every;
mod buffers;
pub(crate) mod cc;
pub(crate) mod drops;
pub(crate) mod faults;
pub(crate) mod flow_rows;
mod jitter;
pub(crate) mod measure;
mod measuring_window;
pub(crate) mod model;
mod named_ports;
pub(crate) mod network;
pub(crate) mod packets;
pub(crate) mod queue_limit;
pub(crate) mod recovery;
pub(crate) mod run;
pub(crate) mod topology;
pub(crate) mod trace;
pub(crate) mod traffic;

/// The value of a key that `with_defaults` fills in, for use in `build`.
///
/// # Panics
/// If the key is missing, because `with_defaults` was not called or does not fill it in.
fn filled_in<T>(value: Option<T>) -> T {
    value.expect("`with_defaults` gives every such key a value")
}
