//! Damaged scenarios end in a message or in a network, never in a panic.

use proptest::prelude::*;

use super::*;

/// Text that a slip of the hand or of a tool might put into a scenario.
fn splinter() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~\n]{0,8}",
        any::<String>().prop_map(|text| text.chars().take(8).collect()),
        prop::sample::select(vec![
            "[",
            "]",
            "[[",
            "{",
            "}",
            "\"",
            "=",
            "\n",
            ",",
            ".",
            "-1",
            "0",
            "1e9",
            "nan",
            "true",
            "[]",
            "{}",
            "\"\"",
            "\"0us\"",
            "99999999999",
            "\"file\"",
            "\"poisson\"",
            "\"fat-tree\"",
        ])
        .prop_map(str::to_owned),
    ]
}

/// The text with `length` characters from `at` on replaced by `with`.
fn damaged(text: &str, at: usize, length: usize, with: &str) -> String {
    let chars: Vec<_> = text.chars().collect();
    let start = at % chars.len();
    let end = (start + length).min(chars.len());
    chars[..start]
        .iter()
        .copied()
        .chain(with.chars())
        .chain(chars[end..].iter().copied())
        .collect()
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = with(&text, &[]);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.toml");
        std::fs::write(&file, &bytes).unwrap();
        let spec = Source::from_file(&file).and_then(|source| Spec::parse(&source, &[]));
        let error = spec.unwrap_err();
        prop_assert!(error.to_string().contains("run.toml"), "{error}");
    }

    #[test]
    fn no_damage_panics(
        whole in prop::sample::select(vec![false, true]),
        damage in prop::collection::vec((any::<usize>(), 0_usize..12, splinter()), 1..4),
    ) {
        let mut text = if whole { star(&[]).to_toml() } else { STAR.to_owned() };
        for (at, length, with) in damage {
            text = damaged(&text, at, length, &with);
            if text.is_empty() {
                break;
            }
        }
        if let Err(error) = with(&text, &[]) {
            prop_assert!(!error.what.is_empty(), "{error}");
        }
    }

    #[test]
    fn no_override_panics(key in "[a-z_.0-9\\[\\]]{0,20}", value in splinter()) {
        let _ = with(STAR, &[(&key, &value)]);
    }
}
