//! Values that no run writes: a file with such a value is damaged, or of other origin.

use std::fmt;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::DataType;

use super::Table;

/// Columns that only completed flows have; values are missing in the rows after them.
const OF_COMPLETED: [&str; 5] = [
    "ideal_fct_ps",
    "slowdown",
    "fair_share",
    "longest_packet_latency_ps",
    "mean_weight",
];
/// Prefix of further such columns: the FCT and its parts.
const FCT: &str = "fct_";
/// Columns with values missing in some rows. A traced PFC frame has no flow and no port. A rank
/// without a finished round has no end, nor has a permanent fault. A fault that affected no flow
/// has no recovery. Some senders have no window.
const OF_SOME: [&str; 8] = [
    "flow_id",
    "end_ps",
    "host",
    "nic",
    "until_ps",
    "recovery_ps",
    "source_port",
    "window_bytes",
];
/// Columns that may be negative: tokens may be spent in advance.
const SIGNED: [&str; 2] = ["request_tokens", "response_tokens"];
/// Prefix of the algorithms' own measures in series, which may be any number.
const OWN_MEASURES: &str = "cc_";
/// Larger than any time, size or rate of a run, which lasts at most 2^63 ps.
const TOO_LARGE: f64 = 1e30;
const LARGEST_COUNT: u64 = 1 << 63;

/// A value that no run writes.
#[derive(Debug, PartialEq)]
pub(super) struct WrongValue {
    column: String,
    /// Counted from 0.
    row: usize,
    what: What,
}

#[derive(Debug, PartialEq)]
enum What {
    Missing,
    MissingBefore(usize),
    Number(f64),
    Count(u64),
}

impl fmt::Display for WrongValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, row, what } = self;
        write!(formatter, "column {column}, row {row} (counted from 0): ")?;
        match what {
            What::Missing => write!(formatter, "the value is missing"),
            What::MissingBefore(next) => {
                write!(formatter, "the value is missing, but row {next} has one")
            }
            What::Number(value) => write!(formatter, "{value} is no value that a run writes"),
            What::Count(value) => write!(formatter, "{value} is no value that a run writes"),
        }
    }
}

/// Checks that a run may have written all values.
///
/// # Errors
/// The first impossible value, in the first column that has one.
pub(super) fn check(table: &Table) -> Result<(), WrongValue> {
    for (index, field) in table.schema().fields().iter().enumerate() {
        let name = field.name().as_str();
        let mut rows = RowsSoFar::default();
        for batch in table.batches() {
            let column = batch.column(index);
            let before = rows.before;
            let number = || wrong_number(name, column, batch);
            let in_table = |(row, what)| (before + row, what);
            let wrong = rows
                .missing(name, column)
                .or_else(|| number().map(in_table));
            if let Some((row, what)) = wrong {
                let column = name.to_owned();
                return Err(WrongValue { column, row, what });
            }
            rows.before += column.len();
        }
    }
    Ok(())
}

/// State of a column after the batches so far.
#[derive(Default)]
struct RowsSoFar {
    before: usize,
    /// The first row with a missing value.
    first_missing: Option<usize>,
}

impl RowsSoFar {
    /// The first row whose value is missing but must not be; rows are counted over all batches.
    fn missing(&mut self, name: &str, column: &ArrayRef) -> Option<(usize, What)> {
        let nulls = column.logical_nulls();
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        if OF_SOME.contains(&name) || (nulls.is_none() && self.first_missing.is_none()) {
            return None;
        }
        for row in 0..column.len() {
            let is_missing = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            match (is_missing, self.first_missing) {
                (true, _) if !is_of_completed(name) => {
                    return Some((self.before + row, What::Missing));
                }
                (true, None) => self.first_missing = Some(self.before + row),
                (false, Some(first)) => {
                    return Some((first, What::MissingBefore(self.before + row)));
                }
                _ => {}
            }
        }
        None
    }
}

fn is_of_completed(name: &str) -> bool {
    OF_COMPLETED.contains(&name) || name.starts_with(FCT)
}

fn wrong_number(name: &str, column: &ArrayRef, batch: &RecordBatch) -> Option<(usize, What)> {
    match column.data_type() {
        DataType::Float64 => {
            let lowest = if SIGNED.contains(&name) {
                -TOO_LARGE
            } else {
                0.0
            };
            let mut values = column.as_primitive::<Float64Type>().iter().enumerate();
            values.find_map(|(row, value)| {
                let value = value?;
                let is_sound = (lowest..TOO_LARGE).contains(&value) || is_own(batch, row);
                (!is_sound).then_some((row, What::Number(value)))
            })
        }
        DataType::UInt64 => {
            let mut values = column.as_primitive::<UInt64Type>().iter().enumerate();
            values.find_map(|(row, value)| {
                let value = value.filter(|value| *value > LARGEST_COUNT)?;
                Some((row, What::Count(value)))
            })
        }
        _ => None,
    }
}

