//! Networks from files.
//!
//! Readers go line by line, in memory that follows the network and not the file, and stop at the
//! first line that is wrong: a disk image or gigabytes of zeros are refused at once.

mod error;
mod graph;
mod hpcc_ns3;
mod htsim;
mod lines;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::topology::Topology;
use lines::Lines;

pub use error::{ReadError, ReadFault};
pub use graph::write_graph;

/// How a topology file is written. It is never guessed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileFormat {
    /// Topology files of the HPCC artifact for ns-3 and of its descendants.
    HpccNs3,
    /// `.topo` files of htsim.
    Htsim,
    /// Named nodes and links, a line each: our own.
    Graph,
}

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::HpccNs3, Self::Htsim, Self::Graph];
}

/// The valid network that the file holds.
///
/// # Errors
/// What is wrong with the file, and in which line.
pub fn read_file(path: &Path, format: FileFormat) -> Result<Topology, ReadError> {
    let file = File::open(path).map_err(|error| ReadError::unreadable(path, error))?;
    read(BufReader::new(file), path, format)
}

/// The valid network that `reader` holds; errors call it `file`.
///
/// # Errors
/// What is wrong with it, and in which line.
pub fn read(reader: impl BufRead, file: &Path, format: FileFormat) -> Result<Topology, ReadError> {
    let mut lines = Lines::new(reader, file);
    let mut topology = match format {
        FileFormat::HpccNs3 => hpcc_ns3::read(&mut lines),
        FileFormat::Htsim => htsim::read(&mut lines),
        FileFormat::Graph => graph::read(&mut lines),
    }?;
    if let Some(stem) = file.file_stem() {
        topology.name = stem.to_string_lossy().into_owned();
    }
    Ok(topology)
}

#[cfg(test)]
mod tests;
