//! The sections of a scenario file, as written: every key with a default may be missing.
//!
//! Each section can `fill` itself: after that no such key is missing, which is what the canonical
//! form prints, and what a run takes is returned.

pub(crate) mod buffers;
pub(crate) mod cc;
pub(crate) mod ecn;
pub(crate) mod measure;
pub(crate) mod model;
pub(crate) mod network;
pub(crate) mod packets;
pub(crate) mod run;
pub(crate) mod topology;
pub(crate) mod trace;
pub(crate) mod traffic;
