//! Scenarios of the memory fabric: `[fabric]` in place of `[network]`.
//!
//! ```text
//! text ── FabricSpec (as written) ── validate ──► ValidFabricSpec ── run ──► FabricResults
//! ```
//!
//! The same text form, overrides, diagnostics, identity, tables and results folder as those of a
//! network; sections, run and summary are their own.

mod control;
mod exception;
mod results;
mod run;
mod sections;
mod spec;
mod work;

pub use results::{FabricEffort, FabricResults};
pub use run::FabricRunError;
pub(crate) use spec::FabricScenario;
pub use spec::{FabricSpec, ScenarioKind, ValidFabricSpec};
