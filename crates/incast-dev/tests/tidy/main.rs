//! What no compiler checks: which crate may know which, how long files and lines are, what the
//! tree must not say.

use std::fs;
use std::path::{Path, PathBuf};

/// Who may depend on whom. A new arrow belongs into ARCHITECTURE.md first.
const ARROWS: &[(&str, &[&str])] = &[
    ("diagnostic", &[]),
    ("registry", &["diagnostic"]),
    ("units", &["diagnostic"]),
    ("random", &[]),
    ("engine", &["random", "units"]),
    ("topology", &["diagnostic", "registry", "units"]),
    ("workload", &["diagnostic", "random", "registry", "units"]),
    ("import", &["diagnostic", "topology", "units", "workload"]),
    ("cc", &["diagnostic", "random", "registry", "units"]),
    (
        "net",
        &[
            "diagnostic",
            "random",
            "registry",
            "units",
            "engine",
            "cc",
            "topology",
        ],
    ),
    (
        "sim",
        &[
            "diagnostic",
            "random",
            "signals",
            "registry",
            "units",
            "engine",
            "cc",
            "net",
            "topology",
            "workload",
            "import",
        ],
    ),
    (
        "py",
        &[
            "diagnostic",
            "registry",
            "units",
            "cc",
            "net",
            "import",
            "sim",
            "topology",
            "workload",
        ],
    ),
    ("dev", &["random", "units", "engine", "topology", "sim"]),
];

/// Lines of a source file, tests excluded.
const LONGEST_FILE: usize = 500;
/// Columns of a line.
const LONGEST_LINE: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// All files below `folder` with one of these endings.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if endings
                .iter()
                .any(|ending| path.extension().is_some_and(|e| e == *ending))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn arrows_point_down() {
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let short = name
            .strip_prefix("incast-")
            .expect("crates are called incast-…");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let named = manifest.contains(&format!("name = \"{name}\""));
        assert!(named, "{name}: folder and crate differ");
        let allowed = ARROWS.iter().find(|(from, _)| *from == short);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{name} has no place in ARROWS"));
        // Tests may use what they like.
        let dependencies = manifest.split("[dev-dependencies]").next().unwrap();
        for line in dependencies
            .lines()
            .filter(|line| line.starts_with("incast-"))
        {
            let to = line["incast-".len()..]
                .split(['.', ' ', '='])
                .next()
                .unwrap();
            let known = allowed.contains(&to);
            assert!(
                known,
                "{name} → incast-{to} is not an arrow of ARCHITECTURE.md"
            );
        }
    }
}

#[test]
fn files_and_lines_are_short() {
    for path in files(&root().join("crates"), &["rs"]) {
        let text = fs::read_to_string(&path).unwrap();
        let shown = path.display();
        let in_tests = path
            .components()
            .any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code.lines().count();
        assert!(
            in_tests || lines <= LONGEST_FILE,
            "{shown} has {lines} lines: split it"
        );
        for (number, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            assert!(
                columns <= LONGEST_LINE,
                "{shown}:{}: {columns} columns",
                number + 1
            );
        }
    }
}

/// Nothing unfinished, nothing of one machine.
#[test]
fn the_tree_says_nothing_it_should_not() {
    let words = [
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("FIX", "ME"),
    ];
    let machine = [
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("/wo", "rk/"),
    ];
    let folders = ["crates", "python", "tests", "docs", "examples", "benches"];
    for folder in folders
        .map(|folder| root().join(folder))
        .iter()
        .filter(|f| f.exists())
    {
        for path in files(folder, &["rs", "py", "md", "toml", "pyi"]) {
            let text = fs::read_to_string(&path).unwrap();
            for word in words.iter().chain(&machine) {
                assert!(!text.contains(word), "{} says {word}", path.display());
            }
        }
    }
}

/// The algorithm in the guide is a module of incast-cc's tests, where it is compiled and run.
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
