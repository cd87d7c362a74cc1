//! Algorithms written in Python: found and described by `incast.algorithm`, called by the engine.
//!
//! A run with such an algorithm has a single thread. It attaches to the interpreter for each call
//! only, so that other Python threads keep running. An exception in a method is kept; the engine
//! asks for it after every step, and then ends the run.

mod controller;
mod parameters;
mod signals;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use incast_cc::{ExternalAlgorithm, FlowContext, FlowController, Needs, Serves};
use incast_diagnostic::Diagnostic;
use incast_signals::EcnOptions;
use incast_signals::int::IntSource;
use incast_units::{FlowId, Time};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::Deserialize;
use serde_json::{Map, Value};

use self::controller::PythonController;
pub(crate) use self::controller::with_one_memo;
use self::parameters::{Parameter, read, written};
pub(crate) use self::signals::{
    PyAck, PyCnp, PyFlow, PyHop, PyLoss, PySendLimit, PySent, PyWindow, quantity,
};

/// An algorithm in Python, with its parameters.
pub(crate) struct PythonAlgorithm {
    name: String,
    /// The class, and the arguments of its objects beside their flow.
    class: Py<PyAny>,
    parameters: Py<PyAny>,
    written: Map<String, Value>,
    needs: Needs,
    methods: Methods,
    failure: Arc<FirstException>,
}

impl std::fmt::Debug for PythonAlgorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PythonAlgorithm")
            .field("name", &self.name)
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

/// Which optional methods a class has.
#[derive(Copy, Clone, Debug, Deserialize)]
struct Methods {
    on_sent: bool,
    on_loss: bool,
    on_cnp: bool,
    on_path_change: bool,
    timer: bool,
    probe: bool,
}

/// The needs of an algorithm, as `incast.algorithm.Needs` has them.
#[derive(Debug, Deserialize)]
struct PythonNeeds {
    ecn: Option<EcnOptions>,
    int: IntSource,
    timestamps: bool,
    cnp: Option<Time>,
    per_packet_ack: bool,
    reschedules_pending: bool,
    serves: PythonServes,
}

#[derive(Copy, Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PythonServes {
    OneFlow,
    OnePath,
    AnyFlows,
}

impl PythonNeeds {
    fn is_for_one_network(&self) -> bool {
        let mut marking = self.ecn.iter();
        marking.any(EcnOptions::is_for_one_network)
    }

    fn resolve(self, methods: Methods) -> Needs {
        let says_so = "it says so";
        Needs {
            // Leaks one small object for each algorithm that is loaded.
            ecn: self.ecn.map(|ecn| &*Box::leak(Box::new(ecn))),
            int: self.int,
            timestamp: self.timestamps,
            cnp: self.cnp,
            per_packet_ack: self.per_packet_ack,
            sent_packets: methods.on_sent,
            timers: methods.timer,
            reschedules_pending: self.reschedules_pending,
            serves: match self.serves {
                PythonServes::OneFlow => Serves::OneFlow(says_so),
                PythonServes::OnePath => Serves::OnePath(says_so),
                PythonServes::AnyFlows => Serves::AnyFlows,
            },
            ..Needs::default()
        }
    }
}

