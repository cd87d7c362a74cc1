//! A network that a program in Python drives.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use incast_net::{FlowRecord, HaltAt, Observer, Progress};
use incast_sim::{CopyError, FlowEnd, LiveNetwork, RunError, Stand};
use incast_units::{Bytes, HostId, Time};
use incast_workload::{GivenFlow, GivenHost};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::algorithm::{PythonAlgorithm, Raised, with_one_memo};
use crate::errors::{algorithm_error, busy_network, file_error, run_error, scenario_error};
use crate::results::PyResults;
use crate::run::ProgressReporter;
use crate::scenario::PyScenario;

/// A network under way.
#[pyclass(name = "Network", module = "incast._core", frozen)]
pub(crate) struct PyNetwork {
    /// The network's state. Only one call at a time has it; others are refused.
    driven: Mutex<LockedNetwork>,
    own: Vec<Arc<PythonAlgorithm>>,
}

struct LockedNetwork {
    network: LiveNetwork,
    /// Ends of flows (number and time in ps) that Python has not asked for yet: first those at
    /// receivers, then those at senders.
    ends: [Vec<(u64, u64)>; 2],
}

/// A host by number or name.
#[derive(FromPyObject)]
enum AnyHost {
    Number(u32),
    Name(String),
}

impl From<AnyHost> for GivenHost {
    fn from(host: AnyHost) -> Self {
        match host {
            AnyHost::Number(number) => Self::Number(HostId(number)),
            AnyHost::Name(name) => Self::Name(name),
        }
    }
}

#[pymethods]
impl PyNetwork {
    #[new]
    fn new(py: Python<'_>, scenario: &PyScenario) -> PyResult<Self> {
        let spec = Arc::clone(&scenario.spec);
        let network = py.detach(|| LiveNetwork::new(spec));
        let driven = LockedNetwork {
            network: network.map_err(|error| run_error(py, &error))?,
            ends: Default::default(),
        };
        Ok(Self {
            driven: driven.into(),
            own: scenario.own.clone(),
        })
    }

