//! From Spec to ValidSpec, to a run, to Results: the public Rust API.

mod estimate;
mod fabric;
mod file_error;
mod ideal;
mod identity;
mod max_min_share;
mod regular_file;
mod results;
mod run;
mod schema;
mod spec;
mod summary_file;

pub use estimate::{Estimate, MemoryEstimate, SeriesEstimate};
pub use fabric::{
    EffortFigures, FabricCollective, FabricEffort, FabricEstimate, FabricLatency,
    FabricMemoryEstimate, FabricResults, FabricRunError, FabricSpec, FabricSummary, GroupFigures,
    OperationCounts, SamplesEstimate, ScenarioKind, ThinnedFabricSeries, ValidFabricSpec,
};
pub use file_error::{FileError, StandingResults};
pub use identity::{ENGINE, Identity};
pub use incast_diagnostic::{Diagnostic, nearest};
pub use incast_fabric::{FabricProgress, ThreeCpoOptions, WatermarkStep, watermarks};
pub use incast_net::{
    FlowRecord, HaltAt, Observer, Partitioning, Progress, Rehearsal, SingleThreadedBecause, Stall,
    Stand, Threads,
};
pub use results::{
    Bracket, CollectiveFacts, CountedFacts, Distribution, Effort, EntryLoad, FairShares, Fairness,
    FaultEntry, FaultFacts, FctFacts, Fingerprint, FlowCounts, Goodput, IntAge, KeptRowsFacts,
    Late, Loads, LockWatch, Packets, Party, Pfc, Queues, RecoveryFacts, Results, RoomForRows, Rtts,
    ScenarioFacts, Settling, SizeClass, Slowdowns, Spare, StallFacts, StuckPortFacts, Summary,
    Table, TableFile, ThinnedSeries, ThinnedTo, TraceFacts, Utilisation, WindowFacts, WireLoad,
    check_file, copy_results, may_be_replaced, other_run, recover, sizes_match,
};
pub use run::{
    ConservationViolation, CopyError, FlowEnd, LiveNetwork, RunError, RunName, run, run_keeping,
    run_on,
};
pub use schema::schema;
pub use spec::{
    BaseRtt, OpenLoop, Override, Profile, RowsOfAll, ScenarioFile, Source, Spec, ValidSpec,
};
pub use summary_file::checked_summary;
