//! The scenario file: from TOML to a network that can run.

mod error;
mod overrides;
mod reader;
mod suggest;
mod tree;

pub use error::SpecError;
pub use overrides::Override;
