//! Tables in files without a name: these go with the process, however it ends.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::{Schema, SchemaRef};
use incast_parquet::{FileWriter, ParquetError, ParquetFile, SharedFile};

use super::{Table, writer};
use crate::file_error::FileError;

/// A table in a file without a name, of which nothing is in memory.
#[derive(Debug)]
pub struct TableFile {
    file: SharedFile,
    /// Where it is.
    folder: PathBuf,
    schema: SchemaRef,
    rows: usize,
}

impl TableFile {
    /// A file that was written to this folder.
    pub(crate) fn new((file, folder): (File, &Path), schema: SchemaRef, rows: usize) -> Self {
        Self {
            file: SharedFile::new(file),
            folder: folder.to_owned(),
            schema,
            rows,
        }
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Its rows, with those of its columns that are wanted, by name.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Table, FileError> {
        let file = ParquetFile::shared(self.file.clone());
        let read = file.and_then(|file| Table::decode(file, is_wanted));
        read.map_err(|error| FileError::read(&self.folder, io::Error::other(error)))
    }

    /// Copies it to a new file.
    pub(crate) fn write_parquet(&self, path: &Path) -> Result<(), FileError> {
        let begun = File::create(path);
        let copied = begun.and_then(|mut copy| io::copy(&mut self.file.bytes(), &mut copy));
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

/// Why a file, or one in this folder, was not written: in the words of the system, if it is why.
pub(crate) fn unwritable(path: &Path, error: ParquetError) -> FileError {
    let reason = match error {
        ParquetError::External(other) => match other.downcast::<io::Error>() {
            Ok(reason) => *reason,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    };
    FileError::write(path, reason)
}
