use std::io::{Read as _, Seek as _};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{Field, Schema};
use parquet::file::properties::WriterProperties;

use super::*;
use crate::{FileWriter, GroupColumn};

const ROWS_PER_GROUP: usize = 5000;

/// Numbers that differ, numbers that repeat, and texts.
fn rows(from: u32) -> RecordBatch {
    let numbers = from..from + ROWS_PER_GROUP as u32;
    let columns: [(&str, ArrayRef); 3] = [
        (
            "own",
            Arc::new(UInt32Array::from_iter_values(numbers.clone())),
        ),
        (
            "same",
            Arc::new(UInt64Array::from_iter_values(
                numbers.clone().map(|n| u64::from(n % 3)),
            )),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter_values(
                numbers.map(|n| (n % 7).to_string()),
            )),
        ),
    ];
    let fields = columns
        .iter()
        .map(|(name, values)| Field::new(*name, values.data_type().clone(), false));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let arrays = columns.into_iter().map(|(_, values)| values);
    RecordBatch::try_new(Arc::new(schema), arrays.collect()).unwrap()
}

fn begun(like: &RecordBatch) -> FileWriter<File> {
    let file = tempfile::tempfile().unwrap();
    let properties = WriterProperties::builder();
    FileWriter::new(file, &like.schema(), properties, ROWS_PER_GROUP).unwrap()
}

fn bytes(mut file: File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

/// Two row groups of a file, with new values for the second column, and a few more rows.
#[test]
fn copied_groups_are_as_if_they_were_written() {
    let (first, second) = (rows(0), rows(70_000));
    let rest = rows(9).slice(0, 10);
    let mut source = begun(&first.project(&[2, 0]).unwrap());
    let mut written = begun(&first);
    for rows in [&first, &second] {
        source.write(&rows.project(&[2, 0]).unwrap()).unwrap();
        written.write(rows).unwrap();
    }
    written.write(&rest).unwrap();
    let source = EncodedFile::open(source.finish().unwrap()).unwrap();
    assert_eq!(source.groups(), 2);
    let mut copied = begun(&first);
    for (group, rows) in [&first, &second].into_iter().enumerate() {
        let made = GroupColumn::Values(rows.column(1).clone());
        let columns = [GroupColumn::Encoded(1), made, GroupColumn::Encoded(0)];
        copied.copy_group((&source, group), &columns).unwrap();
    }
    copied.write(&rest).unwrap();
    let [copied, written] = [copied, written].map(|each| bytes(each.finish().unwrap()));
    assert!(
        copied == written,
        "{} bytes, {}",
        copied.len(),
        written.len()
    );
}

#[test]
fn a_column_of_another_type_is_not_copied() {
    let rows = rows(0);
    let mut source = begun(&rows);
    source.write(&rows).unwrap();
    let source = EncodedFile::open(source.finish().unwrap()).unwrap();
    let texts_for_numbers = [GroupColumn::Encoded(2)];
    begun(&rows)
        .copy_group((&source, 0), &texts_for_numbers)
        .unwrap_err();
}
