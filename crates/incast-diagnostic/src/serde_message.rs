//! Diagnostics through serde, which passes errors on as one text.
//!
//! A control character that no message contains (ASCII's unit separator, 0x1F) parts what stands
//! between them.

use crate::diagnostic::Diagnostic;

const SEPARATOR: char = '\u{1f}';

/// `key SEPARATOR what SEPARATOR hint`. File and line are the reader's to say.
pub(crate) fn encode(diagnostic: &Diagnostic) -> String {
    let Diagnostic { place, what, hint } = diagnostic;
    [&place.key, what, hint]
        .map(|part| part.replace(SEPARATOR, " "))
        .join(&SEPARATOR.to_string())
}

/// The diagnostic; a text of another form is `what`.
pub(crate) fn decode(message: &str) -> Diagnostic {
    let parts: Vec<_> = message.split(SEPARATOR).collect();
    match parts[..] {
        [key, what, hint] => Diagnostic::new(what, hint).at(key),
        _ => Diagnostic::new(message, ""),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn other_messages_are_what() {
        let decoded = Diagnostic::from_message("a; b: c");
        assert_eq!(decoded, Diagnostic::new("a; b: c", ""));
    }

    proptest! {
        /// With any punctuation in a sentence, its parts stay apart.
        #[test]
        fn parts_come_back(key in "[a-z.]{0,8}", what in "\\PC*", hint in "\\PC*") {
            let diagnostic = Diagnostic::new(what, hint).at(key);
            prop_assert_eq!(Diagnostic::from_message(&diagnostic), diagnostic);
        }
    }
}
