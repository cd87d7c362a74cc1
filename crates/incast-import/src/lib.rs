//! Files of other simulators: topologies, flows, tables of flow sizes, tasks, whole experiments.
//!
//! Topologies and workloads are plain data without a file format; this crate reads the formats.
//! Every reader goes line by line, or page by page, in constant memory. Every diagnostic names its
//! place as `file:line: field`, or `file: rows[row].column`.
//!
//! | format     | topology                | flows              | experiment           |
//! |------------|-------------------------|--------------------|----------------------|
//! | `hpcc-ns3` | `hpcc_ns3/topology.rs`  | `hpcc_ns3/flows.rs` | [`import_hpcc_ns3`] |
//! | `htsim`    | `htsim/topology.rs`     | `htsim/matrix.rs`  | [`import_htsim`]     |
//! | command lines of `htsim_uec` |       |                    | [`import_htsim_uec`] |
//! | `graph`    | `graph.rs`, our own     |                    |                      |
//! | `csv`      |                         | `csv.rs`           |                      |
//! | `parquet`  |                         | `parquet_flows.rs` |                      |
//!
//! Tasks of ranks come from GOAL schedules (`goal.rs`), as text and in binary, from traces of
//! Chakra (`chakra.rs`), from workloads of SimAI (`simai.rs`), from flows of SimCCL
//! (`simccl.rs`), and from algorithms of MSCCL (`msccl.rs`, [`import_msccl`]).
//!
//! `size_table.rs` reads tables of sizes. [`recognise`] finds the format of a file.
//!
//! A scenario names files of tasks, topologies and flows; [`ScenarioFiles`] and [`read_topology`]
//! open them. An import turns an experiment into the text of a scenario.

mod chakra;
mod checked;
mod csv;
mod decimal;
mod diagnostics;
mod file_format;
mod files;
mod flow_checks;
mod flow_columns;
mod goal;
mod graph;
mod hpcc_ns3;
mod htsim;
mod msccl;
mod msccl_import;
mod parquet_flows;
mod paths;
mod recognition;
mod scenario;
mod simai;
mod simccl;
mod size_import;
mod size_table;
#[cfg(test)]
mod suggestions;
mod task_files;
mod text;
mod topologies;
mod topology_note;

pub use file_format::FileFormat;
pub use files::ScenarioFiles;
pub use graph::write_graph;
pub use hpcc_ns3::{HpccImport, import_hpcc_ns3};
pub use htsim::{HtsimImport, UecImport, import_htsim, import_htsim_uec};
pub use msccl_import::{MscclImport, import_msccl};
pub use recognition::{
    FORMATS, HPCC_CONFIG, HTSIM_MATRIX, KnownFormat, Recognised, SIZE_TABLE, recognise,
};
pub use scenario::{Import, ImportOutcome, ImportedKey};
pub use size_import::{SizesImport, import_sizes};
pub use topologies::{read_topology, read_topology_from};
