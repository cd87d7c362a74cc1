//! Scenarios of the memory fabric: text in, a checked scenario out; and its run.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use incast_net::Threads;
use incast_sim::{FabricResults, FabricSpec, Override, ScenarioKind, Source, ValidFabricSpec};
use pyo3::prelude::*;

use crate::errors::{fabric_run_error, file_error, scenario_error};
use crate::table::PyTable;

/// Whether a scenario has `[fabric]` in place of `[network]`.
#[pyfunction]
pub(crate) fn is_fabric(py: Python<'_>, text: String, name: String) -> PyResult<bool> {
    let kind = ScenarioKind::of(&Source::from_text(name, text));
    let kind = kind.map_err(|error| scenario_error(py, &error))?;
    Ok(kind == ScenarioKind::Fabric)
}

/// A fabric's scenario that has been checked.
#[pyclass(frozen, name = "FabricScenario", module = "incast._core")]
pub(crate) struct PyFabricScenario(ValidFabricSpec);

#[pymethods]
impl PyFabricScenario {
    /// Checks a scenario; see `Scenario.from_toml`.
    #[staticmethod]
    fn from_toml(
        py: Python<'_>,
        text: String,
        name: String,
        overrides: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let source = Source::from_text(name, text);
        let overrides: Vec<_> = overrides
            .into_iter()
            .map(|(key, value)| Override { key, value })
            .collect();
        py.detach(|| FabricSpec::parse(&source, &overrides).and_then(FabricSpec::validate))
            .map(Self)
            .map_err(|error| scenario_error(py, &error))
    }

    /// What the scenario is called.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// A hash of scenario, seed and engine.
    #[getter]
    fn identity(&self) -> String {
        self.0.identity().to_string()
    }

    /// The scenario with every default filled in.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// Runs it on up to so many threads, by default one.
    #[pyo3(signature = (threads=None))]
    fn run(&self, py: Python<'_>, threads: Option<NonZeroUsize>) -> PyResult<PyFabricResults> {
        let threads = threads.map_or(Threads::ONE, Threads::new);
        py.detach(|| self.0.run(threads))
            .map(PyFabricResults)
            .map_err(|error| fabric_run_error(py, &error))
    }
}

/// What a fabric's run gave, in memory.
#[pyclass(frozen, name = "FabricResults", module = "incast._core")]
pub(crate) struct PyFabricResults(FabricResults);

#[pymethods]
impl PyFabricResults {
    /// All operations.
    #[getter]
    fn operations(&self) -> PyTable {
        self.0.operations.clone().into()
    }

    /// Tokens, watermarks and unmatched flits over time.
    #[getter]
    fn controls(&self) -> PyTable {
        self.0.controls.clone().into()
    }

    /// Flits in queues over time.
    #[getter]
    fn queues(&self) -> PyTable {
        self.0.queues.clone().into()
    }

    /// Key figures, as in `summary.json`.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.0.summary,))
    }

    /// Writes a results folder, whole or not at all.
    fn write(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.write(&folder))
            .map_err(|error| file_error(py, "ResultsError", &error))
    }
}
