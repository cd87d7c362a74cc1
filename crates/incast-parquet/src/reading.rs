//! Reading of files, a few columns and a few rows at a time.

use std::fs::File;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::basic::Compression;
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader as _, SerializedFileReader};

use crate::shared_file::SharedFile;
use crate::sound_pages::SoundPages;
use crate::{arrays, arrow_metadata, schema};

/// A file whose metadata has been read.
pub struct ParquetFile {
    reader: SerializedFileReader<SharedFile>,
    columns: Vec<FileColumn>,
}

/// A top-level column of a file.
#[derive(Clone, Debug)]
pub struct FileColumn {
    /// Name and type; for a nested column, the type says only that it is nested.
    pub field: Field,
    /// The column's index among the leaf columns; for a nested column, that of its first leaf.
    leaf: usize,
}

impl ParquetFile {
    /// Reads the metadata.
    ///
    /// # Errors
    /// If the metadata is damaged, or the file is no Parquet file.
    pub fn open(file: File) -> Result<Self> {
        Self::shared(SharedFile::new(file))
    }

    /// Reads the metadata of a file that other readers share.
    ///
    /// # Errors
    /// See [`ParquetFile::open`].
    pub fn shared(file: SharedFile) -> Result<Self> {
        let reader = SerializedFileReader::new(file)?;
        let about = reader.metadata().file_metadata();
        let additions = arrow_metadata::additions(about.key_value_metadata());
        let descriptor = about.schema_descr();
        let mut columns = Vec::new();
        for (leaf, _) in descriptor.columns().iter().enumerate() {
            let root = descriptor.get_column_root(leaf);
            if descriptor.get_column_root_idx(leaf) < columns.len() {
                continue;
            }
            let mut added = additions.iter().filter(|(name, _)| name == root.name());
            let kind = schema::arrow_type(root, added.next().map(|(_, addition)| addition));
            let field = Field::new(root.name(), kind, root.is_optional());
            columns.push(FileColumn { field, leaf });
        }
        Ok(Self { reader, columns })
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[FileColumn] {
        &self.columns
    }

    /// The number of rows in total, as the file says.
    pub fn rows(&self) -> i64 {
        self.metadata().file_metadata().num_rows()
    }

    /// The number of rows of each row group, as the file says.
    pub fn rows_of_groups(&self) -> impl Iterator<Item = i64> {
        self.metadata()
            .row_groups()
            .iter()
            .map(|group| group.num_rows())
    }

    /// Name and compression of each of these columns, in each row group.
    pub fn compressions<'a>(
        &'a self,
        columns: &'a [FileColumn],
    ) -> impl Iterator<Item = (&'a str, Compression)> {
        let groups = self.metadata().row_groups().iter();
        groups.flat_map(move |group| {
            columns.iter().filter_map(move |column| {
                let chunk = group.columns().get(column.leaf)?;
                Some((column.field.name().as_str(), chunk.compression()))
            })
        })
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.reader.metadata()
    }

    /// The rows of these columns, in this order, at most `rows_per_read` at a time.
    pub fn read(self, columns: Vec<FileColumn>, rows_per_read: usize) -> FileRows {
        let fields: Vec<_> = columns.iter().map(|column| column.field.clone()).collect();
        FileRows {
            reader: self.reader,
            schema: Arc::new(Schema::new(fields)),
            columns,
            rows_per_read,
            next_group: 0,
            chunks: Vec::new(),
        }
    }
}

impl FileColumn {
    /// The same column, with repeated texts as plain text instead of a dictionary.
    #[must_use]
    pub fn plain(&self) -> Self {
        match self.field.data_type() {
            DataType::Dictionary(_, values) => Self {
                field: self.field.clone().with_data_type(values.as_ref().clone()),
                leaf: self.leaf,
            },
            _ => self.clone(),
        }
    }
}

/// Rows that are decoded as they are asked for.
pub struct FileRows {
    reader: SerializedFileReader<SharedFile>,
    schema: SchemaRef,
    columns: Vec<FileColumn>,
    rows_per_read: usize,
    next_group: usize,
    /// The columns of the current row group; empty between two row groups.
    chunks: Vec<ColumnReader>,
}

impl FileRows {
    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Decodes the next rows; `None` at the end of the file.
    ///
    /// # Errors
    /// If the rows are damaged, or a column's type is not supported.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.chunks.is_empty() {
                if self.next_group == self.reader.num_row_groups() {
                    return Ok(None);
                }
                self.open_group()?;
            }
            let arrays = self.arrays()?;
            if arrays.iter().any(|array| !array.is_empty()) {
                let batch = RecordBatch::try_new(self.schema.clone(), arrays);
                return match batch {
                    Ok(batch) => Ok(Some(batch)),
                    Err(error) => Err(ParquetError::General(error.to_string())),
                };
            }
            self.chunks.clear();
        }
    }

    fn open_group(&mut self) -> Result<()> {
        let group = self.reader.get_row_group(self.next_group)?;
        self.next_group += 1;
        for column in &self.columns {
            let chunk = group.metadata().columns().get(column.leaf);
            let missing = || ParquetError::General("a row group lacks a column".into());
            let chunk = chunk.ok_or_else(missing)?;
            let pages = SoundPages {
                pages: group.get_column_page_reader(column.leaf)?,
                values: u64::try_from(chunk.num_values()).unwrap_or(0),
            };
            let descriptor = chunk.column_descr_ptr();
            self.chunks
                .push(get_column_reader(descriptor, Box::new(pages)));
        }
        Ok(())
    }

    fn arrays(&mut self) -> Result<Vec<ArrayRef>> {
        let chunks = self.chunks.iter_mut().zip(&self.columns);
        let array = |(chunk, column): (&mut ColumnReader, &FileColumn)| {
            arrays::read(chunk, column.field.data_type(), self.rows_per_read)
        };
        chunks.map(array).collect()
    }
}
