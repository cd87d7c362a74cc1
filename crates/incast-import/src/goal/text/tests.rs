use super::super::tests::{HOST_NICS, said};
use super::*;

pub(in super::super) fn schedule(text: &str, ranks: u32) -> Result<FileTasks, Diagnostic> {
    let lines = TextLines::new(text.as_bytes(), "a.goal");
    read(lines, ranks, HOST_NICS)
}

/// The diagnostic of a schedule of two ranks, of which rank 1 is empty.
fn wrong(rank: &str) -> String {
    said(schedule(
        &format!("num_ranks 2\nrank 0 {{\n{rank}\n}}\nrank 1 {{ }}"),
        2,
    ))
}

/// Schedules that txt2bin accepts: without options, with blanks, comments, lines without labels.
#[test]
fn schedules_are_read_as_txt2bin_reads_them() {
    let text = "/* two\n ranks */ num_ranks 2 rank 0 {\n\
                \tsend 10 b to 1\r\n\
                first_1 :calc 7 cpu 3 // seven\n\
                last:calc 0\n\
                last irequires first_1 }\n\
                rank 1{\n\
                recv 10b from 0 nic 0 /* no tag */\n\
                }";
    let expected = "TaskList { tasks: [\
         (0, Send { to: 1, size: Bytes(10), tag: 0, lane: 0, nic: None }), \
         (0, Compute { duration: Time(7000), unit: 3 }), \
         (0, Compute { duration: Time(0), unit: 0 }), \
         (1, Receive { from: 0, size: Bytes(10), tag: 0 })], \
         ends: [], starts: [(1, 2)], ranks: 2 }";
    assert_eq!(said(schedule(text, 2)), expected);
}

#[test]
fn a_task_is_called_by_its_line() {
    assert_eq!(
        wrong("calc 5\nl2: send 10b to 1 tag 5"),
        "line 4 of rank 0 sends 10B to rank 1 with tag 5, but rank 1 has no receive from rank 0 \
         for it; give every send its receive, with the same tag"
    );
    assert_eq!(
        wrong("recv 10b from 1 tag 7"),
        "line 3 of rank 0 receives 10B from rank 1 with tag 7, but rank 1 has no send to rank 0 \
         for it; give every send its receive, with the same tag"
    );
    assert_eq!(
        wrong("send 10b to 2"),
        "line 3 of rank 0 names rank 2, which does not exist; there are 2 ranks, counted from 0"
    );
    assert_eq!(
        wrong("a: calc 1\nb: calc 1\na requires b\nb irequires a"),
        "line 4 of rank 0, which waits for line 3 of rank 0, which waits for the first one: \
         a cycle, of which none ever ends; let one of them wait for something else"
    );
    assert_eq!(
        wrong("send 0b to 1"),
        "line 3 of rank 0 has a message of 0 bytes, which never ends; give at least 1 byte"
    );
}

#[test]
fn mistakes_in_a_line_are_named() {
    for (rank, message) in [
        (
            "recv 10b from -1",
            "a receive from any source gets what comes first: its message is not known before \
             the run; name the sending rank",
        ),
        (
            "recv 10b from 1 tag -1",
            "with any tag it gets what comes first: its message is not known before the run; \
             give the tag of the send",
        ),
        ("send 10b to -1", "to: `-1` is negative; give zero or more"),
        (
            "send 10b to 1 tag 4294967295",
            "tag: `4294967295` is too large; give at most 4294967294",
        ),
        (
            "calc 1 cpu 256",
            "cpu: `256` is too large; give at most 255",
        ),
        (
            "calc 1 nic 0",
            "line: `nic` is not what comes here; write e.g. `calc 100 cpu 0`",
        ),
        (
            "send 10b to 1 tag 1 tag 2",
            "line: `tag` is not what comes here; write e.g. `send 10b to 1 tag 5 cpu 0 nic 0`",
        ),
        (
            "send 10b from 1",
            "line: `from` is not what comes here; write e.g. `send 10b to 1 tag 5 cpu 0 nic 0`",
        ),
        (
            "send 10 to 1",
            "line: `to` is not what comes here; write e.g. `send 10b to 1 tag 5 cpu 0 nic 0`",
        ),
        (
            "send 10b to",
            "to: the line ends before it; a line is `send 10b to 1 tag 5 cpu 0 nic 0`: \
             is the file cut off?",
        ),
        ("send -1b to 1", "size: `-1` is negative; give zero or more"),
        (
            "l1: bcast 10b",
            "line: `bcast` is not what comes here; write e.g. `l1: send 10b to 1 tag 5`",
        ),
        (
            "9: calc 1",
            "label: `9` is not what comes here; write e.g. `l1: send 10b to 1 tag 5`",
        ),
        (
            "l1 needs l2",
            "line: `needs` is not what comes here; write e.g. `l2 requires l1`",
        ),
        (
            "l1 requires l2",
            "label: no action of the rank is called `l1` above; \
             write an action above the lines that name it",
        ),
        (
            "l1: calc 1 l2: calc 2",
            "line: `l2` is not what comes here; write e.g. `calc 100 cpu 0`",
        ),
    ] {
        assert_eq!(wrong(rank), format!("a.goal:3: {message}"));
    }
    assert_eq!(
        wrong("l1: calc 1\nl1: calc 2"),
        "a.goal:4: label: two actions of the rank are called `l1`; give each a label of its own"
    );
    assert_eq!(
        wrong("l1: calc 1\nl1 requires l1 l1"),
        "a.goal:4: end of line: `l1` is too much; write each statement on a line of its own"
    );
}

#[test]
fn mistakes_in_a_file_are_named() {
    for (text, message) in [
        (
            "",
            "a.goal: the file is empty; it begins with `num_ranks` and the number of ranks",
        ),
        (
            "num_ranks 3",
            "a.goal:1: num_ranks: the schedule is of 3 ranks, but `hosts` has 2; \
             give a host for each rank, e.g. hosts = \"0-15\"",
        ),
        (
            "num_ranks 2 num_ranks 2",
            "a.goal:1: num_ranks: it stands in the file twice; leave one",
        ),
        (
            "rank 0 {",
            "a.goal:1: rank: `rank` is not what comes here; write e.g. `num_ranks 2`",
        ),
        (
            "ranks 2",
            "a.goal:1: line: `ranks` is not what comes here; write e.g. `num_ranks 2`",
        ),
        (
            "num_ranks 2\nl1: calc 5",
            "a.goal:2: line: `l1` is not what comes here; write e.g. `rank 0 {`",
        ),
        (
            "num_ranks 2\nrank 0 (",
            "a.goal:2: line: `(` is not what comes here; write e.g. `rank 0 {`",
        ),
        (
            "num_ranks 2\nrank 2 {",
            "a.goal:2: rank: rank 2 does not exist; there are 2 ranks, counted from 0",
        ),
        (
            "num_ranks 2\nrank 0 { }\nrank 0 { }",
            "a.goal:3: rank: it stands in the file twice; leave one",
        ),
        (
            "num_ranks 2\nrank 0 {\nl1: calc 5",
            "a.goal: the file ends within rank 0; is it cut off? A rank ends with `}`",
        ),
        (
            "num_ranks 2\nrank 0 {\n}",
            "a.goal: the file ends without rank 1; \
             is it cut off? A rank may be empty: `rank 1 { }`",
        ),
        (
            "num_ranks 2\n/* rank 0 {\n}",
            "a.goal:2: the comment does not end; close it with `*/`",
        ),
    ] {
        assert_eq!(said(schedule(text, 2)), message);
    }
}
