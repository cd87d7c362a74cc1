//! The benchmark command on its smallest case, from the command line to the file of figures. Times
//! are not tested.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(arguments).output().unwrap()
}

fn printed(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn figures(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The last word in the row of a case.
fn last_words(text: &str, case: &str) -> String {
    let row = text.lines().find(|line| line.starts_with(case)).unwrap();
    row.rsplit("  ").next().unwrap().to_owned()
}

#[test]
fn figures_are_printed_written_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("figures.json");
    let path = file.to_str().unwrap();
    let once = ["star-incast", "--repeat", "1"];
    printed(&bench(&[&once[..], &["--json", path]].concat()));

    let written = figures(&file);
    let row = &written["cases"][0];
    assert_eq!(row["case"], "star-incast");
    // 16 flows of 10 000 packets; each packet and each ACK crosses two links.
    assert_eq!(row["packet_hops"], 16 * 10_000 * 2 * 2);
    assert_eq!(row["fingerprint"].as_str().unwrap().len(), 16);
    assert_eq!(row["instructions"], Value::Null);
    assert!(row["packet_hops_per_cpu_second"].as_f64().unwrap() > 0.0);
    if cfg!(target_os = "linux") {
        assert!(row["peak_memory_bytes"].as_u64().unwrap() > 1_000_000);
    }
    assert_ne!(written["build"]["compiler"], "");

    let compared = printed(&bench(&[&once[..], &["--baseline", path]].concat()));
    assert_eq!(last_words(&compared, "star-incast"), "same");

    let mut altered = written.clone();
    altered["cases"][0]["fingerprint"] = "0000000000000000".into();
    std::fs::write(&file, altered.to_string()).unwrap();
    let compared = printed(&bench(&[&once[..], &["--baseline", path]].concat()));
    assert_eq!(last_words(&compared, "star-incast"), "differ");
}

#[test]
fn a_file_that_is_no_baseline_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("figures.json");
    std::fs::write(&file, "{}").unwrap();
    let output = bench(&["--baseline", file.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    let expected = "figures.json: not figures of this command: missing field `build`";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn without_valgrind_the_message_says_what_to_do() {
    for option in ["--instructions", "--budget"] {
        let output = Command::new(env!("CARGO_BIN_EXE_bench"))
            .args([option, "star-incast"])
            .env("PATH", "")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        let begin = format!("error: {option}: valgrind, which counts instructions, cannot be");
        assert!(said.contains(&begin), "{said}");
    }
}

#[test]
fn the_list_names_every_case() {
    let list = printed(&bench(&["--list"]));
    let first_words: Vec<_> = list
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    for case in ["clos-320", "clos-320-short", "fat-tree-1024", "star-incast"] {
        assert!(first_words.contains(&case), "{list}");
    }
}
