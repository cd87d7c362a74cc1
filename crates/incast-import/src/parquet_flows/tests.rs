use std::io::Write as _;
use std::sync::Arc;

use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::{ByteArray, DataType as ParquetType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::*;
use crate::flow_checks::tests::{Short, all};

/// A column in Parquet's schema language, e.g. `required int64 source`, and its values.
#[derive(Clone, Debug)]
struct Values {
    declared: String,
    cells: Cells,
}

type Columns = Vec<Values>;

#[derive(Clone, Debug)]
enum Cells {
    Whole(Vec<Option<i64>>),
    Floats(Vec<f64>),
    Texts(Vec<&'static str>),
    Flags(Vec<bool>),
    /// A list with one number and one missing value, then a missing list.
    Lists,
}

impl Values {
    fn new(declared: &str, cells: Cells) -> Self {
        let declared = declared.to_owned();
        Self { declared, cells }
    }

    fn name(&self) -> &str {
        self.declared.split_whitespace().nth(2).unwrap()
    }

    fn rows(&self) -> usize {
        match &self.cells {
            Cells::Whole(values) => values.len(),
            Cells::Floats(values) => values.len(),
            Cells::Texts(values) => values.len(),
            Cells::Flags(values) => values.len(),
            Cells::Lists => 2,
        }
    }
}

fn whole(declared: &str, values: impl Into<Vec<i64>>) -> Values {
    let cells = values.into().into_iter().map(Some).collect();
    Values::new(declared, Cells::Whole(cells))
}

fn floats(declared: &str, values: impl Into<Vec<f64>>) -> Values {
    Values::new(declared, Cells::Floats(values.into()))
}

fn texts(declared: &str, values: [&'static str; 2]) -> Values {
    Values::new(declared, Cells::Texts(values.into()))
}

fn flags(declared: &str) -> Values {
    Values::new(declared, Cells::Flags(vec![true, false]))
}

fn file(columns: Columns, compression: Compression, rows_per_group: usize) -> Vec<u8> {
    let fields = columns.iter().map(|column| match column.cells {
        Cells::Lists => column.declared.clone(),
        _ => format!("{};", column.declared),
    });
    let message = format!("message flows {{ {} }}", Vec::from_iter(fields).join(" "));
    let schema = Arc::new(parse_message_type(&message).unwrap());
    let properties = Arc::new(
        WriterProperties::builder()
            .set_compression(compression)
            .build(),
    );
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    for begin in (0..columns[0].rows()).step_by(rows_per_group) {
        let mut group = writer.next_row_group().unwrap();
        for column in &columns {
            let end = column.rows().min(begin + rows_per_group);
            let mut chunk = group.next_column().unwrap().unwrap();
            write(chunk.untyped(), &column.cells, begin..end);
            chunk.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn write(writer: &mut ColumnWriter<'_>, cells: &Cells, rows: std::ops::Range<usize>) {
    fn put<T: ParquetType>(writer: &mut ColumnWriterImpl<'_, T>, values: Vec<T::T>, rows: &[bool]) {
        let levels: Vec<_> = rows.iter().map(|present| i16::from(*present)).collect();
        writer.write_batch(&values, Some(&levels), None).unwrap();
    }
    let all = vec![true; rows.len()];
    match (writer, cells) {
        (ColumnWriter::Int32ColumnWriter(writer), Cells::Lists) => {
            let (definition, repetition) = ([3, 2, 0], [0, 1, 0]);
            let written = writer.write_batch(&[1], Some(&definition), Some(&repetition));
            written.unwrap();
        }
        (ColumnWriter::BoolColumnWriter(writer), Cells::Flags(values)) => {
            put(writer, values[rows].to_vec(), &all);
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Cells::Texts(values)) => {
            let values = values[rows].iter().map(|text| ByteArray::from(*text));
            put(writer, values.collect(), &all);
        }
        (ColumnWriter::FloatColumnWriter(writer), Cells::Floats(values)) => {
            let values = values[rows].iter().map(|value| *value as f32);
            put(writer, values.collect(), &all);
        }
        (ColumnWriter::DoubleColumnWriter(writer), Cells::Floats(values)) => {
            put(writer, values[rows].to_vec(), &all);
        }
        (writer, Cells::Whole(values)) => {
            let present: Vec<_> = values[rows.clone()].iter().map(Option::is_some).collect();
            let values = values[rows].iter().flatten().copied();
            match writer {
                ColumnWriter::Int32ColumnWriter(writer) => {
                    put(writer, values.map(|value| value as i32).collect(), &present);
                }
                ColumnWriter::Int64ColumnWriter(writer) => {
                    put(writer, values.collect(), &present);
                }
                ColumnWriter::FixedLenByteArrayColumnWriter(writer) => {
                    let bytes = |value: i64| Vec::from(i128::from(value).to_be_bytes());
                    let values = values.map(|value| bytes(value).into());
                    put(writer, values.collect(), &present);
                }
                _ => panic!("no column of whole numbers"),
            }
        }
        _ => panic!("no column of {cells:?}"),
    }
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
    read_bytes(&file(columns, Compression::SNAPPY, 10_000))
}

/// Two flows to host 15; the columns of `changed` replace those with the same names.
fn two(changed: Columns) -> Columns {
    let mut columns: Columns = vec![
        whole("required int64 source", [0, 1]),
        whole("required int64 destination", [15, 15]),
        whole("required int64 size_bytes", [1_000_000, 5]),
        whole("required int64 start_ns", [0, 20_500]),
    ];
    for values in changed {
        let known = columns
            .iter_mut()
            .find(|known| known.name() == values.name());
        match known {
            Some(column) => *column = values,
            None => columns.push(values),
        }
    }
    columns
}

/// The columns with other starts.
fn starting(starts: Values) -> Columns {
    let mut columns = two(Vec::new());
    columns[3] = starts;
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
    let lists = "optional group path (LIST) { repeated group list { optional int32 element; } }";
    for changed in [
        whole("required int32 source (INTEGER(8,true))", [0, 1]),
        whole("optional int32 source (INTEGER(16,false))", [0, 1]),
        whole("optional int32 source (UINT_32)", [0, 1]),
        floats("required double destination", [15.0, 15.0]),
        whole("required int64 destination (INTEGER(64,false))", [15, 15]),
        whole(
            "required int64 size_bytes (DECIMAL(18,2))",
            [100_000_000, 500],
        ),
        whole(
            "optional fixed_len_byte_array(16) size_bytes (DECIMAL(38,2))",
            [100_000_000, 500],
        ),
        whole("required int32 size_bytes", [1_000_000, 5]),
        texts("required binary note (UTF8)", ["a", "b"]),
        Values::new(lists, Cells::Lists),
    ] {
        let mut columns = two(vec![changed.clone()]);
        assert_eq!(read(columns.clone()), Ok(EXPECTED.to_vec()), "{changed:?}");
        columns.reverse();
        assert_eq!(read(columns), Ok(EXPECTED.to_vec()), "{changed:?}");
    }
}

/// 20.5 us; the float 0.1 is 0.1000000000000000055…, and stands for 0.1 us, 100,000 ps.
#[test]
fn starts_are_in_the_unit_of_their_column() {
    for starts in [
        whole("required int64 start_ps", [100_000, 20_500_000]),
        floats("required double start_ns", [100.0, 20_500.0]),
        floats("required double start_us", [0.1, 20.5]),
        floats("required double start_ms", [1e-4, 0.0205]),
        floats("required double start_s", [1e-7, 2.05e-5]),
        whole(
            "required int64 start_us (DECIMAL(18,6))",
            [100_000, 20_500_000],
        ),
    ] {
        let flows = read(starting(starts.clone())).unwrap();
        let found: Vec<_> = flows.iter().map(|flow| flow.0).collect();
        assert_eq!(found, [100_000, 20_500_000], "{starts:?}");
    }
    let seconds = whole("required int32 start_s (INTEGER(16,false))", [2, 3]);
    let flows = read(starting(seconds)).unwrap();
    assert_eq!(flows[1].0, 3_000_000_000_000);
}

#[test]
fn bad_columns_are_explained() {
    let rename = |from: &str, to: &str| {
        let mut columns = two(Vec::new());
        let column = columns.iter_mut().find(|column| column.name() == from);
        column.unwrap().declared = format!("required int64 {to}");
        columns
    };
    let twice = {
        let mut columns = two(Vec::new());
        columns.push(whole("required int64 start_us", [0, 0]));
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
            two(vec![texts("required binary size_bytes (UTF8)", ["9", "9"])]),
            "size_bytes: the column holds values of type Utf8; write whole numbers".to_owned(),
        ),
        (
            two(vec![flags("required boolean source")]),
            "source: the column holds values of type Boolean; write whole numbers, or names of \
             hosts"
                .to_owned(),
        ),
        (
            two(vec![texts(
                "required binary source (UTF8)",
                ["gpu0", "tor"],
            )]),
            "rows[1].source: unknown host `tor`; hosts are called gpu0, gpu1, gpu10, gpu11, \
             gpu12, …"
                .to_owned(),
        ),
        (
            two(vec![flags("optional boolean start_ns")]),
            "start_ns: the column holds values of type Boolean; write numbers, in the unit of its \
             name"
                .to_owned(),
        ),
    ] {
        assert_eq!(read(columns), Err(format!("f.parquet: {expected}")));
    }
}

/// A number in a text column is a host's number.
#[test]
fn hosts_may_be_named() {
    let columns = two(vec![
        texts("required binary source (UTF8)", ["gpu0", "1"]),
        texts("optional binary destination (STRING)", ["gpu15", "gpu15"]),
    ]);
    assert_eq!(read(columns), Ok(EXPECTED.to_vec()));
}

/// Row 8193 is decoded with the second batch of rows.
#[test]
fn rows_are_counted_over_the_whole_file() {
    let column = |declared: &str, value: i64| whole(declared, vec![value; 8_195]);
    let mut sources = vec![0; 8_195];
    sources[8_193] = 16;
    let columns: Columns = vec![
        whole("required int64 source", sources),
        column("required int64 destination", 15),
        column("required int64 size_bytes", 9),
        column("required int64 start_ps", 0),
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
    let missing = Cells::Whole(vec![Some(0), None]);
    for (values, expected) in [
        (
            Values::new("optional int64 source", missing),
            "the value is missing; fill it in, or leave the row out",
        ),
        (
            whole("required int64 source", [0, -1]),
            "`-1` is negative; give zero or more",
        ),
        (
            floats("required double source", [0.0, 0.5]),
            "`0.5` is not a whole number; give digits only, e.g. `0`",
        ),
        (
            floats("required double source", [0.0, f64::NAN]),
            "`NaN` is not a whole number; give digits only, e.g. `0`",
        ),
        (
            whole("required int64 source", [0, 1 << 32]),
            "`4294967296` is too large; give at most 4294967295",
        ),
        (
            whole("required int64 destination", [15, 1]),
            "host 1 would send to itself; give another host",
        ),
        (
            whole("required int64 size_bytes", [1, 0]),
            "a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            floats("required double size_bytes", [1.0, 1e30]),
            "`1e30` is too large; give at most 9007199254740992",
        ),
        (
            floats("required double size_bytes", [1.0, -2.5]),
            "`-2.5` is negative; give zero or more",
        ),
        (
            whole("required int64 size_bytes (DECIMAL(18,2))", [100, 250]),
            "`2.50` is not a whole number; give digits only, e.g. `1000000`",
        ),
        (
            floats("required float start_ns", [0.0, -0.5]),
            "`-0.5` is negative; give zero or more",
        ),
        (
            floats("required double start_ns", [0.0, f64::INFINITY]),
            "`inf` is not a decimal number; give e.g. `1500`",
        ),
        (
            whole("required int64 start_ns", [0, i64::MAX]),
            "9223372036854775807 is too late to simulate; let flows start within 4611686s (53 \
             days)",
        ),
    ] {
        let place = format!("f.parquet: rows[1].{}: ", values.name());
        assert_eq!(read(two(vec![values])), Err(format!("{place}{expected}")));
    }
}

#[test]
fn no_rows_are_no_flows() {
    let columns = ["source", "destination", "size_bytes", "start_ps"];
    let columns = columns.map(|name| whole(&format!("required int64 {name}"), []));
    assert_eq!(read(columns.into()), Ok(Vec::new()));
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

/// The footer has the number of rows, 2, as the zigzag number 4, in one byte.
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

/// With any one byte of a file changed, all flows that are read are valid.
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

/// The header of a dictionary of 15 values states two thousand million values: the library would
/// allocate 16 GB.
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
