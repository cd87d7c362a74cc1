//! The artifact's configuration file: words, of which some are keys, followed by their values.
//!
//! The artifact reads word by word, and silently skips words that it does not know. If a key is
//! repeated, its last value counts. This reader does the same, but reports every word.

use incast_diagnostic::{Diagnostic, excerpt, nearest};
use incast_units::Rate;

use super::keys::{CONWEAVE_KEYS, SIMAI_KEYS};
use super::stray::{self, Stray, first_word};
use crate::text::BYTE_ORDER_MARK;

/// The form of a key's value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ValueShape {
    /// A fixed number of words.
    Words(usize),
    /// A number of pairs, then the pairs.
    Pairs,
}

/// Every key that the artifact reads.
const KEYS: [(&str, ValueShape); 50] = [
    ("ACK_HIGH_PRIO", ValueShape::Words(1)),
    ("ALPHA_RESUME_INTERVAL", ValueShape::Words(1)),
    ("BUFFER_SIZE", ValueShape::Words(1)),
    ("CC_MODE", ValueShape::Words(1)),
    ("CLAMP_TARGET_RATE", ValueShape::Words(1)),
    ("DATA_RATE", ValueShape::Words(1)),
    ("DCTCP_RATE_AI", ValueShape::Words(1)),
    ("ENABLE_QCN", ValueShape::Words(1)),
    ("ENABLE_TRACE", ValueShape::Words(1)),
    ("ERROR_RATE_PER_LINK", ValueShape::Words(1)),
    ("EWMA_GAIN", ValueShape::Words(1)),
    ("FAST_REACT", ValueShape::Words(1)),
    ("FAST_RECOVERY_TIMES", ValueShape::Words(1)),
    ("FCT_OUTPUT_FILE", ValueShape::Words(1)),
    ("FLOW_FILE", ValueShape::Words(1)),
    ("GLOBAL_T", ValueShape::Words(1)),
    ("HAS_WIN", ValueShape::Words(1)),
    ("INT_MULTI", ValueShape::Words(1)),
    ("KMAX_MAP", ValueShape::Pairs),
    ("KMIN_MAP", ValueShape::Pairs),
    ("L2_ACK_INTERVAL", ValueShape::Words(1)),
    ("L2_BACK_TO_ZERO", ValueShape::Words(1)),
    ("L2_CHUNK_SIZE", ValueShape::Words(1)),
    ("LINK_DELAY", ValueShape::Words(1)),
    ("LINK_DOWN", ValueShape::Words(3)),
    ("MIN_RATE", ValueShape::Words(1)),
    ("MI_THRESH", ValueShape::Words(1)),
    ("MULTI_RATE", ValueShape::Words(1)),
    ("PACKET_PAYLOAD_SIZE", ValueShape::Words(1)),
    ("PAUSE_TIME", ValueShape::Words(1)),
    ("PFC_OUTPUT_FILE", ValueShape::Words(1)),
    ("PINT_LOG_BASE", ValueShape::Words(1)),
    ("PINT_PROB", ValueShape::Words(1)),
    ("PMAX_MAP", ValueShape::Pairs),
    ("QLEN_MON_END", ValueShape::Words(1)),
    ("QLEN_MON_FILE", ValueShape::Words(1)),
    ("QLEN_MON_START", ValueShape::Words(1)),
    ("RATE_AI", ValueShape::Words(1)),
    ("RATE_BOUND", ValueShape::Words(1)),
    ("RATE_DECREASE_INTERVAL", ValueShape::Words(1)),
    ("RATE_HAI", ValueShape::Words(1)),
    ("RP_TIMER", ValueShape::Words(1)),
    ("SAMPLE_FEEDBACK", ValueShape::Words(1)),
    ("SIMULATOR_STOP_TIME", ValueShape::Words(1)),
    ("TOPOLOGY_FILE", ValueShape::Words(1)),
    ("TRACE_FILE", ValueShape::Words(1)),
    ("TRACE_OUTPUT_FILE", ValueShape::Words(1)),
    ("USE_DYNAMIC_PFC_THRESHOLD", ValueShape::Words(1)),
    ("U_TARGET", ValueShape::Words(1)),
    ("VAR_WIN", ValueShape::Words(1)),
];

/// All keys, in alphabetical order.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(key, _)| *key)
}

/// Whether the artifact or a known fork reads this key.
pub(super) fn is_known(word: &str) -> bool {
    shape(word).is_some()
}

fn shape(word: &str) -> Option<(&'static str, ValueShape)> {
    let of_dialects = CONWEAVE_KEYS.iter().map(|(key, _)| key).chain(&SIMAI_KEYS);
    let one_word = of_dialects.map(|key| (*key, ValueShape::Words(1)));
    KEYS.iter()
        .copied()
        .chain(one_word)
        .find(|(key, _)| *key == word)
}

