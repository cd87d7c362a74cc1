//! The controller of a flow: a Python object.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use incast_cc::conformance::TIMERS_AT_ONCE;
use incast_cc::{Ack, Cnp, CongestionControl, FlowContext, Loss, SendLimit, Sent};
use incast_units::{FlowId, Rate, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{
    FirstException, Methods, PyAck, PyCnp, PyFlow, PyLoss, PySendLimit, PySent, Raised, in_method,
};

/// The Python object of one flow. After each call the object is asked for its limit and its timer.
///
/// A copy of the network has a copy of the object, made by Python's `copy.deepcopy`.
pub(super) struct PythonController {
    /// The object; `None` after an exception, when the run is about to end.
    object: Option<PythonObject>,
    methods: Methods,
    flow: FlowId,
    line_rate: Rate,
    limit: SendLimit,
    next_timer: Option<Time>,
    /// Whether the next ACK is the first from a new path.
    has_new_path: bool,
    /// When the last timer fired; the next field counts the timers before it at that same time.
    last_timer: Option<Time>,
    timers_at_once: u32,
    failure: Arc<FirstException>,
}

/// An object, and its two methods that are called most.
struct PythonObject {
    itself: Py<PyAny>,
    on_ack: Py<PyAny>,
    limit: Py<PyAny>,
}

thread_local! {
    /// The memo of `copy.deepcopy` while controllers are copied, because their objects may share
    /// others.
    static MEMO: RefCell<Option<Py<PyDict>>> = const { RefCell::new(None) };
}

/// Runs `act`, which copies controllers. Objects that the originals share are shared by the copies,
/// too.
pub(crate) fn with_one_memo<R>(py: Python<'_>, act: impl FnOnce() -> R) -> R {
    MEMO.set(Some(PyDict::new(py).unbind()));
    let result = act();
    MEMO.set(None);
    result
}

impl PythonController {
    pub(super) fn new(
        context: &FlowContext,
        methods: Methods,
        failure: Arc<FirstException>,
    ) -> Self {
        Self {
            object: None,
            methods,
            flow: context.flow,
            line_rate: context.line_rate,
            limit: SendLimit::paced(context.line_rate),
            next_timer: None,
            has_new_path: false,
            last_timer: None,
            timers_at_once: 0,
            failure,
        }
    }

    /// Makes the object.
    pub(super) fn begin(
        &mut self,
        class: &Py<PyAny>,
        context: &FlowContext,
        parameters: &Py<PyAny>,
    ) {
        if self.failure.is_interrupted() {
            return;
        }
        Python::attach(|py| {
            let made = in_method(|| {
                let flow = PyFlow::from(context.clone());
                PythonObject::of(class.bind(py).call1((flow, parameters))?)
            });
            match made {
                Ok(object) => self.refresh(py, object, Time::ZERO),
                Err(error) => self.fail(py, "__init__", Time::ZERO, error),
            }
        });
    }

    /// Calls a method, and asks for the limit.
    fn call(
        &mut self,
        method: &'static str,
        now: Time,
        call: impl FnOnce(Python<'_>, &PythonObject) -> PyResult<()>,
    ) {
        // Without an object there is no timer either: a timer that is due would fire again at once,
        // before the run can end.
        self.next_timer = None;
        let Some(object) = self.object.take() else {
            return;
        };
        if self.failure.is_interrupted() {
            return;
        }
        Python::attach(|py| match in_method(|| call(py, &object)) {
            Ok(()) => self.refresh(py, object, now),
            Err(error) => self.fail(py, method, now, error),
        });
    }

    /// Asks for limit and timer; keeps the object if neither call fails.
    fn refresh(&mut self, py: Python<'_>, object: PythonObject, now: Time) {
        match in_method(|| object.limit(py, self.line_rate)) {
            Ok(limit) => self.limit = limit,
            Err(error) => return self.fail(py, "limit", now, error),
        }
        if self.methods.timer {
            match in_method(|| object.next_timer(py)) {
                Ok(next) => self.next_timer = next,
                Err(error) => return self.fail(py, "next_timer", now, error),
            }
        }
        self.object = Some(object);
    }

    /// A copy with this object; an error of copying is reported as the copy's failure.
    fn with(&self, py: Python<'_>, object: PyResult<Option<PythonObject>>) -> Self {
        let mut copy = Self {
            object: None,
            failure: Arc::clone(&self.failure),
            ..*self
        };
        match object {
            Ok(object) => copy.object = object,
            Err(error) => {
                let time = self.last_timer.unwrap_or_default();
                copy.fail(py, "__deepcopy__", time, error);
            }
        }
        copy
    }

    fn fail(&mut self, py: Python<'_>, method: &'static str, time: Time, error: PyErr) {
        self.next_timer = None;
        let raised = Raised {
            error,
            method,
            flow: self.flow,
            time,
        };
        self.failure.note(py, raised);
    }

    /// Ends the run if timers fire again and again without time passing.
    fn check_timers(&mut self, now: Time) {
        self.timers_at_once = match self.last_timer == Some(now) {
            true => self.timers_at_once + 1,
            false => 0,
        };
        self.last_timer = Some(now);
        if self.timers_at_once > TIMERS_AT_ONCE && self.object.take().is_some() {
            let what = format!("next_timer() gave no time after {} ps", now.as_ps());
            Python::attach(|py| self.fail(py, "next_timer", now, PyValueError::new_err(what)));
        }
    }
}

impl Clone for PythonController {
    fn clone(&self) -> Self {
        Python::attach(|py| {
            let object = self.object.as_ref();
            let copy = object.map(|object| in_method(|| object.copy(py)));
            self.with(py, copy.transpose())
        })
    }
}

impl PythonObject {
    fn of(itself: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            on_ack: itself.getattr("on_ack")?.unbind(),
            limit: itself.getattr("limit")?.unbind(),
            itself: itself.unbind(),
        })
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let deepcopy = py.import("copy")?.getattr("deepcopy")?;
        let memo = MEMO.with_borrow(|memo| memo.as_ref().map(|memo| memo.clone_ref(py)));
        Self::of(deepcopy.call1((&self.itself, memo))?)
    }

    fn limit(&self, py: Python<'_>, line_rate: Rate) -> PyResult<SendLimit> {
        let said = self.limit.bind(py).call0()?;
        let limit = said.cast::<PySendLimit>().map_err(|_| {
            let what = said.get_type().to_string();
            PyTypeError::new_err(format!("limit() gave {what}, not an incast.SendLimit"))
        })?;
        Ok(limit.get().resolve(line_rate))
    }

    fn next_timer(&self, py: Python<'_>) -> PyResult<Option<Time>> {
        let said = self.itself.bind(py).call_method0("next_timer")?;
        let next: Option<f64> = said.extract()?;
        next.map(timer).transpose()
    }
}

