//! The table of flows at the end of the run: completed flows with the columns that are known then,
//! followed by unfinished flows.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch, cast::AsArray as _, new_null_array};
use arrow_schema::{Field, Schema, SchemaRef};
use incast_parquet::{EncodedFile, GroupColumn, ParquetError, ParquetFile};

use super::late_columns::{LateColumn, ToldOf};
use super::row_groups::GroupedRows;
use crate::file_error::FileError;
use crate::results::correlation::{Deviations, Means};
use crate::results::table::{ROWS_PER_GROUP, Table, TableFile, batch, begun_file, unwritable};

/// Columns without a value for unfinished flows.
const OF_COMPLETED: [&str; 3] = ["fct_ps", "ideal_fct_ps", "slowdown"];

/// Columns from which the late columns are computed; all others stay encoded.
const FOLLOWED: [&str; 5] = ["flow_id", "traffic", "source", "destination", "start_ps"];

/// Rows of flows.
pub(crate) struct FinishedTable {
    /// The rows, unless they are in the file; then empty.
    pub(crate) in_memory: Table,
    /// The file, if there are many rows.
    pub(crate) in_file: Option<TableFile>,
}

/// Makes rows of the table from rows of flows.
pub(super) struct Joining<'a> {
    late: Vec<LateColumn<'a>>,
    /// The schema without late columns.
    early: SchemaRef,
    schema: SchemaRef,
    unfinished: RecordBatch,
}

impl<'a> Joining<'a> {
    /// `unfinished` has the rows of flows that did not complete.
    pub(super) fn new(late: Vec<LateColumn<'a>>, unfinished: RecordBatch) -> Self {
        let early = unfinished.schema();
        let has_unfinished = unfinished.num_rows() > 0;
        let own = early.fields().iter().map(|field| {
            let is_missing = has_unfinished && is_of_completed(field);
            field.as_ref().clone().with_nullable(is_missing)
        });
        let more = late.iter().map(|column| {
            let is_missing = has_unfinished && column.told_of == ToldOf::Completed;
            Field::new(column.name, column.kind.clone(), is_missing)
        });
        let schema = Arc::new(Schema::new(own.chain(more).collect::<Vec<_>>()));
        Self {
            late,
            early,
            schema,
            unfinished,
        }
    }

    /// The table of these completed flows; and the correlation of their starts and finishes, whose
    /// means are given.
    pub(super) fn table(
        &self,
        completed: GroupedRows<'_>,
        means: Means,
    ) -> Result<(FinishedTable, Option<f64>), FileError> {
        let GroupedRows { file, rest, count } = completed;
        let mut deviations = Deviations::from(means);
        let (mut in_memory, mut in_file) = (Vec::new(), None);
        match file {
            None => in_memory.extend(self.last_rows(&rest, &mut deviations)),
            Some((file, folder)) => {
                let written = file
                    .try_clone()
                    .map_err(|reason| FileError::read(folder, reason))?;
                match self.in_file((file, folder), &rest, &mut deviations) {
                    Ok(file) => {
                        let rows = count + self.unfinished.num_rows();
                        in_file = Some(TableFile::new((file, folder), self.schema.clone(), rows));
                    }
                    // If the disk has no room for both files, the rows go to memory, so that the
                    // run is not lost.
                    Err(_) => {
                        let all = self.read_back((written, folder), rest)?;
                        deviations = Deviations::from(means);
                        in_memory.extend(self.last_rows(&all, &mut deviations));
                    }
                }
            }
        }
        let table = FinishedTable {
            in_memory: Table::new(self.schema.clone(), in_memory),
            in_file,
        };
        Ok((table, deviations.coefficient()))
    }

    /// All completed rows in memory: those of the file, and the others.
    fn read_back(
        &self,
        (file, folder): (File, &Path),
        rest: Vec<RecordBatch>,
    ) -> Result<Vec<RecordBatch>, FileError> {
        let file = TableFile::new((file, folder), self.early.clone(), 0);
        let table = file.read(|_| true)?;
        Ok(table.batches().iter().cloned().chain(rest).collect())
    }

