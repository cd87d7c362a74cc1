//! The canonical text of a scenario, and the files that it names: the values of all keys called
//! `file`.

use std::path::{Path, PathBuf};

use toml::Value;

use super::profile::keys;
use super::scenario::Scenario;

const FILE: &str = "file";

/// A file that a scenario refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioFile {
    /// The key whose value is the file's name, e.g. `network.topology.file`.
    pub key: String,
    /// The path as written in the scenario.
    pub written: PathBuf,
    /// Where it is.
    pub path: PathBuf,
}

/// The scenario as TOML, with each file name replaced by `rename`.
pub(crate) fn print(scenario: &Scenario, mut rename: impl FnMut(&str, &Path) -> String) -> String {
    let mut value = as_value(scenario);
    visit(&mut value, "", &mut |key, file| {
        *file = rename(key, Path::new(file))
    });
    toml::to_string(&value).expect("a scenario that was read can be printed")
}

/// The files that the scenario names.
pub(crate) fn files(scenario: &Scenario, folder: &Path) -> Vec<ScenarioFile> {
    let mut files = Vec::new();
    visit(&mut as_value(scenario), "", &mut |key, file| {
        files.push(ScenarioFile {
            key: key.to_owned(),
            written: PathBuf::from(&*file),
            path: folder.join(&*file),
        });
    });
    files
}

fn as_value(scenario: &Scenario) -> Value {
    let mut value = Value::try_from(scenario).expect("a scenario that was read can be printed");
    keys::pin(&mut value, scenario.network.profile);
    value
}

/// Calls `file` with the key and the name of every file.
fn visit(value: &mut Value, key: &str, file: &mut impl FnMut(&str, &mut String)) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                visit(item, &format!("{key}[{index}]"), file);
            }
        }
        Value::Table(table) => {
            for (name, value) in table.iter_mut() {
                let key = if key.is_empty() {
                    name.to_string()
                } else {
                    format!("{key}.{name}")
                };
                match value {
                    Value::String(text) if name == FILE => file(&key, text),
                    value => visit(value, &key, file),
                }
            }
        }
        _ => {}
    }
}
