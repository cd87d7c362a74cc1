//! Engine errors as exceptions of `incast.errors`, which has one class per kind.

use std::path::Path;

use incast_sim::{Diagnostic, FabricRunError, FileError, RunError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::algorithm::Raised;

/// A mistake in a scenario.
pub(crate) fn scenario_error(py: Python<'_>, error: &Diagnostic) -> PyErr {
    from_diagnostic(py, "ScenarioError", error)
}

/// A file of another simulator that cannot be imported.
pub(crate) fn import_error(py: Python<'_>, error: &Diagnostic) -> PyErr {
    from_diagnostic(py, "ImportFileError", error)
}

/// A results folder that cannot be used.
pub(crate) fn results_error(py: Python<'_>, error: &Diagnostic) -> PyErr {
    from_diagnostic(py, "ResultsError", error)
}

/// A run without results.
pub(crate) fn run_error(py: Python<'_>, error: &RunError) -> PyErr {
    match error {
        RunError::File(error) => file_error(py, "ScenarioError", error),
        RunError::Rows(error) => {
            let (path, what, _) = told(error);
            let hint = "make room there, or keep rows of fewer flows (measure.flows.rows)";
            raise_of_file(py, "ResultsError", (path, &what, Some(hint)))
        }
        other => raise(py, "RunError", &other.to_string(), |_| Ok(())),
    }
}

/// A run whose algorithm raised an exception, which becomes the cause of the error.
pub(crate) fn algorithm_error(py: Python<'_>, error: &RunError, raised: Raised) -> PyErr {
    let made = raise(py, "AlgorithmError", &error.to_string(), |facts| {
        facts.set_item("method", raised.method)?;
        facts.set_item("flow", raised.flow.0)?;
        facts.set_item("time_ps", raised.time.as_ps())
    });
    made.set_cause(py, Some(raised.error));
    made
}

/// A run in a process that its algorithm has forked: only the original goes on.
pub(crate) fn copied_process(py: Python<'_>) -> PyErr {
    let what = "the algorithm has copied the process (os.fork), and this is the copy, whose run is \
                dropped: a copy must end by itself (os._exit), and not return";
    raise(py, "RunError", what, |_| Ok(()))
}

/// A call of a network's method during another call.
pub(crate) fn busy_network(py: Python<'_>) -> PyErr {
    let what = "the network is in the middle of a call: a method of an algorithm, or another \
                thread, cannot use it before that returns; a copy, made before, can be used";
    raise(py, "RunError", what, |_| Ok(()))
}

/// The Python exception for a fabric run that ended without results.
pub(crate) fn fabric_run_error(py: Python<'_>, error: &FabricRunError) -> PyErr {
    raise(py, "RunError", &error.to_string(), |_| Ok(()))
}

/// The Python exception for a file or folder that cannot be used.
pub(crate) fn file_error(py: Python<'_>, class: &str, error: &FileError) -> PyErr {
    let (path, what, hint) = told(error);
    raise_of_file(py, class, (path, &what, hint))
}

fn raise_of_file(
    py: Python<'_>,
    class: &str,
    (path, what, hint): (&Path, &str, Option<&str>),
) -> PyErr {
    raise(py, class, what, |place| {
        place.set_item("file", path.display().to_string())?;
        place.set_item("hint", hint)
    })
}

/// The file or folder of an error, the mistake, and a hint.
fn told(error: &FileError) -> (&Path, String, Option<&'static str>) {
    match error {
        FileError::NotResults { folder } => {
            let hint = "name another, or remove it";
            (
                folder,
                "exists and is not a results folder".to_owned(),
                Some(hint),
            )
        }
        FileError::Spared { folder, standing } => (folder, standing.to_string(), None),
        FileError::Locked { folder } => {
            let hint = "find what holds the lock, with e.g. `lslocks`, and end it";
            (
                folder,
                "is locked by another process".to_owned(),
                Some(hint),
            )
        }
        FileError::Damaged { path } => {
            let hint = "run the scenario again, with --force";
            (path, "differs from what was written".to_owned(), Some(hint))
        }
        FileError::Wrong { path, what } => {
            let hint = "it is damaged; run the scenario again, with --force";
            (path, what.clone(), Some(hint))
        }
        FileError::TooLarge { path, what } => {
            let hint = "read it in parts, with e.g. `iter_batches` of PyArrow's ParquetFile";
            (path, what.clone(), Some(hint))
        }
        FileError::Changed { path } => (
            path,
            "changed while the run read it".to_owned(),
            Some("run again"),
        ),
        FileError::Write { path, reason } => (path, format!("cannot write: {reason}"), None),
        FileError::Read { path, reason } => (path, format!("cannot read: {reason}"), None),
    }
}

/// A part of a message, escaped as in diagnostics.
#[pyfunction]
pub(crate) fn printable(text: String) -> String {
    incast_diagnostic::printable(text)
}

fn from_diagnostic(py: Python<'_>, class: &str, error: &Diagnostic) -> PyErr {
    raise(py, class, &error.what, |place| {
        place.set_item("file", error.place.file())?;
        place.set_item("line", error.place.line())?;
        place.set_item("key", non_empty(&error.place.key))?;
        place.set_item("hint", non_empty(&error.hint))
    })
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn raise(
    py: Python<'_>,
    class: &str,
    what: &str,
    fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    let place = PyDict::new(py);
    let made = fill(&place)
        .and_then(|()| py.import("incast.errors"))
        .and_then(|module| module.getattr(class)?.call((what,), Some(&place)));
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
