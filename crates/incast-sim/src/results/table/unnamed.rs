//! Tables in files without a name: these go with the process, however it ends.

use std::fs::File;
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use arrow_schema::Schema;
use incast_parquet::{FileWriter, ParquetError};

use super::{Table, writer};
use crate::file_error::FileError;

/// A table in a file without a name.
#[derive(Debug)]
pub(crate) struct UnnamedFile {
    /// One at a time reads it: handles share their place in it.
    file: Mutex<File>,
    /// Where it is.
    folder: PathBuf,
}

impl UnnamedFile {
    pub(crate) fn new(file: File, folder: &Path) -> Self {
        Self {
            file: Mutex::new(file),
            folder: folder.to_owned(),
        }
    }

    /// All of it, if its rows take no more memory than this, in bytes.
    pub(crate) fn read_within(&self, memory: u64) -> Result<Table, FileError> {
        let file = self.file.lock().expect("no reader panics");
        let unreadable = |reason| FileError::read(&self.folder, reason);
        let copy = file.try_clone().map_err(unreadable)?;
        Table::decode(copy, memory).map_err(|error| error.of(&self.folder))
    }

    /// Copies it to a new file.
    pub(crate) fn write_parquet(&self, path: &Path) -> Result<(), FileError> {
        let mut file = self.file.lock().expect("no reader panics");
        let begun = file.rewind().and_then(|()| File::create(path));
        let copied = begun.and_then(|mut copy| io::copy(&mut *file, &mut copy));
        copied
            .map(drop)
            .map_err(|reason| FileError::write(path, reason))
    }
}

/// A new file without a name in a folder, for rows of this schema.
pub(crate) fn begun_file(
    folder: &Path,
    schema: &Schema,
    rows_per_group: usize,
) -> Result<FileWriter<File>, FileError> {
    let file = tempfile::tempfile_in(folder).map_err(|reason| FileError::write(folder, reason))?;
    writer(file, schema, rows_per_group).map_err(|error| unwritable(folder, error))
}

/// The error of such a file.
pub(crate) fn unwritable(folder: &Path, error: ParquetError) -> FileError {
    FileError::write(folder, io::Error::other(error))
}
