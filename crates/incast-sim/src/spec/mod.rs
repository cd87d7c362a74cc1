//! The scenario file: from TOML to a network that can run.
//!
//! ```text
//! text ── tree ──► reader ──► Spec (as written) ── resolve ──► ValidSpec (nothing left open)
//!          ▲                                                       │
//!       overrides                                       canonical text, run, results
//! ```
//!
//! [`tree`] keeps line numbers. [`reader`] turns the tree into [`section`]s by serde. [`resolve`]
//! fills in defaults and builds the network, the traffic and the measurements of a run. Every
//! mistake becomes a [`Diagnostic`](incast_diagnostic::Diagnostic).

mod algorithms;
mod base_rtt;
mod canonical;
mod choice;
mod counted_starts;
mod graph;
mod nic_pairs;
pub(crate) mod overrides;
mod profile;
pub(crate) mod reader;
mod resolve;
mod scenario;
pub(crate) mod section;
mod stem;
mod tagged;
pub(crate) mod tree;
mod valid;

#[cfg(test)]
mod tests;

pub(crate) use algorithms::{Algorithms, FlowAlgorithm};
pub use base_rtt::BaseRtt;
pub use canonical::ScenarioFile;
pub use counted_starts::OpenLoop;
pub(crate) use counted_starts::{CountedStarts, Span};
pub(crate) use nic_pairs::{By, NicPairs, NicTurns};
pub(crate) use overrides::OPTION;
pub use overrides::Override;
pub use profile::Profile;
pub(crate) use profile::{IdealFctFormula, SourcePortChoice};
pub(crate) use resolve::Faults;
pub(crate) use scenario::Scenario;
pub use scenario::{Source, Spec};
pub(crate) use section::faults::Occurrence;
pub(crate) use section::flow_rows::FlowRows;
pub use section::flow_rows::RowsOfAll;
pub(crate) use stem::stem;
pub use valid::ValidSpec;