    /// The time.
    #[getter]
    fn now_ps(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.driven(py)?.network.now().as_ps())
    }

    /// Starts a flow, by default now; returns the flow's number.
    #[pyo3(signature = (source, destination, size, at, traffic))]
    fn start(
        &self,
        py: Python<'_>,
        source: AnyHost,
        destination: AnyHost,
        size: u64,
        at: Option<u64>,
        traffic: Option<&str>,
    ) -> PyResult<u64> {
        let network = &mut self.driven(py)?.network;
        let flow = GivenFlow {
            source: source.into(),
            destination: destination.into(),
            size: Bytes::new(size),
            start: at.map_or(network.now(), Time::from_ps),
        };
        let number = network.start(&flow, traffic);
        number.map_err(|error| scenario_error(py, &error))
    }

    /// Advances the network to `until`; with `halts`, at most to the next flow that is received
    /// (`[true, _]`) or acknowledged (`[_, true]`) in full. Returns why it stopped there, and for a
    /// stall a description of the stalled flows.
    fn advance(
        &self,
        py: Python<'_>,
        until: Option<u64>,
        halts: [bool; 2],
    ) -> PyResult<(&'static str, Option<String>)> {
        let mut observer = Interrupts::new();
        let until = until.map(Time::from_ps);
        let mut driven = self.driven(py)?;
        let LockedNetwork { network, ends } = &mut *driven;
        loop {
            let at = match halts.contains(&true) {
                true => HaltAt::FlowEnd,
                false => HaltAt::Time,
            };
            let stand = py.detach(|| network.advance(until, at, &mut observer));
            let raised = self.take_failure();
            let interrupts = self.own.iter().map(|algorithm| algorithm.take_interrupt());
            if interrupts.fold(false, |one, other| one | other) {
                let why = "Ctrl-C came in a method of an algorithm";
                network.give_up(why);
                return Err(PyKeyboardInterrupt::new_err(why));
            }
            let stand = stand.map_err(|error| match (&error, raised) {
                (RunError::Algorithm { .. }, Some(raised)) => algorithm_error(py, &error, raised),
                _ => run_error(py, &error),
            })?;
            let mut is_wanted = false;
            for end in network.take_ends() {
                let FlowEnd {
                    flow,
                    time,
                    is_acknowledged,
                } = end;
                let kind = usize::from(is_acknowledged);
                is_wanted |= halts[kind];
                ends[kind].push((flow, time.as_ps()));
            }
            return Ok(match stand {
                Stand::FlowEnds if !is_wanted => continue,
                Stand::FlowEnds => ("flow-ends", None),
                Stand::Reached => ("reached", None),
                Stand::Idle => ("idle", None),
                Stand::Stalled(stall) => ("stalled", Some(network.describe(&stall))),
                Stand::Interrupted => return Err(observer.raised()),
            });
        }
    }

    /// Flows received in full since the last call: number and time.
    fn take_received(&self, py: Python<'_>) -> PyResult<Vec<(u64, u64)>> {
        Ok(std::mem::take(&mut self.driven(py)?.ends[0]))
    }

    /// Flows acknowledged in full since the last call: number and time.
    fn take_completed(&self, py: Python<'_>) -> PyResult<Vec<(u64, u64)>> {
        Ok(std::mem::take(&mut self.driven(py)?.ends[1]))
    }

    /// The flow's number in results, if the flow has started.
    fn flow_id(&self, py: Python<'_>, flow: u64) -> PyResult<Option<u32>> {
        Ok(self.driven(py)?.network.id_of(flow))
    }

    /// A network in the same state.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let mut driven = self.driven(py)?;
        let network = &mut driven.network;
        // Python copies the objects of algorithms in Python.
        let copy = with_one_memo(py, || py.detach(move || network.copy()));
        let copy = copy.map_err(|error| match error {
            CopyError::Model(error) => scenario_error(py, &error),
            CopyError::File(error) => file_error(py, "ScenarioError", &error),
        })?;
        if let Some(raised) = self.take_failure() {
            return Err(raised.error);
        }
        let copy = LockedNetwork {
            network: copy,
            ends: driven.ends.clone(),
        };
        Ok(Self {
            driven: copy.into(),
            own: self.own.clone(),
        })
    }

    /// The results of the network up to now.
    fn results(&self, py: Python<'_>) -> PyResult<PyResults> {
        let mut driven = self.driven(py)?;
        let network = &mut driven.network;
        let mut observer = Interrupts::new();
        let told = &mut observer;
        let results = with_one_memo(py, || {
            py.detach(move || network.results_unless_broken_off(told))
        });
        if let Some(raised) = self.take_failure() {
            return Err(raised.error);
        }
        if observer.has_broken_off {
            return Err(observer.raised());
        }
        results
            .map(PyResults::from)
            .map_err(|error| run_error(py, &error))
    }
}

impl PyNetwork {
    /// Takes the exception of an algorithm, if one was raised.
    fn take_failure(&self) -> Option<Raised> {
        let raised = self.own.iter().map(|algorithm| algorithm.take_failure());
        raised.fold(None, Option::or)
    }

    /// The network's state, for one call.
    ///
    /// # Errors
    /// If another call is under way. This call then comes from another thread, or from a method of
    /// an algorithm.
    fn driven(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, LockedNetwork>> {
        match self.driven.try_lock() {
            Ok(driven) => Ok(driven),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(busy_network(py)),
        }
    }
}

/// Looks for Ctrl-C.
struct Interrupts {
    reporter: ProgressReporter,
    has_broken_off: bool,
}

impl Interrupts {
    fn new() -> Self {
        Self {
            reporter: ProgressReporter::new(None),
            has_broken_off: false,
        }
    }

    /// The exception that ended the work.
    fn raised(self) -> PyErr {
        let other = self.reporter.finish().err();
        other.unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
    }
}

impl Observer for Interrupts {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        let told = self.reporter.tell(|_| Ok(()));
        self.has_broken_off |= told.is_break();
        told
    }

    fn finished(&mut self, _flows: &[FlowRecord]) {}
}
