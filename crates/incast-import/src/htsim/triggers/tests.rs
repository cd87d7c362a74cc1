use std::path::Path;

use incast_workload::Strictness;

use super::*;
use crate::decimal::TimeUnit;

/// The tasks of a matrix for four hosts, or the diagnostic, also of the checked list.
fn said(text: &str) -> String {
    let lines = TextLines::new(text.as_bytes(), Path::new("m.cm"));
    let options = MatrixOptions {
        start_unit: TimeUnit::Microsecond,
        count: Strictness::Check,
        priorities: Strictness::Check,
    };
    let read = match read(lines, options, 4) {
        Ok(read) => read,
        Err(wrong) => return wrong.to_string(),
    };
    let list = format!("{:?}", read.list);
    let checked = read.list.check(&read.name);
    checked.map_or_else(|wrong| wrong.to_string(), |_| list)
}

/// A matrix of these connections and triggers.
fn of(lines: &[&str]) -> String {
    let connections = lines.iter().filter(|line| line.contains("->")).count();
    let head = format!("Nodes 4\nConnections {connections}\nTriggers 1\n");
    said(&(head + &lines.join("\n")))
}

/// Host 1 sends after it has received, and again after its message is acknowledged; host 3 begins
/// by itself.
#[test]
fn flows_wait_for_what_sets_them_off() {
    let list = of(&[
        "0->1 id 1 start 0 size 10 recv_done_trigger 1",
        "1->2 id 2 trigger 1 size 20 send_done_trigger 2",
        "1->3 id 3 size 30 trigger 2",
        "3->1 id 4 start 1.5 size 40 recv_done_trigger 2",
        "trigger id 1 oneshot",
        "trigger id 2 barrier count 2",
    ]);
    for expected in [
        "(0, Send { to: 1, size: Bytes(10), tag: 4, lane: 0, nic: None }), \
         (1, Receive { from: 0, size: Bytes(10), tag: 4 }), \
         (1, Send { to: 2, size: Bytes(20), tag: 5, lane: 0, nic: None })",
        "(3, Compute { duration: Time(1500000), unit: 6 }), \
         (3, Send { to: 1, size: Bytes(40), tag: 7, lane: 0, nic: None })",
        // Task 6 is the delay of send 7. Send 2 waits for receive 1; send 4 for send 2 and receive
        // 8.
        "ends: [(6, 7), (1, 2), (2, 4), (8, 4)]",
    ] {
        assert!(list.contains(expected), "{expected}\n{list}");
    }
}

#[test]
fn triggers_that_cannot_be_are_refused() {
    let waits = "1->2 id 2 trigger 1 size 20";
    let received = "0->1 id 1 start 0 size 10 recv_done_trigger 1";
    let sent = "0->1 id 1 start 0 size 10 send_done_trigger 1";
    let oneshot = "trigger id 1 oneshot";
    for (lines, message) in [
        (
            &[received, waits][..],
            "m.cm:5: trigger: no line says what trigger 1 is; add e.g. `trigger id 1 oneshot`",
        ),
        (
            &[received, waits, "trigger id 1 multishot"],
            "m.cm:5: trigger: trigger 1 is a multishot: which flow it starts depends on what ends \
             first; give each flow a trigger of its own, oneshot or barrier",
        ),
        (
            &[waits, oneshot],
            "m.cm:4: trigger: 0 flows activate trigger 1, and it fires at activation 1; a oneshot \
             needs one flow with `send_done_trigger` or `recv_done_trigger`, a barrier as many as \
             its `count`",
        ),
        (
            &[received, waits, "trigger id 1 barrier count 3"],
            "m.cm:5: trigger: 1 flows activate trigger 1, and it fires at activation 3; a oneshot \
             needs one flow with `send_done_trigger` or `recv_done_trigger`, a barrier as many as \
             its `count`",
        ),
        (
            &[sent, waits, oneshot],
            "m.cm:5: trigger: trigger 1 is activated by line 4 at host 0, which host 1 does not \
             know of; wait for what ends at the source: a flow that it has sent \
             (`send_done_trigger`), or has received (`recv_done_trigger`)",
        ),
        (
            &[received, waits, oneshot, oneshot],
            "m.cm:7: trigger: trigger 1 has two lines; leave one of them",
        ),
        (
            &[received, "1->2 id 1 trigger 1 size 20", oneshot],
            "m.cm:5: id: a flow above has the number 1, too; give each flow a number of its own, \
             or leave `id` out",
        ),
        (
            &[received, "1->2 id 2 trigger 1 start 5 size 20", oneshot],
            "m.cm:5: trigger: the flow has a start, too; leave one of them",
        ),
        (
            &["0->1 id 1 trigger 1 size 5 send_done_trigger 1", oneshot],
            "m.cm:4: trigger: line 4 of rank 0 waits for itself, so it never begins; \
             let one of them wait for something else",
        ),
    ] {
        assert_eq!(of(lines), message);
    }
    assert_eq!(
        said("Nodes 3\nConnections 0\n"),
        "m.cm: Nodes: the matrix is for 3 hosts, but `hosts` has 4; \
         give a host for each, e.g. hosts = \"0-15\""
    );
    assert_eq!(
        said("Nodes 4\nConnections 2\n0->1 start 0 size 1\n"),
        "m.cm:2: count: the file says 2 but has 1: is it cut off? \
         Write 1, or set `count = \"ignore\"`"
    );
}
