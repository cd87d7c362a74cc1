use std::io::Cursor;

use super::*;
use crate::flow_checks::tests::{Short, all};

const STRICT: MatrixOptions = MatrixOptions {
    start_unit: TimeUnit::Picosecond,
    count: Strictness::Check,
    priorities: Strictness::Check,
};

fn read_with(text: &str, options: MatrixOptions) -> Result<Vec<Short>, String> {
    let lines = TextLines::new(Cursor::new(text.to_owned()), "t.cm");
    all(Ok(MatrixReader::new(lines, options, 128)))
}

fn read(text: &str) -> Result<Vec<Short>, String> {
    read_with(text, STRICT)
}

const TWO: &str = "# made by hand\n\
                   Nodes 128\n\
                   Connections 2\n\
                   0->17 id 1 start 0 size 200000000\n\
                   5->9 id 2 start 1500000 size 43210\n";

#[test]
fn starts_count_what_the_reader_is_told() {
    let flows = |start| Ok(vec![(0, 0, 17, 200_000_000), (start, 5, 9, 43_210)]);
    assert_eq!(read(TWO), flows(1_500_000));
    let start_unit = TimeUnit::Microsecond;
    let options = MatrixOptions {
        start_unit,
        ..STRICT
    };
    assert_eq!(read_with(TWO, options), flows(1_500_000_000_000));
}

/// Words are in any order; ids may be missing; starts may have decimals.
#[test]
fn words_come_in_any_order() {
    let text = "Connections 1\nNodes 2\n0->1 size 10 start 2.0\n";
    assert_eq!(read(text), Ok(vec![(2, 0, 1, 10)]));
}

/// Triggers have no effect if no flow waits for them.
#[test]
fn triggers_without_flows_are_read_over() {
    let text = "Nodes 8\nConnections 1\nTriggers 2\n\
                trigger id 1 oneshot\ntrigger id 2 barrier count 4\n\
                7->3 id 3 start 0 size 100000 send_done_trigger 1 recv_done_trigger 2\n";
    assert_eq!(read(text), Ok(vec![(0, 7, 3, 100_000)]));
}

#[test]
fn bad_lines_are_placed_and_explained() {
    const FORM: &str = "`0->17 id 1 start 0 size 200000000`";
    for (line, expected) in [
        (
            "garbage in",
            format!("line: `garbage in` is not what comes here; write e.g. {FORM}"),
        ),
        (
            "0->x start 0 size 1",
            "destination: `x` is not a whole number; give digits only, e.g. `0`".to_owned(),
        ),
        (
            "128->0 start 0 size 1",
            "source: host 128 does not exist; the network has hosts 0–127".to_owned(),
        ),
        (
            "4->4 start 0 size 1",
            "destination: host 4 would send to itself; give another host".to_owned(),
        ),
        (
            "0->1 start 0 size -5",
            "size: `-5` is negative; give zero or more".to_owned(),
        ),
        (
            "0->1 start 0 size 9223372036854775808",
            "size: 9223372036854775808 bytes are more than a flow may have; \
             give at most 9223372036854775807 (2^63 - 1)"
                .to_owned(),
        ),
        (
            "0->1 start 0 size",
            format!("size: the line ends before it; a line is {FORM}: is the file cut off?"),
        ),
        (
            "0->1 start 0",
            format!("size: the flow has none; write e.g. {FORM}"),
        ),
        (
            "0->1 size 5",
            format!("start: the flow has none; write e.g. {FORM}"),
        ),
        (
            "0->1 start 0 size 5 size 6",
            "size: the flow has it twice; leave one".to_owned(),
        ),
        (
            "0->1 start 0 size 5 colour 6",
            format!("word: `colour` is not what comes here; write e.g. {FORM}"),
        ),
        (
            "0->1 id 3 start 0 size 5 trigger 2",
            "trigger: the flow starts when another one ends, which a list of flows cannot say; \
             read the matrix as tasks, with kind = \"tasks\"; or give the flow a `start` of its own"
                .to_owned(),
        ),
        (
            "0->1 id 3 start 0 size 5 addon",
            "word: a flow that goes on with each activation of its trigger is not known here; \
             leave the word out, or write a flow for each activation"
                .to_owned(),
        ),
        (
            "failure switch_type TOR switch_id 0 link_id 1",
            "failure: a failing link is no traffic; \
             leave the line out and describe the failure with the network"
                .to_owned(),
        ),
        (
            "trigger id 1 twoshot",
            "word: `twoshot` is not what comes here; write e.g. `trigger id 1 oneshot`".to_owned(),
        ),
        (
            "Connections 7",
            "Connections: line 2 says it already; leave one of them".to_owned(),
        ),
        (
            "Nodes 16",
            "Nodes: line 1 says it already; leave one of them".to_owned(),
        ),
        (
            "0->1 id 1 start 0 size 5 id 5",
            "id: the flow has it twice; leave one".to_owned(),
        ),
        (
            "trigger id 1 oneshot count 4",
            "count: only a barrier counts what activates it; leave `count` out, or write `barrier`"
                .to_owned(),
        ),
        (
            "trigger id 1 barrier count 1 count 1",
            "count: the line has it twice; leave one".to_owned(),
        ),
        (
            "trigger id 1 id 2 oneshot",
            "id: the line has it twice; leave one".to_owned(),
        ),
        (
            "trigger id 1 oneshot barrier count 2",
            "kind: the line has it twice; leave one".to_owned(),
        ),
    ] {
        let text = format!("Nodes 128\nConnections 2\n0->1 start 0 size 1\n{line}\n");
        assert_eq!(read(&text), Err(format!("t.cm:4: {expected}")));
    }
}

