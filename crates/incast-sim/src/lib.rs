//! Spec to ValidSpec to run to Results: the public Rust API.

mod ideal;
mod identity;
mod results;
mod run;
mod spec;

pub use spec::{
    BaseRtt, Override, Profile, ScenarioFile, Source, Spec, SpecError, ValidSpec, schema,
};

pub use identity::Identity;
pub use results::{
    Distribution, Effort, Fairness, FileError, Fingerprint, FlowCounts, Goodput, Packets, Pfc,
    Queues, Results, ScenarioFacts, SizeClass, Slowdowns, Summary, Table, Utilisation,
};
pub use run::{Imbalance, RunError, RunName, run};