/// A time of a timer, given in ps.
fn timer(ps: f64) -> PyResult<Time> {
    // The largest time of the engine is about 2^63 ps.
    match (0.0..=9.3e18).contains(&ps) {
        true => Ok(Time::from_ps(ps as u64)),
        false => Err(PyValueError::new_err(format!(
            "next_timer() gave {ps}, which is no time in ps"
        ))),
    }
}

impl CongestionControl for PythonController {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        if std::mem::take(&mut self.has_new_path) {
            self.call("on_path_change", now, |py, object| {
                let arguments = (now.as_ps(),);
                object
                    .itself
                    .call_method1(py, "on_path_change", arguments)
                    .map(drop)
            });
        }
        self.call("on_ack", now, |py, object| {
            let arguments = (now.as_ps(), PyAck::new(ack));
            object.on_ack.bind(py).call1(arguments).map(drop)
        });
    }

    fn limit(&self) -> SendLimit {
        self.limit
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        if self.methods.on_sent {
            self.call("on_sent", now, |py, object| {
                let arguments = (now.as_ps(), PySent::from(*sent));
                object
                    .itself
                    .call_method1(py, "on_sent", arguments)
                    .map(drop)
            });
        }
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        if self.methods.on_loss {
            self.call("on_loss", now, |py, object| {
                let arguments = (now.as_ps(), PyLoss::from(*loss));
                object
                    .itself
                    .call_method1(py, "on_loss", arguments)
                    .map(drop)
            });
        }
    }

    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        if self.methods.on_cnp {
            self.call("on_cnp", now, |py, object| {
                let arguments = (now.as_ps(), PyCnp::from(*cnp));
                object
                    .itself
                    .call_method1(py, "on_cnp", arguments)
                    .map(drop)
            });
        }
    }

    fn on_path_change(&mut self) {
        self.has_new_path = self.methods.on_path_change;
    }

    fn on_timer(&mut self, now: Time) {
        self.check_timers(now);
        self.call("on_timer", now, |py, object| {
            let arguments = (now.as_ps(),);
            object
                .itself
                .call_method1(py, "on_timer", arguments)
                .map(drop)
        });
    }

    fn next_timer(&self) -> Option<Time> {
        self.next_timer
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let has_probe = self.methods.probe && !self.failure.is_interrupted();
        let Some(object) = self.object.as_ref().filter(|_| has_probe) else {
            return;
        };
        let said = in_method(|| {
            Python::attach(|py| -> PyResult<Vec<(String, f64)>> {
                let said = object.itself.bind(py).call_method0("probe")?;
                let entries = said.cast_into::<PyDict>()?;
                let entries = entries.iter();
                entries
                    .map(|(name, value)| Ok((name.extract()?, value.extract()?)))
                    .collect()
            })
        });
        match said {
            Ok(values) => {
                for (name, value) in values {
                    record(lasting(&name), value);
                }
            }
            Err(error) => {
                let raised = Raised {
                    error,
                    method: "probe",
                    flow: self.flow,
                    time: Time::ZERO,
                };
                Python::attach(|py| self.failure.note(py, raised));
            }
        }
    }
}

/// The name as a static string, leaked once for each name.
fn lasting(name: &str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    kept
}
