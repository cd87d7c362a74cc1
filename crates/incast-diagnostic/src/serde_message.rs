//! Diagnostics as one text, because serde passes errors on as text.
//!
//! The parts are separated by ASCII's unit separator (0x1F), a control character that no message
//! contains.

const SEPARATOR: char = '\u{1f}';

/// `key SEPARATOR what SEPARATOR hint`. The reader of the text adds file and line.
pub(crate) fn encode(parts: [&str; 3]) -> String {
    parts
        .map(|part| part.replace(SEPARATOR, " "))
        .join(&SEPARATOR.to_string())
}

/// Key, what and hint; `None` for a text that [`encode`] did not make.
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
        /// Parts come back unchanged, whatever punctuation they contain.
        #[test]
        fn parts_come_back(key in "[a-z.]{0,8}", what in "\\PC*", hint in "\\PC*") {
            let diagnostic = Diagnostic::new(what, hint).at(key);
            prop_assert_eq!(Diagnostic::from_message(&diagnostic), diagnostic);
        }
    }
}
