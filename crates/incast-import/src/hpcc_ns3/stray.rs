//! Words of a configuration that the artifact skips: settings of forks, and notes.
//!
//! A setting of a fork changes its experiment: an algorithm, nodes without congestion control. The
//! artifact has no such key, so that only its form distinguishes a setting from a note.

/// The kind of a line of such words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Stray {
    /// A setting that changes the experiment.
    Setting,
    /// A setting of an additional output of a fork.
    Output,
    /// A feature that is switched off.
    Off,
    /// A setting that has no effect in the fork either, with the reason.
    WithoutEffect(&'static str),
    /// A note.
    Text,
}

/// Suffixes of keys for outputs of forks.
const OUTPUTS: [&str; 5] = [
    "OUTPUT_FILE",
    "MON_FILE",
    "TRACE_FILE",
    "THROUGHPUT_FILE",
    "_LOG",
];

/// Settings of forks that have no effect, according to their `scratch/third.cc`.
const WITHOUT_EFFECT: [(&str, &str); 4] = [
    // Hawkeye.
    ("DIR", "the folder of telemetry that Hawkeye writes"),
    // PBS.
    ("GPUT_COUNT_END_TIME", "when a fork ends to count goodput"),
    ("LOSS_COUNT_END_TIME", "when a fork ends to count losses"),
    // PrioMeter.
    (
        "P4THMETER_THRESHOLD",
        "PrioMeter does not read it, but P4THMETER_THR",
    ),
];

/// The kind of these words.
pub(super) fn of(words: &str) -> Stray {
    let mut rest = words.split_whitespace();
    let key = rest.next().unwrap_or_default();
    let values: Vec<_> = rest.collect();
    match is_setting(key, &values) {
        false => Stray::Text,
        true if OUTPUTS.iter().any(|end| key.ends_with(end)) || key.contains("_MON_") => {
            Stray::Output
        }
        true if key.contains("ENABLE") && values == ["0"] => Stray::Off,
        true => match WITHOUT_EFFECT.iter().find(|(name, _)| *name == key) {
            Some((_, why)) => Stray::WithoutEffect(why),
            None => Stray::Setting,
        },
    }
}

/// Whether a setting belongs to a feature that these words switch off: `PBT_MAX` belongs to
/// `ENABLE_PBT 0`, `OCS_CTRL_MODE` to `OCS_CTRL_ENABLE 0`.
pub(super) fn is_switched_off_by(setting: &str, words: &str) -> bool {
    let key = first_word(words);
    let feature = key.strip_prefix("ENABLE_").or(key.strip_suffix("_ENABLE"));
    let is_its = |feature: &str| {
        let rest = setting.strip_prefix(feature);
        rest.is_some_and(|rest| rest.starts_with('_'))
    };
    of(words) == Stray::Off && feature.is_some_and(is_its)
}

/// `ENABLE_MYCC 1`, `KMAX 1000` and `alpha 0.5` are settings; `NOTE: run it twice` is not.
fn is_setting(key: &str, values: &[&str]) -> bool {
    let is_name = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_upper = is_name && !key.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_number = |word: &&str| word.parse::<f64>().is_ok();
    match (is_upper, key.contains('_')) {
        (true, true) => true,
        (true, false) => values.len() == 1 || values.first().is_some_and(is_number),
        (false, _) => is_name && values.len() == 1 && values.iter().all(is_number),
    }
}

/// The first word, which is the key of a setting.
pub(super) fn first_word(words: &str) -> &str {
    words.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_from_notes() {
        for (words, expected) in [
            ("ENABLE_MYCC 1", Stray::Setting),
            ("NO_CC_NODE 4 5 6 7 8", Stray::Setting),
            ("MY_KEY", Stray::Setting),
            ("KMAX 1000", Stray::Setting),
            ("alpha 0.5", Stray::Setting),
            ("GPUT_OUTPUT_FILE mix/gput.txt", Stray::Output),
            ("BW_MON_END 5", Stray::Output),
            ("SWITCH_DEBUG_LOG 1", Stray::Output),
            ("ENABLE_MYCC 0", Stray::Off),
            (
                "DIR mix/data",
                Stray::WithoutEffect("the folder of telemetry that Hawkeye writes"),
            ),
            ("# ENABLE_MYCC 1", Stray::Text),
            ("#ENABLE_MYCC 1", Stray::Text),
            ("//BUFFER_SIZE 768", Stray::Text),
            ("TODO run it twice", Stray::Text),
            ("the second run", Stray::Text),
            ("12.5", Stray::Text),
        ] {
            assert_eq!(of(words), expected, "{words}");
        }
    }

    #[test]
    fn settings_of_what_is_off() {
        for (setting, words, expected) in [
            ("PBT_MAX", "ENABLE_PBT 0", true),
            ("PBT_MAX", "ENABLE_PBT 1", false),
            ("PBTMAX", "ENABLE_PBT 0", false),
            ("OCS_CTRL_MODE", "OCS_CTRL_ENABLE 0", true),
            ("OCS_MAP_FILE", "OCS_CTRL_ENABLE 0", false),
        ] {
            assert_eq!(is_switched_off_by(setting, words), expected, "{setting}");
        }
    }
}
