//! Network scenarios: reading and checking, and their runs.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use incast_cc::conformance::check_events;
use incast_diagnostic::Diagnostic;
use incast_net::{Direction, FlowAddress};
use incast_sim::{Override, RoomForRows, RowsOfAll, SeriesEstimate, Source, Spec, ValidSpec};
use incast_units::{HostId, Time};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::algorithm::{PythonAlgorithm, file_of};
use crate::errors::{file_error, scenario_error};
use crate::interruptible::interruptible;
use crate::results::PyResults;
use crate::run::run;

/// Ports, each as its node and its number there.
type PortsOfFlow = Vec<(u32, u16)>;

/// A scenario that has been checked.
#[pyclass(frozen, name = "Scenario", module = "incast._core")]
pub(crate) struct PyScenario {
    pub(crate) spec: Arc<ValidSpec>,
    identity: String,
    /// The algorithms of the scenario that are the user's own.
    pub(crate) own: Vec<Arc<PythonAlgorithm>>,
}

#[pymethods]
impl PyScenario {
    /// Checks a scenario.
    ///
    /// `name` stands for the text in messages. Relative paths begin at `folder`. `overrides` are
    /// dotted keys, with values that replace those of the text.
    #[staticmethod]
    fn from_toml(
        py: Python<'_>,
        text: String,
        name: String,
        folder: PathBuf,
        overrides: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let source = Source { name, text, folder };
        let overrides: Vec<_> = overrides
            .into_iter()
            .map(|(key, value)| Override::new(key, value))
            .collect();
        let parsed = interruptible(py, move || Spec::parse(&source, &overrides))?;
        let mut spec = parsed.map_err(|error| scenario_error(py, &error))?;
        let own = bind(py, &mut spec)?;
        let checked = interruptible(py, move || {
            let spec = spec.validate()?;
            let identity = spec.identity();
            Ok((spec, identity))
        })?;
        let (spec, identity) = checked.map_err(|error| scenario_error(py, &error))?;
        let identity = identity.map_err(|error| file_error(py, "ScenarioError", &error))?;
        Ok(Self {
            spec: Arc::new(spec),
            identity: identity.to_string(),
            own,
        })
    }

    /// The name of the scenario.
    #[getter]
    fn name(&self) -> &str {
        self.spec.name()
    }

    /// A hash of scenario, seed and engine.
    #[getter]
    fn identity(&self) -> &str {
        &self.identity
    }

    /// Why the scenario can run on one thread only; none if it can run on several.
    #[getter]
    fn single_threaded_because(&self) -> Option<String> {
        self.spec
            .single_threaded_because()
            .map(|reason| reason.to_string())
    }

    /// The scenario with every default filled in.
    fn to_toml(&self) -> String {
        self.spec.to_toml()
    }

    /// The ports by which a flow's data and its ACKs leave; none if the traffic entry or the pair
    /// of hosts does not exist.
    fn ports_of_flow(
        &self,
        traffic: u16,
        source: u32,
        destination: u32,
        source_port: u16,
    ) -> Option<(PortsOfFlow, PortsOfFlow)> {
        let flow = FlowAddress {
            source: HostId(source),
            destination: HostId(destination),
            source_port,
        };
        let ports = |direction| {
            let hops = self.spec.ports_of_flow(traffic, flow, direction)?;
            Some(hops.iter().map(|hop| (hop.node.0, hop.port)).collect())
        };
        Some((ports(Direction::Data)?, ports(Direction::Ack)?))
    }

    /// Runs the scenario on at most `threads` threads, by default one; `on_progress` is called with
    /// the progress. `rows_fit` says whether the rows of all flows fit into memory. Rows on the
    /// disk go to `folder`, by default the folder of temporary files.
    #[pyo3(signature = (on_progress=None, threads=None, rows_fit=true, folder=None))]
    fn run(
        &self,
        py: Python<'_>,
        on_progress: Option<Py<PyAny>>,
        threads: Option<NonZeroUsize>,
        rows_fit: bool,
        folder: Option<PathBuf>,
    ) -> PyResult<PyResults> {
        let folder = folder.unwrap_or_else(std::env::temp_dir);
        let room = RoomForRows {
            of_all: match rows_fit {
                true => RowsOfAll::Fit,
                false => RowsOfAll::DoNotFit,
            },
            folder: Some(&folder),
            ..RoomForRows::default()
        };
        run(py, (&self.spec, room), &self.own, on_progress, threads)
    }

    /// Feeds random sequences of events to the scenario's algorithm. Returns the number of events,
    /// or what was wrong with the algorithm's answers.
    fn random_events(
        &self,
        py: Python<'_>,
        seed: u64,
        sequences: u32,
    ) -> PyResult<(Option<u64>, Option<String>)> {
        let algorithm = self.spec.algorithm();
        let outcome = py.detach(|| check_events(algorithm, seed, sequences));
        for algorithm in &self.own {
            // The returned text has the exception already.
            algorithm.take_failure();
            if algorithm.take_interrupt() {
                return Err(PyKeyboardInterrupt::new_err(()));
            }
        }
        Ok(match outcome {
            Ok(events) => (Some(events), None),
            Err(unsound) => (None, Some(unsound.to_string())),
        })
    }

