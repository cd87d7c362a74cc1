//! What a run gave.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use incast_sim::{FileError, LockWatch, Spare, StandingResults};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{file_error, results_error};
use crate::table::PyTable;

/// Whether results may be written to a path: it is free, an empty folder, or has results.
#[pyfunction]
pub(crate) fn may_be_replaced(path: PathBuf) -> bool {
    incast_sim::may_be_replaced(&path)
}

/// Checks the text of `summary.json`, and writes it anew with every key of this version.
#[pyfunction]
pub(crate) fn checked_summary(py: Python<'_>, file: PathBuf, text: &str) -> PyResult<String> {
    incast_sim::checked_summary(&file, text).map_err(|error| results_error(py, &error))
}

/// The results of another run in a folder: a sentence about them, and whether that run was
/// interrupted. None if the folder has no results, or those of the run with this identity.
#[pyfunction]
pub(crate) fn other_run(folder: PathBuf, identity: &str) -> Option<(String, bool)> {
    let found = incast_sim::other_run(&folder, identity)?;
    let interrupted = Some(true);
    let is_partial =
        matches!(&found, StandingResults::Other { partial, .. } if *partial == interrupted);
    Some((found.to_string(), is_partial))
}

/// Restores what killed runs have left beside a results folder; returns the folders that it came
/// from.
#[pyfunction]
pub(crate) fn recover(
    py: Python<'_>,
    folder: PathBuf,
    on_lock: Py<PyAny>,
) -> PyResult<Vec<PathBuf>> {
    waiting(py, &on_lock, |watch| incast_sim::recover(&folder, watch))
}

/// Copies a results folder, whole or not at all.
#[pyfunction]
pub(crate) fn copy_results(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    on_lock: Py<PyAny>,
) -> PyResult<()> {
    waiting(py, &on_lock, |watch| {
        incast_sim::copy_results(&source, &target, watch)
    })
}

/// Does work that waits for locks of other processes. While it waits, `on_lock` is called several
/// times a second, with the folder and the seconds waited. An exception of `on_lock` or of a signal
/// handler ends the wait.
pub(crate) fn waiting<T: Send>(
    py: Python<'_>,
    on_lock: &Py<PyAny>,
    work: impl FnOnce(LockWatch<'_>) -> Result<T, FileError> + Send,
) -> PyResult<T> {
    let raised = Mutex::new(None);
    let watch = |folder: &Path, waited: Duration| {
        let told = Python::attach(|py| {
            py.check_signals()?;
            on_lock.call1(py, (folder.display().to_string(), waited.as_secs_f64()))
        });
        match told {
            Ok(_) => ControlFlow::Continue(()),
            Err(error) => {
                *raised.lock().expect("one thread waits") = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let done = py.detach(|| work(&watch));
    match raised.into_inner().expect("one thread waits") {
        Some(error) => Err(error),
        None => done.map_err(|error| file_error(py, "ResultsError", &error)),
    }
}

/// Whether the files of a results folder exist and have the sizes that were written.
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

/// Which results in the folder are kept, by the Python name.
pub(crate) fn spare(name: &str) -> PyResult<Spare> {
    match name {
        "nothing" => Ok(Spare::Nothing),
        "better" => Ok(Spare::Better),
        other => Err(PyValueError::new_err(format!("no results are `{other}`"))),
    }
}

/// Results of a run, in memory.
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
    /// Completed flows, in order of completion; then the others.
    #[getter]
    fn flows(&self) -> PyTable {
        match &self.inner.flows_file {
            Some(file) => Arc::clone(file).into(),
            None => self.inner.flows.clone().into(),
        }
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

    /// The packet trace; None without a trace.
    #[getter]
    fn packets(&self) -> Option<PyTable> {
        self.inner.packets.clone().map(PyTable::from)
    }

    /// Causes that held back traced flows at their senders; None if causes were not traced.
    #[getter]
    fn senders(&self) -> Option<PyTable> {
        self.inner.senders.clone().map(PyTable::from)
    }

    /// Other flows whose data the explained flows met at ports.
    #[getter]
    fn company(&self) -> Option<PyTable> {
        self.inner.company.clone().map(PyTable::from)
    }

    /// Why switches paused peers, if the scenario asked for causes.
    #[getter]
    fn pause_causes(&self) -> Option<PyTable> {
        self.inner.pause_causes.clone().map(PyTable::from)
    }

    /// Round trips of packets; None if they were not counted.
    #[getter]
    fn round_trips(&self) -> Option<PyTable> {
        self.inner.round_trips.clone().map(PyTable::from)
    }

    /// Entropies of flows; None if they were not counted.
    #[getter]
    fn entropies(&self) -> Option<PyTable> {
        self.inner.entropies.clone().map(PyTable::from)
    }

    /// Completed messages, if there is an attack.
    #[getter]
    fn messages(&self) -> Option<PyTable> {
        self.inner.messages.clone().map(PyTable::from)
    }

    /// Rounds of collectives and other task graphs, if the traffic has any.
    #[getter]
    fn collectives(&self) -> Option<PyTable> {
        self.inner.collectives.clone().map(PyTable::from)
    }

    /// When each rank finished its part of a collective or task graph.
    #[getter]
    fn ranks(&self) -> Option<PyTable> {
        self.inner.ranks.clone().map(PyTable::from)
    }

    /// The messages that held up the end of a collective or task graph.
    #[getter]
    fn critical_path(&self) -> Option<PyTable> {
        self.inner.critical_path.clone().map(PyTable::from)
    }

    /// Each interval of a fault at a link, if the scenario has faults.
    #[getter]
    fn faults(&self) -> Option<PyTable> {
        self.inner.faults.clone().map(PyTable::from)
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

    /// Writes a results folder, whole or not at all; results that `spare` names are kept.
    fn write(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        spare: &str,
        on_lock: Py<PyAny>,
    ) -> PyResult<()> {
        let spare = self::spare(spare)?;
        waiting(py, &on_lock, |watch| {
            self.inner.write_sparing(&folder, spare, watch)
        })
    }
}
