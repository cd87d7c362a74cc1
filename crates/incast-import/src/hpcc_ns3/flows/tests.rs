use std::io::Cursor;

use super::*;
use crate::flow_checks::tests::{Short, all};

const STRICT: FlowOptions = FlowOptions {
    count: FlowCount::Check,
    priorities: Strictness::Check,
    clock: StartClock::Exact,
};

fn read_with(text: &str, options: FlowOptions) -> Result<Vec<Short>, String> {
    let lines = TextLines::new(Cursor::new(text.to_owned()), "flow.txt");
    all(FlowFileReader::new(
        lines,
        options,
        HostNames::numbered(320),
    ))
}

fn read(text: &str) -> Result<Vec<Short>, String> {
    read_with(text, STRICT)
}

/// With the blank that the artifact's generator leaves after the count.
const THREE: &str = "3 \n\
                     13 6 3 100 443 2.000000040\n\
                     91 176 3 100 310 2.000000110\n\
                     179 203 3 100 490 2.000000164\n";

#[test]
fn starts_are_exact() {
    assert_eq!(
        read(THREE),
        Ok(vec![
            (2_000_000_040_000, 13, 6, 443),
            (2_000_000_110_000, 91, 176, 310),
            (2_000_000_164_000, 179, 203, 490),
        ])
    );
}

/// The artifact recorded 2000000163 ns for the third of these flows.
#[test]
fn starts_may_be_those_of_ns3() {
    let options = FlowOptions {
        clock: StartClock::Ns3,
        ..STRICT
    };
    let starts: Vec<_> = read_with(THREE, options)
        .unwrap()
        .iter()
        .map(|flow| flow.0)
        .collect();
    assert_eq!(
        starts,
        [2_000_000_040_000, 2_000_000_110_000, 2_000_000_163_000]
    );
}

#[test]
fn bad_lines_are_placed_and_explained() {
    const FORM: &str = "`source destination priority_group destination_port size_bytes start_s`";
    for (line, expected) in [
        (
            "hello",
            "source: `hello` is not a whole number; give digits only, e.g. `0`".to_owned(),
        ),
        (
            "0",
            format!("destination: the line ends before it; a line is {FORM}: is the file cut off?"),
        ),
        (
            "0 1 3 100 1000",
            format!("start_s: the line ends before it; a line is {FORM}: is the file cut off?"),
        ),
        (
            "0 1 3 100 1000 2.0 7",
            format!("end of line: `7` is too much; a line is {FORM}"),
        ),
        (
            "320 1 3 100 1000 2.0",
            "source: host 320 does not exist; the network has hosts 0–319".to_owned(),
        ),
        (
            "0 4294967296 3 100 1000 2.0",
            "destination: `4294967296` is too large; give at most 4294967295".to_owned(),
        ),
        (
            "5 5 3 100 1000 2.0",
            "destination: host 5 would send to itself; give another host".to_owned(),
        ),
        (
            "0 1 8 100 1000 2.0",
            "priority_group: `8` is too large; give at most 7".to_owned(),
        ),
        (
            "0 1 3 65536 1000 2.0",
            "destination_port: `65536` is too large; give at most 65535".to_owned(),
        ),
        (
            "0 1 3 100 -1000 2.0",
            "size_bytes: `-1000` is negative; give zero or more".to_owned(),
        ),
        (
            "0 1 3 100 0 2.0",
            "size_bytes: a flow of 0 bytes never ends; give at least 1 byte".to_owned(),
        ),
        (
            "0 1 3 100 9223372036854775808 2.0",
            "size_bytes: 9223372036854775808 bytes are more than a flow may have; \
             give at most 9223372036854775807 (2^63 - 1)"
                .to_owned(),
        ),
        (
            "0 1 3 100 1000 2,0",
            "start_s: `2,0` is not a decimal number; give e.g. `2.000001500`".to_owned(),
        ),
        (
            "0 1 3 100 1000 -2.0",
            "start_s: `-2.0` is negative; give zero or more".to_owned(),
        ),
        (
            "0 1 3 100 1000 5e6",
            "start_s: 5000000s is too late to simulate; \
             let flows start within 4611686s (53 days)"
                .to_owned(),
        ),
    ] {
        let text = format!("2\n0 1 3 100 1000 2.0\n{line}\n");
        assert_eq!(read(&text), Err(format!("flow.txt:3: {expected}")));
    }
}

#[test]
fn the_file_begins_with_a_count() {
    for (text, message) in [
        (
            "",
            "flow.txt: the file is empty; it begins with the number of its flows",
        ),
        (
            "0 1 3 100 1000 2.0\n",
            "flow.txt:1: count: `0 1 3 100 1000 2.0` is not a whole number; \
             give digits only, e.g. `16`",
        ),
        (
            "-1\n",
            "flow.txt:1: count: `-1` is negative; give zero or more",
        ),
    ] {
        assert_eq!(read(text), Err(message.to_owned()));
    }
}

