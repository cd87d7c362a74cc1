//! Every message has a test. Each literal in a `Diagnostic::new(…)` has a longest text between
//! placeholders; this text must occur in some test.

use crate::source::{files, none};

/// Crates whose messages are all tested.
const CRATES: [&str; 5] = ["diagnostic", "units", "topology", "workload", "import"];

/// Shorter texts are too unspecific to be searched for.
const MIN_STRETCH: usize = 12;

/// The text, with string literals over several lines joined.
fn unwrapped(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start())
}

/// The string literals up to the end of an open parenthesis.
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

/// The rest of a string literal; escapes stay as they are.
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

/// The longest text between placeholders.
fn longest_fixed(message: &str) -> &str {
    let outside = message
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    outside.max_by_key(|part| part.len()).unwrap_or_default()
}

#[test]
fn no_message_is_untested() {
    let folders = CRATES.map(|name| format!("crates/incast-{name}/src"));
    let sources: Vec<_> = folders
        .iter()
        .flat_map(|folder| files(folder, &["rs"]))
        .collect();
    let in_sim = files("crates/incast-sim/src", &["rs"]);
    let tests: String = sources
        .iter()
        .chain(&in_sim)
        .map(|source| unwrapped(source.code_and_tests().1))
        .collect();
    let mut count = 0;
    let mut untested = Vec::new();
    for source in &sources {
        let code = unwrapped(source.code_and_tests().0);
        for call in code.split("Diagnostic::new(").skip(1) {
            for message in literals(call) {
                count += 1;
                let fixed = longest_fixed(&message);
                if fixed.len() >= MIN_STRETCH && !tests.contains(fixed) {
                    untested.push(format!("{}: {fixed}", source.shown()));
                }
            }
        }
    }
    assert!(count > 120, "{count} literals found");
    none(&untested, "no test expects these");
}