impl PythonAlgorithm {
    /// Loads the class from a file.
    ///
    /// # Errors
    /// The Python exception of the file; or a diagnostic, for a wrong parameter in the scenario.
    pub(crate) fn load(
        py: Python<'_>,
        file: &Path,
        class: &str,
        given: &Map<String, Value>,
    ) -> PyResult<Result<Self, Diagnostic>> {
        let module = py.import("incast.algorithm")?;
        let class = Some(class).filter(|class| !class.is_empty());
        let loaded = module.getattr("_loaded")?.call1((file, class))?;
        let json = |name: &str| -> PyResult<String> { loaded.getattr(name)?.extract() };
        let methods: Methods = parsed(&json("methods")?)?;
        let needs = match serde_json::from_str::<PythonNeeds>(&json("needs")?) {
            Ok(needs) if needs.is_for_one_network() => {
                let what = format!(
                    "needs of {}: `per_rate` and `per_tier` say what other networks do not have",
                    file.display()
                );
                let hint = "write one rule for all ports; a scenario may have others";
                return Ok(Err(Diagnostic::new(what, hint).at("algorithm")));
            }
            Ok(needs) => needs.resolve(methods),
            Err(wrong) => {
                let wrong = wrong.to_string();
                let wrong = wrong.split(" at line ").next().unwrap_or_default();
                let what = format!("needs of {}: {wrong}", file.display());
                let hint = "see incast.algorithm.Needs";
                return Ok(Err(Diagnostic::new(what, hint).at("algorithm")));
            }
        };
        let fields = loaded.getattr("fields")?.try_iter()?;
        let known: Vec<Parameter> = fields
            .map(|field| field?.extract())
            .collect::<PyResult<_>>()?;
        let values = match read(&known, given) {
            Ok(values) => values,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let keywords = PyDict::new(py);
        for (name, value) in &values {
            keywords.set_item(name, value.to_python(py)?)?;
        }
        let parameters = match loaded.call_method1("parameters", (keywords,)) {
            Ok(parameters) => parameters.unbind(),
            Err(refused) if refused.is_instance_of::<pyo3::exceptions::PyValueError>(py) => {
                let what = refused.value(py).to_string();
                return Ok(Err(Diagnostic::new(what, "")));
            }
            Err(other) => return Err(other),
        };
        Ok(Ok(Self {
            name: loaded.getattr("name")?.extract()?,
            class: loaded.getattr("cls")?.unbind(),
            parameters,
            written: written(&values),
            needs,
            methods,
            failure: Arc::default(),
        }))
    }

    /// Takes the exception that the run raised, if any.
    pub(crate) fn take_failure(&self) -> Option<Raised> {
        self.failure.take()
    }

    /// Whether a method was interrupted, as by Ctrl-C; asking clears the answer.
    pub(crate) fn take_interrupt(&self) -> bool {
        self.failure.is_interrupted.swap(false, Ordering::Relaxed)
    }
}

fn parsed<T: serde::de::DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json)
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
}

impl ExternalAlgorithm for PythonAlgorithm {
    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> Map<String, Value> {
        self.written.clone()
    }

    fn needs(&self) -> Needs {
        self.needs.clone()
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let failure = Arc::clone(&self.failure);
        let mut controller = PythonController::new(context, self.methods, failure);
        controller.begin(&self.class, context, &self.parameters);
        Box::new(controller)
    }

    fn failure(&self) -> Option<String> {
        self.failure.describe(&self.name)
    }

    fn is_interrupted(&self) -> bool {
        self.failure.is_interrupted()
    }
}

/// An exception in a method of an algorithm.
pub(crate) struct Raised {
    pub(crate) error: PyErr,
    pub(crate) method: &'static str,
    pub(crate) flow: FlowId,
    pub(crate) time: Time,
}

/// The first exception of a run, or an interrupt.
#[derive(Default)]
struct FirstException {
    raised: Mutex<Option<Raised>>,
    is_interrupted: AtomicBool,
}

impl FirstException {
    fn note(&self, py: Python<'_>, raised: Raised) {
        if raised.error.is_instance_of::<PyKeyboardInterrupt>(py) {
            self.is_interrupted.store(true, Ordering::Relaxed);
            return;
        }
        self.first().get_or_insert(raised);
    }

    /// Whether a method was interrupted; after an interrupt no method is called.
    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }

    fn first(&self) -> MutexGuard<'_, Option<Raised>> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Raised> {
        self.first().take()
    }

    fn describe(&self, name: &str) -> Option<String> {
        self.first().as_ref().map(|raised| raised.describe(name))
    }
}

thread_local! {
    static IS_CALLED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in a method of an algorithm, which an exception of a signal handler ends.
#[pyfunction]
pub(crate) fn in_algorithm() -> bool {
    IS_CALLED.get()
}

/// Calls `call`, which runs a method of an algorithm.
fn in_method<R>(call: impl FnOnce() -> R) -> R {
    let before = IS_CALLED.replace(true);
    let result = call();
    IS_CALLED.set(before);
    result
}

impl Raised {
    /// The exception in one line: error, method, flow and time.
    fn describe(&self, name: &str) -> String {
        let Self {
            error,
            method,
            flow,
            time,
        } = self;
        let what = Python::attach(|py| {
            let class = error.get_type(py);
            let class = class
                .name()
                .unwrap_or_else(|_| PyString::new(py, "exception"));
            format!("{class}: {}", error.value(py))
        });
        let time = time.rounded();
        format!("{what}, in `{method}` of {name}, flow {flow}, at {time}")
    }
}

/// The path of an algorithm's file; an error if the scenario gives none.
pub(crate) fn file_of(file: Option<PathBuf>) -> Result<PathBuf, Diagnostic> {
    file.ok_or_else(|| {
        let hint = "write algorithm = \"mine.py\", or file = \"mine.py\" beside it";
        Diagnostic::new("the algorithm has no file", hint).at("algorithm")
    })
}
