use incast_engine::Threads;

use super::*;
use crate::results::Spare;
use crate::results::folder::wait_on;
use serde_json::json;

/// Lines: 1 `[fabric]`, 2 endpoints, 3 `[control]`, 4 scheme, 5 `[[group]]`, 6 members,
/// 7 `[[work]]`, 8 kind, 9 count.
const SMALL: &str = r#"[fabric]
endpoints = 64
[control]
scheme = "3cpo"
[[group]]
members = [0, 1, 8, 9]
[[work]]
kind = "transactions"
count = 8
"#;

fn spec(text: &str) -> Result<ValidFabricSpec, Diagnostic> {
    let source = Source::from_text("fabric.toml", text);
    FabricSpec::parse(&source, &[]).and_then(FabricSpec::validate)
}

/// The message for the small scenario with `from` replaced by `to`.
fn message(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    spec(&SMALL.replacen(from, to, 1))
        .expect_err(to)
        .to_string()
}

#[test]
fn mistakes_have_a_place_and_a_remedy() {
    for (from, to, expected) in [
        (
            "members = [0, 1, 8, 9]",
            "members = [3]",
            "fabric.toml:6: group[0].members: a group of 1; a group has at least 2 members",
        ),
        (
            "[0, 1, 8, 9]",
            "[0, 1, 8, 1]",
            "fabric.toml:6: group[0].members: endpoint 1 is a member twice; name each member once",
        ),
        (
            "[0, 1, 8, 9]",
            "[0, 64]",
            "fabric.toml:6: group[0].members: endpoint 64 does not exist; \
             the fabric has endpoints 0 to 63",
        ),
        (
            "scheme = \"3cpo\"",
            "scheme = \"window\"\nwindow = 0",
            "fabric.toml:5: control.window: a window of 0 lets nothing be sent; write at least 1",
        ),
        (
            "scheme = \"3cpo\"",
            "scheme = \"window\"",
            "fabric.toml:4: control.scheme: scheme `window` needs a window; write window = 3",
        ),
        (
            "scheme = \"3cpo\"",
            "scheme = \"3cpo\"\nwatermark_initial = 3000.0",
            "fabric.toml:5: control.watermark_initial: a watermark of 3000 is not between 100 and \
             2468; write e.g. 2468",
        ),
        (
            "scheme = \"3cpo\"",
            "scheme = \"3cpo\"\nwatermark_max = 50.0",
            "fabric.toml:5: control.watermark_max: a largest watermark of 50 is below the \
             smallest, 100; write at least 100",
        ),
        (
            "scheme = \"3cpo\"",
            "",
            "fabric.toml:3: control: `scheme` is missing; add e.g. scheme = \"3cpo\"",
        ),
        (
            "[control]\nscheme = \"3cpo\"",
            "",
            "fabric.toml: `control` is missing; add e.g. [control] with scheme = \"3cpo\"",
        ),
        (
            "[[work]]\nkind = \"transactions\"\ncount = 8",
            "",
            "fabric.toml: `work` is missing; add e.g. [[work]] with kind = \"all-reduce\" and \
             size = \"1MiB\"",
        ),
        (
            "scheme = \"3cpo\"",
            "scheme = \"3cpo\"\ntoken_cap = 0.5",
            "fabric.toml:5: control.token_cap: a bucket of 0.5 tokens never lets an operation \
             pass; write at least 1",
        ),
        (
            "scheme = \"3cpo\"",
            "scheme = \"aimd\"\ndiscount = 0.5",
            "fabric.toml:5: control.discount: scheme `aimd` has no such parameter; remove it",
        ),
        (
            "endpoints = 64",
            "endpoints = 64\ninput_depth = 8",
            "fabric.toml:3: fabric.input_depth: 8 flits are less than one packet; write at least 9",
        ),
        (
            "endpoints = 64",
            "endpoints = 60",
            "fabric.toml:2: fabric.endpoints: 60 endpoints do not fill ToRs of 8; write a \
             multiple of 8, or the counts of another graph",
        ),
        (
            "endpoints = 64",
            "tors = 8",
            "fabric.toml:1: fabric: the graph is not clear; write endpoints = 64 for a fat tree, \
             or endpoints_per_tor, tors, cores and lanes",
        ),
        (
            "endpoints = 64",
            "endpoints = 64\ncycle = \"0ps\"",
            "fabric.toml:3: fabric.cycle: a cycle of no time; write e.g. \"640ps\"",
        ),
        (
            "count = 8",
            "count = 8\ninitiators = 5",
            "fabric.toml:10: work[0].initiators: 5 initiators in a group of 4; write at most that",
        ),
        (
            "count = 8",
            "count = 0",
            "fabric.toml:9: work[0].count: no operations; write e.g. count = 128",
        ),
        (
            "count = 8",
            "count = 8\nspread = 5000000000000",
            "fabric.toml:10: work[0].spread: 5000000000000 cycles are too late to simulate; \
             write at most 4398046511104, which is 2^42",
        ),
        (
            "count = 8",
            "count = 8\nstart = 4398046511105",
            "fabric.toml:10: work[0].start: 4398046511105 cycles are too late to simulate; \
             write at most 4398046511104, which is 2^42",
        ),
        (
            "count = 8",
            "count = 8\ngroup = 1",
            "fabric.toml:10: work[0].group: there is no group 1; groups are 0 to 0, in the order \
             of [[group]]",
        ),
        (
            "count = 8",
            "count = 8\nsize = \"1MB\"",
            "fabric.toml:10: work[0].size: this kind of work has no such key; remove it",
        ),
        (
            "kind = \"transactions\"\ncount = 8",
            "kind = \"all-reduce\"",
            "fabric.toml:7: work[0].size: a collective of no data; write e.g. `1MiB`",
        ),
        (
            "[control]",
            "[measure]\nendpoints = [99]\n[control]",
            "fabric.toml:4: measure.endpoints: endpoint 99 does not exist; \
             the fabric has endpoints 0 to 63",
        ),
        (
            "members = [0, 1, 8, 9]",
            "members = [0, 1]\nrandom = 3",
            "fabric.toml:5: group[0]: members are given twice; write `members` or `random`",
        ),
        (
            "members = [0, 1, 8, 9]",
            "random = 65",
            "fabric.toml:6: group[0].random: 65 members of 64 endpoints; write fewer",
        ),
        (
            "[control]",
            "[run]\nstop = \"1ms\"\n[control]",
            "fabric.toml:4: run.stop: a fabric runs until its work is done; remove it, or give it \
             less work",
        ),
        (
            "[control]",
            "[network]\n[control]",
            "fabric.toml:1: fabric: a scenario has [network] or [fabric], not both; keep one of \
             them",
        ),
        (
            "[control]",
            "[[fault]]\nkind = \"down\"\n[control]",
            "fabric.toml:3: fault: links of a memory fabric have no faults; leave them out, or \
             take a [network]",
        ),
    ] {
        assert_eq!(message(from, to), expected);
    }
}

