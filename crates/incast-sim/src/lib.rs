//! Spec to ValidSpec to run to Results: the public Rust API.

mod spec;

pub use spec::{Override, SpecError};