    /// A rough estimate of the run's time and memory.
    fn estimate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let estimate = py.detach(|| self.spec.estimate());
        let estimate = estimate.map_err(|error| scenario_error(py, &error))?;
        let facts = PyDict::new(py);
        facts.set_item("flows", estimate.flows)?;
        facts.set_item("packet_hops", estimate.packet_hops)?;
        facts.set_item("may_drop", estimate.may_drop)?;
        facts.set_item("end_ps", estimate.end.as_ps())?;
        facts.set_item("queues", series_dict(py, estimate.queues)?)?;
        facts.set_item("flow_series", series_dict(py, estimate.flow_series)?)?;
        let parts = PyDict::new(py);
        let memory = estimate.memory;
        parts.set_item("process", memory.process)?;
        parts.set_item("network", memory.network)?;
        parts.set_item("packets", memory.packets)?;
        parts.set_item("flows", memory.flows)?;
        parts.set_item("rows", memory.rows)?;
        parts.set_item("series", memory.series)?;
        parts.set_item("trace", memory.trace)?;
        facts.set_item("memory_bytes", memory.total())?;
        facts.set_item("memory_parts", parts)?;
        facts.set_item("rows_if_loaded_bytes", memory.rows_if_loaded)?;
        facts.set_item("leaves_rows_open", self.spec.leaves_rows_open())?;
        Ok(facts)
    }

    /// Facts that follow from the scenario.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (topology, base_rtt) = (self.spec.topology(), self.spec.largest_base_rtt());
        let facts = PyDict::new(py);
        facts.set_item("kind", "network")?;
        facts.set_item("name", self.spec.name())?;
        facts.set_item("algorithm", self.spec.algorithm_name())?;
        facts.set_item("profile", self.spec.profile().name())?;
        facts.set_item("seed", self.spec.seed())?;
        facts.set_item("hosts", topology.machine_count())?;
        let machines = topology.machines.as_ref();
        facts.set_item("nics", machines.map(|machines| machines.ends()))?;
        facts.set_item("switches", topology.switches)?;
        facts.set_item("links", topology.links.len())?;
        facts.set_item("base_rtt_ps", base_rtt.rtt.as_ps())?;
        facts.set_item("bdp_bytes", base_rtt.window.as_u64())?;
        facts.set_item("expected_flows", self.spec.expected_flows())?;
        facts.set_item("stop_ps", self.spec.stop().map(|stop| stop.as_ps()))?;
        let window = self.spec.measuring_window();
        let window = window.map(|window| (window.from.as_ps(), window.until.as_ps()));
        facts.set_item("measuring_window_ps", window)?;
        let span = |(from, until): (Time, Time)| (from.as_ps(), until.as_ps());
        let open_loop = self.spec.open_loop().into_iter().map(|entry| {
            let facts = PyDict::new(py);
            facts.set_item("traffic", entry.traffic)?;
            facts.set_item("load", entry.load)?;
            facts.set_item("load_spread", entry.spread)?;
            facts.set_item("arrivals_ps", span(entry.arrivals))?;
            facts.set_item("counted_ps", entry.counted.map(span))?;
            Ok(facts)
        });
        facts.set_item("open_loop", open_loop.collect::<PyResult<Vec<_>>>()?)?;
        Ok(facts)
    }
}

/// Loads the Python algorithms that a scenario names.
///
/// # Errors
/// The exception of an algorithm's file; or an error of the scenario, for a wrong parameter.
fn bind(py: Python<'_>, spec: &mut Spec) -> PyResult<Vec<Arc<PythonAlgorithm>>> {
    let (mut bound, mut raised) = (Vec::new(), None);
    let outcome = spec.bind(|config, file| {
        let file = file_of(file)?;
        let loaded = PythonAlgorithm::load(py, &file, &config.class, &config.parameters);
        let algorithm = match loaded {
            Ok(algorithm) => Arc::new(algorithm?),
            Err(error) => {
                raised = Some(error);
                return Err(Diagnostic::new("", ""));
            }
        };
        bound.push(Arc::clone(&algorithm));
        Ok(algorithm)
    });
    if let Some(error) = raised {
        return Err(error);
    }
    outcome.map_err(|error| scenario_error(py, &error))?;
    Ok(bound)
}

fn series_dict(
    py: Python<'_>,
    series: Option<SeriesEstimate>,
) -> PyResult<Option<Bound<'_, PyDict>>> {
    let Some(series) = series else {
        return Ok(None);
    };
    let facts = PyDict::new(py);
    facts.set_item("rows", series.rows)?;
    facts.set_item("every_ps", series.every.as_ps())?;
    facts.set_item("kept_every_ps", series.kept_every.as_ps())?;
    Ok(Some(facts))
}

/// The JSON Schema of scenario files.
#[pyfunction]
pub(crate) fn schema() -> String {
    incast_sim::schema().to_string()
}
