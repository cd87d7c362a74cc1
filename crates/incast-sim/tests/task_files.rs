//! Tasks from files in whole runs: times worked by hand, and what stops a run.

use arrow_array::types::UInt64Type;
use incast_sim::{Results, Source};

mod support;

const GOAL: &str = include_str!("../../incast-import/src/goal/tests/ping-pong.goal");
const GOAL_BINARY: &[u8] = include_bytes!("../../incast-import/src/goal/tests/ping-pong.bin");

/// Two hosts, and the tasks of a file.
const STAR: &str = r#"
[network]
topology = { kind = "star", hosts = 2 }
link_delay = "1us"

[cc]
algorithm = "none"

[[traffic]]
kind = "tasks"
"#;

/// The results of a file, of which the entry has these keys.
fn results(file: &[u8], keys: &str) -> Result<Results, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tasks"), file).unwrap();
    let text = format!("{STAR}file = \"tasks\"\n{keys}\n");
    let source = Source {
        folder: folder.path().to_owned(),
        ..Source::from_text("run.toml", &text)
    };
    let spec = support::valid(&source, &[])?;
    Ok(support::results(&spec))
}

fn times(results: &Results) -> Vec<u64> {
    let table = results.collectives.as_ref().unwrap();
    table.values::<UInt64Type>("time_ps").collect()
}

/// A packet is 1000 + 48 B: 83.84 ns on each of two links, with 1 us each; an ACK is 60 B: 4.8 ns.
/// Rank 0 computes for 100 ns and sends two packets, which have arrived after 3·83.84 ns + 2 us.
/// Rank 1 sends its one packet behind the ACK of the last one; it is done when that is
/// acknowledged.
#[test]
fn a_ping_pong_takes_the_time_worked_by_hand() {
    let there = 100_000 + 3 * 83_840 + 2_000_000;
    let back = there + 4_800 + 2 * 83_840 + 2_000_000;
    let acknowledged = back + 2 * 4_800 + 2_000_000;
    assert_eq!(acknowledged, 6_533_600);
    let text = results(GOAL.as_bytes(), "format = \"goal\"").unwrap();
    assert_eq!(times(&text), [acknowledged]);
    let ranks = text.ranks.as_ref().unwrap();
    let done: Vec<_> = ranks.values::<UInt64Type>("end_ps").collect();
    assert_eq!(done, [back, acknowledged]);
    let binary = results(GOAL_BINARY, "format = \"goal-binary\"").unwrap();
    assert_eq!(times(&binary), [acknowledged]);
}

#[test]
fn what_is_wrong_stops_a_run_before_it_begins() {
    let without_receive = GOAL.replace("l1: recv 2000b from 0 tag 5", "l1: calc 5");
    let wrong = results(without_receive.as_bytes(), "format = \"goal\"").unwrap_err();
    assert_eq!(
        wrong,
        "tasks: line 6 of rank 0 sends 2KB to rank 1 with tag 5, but rank 1 has no receive from \
         rank 0 for it; give every send its receive, with the same tag"
    );
    let wrong = results(b"num_ranks 2\nrank 0 { }\nrank 1 { }", "format = \"goal\"");
    assert_eq!(
        wrong.unwrap_err(),
        "tasks: there is no task; give at least one"
    );
}
