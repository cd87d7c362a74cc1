//! Networks from files.
//!
//! Readers go line by line, and stop at the first wrong line: a disk image or gigabytes of zeros
//! are refused at once. Memory follows the size of the network, not that of the file.

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

/// The longest line in bytes, which is a list of 100 000 switches.
const MAX_LINE: usize = 1 << 20;

/// Reads and validates the network in the file at `path`; messages call the file `name`.
///
/// # Errors
/// The first mistake in the file, with its line.
pub fn read_topology(path: &Path, name: &Path, format: FileFormat) -> Result<Topology, Diagnostic> {
    Ok(read_lines(files::open(path, name)?, format)?.0)
}

/// The network of a file, with notes on the parts of the file that the network does not have.
pub(crate) fn read_topology_with_notes(
    path: &Path,
    name: &Path,
    format: FileFormat,
) -> Result<(Topology, Vec<TopologyNote>), Diagnostic> {
    read_lines(files::open(path, name)?, format)
}

/// Reads and validates the network that `reader` gives; messages call it `name`.
///
/// # Errors
/// The first mistake, with its line.
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
