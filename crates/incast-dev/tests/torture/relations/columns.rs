//! Tables of results as columns of text, for comparisons of two runs.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array as _, ArrayRef, ArrowPrimitiveType};
use arrow_schema::DataType;
use incast_sim::{Results, Table};

/// The columns of a table; a missing value is an empty text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TextColumns(BTreeMap<String, Vec<String>>);

impl TextColumns {
    pub(super) fn of(table: &Table) -> Self {
        let mut columns = BTreeMap::new();
        for (index, field) in table.schema().fields().iter().enumerate() {
            let column: &mut Vec<String> = columns.entry(field.name().clone()).or_default();
            for batch in table.batches() {
                column.extend(texts(batch.column(index)));
            }
        }
        Self(columns)
    }

    /// The table of flows, without names, numbers of traffic entries, and whether flows are
    /// counted.
    pub(super) fn flows(results: &Results) -> Self {
        let names = ["source_name", "destination_name", "traffic_name", "cc"];
        Self::of(&results.flows)
            .without(&names)
            .without(&["counted", "traffic"])
    }

    /// Completion times of all flows, in the order of rows.
    pub(super) fn finishes(results: &Results) -> Vec<Option<u64>> {
        let all = Self::of(&results.flows);
        let times = all
            .numbers("start_ps")
            .into_iter()
            .zip(all.numbers("fct_ps"));
        times.map(|(start, fct)| Some(start? + fct?)).collect()
    }

    /// The table of ports, without names of nodes.
    pub(super) fn ports(results: &Results) -> Self {
        Self::of(&results.ports).without(&["label", "peer"])
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.0.contains_key(column)
    }

    pub(super) fn without(mut self, columns: &[&str]) -> Self {
        self.0.retain(|name, _| !columns.contains(&name.as_str()));
        self
    }

    pub(super) fn texts(&self, column: &str) -> &[String] {
        self.0
            .get(column)
            .unwrap_or_else(|| panic!("no column `{column}`"))
    }

    /// The numbers of a column; `None` for a missing value.
    pub(super) fn numbers(&self, column: &str) -> Vec<Option<u64>> {
        let texts = self.texts(column).iter();
        texts.map(|text| text.parse().ok()).collect()
    }

    /// The columns with the numbers of one column changed.
    pub(super) fn with(mut self, column: &str, change: impl Fn(u64) -> u64) -> Self {
        let values = self.0.get_mut(column);
        for text in values.unwrap_or_else(|| panic!("no column `{column}`")) {
            if let Ok(number) = text.parse() {
                *text = change(number).to_string();
            }
        }
        self
    }

    /// The rows whose index `is_kept` accepts.
    pub(super) fn rows(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let kept = |texts: &Vec<String>| {
            let rows = texts.iter().enumerate();
            rows.filter(|(row, _)| is_kept(*row))
                .map(|(_, text)| text.clone())
                .collect()
        };
        Self(
            self.0
                .iter()
                .map(|(name, texts)| (name.clone(), kept(texts)))
                .collect(),
        )
    }

    /// The rows in order of a column of distinct numbers.
    pub(super) fn sorted_by(&self, column: &str) -> Self {
        let numbers = self.numbers(column);
        let mut order: Vec<_> = (0..numbers.len()).collect();
        order.sort_by_key(|row| numbers[*row]);
        let sorted = |texts: &Vec<String>| order.iter().map(|row| texts[*row].clone()).collect();
        Self(
            self.0
                .iter()
                .map(|(name, texts)| (name.clone(), sorted(texts)))
                .collect(),
        )
    }

    /// Asserts that the columns are equal to `expected`.
    ///
    /// # Panics
    /// If they differ; the message has the first row of the first column that differs.
    pub(super) fn assert_are(&self, expected: &Self, what: &str) {
        let names = |columns: &Self| columns.0.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(self), names(expected), "columns of {what}");
        for (name, found) in &self.0 {
            let expected = &expected.0[name];
            assert_eq!(found.len(), expected.len(), "rows of {what}");
            let mut pairs = found.iter().zip(expected).enumerate();
            if let Some((row, (found, expected))) = pairs.find(|(_, (one, other))| one != other) {
                panic!("{what}, row {row}: {name} is {found}, not {expected}");
            }
        }
    }
}

/// The values of a column as texts.
fn texts(array: &ArrayRef) -> Vec<String> {
    fn numbers<T: ArrowPrimitiveType>(array: &ArrayRef) -> Vec<String> {
        let values = array.as_primitive::<T>().iter();
        let text = |value: Option<T::Native>| value.map(|value| format!("{value:?}"));
        values
            .map(|value| text(value).unwrap_or_default())
            .collect()
    }
    match array.data_type() {
        DataType::UInt8 => numbers::<UInt8Type>(array),
        DataType::UInt16 => numbers::<UInt16Type>(array),
        DataType::UInt32 => numbers::<UInt32Type>(array),
        DataType::UInt64 => numbers::<UInt64Type>(array),
        DataType::Float64 => numbers::<Float64Type>(array),
        DataType::Utf8 => {
            let texts = array.as_string::<i32>().iter();
            texts
                .map(|text| text.unwrap_or_default().to_owned())
                .collect()
        }
        DataType::Dictionary(..) if array.is_empty() => Vec::new(),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let known = texts(dictionary.values());
            let keys = dictionary.normalized_keys();
            keys.into_iter().map(|key| known[key].clone()).collect()
        }
        other => panic!("no table of results has columns of type {other}"),
    }
}

/// Asserts that two runs have the same flows, ports and fingerprint.
///
/// # Panics
/// If they differ.
pub(super) fn assert_same_run(found: &Results, expected: &Results) {
    assert_same_run_but(&[], found, expected);
}

/// Asserts that two runs are the same, except for these columns of flows.
///
/// # Panics
/// If they differ elsewhere.
pub(super) fn assert_same_run_but(columns: &[&str], found: &Results, expected: &Results) {
    let [flows, expected_flows] =
        [found, expected].map(|results| TextColumns::flows(results).without(columns));
    flows.assert_are(&expected_flows, "flows");
    TextColumns::ports(found).assert_are(&TextColumns::ports(expected), "ports");
    let fingerprints = [found, expected].map(|results| results.summary.fingerprint);
    assert_eq!(fingerprints[0], fingerprints[1], "fingerprints");
}

/// Asserts that two runs have the same flows, whatever traffic entries these belong to.
///
/// # Panics
/// If the flows differ.
pub(super) fn assert_same_flows(found: &Results, expected: &Results) {
    TextColumns::flows(found).assert_are(&TextColumns::flows(expected), "flows");
}
