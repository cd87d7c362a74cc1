//! What a run gave.

use std::path::PathBuf;

use incast_sim::Spare;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{file_error, results_error};
use crate::table::PyTable;

/// Whether results may take the place of what is at a path: nothing, an empty folder, results.
#[pyfunction]
pub(crate) fn may_be_replaced(path: PathBuf) -> bool {
    incast_sim::may_be_replaced(&path)
}

/// The text of `summary.json` with every key that this version writes.
#[pyfunction]
pub(crate) fn checked_summary(py: Python<'_>, file: PathBuf, text: &str) -> PyResult<String> {
    incast_sim::checked_summary(&file, text).map_err(|error| results_error(py, &error))
}

/// Brings back what killed runs have left beside a results folder; says from which folders.
#[pyfunction]
pub(crate) fn recover(folder: PathBuf) -> Vec<PathBuf> {
    incast_sim::recover(&folder)
}

/// Copies a results folder, whole or not at all.
#[pyfunction]
pub(crate) fn copy_results(py: Python<'_>, source: PathBuf, target: PathBuf) -> PyResult<()> {
    py.detach(|| incast_sim::copy_results(&source, &target))
        .map_err(|error| file_error(py, "ResultsError", &error))
}

/// Whether the files of a results folder are there, as long as they were written.
#[pyfunction]
pub(crate) fn sizes_match(folder: PathBuf) -> bool {
    incast_sim::sizes_match(&folder)
}

/// Checks that a file of results is what was written.
#[pyfunction]
pub(crate) fn check_file(py: Python<'_>, file: PathBuf) -> PyResult<()> {
    py.detach(|| incast_sim::check_file(&file))
        .map_err(|error| file_error(py, "ResultsError", &error))
}

/// What stays where it is, by its name.
pub(crate) fn spare(name: &str) -> PyResult<Spare> {
    match name {
        "nothing" => Ok(Spare::Nothing),
        "same run" => Ok(Spare::SameRun),
        "whole" => Ok(Spare::Whole),
        other => Err(PyValueError::new_err(format!("no results are `{other}`"))),
    }
}

/// What a run gave, in memory.
#[pyclass(frozen, name = "Results", module = "incast._core")]
pub(crate) struct PyResults {
    inner: incast_sim::Results,
}

impl From<incast_sim::Results> for PyResults {
    fn from(inner: incast_sim::Results) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl PyResults {
    /// Completed flows, in order of completion.
    #[getter]
    fn flows(&self) -> PyTable {
        self.inner.flows.clone().into()
    }

    /// Measurements over time.
    #[getter]
    fn series(&self) -> PyTable {
        self.inner.series.clone().into()
    }

    /// Counters of every port.
    #[getter]
    fn ports(&self) -> PyTable {
        self.inner.ports.clone().into()
    }

    /// What happened to packets, if that was traced.
    #[getter]
    fn packets(&self) -> Option<PyTable> {
        self.inner.packets.clone().map(PyTable::from)
    }

    /// Round trips of packets, if these were counted.
    #[getter]
    fn round_trips(&self) -> Option<PyTable> {
        self.inner.round_trips.clone().map(PyTable::from)
    }

    /// Completed messages, if there is an attack.
    #[getter]
    fn messages(&self) -> Option<PyTable> {
        self.inner.messages.clone().map(PyTable::from)
    }

    /// Rounds of collectives, if the traffic has any.
    #[getter]
    fn collectives(&self) -> Option<PyTable> {
        self.inner.collectives.clone().map(PyTable::from)
    }

    /// The scenario with every default filled in, files by absolute path.
    #[getter]
    fn scenario(&self) -> &str {
        &self.inner.scenario
    }

    /// Key figures, as in `summary.json`.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?
            .call_method1("loads", (self.inner.summary.to_json(),))
    }

    /// Writes a results folder, whole or not at all; whole results that are to be spared stay.
    fn write(&self, py: Python<'_>, folder: PathBuf, spare: &str) -> PyResult<()> {
        let spare = self::spare(spare)?;
        py.detach(|| self.inner.write_sparing(&folder, spare))
            .map_err(|error| file_error(py, "ResultsError", &error))
    }
}