/// Whether a row of the series has an algorithm's own measure.
fn is_own(batch: &RecordBatch, row: usize) -> bool {
    let text = |texts: &StringArray, row: usize| texts.value(row).starts_with(OWN_MEASURES);
    let Some(measures) = batch.column_by_name("measure") else {
        return false;
    };
    if let Some(texts) = measures.as_string_opt::<i32>() {
        return text(texts, row);
    }
    let one = measures.slice(row, 1);
    let dictionary = one.as_any_dictionary_opt();
    let Some(dictionary) = dictionary.filter(|each| !each.values().is_empty()) else {
        return false;
    };
    let keys = dictionary.normalized_keys();
    let texts = dictionary.values().as_string_opt::<i32>();
    texts.is_some_and(|texts| text(texts, keys[0]))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::UInt8Type;
    use arrow_array::{DictionaryArray, Float64Array, UInt64Array};
    use arrow_schema::{Field, Schema};

    use super::*;

    fn table(columns: Vec<(&str, ArrayRef)>) -> Table {
        let fields = columns.iter();
        let fields = fields.map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let arrays = columns.into_iter().map(|(_, array)| array).collect();
        let batch = RecordBatch::try_new(schema.clone(), arrays).expect("equal lengths");
        // In two pieces, of which the first has two rows.
        let pieces = vec![batch.slice(0, 2), batch.slice(2, batch.num_rows() - 2)];
        Table::new(schema, pieces)
    }

    fn floats(name: &str, values: [Option<f64>; 4]) -> String {
        said(&table(vec![(
            name,
            Arc::new(Float64Array::from_iter(values)),
        )]))
    }

    fn said(table: &Table) -> String {
        check(table).map_or_else(|wrong| wrong.to_string(), |()| "sound".to_owned())
    }

    #[test]
    fn numbers_that_no_run_writes() {
        let with = |value| {
            floats(
                "utilisation",
                [Some(0.5), Some(0.0), Some(1.0), Some(value)],
            )
        };
        assert_eq!(with(1.0), "sound");
        let place = "column utilisation, row 3 (counted from 0): ";
        for (value, text) in [
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (-1.0, "-1"),
            (1e30, "1000000000000000000000000000000"),
        ] {
            assert_eq!(
                with(value),
                format!("{place}{text} is no value that a run writes")
            );
        }
        assert_eq!(
            floats("request_tokens", [Some(-3.5), Some(0.0), None, Some(1.0)]),
            "column request_tokens, row 2 (counted from 0): the value is missing"
        );
        let count = UInt64Array::from(vec![1, 2, u64::MAX]);
        assert_eq!(
            said(&table(vec![("start_ps", Arc::new(count))])),
            "column start_ps, row 2 (counted from 0): 18446744073709551615 is no value that a run \
             writes"
        );
    }

    /// Unfinished flows come last.
    #[test]
    fn values_that_are_missing() {
        assert_eq!(
            floats("slowdown", [Some(1.0), Some(2.0), None, None]),
            "sound"
        );
        assert_eq!(floats("slowdown", [None; 4]), "sound");
        assert_eq!(
            floats("slowdown", [Some(1.0), None, None, Some(2.0)]),
            "column slowdown, row 1 (counted from 0): the value is missing, but row 3 has one"
        );
        assert_eq!(
            floats("utilisation", [Some(1.0), None, Some(1.0), None]),
            "column utilisation, row 1 (counted from 0): the value is missing"
        );
        assert_eq!(
            floats("flow_id", [Some(1.0), None, Some(1.0), None]),
            "sound"
        );
        assert_eq!(floats("end_ps", [None, Some(1.0), None, None]), "sound");
        let text = StringArray::from_iter([Some("a"), Some("b"), None]);
        assert_eq!(
            said(&table(vec![("label", Arc::new(text))])),
            "column label, row 2 (counted from 0): the value is missing"
        );
    }

    /// An algorithm's rate gradient may be negative, or NaN.
    #[test]
    fn algorithms_may_show_any_number() {
        let values = Float64Array::from(vec![f64::NAN, -1e300, 1.0]);
        let series = |measures: ArrayRef| {
            let values = Arc::new(values.clone());
            said(&table(vec![("measure", measures), ("value", values)]))
        };
        let texts = |measures: [&str; 3]| -> [ArrayRef; 2] {
            [
                Arc::new(StringArray::from_iter_values(measures)),
                Arc::new(DictionaryArray::<UInt8Type>::from_iter(measures)),
            ]
        };
        for measures in texts(["cc_gradient", "cc_load", "rate_bps"]) {
            assert_eq!(series(measures), "sound");
        }
        for measures in texts(["cc_gradient", "rate_bps", "rate_bps"]) {
            assert_eq!(
                series(measures)[..39],
                *"column value, row 1 (counted from 0): -"
            );
        }
    }
}
