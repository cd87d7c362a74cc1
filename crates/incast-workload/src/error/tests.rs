use std::collections::BTreeSet;
use std::io;

use incast_units::{Bytes, HostId, Time};

use super::*;

macro_rules! variants {
    ($($name:ident)*) => {
        /// The compiler refuses this until a new variant is listed below.
        fn name(fault: &Fault) -> &'static str {
            match fault {
                $(Fault::$name { .. } => stringify!($name),)*
            }
        }

        const ALL: &[&str] = &[$(stringify!($name)),*];
    };
}

variants! {
    UnknownHost ToItself EmptyFlow FlowTooLarge TooLate BackInTime Outside
    Load NeverEnds Zero NoTime NotHosts Backwards NoHosts HostTwice TooFewHosts NoDestination
    TooManyDrawn Shift Weight EmptyMix TooFewBytes RoundsOverlap NoRate TooManyEntries
    StartUnitMissing OptionUnused
    Unreadable EmptyFile LineTooLong NotText FieldMissing FieldTooMany NotInteger NotDecimal
    Negative NumberTooLarge NoFlows Unsorted
    StrayDigits Count MoreThanStated Priority ControlPriority BeforeBase
    Unexpected HeaderMissing TooManyNodes Unsupported WordMissing WordTwice
    ColumnMissing ColumnTwice
    TableStart TableEnd TableFalls TableRepeats
}

