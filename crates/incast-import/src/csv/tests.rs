use std::io::Cursor;

use super::*;
use crate::flow_checks::tests::{Short, all};

fn read(text: &str) -> Result<Vec<Short>, String> {
    let lines = TextLines::new(Cursor::new(text.to_owned()), "flows.csv");
    all(Csv::new(lines, HostNames::numbered(16)))
}

/// Hosts 0 to 3 have names; the text `2` is a number nevertheless.
#[test]
fn hosts_may_be_named() {
    let hosts = HostNames::named(&["gpu0", "gpu 1", "2", "storage"].map(str::to_owned));
    let read = |rows: &str| {
        let text = format!("source,destination,size_bytes,start_us\n{rows}");
        let lines = TextLines::new(Cursor::new(text), "flows.csv");
        all(Csv::new(lines, hosts.clone()))
    };
    let expected = Ok(vec![(0, 0, 3, 9), (1_000_000, 1, 2, 9)]);
    assert_eq!(read("gpu0,\"storage\",9,0\ngpu 1,2,9,1\n"), expected);
    for (row, message) in [
        (
            "gpu0,gpu2,9,0",
            "destination: unknown host `gpu2`; did you mean `gpu 1`?",
        ),
        (
            "gpu0,0,9,0",
            "destination: host 0 would send to itself; give another host",
        ),
        (
            "4,0,9,0",
            "source: host 4 does not exist; the network has hosts 0–3",
        ),
    ] {
        assert_eq!(read(row), Err(format!("flows.csv:2: {message}")));
    }
}

#[test]
fn columns_come_in_any_order_among_others() {
    let expected = Ok(vec![(0, 0, 15, 1_000_000), (20_500_000, 1, 15, 5)]);
    for text in [
        "source,destination,size_bytes,start_us\n0,15,1000000,0\n1,15,5,20.5\n",
        "note,start_us,size_bytes,destination,source,fct\na,0,1000000,15,0,\nb,20.5,5,15,1,\n",
        "\u{feff}source, destination , size_bytes,start_us\r\n\
         0, 15,1000000,0\r\n\r\n1,15,5,20.5\r\n",
        "\"source\",\"destination\",\"size_bytes\",\"start_us\",\"why\"\n\
         \"0\",\"15\",\"1000000\",\"0\",\"one, two\"\n1,15,5,\"20.5\",\"say \"\"a, b\"\"\"\n",
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn starts_are_in_the_unit_of_their_column() {
    for (unit, start) in [
        ("ps", 2),
        ("ns", 2_000),
        ("us", 2_000_000),
        ("ms", 2_000_000_000),
        ("s", 2_000_000_000_000),
    ] {
        let text = format!("start_{unit},source,destination,size_bytes\n2,0,1,1\n");
        assert_eq!(read(&text), Ok(vec![(start, 0, 1, 1)]));
    }
}

#[test]
fn bad_headers_are_explained() {
    const NAMED: &str =
        "the first line names the columns, e.g. `source,destination,size_bytes,start_ps`";
    const STARTS: &str =
        "name one `start_ps`, `start_ns`, `start_us`, `start_ms` or `start_s`, for what it counts";
    for (header, expected) in [
        (
            "0,15,1000000,0",
            format!("start: no column of `0,15,1000000,0` has this name; {STARTS}"),
        ),
        (
            "source,destination,size_bytes,start",
            format!(
                "start: no column of `source,destination,size_bytes,start` has this name; {STARTS}"
            ),
        ),
        (
            "src,dst,size_bytes,start_ps",
            format!("source: no column of `src,dst,size_bytes,start_ps` has this name; {NAMED}"),
        ),
        (
            "source,destination,size,start_ps",
            format!(
                "size_bytes: no column of `source,destination,size,start_ps` has this name; {NAMED}"
            ),
        ),
        (
            "source;destination;size_bytes;start_ps",
            format!(
                "start: no column of `source;destination;size_bytes;start_ps` has this name; \
                 {STARTS}"
            ),
        ),
        (
            "source,destination,size_bytes,start_ps,start_us",
            "start: `start_ps` and `start_us` both give it; leave one of the columns out"
                .to_owned(),
        ),
        (
            "source,destination,size_bytes,start_ps,source",
            "source: `source` and `source` both give it; leave one of the columns out".to_owned(),
        ),
    ] {
        let text = format!("{header}\n0,1,1,1\n");
        assert_eq!(read(&text), Err(format!("flows.csv:1: {expected}")));
    }
    assert_eq!(
        read(""),
        Err(
            "flows.csv: the file is empty; it begins with `source,destination,size_bytes,start_ps`"
                .to_owned()
        )
    );
}

#[test]
fn bad_rows_are_placed_and_explained() {
    const FORM: &str = "`source,destination,size_bytes,start_ps`";
    for (row, expected) in [
        (
            "0,1,1000",
            format!("start_ps: the line ends before it; a line is {FORM}: is the file cut off?"),
        ),
        (
            "0",
            format!("destination: the line ends before it; a line is {FORM}: is the file cut off?"),
        ),
        (
            "0,1,1000,0,9",
            format!("end of line: `9` is too much; a line is {FORM}"),
        ),
        (
            "0,,1000,0",
            "destination: `` is not a whole number; give digits only, e.g. `0`".to_owned(),
        ),
        (
            "0,16,1000,0",
            "destination: host 16 does not exist; the network has hosts 0–15".to_owned(),
        ),
        (
            "0,1,1e6,0",
            "size_bytes: `1e6` is not a whole number; give digits only, e.g. `1000000`".to_owned(),
        ),
        (
            "0,1,1000,soon",
            "start_ps: `soon` is not a decimal number; give e.g. `1500000`".to_owned(),
        ),
    ] {
        let text = format!("source,destination,size_bytes,start_ps\n0,1,1,1\n{row}\n");
        assert_eq!(read(&text), Err(format!("flows.csv:3: {expected}")));
    }
}
