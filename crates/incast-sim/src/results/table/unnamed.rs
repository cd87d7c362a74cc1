//! Tables in unnamed files, which disappear with the process.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::{Schema, SchemaRef};
use incast_parquet::{FileWriter, ParquetError, ParquetFile, SharedFile};

use super::{Table, writer};
use crate::file_error::FileError;

/// A table in an unnamed file, without rows in memory.
#[derive(Debug)]
pub struct TableFile {
    file: SharedFile,
    /// Where it is.
    folder: PathBuf,
    schema: SchemaRef,
    rows: usize,
}

impl TableFile {
    /// A table from a file that was written in this folder.
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

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows, with the columns whose names `is_wanted` accepts.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Table, FileError> {
        let file = ParquetFile::shared(self.file.clone());
        let read = file.and_then(|file| Table::decode(file, is_wanted));
        read.map_err(|error| FileError::read(&self.folder, io::Error::other(error)))
    }

    /// Copies the table to a new file.
    pub(crate) fn write_parquet(&self, path: &Path) -> Result<(), FileError> {
        let begun = File::create(path);
        let copied = begun.and_then(|mut copy| io::copy(&mut self.file.bytes(), &mut copy));
        copied
            .map(drop)
            .map_err(|reason| FileError::write(path, reason))
    }
}

/// Begins a new unnamed file in a folder, for rows of this schema.
pub(crate) fn begun_file(
    folder: &Path,
    schema: &Schema,
    rows_per_group: usize,
) -> Result<FileWriter<File>, FileError> {
    let file = tempfile::tempfile_in(folder).map_err(|reason| FileError::write(folder, reason))?;
    writer(file, schema, rows_per_group).map_err(|error| unwritable(folder, error))
}

/// The error of writing a file at or in this path, with the reason that the system gives, if any.
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
