//! Scenarios of the memory fabric: reading and checking, and their runs.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use incast_net::Threads;
use incast_sim::{
    FabricResults, FabricSpec, Override, ScenarioKind, Source, ThreeCpoOptions, ValidFabricSpec,
    watermarks,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{fabric_run_error, scenario_error};
use crate::results::waiting;
use crate::run::ProgressReporter;
use crate::table::PyTable;

/// Whether a scenario has a section `[fabric]`, in place of `[network]`.
#[pyfunction]
pub(crate) fn is_fabric(py: Python<'_>, text: String, name: String) -> PyResult<bool> {
    let kind = ScenarioKind::of(&Source::from_text(name, text));
    let kind = kind.map_err(|error| scenario_error(py, &error))?;
    Ok(kind == ScenarioKind::Fabric)
}

/// For each probe: the watermark of 3CPO's published rule after the probe, and the throttling of
/// multicast control as an equivalent watermark. A probe has its latency in cycles, and the tokens
/// taken for remote operations meanwhile.
#[pyfunction]
pub(crate) fn three_cpo_watermarks(
    smallest: f64,
    largest: f64,
    probes: Vec<(f64, f64)>,
) -> Vec<(f64, f64)> {
    let mut options = ThreeCpoOptions::default();
    options.aimd.tokens.watermark_min = smallest;
    options.aimd.tokens.watermark_max = largest;
    let steps = watermarks(&options, largest, probes);
    steps
        .iter()
        .map(|step| (step.watermark, step.equivalent))
        .collect()
}

/// A memory fabric's scenario that has been checked.
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
            .map(|(key, value)| Override::new(key, value))
            .collect();
        py.detach(|| FabricSpec::parse(&source, &overrides).and_then(FabricSpec::validate))
            .map(Self)
            .map_err(|error| scenario_error(py, &error))
    }

    /// The name of the scenario.
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

    /// None: a memory fabric runs on any number of threads.
    #[getter]
    fn single_threaded_because(&self) -> Option<String> {
        None
    }

    /// Facts that follow from the scenario.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let shape = &self.0.simulation().config.shape;
        let facts = PyDict::new(py);
        facts.set_item("kind", "fabric")?;
        facts.set_item("name", self.0.name())?;
        facts.set_item("algorithm", self.0.scheme())?;
        facts.set_item("seed", self.0.seed())?;
        facts.set_item("endpoints", shape.endpoints())?;
        facts.set_item("switches", shape.switches())?;
        facts.set_item("groups", self.0.simulation().groups.len())?;
        facts.set_item("expected_operations", self.0.operations())?;
        Ok(facts)
    }

    /// A rough estimate of the run's time and memory.
    fn estimate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let estimate = py.detach(|| self.0.estimate());
        let facts = PyDict::new(py);
        facts.set_item("operations", self.0.operations())?;
        facts.set_item("flit_hops", estimate.flit_hops)?;
        facts.set_item("cycles", estimate.cycles)?;
        let samples = match estimate.samples {
            None => None,
            Some(samples) => {
                let of_samples = PyDict::new(py);
                of_samples.set_item("rows", samples.rows)?;
                of_samples.set_item("every_cycles", samples.every)?;
                of_samples.set_item("kept_every_cycles", samples.kept_every)?;
                Some(of_samples)
            }
        };
        facts.set_item("samples", samples)?;
        let parts = PyDict::new(py);
        let memory = estimate.memory;
        parts.set_item("process", memory.process)?;
        parts.set_item("network", memory.network)?;
        parts.set_item("operations", memory.operations)?;
        parts.set_item("series", memory.series)?;
        facts.set_item("memory_bytes", memory.total())?;
        facts.set_item("memory_parts", parts)?;
        Ok(facts)
    }

    /// Runs the scenario on at most `threads` threads, by default one; see `Scenario.run`.
    #[pyo3(signature = (on_progress=None, threads=None))]
    fn run(
        &self,
        py: Python<'_>,
        on_progress: Option<Py<PyAny>>,
        threads: Option<NonZeroUsize>,
    ) -> PyResult<PyFabricResults> {
        let mut reporter = ProgressReporter::new(on_progress);
        let threads = threads.map_or(Threads::ONE, Threads::new);
        let cycle = self.0.cycle_seconds() * 1e12;
        let outcome = py.detach(|| {
            self.0.run_watched(threads, &mut |done| {
                reporter.tell(|facts| {
                    facts.set_item("time_ps", (done.cycle as f64 * cycle) as u64)?;
                    facts.set_item("operations_completed", done.operations)?;
                    facts.set_item("hops", done.flit_hops)
                })
            })
        });
        reporter.finish()?;
        outcome
            .map(PyFabricResults)
            .map_err(|error| fabric_run_error(py, &error))
    }
}

/// Results of a memory fabric's run, in memory.
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

    /// The scenario with every default filled in.
    #[getter]
    fn scenario(&self) -> &str {
        &self.0.scenario
    }

    /// Key figures, as in `summary.json`.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?
            .call_method1("loads", (self.0.summary.to_json(),))
    }

    /// Writes a results folder, whole or not at all; results that are to be spared stay.
    fn write(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        spare: &str,
        on_lock: Py<PyAny>,
    ) -> PyResult<()> {
        let spare = crate::results::spare(spare)?;
        waiting(py, &on_lock, |watch| {
            self.0.write_sparing(&folder, spare, watch)
        })
    }
}
