//! The scenario file: from TOML to a network that can run.

mod choice;
mod error;
mod overrides;
mod reader;
mod section;
mod suggest;
mod tagged;
mod tree;

pub use error::SpecError;
pub use overrides::Override;
