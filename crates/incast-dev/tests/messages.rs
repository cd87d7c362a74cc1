//! Every message has a test: the fixed text of each literal in a `Diagnostic::new(…)`, its longest
//! stretch between placeholders, occurs in what some test expects.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates whose messages are all tested.
const CRATES: [&str; 5] = ["diagnostic", "units", "topology", "workload", "import"];

/// Shorter stretches say nothing of their own.
const MIN_STRETCH: usize = 12;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|ending| ending == "rs") => found.push(path),
                false => {}
            }
        }
    }
    found
}

/// The text with string literals over several lines joined.
fn unwrapped(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start())
}

/// A file's code, and its tests.
fn parts(path: &Path) -> (String, String) {
    let text = unwrapped(&fs::read_to_string(path).unwrap());
    let is_test = path
        .iter()
        .any(|part| part == "tests" || part == "tests.rs");
    match text.split_once("#[cfg(test)]\nmod tests {") {
        _ if is_test => (String::new(), text),
        Some((code, tests)) => (code.to_owned(), tests.to_owned()),
        None => (text, String::new()),
    }
}

/// The literals between a parenthesis that is open and its end.
fn literals(call: &str) -> Vec<String> {
    let (mut found, mut depth) = (Vec::new(), 1);
    let mut rest = call.chars();
    while let Some(character) = rest.next() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            '"' => found.push(literal(&mut rest)),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// The rest of a literal, escapes as they are written.
fn literal(rest: &mut std::str::Chars<'_>) -> String {
    let mut text = String::new();
    while let Some(character) = rest.next() {
        match character {
            '"' => break,
            '\\' => text.extend(['\\', rest.next().unwrap_or_default()]),
            _ => text.push(character),
        }
    }
    text
}

/// The longest stretch between placeholders.
fn longest_fixed(message: &str) -> &str {
    let outside = message
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    outside.max_by_key(|part| part.len()).unwrap_or_default()
}

#[test]
fn no_message_is_untested() {
    let folders = CRATES.map(|name| crates().join(format!("incast-{name}/src")));
    let files: Vec<_> = folders.iter().flat_map(|folder| sources(folder)).collect();
    let in_sim = sources(&crates().join("incast-sim/src"));
    let tests: String = files
        .iter()
        .chain(&in_sim)
        .map(|path| parts(path).1)
        .collect();
    let mut count = 0;
    let mut untested = Vec::new();
    for path in &files {
        let (code, _) = parts(path);
        for call in code.split("Diagnostic::new(").skip(1) {
            for message in literals(call) {
                count += 1;
                let fixed = longest_fixed(&message);
                if fixed.len() >= MIN_STRETCH && !tests.contains(fixed) {
                    untested.push(format!("{}: {fixed}", path.display()));
                }
            }
        }
    }
    assert!(count > 120, "{count} literals found");
    assert!(
        untested.is_empty(),
        "no test expects\n{}",
        untested.join("\n")
    );
}
