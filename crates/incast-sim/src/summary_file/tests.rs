use std::path::Path;

use super::checked_summary;

/// A summary as runs write it.
fn summary() -> String {
    include_str!("../results/tests/summary.json").replace("IDENTITY", "0123456789abcdef")
}

fn message(text: &str) -> String {
    let checked = checked_summary(Path::new("summary.json"), text);
    checked.unwrap_err().to_string()
}

#[test]
fn a_summary_stays_as_it_is() {
    let checked = checked_summary(Path::new("summary.json"), &summary()).unwrap();
    assert_eq!(checked, summary());
}

#[test]
fn damage_is_told_with_its_line() {
    let summary = summary();
    let line = 1 + summary
        .lines()
        .position(|line| line.contains("\"finished\""))
        .unwrap();
    let text = summary.replace("\"finished\": ", "\"finished\": -");
    let found = message(&text);
    let hint = "it is damaged, or of another version: run the scenario again";
    let place = format!("summary.json:{line}: is no summary of results: invalid value: integer `-");
    assert!(
        found.starts_with(&place) && found.ends_with(hint),
        "{found}"
    );
    let found = message("{}");
    let missing = "summary.json:1: is no summary of results: missing field `incast`; ";
    assert_eq!(found, format!("{missing}{hint}"));
    let found = message("{\n,");
    let broken = "summary.json:2: is not JSON: key must be a string; ";
    assert_eq!(found, format!("{broken}{hint}"));
    let found = message(&summary.replace("\"identity\": \"", "\"identity\": \"x"));
    assert!(found.contains("not 16 hexadecimal digits"), "{found}");
}
