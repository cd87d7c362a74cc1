//! Flow lists as Parquet tables, as data frames are written.
//!
//! Columns have the names of those of CSV files (`csv.rs`), in any order and among others. Hosts
//! and sizes are whole numbers of any type, hosts may be named, starts may be floats and decimals:
//! a float means the number that it is printed as. Pages are decoded as rows are asked for, so that
//! memory does not grow with the file.
//!
//! A mistake stands at `rows[7].source`, rows being counted from 0 as those of data frames are.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader as _};
use arrow_schema::Schema;
use incast_diagnostic::{Diagnostic, Placed as _, excerpt, without_panic};
use incast_workload::{Flow, FlowReader, HostNames, check_destination};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups as _};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::SerializedFileReader;

use self::cells::CellColumn;
use self::sound_pages::SoundFile;
use crate::diagnostics;
use crate::flow_columns::FlowColumns;

mod cells;
mod sound_pages;

/// What Parquet files begin with.
pub(crate) const MAGIC: &[u8] = b"PAR1";
/// What they begin with if their footer is encrypted.
pub(crate) const ENCRYPTED: &[u8] = b"PARE";

const NAMED: &str = "name the columns `source`, `destination`, `size_bytes` and e.g. `start_ps`";

/// Few enough that decoded rows take little memory.
const ROWS_PER_READ: usize = 1 << 13;

/// A reader of such a file.
pub(crate) struct ParquetFlows {
    file: PathBuf,
    hosts: HostNames,
    reader: ParquetRecordBatchReader,
    /// How many rows the file says it has.
    promised: i64,
    columns: FlowColumns,
    /// Decoded rows of the columns: source, destination, size, start.
    decoded: [CellColumn; 4],
    /// The next of the decoded rows.
    next: usize,
    rows_decoded: usize,
    /// Rows that were read.
    rows: u64,
}

impl ParquetFlows {
    /// Reads the metadata of `file`, which messages call `name`.
    pub(crate) fn new(file: File, name: &Path, hosts: HostNames) -> Result<Self, Diagnostic> {
        decoding(|| Self::open(file, name, hosts)).in_file(name.display())
    }

    fn open(file: File, name: &Path, hosts: HostNames) -> Result<Self, Diagnostic> {
        let damaged = |error: ParquetError| diagnostics::damaged_parquet(&error.to_string());
        let sound = SoundFile(Arc::new(SerializedFileReader::new(file).map_err(damaged)?));
        let about = sound.metadata().file_metadata();
        let schema = parquet_to_arrow_schema(about.schema_descr(), about.key_value_metadata());
        let schema = schema.map_err(damaged)?;
        let found = columns(&schema)?;
        for (name, place) in found.names.into_iter().zip(found.places) {
            cells::check_type(schema.field(place).data_type(), name).at(name)?;
        }
        let mask = ProjectionMask::roots(about.schema_descr(), found.places);
        check_compression(sound.metadata(), &mask)?;
        let promised = about.num_rows();
        let hint = Some(schema.fields());
        let levels = parquet_to_arrow_field_levels(about.schema_descr(), mask, hint);
        let levels = levels.map_err(damaged)?;
        let reader =
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &sound, ROWS_PER_READ, None);
        let reader = reader.map_err(damaged)?;
        // Without the other columns these have other places.
        let columns = columns(&reader.schema())?;
        let decoded = decoded(&RecordBatch::new_empty(reader.schema()), &columns)?;
        Ok(Self {
            file: name.to_owned(),
            hosts,
            reader,
            promised,
            columns,
            decoded,
            next: 0,
            rows_decoded: 0,
            rows: 0,
        })
    }

    /// Decodes more rows; false at the end of a file that is whole.
    fn decode(&mut self) -> Result<bool, Diagnostic> {
        let reader = &mut self.reader;
        let batch = decoding(|| {
            let batch = reader.next().transpose();
            batch.map_err(|error| diagnostics::damaged_parquet(&error.to_string()))
        })?;
        let Some(batch) = batch else {
            return match i64::try_from(self.rows) == Ok(self.promised) {
                true => Ok(false),
                false => Err(diagnostics::rows_missing(self.rows, self.promised)),
            };
        };
        let decoded = decoding(|| decoded(&batch, &self.columns))?;
        (self.decoded, self.rows_decoded, self.next) = (decoded, batch.num_rows(), 0);
        Ok(true)
    }

    fn flow(&self, row: usize) -> Result<Flow, Diagnostic> {
        let [from, to, size, start] = &self.decoded;
        let names = self.columns.names;
        let source = from.cell(row).host(&self.hosts).at(names[0])?;
        let destination = to.cell(row).host(&self.hosts).at(names[1])?;
        check_destination(source, destination).at(names[1])?;
        let start = start.cell(row).time(self.columns.start_unit);
        Ok(Flow {
            start: start.at(names[3])?,
            source,
            destination,
            size: size.cell(row).size().at(names[2])?,
            tag: 0,
        })
    }

    fn in_row(&self, row: u64, diagnostic: Diagnostic) -> Diagnostic {
        let placed = diagnostic.at(format!("rows[{row}]"));
        placed.in_file(self.file.display())
    }
}

impl FlowReader for ParquetFlows {
    fn next_flow(&mut self) -> Result<Option<Flow>, Diagnostic> {
        while self.next == self.rows_decoded {
            if !self.decode().in_file(self.file.display())? {
                return Ok(None);
            }
        }
        let flow = self.flow(self.next);
        let flow = flow.map_err(|wrong| self.in_row(self.rows, wrong))?;
        self.next += 1;
        self.rows += 1;
        Ok(Some(flow))
    }

    fn here(&self, diagnostic: Diagnostic) -> Diagnostic {
        self.in_row(self.rows.saturating_sub(1), diagnostic)
    }
}

fn columns(schema: &Schema) -> Result<FlowColumns, Diagnostic> {
    let fields = schema.fields().iter();
    let all: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
    FlowColumns::find(&all, &excerpt(&all.join(",")), NAMED)
}

/// The columns of a flow, among those that were read.
fn decoded(batch: &RecordBatch, columns: &FlowColumns) -> Result<[CellColumn; 4], Diagnostic> {
    let column = |which: usize| {
        let values = batch.column(columns.places[which]);
        CellColumn::of(values).at(columns.names[which])
    };
    Ok([column(0)?, column(1)?, column(2)?, column(3)?])
}

/// Refuses compressions that are not built in, before the first page fails for it.
fn check_compression(metadata: &ParquetMetaData, mask: &ProjectionMask) -> Result<(), Diagnostic> {
    let groups = metadata.row_groups().iter();
    let columns = groups.flat_map(|group| group.columns().iter().enumerate());
    let read = columns.filter(|(leaf, _)| mask.leaf_included(*leaf));
    for (_, column) in read {
        check_codec(column.compression()).at(column.column_path().string())?;
    }
    Ok(())
}

fn check_codec(compression: Compression) -> Result<(), Diagnostic> {
    match compression {
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::ZSTD(_) => Ok(()),
        other => {
            let name = other.to_string();
            let name = name.split('(').next().unwrap_or_default();
            Err(diagnostics::unknown_compression(name))
        }
    }
}

/// What `decode` returns; the library that it calls ends in a panic for some damaged files.
fn decoding<T>(decode: impl FnOnce() -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
    without_panic(decode).unwrap_or_else(|panic| Err(diagnostics::damaged_parquet(&panic)))
}

#[cfg(test)]
mod tests;