    fn in_file(
        &self,
        (file, folder): (File, &Path),
        rest: &[RecordBatch],
        deviations: &mut Deviations,
    ) -> Result<File, FileError> {
        let mut all = begun_file(folder, &self.schema, ROWS_PER_GROUP)?;
        let fill = || {
            let groups = EncodedFile::open(file.try_clone()?)?;
            let file = ParquetFile::open(file)?;
            let decoded = file
                .columns()
                .iter()
                .filter(|column| is_decoded(&column.field));
            let decoded = decoded.cloned().collect();
            let mut rows = file.read(decoded, usize::MAX);
            for group in 0..groups.groups() {
                let missing = || ParquetError::General("a row group has no rows".into());
                let rows = rows.next_batch()?.ok_or_else(missing)?;
                note_lifetimes(&rows, deviations);
                all.copy_group((&groups, group), &self.group(&rows))?;
            }
            self.last_rows(rest, deviations)
                .try_for_each(|rows| all.write(&rows))
        };
        let filled = fill();
        filled
            .and_then(|()| all.finish())
            .map_err(|error| unwritable(folder, error))
    }

    /// The columns of one row group of completed flows.
    fn group(&self, rows: &RecordBatch) -> Vec<GroupColumn> {
        let has_missing = self.unfinished.num_rows() > 0;
        let early = self.early.fields().iter().enumerate();
        let early = early.map(|(place, field)| match rows.column_by_name(field.name()) {
            // A column that may have missing values is encoded differently.
            Some(values) if has_missing && is_of_completed(field) => {
                GroupColumn::Values(values.clone())
            }
            _ => GroupColumn::Encoded(place),
        });
        let late = self
            .late
            .iter()
            .map(|column| GroupColumn::Values((column.values)(rows)));
        early.chain(late).collect()
    }

    /// The rows of completed flows that are in memory, then those of unfinished flows.
    fn last_rows<'b>(
        &'b self,
        completed: &'b [RecordBatch],
        deviations: &'b mut Deviations,
    ) -> impl Iterator<Item = RecordBatch> + 'b {
        let completed = completed.iter().map(|rows| {
            note_lifetimes(rows, deviations);
            let late = self.late.iter().map(|column| (column.values)(rows));
            batch(
                &self.schema,
                rows.columns().iter().cloned().chain(late).collect(),
            )
        });
        let unfinished = Some(&self.unfinished).filter(|rows| rows.num_rows() > 0);
        completed.chain(unfinished.map(|rows| self.unfinished(rows)))
    }

    fn unfinished(&self, rows: &RecordBatch) -> RecordBatch {
        let missing = |kind| new_null_array(kind, rows.num_rows());
        let early = self.early.fields().iter().zip(rows.columns());
        let early = early.map(|(field, values)| match is_of_completed(field) {
            true => missing(field.data_type()),
            false => values.clone(),
        });
        let late = self.late.iter().map(|column| match column.told_of {
            ToldOf::All => (column.values)(rows),
            ToldOf::Completed => missing(&column.kind),
        });
        batch(&self.schema, early.chain(late).collect())
    }
}

fn is_of_completed(field: &Field) -> bool {
    OF_COMPLETED.contains(&field.name().as_str())
}

fn is_decoded(field: &Field) -> bool {
    FOLLOWED.contains(&field.name().as_str()) || is_of_completed(field)
}

/// Adds start and finish of completed flows, in ps.
fn note_lifetimes(rows: &RecordBatch, deviations: &mut Deviations) {
    let column = |name| {
        let values: &ArrayRef = rows.column_by_name(name).expect("flows have times");
        values.as_primitive::<UInt64Type>().values()
    };
    for (start, fct) in column("start_ps").iter().zip(column("fct_ps")) {
        deviations.add(*start as f64, (start + fct) as f64);
    }
}
