//! The table of flows when the run has ended: completed flows with the columns that are known now,
//! then flows that had not completed.

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

/// Columns that say nothing of a flow that has not completed.
const OF_COMPLETED: [&str; 3] = ["fct_ps", "ideal_fct_ps", "slowdown"];

/// Columns that those which are known now follow from; the others stay encoded.
const FOLLOWED: [&str; 5] = ["flow_id", "traffic", "source", "destination", "start_ps"];

/// Rows of flows.
pub(crate) struct FinishedTable {
    /// None, if they are in the file.
    pub(crate) in_memory: Table,
    /// Where they are many.
    pub(crate) in_file: Option<TableFile>,
}

/// How rows become those of the table.
pub(super) struct Joining<'a> {
    late: Vec<LateColumn<'a>>,
    /// Of the rows without late columns.
    early: SchemaRef,
    schema: SchemaRef,
    unfinished: RecordBatch,
}

impl<'a> Joining<'a> {
    /// With these rows of flows that had not completed.
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

    /// The table of these completed flows; and how start and finish of them are correlated, of
    /// which these are the means.
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
                    // A disk without room for both files: what has run is not thrown away.
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

    /// All completed rows in memory: those of the file, and the rest.
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

    /// The columns of a row group of completed flows.
    fn group(&self, rows: &RecordBatch) -> Vec<GroupColumn> {
        let has_missing = self.unfinished.num_rows() > 0;
        let early = self.early.fields().iter().enumerate();
        let early = early.map(|(place, field)| match rows.column_by_name(field.name()) {
            // It is encoded in another way where values may be missing.
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

    /// Rows of completed flows that are in memory, then those of flows that had not completed.
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

/// Start and finish of completed flows, in ps.
fn note_lifetimes(rows: &RecordBatch, deviations: &mut Deviations) {
    let column = |name| {
        let values: &ArrayRef = rows.column_by_name(name).expect("flows have times");
        values.as_primitive::<UInt64Type>().values()
    };
    for (start, fct) in column("start_ps").iter().zip(column("fct_ps")) {
        deviations.add(*start as f64, (start + fct) as f64);
    }
}
