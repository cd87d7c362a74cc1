use std::io::Cursor;

use super::*;

fn read_as(text: &str, options: TableOptions) -> Result<Cdf, String> {
    let lines = TextLines::new(Cursor::new(text.to_owned()), "sizes.txt");
    let table = read(lines, options, LastLine::IsChecked);
    table
        .map(|table| table.cdf)
        .map_err(|error| error.to_string())
}

fn read_text(text: &str) -> Result<Cdf, String> {
    read_as(text, TableOptions::default())
}

#[test]
fn a_table_as_the_artifact_writes_it() {
    let cdf = read_text("0 0\n1000 50\n\n3000 100\n").unwrap();
    let points: Vec<_> = cdf.points().collect();
    assert_eq!(points, [(0.0, 0.0), (1000.0, 0.5), (3000.0, 1.0)]);
}

/// Web search as generators write it. Mean by linear interpolation, in bytes: 5 000·0.15 +
/// 15 000·0.05 + 25 000·0.1 + 40 000·0.1 + 65 000·0.13 + 140 000·0.07 + 600 000·0.1 +
/// 1 500 000·0.1 + 3 500 000·0.1 + 7 500 000·0.07 + 20 000 000·0.03 = 1 711 250.
const WEB_SEARCH: &str = "\
0 0
10000 0.15
20000 0.2
30000 0.3
50000 0.4
80000 0.53
200000 0.6
1000000 0.7
2000000 0.8
5000000 0.9
10000000 0.97
30000000 1
";

const FRACTION: TableOptions = TableOptions {
    unit: Some(CdfUnit::Fraction),
    size_unit: None,
};

#[test]
fn fractions_are_read_if_they_are_said_to_be() {
    let cdf = read_as(WEB_SEARCH, FRACTION).unwrap();
    assert!(
        (cdf.mean_bytes() - 1_711_250.0).abs() < 1e-3,
        "{}",
        cdf.mean_bytes()
    );
    let percent = "0 0\n1000 100\n";
    assert_eq!(
        read_as(percent, FRACTION).unwrap_err(),
        "sizes.txt:2: percent: the table ends at 100, and fractions end at 1; write \
         `unit = \"percent\"`"
    );
}

/// ns-2's packets of 1460 bytes; 15 % of the flows have 6 packets, 8 760 bytes:
/// (8 760·0.15 + (8 760 + 14 600)/2·0.85) = 11 242.
#[test]
fn three_columns_are_those_of_ns2() {
    let packets = TableOptions {
        size_unit: Some(Bytes::new(1_460)),
        ..TableOptions::default()
    };
    let text = "# pFabric\n6 1 0.15\n10 1 1 // the end\n";
    let cdf = read_as(text, packets).unwrap();
    assert!(
        (cdf.mean_bytes() - 11_242.0).abs() < 1e-6,
        "{}",
        cdf.mean_bytes()
    );
    assert_eq!(
        read_text(text).unwrap_err(),
        "sizes.txt:2: three columns are a table of ns-2, which does not say what its sizes count; \
         write `size_unit = \"1460B\"` for packets of 1460 bytes, `size_unit = \"1B\"` for bytes"
    );
}

/// A table in KB with commas: (0 + 1000)/2·0.5 + (1000 + 3000)/2·0.5 = 1 250 bytes.
#[test]
fn commas_names_and_larger_units() {
    let options = TableOptions {
        size_unit: Some(Bytes::new(1_000)),
        ..FRACTION
    };
    let cdf = read_as("size,cdf\n0,0\n1,0.5\n\n3;1.0\n", options).unwrap();
    assert_eq!(cdf.mean_bytes(), 1_250.0);
}

/// An import takes a table that ends in 1 as fractions.
#[test]
fn an_import_sees_the_unit() {
    for (text, unit) in [
        ("0 0\n1000 1\n", CdfUnit::Fraction),
        ("0 0\n1000 100\n", CdfUnit::Percent),
    ] {
        let lines = TextLines::new(Cursor::new(text), "sizes.txt");
        let table = read(lines, TableOptions::default(), LastLine::SaysTheUnit).unwrap();
        assert_eq!((table.unit, table.columns), (unit, 2));
        assert_eq!(table.cdf.mean_bytes(), 500.0);
    }
}

