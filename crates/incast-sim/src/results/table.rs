//! Tables: Arrow in memory, Parquet on disk.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{
    Array as _, ArrayRef, ArrowPrimitiveType, DictionaryArray, Int8Array, PrimitiveArray,
    RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use incast_diagnostic::without_panic;
use incast_parquet::{
    Compression, Encoding, FileWriter, ParquetError, ParquetFile, WriterProperties,
    WriterPropertiesBuilder,
};

use super::folder;
use crate::file_error::FileError;
use crate::regular_file;

mod unnamed;
mod values;

pub use unnamed::TableFile;
pub(crate) use unnamed::{begun_file, unwritable};

/// A table in Arrow's format, in one or more pieces.
///
/// Few columns contain nulls: rows that do not apply are left out instead. Columns with nulls are
/// nullable in the schema.
#[derive(Clone, Debug)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// A table in one piece.
    pub(crate) fn of(columns: Vec<(&str, ArrayRef)>) -> Self {
        let rows = one_batch(columns);
        Self::new(rows.schema(), vec![rows])
    }

    /// The table with one more column, which may have missing values; `column` computes it from
    /// each batch of rows.
    pub(crate) fn with_nulls(
        &self,
        name: &str,
        kind: &DataType,
        values: impl Fn(&RecordBatch) -> ArrayRef,
    ) -> Self {
        let mut fields = self.schema.fields().to_vec();
        fields.push(Arc::new(Field::new(name, kind.clone(), WITH_NULLS)));
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let batches = self.batches.iter().map(|rows| {
            let mut columns = rows.columns().to_vec();
            columns.push(values(rows));
            batch(&schema, columns)
        });
        Self::new(schema.clone(), batches.collect())
    }

    /// The first rows, without copying them.
    pub fn head(&self, rows: usize) -> Self {
        let mut left = rows;
        let mut batches = Vec::new();
        for batch in &self.batches {
            let taken = left.min(batch.num_rows());
            batches.push(batch.slice(0, taken));
            left -= taken;
        }
        Self::new(self.schema.clone(), batches)
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The pieces, in order.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Number of rows in all pieces.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The values of a column of numbers, over all pieces; nulls are left out.
    ///
    /// # Panics
    /// If the column does not exist, or has another type.
    pub fn values<T: ArrowPrimitiveType>(
        &self,
        column: &str,
    ) -> impl Iterator<Item = T::Native> + Clone {
        let index = self
            .schema
            .index_of(column)
            .expect("the table has this column");
        let arrays = self.batches.iter().map(move |batch| batch.column(index));
        arrays.flat_map(|array| array.as_primitive::<T>().iter().flatten())
    }

    /// Reads a Parquet file that [`write_parquet`](Self::write_parquet) wrote.
    ///
    /// # Errors
    /// If the file does not exist, differs from its checksum, is not a Parquet file, is damaged,
    /// has an unsupported compression, or contains values that no run writes.
    pub fn read_parquet(path: &Path) -> Result<Self, FileError> {
        Self::read_parquet_within(path, u64::MAX)
    }

    /// As [`read_parquet`](Self::read_parquet), if the rows take at most `memory` bytes.
    ///
    /// # Errors
    /// Also if the rows would take more: a small file may contain any number of equal rows.
    pub fn read_parquet_within(path: &Path, memory: u64) -> Result<Self, FileError> {
        folder::check_file(path)?;
        let file = regular_file::open(path).map_err(|reason| FileError::read(path, reason))?;
        let damaged = |panic| {
            let reason = format!("the file is damaged: {panic}");
            FileError::read(path, std::io::Error::other(reason))
        };
        let table = without_panic(|| Self::decode_within(file, memory))
            .map_err(damaged)?
            .map_err(|error| error.of(path))?;
        match values::check(&table) {
            Ok(()) => Ok(table),
            Err(wrong) => Err(FileError::wrong(path, &wrong)),
        }
    }

    fn decode_within(file: File, memory: u64) -> Result<Self, DecodeError> {
        let file = ParquetFile::open(file)?;
        let size = DeclaredSize::of(&file);
        if size.bytes() > u128::from(memory) {
            return Err(DecodeError::TooLarge(size));
        }
        Ok(Self::decode(file, |_| true)?)
    }

    fn decode(file: ParquetFile, is_wanted: impl Fn(&str) -> bool) -> incast_parquet::Result<Self> {
        let columns = file.columns().iter();
        let columns = columns.filter(|column| is_wanted(column.field.name()));
        let columns = columns.cloned().collect();
        let mut rows = file.read(columns, ROWS_PER_READ);
        let mut batches = Vec::new();
        while let Some(batch) = rows.next_batch()? {
            batches.push(batch);
        }
        Ok(Self::new(rows.schema().clone(), batches))
    }

    /// Writes all rows to a new Parquet file. Equal tables give equal bytes.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_parquet(&self, path: &Path) -> Result<(), FileError> {
        let file = File::create(path).map_err(|reason| FileError::write(path, reason))?;
        self.encode(file).map_err(|error| unwritable(path, error))
    }

    fn encode(&self, file: File) -> incast_parquet::Result<()> {
        let mut writer = writer(file, &self.schema, ROWS_PER_GROUP)?;
        for rows in &self.batches {
            writer.write(rows)?;
        }
        writer.finish().map(drop)
    }
}

