//! Traffic: which host sends how much to which host, and when.
//!
//! A scenario describes traffic as entries ([`TrafficSpec`]). Checked against the [`Network`], the
//! entries become a [`Workload`]. A seed makes it a stream of [`Flow`]s in order of start. Flows
//! are made on demand: memory follows the flows under way, not all flows of the run.
//!
//! This crate does not know how flows proceed. Only the sends of a collective wait for data that
//! arrives at their host: see [`TaskGraph`].
//!
//! ```
//! use incast_units::{Rate, Time};
//! use incast_workload::{Network, PoissonSpec, Published, Workload, no_files};
//!
//! let network = Network::uniform(320, Rate::from_gbps(100));
//! let hadoop = PoissonSpec::new(Published::FbHadoop, 0.5, Time::from_ms(50));
//! let workload = Workload::new(&[hadoop.into()], &network, &no_files())?;
//! // 320 hosts, a flow every 19.27 us each, for 50 ms.
//! assert_eq!(workload.expected_flows(1)?.round(), 830_422.0);
//! for flow in workload.flows(1)?.take(3) {
//!     let flow = flow?;
//!     println!("{} {} -> {}: {}", flow.start, flow.source, flow.destination, flow.size);
//! }
//! # Ok::<(), incast_diagnostic::Diagnostic>(())
//! ```

mod attack;
mod cdf;
mod collective;
pub mod diagnostics;
mod files;
mod flow;
mod host_names;
mod hosts;
mod merge;
mod network;
mod rings;
mod roofline;
mod size_file;
mod sizes;
mod start_unit;
mod strictness;
mod task_files;
mod tasks;
mod traffic;
mod workload;

pub use attack::{
    AttackName, AttackSpec, AttackersSpec, Batch, BatchStream, Piece, PieceStream, Role, Roles,
};
pub use cdf::{BadPoint, Cdf};
pub use collective::CollectiveAlgorithm;
pub use files::{FileSpec, Files, FlowFormat, FlowReader, NoFiles, no_files};
pub use flow::{
    Flow, FlowStream, MAX_FLOW, MAX_START, check_destination, check_size, check_start, checked,
};
pub use host_names::{HostNames, check_host};
pub use hosts::{GivenHost, HostPart, HostRange, HostSet};
pub use merge::merge;
pub use network::{Network, NicCounts};
pub use rings::Rings;
pub use roofline::Roofline;
pub use size_file::{CdfUnit, SizeFile};
pub use sizes::{CdfPoint, FlowSizes, Mix, MixPart, Published, SizeSpec};
pub use start_unit::StartUnit;
pub use strictness::{FlowCount, Strictness};
pub use task_files::{CollectiveMeans, FileTasks, TaskFile, TaskFormat, trace_of_rank};
pub use tasks::{
    Actions, CollectiveOperation, ListSize, ListedTasks, RankProgress, TaskEvent, TaskGraph,
    TaskList, TaskMessage, TaskWork,
};
pub use traffic::{
    AllReduceAlgorithm, AllReduceSpec, AllToAllSpec, CollectiveMember, CollectiveSpec, FlowsSpec,
    GivenFlow, GivenTask, GroupsFile, IncastReceiver, IncastSpec, LiveSpec, OfferedLoad,
    PermutationSpec, PoissonSpec, RingCount, Rounds, Stagger, TasksSpec, TrafficSpec, ValidTraffic,
};
pub use workload::Workload;
