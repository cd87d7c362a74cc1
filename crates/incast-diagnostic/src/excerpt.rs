//! Excerpts of users' text for messages.

/// Characters of a text that a message shows at most.
const MAX_EXCERPT: usize = 40;

/// The first 40 characters; characters that do not print are escaped. A word without blanks may be
/// a megabyte long.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars().take(MAX_EXCERPT) {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
    }
    if text.chars().nth(MAX_EXCERPT).is_some() {
        shown.push('…');
    }
    shown
}

/// Quotes stay as they are; control characters do not.
#[test]
fn an_excerpt_is_short_and_printable() {
    assert_eq!(excerpt("a\0\u{1b}"), "a\\0\\u{1b}");
    assert_eq!(excerpt("'a' \"b\""), "'a' \"b\"");
    assert_eq!(excerpt(&"x".repeat(41)), format!("{}…", "x".repeat(40)));
    assert_eq!(excerpt(&"é".repeat(40)), "é".repeat(40));
}