/// Two lines must not contradict each other.
#[test]
fn lines_that_contradict_each_other_are_refused() {
    for (text, message) in [
        (
            "Nodes 4\nConnections 1\n0->7 start 0 size 1\n",
            "t.cm:3: destination: host 7 is none of the 4 that `Nodes` says, which count from 0; \
             give another host, or write `Nodes 8`",
        ),
        (
            "Nodes 4\nConnections 1\n4->0 start 0 size 1\n",
            "t.cm:3: source: host 4 is none of the 4 that `Nodes` says, which count from 0; \
             give another host, or write `Nodes 5`",
        ),
        (
            "Nodes 8\n# larger\nNodes 16\n",
            "t.cm:3: Nodes: line 1 says it already; leave one of them",
        ),
        (
            "Nodes 8\nTriggers 1\nTriggers 7\n",
            "t.cm:3: Triggers: line 2 says it already; leave one of them",
        ),
        (
            "Nodes 8\nFailures 0\nFailures 0\n",
            "t.cm:3: Failures: line 2 says it already; leave one of them",
        ),
        (
            "Nodes 8\nConnections 2\n0->1 id 3 start 0 size 1\n1->2 id 3 start 0 size 1\n",
            "t.cm:4: id: a flow above has the number 3, too; give each flow a number of its own, \
             or leave `id` out",
        ),
    ] {
        assert_eq!(read(text), Err(message.to_owned()));
    }
}

#[test]
fn the_header_comes_first() {
    for (text, message) in [
        (
            "Nodes\n",
            "t.cm:1: count: the line ends before it; a line is `Nodes 128`: is the file cut off?",
        ),
        (
            "Nodes 1000\n",
            "t.cm:1: Nodes: the matrix is for 1000 hosts; the network has only 128",
        ),
        (
            "\n",
            "t.cm: the file is empty; it begins with `Nodes` and the number of hosts",
        ),
        (
            "Connections 1\n0->1 start 0 size 1\n",
            "t.cm:2: Nodes: the file has no such line before its first flow; add e.g. `Nodes 128`",
        ),
        (
            "Nodes 2\n0->1 start 0 size 1\n",
            "t.cm:2: Connections: the file has no such line before its first flow; \
             add e.g. `Connections 3`",
        ),
        (
            "Nodes 2\n",
            "t.cm:1: Connections: the file has no such line before its first flow; \
             add e.g. `Connections 3`",
        ),
    ] {
        assert_eq!(read(text), Err(message.to_owned()));
    }
}

#[test]
fn the_number_of_connections_must_be_right_or_ignored() {
    let text = "Nodes 2\nConnections 2\n0->1 start 0 size 1\n";
    assert_eq!(
        read(text),
        Err(
            "t.cm:2: count: the file says 2 but has 1: is it cut off? Write 1, \
             or set `count = \"ignore\"`"
                .to_owned()
        )
    );
    let options = MatrixOptions {
        count: Strictness::Ignore,
        ..STRICT
    };
    assert_eq!(read_with(text, options), Ok(vec![(0, 0, 1, 1)]));
}

#[test]
fn priorities_must_be_equal_or_ignored() {
    let text = "Nodes 2\nConnections 2\n0->1 start 0 size 1 prio 7\n0->1 start 0 size 1\n";
    assert_eq!(
        read(text),
        Err(
            "t.cm:4: prio: 2000000 differs from the 7 of the flows before; all flows share one \
             class here: set `priorities = \"ignore\"` to read them as equals"
                .to_owned()
        )
    );
    let options = MatrixOptions {
        priorities: Strictness::Ignore,
        ..STRICT
    };
    assert_eq!(read_with(text, options).map(|flows| flows.len()), Ok(2));
}
