//! Writing of files, row group by row group.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Schema;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};

use crate::{EncodedFile, arrays, arrow_metadata, schema};

/// A file that is written as rows come in: memory holds the rows of one row group. Equal rows give
/// equal bytes.
pub struct FileWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    rows_per_group: usize,
    /// Rows of the row group that is not full yet.
    group: Vec<RecordBatch>,
    /// How many more rows the group takes.
    room: usize,
}

/// A column of a row group that is copied from another file, in full or in part.
pub enum GroupColumn {
    /// The encoded column of the other file with this index.
    Encoded(usize),
    /// New values.
    Values(ArrayRef),
}

impl<W: Write + Send> FileWriter<W> {
    /// Begins a file for rows of this schema, in row groups of at most `rows_per_group` rows.
    ///
    /// # Errors
    /// If the file cannot be written, or a column's type is not supported.
    pub fn new(
        file: W,
        table: &Schema,
        properties: WriterPropertiesBuilder,
        rows_per_group: usize,
    ) -> Result<Self> {
        let metadata = vec![arrow_metadata::entry(table)?];
        let properties = properties.set_key_value_metadata(Some(metadata)).build();
        let schema = schema::parquet_schema(table)?;
        Ok(Self {
            writer: SerializedFileWriter::new(file, schema, Arc::new(properties))?,
            rows_per_group,
            group: Vec::new(),
            room: rows_per_group,
        })
    }

    /// Adds rows, and writes each row group that is full.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn write(&mut self, rows: &RecordBatch) -> Result<()> {
        let mut taken = 0;
        while taken < rows.num_rows() {
            let more = self.room.min(rows.num_rows() - taken);
            self.group.push(rows.slice(taken, more));
            taken += more;
            self.room -= more;
            if self.room == 0 {
                self.write_group()?;
            }
        }
        Ok(())
    }

    /// Adds a row group with these columns, which come from another file or are new.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Panics
    /// If [`write`](Self::write) has left a row group that is not full.
    pub fn copy_group(
        &mut self,
        (from, group): (&EncodedFile, usize),
        columns: &[GroupColumn],
    ) -> Result<()> {
        assert!(self.group.is_empty(), "groups stay in order");
        let mut rows = self.writer.next_row_group()?;
        for column in columns {
            match column {
                GroupColumn::Encoded(place) => from.copy((group, *place), &mut rows)?,
                GroupColumn::Values(values) => write_column(&mut rows, [values])?,
            }
        }
        rows.close()?;
        Ok(())
    }

    /// Writes the last row group and the footer; returns the finished file.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn finish(mut self) -> Result<W> {
        if !self.group.is_empty() {
            self.write_group()?;
        }
        self.writer.into_inner()
    }

    fn write_group(&mut self) -> Result<()> {
        let mut rows = self.writer.next_row_group()?;
        for place in 0..self.group[0].num_columns() {
            write_column(&mut rows, self.group.iter().map(|rows| rows.column(place)))?;
        }
        rows.close()?;
        self.group.clear();
        self.room = self.rows_per_group;
        Ok(())
    }
}

/// Writes the next column of a row group, in pieces.
fn write_column<'a, W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
    pieces: impl IntoIterator<Item = &'a ArrayRef>,
) -> Result<()> {
    let missing = || ParquetError::General("a row group has too many columns".into());
    let mut column = rows.next_column()?.ok_or_else(missing)?;
    for piece in pieces {
        arrays::write(column.untyped(), piece)?;
    }
    column.close()
}
