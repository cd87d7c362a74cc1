//! Networks from files.
//!
//! Readers go line by line, in memory that follows the network and not the file, and stop at the
//! first line that is wrong: a disk image or gigabytes of zeros are refused at once.

use std::io::BufRead;
use std::path::Path;

use incast_diagnostic::Diagnostic;
use incast_topology::Topology;

use crate::file_format::FileFormat;
use crate::hpcc_ns3::topology as hpcc_topology;
use crate::htsim::topology as htsim_topology;
use crate::text::TextLines;
use crate::topology_note::TopologyNote;
use crate::{files, graph};

/// The longest line in bytes. The list of 100 000 switches is one line, and none is longer.
const MAX_LINE: usize = 1 << 20;

/// The valid network that the file at `path` holds; messages call the file `name`.
///
/// # Errors
/// What is wrong with the file, and in which line.
pub fn read_topology(path: &Path, name: &Path, format: FileFormat) -> Result<Topology, Diagnostic> {
    Ok(read_lines(files::open(path, name)?, format)?.0)
}

/// The network of a file, with what of the file is not in the network.
pub(crate) fn read_topology_with_notes(
    path: &Path,
    name: &Path,
    format: FileFormat,
) -> Result<(Topology, Vec<TopologyNote>), Diagnostic> {
    read_lines(files::open(path, name)?, format)
}

/// The valid network that `reader` holds; messages call it `name`.
///
/// # Errors
/// What is wrong with it, and in which line.
pub fn read_topology_from(
    reader: impl BufRead,
    name: &Path,
    format: FileFormat,
) -> Result<Topology, Diagnostic> {
    Ok(read_lines(TextLines::new(reader, name), format)?.0)
}

fn read_lines(
    lines: TextLines<impl BufRead>,
    format: FileFormat,
) -> Result<(Topology, Vec<TopologyNote>), Diagnostic> {
    let stem = lines.file().file_stem();
    let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
    let mut lines = lines.with_lines_up_to(MAX_LINE);
    let (mut topology, notes) = match format {
        FileFormat::HpccNs3 => hpcc_topology::read(&mut lines)?,
        FileFormat::Htsim => (htsim_topology::read(&mut lines)?, Vec::new()),
        FileFormat::Graph => (graph::read(&mut lines)?, Vec::new()),
    };
    if let Some(stem) = stem {
        topology.name = stem;
    }
    Ok((topology, notes))
}

#[cfg(test)]
mod tests;
