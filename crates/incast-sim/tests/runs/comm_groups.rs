//! Traces whose process groups are in a separate file, as in ASTRA-sim.

use arrow_array::types::UInt64Type;
use incast_sim::{Results, Source};

use crate::support;

const STAR: &str = r#"
[network]
topology = { kind = "star", hosts = 4 }
link_delay = "1us"

[nic]
qps = "persistent"

[cc]
algorithm = "none"
"#;

const GROUPS: &str = r#"{"0": [0, 1], "1": [2, 3]}"#;

/// A trace with an all-reduce of 1 MB (10⁶ bytes) in a group.
fn trace(group: &str) -> Vec<u8> {
    let attribute = |name: &str, value: &[u8]| {
        let held = [&[0x0a, name.len() as u8], name.as_bytes(), value].concat();
        [&[0x52, held.len() as u8], held.as_slice()].concat()
    };
    let kind = attribute("comm_type", &[0x48, 0]);
    // 1000000 as a varint: 61 · 2¹⁴ + 4 · 2⁷ + 64.
    let size = attribute("comm_size", &[0x48, 0x80 | 64, 0x80 | 4, 61]);
    let named = [&[0xea, 1, group.len() as u8], group.as_bytes()].concat();
    let name = attribute("pg_name", &named);
    let node = [&[0x08, 1, 0x18, 7][..], &kind, &size, &name].concat();
    [&[0, node.len() as u8], node.as_slice()].concat()
}

fn folder_of_traces() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (rank, group) in ["0", "0", "1", "1"].iter().enumerate() {
        std::fs::write(folder.path().join(format!("cg.{rank}.et")), trace(group)).unwrap();
    }
    std::fs::write(folder.path().join("comm_group.json"), GROUPS).unwrap();
    folder
}

fn run_in(folder: &tempfile::TempDir, traffic: &str) -> Result<Results, String> {
    let source = Source {
        folder: folder.path().to_owned(),
        ..Source::from_text("run.toml", format!("{STAR}{traffic}"))
    };
    Ok(support::results(&support::valid(&source, &[])?))
}

fn column(results: &Results, name: &str) -> Vec<u64> {
    let mut values: Vec<_> = results.flows.values::<UInt64Type>(name).collect();
    values.sort_unstable();
    values
}

const TRACES: &str = r#"
[[traffic]]
kind = "tasks"
file = "cg"
format = "chakra"
groups = { file = "comm_group.json" }
"#;

const ENTRIES: &str = r#"
[[traffic]]
kind = "collective"
operation = "all-reduce"
data = "1MB"
hosts = "0-1"

[[traffic]]
kind = "collective"
operation = "all-reduce"
data = "1MB"
hosts = "2-3"
"#;

/// Each rank sends half of the data twice. In a step 500 packets of 1048 B take 83.84 ns each on
/// two links of 1 us. 475 ACKs of 60 B delay them by 4.8 ns each: 46.28384 us.
#[test]
fn groups_of_a_file_take_the_time_of_their_own_entries() {
    let folder = folder_of_traces();
    let traced = run_in(&folder, TRACES).unwrap();
    assert_eq!(column(&traced, "size_bytes"), [500_000; 8]);
    let of_entries = run_in(&folder, ENTRIES).unwrap();
    for name in ["start_ps", "fct_ps"] {
        assert_eq!(column(&traced, name), column(&of_entries, name));
    }
    let step = 2_000_000 + 501 * 83_840 + 475 * 4_800;
    let starts = column(&traced, "start_ps");
    assert_eq!(starts, [[0; 4], [step; 4]].concat());
    // The second step begins behind an ACK, and the last ACK leaves behind another ACK.
    let table = of_entries.collectives.as_ref().unwrap();
    let times: Vec<_> = table.values::<UInt64Type>("time_ps").collect();
    assert_eq!(times, [2 * step + 4_800; 2]);
    assert_eq!(times[0], 92_572_480);
    let ranks = traced.ranks.as_ref().unwrap();
    let done: Vec<_> = ranks.values::<UInt64Type>("end_ps").collect();
    assert_eq!(done, [times[0] + 2 * 4_800 + 2_000_000; 4]);
}

#[test]
fn the_content_of_the_file_belongs_to_the_run() {
    let folder = folder_of_traces();
    let identity = || run_in(&folder, TRACES).unwrap().summary.scenario.identity;
    let before = identity();
    assert_eq!(before, identity());
    std::fs::write(
        folder.path().join("comm_group.json"),
        GROUPS.replace("2, 3", "3, 2"),
    )
    .unwrap();
    assert_ne!(before, identity());
}

#[test]
fn a_wrong_file_of_groups_stops_a_run_before_it_begins() {
    let folder = folder_of_traces();
    std::fs::write(folder.path().join("comm_group.json"), "{\n\"0\": [0 1]}").unwrap();
    assert_eq!(
        run_in(&folder, TRACES).unwrap_err(),
        "comm_group.json:2: column 9 is no JSON; write the ranks of each group, e.g. \
         `{\"1\": [0, 1], \"2\": [2, 3]}`"
    );
    let missing = TRACES.replace("comm_group.json", "groups.json");
    let wrong = run_in(&folder, &missing).unwrap_err();
    assert!(
        wrong.contains("`groups.json`: there is no such file"),
        "{wrong}"
    );
    let goal = TRACES
        .replace("\"chakra\"", "\"goal\"")
        .replace("\"cg\"", "\"cg.0.et\"");
    let wrong = run_in(&folder, &goal).unwrap_err();
    assert!(wrong.ends_with("groups: files of format `goal` have no use for it; remove it"));
    let idle = format!("{TRACES}roofline = {{ peak_tflops = 0.0 }}\n");
    let wrong = run_in(&folder, &idle).unwrap_err();
    assert!(
        wrong.contains("traffic[0].roofline.peak_tflops: `0` is no rate"),
        "{wrong}"
    );
}
