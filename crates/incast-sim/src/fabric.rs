//! Scenarios of the memory fabric: `[fabric]` in place of `[network]`.
//!
//! ```text
//! text ── FabricSpec (as written) ── validate ──► ValidFabricSpec ── run ──► FabricResults
//! ```
//!
//! Text form, overrides, diagnostics, identity, tables and results folder are the same as for a
//! network. Sections, run and summary are different.

mod control;
mod estimate;
mod exception;
mod results;
mod run;
mod sections;
mod spec;
mod summary;
mod work;

pub use estimate::{FabricEstimate, FabricMemoryEstimate, SamplesEstimate};
pub use results::FabricResults;
pub use run::FabricRunError;
pub(crate) use spec::FabricScenario;
pub use spec::{FabricSpec, ScenarioKind, ValidFabricSpec};
pub(crate) use summary::KIND as FABRIC_KIND;
pub use summary::{
    EffortFigures, FabricCollective, FabricEffort, FabricLatency, FabricSummary, GroupFigures,
    OperationCounts, ThinnedFabricSeries,
};