/// The artifact's default of a setting of 0 or 1.
#[derive(Copy, Clone, Debug)]
pub(super) enum FlagDefault {
    Off = 0,
    On = 1,
}

/// The most settings of a fork that a message names; further ones are counted.
const MAX_NAMED: usize = 15;

/// A configuration file.
#[derive(Debug)]
pub(super) struct Config {
    file: String,
    pub(super) entries: Vec<ConfigEntry>,
    /// Words that are not keys, with their lines.
    pub(super) strays: Vec<(u64, String)>,
    /// Words that are ignored at the user's request, with their lines.
    pub(super) ignored: Vec<(u64, String)>,
}

/// A key with its value.
#[derive(Debug)]
pub(super) struct ConfigEntry {
    pub(super) key: &'static str,
    pub(super) line: u64,
    pub(super) words: Vec<String>,
}

impl Config {
    pub(super) fn parse(file: &str, text: &str) -> Result<Self, Diagnostic> {
        let mut config = Self {
            file: file.to_owned(),
            entries: Vec::new(),
            strays: Vec::new(),
            ignored: Vec::new(),
        };
        let lines = (1..).zip(text.trim_start_matches(BYTE_ORDER_MARK).lines());
        let words = lines.flat_map(|(line, text)| text.split_whitespace().map(move |w| (line, w)));
        let mut words = words.peekable();
        while let Some((line, word)) = words.next() {
            match shape(word) {
                Some((key, shape)) => {
                    let entry = config.entry(key, shape, line, &mut words)?;
                    config.entries.push(entry);
                }
                None => config.stray(line, word),
            }
        }
        if config.entries.is_empty() {
            let wrong = Diagnostic::new(
                "not one key of the artifact is in it",
                "give a configuration such as mix/config.txt",
            );
            return Err(config.placed(None, "", wrong));
        }
        Ok(config)
    }

    fn entry<'a>(
        &self,
        key: &'static str,
        shape: ValueShape,
        line: u64,
        rest: &mut impl Iterator<Item = (u64, &'a str)>,
    ) -> Result<ConfigEntry, Diagnostic> {
        let mut words = Vec::new();
        let mut take = |count: usize| {
            words.extend(rest.take(count).map(|(_, word)| word.to_owned()));
            words.clone()
        };
        let wanted = match shape {
            ValueShape::Words(count) => {
                take(count);
                count
            }
            ValueShape::Pairs => {
                let count = take(1).first().and_then(|word| word.parse::<usize>().ok());
                let count = count.filter(|count| *count <= 64).ok_or_else(|| {
                    let hint = "write their number first, e.g. `1 100000000000 400`";
                    self.placed(
                        Some(line),
                        key,
                        Diagnostic::new("the number of pairs is missing", hint),
                    )
                })?;
                take(2 * count);
                1 + 2 * count
            }
        };
        if words.len() < wanted {
            let what = format!(
                "{} of {wanted} values are there when the file ends",
                words.len()
            );
            let wrong = Diagnostic::new(what, "complete the file");
            return Err(self.placed(Some(line), key, wrong));
        }
        Ok(ConfigEntry { key, line, words })
    }

    /// Adds a word that is not a key; such words on one line are reported together.
    fn stray(&mut self, line: u64, word: &str) {
        match self.strays.last_mut() {
            Some((last, words)) if *last == line => {
                words.push(' ');
                words.push_str(word);
            }
            _ => self.strays.push((line, word.to_owned())),
        }
    }

    /// Removes the keys that the user wants to ignore.
    pub(super) fn ignore(&mut self, names: &[String]) -> Result<(), Diagnostic> {
        for name in names {
            let is_it = |key: &str| key == name;
            let before = self.entries.len() + self.strays.len();
            let (gone, kept) = std::mem::take(&mut self.entries)
                .into_iter()
                .partition(|entry: &ConfigEntry| is_it(entry.key));
            self.entries = kept;
            for entry in gone {
                self.ignored.push((
                    entry.line,
                    [&[entry.key.to_owned()], &entry.words[..]]
                        .concat()
                        .join(" "),
                ));
            }
            let (gone, kept) = std::mem::take(&mut self.strays)
                .into_iter()
                .partition(|(_, words)| is_it(first_word(words)));
            self.strays = kept;
            self.ignored.extend::<Vec<_>>(gone);
            if before == self.entries.len() + self.strays.len() {
                let what = format!(
                    "the configuration has no `{}` that could be ignored",
                    excerpt(name)
                );
                let known = self.strays.iter().map(|(_, words)| first_word(words));
                let hint = match nearest(name, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "name a key of the file".to_owned(),
                };
                return Err(Diagnostic::new(what, hint).in_file(&self.file));
            }
        }
        Ok(())
    }

