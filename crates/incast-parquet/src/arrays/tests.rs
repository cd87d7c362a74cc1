use std::fs::File;
use std::io::Seek as _;

use arrow_array::{
    Float64Array, Int8Array, Int32Array, RecordBatch, StringArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow_schema::{Field, Schema};
use parquet::file::properties::WriterProperties;

use super::*;
use crate::reading::ParquetFile;
use crate::writing::FileWriter;

fn words<K: ArrowDictionaryKeyType>(keys: PrimitiveArray<K>, texts: &[&str]) -> ArrayRef {
    let texts = StringArray::from_iter_values(texts);
    Arc::new(DictionaryArray::try_new(keys, Arc::new(texts)).unwrap())
}

/// Three rows of each supported type; in columns with optional values, the second value is missing.
fn batch() -> RecordBatch {
    let whole: [(_, ArrayRef); 7] = [
        ("u8", Arc::new(UInt8Array::from(vec![0, 7, u8::MAX]))),
        ("u16", Arc::new(UInt16Array::from(vec![0, 7, u16::MAX]))),
        ("u32", Arc::new(UInt32Array::from(vec![0, 7, u32::MAX]))),
        ("u64", Arc::new(UInt64Array::from(vec![0, 7, u64::MAX]))),
        ("f64", Arc::new(Float64Array::from(vec![0.1, -1e300, 3.0]))),
        ("text", Arc::new(StringArray::from(vec!["a", "", "µ"]))),
        ("word", words(Int8Array::from(vec![0, 1, 0]), &["x", "y"])),
    ];
    let missing: [(_, ArrayRef); 4] = [
        (
            "u32?",
            Arc::new(UInt32Array::from(vec![Some(1), None, Some(u32::MAX)])),
        ),
        (
            "f64?",
            Arc::new(Float64Array::from(vec![Some(0.5), None, Some(2.0)])),
        ),
        (
            "text?",
            Arc::new(StringArray::from(vec![Some("a"), None, Some("")])),
        ),
        (
            "word?",
            words(Int32Array::from(vec![Some(0), None, Some(1)]), &["x", "y"]),
        ),
    ];
    let columns = whole.into_iter().chain(missing);
    let (fields, arrays): (Vec<_>, Vec<_>) = columns
        .map(|(name, array)| {
            let field = Field::new(name, array.data_type().clone(), name.ends_with('?'));
            (field, array)
        })
        .unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

fn stored(batches: &[RecordBatch], rows_per_group: usize) -> File {
    let mut file = tempfile::tempfile().unwrap();
    let copy = file.try_clone().unwrap();
    let schema = batches[0].schema();
    let properties = WriterProperties::builder();
    let mut writer = FileWriter::new(copy, &schema, properties, rows_per_group).unwrap();
    batches.iter().for_each(|rows| writer.write(rows).unwrap());
    writer.finish().unwrap();
    file.rewind().unwrap();
    file
}

fn read_back(file: File, rows_per_read: usize) -> Vec<RecordBatch> {
    let file = ParquetFile::open(file).unwrap();
    let columns = file.columns().to_vec();
    let mut rows = file.read(columns, rows_per_read);
    std::iter::from_fn(|| rows.next_batch().unwrap()).collect()
}

#[test]
fn what_is_written_is_read() {
    assert_eq!(read_back(stored(&[batch()], 100), 100), [batch()]);
}

/// Seven rows in groups of four, of which three are read at a time: 3 and 1, then 3.
#[test]
fn rows_keep_their_order_in_groups_and_reads() {
    let batches = [batch(), batch(), batch().slice(0, 1)];
    let found = read_back(stored(&batches, 4), 3);
    let rows: Vec<_> = found.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(rows, [3, 1, 3]);
    let numbers = found
        .iter()
        .flat_map(|each| each["u32"].as_primitive::<UInt32Type>().values());
    let most = u32::MAX;
    assert_eq!(
        numbers.copied().collect::<Vec<_>>(),
        [0, 7, most, 0, 7, most, 0]
    );
    assert_eq!(found[0], batch());
}

#[test]
fn no_rows_have_a_schema() {
    let file = ParquetFile::open(stored(&[batch().slice(0, 0)], 4)).unwrap();
    assert_eq!(file.rows(), 0);
    let columns = file.columns().to_vec();
    let mut rows = file.read(columns, 3);
    assert_eq!(rows.schema().fields(), batch().schema().fields());
    assert_eq!(rows.next_batch().unwrap(), None);
}

/// 0x01 0x00 is 256, 0xff 0x00 is -256 in two's complement, and a byte 0x80 is -128.
#[test]
fn decimals_are_whole_numbers_of_bytes() {
    assert_eq!(whole_number(&[1, 0]), Some(256));
    assert_eq!(whole_number(&[0xff, 0]), Some(-256));
    assert_eq!(whole_number(&[0x80]), Some(-128));
    assert_eq!(whole_number(&i128::MIN.to_be_bytes()), Some(i128::MIN));
    assert_eq!(whole_number(&[0; 17]), None);
    assert_eq!(whole_number(&[]), None);
}

#[test]
fn more_texts_than_keys_are_an_error() {
    let texts = |count: usize| Cells {
        values: (0..count)
            .map(|index| ByteArray::from(&*index.to_string()))
            .collect(),
        present: None,
    };
    let read = |count| dictionary::<Int8Type>(texts(count), |place| place.try_into().ok());
    assert_eq!(read(128).unwrap().len(), 128);
    let message = read(129).unwrap_err().to_string();
    assert!(message.ends_with("more texts than keys"), "{message}");
}
