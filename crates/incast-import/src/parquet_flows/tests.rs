use std::io::Write as _;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
    Int8Array, Int32Array, Int64Array, StringArray, UInt16Array, UInt64Array,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::*;
use crate::flow_checks::tests::{Short, all};

type Columns = Vec<(&'static str, ArrayRef)>;

fn array<A: arrow_array::Array + 'static>(array: A) -> ArrayRef {
    Arc::new(array)
}

fn file(columns: Columns, compression: Compression, rows_per_group: usize) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(rows_per_group));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn read_bytes(bytes: &[u8]) -> Result<Vec<Short>, String> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    let names = (0..16).map(|host| format!("gpu{host}"));
    let hosts = HostNames::named(&Vec::from_iter(names));
    all(ParquetFlows::new(file, Path::new("f.parquet"), hosts))
}

fn read(columns: Columns) -> Result<Vec<Short>, String> {
    read_bytes(&file(columns, Compression::SNAPPY, 100))
}

/// Two flows to host 15, the columns of `changed` in place of those of its names.
fn two(changed: Columns) -> Columns {
    let mut columns: Columns = vec![
        ("source", array(Int64Array::from(vec![0, 1]))),
        ("destination", array(Int64Array::from(vec![15, 15]))),
        ("size_bytes", array(Int64Array::from(vec![1_000_000, 5]))),
        ("start_ns", array(Int64Array::from(vec![0, 20_500]))),
    ];
    for (name, values) in changed {
        match columns.iter_mut().find(|(known, _)| *known == name) {
            Some(column) => column.1 = values,
            None => columns.push((name, values)),
        }
    }
    columns
}

/// The same with other starts.
fn starting(name: &'static str, starts: ArrayRef) -> Columns {
    let mut columns = two(Vec::new());
    columns[3] = (name, starts);
    columns
}

const EXPECTED: [Short; 2] = [(0, 0, 15, 1_000_000), (20_500_000, 1, 15, 5)];

#[test]
fn every_compression_that_is_told_is_read() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(Default::default()),
        Compression::GZIP(Default::default()),
    ] {
        let bytes = file(two(Vec::new()), compression, 1);
        assert_eq!(read_bytes(&bytes), Ok(EXPECTED.to_vec()), "{compression:?}");
    }
}

#[test]
fn columns_come_in_any_order_among_others_in_any_type() {
    let category: DictionaryArray<Int8Type> = DictionaryArray::new(
        Int8Array::from(vec![1, 0]),
        array(UInt16Array::from(vec![1, 0])),
    );
    let nested = {
        let lists = [Some(vec![Some(1), None]), None];
        arrow_array::ListArray::from_iter_primitive::<Int32Type, _, _>(lists)
    };
    let decimals = Decimal128Array::from(vec![100_000_000, 500]);
    for changed in [
        vec![("source", array(category))],
        vec![("source", array(Int8Array::from(vec![0, 1])))],
        vec![("destination", array(Float64Array::from(vec![15.0, 15.0])))],
        vec![("destination", array(UInt64Array::from(vec![15, 15])))],
        vec![(
            "size_bytes",
            array(decimals.with_precision_and_scale(18, 2).unwrap()),
        )],
        vec![("size_bytes", array(Int32Array::from(vec![1_000_000, 5])))],
        vec![("note", array(StringArray::from(vec!["a", "b"])))],
        vec![("path", array(nested))],
    ] {
        let mut columns = two(changed.clone());
        assert_eq!(read(columns.clone()), Ok(EXPECTED.to_vec()), "{changed:?}");
        columns.reverse();
        assert_eq!(read(columns), Ok(EXPECTED.to_vec()), "{changed:?}");
    }
}

/// 20.5 us; 0.1 us as a float is 0.1000000000000000055…, which means 100,000 ps.
#[test]
fn starts_are_in_the_unit_of_their_column() {
    let decimals = Decimal128Array::from(vec![100_000, 20_500_000]);
    for (name, starts) in [
        (
            "start_ps",
            array(Int64Array::from(vec![100_000, 20_500_000])),
        ),
        ("start_ns", array(Float64Array::from(vec![100.0, 20_500.0]))),
        ("start_us", array(Float64Array::from(vec![0.1, 20.5]))),
        ("start_ms", array(Float64Array::from(vec![1e-4, 0.0205]))),
        ("start_s", array(Float64Array::from(vec![1e-7, 2.05e-5]))),
        (
            "start_us",
            array(decimals.with_precision_and_scale(18, 6).unwrap()),
        ),
    ] {
        let flows = read(starting(name, starts)).expect(name);
        let starts: Vec<_> = flows.iter().map(|flow| flow.0).collect();
        assert_eq!(starts, [100_000, 20_500_000], "{name}");
    }
    let whole = array(UInt16Array::from(vec![2, 3]));
    let flows = read(starting("start_s", whole)).unwrap();
    assert_eq!(flows[1].0, 3_000_000_000_000);
}