    /// Refuses settings of a fork that change its experiment.
    pub(super) fn refuse_settings_of_forks(&self) -> Result<(), Diagnostic> {
        let settings = self.strays.iter();
        let settings = settings.filter(|(_, words)| self.is_setting(words));
        let settings: Vec<_> = settings
            .map(|(line, words)| (*line, excerpt(first_word(words))))
            .collect();
        let Some(((line, key), others)) = settings.split_first() else {
            return Ok(());
        };
        let shown = &others[..others.len().min(MAX_NAMED)];
        let others: Vec<_> = shown
            .iter()
            .map(|(line, key)| format!(", {key} in line {line}"))
            .collect();
        let ignored = std::iter::once(key).chain(shown.iter().map(|(_, key)| key));
        let ignored: Vec<_> = ignored.map(|key| format!("--ignore {key}")).collect();
        // A key that the file already has was not the one that was misspelt.
        let absent = keys().filter(|known| self.last(known).is_none());
        let meant = match nearest(key, absent) {
            Some(near) => format!("did you mean {near}? "),
            None => String::new(),
        };
        let what = match settings.len() - shown.len() - 1 {
            0 if shown.is_empty() => {
                "is no setting of the artifact, and what it changes is not here".to_owned()
            }
            0 => format!(
                "is no setting of the artifact{} neither; what they change is not here",
                others.concat()
            ),
            more => format!(
                "is no setting of the artifact{} and {more} more neither; what they change is not \
                 here",
                others.concat()
            ),
        };
        let hint = format!("{meant}give {} to import the rest", ignored.join(" "));
        Err(self.placed(Some(*line), key, Diagnostic::new(what, hint)))
    }

    /// Whether the words are a setting that changes the experiment of a fork.
    fn is_setting(&self, words: &str) -> bool {
        stray::of(words) == Stray::Setting && !self.is_off(words)
    }

    /// Whether the setting belongs to a feature that is switched off.
    fn is_off(&self, words: &str) -> bool {
        let mut strays = self.strays.iter();
        strays.any(|(_, other)| stray::is_switched_off_by(first_word(words), other))
    }

