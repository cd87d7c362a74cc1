//! Users' text in messages: characters that do not print are escaped, long text is cut.

use std::ops::RangeInclusive;

/// Limit on characters of each part of a message; of a longer part, on its beginning and on its
/// end.
const MAX_PART: usize = 600;
const BEGINNING: usize = 400;
const END: usize = 100;

/// Characters that change the writing direction of a text, or begin a line.
const LAYOUT: [RangeInclusive<char>; 4] = [
    '\u{61c}'..='\u{61c}',
    '\u{200e}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2066}'..='\u{2069}',
];

/// Whether a character shows as itself on a terminal.
pub(crate) fn is_printable(character: char) -> bool {
    let lays_out = |range: &RangeInclusive<char>| range.contains(&character);
    !character.is_control() && !LAYOUT.iter().any(lays_out)
}

/// The text with unprintable characters escaped, and without its middle if it is long.
pub fn printable(text: String) -> String {
    let is_short = text.len() <= MAX_PART;
    if is_short && text.chars().all(is_printable) {
        return text;
    }
    let mut shown: Vec<char> = Vec::new();
    for character in text.chars() {
        match is_printable(character) {
            true => shown.push(character),
            false => shown.extend(character.escape_default()),
        }
    }
    if shown.len() <= MAX_PART {
        return shown.into_iter().collect();
    }
    let (beginning, end) = (&shown[..BEGINNING], &shown[shown.len() - END..]);
    [beginning, &[' ', '…', ' '], end]
        .concat()
        .into_iter()
        .collect()
}

/// Messages contain no escape sequences of a terminal, and no pages of text.
#[test]
fn parts_are_printable_and_not_endless() {
    assert_eq!(printable("`é` → 3 µs".into()), "`é` → 3 µs");
    assert_eq!(
        printable("\u{1b}[2J\n\u{202e}\u{2028}".into()),
        "\\u{1b}[2J\\n\\u{202e}\\u{2028}"
    );
    let long = printable(format!("`{}` is no time", "x".repeat(30_000)));
    assert_eq!(long.chars().count(), BEGINNING + 3 + END);
    assert!(
        long.starts_with("`xxx") && long.ends_with("xxx` is no time"),
        "{long}"
    );
}