#[test]
fn mistakes_are_placed_and_explained() {
    for (text, message) in [
        (
            "",
            "sizes.txt: the file is empty; it begins with `0 0`, a line of `bytes percent`",
        ),
        (
            "0 0\nfoo 100\n",
            "sizes.txt:2: bytes: `foo` is not a decimal number; give e.g. `1000`",
        ),
        (
            "0 0\n1000 nan\n",
            "sizes.txt:2: percent: `nan` is not a decimal number; give e.g. `12.5`",
        ),
        (
            "0 0\n-5 100\n",
            "sizes.txt:2: bytes: `-5` is negative; give zero or more",
        ),
        (
            "0 0\n1000\n",
            "sizes.txt:2: percent: the line ends before it; a line is `bytes percent`: \
             is the file cut off?",
        ),
        (
            "0 0\n1000 100 1\n",
            "sizes.txt:2: end of line: `1` is too much; a line is `bytes percent`",
        ),
        (
            "100 5\n1000 100\n",
            "sizes.txt:1: percent: the table begins at 5, not at 0; add a line `0 0` above it, \
             from which sizes rise, or `100 0`, to give all these flows this size",
        ),
        (
            "0 0\n1000 99\n",
            "sizes.txt:2: percent: the table ends at 99 %; let its last line end in 100",
        ),
        (
            "0 0\n1000 0.5\n2000 1\n",
            "sizes.txt:3: percent: the table ends at 1, not at 100; if these are fractions, write \
             `unit = \"fraction\"`",
        ),
        (
            "0 0\n\n1000 50\n900 100\n",
            "sizes.txt:4: bytes: 900 is less than the 1000 above it; \
             sizes and percentages only grow",
        ),
        (
            "0 0\n1000 50\n2000 40\n",
            "sizes.txt:3: percent: 40 is less than the 50 above it; \
             sizes and percentages only grow",
        ),
        (
            "0 0\n1000 50\n1000 50\n2000 100\n",
            "sizes.txt:3: bytes: the line repeats the one above it; leave it out",
        ),
        (
            "0 0\n0.5 100\n",
            "sizes.txt:2: bytes: a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            "0 0\n1e19 100\n",
            "sizes.txt:2: bytes: 10000000000000000000 bytes are more than a flow may have; \
             give at most 9223372036854775807 (2^63 - 1)",
        ),
    ] {
        assert_eq!(read_text(text).unwrap_err(), message, "{text:?}");
    }
}

mod fuzz {
    use proptest::prelude::*;

    use super::*;

    /// Random lines of increasing numbers, with possible mistakes.
    fn table() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => prop::sample::select(vec![
                "\n", " ", "0 0\n", "0", "1 10\n", "999 10\n", "1000 50\n", "1e6 99.9\n",
                "2e7 100\n", "100", "-1", "0.5", "1e19", "1e400", "1e-400", "nan", "inf",
                "\u{feff}", "#", "//", ",", "6 1 0.15\n", "size,cdf\n",
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..4),
        ];
        let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
        let begun = pieces
            .clone()
            .prop_map(|rest| [b"0 0\n".to_vec(), rest].concat());
        let whole = pieces
            .clone()
            .prop_map(|middle| [b"0 0\n".to_vec(), middle, b"\n30000000 100\n".to_vec()].concat());
        prop_oneof![pieces, begun, whole]
    }

    proptest! {
        /// No file panics. Quantiles of a table that is read lie between its first and last size,
        /// and increase with the fraction.
        #[test]
        fn no_bytes_panic(bytes in table(), fraction in any::<bool>(), packets in any::<bool>()) {
            let options = TableOptions {
                unit: fraction.then_some(CdfUnit::Fraction),
                size_unit: packets.then_some(Bytes::new(1_460)),
            };
            let last_line = if fraction { LastLine::IsChecked } else { LastLine::SaysTheUnit };
            match read(TextLines::new(Cursor::new(bytes), "sizes.txt"), options, last_line) {
                Err(error) => {
                    let message = error.to_string();
                    prop_assert!(message.starts_with("sizes.txt"), "{message}");
                }
                Ok(SizeTable { cdf, .. }) => {
                    prop_assert!(cdf.mean_bytes() >= 0.5, "{}", cdf.mean_bytes());
                    let quantiles = [0.0, 0.1, 0.5, 0.9, 0.999].map(|at| cdf.quantile(at));
                    prop_assert!(quantiles.is_sorted(), "{quantiles:?}");
                    prop_assert!(quantiles[0].as_u64() >= 1, "{quantiles:?}");
                }
            }
        }
    }
}
