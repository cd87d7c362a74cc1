//! Text that the repository must not contain: words of our own for which the field has a term
//! (docs/glossary.md has the terms), unfinished parts, paths of one machine.

use crate::source::{Source, file, files, none};

/// Whole words, in any case, each with the field's term.
const BANNED: &[(&str, &str)] = &[
    ("alarm", "timer"),
    ("alarms", "timers"),
    ("agenda", "calendar"),
    ("undergo", "dispatch"),
    ("crew", "parallel runner"),
    ("conductor", "coordinator"),
    ("indivisible", "single-threaded"),
    ("aloof", "ACK-only"),
    ("stirred", "worth sampling"),
    ("chores", "deadline of the slow path"),
    ("punctual", "event by event"),
    ("easy room", "fits below the threshold"),
    ("retrace", "path symmetry"),
    ("retraces", "path symmetry"),
    ("detour", "asymmetric path"),
    ("whoever", "a noun"),
    ("somebody", "a noun"),
    ("nobody", "a noun"),
    ("complaint", "diagnostic"),
    ("breach", "violation"),
    ("flaw", "diagnostic"),
    ("once more so", "again"),
    ("for ever", "forever"),
    ("no time quick", "under 1 s"),
];

/// Marks of unfinished code, and paths of one machine.
const FORBIDDEN: &[&str] = &[
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("FIX", "ME"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/wo", "rk/"),
];

/// The folders that are searched.
const FOLDERS: &[&str] = &[
    "crates", "python", "papers", "tests", "docs", "examples", "benches",
];

/// Pages outside of `FOLDERS` that are searched, too. The changelog is not: it keeps old words.
const PAGES: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"];

fn texts(endings: &[&str]) -> impl Iterator<Item = Source> {
    let sources = FOLDERS.iter().flat_map(|folder| files(folder, endings));
    let sources = sources.chain(PAGES.iter().map(|page| file(page)));
    // This file must contain the words.
    sources.filter(|source| !source.path.ends_with("tidy/words.rs"))
}

#[test]
fn nothing_is_unfinished_or_of_one_machine() {
    let mut found = Vec::new();
    for source in texts(&["rs", "py", "md", "toml", "pyi"]) {
        let said = FORBIDDEN.iter().filter(|word| source.text.contains(**word));
        found.extend(said.map(|word| format!("{} says {word}", source.shown())));
    }
    none(&found, "not in the tree");
}

#[test]
fn the_words_are_those_of_the_field() {
    let mut found = Vec::new();
    for source in texts(&["rs", "py", "md", "pyi", "js", "html"]) {
        for (number, line) in source.text.lines().enumerate() {
            let line = words(&line.replace(OF_C, ""));
            for (word, instead) in BANNED {
                if line.contains(&format!(" {word} ")) {
                    let place = format!("{}:{}", source.shown(), number + 1);
                    found.push(format!("{place}: `{word}`; say: {instead}"));
                }
            }
        }
    }
    none(&found, "the field has other words");
}

/// A function of C whose name contains one of the words.
const OF_C: &str = "libc.alarm";

/// The words of a line in lower case, each between blanks. Identifiers are split into words:
/// `set_alarm` and `SetAlarm` contain alarm.
fn words(line: &str) -> String {
    let mut spread = String::from(" ");
    let mut before = ' ';
    for letter in line.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && before.is_lowercase() {
            spread.push(' ');
        }
        if letter.is_alphanumeric() {
            spread.extend(letter.to_lowercase());
        }
        before = letter;
    }
    spread.push(' ');
    spread
        .split_whitespace()
        .fold(String::from(" "), |mut line, word| {
            line.push_str(word);
            line.push(' ');
            line
        })
}

#[test]
fn identifiers_are_taken_apart() {
    assert_eq!(words("fn set_alarm(SetAlarm)"), " fn set alarm set alarm ");
}
