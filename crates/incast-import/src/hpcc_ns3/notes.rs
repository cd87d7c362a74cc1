//! The report of the import: the use of each key.

use std::collections::BTreeMap;
use std::path::Path;

use super::config::{Config, keys};
use crate::scenario::{ImportOutcome, ImportedKey};

/// Notes on keys, including those that the configuration does not have.
#[derive(Debug, Default)]
pub(super) struct Notes {
    outcomes: BTreeMap<&'static str, ImportOutcome>,
    /// Notes on files that the configuration names.
    of_files: Vec<ImportedKey>,
}

impl Notes {
    /// Notes that the key became the key `where_to` of the scenario, possibly with a remark.
    pub(super) fn used(&mut self, key: &'static str, where_to: &str) {
        self.outcomes
            .insert(key, ImportOutcome::Used(where_to.to_owned()));
    }

    pub(super) fn unused(&mut self, key: &'static str, reason: &str) {
        self.outcomes
            .insert(key, ImportOutcome::NotUsed(reason.to_owned()));
    }

    /// Adds a note on a file that the configuration names, or on one of its lines.
    pub(super) fn of_file(&mut self, file: &Path, line: Option<u64>, what: String, reason: String) {
        let name = file.file_name().unwrap_or(file.as_os_str());
        let name = name.to_string_lossy();
        self.of_files.push(ImportedKey {
            line: None,
            key: match line {
                Some(line) => format!("{name}:{line}"),
                None => name.into_owned(),
            },
            value: what,
            outcome: ImportOutcome::NotUsed(reason),
        });
    }

    /// The entries of the configuration in their order; then the defaults of keys that it lacks;
    /// then the parts of other files that were not used.
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
        let strays = config.strays.iter();
        let strays = strays.map(|(line, words)| (*line, words, config.remark(words)));
        let ignored = config.ignored.iter();
        let ignored = ignored.map(|(line, words)| (*line, words, "to be ignored"));
        report.extend(strays.chain(ignored).map(|(line, words, reason)| {
            let (key, value) = words.split_once(' ').unwrap_or((words, ""));
            ImportedKey {
                line: Some(line),
                key: key.to_owned(),
                value: value.to_owned(),
                outcome: ImportOutcome::NotUsed(reason.to_owned()),
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
        report.append(&mut self.of_files);
        report
    }
}
