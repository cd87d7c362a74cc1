//! Rows of completed flows before they become the table. If they are many, they are moved from
//! memory to row groups of an unnamed file.

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use incast_parquet::FileWriter;

use crate::file_error::FileError;
use crate::results::room::RoomForRows;
use crate::results::table::{begun_file, unwritable};

/// Rows in order; the first ones are in the file.
pub(super) struct RowGroups<'a> {
    room: RoomForRows<'a>,
    file: Option<(FileWriter<File>, &'a Path)>,
    rest: Vec<RecordBatch>,
    /// Number of all rows.
    count: usize,
    /// The error that made rows get lost, if there was one.
    error: Option<FileError>,
}

/// The rows of a finished run.
pub(super) struct GroupedRows<'a> {
    /// The file with the first rows, if they are many, and its folder.
    pub(super) file: Option<(File, &'a Path)>,
    /// The others.
    pub(super) rest: Vec<RecordBatch>,
    /// Number of all rows.
    pub(super) count: usize,
}

impl<'a> RowGroups<'a> {
    pub(super) fn new(room: RoomForRows<'a>) -> Self {
        Self {
            room,
            file: None,
            rest: Vec::new(),
            count: 0,
            error: None,
        }
    }

    pub(super) fn push(&mut self, rows: RecordBatch) {
        self.count += rows.num_rows();
        self.rest.push(rows);
        let rows: usize = self.rest.iter().map(RecordBatch::num_rows).sum();
        if rows >= self.room.in_memory {
            self.make_room();
        }
    }

    /// Whether rows were lost.
    pub(super) fn has_error(&self) -> bool {
        self.error.is_some()
    }

    /// Why they are.
    pub(super) fn take_error(&mut self) -> Option<FileError> {
        self.error.take()
    }

    pub(super) fn finish(self) -> Result<GroupedRows<'a>, FileError> {
        let file = self.file.map(|(file, folder)| {
            let file = file.finish().map_err(|error| unwritable(folder, error));
            file.map(|file| (file, folder))
        });
        Ok(GroupedRows {
            file: file.transpose()?,
            rest: self.rest,
            count: self.count,
        })
    }

    /// Moves rows to the file; if no file can be made, they stay in memory.
    fn make_room(&mut self) {
        if self.file.is_none()
            && let Some(folder) = self.room.folder.take()
        {
            let file = begun_file(folder, &self.rest[0].schema(), self.room.in_memory);
            self.file = file.ok().map(|file| (file, folder));
        }
        if let Some((file, folder)) = &mut self.file {
            let written = self.rest.iter().try_for_each(|rows| file.write(rows));
            let error = written.map_err(|error| unwritable(folder, error)).err();
            self.error = self.error.take().or(error);
            self.rest.clear();
        }
    }
}