/// Writes rows to a file, with the properties of result tables.
fn writer(
    file: File,
    schema: &Schema,
    rows_per_group: usize,
) -> incast_parquet::Result<FileWriter<File>> {
    FileWriter::new(file, schema, properties(), rows_per_group)
}

/// Why a file could not be decoded.
enum DecodeError {
    Parquet(ParquetError),
    TooLarge(DeclaredSize),
}

impl DecodeError {
    fn of(self, path: &Path) -> FileError {
        match self {
            Self::Parquet(error) => FileError::read(path, std::io::Error::other(error)),
            Self::TooLarge(rows) => FileError::TooLarge {
                path: path.to_owned(),
                what: rows.to_string(),
            },
        }
    }
}

impl From<ParquetError> for DecodeError {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}

/// The size of a table, according to its file's metadata.
struct DeclaredSize {
    /// Number of rows in total, or the sum over row groups, whichever is larger.
    rows: u128,
    /// A lower bound on the memory of a row, in bytes.
    row_bytes: u128,
}

impl DeclaredSize {
    fn of(file: &ParquetFile) -> Self {
        /// Bytes of the offset of a text.
        const PLACE: usize = 4;
        let in_parts: i128 = file.rows_of_groups().map(i128::from).sum();
        let columns = file.columns().iter();
        let kinds = columns.map(|column| column.field.data_type());
        let widths = kinds.map(|kind| kind.primitive_width().unwrap_or(PLACE));
        Self {
            rows: in_parts.max(file.rows().into()).unsigned_abs(),
            row_bytes: widths.sum::<usize>() as u128,
        }
    }

    fn bytes(&self) -> u128 {
        self.rows * self.row_bytes
    }
}

impl fmt::Display for DeclaredSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gigabytes = self.bytes() as f64 / 1e9;
        let rows = self.rows;
        write!(
            formatter,
            "its {rows} rows would take {gigabytes:.1} GB, more than there is memory"
        )
    }
}

/// Columns with few repeated values, for which delta encoding is smaller than a dictionary.
const SPREAD: [&str; 4] = ["flow_id", "start_ps", "fct_ps", "time_ps"];

const WITHOUT_DICTIONARY: bool = false;
const WITHOUT_NULLS: bool = false;
const WITH_NULLS: bool = true;

/// Number of rows in a row group: a few megabytes.
pub(crate) const ROWS_PER_GROUP: usize = 1 << 17;

fn properties() -> WriterPropertiesBuilder {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("incast ", env!("CARGO_PKG_VERSION")).to_owned());
    for column in SPREAD {
        properties = properties
            .set_column_dictionary_enabled(column.into(), WITHOUT_DICTIONARY)
            .set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
    }
    properties
}

/// Number of rows in a batch: large enough that the work per batch does not matter, small enough to
/// be allocated easily.
const ROWS_PER_READ: usize = 1 << 16;

/// A column of numbers, one for each row.
pub(crate) fn numbers<T: ArrowPrimitiveType, R>(
    rows: impl IntoIterator<Item = R>,
    value: impl Fn(R) -> T::Native,
) -> ArrayRef {
    let values = rows.into_iter().map(value);
    Arc::new(PrimitiveArray::<T>::from_iter_values(values))
}

/// A column of texts, one for each row.
pub(crate) fn texts<R, S: AsRef<str>>(
    rows: impl IntoIterator<Item = R>,
    value: impl Fn(R) -> S,
) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(rows.into_iter().map(value)))
}

/// A column of repeated words: for each row the index of its word in `names`.
pub(crate) fn words<R>(
    names: &[&str],
    rows: impl IntoIterator<Item = R>,
    place: impl Fn(R) -> i8,
) -> ArrayRef {
    let keys = Int8Array::from_iter_values(rows.into_iter().map(place));
    let names = StringArray::from_iter_values(names);
    let column = DictionaryArray::<Int8Type>::try_new(keys, Arc::new(names));
    Arc::new(column.expect("keys in range"))
}

/// A schema without nulls.
pub(crate) fn schema<'a>(columns: impl Iterator<Item = (&'a str, DataType)>) -> SchemaRef {
    let field = |(name, data_type)| Field::new(name, data_type, WITHOUT_NULLS);
    Arc::new(Schema::new(columns.map(field).collect::<Vec<_>>()))
}

/// Columns of equal length, by name.
pub(crate) fn one_batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let kinds = columns.iter();
    let schema = schema(kinds.map(|(name, array)| (*name, array.data_type().clone())));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    batch(&schema, arrays)
}

/// Columns of equal length that match the schema.
pub(crate) fn batch(schema: &SchemaRef, columns: Vec<ArrayRef>) -> RecordBatch {
    RecordBatch::try_new(schema.clone(), columns).expect("columns match their schema")
}