fn flows(stated: &str, flows: usize) -> String {
    format!("{stated}\n{}", "0 1 3 100 1000 2.0\n".repeat(flows))
}

/// The generator writes `12` over the first two digits of its estimate, `1374`.
#[test]
fn stray_digits_of_the_generator_are_explained() {
    assert_eq!(
        read(&flows("1274", 12)),
        Err(
            "flow.txt:1: count: the file says 1274 flows but has 12; the artifact's generator \
             writes the true count over a longer estimate and leaves the estimate's last digits: \
             write 12, or set `count = \"ignore\"` (`incast import` has `--count ignore`)"
                .to_owned()
        )
    );
}

#[test]
fn other_wrong_counts_are_explained() {
    for (stated, found) in [("13", 12), ("12", 0)] {
        assert_eq!(
            read(&flows(stated, found)),
            Err(format!(
                "flow.txt:1: count: the file says {stated} but has {found}: is it cut off? \
                 Write {found}, or set `count = \"ignore\"` (`incast import` has \
                 `--count ignore`)"
            ))
        );
    }
    assert_eq!(
        read(&flows("2", 3)),
        Err(
            "flow.txt:4: count: one flow more than the 2 that the top of the file promises; \
             set `count = \"first\"` to read as many, as ns-3 does, or `count = \"ignore\"` to \
             read all"
                .to_owned()
        )
    );
}

#[test]
fn the_count_may_be_ignored() {
    let options = FlowOptions {
        count: FlowCount::Ignore,
        ..STRICT
    };
    for stated in ["2", "3", "3000"] {
        assert_eq!(
            read_with(&flows(stated, 3), options).map(|flows| flows.len()),
            Ok(3)
        );
    }
}

/// ns-3 reads as many flows as the head states, and nothing after them.
#[test]
fn the_first_flows_may_be_enough() {
    let options = FlowOptions {
        count: FlowCount::First,
        ..STRICT
    };
    for (stated, found) in [("2", 2), ("3", 3), ("0", 0)] {
        let text = flows(stated, 3) + "source destination: see above\n";
        assert_eq!(
            read_with(&text, options).map(|flows| flows.len()),
            Ok(found)
        );
    }
    let few = read_with(&flows("4", 3), options).unwrap_err();
    assert!(
        few.starts_with("flow.txt:1: count: the file says 4 but has 3"),
        "{few}"
    );
    let beyond = |text: String| lines_beyond(TextLines::new(Cursor::new(text), "flow.txt"));
    let rest = beyond(flows("1", 3)).map(UnreadLines::counted);
    assert_eq!(rest, Some("2 more lines".to_owned()));
    assert_eq!(beyond(flows("3", 3)), None);
    assert_eq!(beyond(flows("4", 3)), None);
}

/// Hosts 1, 2 and 5 of the topology file are our hosts 0, 1 and 2.
#[test]
fn hosts_have_the_numbers_of_the_topology_file() {
    let hosts = HostNames::numbered(3).with_file_numbers(&[1, 2, 5]);
    let read = |text: &str| {
        let lines = TextLines::new(Cursor::new(text.to_owned()), "flow.txt");
        all(FlowFileReader::new(lines, STRICT, hosts.clone()))
    };
    assert_eq!(
        read("1\n5 1 3 100 7 2\n"),
        Ok(vec![(2_000_000_000_000, 2, 0, 7)])
    );
    assert_eq!(
        read("1\n5 0 3 100 7 2\n").unwrap_err(),
        "flow.txt:2: destination: node 0 of the topology file is no host with a link; its hosts \
         are nodes 1, 2, 5"
    );
}

#[test]
fn priorities_must_be_equal_or_ignored() {
    let two = |first, second| format!("2\n0 1 {first} 100 9 2\n0 1 {second} 100 9 2\n");
    let ignore = FlowOptions {
        priorities: Strictness::Ignore,
        ..STRICT
    };
    assert_eq!(read(&two(5, 5)).map(|flows| flows.len()), Ok(2));
    assert_eq!(
        read(&two(3, 4)),
        Err(
            "flow.txt:3: priority_group: 4 differs from the 3 of the flows before; all flows share \
             one class here: set `priorities = \"ignore\"` to read them as equals \
             (`incast import` has `--priorities ignore`)"
                .to_owned()
        )
    );
    assert_eq!(
        read(&two(0, 0)),
        Err(
            "flow.txt:2: priority_group: group 0 is served ahead of all others and never paused \
             there; all flows share one class here: set `priorities = \"ignore\"` to \
             read it as data (`incast import` has `--priorities ignore`)"
                .to_owned()
        )
    );
    for text in [two(3, 4), two(0, 3)] {
        assert_eq!(read_with(&text, ignore).map(|flows| flows.len()), Ok(2));
    }
}
