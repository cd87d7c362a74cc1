//! Arguments and answers of algorithms in Python: times in ps, rates in bit/s.

use incast_cc::{Ack, Cnp, FlowContext, Loss, LossKind, Pacing, SendLimit, Sent, Window};
use incast_diagnostic::Diagnostic;
use incast_signals::int::{IntFormat, IntRecord};
use incast_units::{Bytes, Rate, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Makes copies of an immutable argument return the argument itself.
macro_rules! copied_as_itself {
    ($($class:ident),*) => {
        $(#[pymethods]
        impl $class {
            fn __deepcopy__<'py>(
                slf: Bound<'py, Self>,
                _memo: &Bound<'py, PyAny>,
            ) -> Bound<'py, Self> {
                slf
            }
        })*
    };
}

copied_as_itself!(PyFlow, PyAck, PySent, PyLoss, PyCnp);

/// A flow's facts that are known when its QP is created.
#[pyclass(frozen, get_all, name = "Flow", module = "incast.algorithm")]
pub(crate) struct PyFlow {
    /// The flow's number; if flows share a controller, that of the first flow.
    number: u32,
    /// Rate of the NIC's link, in bit/s.
    line_rate_bps: u64,
    /// Base RTT, in ps.
    base_rtt_ps: u64,
    /// Bytes in flight at line rate over one base RTT.
    bdp_bytes: u64,
    /// Payload of a full packet.
    mtu_bytes: u64,
    /// A full packet on the wire, headers included.
    wire_mtu_bytes: u64,
    /// Payload of the flow.
    size_bytes: u64,
    /// Whether switches trim data packets that find no room.
    trims: bool,
    /// Seed of the flow's own random numbers.
    seed: u64,
}

impl From<FlowContext> for PyFlow {
    fn from(context: FlowContext) -> Self {
        Self {
            number: context.flow.0,
            line_rate_bps: context.line_rate.as_bps(),
            base_rtt_ps: context.base_rtt.as_ps(),
            bdp_bytes: context.base_window.as_u64(),
            mtu_bytes: context.mtu.as_u64(),
            wire_mtu_bytes: context.wire_mtu.as_u64(),
            size_bytes: context.size.as_u64(),
            trims: context.trims,
            seed: context.seed,
        }
    }
}

impl PyFlow {
    fn context(&self) -> FlowContext {
        FlowContext {
            flow: incast_units::FlowId(self.number),
            line_rate: Rate::from_bps(self.line_rate_bps),
            base_rtt: Time::from_ps(self.base_rtt_ps),
            base_window: Bytes::new(self.bdp_bytes),
            mtu: Bytes::new(self.mtu_bytes),
            wire_mtu: Bytes::new(self.wire_mtu_bytes),
            size: Bytes::new(self.size_bytes),
            trims: self.trims,
            seed: self.seed,
        }
    }
}

/// An ACK as the NIC reads it.
#[pyclass(frozen, get_all, name = "Ack", module = "incast.algorithm")]
pub(crate) struct PyAck {
    /// Payload bytes acknowledged for the first time.
    newly_acked_bytes: u64,
    /// Sequence number that the receiver expects next.
    next_expected: u64,
    /// Sequence number that the sender will send next.
    next_to_send: u64,
    /// Payload of the flow.
    flow_size_bytes: u64,
    /// Whether the data packet carried a CE mark.
    marked: bool,
    /// Time in ps since the first bit of the data packet left the NIC, if packets carry timestamps.
    round_trip_ps: Option<u64>,
    /// Switches that the data packet passed.
    switch_hops: u8,
    /// INT, first hop first; empty if the network collects none.
    telemetry: Vec<PyHop>,
    /// Number of flows that share the receiver, if the receiver announces it.
    receiver_flows: Option<u16>,
}

impl PyAck {
    pub(super) fn new(ack: &Ack<'_>) -> Self {
        let telemetry = &ack.telemetry;
        let format = telemetry.format();
        let records = match telemetry.words() {
            [] => Vec::new(),
            _ => telemetry.records(),
        };
        Self {
            newly_acked_bytes: ack.newly_acked.as_u64(),
            next_expected: ack.next_expected,
            next_to_send: ack.next_to_send,
            flow_size_bytes: ack.flow_size.as_u64(),
            marked: ack.marked,
            round_trip_ps: ack.round_trip.map(Time::as_ps),
            switch_hops: ack.switch_hops,
            telemetry: records
                .into_iter()
                .map(|record| PyHop { record, format })
                .collect(),
            receiver_flows: ack.receiver_flows,
        }
    }
}

/// INT of one port: its queue, its link, and counters. Differences of two records of one port give
/// time and bytes sent.
#[pyclass(frozen, from_py_object, name = "Hop", module = "incast.algorithm")]
#[derive(Clone)]
pub(crate) struct PyHop {
    record: IntRecord,
    format: IntFormat,
}

#[pymethods]
impl PyHop {
    /// Returns the object itself, which never changes.
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// Bytes that waited behind the packet, in the format's units.
    #[getter]
    fn queue_bytes(&self) -> u64 {
        self.record.queue.as_u64()
    }

    /// Rate of the port's link, in bit/s.
    #[getter]
    fn link_rate_bps(&self) -> u64 {
        self.record.rate.as_bps()
    }

    /// Time from an earlier record of the port to this one, in ps.
    fn elapsed_ps(&self, before: &Self) -> u64 {
        let clock = self.record.clock.wrapping_sub(before.record.clock);
        (clock & mask(self.format.clock_bits())) * self.format.clock_unit().as_ps()
    }

