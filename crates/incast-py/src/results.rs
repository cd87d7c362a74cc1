//! What a run gave.

use std::path::PathBuf;

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

    /// Writes a results folder, whole or not at all.
    fn write(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.write(&folder))
            .map_err(|error| file_error(py, "ResultsError", &error))
    }
}
