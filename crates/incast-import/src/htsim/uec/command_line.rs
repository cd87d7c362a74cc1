//! The words of a command line of `htsim_uec`, and the table of its options.

use std::ops::RangeInclusive;
use std::str::FromStr;

use incast_diagnostic::{Diagnostic, excerpt, suggestion, unprintable};
use incast_units::{Rate, Time};

use crate::scenario::{ImportOutcome, ImportedKey};

/// Our command-line option that has the program's command line as its value.
const OPTION: &str = "--uec";

/// An option of the program.
struct KnownOption {
    name: &'static str,
    /// Number of values after the option.
    values: usize,
    meaning: Meaning,
}

/// The use of an option in a scenario.
#[derive(Copy, Clone)]
enum Meaning {
    /// The option is read.
    Read,
    /// The option changes no result, for the given reason.
    WithoutEffect(&'static str),
    /// The option changes results by a mechanism that is not modelled, named here.
    NotModelled(&'static str),
    /// The first text is the default value, which has no effect. Other values select the mechanism
    /// in the second text, which is not modelled.
    Only(&'static str, &'static str),
}

use Meaning::{NotModelled, Only, Read, WithoutEffect};

const LOGS: &str = "results here are what [measure] says";
const ADAPTIVE: &str = "switches route by hashes, unless -strat says otherwise";
const OVERSUBSCRIBED: &str = "the oversubscribed control is off";

/// The options of `main_uec.cpp` of ultraethernet/uet-htsim, commit 40ccb05.
const OPTIONS: &[KnownOption] = &[
    KnownOption::new("-Ai", 1, WithoutEffect(OVERSUBSCRIBED)),
    KnownOption::new("-Md", 1, WithoutEffect(OVERSUBSCRIBED)),
    KnownOption::new("-alpha", 1, WithoutEffect(OVERSUBSCRIBED)),
    KnownOption::new("-ar_granularity", 1, WithoutEffect(ADAPTIVE)),
    KnownOption::new("-ar_method", 1, WithoutEffect(ADAPTIVE)),
    KnownOption::new("-ar_sticky_delta", 1, WithoutEffect(ADAPTIVE)),
    KnownOption::new(
        "-conn_reuse",
        0,
        NotModelled("messages that share a connection"),
    ),
    KnownOption::new("-cwnd", 1, Read),
    KnownOption::new("-debug", 0, WithoutEffect(LOGS)),
    KnownOption::new("-disable_base_rtt_update_on_nack", 0, Read),
    KnownOption::new("-disable_trim", 0, Read),
    KnownOption::new("-ecn", 2, Read),
    KnownOption::new(
        "-enable_accurate_base_rtt",
        0,
        NotModelled(
            "a base RTT with the delays of a pair and the transmissions of the longest path",
        ),
    ),
    KnownOption::new("-end", 1, Read),
    KnownOption::new("-failed", 1, Read),
    KnownOption::new("-force_disable_oversubscribed_cc", 0, Read),
    KnownOption::new("-hop_latency", 1, Read),
    KnownOption::new(
        "-host_queue_type",
        1,
        Only("fair_prio", "another queue at hosts"),
    ),
    KnownOption::new("-linkspeed", 1, Read),
    KnownOption::new("-load_balancing_algo", 1, Read),
    KnownOption::new("-log", 1, WithoutEffect(LOGS)),
    KnownOption::new("-logtime", 1, WithoutEffect(LOGS)),
    KnownOption::new("-logtime_us", 1, WithoutEffect(LOGS)),
    KnownOption::new("-mtu", 1, Read),
    KnownOption::new("-nodes", 1, Read),
    KnownOption::new("-o", 1, WithoutEffect(LOGS)),
    KnownOption::new(
        "-oversubscribed_cc",
        0,
        NotModelled("pacers of receivers that slow down by the oversubscribed control"),
    ),
    KnownOption::new("-paths", 1, Read),
    KnownOption::new("-pcie", 1, NotModelled("the PCIe link of a receiver")),
    KnownOption::new(
        "-planes",
        1,
        Only("1", "several planes, with which the program stops, too"),
    ),
    KnownOption::new("-q", 1, Read),
    KnownOption::new("-qa_gate", 1, Read),
    KnownOption::new("-queue_size_bdp_factor", 1, Read),
    KnownOption::new(
        "-queue_type",
        1,
        Only("composite", "another queue of switches"),
    ),
    KnownOption::new("-receiver_cc", 0, Read),
    KnownOption::new("-receiver_cc_only", 0, Read),
    KnownOption::new("-sack_threshold", 1, Read),
    KnownOption::new("-seed", 1, Read),
    KnownOption::new("-sender_cc", 0, Read),
    KnownOption::new(
        "-sender_cc_algo",
        1,
        Only(
            "nscc",
            "the program's own form of DCTCP, or a constant window",
        ),
    ),
    KnownOption::new("-sender_cc_only", 0, Read),
    KnownOption::new("-sleek", 0, Read),
    KnownOption::new(
        "-strat",
        1,
        Only("ecmp_host", "another way of switches to choose a path"),
    ),
    KnownOption::new(
        "-switch_latency",
        1,
        Only(
            "0",
            "switches that take time, but in a -topo file with Switch_Latency_ns",
        ),
    ),
    KnownOption::new("-target_q_delay", 1, Read),
    KnownOption::new("-tiers", 1, Read),
    KnownOption::new("-tm", 1, Read),
    KnownOption::new("-topo", 1, Read),
    KnownOption::new("-trimsize", 1, Read),
];

impl KnownOption {
    const fn new(name: &'static str, values: usize, meaning: Meaning) -> Self {
        Self {
            name,
            values,
            meaning,
        }
    }
}

/// An option that was given.
struct GivenOption {
    name: &'static str,
    values: Vec<String>,
    /// The report of the option, if it does not depend on other options.
    outcome: Option<ImportOutcome>,
}

/// The options of one command line.
pub(super) struct CommandLine {
    given: Vec<GivenOption>,
    /// Names of options to ignore, with their dashes.
    ignored: Vec<String>,
}

impl CommandLine {
    /// Reads the options; the name of the program may stand before them.
    ///
    /// # Errors
    /// An option that does not exist, lacks its values, or is not modelled.
    pub(super) fn parse(text: &str, ignored: &[String]) -> Result<Self, Diagnostic> {
        let ignored = ignored.iter().map(|name| match name.starts_with('-') {
            true => name.clone(),
            false => format!("-{name}"),
        });
        let mut line = Self {
            given: Vec::new(),
            ignored: ignored.collect(),
        };
        check_words(text)?;
        let mut words = text.split_whitespace().peekable();
        words.next_if(|word| !word.starts_with('-'));
        while let Some(word) = words.next() {
            let option = known(word)?;
            let values: Vec<_> = words
                .by_ref()
                .take(option.values)
                .map(str::to_owned)
                .collect();
            line.add(option, values)?;
        }
        line.check_ignored()?;
        Ok(line)
    }

    fn add(&mut self, option: &KnownOption, values: Vec<String>) -> Result<(), Diagnostic> {
        if values.len() < option.values {
            let hint = match option.values {
                1 => "write its value after it".to_owned(),
                count => format!("write its {count} values after it"),
            };
            return Err(wrong(option.name, "a value is missing", hint));
        }
        let is_ignored = self.ignored.iter().any(|name| name == option.name);
        let outcome = match (is_ignored, option.meaning) {
            (true, _) => Some("ignored, as asked"),
            (false, Read) => None,
            (false, WithoutEffect(reason)) => Some(reason),
            (false, NotModelled(what)) => return Err(not_modelled(option.name, what)),
            (false, Only(default, _)) if values[0] == default => Some("as it is without it"),
            (false, Only(default, what)) => {
                let asked = format!(
                    "`{}` asks for {what}, which is not modelled",
                    excerpt(&values[0])
                );
                let hint = format!("write {default}, or {}", ignore(option.name));
                return Err(wrong(option.name, asked, hint));
            }
        };
        self.given.push(GivenOption {
            name: option.name,
            values,
            outcome: outcome.map(|reason| ImportOutcome::NotUsed(reason.to_owned())),
        });
        Ok(())
    }

    /// Refuses to ignore an option that is not given.
    fn check_ignored(&self) -> Result<(), Diagnostic> {
        for name in &self.ignored {
            known(name)?;
            let is_given = self.given.iter().any(|given| given.name == name);
            if !is_given && name != IMPLIED {
                let what = "the command line does not have it";
                let given = self.given.iter().map(|given| given.name);
                let diagnostic = Diagnostic::new(what, suggestion(name, given));
                return Err(diagnostic.at(format!("--ignore {name}")));
            }
        }
        Ok(())
    }

    /// Whether the user wants to ignore an option, or the effect that others imply.
    pub(super) fn ignores(&self, name: &str) -> bool {
        self.ignored.iter().any(|ignored| ignored == name)
    }

    /// The options that have an effect, in the order given.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &'static str> {
        let read = self.given.iter().filter(|given| given.outcome.is_none());
        read.map(|given| given.name)
    }

    /// The values after an option; if it is given several times, the last ones.
    fn values(&self, name: &str) -> Option<&[String]> {
        let mut given = self.given.iter().rev();
        let found = given.find(|given| given.name == name && given.outcome.is_none());
        found.map(|given| &given.values[..])
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.values(name).is_some()
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values(name)?.first().map(String::as_str)
    }

    /// The value of an option as an integer in a range.
    pub(super) fn number(
        &self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, Diagnostic> {
        let value = self.text(name);
        value.map(|value| number(name, value, &range)).transpose()
    }

    /// Two values of an option as integers in a range, the smaller one first.
    pub(super) fn numbers(
        &self,
        name: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<(u64, u64)>, Diagnostic> {
        let Some([first, second]) = self.values(name) else {
            return Ok(None);
        };
        let (low, high) = (number(name, first, &range)?, number(name, second, &range)?);
        match low <= high {
            true => Ok(Some((low, high))),
            false => Err(wrong(
                name,
                format!("{low} is above {high}"),
                "write the smaller one first",
            )),
        }
    }

    /// A time in microseconds.
    pub(super) fn microseconds(&self, name: &'static str) -> Result<Option<Time>, Diagnostic> {
        self.quantity(name, "us", "write microseconds, e.g. 1.5")
    }

    /// A rate in megabits per second.
    pub(super) fn megabits(&self, name: &'static str) -> Result<Option<Rate>, Diagnostic> {
        self.quantity(name, "Mbps", "write megabits per second, e.g. 400000")
    }

    fn quantity<T: FromStr + PartialEq + Default>(
        &self,
        name: &'static str,
        unit: &str,
        hint: &str,
    ) -> Result<Option<T>, Diagnostic> {
        let Some(value) = self.text(name) else {
            return Ok(None);
        };
        let read = format!("{value}{unit}").parse::<T>().ok();
        match read.filter(|read| *read != T::default()) {
            Some(read) => Ok(Some(read)),
            None => Err(wrong(
                name,
                format!("`{}` is no number above 0", excerpt(value)),
                hint,
            )),
        }
    }

    /// The report of all options, in order; `outcomes` has those that were read.
    pub(super) fn report(
        &self,
        outcomes: impl Fn(&str) -> Option<ImportOutcome>,
    ) -> Vec<ImportedKey> {
        let last = |name: &str| self.given.iter().rposition(|given| given.name == name);
        let given = self.given.iter().enumerate().map(|(place, given)| {
            let outcome = match (&given.outcome, last(given.name) == Some(place)) {
                (Some(settled), _) => settled.clone(),
                (None, true) => outcomes(given.name).unwrap_or_else(|| {
                    ImportOutcome::NotUsed("other options leave it without effect".to_owned())
                }),
                (None, false) => ImportOutcome::NotUsed("it is given again".to_owned()),
            };
            ImportedKey {
                line: None,
                key: given.name.to_owned(),
                value: given.values.join(" "),
                outcome,
            }
        });
        given.collect()
    }
}

/// The effect that `-receiver_cc_only` implies on some topologies; it may be ignored although it is
/// not given.
const IMPLIED: &str = "-oversubscribed_cc";

/// The longest word in characters: words may be paths.
const MAX_WORD: usize = 1_000;

/// Refuses words that a message cannot show.
fn check_words(text: &str) -> Result<(), Diagnostic> {
    for word in text.split_whitespace() {
        if let Some(wrong) = unprintable(word) {
            return Err(wrong.at(OPTION));
        }
        if word.len() > MAX_WORD {
            let what = format!("`{}` has {} bytes", excerpt(word), word.len());
            let hint = format!("words have {MAX_WORD} at most");
            return Err(Diagnostic::new(what, hint).at(OPTION));
        }
    }
    Ok(())
}

fn known(word: &str) -> Result<&'static KnownOption, Diagnostic> {
    let found = OPTIONS.iter().find(|option| option.name == word);
    found.ok_or_else(|| {
        let names = OPTIONS.iter().map(|option| option.name);
        let what = "htsim_uec has no such option";
        let diagnostic = Diagnostic::new(what, suggestion(word, names));
        diagnostic.at(format!("{OPTION} {}", excerpt(word)))
    })
}

fn number(name: &'static str, value: &str, range: &RangeInclusive<u64>) -> Result<u64, Diagnostic> {
    match value.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = (range.start(), range.end());
            let what = format!(
                "`{}` is no whole number from {least} to {most}",
                excerpt(value)
            );
            Err(wrong(
                name,
                what,
                format!("write e.g. {}", (*most).min(8).max(*least)),
            ))
        }
    }
}

/// A diagnostic about an option of the program.
pub(super) fn wrong(name: &str, what: impl Into<String>, hint: impl Into<String>) -> Diagnostic {
    Diagnostic::new(what, hint).at(format!("{OPTION} {name}"))
}

/// An option that changes results by a mechanism that is not modelled.
fn not_modelled(name: &str, what: &str) -> Diagnostic {
    let hint = format!("leave it out, or {}", ignore(name));
    wrong(
        name,
        format!("this asks for {what}, which is not modelled"),
        hint,
    )
}

fn ignore(name: &str) -> String {
    format!(
        "read over it with --ignore {}",
        name.trim_start_matches('-')
    )
}
