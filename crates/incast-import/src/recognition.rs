//! Recognition of a file's format by its first bytes, and whether the file can be read.
//!
//! Each format is an entry of [`FORMATS`]; the formats with the most specific signs come first.

use std::io::Read as _;
use std::path::Path;

use incast_diagnostic::{Diagnostic, Placed as _};

use crate::files;
use begin::FileBegin;

mod begin;
mod reading;
#[cfg(test)]
mod tests;

/// A format of files.
pub struct KnownFormat {
    /// The format's name in tables.
    pub name: &'static str,
    /// A description of files of this format.
    pub what: &'static str,
    /// How to use a file of this format; `FILE` stands for its name.
    pub usage: &'static str,
    is_it: fn(&FileBegin) -> bool,
    read: fn(&Path) -> Result<String, Diagnostic>,
}

/// A file whose format is known.
pub struct Recognised {
    /// The format.
    pub format: &'static KnownFormat,
    /// A short description of the file's content; or the reason why it cannot be read.
    pub contents: Result<String, Diagnostic>,
}

/// The format of configurations of the HPCC artifact.
pub const HPCC_CONFIG: &str = "hpcc-ns3 config";
/// The format of connection matrices of htsim.
pub const HTSIM_MATRIX: &str = "htsim matrix";
/// The format of tables of sizes.
pub const SIZE_TABLE: &str = "sizes";

/// The usage of formats that cannot be read.
const NOT_USED: &str = "not at all: docs/importing.md says why";