#[test]
fn bad_columns_are_explained() {
    let rename = |from: &str, to: &'static str| {
        let mut columns = two(Vec::new());
        let column = columns.iter_mut().find(|(name, _)| *name == from).unwrap();
        column.0 = to;
        columns
    };
    let twice = {
        let mut columns = two(Vec::new());
        columns.push(("start_us", array(Int64Array::from(vec![0, 0]))));
        columns
    };
    let named = "name the columns `source`, `destination`, `size_bytes` and e.g. `start_ps`";
    for (columns, expected) in [
        (
            rename("source", "src"),
            format!(
                "source: no column of `src,destination,size_bytes,start_ns` has this name; {named}"
            ),
        ),
        (
            rename("start_ns", "start"),
            "start: no column of `source,destination,size_bytes,start` has this name; name one \
             `start_ps`, `start_ns`, `start_us`, `start_ms` or `start_s`, for what it counts"
                .to_owned(),
        ),
        (
            twice,
            "start: `start_ns` and `start_us` both give it; leave one of the columns out"
                .to_owned(),
        ),
        (
            two(vec![(
                "size_bytes",
                array(StringArray::from(vec!["9", "9"])),
            )]),
            "size_bytes: the column holds values of type Utf8; write whole numbers".to_owned(),
        ),
        (
            two(vec![(
                "source",
                array(BooleanArray::from(vec![true, false])),
            )]),
            "source: the column holds values of type Boolean; write whole numbers, or names of \
             hosts"
                .to_owned(),
        ),
        (
            two(vec![(
                "source",
                array(StringArray::from(vec!["gpu0", "tor"])),
            )]),
            "rows[1].source: unknown host `tor`; hosts are called gpu0, gpu1, gpu10, gpu11, \
             gpu12, …"
                .to_owned(),
        ),
        (
            two(vec![(
                "start_ns",
                array(BooleanArray::from(vec![true, false])),
            )]),
            "start_ns: the column holds values of type Boolean; write numbers, in the unit of its \
             name"
                .to_owned(),
        ),
    ] {
        assert_eq!(read(columns), Err(format!("f.parquet: {expected}")));
    }
}

/// As text, and as categories of text; a number in text is a number.
#[test]
fn hosts_may_be_named() {
    let text = array(StringArray::from(vec!["gpu0", "1"]));
    let categories: DictionaryArray<Int8Type> = vec!["gpu15", "gpu15"].into_iter().collect();
    let columns = two(vec![("source", text), ("destination", array(categories))]);
    assert_eq!(read(columns), Ok(EXPECTED.to_vec()));
}

/// Row 8193 is read with the second batch of rows.
#[test]
fn rows_are_counted_over_the_whole_file() {
    let column = |value: i64| array(Int64Array::from(vec![value; 8_195]));
    let mut sources = vec![0; 8_195];
    sources[8_193] = 16;
    let columns: Columns = vec![
        ("source", array(Int64Array::from(sources))),
        ("destination", column(15)),
        ("size_bytes", column(9)),
        ("start_ps", column(0)),
    ];
    assert_eq!(
        read(columns),
        Err(
            "f.parquet: rows[8193].source: host 16 does not exist; the network has hosts 0–15"
                .to_owned()
        )
    );
}

