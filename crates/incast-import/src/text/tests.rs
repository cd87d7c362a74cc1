use std::io::{self, Cursor, Read};

use super::*;

/// The lines of these bytes, with their numbers; an error, as text, is the last item.
fn lines(bytes: impl AsRef<[u8]>) -> Vec<Result<(u64, String), String>> {
    let mut lines = TextLines::new(Cursor::new(bytes), "f");
    let mut seen = Vec::new();
    loop {
        match lines.next_line() {
            Ok(Some(line)) => seen.push(Ok((line.number(), line.text().to_owned()))),
            Ok(None) => return seen,
            Err(error) => {
                seen.push(Err(error.to_string()));
                return seen;
            }
        }
    }
}

fn ok(number: u64, text: &str) -> Result<(u64, String), String> {
    Ok((number, text.to_owned()))
}

#[test]
fn blank_lines_count_but_are_skipped() {
    assert_eq!(
        lines("a\n\n  \r\n b c \r\nd"),
        [ok(1, "a"), ok(4, "b c"), ok(5, "d")]
    );
    assert_eq!(lines(""), []);
    assert_eq!(lines("\n\n"), []);
}

#[test]
fn a_byte_order_mark_is_not_text() {
    assert_eq!(lines("\u{feff}a\n"), [ok(1, "a")]);
}

#[test]
fn bytes_that_are_no_text() {
    let expected = "f:2: byte 3 of the line is not text; save the file as UTF-8";
    assert_eq!(
        lines(b"a\nab\xff\n"),
        [ok(1, "a"), Err(expected.to_owned())]
    );
}

/// A file of 10 GB of zeros is refused after one byte more than the limit.
#[test]
fn endless_lines_are_refused_at_once() {
    for byte in [0, b'0', b' '] {
        let zeros = io::repeat(byte).take(10_000_000_000);
        let mut lines = TextLines::new(io::BufReader::with_capacity(512, zeros), "f");
        let error = lines.next_line().err().map(|error| error.to_string());
        let expected =
            "f:1: the line is longer than 16384 bytes; no file of this format has such a line";
        assert_eq!(error.as_deref(), Some(expected));
        let left = lines.reader.get_ref().limit();
        assert!(
            left > 10_000_000_000 - 20_000,
            "read too far: {left} bytes left"
        );
    }
}

#[test]
fn the_longest_line_is_read() {
    let text = "1".repeat(MAX_LINE - 1);
    assert_eq!(lines(format!("{text}\n")), [ok(1, &text)]);
}

fn field(text: &str) -> Field<'_> {
    let line = TextLine {
        text,
        file: Path::new("f"),
        number: 1,
    };
    line.field("size", text)
}

#[test]
fn whole_numbers() {
    assert_eq!(
        field("18446744073709551615").integer("1").unwrap(),
        u64::MAX
    );
    for (text, message) in [
        (
            "",
            "f:1: size: `` is not a whole number; give digits only, e.g. `1`",
        ),
        (
            "1.5",
            "f:1: size: `1.5` is not a whole number; give digits only, e.g. `1`",
        ),
        (
            "+1",
            "f:1: size: `+1` is not a whole number; give digits only, e.g. `1`",
        ),
        (
            "١",
            "f:1: size: `١` is not a whole number; give digits only, e.g. `1`",
        ),
        ("-1", "f:1: size: `-1` is negative; give zero or more"),
        (
            "18446744073709551616",
            "f:1: size: `18446744073709551616` is too large; give at most 18446744073709551615",
        ),
    ] {
        assert_eq!(field(text).integer("1").unwrap_err().to_string(), message);
    }
    let error = field("8").integer_up_to(7, "3").unwrap_err();
    assert_eq!(
        error.to_string(),
        "f:1: size: `8` is too large; give at most 7"
    );
}

#[test]
fn sizes() {
    let largest = i64::MAX.to_string();
    assert_eq!(field(&largest).size().unwrap(), Bytes::new(i64::MAX as u64));
    for text in ["9223372036854775808", "99999999999999999999999"] {
        let expected = format!(
            "f:1: size: {text} bytes are more than a flow may have; \
             give at most 9223372036854775807 (2^63 - 1)"
        );
        assert_eq!(field(text).size().unwrap_err().to_string(), expected);
    }
    assert_eq!(
        field("0").size().unwrap_err().to_string(),
        "f:1: size: a flow of 0 bytes never ends; give at least 1 byte"
    );
}
