//! Diagnostics through serde, which passes errors on as one text.
//!
//! A control character that no message contains (ASCII's unit separator, 0x1F) parts what stands
//! between them.

const SEPARATOR: char = '\u{1f}';

/// `key SEPARATOR what SEPARATOR hint`. File and line are the reader's to say.
pub(crate) fn encode(parts: [&str; 3]) -> String {
    parts
        .map(|part| part.replace(SEPARATOR, " "))
        .join(&SEPARATOR.to_string())
}

/// Key, what and hint; `None` for a text of another form.
pub(crate) fn decode(message: &str) -> Option<[&str; 3]> {
    let parts: Vec<_> = message.split(SEPARATOR).collect();
    parts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::Diagnostic;

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
