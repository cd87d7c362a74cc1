//! Files that are written.

use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use parquet::errors::Result;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::writer::SerializedFileWriter;

use crate::{arrays, arrow_metadata, schema};

/// Writes all rows of these batches, which have this schema; a row group has at most so many rows.
/// Equal rows give equal bytes.
///
/// # Errors
/// What the file system says, or that a column has a type that is not written.
pub fn write<W: Write + Send>(
    file: W,
    table: &Schema,
    batches: &[RecordBatch],
    properties: WriterPropertiesBuilder,
    rows_per_group: usize,
) -> Result<()> {
    let metadata = vec![arrow_metadata::entry(table)?];
    let properties = properties.set_key_value_metadata(Some(metadata)).build();
    let schema = schema::parquet_schema(table)?;
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    for group in groups(batches, rows_per_group) {
        let mut rows = writer.next_row_group()?;
        let mut place = 0;
        while let Some(mut column) = rows.next_column()? {
            for batch in &group {
                arrays::write(column.untyped(), batch.column(place))?;
            }
            column.close()?;
            place += 1;
        }
        rows.close()?;
    }
    writer.close()?;
    Ok(())
}

/// The rows in groups, none of which is empty.
fn groups(batches: &[RecordBatch], rows_per_group: usize) -> Vec<Vec<RecordBatch>> {
    let mut groups = Vec::new();
    let mut room = 0;
    for batch in batches {
        let mut taken = 0;
        while taken < batch.num_rows() {
            if room == 0 {
                groups.push(Vec::new());
                room = rows_per_group;
            }
            let rows = room.min(batch.num_rows() - taken);
            let group = groups.last_mut().expect("one was begun");
            group.push(batch.slice(taken, rows));
            taken += rows;
            room -= rows;
        }
    }
    groups
}
