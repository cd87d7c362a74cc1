//! The files of an experiment, read to their ends: an import vouches for no file that a run would
//! refuse.

use std::path::Path;

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_topology::Topology;
use incast_workload::{FileSpec, HostNames, TaskFile};

use crate::file_format::FileFormat;
use crate::files::ScenarioFiles;
use crate::topologies::read_topology;

/// Reads a topology file; says how many hosts it has.
pub(crate) fn hosts(file: &Path, format: FileFormat) -> Result<u32, Diagnostic> {
    topology(file, format).map(|topology| topology.hosts)
}

/// Reads a topology file.
pub(crate) fn topology(file: &Path, format: FileFormat) -> Result<Topology, Diagnostic> {
    read_topology(file, file, format).in_file(file.display())
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

/// Reads all flows of a file, for a network of `hosts` hosts.
pub(crate) fn flows(spec: &FileSpec, folder: &Path, hosts: u32) -> Result<(), Diagnostic> {
    let named = FileSpec {
        file: folder.join(&spec.file),
        ..spec.clone()
    };
    let reader = ScenarioFiles::of("").flows(&named, &HostNames::numbered(hosts));
    let mut reader = reader.in_file(named.file.display())?;
    while reader.next_flow()?.is_some() {}
    Ok(())
}