    /// The remark in the report on words that change nothing.
    pub(super) fn remark(&self, words: &str) -> &'static str {
        match stray::of(words) {
            Stray::Setting if self.is_off(words) => "what it belongs to is switched off",
            Stray::WithoutEffect(why) => why,
            Stray::Output => "an output of a fork, with no effect on its experiment",
            Stray::Off => "0: what it switches on is off",
            Stray::Setting | Stray::Text => "the artifact reads over these words",
        }
    }

    /// Adds key, line and file to a diagnostic.
    fn placed(&self, line: Option<u64>, key: &str, diagnostic: Diagnostic) -> Diagnostic {
        let keyed = diagnostic.at(key);
        let numbered = match line {
            Some(line) => keyed.on_line(line),
            None => keyed,
        };
        numbered.in_file(&self.file)
    }

    /// A diagnostic about the value of a key.
    pub(super) fn wrong(&self, key: &str, what: impl Into<String>, hint: &str) -> Diagnostic {
        let line = self.last(key).map(|entry| entry.line);
        self.placed(line, key, Diagnostic::new(what, hint))
    }

    /// The last entry of a key, which is the one that counts.
    pub(super) fn last(&self, key: &str) -> Option<&ConfigEntry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.last(key).map(|entry| entry.words[0].as_str())
    }

    /// The value of a key as a number, or the artifact's default.
    pub(super) fn number(&self, key: &str, default: f64) -> Result<f64, Diagnostic> {
        let Some(text) = self.text(key) else {
            return Ok(default);
        };
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number
            .ok_or_else(|| self.wrong(key, format!("`{text}` is not a number"), "write e.g. 0.95"))
    }

    /// The value of a key as a 32-bit integer, as in the artifact; `4.0` is accepted.
    pub(super) fn whole(&self, key: &str, default: u32) -> Result<u32, Diagnostic> {
        let number = self.number(key, default.into())?;
        if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            return Ok(number as u32);
        }
        let what = format!("`{number}` is not a whole number from 0 on");
        Err(self.wrong(key, what, "write e.g. 1"))
    }

    /// The value of a key of 0 or 1.
    pub(super) fn flag(&self, key: &str, default: FlagDefault) -> Result<bool, Diagnostic> {
        self.whole(key, default as u32).map(|number| number != 0)
    }

    pub(super) fn rate(&self, key: &str, default: Option<Rate>) -> Result<Rate, Diagnostic> {
        match (self.text(key), default) {
            (Some(text), _) => text.parse().map_err(|wrong| {
                let line = self.last(key).map(|entry| entry.line);
                self.placed(line, key, wrong)
            }),
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.wrong(
                key,
                "is missing, and the artifact has no default",
                "add e.g. `50Mb/s`",
            )),
        }
    }

    /// The pairs of a map whose keys are link rates.
    pub(super) fn map(&self, key: &str) -> Result<Vec<(Rate, f64)>, Diagnostic> {
        let Some(entry) = self.last(key) else {
            return Ok(Vec::new());
        };
        entry.words[1..]
            .chunks_exact(2)
            .map(|pair| {
                let rate = pair[0].parse().ok().map(Rate::from_bps);
                let value = pair[1].parse().ok();
                let value = value.filter(|value| (0.0..=f64::from(u32::MAX)).contains(value));
                rate.zip(value).ok_or_else(|| {
                    let what = format!(
                        "`{} {}` is not a rate in bit/s and a number",
                        pair[0], pair[1]
                    );
                    self.wrong(key, what, "write e.g. `1 100000000000 400`")
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config::parse("config.txt", text).unwrap()
    }

    #[test]
    fn keys_are_in_order_and_distinct() {
        assert!(keys().is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn the_last_value_counts_and_strays_are_kept() {
        let config = config("RATE_AI 50Mb/s\nMIN_RAT 1 2\nRATE_AI 1Gb/s\nINT_MULTI 4.0\n");
        assert_eq!(config.rate("RATE_AI", None), Ok(Rate::from_gbps(1)));
        assert_eq!(config.whole("INT_MULTI", 1), Ok(4));
        assert_eq!(config.strays, [(2, "MIN_RAT 1 2".to_owned())]);
        assert_eq!(
            config.refuse_settings_of_forks().unwrap_err().to_string(),
            "config.txt:2: MIN_RAT: is no setting of the artifact, and what it changes is not \
             here; did you mean MIN_RATE? give --ignore MIN_RAT to import the rest"
        );
    }

    /// Editors on Windows write a byte-order mark.
    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_key() {
        let config = config("\u{feff}CC_MODE 3\n");
        assert_eq!(config.whole("CC_MODE", 1), Ok(3));
        assert!(config.strays.is_empty());
    }

    #[test]
    fn maps_are_pairs() {
        let config = config("KMIN_MAP 2 100000000000 400 400000000000 1600 BUFFER_SIZE 32");
        let expected = [
            (Rate::from_gbps(100), 400.0),
            (Rate::from_gbps(400), 1600.0),
        ];
        assert_eq!(config.map("KMIN_MAP").unwrap(), expected);
        assert_eq!(config.whole("BUFFER_SIZE", 16), Ok(32));
    }

    #[test]
    fn garbage_is_told_with_its_line() {
        let parse = |text| Config::parse("config.txt", text).unwrap_err().to_string();
        for (text, message) in [
            (
                "hello world",
                "config.txt: not one key of the artifact is in it; \
                 give a configuration such as mix/config.txt",
            ),
            (
                "\nLINK_DOWN 0 0",
                "config.txt:2: LINK_DOWN: 2 of 3 values are there when the file ends; \
                 complete the file",
            ),
            (
                "KMAX_MAP many",
                "config.txt:1: KMAX_MAP: the number of pairs is missing; \
                 write their number first, e.g. `1 100000000000 400`",
            ),
        ] {
            assert_eq!(parse(text), message);
        }
        let config = config("U_TARGET high\n\nMI_THRESH -1\nRATE_AI 50\nPMAX_MAP 1 100 x");
        let number = config.number("U_TARGET", 0.95).unwrap_err().to_string();
        assert_eq!(
            number,
            "config.txt:1: U_TARGET: `high` is not a number; write e.g. 0.95"
        );
        let whole = config.whole("MI_THRESH", 5).unwrap_err().to_string();
        assert_eq!(
            whole,
            "config.txt:3: MI_THRESH: `-1` is not a whole number from 0 on; write e.g. 1"
        );
        let rate = config.rate("RATE_AI", None).unwrap_err().to_string();
        assert_eq!(
            rate,
            "config.txt:4: RATE_AI: `50` has no unit; write e.g. `50Gbps`"
        );
        let map = config.map("PMAX_MAP").unwrap_err().to_string();
        assert_eq!(
            map,
            "config.txt:5: PMAX_MAP: `100 x` is not a rate in bit/s and a number; \
             write e.g. `1 100000000000 400`"
        );
        for value in ["-1", "nan", "inf", "1e30"] {
            let config = self::config(&format!("KMIN_MAP 1 100 {value}"));
            let map = config.map("KMIN_MAP").unwrap_err().to_string();
            let begin = format!("config.txt:1: KMIN_MAP: `100 {value}` is not a rate in bit/s and");
            assert!(map.starts_with(&begin), "{map}");
        }
        let missing = config.rate("RATE_HAI", None).unwrap_err().to_string();
        assert_eq!(
            missing,
            "config.txt: RATE_HAI: is missing, and the artifact has no default; add e.g. `50Mb/s`"
        );
    }
}