/// One of each kind, with its message. The tests of each module show them in their places.
fn messages() -> Vec<(Fault, &'static str)> {
    let text = || "x".to_owned();
    let host = HostId(3);
    let us = Time::from_us;
    vec![
        (
            Fault::UnknownHost { host, hosts: 3 },
            "host 3 does not exist; the network has hosts 0–2",
        ),
        (
            Fault::UnknownHost { host, hosts: 1 },
            "host 3 does not exist; the network has only host 0",
        ),
        (
            Fault::UnknownHost { host, hosts: 0 },
            "host 3 does not exist; the network has no hosts",
        ),
        (
            Fault::ToItself { host },
            "host 3 would send to itself; give another host",
        ),
        (
            Fault::EmptyFlow,
            "a flow of 0 bytes never ends; give at least 1 byte",
        ),
        (
            Fault::FlowTooLarge { size: text() },
            "x bytes are more than a flow may have; \
             give at most 9223372036854775807 (2^63 - 1)",
        ),
        (
            Fault::TooLate { start: text() },
            "x is too late to simulate; let flows start within 4611686s (53 days)",
        ),
        (
            Fault::back_in_time(us(1), us(2)),
            "1us is before 2us, where the flow before it starts; give flows in order of start",
        ),
        (Fault::Outside("x".into()), "x"),
        (
            Fault::Load { load: 1.5 },
            "1.5 is more than the links carry; give a load above 0 and at most 1",
        ),
        (
            Fault::Load { load: 0.0 },
            "0 is no traffic; give a load above 0 and at most 1",
        ),
        (
            Fault::Load { load: -1.0 },
            "-1 is less than nothing; give a load above 0 and at most 1",
        ),
        (
            Fault::Load { load: f64::NAN },
            "NaN is not a number; give a load above 0 and at most 1",
        ),
        (
            Fault::NeverEnds,
            "nothing ends this traffic; give `duration`, `count`, or both",
        ),
        (Fault::Zero, "0 makes no traffic; give at least 1"),
        (
            Fault::NoTime,
            "0 is no time; give a time above 0, e.g. `20us`",
        ),
        (
            Fault::NotHosts { text: text() },
            "`x` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`",
        ),
        (
            Fault::Backwards {
                first: host,
                last: HostId(1),
            },
            "`3-1` runs backwards; write `1-3`",
        ),
        (
            Fault::NoHosts,
            "no host is listed; list at least one, e.g. `\"0-15\"`",
        ),
        (
            Fault::HostTwice { host },
            "host 3 is listed twice; list each host once",
        ),
        (
            Fault::TooFewHosts { have: 1, need: 2 },
            "1 host is too few; 2 are needed at least",
        ),
        (
            Fault::TooFewHosts { have: 0, need: 2 },
            "0 hosts are too few; 2 are needed at least",
        ),
        (
            Fault::NoDestination { host },
            "host 3 has only itself to send to; add another host",
        ),
        (
            Fault::TooManyDrawn {
                wanted: 17,
                available: 16,
            },
            "17 hosts cannot be drawn from 16; give at most 16",
        ),
        (
            Fault::Shift { shift: 4, hosts: 4 },
            "a shift by 4 among 4 hosts sends each host to itself; give 1 to 3",
        ),
        (
            Fault::Weight { weight: -1.0 },
            "a weight of -1 cannot be drawn by; give a number above 0",
        ),
        (
            Fault::EmptyMix,
            "an empty mix has no sizes; \
             give at least one part, e.g. { sizes = \"web-search\", weight = 1 }",
        ),
        (
            Fault::TooFewBytes {
                data: Bytes::new(3),
                hosts: 4,
            },
            "3B cannot be cut into a chunk for each of 4 hosts; give at least 4B",
        ),
        (
            Fault::RoundsOverlap {
                every: us(1),
                span: us(2),
            },
            "the next round would begin after 1us, when this one still starts flows until 2us; \
             give 2us or more",
        ),
        (
            Fault::NoRate { host },
            "the NIC of host 3 has no rate, so a load on it means nothing; leave the host out",
        ),
        (
            Fault::TooManyEntries { entry: 65_536 },
            "entry 65536 is one too many; a scenario has at most 65536 traffic entries",
        ),
        (
            Fault::StartUnitMissing,
            "a connection matrix does not say what `start` counts: some htsim programs take \
             picoseconds, others microseconds; give `start_unit = \"ps\"` or `\"us\"`",
        ),
        (
            Fault::OptionUnused { format: "csv" },
            "files of format `csv` have no use for it; remove it",
        ),
        (
            Fault::Unreadable(io::Error::other("x")),
            "cannot be read: x; check that the path is right, seen from the scenario's folder",
        ),
        (
            Fault::EmptyFile { begins: "x" },
            "the file is empty; it begins with x",
        ),
        (
            Fault::LineTooLong { limit: 9 },
            "the line is longer than 9 bytes; this is no list of flows or sizes",
        ),
        (
            Fault::NotText { byte: 9 },
            "byte 9 of the line is not text; save the file as UTF-8",
        ),
        (
            Fault::FieldMissing { line: "a b".into() },
            "the line ends before it; a line is `a b`: is the file cut off?",
        ),
        (
            Fault::FieldTooMany {
                text: text(),
                line: "a b".into(),
            },
            "`x` is too much; a line is `a b`",
        ),
        (
            Fault::NotInteger {
                text: text(),
                example: "7",
            },
            "`x` is not a whole number; give digits only, e.g. `7`",
        ),
        (
            Fault::NotDecimal {
                text: text(),
                example: "7",
            },
            "`x` is not a decimal number; give e.g. `7`",
        ),
        (
            Fault::Negative { text: text() },
            "`x` is negative; give zero or more",
        ),
        (
            Fault::NumberTooLarge {
                text: text(),
                most: 7,
            },
            "`x` is too large; give at most 7",
        ),
        (
            Fault::NoFlows,
            "no flow is listed; list at least one, or remove the entry",
        ),
        (
            Fault::Unsorted { limit: 9 },
            "the flow starts before the one above it, and the file is too long to sort here \
             (over 9 flows); sort its lines by start",
        ),
        (
            Fault::StrayDigits {
                stated: 123,
                found: 12,
            },
            "the file says 123 flows but has 12; the artifact's generator writes the true count \
             over a longer estimate and leaves the estimate's last digits: write 12, or set \
             `count = \"ignore\"`",
        ),
        (
            Fault::Count {
                stated: 3,
                found: 2,
            },
            "the file says 3 but has 2: is it cut off? Write 2, or set `count = \"ignore\"`",
        ),
        (
            Fault::MoreThanStated { stated: 3 },
            "one flow more than the 3 that the top of the file promises; \
             correct the count, or set `count = \"ignore\"`",
        ),
        (
            Fault::Priority { found: 4, first: 3 },
            "4 differs from the 3 of the flows before; all flows share one class here: \
             set `priorities = \"ignore\"` to read them as equals",
        ),
        (
            Fault::ControlPriority,
            "group 0 is served ahead of all others and never paused there; all flows share one \
             class here: set `priorities = \"ignore\"` to read it as data",
        ),
        (
            Fault::BeforeBase {
                start: us(1),
                base: us(2),
            },
            "1us is before the base of 2us; give a smaller `base`",
        ),
        (
            Fault::Unexpected {
                text: text(),
                example: "y",
            },
            "`x` is not what comes here; write e.g. `y`",
        ),
        (
            Fault::HeaderMissing { example: "y" },
            "the file has no such line before its first flow; add e.g. `y`",
        ),
        (
            Fault::TooManyNodes { nodes: 9, hosts: 8 },
            "the matrix is for 9 hosts; the network has only 8",
        ),
        (
            Fault::Unsupported {
                why: "x",
                instead: "y",
            },
            "x; y",
        ),
        (
            Fault::WordMissing { example: "y" },
            "the flow has none; write e.g. `y`",
        ),
        (Fault::WordTwice, "the flow has it twice; leave one"),
        (
            Fault::ColumnMissing {
                header: text(),
                instead: "y",
            },
            "no column of `x` has this name; y",
        ),
        (
            Fault::ColumnTwice {
                first: "x",
                second: "y",
            },
            "`x` and `y` both give it; leave one of the columns out",
        ),
        (
            Fault::TableStart { percent: 5.0 },
            "the table begins at 5 %; let its first line end in 0",
        ),
        (
            Fault::TableEnd { percent: 99.0 },
            "the table ends at 99 %; let its last line end in 100",
        ),
        (
            Fault::TableEnd { percent: 1.0 },
            "the table ends at 1 %; it must end at 100: are these fractions? Multiply them by 100",
        ),
        (
            Fault::TableFalls {
                value: 1.0,
                previous: 2.0,
            },
            "1 is less than the 2 above it; sizes and percentages only grow",
        ),
        (
            Fault::TableRepeats,
            "the line repeats the one above it; leave it out",
        ),
    ]
}

