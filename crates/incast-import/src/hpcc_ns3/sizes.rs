//! Tables of sizes in files, as the HPCC artifact writes them.

use std::io::BufRead;

use incast_diagnostic::Diagnostic;
use incast_workload::Cdf;

use crate::diagnostics;
use crate::text::{TextLine, TextLines};

const LINE: &str = "bytes percent";

/// The table in this file.
pub(crate) fn read(mut lines: TextLines<impl BufRead>) -> Result<Cdf, Diagnostic> {
    let mut points = Vec::new();
    let mut numbers = Vec::new();
    while let Some(line) = lines.next_line()? {
        points.push(point(&line)?);
        numbers.push(line.number());
    }
    if points.is_empty() {
        let empty = diagnostics::empty_file("`0 0`, a line of `bytes percent`");
        return Err(lines.in_file(empty));
    }
    Cdf::new(points).map_err(|bad| lines.on_line(numbers[bad.index], bad.diagnostic))
}

/// A size in bytes, and the percentage of flows up to it.
fn point(line: &TextLine<'_>) -> Result<(f64, f64), Diagnostic> {
    let mut words = line.words(LINE);
    let size = words.next("bytes")?;
    let percent = words.next("percent")?;
    words.end()?;
    Ok((size.number("1000")?, percent.number("12.5")?))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read_text(text: &str) -> Result<Cdf, String> {
        let lines = TextLines::new(Cursor::new(text.to_owned()), "sizes.txt");
        read(lines).map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_as_the_artifact_writes_it() {
        let cdf = read_text("0 0\n1000 50\n\n3000 100\n").unwrap();
        let points: Vec<_> = cdf.points().collect();
        assert_eq!(points, [(0.0, 0.0), (1000.0, 0.5), (3000.0, 1.0)]);
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
                "sizes.txt:1: percent: the table begins at 5 %; let its first line end in 0",
            ),
            (
                "0 0\n1000 99\n",
                "sizes.txt:2: percent: the table ends at 99 %; let its last line end in 100",
            ),
            (
                "0 0\n1000 0.5\n2000 1\n",
                "sizes.txt:3: percent: the table ends at 1 %; it must end at 100: \
                 are these fractions? Multiply them by 100",
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

        /// Lines of numbers that grow, and what a slip may make of them.
        fn table() -> impl Strategy<Value = Vec<u8>> {
            let piece = prop_oneof![
                8 => prop::sample::select(vec![
                    "\n", " ", "0 0\n", "0", "1 10\n", "999 10\n", "1000 50\n", "1e6 99.9\n",
                    "2e7 100\n", "100", "-1", "0.5", "1e19", "1e400", "1e-400", "nan", "inf",
                    "\u{feff}", "#",
                ])
                .prop_map(|text| text.as_bytes().to_vec()),
                1 => prop::collection::vec(any::<u8>(), 0..4),
            ];
            let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
            let begun = pieces
                .clone()
                .prop_map(|rest| [b"0 0\n".to_vec(), rest].concat());
            let whole = pieces.clone().prop_map(|middle| {
                [b"0 0\n".to_vec(), middle, b"\n30000000 100\n".to_vec()].concat()
            });
            prop_oneof![pieces, begun, whole]
        }

        proptest! {
            /// No file panics, and a table that is read is sound: sizes between its first and
            /// last, growing with their fraction.
            #[test]
            fn no_bytes_panic(bytes in table()) {
                match read(TextLines::new(Cursor::new(bytes), "sizes.txt")) {
                    Err(error) => {
                        let message = error.to_string();
                        prop_assert!(message.starts_with("sizes.txt"), "{message}");
                    }
                    Ok(cdf) => {
                        prop_assert!(cdf.mean_bytes() >= 0.5, "{}", cdf.mean_bytes());
                        let quantiles = [0.0, 0.1, 0.5, 0.9, 0.999].map(|at| cdf.quantile(at));
                        prop_assert!(quantiles.is_sorted(), "{quantiles:?}");
                        prop_assert!(quantiles[0].as_u64() >= 1, "{quantiles:?}");
                    }
                }
            }
        }
    }
}
