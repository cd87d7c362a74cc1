//! Spec to ValidSpec to run to Results: the public Rust API.

mod spec;

pub use spec::{
    BaseRtt, Override, Profile, ScenarioFile, Source, Spec, SpecError, ValidSpec, schema,
};