#[test]
fn every_fault_says_what_was_wrong_and_what_would_be_right() {
    for (fault, message) in messages() {
        assert_eq!(fault.to_string(), message);
    }
}

#[test]
fn no_fault_is_missing_here() {
    let seen: BTreeSet<_> = messages().iter().map(|(fault, _)| name(fault)).collect();
    let missing: Vec<_> = ALL.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn places_are_shown() {
    let file = PathBuf::from("a/flow.txt");
    let (line, field) = (7, "size");
    for (place, shown) in [
        (Place::Key("load".into()), "load"),
        (Place::File(file.clone()), "a/flow.txt"),
        (Place::Line { file, line, field }, "a/flow.txt:7: size"),
        (Place::Flow { flow: 5, field }, "flow 5: size"),
        (Place::Outside, "traffic from outside"),
    ] {
        assert_eq!(place.to_string(), shown);
    }
}

#[test]
fn only_keys_move_under_another() {
    let error = WorkloadError::at_key("load", Fault::Zero).under("traffic[2]");
    assert_eq!(*error.place, Place::Key("traffic[2].load".into()));
    let error = WorkloadError::in_file("f", Fault::NoFlows).under("traffic[2]");
    assert_eq!(*error.place, Place::File("f".into()));
}

#[test]
fn an_error_from_outside_is_found_again() {
    let error = WorkloadError::outside(io::Error::other("generator failed"));
    assert_eq!(error.to_string(), "traffic from outside: generator failed");
    let Fault::Outside(inner) = *error.fault else {
        panic!()
    };
    assert!(inner.downcast_ref::<io::Error>().is_some());
}
