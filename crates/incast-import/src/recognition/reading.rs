//! Reads a file of a known format to its end, and describes its content in a few words.

use std::path::{Path, PathBuf};

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::Bytes;
use incast_workload::{FileSpec, FlowCount, FlowFormat, HostNames, StartUnit, Strictness};

use crate::file_format::FileFormat;
use crate::files::{self, ScenarioFiles};
use crate::hpcc_ns3::{HpccImport, import_hpcc_ns3};
use crate::msccl;
use crate::size_table::{self, LastLine, TableOptions};
use crate::topologies::read_topology;

pub(super) fn scenario(_: &Path) -> Result<String, Diagnostic> {
    Ok("not read here".to_owned())
}

/// The answer for formats whose tasks can be read only for a given number of hosts.
pub(super) fn with_its_hosts(_: &Path) -> Result<String, Diagnostic> {
    Ok("read by a scenario, which says how many hosts there are".to_owned())
}

pub(super) fn with_its_experiment(_: &Path) -> Result<String, Diagnostic> {
    Ok("compared with the configuration's run".to_owned())
}

pub(super) fn hpcc_config(file: &Path) -> Result<String, Diagnostic> {
    import_hpcc_ns3(&HpccImport::of(file)).map(|_| "a scenario".to_owned())
}

pub(super) fn hpcc_topology(file: &Path) -> Result<String, Diagnostic> {
    topology(file, FileFormat::HpccNs3)
}

pub(super) fn htsim_topology(file: &Path) -> Result<String, Diagnostic> {
    topology(file, FileFormat::Htsim)
}

pub(super) fn graph(file: &Path) -> Result<String, Diagnostic> {
    topology(file, FileFormat::Graph)
}

pub(super) fn msccl(file: &Path) -> Result<String, Diagnostic> {
    let opened = files::open_regular(file, file).in_file(file.display())?;
    let (gpus, messages) = msccl::contents(opened).in_file(file.display())?;
    let gpus = counted(gpus as u64, "GPU", "GPUs");
    let messages = counted(messages as u64, "message", "messages");
    Ok([gpus, messages].join(", "))
}

pub(super) fn nccl_graphs(file: &Path) -> Result<String, Diagnostic> {
    let wrong = Diagnostic::new(
        "it has the order of GPUs and NICs in rings and trees: no network, and no messages",
        "give the ring of a collective by the order of its `hosts`",
    );
    Err(wrong.in_file(file.display()))
}

pub(super) fn nccl_topology(file: &Path) -> Result<String, Diagnostic> {
    let wrong = Diagnostic::new(
        "it has CPUs, PCIe and NVLinks inside a server, which are not modelled",
        "describe the NICs of hosts and the links between them: docs/own-networks.md",
    );
    Err(wrong.in_file(file.display()))
}

fn topology(file: &Path, format: FileFormat) -> Result<String, Diagnostic> {
    let network = read_topology(file, file, format).in_file(file.display())?;
    let links = network.links.len() as u64;
    Ok([
        counted(network.machine_count().into(), "host", "hosts"),
        counted(network.switches.into(), "switch", "switches"),
        counted(links, "link", "links"),
    ]
    .join(", "))
}

fn counted(number: u64, one: &str, several: &str) -> String {
    let noun = if number == 1 { one } else { several };
    format!("{number} {noun}")
}

pub(super) fn parquet(file: &Path) -> Result<String, Diagnostic> {
    flows(FileSpec::new(file, FlowFormat::Parquet))
}

pub(super) fn csv(file: &Path) -> Result<String, Diagnostic> {
    flows(FileSpec::new(file, FlowFormat::Csv))
}

pub(super) fn hpcc_flows(file: &Path) -> Result<String, Diagnostic> {
    flows(FileSpec {
        count: Some(FlowCount::First),
        ..FileSpec::new(file, FlowFormat::HpccNs3)
    })
}

pub(super) fn htsim_matrix(file: &Path) -> Result<String, Diagnostic> {
    flows(FileSpec {
        start_unit: Some(StartUnit::Us),
        priorities: Some(Strictness::Ignore),
        ..FileSpec::new(file, FlowFormat::Htsim)
    })
}

fn flows(spec: FileSpec) -> Result<String, Diagnostic> {
    let files = ScenarioFiles::of(PathBuf::new());
    let reader = files.flows(&spec, &HostNames::numbered(u32::MAX));
    let mut reader = reader.in_file(spec.file.display())?;
    let mut count = 0_u64;
    while reader.next_flow()?.is_some() {
        count += 1;
    }
    Ok(counted(count, "flow", "flows"))
}

/// Sizes of ns-2 have no stated unit, and are tried as bytes.
pub(super) fn sizes(file: &Path) -> Result<String, Diagnostic> {
    let read = |size_unit| {
        let options = TableOptions {
            unit: None,
            size_unit,
        };
        let lines = files::open(file, file).in_file(file.display())?;
        size_table::read(lines, options, LastLine::SaysTheUnit)
    };
    let table = read(Some(Bytes::new(1)))?;
    let mean = table.cdf.mean_bytes();
    match table.columns {
        3 => Ok(format!("mean {mean} of what --size-unit says")),
        _ => Ok(format!("mean {mean} bytes")),
    }
}
