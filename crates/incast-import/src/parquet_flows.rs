//! Flow lists as Parquet tables, as data-frame libraries write them.
//!
//! Columns have the same names as in CSV files (`csv.rs`), in any order; other columns are ignored.
//! Hosts and sizes are integers of any type, and hosts may be names. Starts may be floats and
//! decimals; a float stands for the shortest decimal number that prints it. Pages are decoded on
//! demand, so that memory does not grow with the file.
//!
//! Diagnostics name a place as `rows[7].source`; rows are counted from 0, as in data frames.

use std::fs::File;
use std::path::{Path, PathBuf};

use self::cells::CellColumn;
use crate::diagnostics;
use crate::flow_columns::FlowColumns;
use arrow_array::RecordBatch;
use incast_diagnostic::{Diagnostic, Placed as _, excerpt, without_panic};
use incast_parquet::{Compression, FileColumn, FileRows, ParquetError, ParquetFile};
use incast_workload::{Flow, FlowReader, HostNames, check_destination};

mod cells;

/// The first bytes of a Parquet file.
pub(crate) const MAGIC: &[u8] = b"PAR1";
/// The first bytes of a Parquet file with an encrypted footer.
pub(crate) const ENCRYPTED: &[u8] = b"PARE";

const NAMED: &str = "name the columns `source`, `destination`, `size_bytes` and e.g. `start_ps`";

/// Number of rows decoded at once, so that they take little memory.
const ROWS_PER_READ: usize = 1 << 13;

/// A reader of a Parquet table of flows.
pub(crate) struct ParquetFlows {
    file: PathBuf,
    hosts: HostNames,
    reader: FileRows,
    /// The number of rows in the file's metadata.
    promised: i64,
    columns: FlowColumns,
    /// Decoded rows of the columns source, destination, size and start.
    decoded: [CellColumn; 4],
    /// The index of the next decoded row.
    next: usize,
    rows_decoded: usize,
    /// Number of rows that have been read.
    rows: u64,
}

impl ParquetFlows {
    /// Reads the metadata of `file`, which is called `name` in messages.
    pub(crate) fn new(file: File, name: &Path, hosts: HostNames) -> Result<Self, Diagnostic> {
        decoding(|| Self::open(file, name, hosts)).in_file(name.display())
    }

    fn open(file: File, name: &Path, hosts: HostNames) -> Result<Self, Diagnostic> {
        let damaged = |error: ParquetError| diagnostics::damaged_parquet(&error.to_string());
        let file = ParquetFile::open(file).map_err(damaged)?;
        let columns = columns(file.columns())?;
        for (name, place) in columns.names.into_iter().zip(columns.places) {
            let kind = file.columns()[place].field.data_type();
            cells::check_type(kind, name).at(name)?;
        }
        let read = Vec::from(columns.places.map(|place| file.columns()[place].plain()));
        check_compression(&file, &read)?;
        let promised = file.rows();
        let reader = file.read(read, ROWS_PER_READ);
        let decoded = decoded(&RecordBatch::new_empty(reader.schema().clone()), &columns)?;
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

    /// Decodes more rows; `false` at the end of a complete file.
    fn decode(&mut self) -> Result<bool, Diagnostic> {
        let reader = &mut self.reader;
        let batch = decoding(|| {
            let batch = reader.next_batch();
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

fn columns(columns: &[FileColumn]) -> Result<FlowColumns, Diagnostic> {
    let names = columns.iter().map(|column| column.field.name().as_str());
    let all: Vec<&str> = names.collect();
    FlowColumns::find(&all, &excerpt(&all.join(",")), NAMED)
}

/// The four columns of a flow, from a batch that has only these.
fn decoded(batch: &RecordBatch, columns: &FlowColumns) -> Result<[CellColumn; 4], Diagnostic> {
    let column = |which: usize| CellColumn::of(batch.column(which)).at(columns.names[which]);
    Ok([column(0)?, column(1)?, column(2)?, column(3)?])
}

/// Refuses compressions that are not compiled in, before decoding a page fails.
fn check_compression(file: &ParquetFile, columns: &[FileColumn]) -> Result<(), Diagnostic> {
    for (name, compression) in file.compressions(columns) {
        check_codec(compression).at(name)?;
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

/// The result of `decode`; a panic of the Parquet library, which some damaged files cause, becomes
/// an error.
fn decoding<T>(decode: impl FnOnce() -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
    without_panic(decode).unwrap_or_else(|panic| Err(diagnostics::damaged_parquet(&panic)))
}

#[cfg(test)]
mod tests;
