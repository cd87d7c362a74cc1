//! Row groups that are copied from one file to another without decoding, column by column.

use std::fs::File;

use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::file::writer::SerializedRowGroupWriter;

/// Page counts of each encoding are read, not only a mask of the encodings.
const MASK_ALONE: bool = false;

/// A file that a [`FileWriter`](crate::FileWriter) of this process has written.
pub struct EncodedFile {
    file: File,
    reader: SerializedFileReader<File>,
}

impl EncodedFile {
    /// Reads the metadata.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(file: File) -> Result<Self> {
        let options = ReadOptionsBuilder::new().with_page_index();
        // Metadata must be read in full, because only the parts read are copied.
        let options = options.with_encoding_stats_as_mask(MASK_ALONE).build();
        let reader = SerializedFileReader::new_with_options(file.try_clone()?, options)?;
        Ok(Self { file, reader })
    }

    /// How many row groups the file has.
    pub fn groups(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// Appends a column of a row group to another row group, whose next column has the same type.
    pub(crate) fn copy(
        &self,
        (group, column): (usize, usize),
        to: &mut SerializedRowGroupWriter<'_, impl std::io::Write + Send>,
    ) -> Result<()> {
        let about = self.reader.metadata();
        let (rows, pages) = (
            about.row_group(group),
            about.page_index_for_row_group(group),
        );
        let metadata = rows.column(column).clone();
        let close = ColumnCloseResult {
            bytes_written: metadata.compressed_size().unsigned_abs(),
            rows_written: rows.num_rows().unsigned_abs(),
            bloom_filter: None,
            column_index: pages.column_index(column).cloned(),
            offset_index: pages.offset_index(column).cloned(),
            metadata,
        };
        to.append_column(&self.file, close)
    }
}

#[cfg(test)]
mod tests;