/// All formats that are recognised.
pub static FORMATS: [KnownFormat; 19] = [
    KnownFormat {
        name: "parquet",
        what: "a Parquet table",
        usage: "[[traffic]] kind = \"file\", file = \"FILE\", format = \"parquet\"",
        is_it: |begin| begin.bytes.starts_with(b"PAR1"),
        read: reading::parquet,
    },
    KnownFormat {
        name: "goal binary",
        what: "a GOAL schedule in binary",
        usage: "[[traffic]] kind = \"tasks\", file = \"FILE\", format = \"goal-binary\"",
        is_it: |begin| begin.bytes.starts_with(&4223_u32.to_le_bytes()),
        read: reading::with_its_hosts,
    },
    KnownFormat {
        name: "chakra",
        what: "a trace of Chakra",
        usage: "[[traffic]] kind = \"tasks\", file = the name without `.0.et`, format = \"chakra\"",
        is_it: |begin| begin.extension == "et",
        read: reading::with_its_hosts,
    },
    KnownFormat {
        name: "scenario",
        what: "a scenario of incast",
        usage: "incast run FILE",
        is_it: FileBegin::is_scenario,
        read: reading::scenario,
    },
    KnownFormat {
        name: HPCC_CONFIG,
        what: "a configuration of the HPCC ns-3 artifact or of a fork",
        usage: "incast import hpcc-ns3 FILE -o scenario.toml",
        is_it: FileBegin::is_hpcc_config,
        read: reading::hpcc_config,
    },
    KnownFormat {
        name: HTSIM_MATRIX,
        what: "a connection matrix of htsim",
        usage: "incast import htsim FILE --topology TOPO --start-unit us -o scenario.toml",
        is_it: |begin| begin.first_words() == ["Nodes", "Connections"],
        read: reading::htsim_matrix,
    },
    KnownFormat {
        name: "htsim topology",
        what: "a topology of htsim",
        usage: "topology = { file = \"FILE\", format = \"htsim\" }",
        is_it: FileBegin::is_htsim_topology,
        read: reading::htsim_topology,
    },
    KnownFormat {
        name: "goal",
        what: "a GOAL schedule",
        usage: "[[traffic]] kind = \"tasks\", file = \"FILE\", format = \"goal\"",
        is_it: |begin| begin.first_words().first() == Some(&"num_ranks"),
        read: reading::with_its_hosts,
    },
    KnownFormat {
        name: "graph",
        what: "a network of named nodes and links",
        usage: "topology = { file = \"FILE\", format = \"graph\" }",
        is_it: FileBegin::is_graph,
        read: reading::graph,
    },
    KnownFormat {
        name: "simai workload",
        what: "a workload of SimAI",
        usage: "[[traffic]] kind = \"tasks\", file = \"FILE\", format = \"simai\"",
        is_it: |begin| begin.text().contains("model_parallel_NPU_group:"),
        read: reading::with_its_hosts,
    },
    KnownFormat {
        name: "simccl",
        what: "flows of SimCCL",
        usage: "[[traffic]] kind = \"tasks\", file = \"FILE\", format = \"simccl\"",
        is_it: FileBegin::is_simccl,
        read: reading::with_its_hosts,
    },
    KnownFormat {
        name: "msccl",
        what: "an algorithm of MSCCL",
        usage: "incast import msccl FILE --data SIZE -o scenario.toml",
        is_it: FileBegin::is_msccl,
        read: reading::msccl,
    },
    KnownFormat {
        name: "nccl graphs",
        what: "the rings and trees that NCCL has chosen (NCCL_GRAPH_DUMP_FILE)",
        usage: NOT_USED,
        is_it: FileBegin::is_nccl_graphs,
        read: reading::nccl_graphs,
    },
    KnownFormat {
        name: "nccl topology",
        what: "a server as NCCL sees it (NCCL_TOPO_DUMP_FILE)",
        usage: NOT_USED,
        is_it: FileBegin::is_nccl_topology,
        read: reading::nccl_topology,
    },
    KnownFormat {
        name: "csv",
        what: "flows as comma-separated values",
        usage: "[[traffic]] kind = \"file\", file = \"FILE\", format = \"csv\"",
        is_it: FileBegin::is_csv,
        read: reading::csv,
    },
    KnownFormat {
        name: "hpcc-ns3 fct",
        what: "completion times that the HPCC ns-3 artifact recorded",
        usage: "incast validate ns3 --config CONFIG --fct FILE",
        is_it: FileBegin::is_fct,
        read: reading::with_its_experiment,
    },
    KnownFormat {
        name: "hpcc-ns3 flows",
        what: "flows of the HPCC ns-3 artifact or of a fork",
        usage: "[[traffic]] kind = \"file\", file = \"FILE\", format = \"hpcc-ns3\", base = \"2s\"",
        is_it: FileBegin::is_hpcc_flows,
        read: reading::hpcc_flows,
    },
    KnownFormat {
        name: "hpcc-ns3 topology",
        what: "a topology of the HPCC ns-3 artifact or of a fork",
        usage: "topology = { file = \"FILE\", format = \"hpcc-ns3\" }",
        is_it: FileBegin::is_hpcc_topology,
        read: reading::hpcc_topology,
    },
    KnownFormat {
        name: SIZE_TABLE,
        what: "a table of flow sizes",
        usage: "incast import sizes FILE, or sizes = { file = \"FILE\" }",
        is_it: FileBegin::is_sizes,
        read: reading::sizes,
    },
];

/// Recognises the format of a file; `None` if it is unknown.
///
/// # Errors
/// If the file cannot be opened.
pub fn recognise(file: &Path) -> Result<Option<Recognised>, Diagnostic> {
    let begin = begin_of(file).in_file(file.display())?;
    let format = FORMATS.iter().find(|format| (format.is_it)(&begin));
    Ok(format.map(|format| Recognised {
        format,
        contents: (format.read)(file),
    }))
}

fn begin_of(file: &Path) -> Result<FileBegin, Diagnostic> {
    let mut bytes = Vec::new();
    let opened = files::open_regular(file, file)?;
    let read = opened.take(begin::LENGTH).read_to_end(&mut bytes);
    read.map_err(|error| Diagnostic::unreadable(&error))?;
    let extension = file.extension().unwrap_or_default();
    Ok(FileBegin::new(bytes, &extension.to_string_lossy()))
}
