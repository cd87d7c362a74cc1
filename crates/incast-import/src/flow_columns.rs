//! The columns of a table of flows in any format: their names and positions.

use incast_diagnostic::Diagnostic;

use crate::decimal::TimeUnit;
use crate::diagnostics;

const STARTS: [(&str, TimeUnit); 5] = [
    ("start_ps", TimeUnit::Picosecond),
    ("start_ns", TimeUnit::Nanosecond),
    ("start_us", TimeUnit::Microsecond),
    ("start_ms", TimeUnit::Millisecond),
    ("start_s", TimeUnit::Second),
];

const START_NAMED: &str =
    "name one `start_ps`, `start_ns`, `start_us`, `start_ms` or `start_s`, for what it counts";

/// The positions of a flow's cells in a row.
pub(crate) struct FlowColumns {
    /// Names of the columns for source, destination, size and start.
    pub(crate) names: [&'static str; 4],
    pub(crate) places: [usize; 4],
    pub(crate) start_unit: TimeUnit,
}

impl FlowColumns {
    /// Finds the columns among all names of a table, which messages show as `shown`; `hint` says
    /// how columns must be named.
    pub(crate) fn find(all: &[&str], shown: &str, hint: &str) -> Result<Self, Diagnostic> {
        let (start, start_unit) = start(all, shown)?;
        let names = ["source", "destination", "size_bytes", start];
        let mut places = [0; 4];
        for (place, name) in places.iter_mut().zip(names) {
            *place = column(all, name, shown, hint)?;
        }
        Ok(Self {
            names,
            places,
            start_unit,
        })
    }
}

/// The name of the column of starts, and its unit.
fn start(all: &[&str], shown: &str) -> Result<(&'static str, TimeUnit), Diagnostic> {
    let mut named = STARTS.into_iter().filter(|(name, _)| all.contains(name));
    match (named.next(), named.next()) {
        (Some(start), None) => Ok(start),
        (Some((first, _)), Some((second, _))) => {
            Err(diagnostics::column_twice(first, second).at("start"))
        }
        (None, _) => Err(diagnostics::column_missing(shown, START_NAMED).at("start")),
    }
}

fn column(all: &[&str], name: &'static str, shown: &str, hint: &str) -> Result<usize, Diagnostic> {
    let mut places = (0..all.len()).filter(|place| all[*place] == name);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => Err(diagnostics::column_twice(name, name).at(name)),
        (None, _) => Err(diagnostics::column_missing(shown, hint).at(name)),
    }
}
