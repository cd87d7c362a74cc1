//! Runs of scenarios, during which other Python threads can run.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use incast_cc::ExternalAlgorithm as _;
use incast_net::{FlowRecord, Observer, Progress, Threads};
use incast_sim::{RoomForRows, RunError, ValidSpec};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::algorithm::PythonAlgorithm;
use crate::errors::{algorithm_error, copied_process, run_error};
use crate::results::PyResults;

/// Runs a network's scenario on up to `threads` threads, by default one. `on_progress` is called
/// with the run's progress, several times a second.
///
/// An interrupt (Ctrl-C) ends the run cleanly: results then cover the time up to the interrupt.
pub(crate) fn run(
    py: Python<'_>,
    (spec, room): (&ValidSpec, RoomForRows<'_>),
    own: &[Arc<PythonAlgorithm>],
    on_progress: Option<Py<PyAny>>,
    threads: Option<NonZeroUsize>,
) -> PyResult<PyResults> {
    let mut reporter = RunReporter {
        reporter: ProgressReporter::new(on_progress),
        own,
    };
    let threads = threads.map_or(Threads::ONE, Threads::new);
    let process = std::process::id();
    let outcome = py.detach(|| incast_sim::run_keeping(spec, room, threads, &mut reporter));
    if std::process::id() != process {
        return Err(copied_process(py));
    }
    let failures = own.iter().map(|algorithm| algorithm.take_failure());
    let raised = failures.fold(None, Option::or);
    for algorithm in own {
        algorithm.take_interrupt();
    }
    reporter.reporter.finish()?;
    outcome
        .map(PyResults::from)
        .map_err(|error| match (&error, raised) {
            (RunError::Algorithm { .. }, Some(raised)) => algorithm_error(py, &error, raised),
            _ => run_error(py, &error),
        })
}

/// Passes progress to Python; stops the run when Python raises an exception.
pub(crate) struct ProgressReporter {
    on_progress: Option<Py<PyAny>>,
    error: Option<PyErr>,
}

impl ProgressReporter {
    pub(crate) fn new(on_progress: Option<Py<PyAny>>) -> Self {
        Self {
            on_progress,
            error: None,
        }
    }

    /// Calls `on_progress` with the dictionary that `fill` fills.
    pub(crate) fn tell(
        &mut self,
        fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
    ) -> ControlFlow<()> {
        Python::attach(|py| match self.call(py, fill) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    self.error = Some(error);
                }
                ControlFlow::Break(())
            }
        })
    }

    fn call(
        &self,
        py: Python<'_>,
        fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
    ) -> PyResult<()> {
        py.check_signals()?;
        let Some(on_progress) = &self.on_progress else {
            return Ok(());
        };
        let facts = PyDict::new(py);
        fill(&facts)?;
        on_progress.call1(py, (facts,)).map(drop)
    }

    /// The exception of the callback, other than an interrupt.
    pub(crate) fn finish(self) -> PyResult<()> {
        self.error.map_or(Ok(()), Err)
    }
}

/// Watches a network's run.
struct RunReporter<'a> {
    reporter: ProgressReporter,
    own: &'a [Arc<PythonAlgorithm>],
}

impl Observer for RunReporter<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if self.own.iter().any(|algorithm| algorithm.is_interrupted()) {
            return ControlFlow::Break(());
        }
        self.reporter.tell(|facts| {
            facts.set_item("time_ps", progress.time.as_ps())?;
            facts.set_item("flows_started", progress.flows_started)?;
            facts.set_item("flows_finished", progress.flows_finished)?;
            facts.set_item("hops", progress.packet_hops)
        })
    }

    fn finished(&mut self, _flows: &[FlowRecord]) {}
}
