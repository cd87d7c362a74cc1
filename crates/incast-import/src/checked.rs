//! The files of an experiment, each read to its end: an import must not refer to a file that a run
//! would refuse.

use std::path::Path;

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_topology::Topology;
use incast_workload::{FileSpec, HostNames, TaskFile};

use crate::file_format::FileFormat;
use crate::files::ScenarioFiles;
use crate::topologies::read_topology_with_notes;
use crate::topology_note::TopologyNote;

/// Reads a topology file. Returns its network, and notes on the parts of the file that the network
/// does not have.
pub(crate) fn topology(
    file: &Path,
    format: FileFormat,
) -> Result<(Topology, Vec<TopologyNote>), Diagnostic> {
    read_topology_with_notes(file, file, format).in_file(file.display())
}

/// The hosts of a network, by their numbers in the topology file.
pub(crate) fn hosts(topology: &Topology) -> HostNames {
    let hosts = HostNames::numbered(topology.machine_count());
    match topology.machine_numbers() {
        Some(numbers) => hosts.with_file_numbers(&numbers),
        None => hosts,
    }
}

/// Reads all tasks of a file, for a network of `hosts` hosts, which are the ranks.
pub(crate) fn tasks(file: &TaskFile<'_>, folder: &Path, hosts: u32) -> Result<(), Diagnostic> {
    let named = folder.join(file.file);
    let file = TaskFile {
        file: &named,
        ..*file
    };
    let read = ScenarioFiles::of("").tasks(&file, hosts);
    read.map(drop).in_file(named.display())
}

/// Reads all flows of a file, for a network of these hosts.
pub(crate) fn flows(spec: &FileSpec, folder: &Path, hosts: &HostNames) -> Result<(), Diagnostic> {
    let named = FileSpec {
        file: folder.join(&spec.file),
        ..spec.clone()
    };
    let reader = ScenarioFiles::of("").flows(&named, hosts);
    let mut reader = reader.in_file(named.file.display())?;
    while reader.next_flow()?.is_some() {}
    Ok(())
}
