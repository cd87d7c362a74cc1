use incast_units::{Bytes, Rate};
use serde::Deserialize;

use super::super::tree;
use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
struct Sample {
    rate: Option<Rate>,
    count: Option<u32>,
    share: Option<f64>,
    on: Option<bool>,
    name: Option<String>,
    mode: Option<Mode>,
    inner: Option<Inner>,
    list: Option<Vec<Inner>>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    RoundRobin,
    LinearScan,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inner {
    size: Bytes,
}

fn diagnostic(text: &str) -> String {
    let error = read::<Sample>(&tree::parse("a.toml", text).unwrap()).unwrap_err();
    let line = error.place.line().expect("a line");
    let key = &error.place.key;
    format!("{line}: {key}: {}; {}", error.what, error.hint)
}

#[test]
fn values_are_read() {
    let text = "rate = \"1Gbps\"\ncount = 3\nshare = 1\non = true\nname = \"x\"\n\
                mode = \"linear-scan\"\ninner = { size = \"1KB\" }\nlist = [{ size = \"2B\" }]";
    let sample: Sample = read(&tree::parse("a.toml", text).unwrap()).unwrap();
    assert_eq!(sample.rate, Some(Rate::from_gbps(1)));
    assert_eq!(sample.count, Some(3));
    assert_eq!(sample.share, Some(1.0));
    assert_eq!(sample.mode, Some(Mode::LinearScan));
    assert_eq!(
        sample.list,
        Some(vec![Inner {
            size: Bytes::new(2)
        }])
    );
}

#[test]
fn mistakes_have_key_line_and_remedy() {
    for (text, expected) in [
        (
            "\nrates = 1",
            "2: rates: unknown key `rates`; did you mean `rate`? \
             (available: count, inner, list, mode, name, on, rate, share)",
        ),
        (
            "rate = 100",
            "1: rate: `100` has no unit; write e.g. `100Gbps`",
        ),
        (
            "rate = \"1\"",
            "1: rate: `1` has no unit; write e.g. `1Gbps`",
        ),
        (
            "rate = true",
            "1: rate: `true` is a boolean; write a rate as text with a unit, e.g. \"100Gbps\"",
        ),
        (
            "count = -1",
            "1: count: `-1` is negative; write zero or more",
        ),
        (
            "count = 5000000000",
            "1: count: `5000000000` is too large; the largest is 4294967295",
        ),
        (
            "count = 1.5",
            "1: count: `1.5` is a fraction; write a whole number",
        ),
        (
            "share = \"half\"",
            "1: share: `\"half\"` is text; write a number",
        ),
        (
            "share = nan",
            "1: share: `NaN` is not finite; write a number",
        ),
        ("on = 1", "1: on: `1` is a number; write true or false"),
        ("name = 1", "1: name: `1` is a number; write text in quotes"),
        (
            "name = 2026-01-01",
            "1: name: this is a date; write text in quotes",
        ),
        (
            "mode = \"linear\"",
            "1: mode: unknown value `linear`; did you mean `linear-scan`? \
             (available: linear-scan, round-robin)",
        ),
        (
            "mode = 1",
            "1: mode: `1` is a number; write one of \"round-robin\", \"linear-scan\"",
        ),
        (
            "inner = 1",
            "1: inner: `1` is a number; write a table, e.g. { key = … }",
        ),
        (
            "\n\n[inner]",
            "3: inner: `size` is missing; add e.g. size = \"1MB\"",
        ),
        (
            "[[list]]\nsize = \"1B\"\n[[list]]\nsize = \"-1B\"",
            "4: list[1].size: `-1B` is negative; a size is zero or more",
        ),
        (
            "list = 1",
            "1: list: `1` is a number; write an array, e.g. [ … ]",
        ),
    ] {
        assert_eq!(diagnostic(text), expected);
    }
}

#[test]
fn tags_come_first() {
    #[derive(Debug, Deserialize)]
    struct AnyOrder(std::collections::HashMap<String, serde::de::IgnoredAny>);
    let tree = tree::parse("a.toml", "k = 8\nkind = \"fat-tree\"").unwrap();
    let keys: Vec<_> = Entries::new(tree.entries().unwrap())
        .rest
        .map(|e| &e.key)
        .collect();
    assert_eq!(keys, ["kind", "k"]);
    assert_eq!(read::<AnyOrder>(&tree).unwrap().0.len(), 2);
}
