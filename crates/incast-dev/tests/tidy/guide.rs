//! Code in guides is compiled and run.

use std::fs;

use crate::source::root;

/// The algorithm in the guide is a module of incast-cc's tests, which compile and run it.
#[test]
fn the_guide_shows_code_that_works() {
    let guide = fs::read_to_string(root().join("docs/adding-an-algorithm.md")).unwrap();
    let module = fs::read_to_string(root().join("crates/incast-cc/src/guide.rs")).unwrap();
    let block = guide
        .split_once("```rust\n")
        .and_then(|(_, rest)| rest.split_once("\n```\n"));
    let shown = block.map(|(code, _)| code);
    let same = shown == Some(module.trim_end());
    assert!(
        same,
        "docs/adding-an-algorithm.md and crates/incast-cc/src/guide.rs differ"
    );
}
