//! Rows of completed flows on their way to the table: where they are many, they leave memory as
//! row groups of a file without a name.

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use incast_parquet::FileWriter;

use crate::file_error::FileError;
use crate::results::room::RoomForRows;
use crate::results::table::{begun_file, unwritable};

/// Rows in order, the first of them in the file.
pub(super) struct RowGroups<'a> {
    room: RoomForRows<'a>,
    file: Option<(FileWriter<File>, &'a Path)>,
    rest: Vec<RecordBatch>,
    /// Why rows are missing, if some are.
    error: Option<FileError>,
}

impl<'a> RowGroups<'a> {
    pub(super) fn new(room: RoomForRows<'a>) -> Self {
        Self {
            room,
            file: None,
            rest: Vec::new(),
            error: None,
        }
    }

    pub(super) fn push(&mut self, rows: RecordBatch) {
        self.rest.push(rows);
        let rows: usize = self.rest.iter().map(RecordBatch::num_rows).sum();
        if rows >= self.room.in_memory {
            self.make_room();
        }
    }

    /// Whether rows are missing.
    pub(super) fn has_error(&self) -> bool {
        self.error.is_some()
    }

    /// Why they are.
    pub(super) fn take_error(&mut self) -> Option<FileError> {
        self.error.take()
    }

    /// The file, if there is one, where it is, and the rows after those in it.
    pub(super) fn finish(self) -> Result<(Option<(File, &'a Path)>, Vec<RecordBatch>), FileError> {
        let file = self.file.map(|(file, folder)| {
            let file = file.finish().map_err(|error| unwritable(folder, error));
            file.map(|file| (file, folder))
        });
        Ok((file.transpose()?, self.rest))
    }

    /// Where no file can be made, rows stay in memory.
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