#[test]
fn a_scenario_without_work() {
    let text = "work = []\n[fabric]\nendpoints = 64\n[control]\nscheme = \"none\"\n";
    assert_eq!(
        spec(text).expect_err(text).to_string(),
        "fabric.toml:1: work: there is no work; add e.g. [[work]] with kind = \"transactions\" \
         and count = 128"
    );
}

#[test]
fn the_canonical_text_is_the_same_scenario() {
    let valid = spec(SMALL).expect("a scenario");
    let again = spec(&valid.to_toml()).expect("its canonical text");
    assert_eq!(valid.to_toml(), again.to_toml());
    assert_eq!(valid.identity(), again.identity());
    assert_eq!(valid.name(), "fabric");
    let other = spec(&SMALL.replace("count = 8", "count = 9")).expect("a scenario");
    assert_ne!(valid.identity(), other.identity());
}

/// The name of every choice, as the canonical text has it: identities depend on these names.
#[test]
fn choices_are_written_as_they_are_read() {
    let choices = [
        ("[fabric]", "arbitration", "round-robin least-recently-used"),
        ("[fabric]", "injection", "separate shared"),
        ("[fabric]", "uplinks", "hash rotate"),
        ("[fabric]", "turn", "core nearest"),
        ("[fabric]", "reserve", "down path"),
        ("[fabric]", "match_at", "arrival acceptance"),
        ("[control]", "token_generation", "random regular"),
        ("[control]", "token_check", "both own"),
        (
            "[control]",
            "hold",
            "round-trip-and-delay round-trip forever",
        ),
        ("[control]", "scope", "all injection"),
        ("[control]", "decrease", "above-equivalent whole"),
    ];
    let canonical = |section: &str, line: &str| {
        let text = SMALL.replace(section, &format!("{section}\n{line}"));
        spec(&text).expect(line).to_toml()
    };
    for (section, key, names) in choices {
        for name in names.split(' ') {
            let line = format!("{key} = \"{name}\"");
            let text = canonical(section, &line);
            assert!(text.lines().any(|written| written == line), "{text}");
        }
    }
    // Options of the scheme that were left out are not printed.
    let plain = spec(SMALL).expect("a scenario").to_toml();
    assert!(
        plain.contains("[control]\nscheme = \"3cpo\"\n\n"),
        "{plain}"
    );
    for scope in ["kind", "all"] {
        let control = format!("scheme = \"window\"\nwindow = 3\nwindow_scope = \"{scope}\"\n");
        let text = SMALL.replace("scheme = \"3cpo\"\n", &control);
        let written = spec(&text).expect("a scenario").to_toml();
        assert!(written.contains(&control), "{written}");
    }
}

