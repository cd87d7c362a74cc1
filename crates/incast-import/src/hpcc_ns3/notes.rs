//! What became of each key.

use std::collections::BTreeMap;

use super::config::{Config, keys};
use crate::scenario::{ImportOutcome, ImportedKey};

/// Notes on keys, whether the configuration has them or not.
#[derive(Debug, Default)]
pub(super) struct Notes {
    outcomes: BTreeMap<&'static str, ImportOutcome>,
}

impl Notes {
    /// The key went to this key of the scenario, perhaps with a remark.
    pub(super) fn used(&mut self, key: &'static str, where_to: &str) {
        self.outcomes
            .insert(key, ImportOutcome::Used(where_to.to_owned()));
    }

    pub(super) fn unused(&mut self, key: &'static str, reason: &str) {
        self.outcomes
            .insert(key, ImportOutcome::NotUsed(reason.to_owned()));
    }

    /// Everything in the file, line by line; then the keys that it lacks and whose default was
    /// used.
    pub(super) fn report(mut self, config: &Config) -> Vec<ImportedKey> {
        let mut report: Vec<_> = config
            .entries
            .iter()
            .map(|entry| {
                let last = config.last(entry.key).map_or(entry.line, |last| last.line);
                let outcome = match last == entry.line {
                    true => self.outcomes[entry.key].clone(),
                    false => ImportOutcome::NotUsed(format!("line {last} has the key again")),
                };
                ImportedKey {
                    line: Some(entry.line),
                    key: entry.key.to_owned(),
                    value: entry.words.join(" "),
                    outcome,
                }
            })
            .collect();
        report.extend(config.strays.iter().map(|(line, words)| {
            let (key, value) = words.split_once(' ').unwrap_or((words, ""));
            ImportedKey {
                line: Some(*line),
                key: key.to_owned(),
                value: value.to_owned(),
                outcome: ImportOutcome::NotUsed(Config::remark(key)),
            }
        }));
        report.sort_by_key(|entry| entry.line);
        for key in keys().filter(|key| config.last(key).is_none()) {
            if let Some(outcome @ ImportOutcome::Used(_)) = self.outcomes.remove(key) {
                let (key, value) = (key.to_owned(), "default".to_owned());
                report.push(ImportedKey {
                    line: None,
                    key,
                    value,
                    outcome,
                });
            }
        }
        report
    }
}