    /// Bytes that the port sent from an earlier record to this one.
    fn sent_bytes(&self, before: &Self) -> u64 {
        let sent = self.record.sent.wrapping_sub(before.record.sent);
        (sent & mask(self.format.sent_bits())) * self.format.sent_unit().as_u64()
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (u64::BITS - bits)
}

/// A data packet that begins to leave the NIC.
#[pyclass(frozen, get_all, name = "Sent", module = "incast.algorithm")]
pub(crate) struct PySent {
    /// Payload of the packet, in bytes.
    payload_bytes: u64,
    /// Size of the packet on the wire, in bytes.
    wire_bytes: u64,
    /// Sequence number after the packet.
    next_to_send: u64,
    /// Whether the packet was sent before.
    retransmission: bool,
}

impl From<Sent> for PySent {
    fn from(sent: Sent) -> Self {
        Self {
            payload_bytes: sent.payload.as_u64(),
            wire_bytes: sent.wire.as_u64(),
            next_to_send: sent.next_to_send,
            retransmission: sent.retransmission,
        }
    }
}

/// Lost packets, which the NIC retransmits by itself.
#[pyclass(frozen, get_all, name = "Loss", module = "incast.algorithm")]
pub(crate) struct PyLoss {
    /// How the loss was detected: ``"nack"``, ``"trimmed"`` or ``"timeout"``.
    kind: &'static str,
    /// First sequence number that will be sent again.
    resume_at: u64,
}

impl From<Loss> for PyLoss {
    fn from(loss: Loss) -> Self {
        Self {
            kind: match loss.kind {
                LossKind::Nack => "nack",
                LossKind::Trimmed { .. } => "trimmed",
                LossKind::Timeout => "timeout",
            },
            resume_at: loss.resume_at,
        }
    }
}

/// A congestion notification packet.
#[pyclass(frozen, get_all, name = "Cnp", module = "incast.algorithm")]
pub(crate) struct PyCnp {
    /// The rate that a switch asks for, in bit/s; none if a receiver sent the CNP.
    rate_bps: Option<u64>,
    /// The port that sent the CNP; none if a receiver sent it.
    congestion_point: Option<u32>,
}

impl From<Cnp> for PyCnp {
    fn from(cnp: Cnp) -> Self {
        Self {
            rate_bps: cnp.rate.map(Rate::as_bps),
            congestion_point: cnp.congestion_point,
        }
    }
}

/// The limit of a sender: a window, a rate, or both.
#[pyclass(frozen, name = "SendLimit", module = "incast.algorithm")]
pub(crate) struct PySendLimit {
    window: Bytes,
    /// The rate; the line rate if there is none.
    rate: Option<Rate>,
    pacing: Pacing,
}

#[pymethods]
impl PySendLimit {
    /// Returns the object itself, which never changes.
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// A limit of `window_bytes` in flight, `rate_bps` bits per second, or both.
    #[new]
    #[pyo3(signature = (*, window_bytes=None, rate_bps=None, pacing="regular"))]
    fn new(window_bytes: Option<f64>, rate_bps: Option<f64>, pacing: &str) -> PyResult<Self> {
        let window = match window_bytes {
            None => Bytes::MAX,
            Some(bytes) if bytes > 0.0 => Bytes::new(bytes as u64),
            Some(bytes) => return Err(wrong("window_bytes", bytes, "no window")),
        };
        let rate = match rate_bps {
            None => None,
            Some(rate) if rate >= 1.0 && rate.is_finite() => Some(Rate::from_bps(rate as u64)),
            Some(rate) => return Err(wrong("rate_bps", rate, "no rate of 1 bit/s or more")),
        };
        let pacing = match pacing {
            "regular" => Pacing::Regular,
            "on-schedule" => Pacing::OnSchedule,
            "exponential" => Pacing::Exponential,
            "poisson" => Pacing::Poisson,
            other => {
                let all = ["regular", "on-schedule", "exponential", "poisson"];
                let unknown = Diagnostic::unknown("pacing", other, all);
                return Err(PyValueError::new_err(unknown.to_string()));
            }
        };
        Ok(Self {
            window,
            rate,
            pacing,
        })
    }
}

fn wrong(name: &str, value: f64, what: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: {value} is {what}"))
}

impl PySendLimit {
    pub(super) fn resolve(&self, line_rate: Rate) -> SendLimit {
        SendLimit {
            window: self.window,
            pacing: self.pacing,
            ..SendLimit::paced(self.rate.unwrap_or(line_rate))
        }
    }
}

/// A window, or a part of one: ``"1 packet"``, ``"50KB"``, ``"50Mbps"`` or ``"bdp"``.
#[pyclass(frozen, eq, hash, name = "Window", module = "incast.algorithm")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyWindow(pub(super) Window);

impl std::hash::Hash for PyWindow {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_string().hash(state);
    }
}

#[pymethods]
impl PyWindow {
    /// Returns the object itself, which never changes.
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    #[new]
    fn new(text: &str) -> PyResult<Self> {
        text.parse()
            .map(Self)
            .map_err(|wrong: Diagnostic| PyValueError::new_err(wrong.to_string()))
    }

    /// The window in bytes of payload, for this flow.
    fn in_bytes(&self, flow: &PyFlow) -> f64 {
        self.0.in_bytes(&flow.context())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Window(\"{}\")", self.0)
    }
}

/// Reads a quantity from text, as a number of its base unit: ps, bit/s or bytes.
#[pyfunction]
pub(crate) fn quantity(kind: &str, text: &str) -> PyResult<u64> {
    let number = match kind {
        "time" => text.parse().map(Time::as_ps),
        "rate" => text.parse().map(Rate::as_bps),
        _ => text.parse().map(Bytes::as_u64),
    };
    number.map_err(|wrong: Diagnostic| PyValueError::new_err(wrong.to_string()))
}
