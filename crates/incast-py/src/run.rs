//! One run, with the interpreter free meanwhile.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use incast_net::{FlowRecord, Observer, Progress, Threads};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::run_error;
use crate::results::PyResults;
use crate::scenario::PyScenario;

/// Runs a scenario on up to `threads` threads, by default one. `on_progress` is told how far it is,
/// some times a second.
///
/// An interrupt (Ctrl-C) ends the run cleanly: results then hold what has finished.
#[pyfunction]
#[pyo3(signature = (scenario, on_progress=None, threads=None))]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &PyScenario,
    on_progress: Option<Py<PyAny>>,
    threads: Option<NonZeroUsize>,
) -> PyResult<PyResults> {
    let spec = scenario.spec.clone();
    let mut watch = ProgressReporter {
        on_progress,
        error: None,
    };
    let threads = threads.map_or(Threads::ONE, Threads::new);
    let outcome = py.detach(|| incast_sim::run_on(&spec, threads, &mut watch));
    if let Some(error) = watch.error {
        return Err(error);
    }
    outcome
        .map(PyResults::from)
        .map_err(|error| run_error(py, &error))
}

/// Passes progress to Python, and Python's wish to stop to the run.
struct ProgressReporter {
    on_progress: Option<Py<PyAny>>,
    error: Option<PyErr>,
}

impl Observer for ProgressReporter {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        Python::attach(|py| match self.tell(py, progress) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    self.error = Some(error);
                }
                ControlFlow::Break(())
            }
        })
    }

    fn finished(&mut self, _flows: &[FlowRecord]) {}
}

impl ProgressReporter {
    fn tell(&self, py: Python<'_>, progress: &Progress) -> PyResult<()> {
        py.check_signals()?;
        let Some(on_progress) = &self.on_progress else {
            return Ok(());
        };
        let facts = PyDict::new(py);
        facts.set_item("time_ps", progress.time.as_ps())?;
        facts.set_item("flows_started", progress.flows_started)?;
        facts.set_item("flows_finished", progress.flows_finished)?;
        facts.set_item("packet_hops", progress.packet_hops)?;
        on_progress.call1(py, (facts,)).map(drop)
    }
}
