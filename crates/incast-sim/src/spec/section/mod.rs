//! The sections of a scenario file, as written: every key with a default may be missing.
//!
//! Two steps lead from a section to the network. `with_defaults` turns it into a section in which
//! no such key is missing: the canonical form prints that one. `build` then checks its values and
//! turns them into what a run takes.

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

/// A key for which `with_defaults` has a value, in `build`.
///
/// # Panics
/// If `with_defaults` was not called before, or leaves the key out.
fn filled_in<T>(value: Option<T>) -> T {
    value.expect("`with_defaults` gives every such key a value")
}
