//! A scenario that has been run, and variants of it.

use incast_sim::{Results, Source, Spec, ValidSpec, run};
use incast_workload::Flow;
use tempfile::TempDir;
use toml::{Table, Value};

use crate::outcome::Outcome;

/// A scenario and its results.
pub(super) struct Base {
    /// The scenario with all defaults filled in, so that changes do not change a default.
    pub(super) scenario: Table,
    pub(super) spec: ValidSpec,
    pub(super) results: Results,
    /// The scenario's flows, in order of start; empty for tasks, which wait for each other.
    pub(super) flows: Vec<Flow>,
    /// The folder for files of variants.
    pub(super) folder: TempDir,
}

impl Base {
    /// Runs the scenario, unless it is refused.
    pub(super) fn run(text: &str) -> Result<Self, Outcome> {
        let spec = valid(text)?;
        let mut scenario: Table = spec.to_toml().parse().expect("the canonical text is TOML");
        put(&mut scenario, "measure.fair_share", "none");
        let spec = valid(&scenario.to_string())?;
        let flows = spec.flows().and_then(Iterator::collect);
        let results = run(&spec, &mut ()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Ok(Self {
            results,
            flows: flows.expect("they are made, not read"),
            scenario,
            spec,
            folder: tempfile::tempdir().expect("a folder"),
        })
    }

    /// The results of a variant; `None` if the variant is refused.
    pub(super) fn run_with(&self, change: impl FnOnce(&mut Table)) -> Option<Results> {
        let mut scenario = self.scenario.clone();
        change(&mut scenario);
        run_of(&scenario)
    }

    /// The value of a setting, if the scenario has it.
    pub(super) fn setting(&self, key: &str) -> Option<&Value> {
        setting(&self.scenario, key)
    }

    /// Whether the value of a setting is this text.
    pub(super) fn is(&self, key: &str, text: &str) -> bool {
        self.setting(key).and_then(Value::as_str) == Some(text)
    }

    /// Whether links have faults.
    pub(super) fn has_faults(&self) -> bool {
        self.setting("fault").is_some()
    }
}

/// The results of a scenario; `None` if the scenario is refused.
pub(super) fn run_of(scenario: &Table) -> Option<Results> {
    let text = scenario.to_string();
    let spec = valid(&text).ok()?;
    Some(run(&spec, &mut ()).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

fn valid(text: &str) -> Result<ValidSpec, Outcome> {
    let source = Source::from_text("random.toml", text);
    let spec = Spec::parse(&source, &[]).and_then(Spec::validate);
    spec.map_err(|diagnostic| Outcome::refused(&diagnostic))
}

/// The value of a setting, if the scenario has it.
pub(super) fn setting<'a>(scenario: &'a Table, key: &str) -> Option<&'a Value> {
    let mut keys = key.split('.');
    let first = scenario.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}

/// Sets a setting, and creates the tables around it if necessary.
pub(super) fn put(scenario: &mut Table, key: &str, value: impl Into<Value>) {
    let (tables, last) = key.rsplit_once('.').unwrap_or(("", key));
    let mut table = scenario;
    for key in tables.split('.').filter(|key| !key.is_empty()) {
        let inner = table.entry(key).or_insert_with(|| Table::new().into());
        table = inner.as_table_mut().expect("a table");
    }
    table.insert(last.to_owned(), value.into());
}

/// Removes a setting.
pub(super) fn remove(scenario: &mut Table, key: &str) {
    let (table, last) = key.rsplit_once('.').expect("a section and a key");
    let found = scenario.get_mut(table).and_then(Value::as_table_mut);
    found.and_then(|table| table.remove(last));
}