#[test]
fn bad_cells_are_placed_and_explained() {
    for (name, values, expected) in [
        (
            "source",
            array(Int64Array::from(vec![Some(0), None])),
            "the value is missing; fill it in, or leave the row out",
        ),
        (
            "source",
            array(Int64Array::from(vec![0, -1])),
            "`-1` is negative; give zero or more",
        ),
        (
            "source",
            array(Float64Array::from(vec![0.0, 0.5])),
            "`0.5` is not a whole number; give digits only, e.g. `0`",
        ),
        (
            "source",
            array(Float64Array::from(vec![0.0, f64::NAN])),
            "`NaN` is not a whole number; give digits only, e.g. `0`",
        ),
        (
            "source",
            array(Int64Array::from(vec![0, 1 << 32])),
            "`4294967296` is too large; give at most 4294967295",
        ),
        (
            "destination",
            array(Int64Array::from(vec![15, 1])),
            "host 1 would send to itself; give another host",
        ),
        (
            "size_bytes",
            array(Int64Array::from(vec![1, 0])),
            "a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            "size_bytes",
            array(Float64Array::from(vec![1.0, 1e30])),
            "`1e30` is too large; give at most 9007199254740992",
        ),
        (
            "size_bytes",
            array(Float64Array::from(vec![1.0, -2.5])),
            "`-2.5` is negative; give zero or more",
        ),
        (
            "size_bytes",
            array(
                Decimal128Array::from(vec![100, 250])
                    .with_precision_and_scale(18, 2)
                    .unwrap(),
            ),
            "`2.50` is not a whole number; give digits only, e.g. `1000000`",
        ),
        (
            "start_ns",
            array(Float32Array::from(vec![0.0, -0.5])),
            "`-0.5` is negative; give zero or more",
        ),
        (
            "start_ns",
            array(Float64Array::from(vec![0.0, f64::INFINITY])),
            "`inf` is not a decimal number; give e.g. `1500`",
        ),
        (
            "start_ns",
            array(Int64Array::from(vec![0, i64::MAX])),
            "9223372036854775807 is too late to simulate; let flows start within 4611686s (53 \
             days)",
        ),
    ] {
        let found = read(two(vec![(name, values)]));
        assert_eq!(found, Err(format!("f.parquet: rows[1].{name}: {expected}")));
    }
}

#[test]
fn no_rows_are_no_flows() {
    let columns: Columns = ["source", "destination", "size_bytes", "start_ps"]
        .map(|name| (name, array(Int64Array::from(Vec::<i64>::new()))))
        .into();
    assert_eq!(read(columns), Ok(Vec::new()));
}

#[test]
fn files_that_are_cut_off_are_told() {
    let bytes = file(two(Vec::new()), Compression::SNAPPY, 1);
    for length in [4, 8, 50, bytes.len() / 2, bytes.len() - 1] {
        let error = read_bytes(&bytes[..length]).unwrap_err();
        let told = "f.parquet: the file is damaged or cut off (";
        assert!(error.starts_with(told), "{length}: {error}");
    }
}

#[test]
fn other_compressions_are_refused_by_name() {
    let wrong = check_codec(Compression::BROTLI(Default::default())).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "the column is compressed with BROTLI, which is not read here; write it with Snappy, \
         Zstandard, Gzip, or without compression"
    );
    assert!(check_codec(Compression::LZ4_RAW).is_err());
}

/// The footer has the number of rows as 2 · 2 = 4, in a byte of its own.
#[test]
fn a_wrong_number_of_rows_is_told() {
    let bytes = file(two(Vec::new()), Compression::SNAPPY, 100);
    let places = (0..bytes.len()).filter(|place| bytes[*place] == 4);
    let found: Vec<_> = places
        .filter_map(|place| {
            let mut changed = bytes.clone();
            changed[place] = 6;
            read_bytes(&changed).err()
        })
        .collect();
    let told = "f.parquet: the file is damaged: it says it has 3 rows but has 2; write it again";
    assert!(found.iter().any(|message| message == told), "{found:?}");
}

/// Each byte of a file, changed: flows that are read are sound.
#[test]
fn a_changed_byte_is_never_a_panic() {
    let bytes = file(two(Vec::new()), Compression::SNAPPY, 1);
    for place in 0..bytes.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] ^= change;
            match read_bytes(&damaged) {
                Err(message) => assert!(message.starts_with("f.parquet: "), "{message}"),
                Ok(flows) => {
                    for (_, source, destination, size) in flows {
                        assert!(source < 16 && destination < 16);
                        assert!(source != destination && size > 0);
                    }
                }
            }
        }
    }
}

/// The head of a dictionary of 15 values says that it has two thousand million: the library would
/// ask for 16 GB.
#[test]
fn pages_that_promise_more_than_they_hold_are_refused_before_there_is_room_for_it() {
    let message = read_bytes(include_bytes!("tests/promises.parquet")).unwrap_err();
    assert!(message.contains("a page of at most"), "{message}");
}

#[test]
fn long_reasons_are_cut() {
    let message = diagnostics::damaged_parquet(&"µ".repeat(500)).to_string();
    let shown = "µ".repeat(120);
    let expected = format!("the file is damaged or cut off ({shown}…); write it again");
    assert_eq!(message, expected);
}
