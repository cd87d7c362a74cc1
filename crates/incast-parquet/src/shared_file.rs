//! A file that several readers share, each with a position of its own. Forked processes may share
//! it, too: their handles have one position in common, which is not used.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

/// A file that is read by position.
#[derive(Clone, Debug)]
pub struct SharedFile(Arc<File>);

impl SharedFile {
    /// The file.
    pub fn new(file: File) -> Self {
        Self(Arc::new(file))
    }

    /// The file's bytes from the start on.
    pub fn bytes(&self) -> AtPlace {
        self.at(0)
    }

    fn at(&self, place: u64) -> AtPlace {
        AtPlace {
            file: Arc::clone(&self.0),
            place,
        }
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.0.metadata().map_or(0, |about| about.len())
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<AtPlace>;

    fn get_read(&self, place: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.at(place)))
    }

    fn get_bytes(&self, place: u64, length: usize) -> Result<Bytes> {
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, place)?;
        Ok(bytes.into())
    }
}

/// A position in a file.
#[derive(Debug)]
pub struct AtPlace {
    file: Arc<File>,
    place: u64,
}

impl Read for AtPlace {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.place)?;
        self.place += read as u64;
        Ok(read)
    }
}