#[test]
fn the_kind_is_that_of_the_section() {
    let kind = |text: &str| ScenarioKind::of(&Source::from_text("x.toml", text));
    assert_eq!(kind(SMALL), Ok(ScenarioKind::Fabric));
    assert_eq!(kind("[network]"), Ok(ScenarioKind::Network));
    assert_eq!(kind("no toml ["), Ok(ScenarioKind::Network));
    assert!(kind("[network]\n[fabric]").is_err());
}

#[test]
fn a_run_leaves_tables_and_a_summary() {
    let text = SMALL.replace(
        "[control]",
        "[measure]\nevery = 100\nendpoints = [1]\n[control]",
    );
    let results = spec(&text)
        .expect("a scenario")
        .run(Threads::ONE)
        .expect("a run");
    // 4 members, 8 transactions of 2 operations.
    assert_eq!(results.operations.rows(), 64);
    assert!(results.controls.rows() > 10 && results.queues.rows() > 10);
    let summary: serde_json::Value =
        serde_json::from_str(&results.summary.to_json()).expect("JSON");
    assert_eq!(summary["initiators"], 4);
    assert_eq!(
        summary["latency_by_kind"]["write-multicast"]["operations"],
        32
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run");
    results
        .write_sparing(&path, Spare::Nothing, &wait_on)
        .expect("written");
    results
        .write_sparing(&path, Spare::Nothing, &wait_on)
        .expect("written again");
    let spared = results.write_sparing(&path, Spare::Better, &wait_on);
    spared.expect_err("the same run is there, whole");
    let mut files: Vec<_> = std::fs::read_dir(&path).expect("a folder").collect();
    files.sort_by_key(|file| file.as_ref().map(std::fs::DirEntry::file_name).ok());
    assert_eq!(files.len(), 6);
}

/// An all-reduce of 1 MiB among 64 endpoints has 8192 transactions of 128 bytes. Each direction of
/// a link carries 9 + 1 flits for each: at least 81 920 cycles, or 12.8 bytes a cycle. With 640 ps
/// a cycle this is at most 20 GB/s.
#[test]
fn collectives_have_a_row_as_in_nccl_tests() {
    let text = "[fabric]\nendpoints = 64\n[control]\nscheme = \"window\"\nwindow = 5\n\
                [[work]]\nkind = \"all-reduce\"\nsize = \"1MiB\"\n";
    let results = spec(text)
        .expect("a scenario")
        .run(Threads::ONE)
        .expect("a run");
    let summary: serde_json::Value =
        serde_json::from_str(&results.summary.to_json()).expect("JSON");
    let row = &summary["collectives"][0];
    assert_eq!(
        (&row["collective"], &row["size_bytes"]),
        (&json!("all-reduce"), &json!(1 << 20))
    );
    let bandwidth = row["algorithm_bandwidth_gbytes_per_second"]
        .as_f64()
        .expect("a number");
    assert!((17.0..20.0).contains(&bandwidth), "{bandwidth}");
    let bus = row["bus_bandwidth_gbytes_per_second"]
        .as_f64()
        .expect("a number");
    assert!((bus / bandwidth - 2.0 * 63.0 / 64.0).abs() < 1e-9);
}

/// The third group overlaps the first two, so endpoints have work in two groups.
#[test]
fn groups_run_side_by_side() {
    let text = "[fabric]\nendpoints = 64\n[control]\nscheme = \"3cpo\"\n[[group]]\n\
                random = 32\n[[group]]\nrandom = 32\ndisjoint = true\n[[group]]\n\
                [[work]]\nkind = \"transactions\"\ncount = 4\n[[work]]\nkind = \"writes\"\n\
                group = 1\ncount = 5\n[[work]]\nkind = \"reads\"\ngroup = 2\ncount = 6\n";
    let valid = spec(text).expect("a scenario");
    let groups = &valid.simulation().groups;
    assert!(
        groups[0]
            .members()
            .iter()
            .all(|&member| !groups[1].has(member))
    );
    let results = valid.run(Threads::ONE).expect("a run");
    assert_eq!(results.operations.rows(), 32 * 8 + 32 * 5 + 64 * 6);
}

/// A collective that shares its group with other work has no row, since its end is unknown.
#[test]
fn collectives_have_a_row_if_alone_in_their_group() {
    let text = "[fabric]\nendpoints = 64\n[control]\nscheme = \"window\"\nwindow = 5\n\
                [[group]]\nmembers = [0, 1]\n[[group]]\nmembers = [8, 9]\n\
                [[work]]\nkind = \"all-gather\"\nsize = \"1KiB\"\n\
                [[work]]\nkind = \"broadcast\"\nsize = \"1KiB\"\ngroup = 1\n\
                [[work]]\nkind = \"reads\"\ncount = 2\n";
    let collectives = spec(text).expect("a scenario").collectives();
    let groups: Vec<_> = collectives.iter().map(|(c, m)| (c.group, *m)).collect();
    assert_eq!(groups, [(1, 2)]);
}
