//! Files that are read, a few columns at a time and a few rows.

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

/// A column at the top of a file.
#[derive(Clone, Debug)]
pub struct FileColumn {
    /// Its name and type; of nested columns the type says no more than that.
    pub field: Field,
    /// The place of its pages in the file; for a nested column, the place of the first ones.
    leaf: usize,
}

impl ParquetFile {
    /// Reads the metadata.
    ///
    /// # Errors
    /// If it is damaged, or the file is no Parquet file.
    pub fn open(file: File) -> Result<Self> {
        Self::shared(SharedFile::new(file))
    }

    /// Reads the metadata of a file that others read, too.
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

    /// How many rows the file says it has, in all.
    pub fn rows(&self) -> i64 {
        self.metadata().file_metadata().num_rows()
    }

    /// How many rows it says its row groups have.
    pub fn rows_of_groups(&self) -> impl Iterator<Item = i64> {
        self.metadata()
            .row_groups()
            .iter()
            .map(|group| group.num_rows())
    }

    /// How these columns are compressed, with their names.
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

    /// The rows of some of its columns, in this order, at most so many at a time.
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
    /// The same column, without a dictionary for texts that repeat.
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
    /// The columns of the row group that is being read; none between two.
    chunks: Vec<ColumnReader>,
}

impl FileRows {
    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Decodes the next rows; none at the end of the file.
    ///
    /// # Errors
    /// If they are damaged, or of a type that is not read.
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
