//! Congestion control at the sender: the trait, its signals, and one file per algorithm.
//!
//! An algorithm gets the signals of its NIC and answers with a [`SendLimit`]. It has no clock of
//! its own, sees no queue and schedules nothing; it names the time of its next timer. To add an
//! algorithm takes its file, one `mod` line here, one line in [`registry`](AlgorithmConfig) and one
//! line in the docs.

mod aimd;
pub mod conformance;
mod controller;
mod dcqcn;
mod dctcp;
mod ecn_tcp;
#[cfg(test)]
mod example;
mod external;
mod fncc;
#[cfg(test)]
#[allow(
    unreachable_pub,
    reason = "shown in docs/adding-an-algorithm.md, where it is registered"
)]
mod guide;
mod hpcc;
mod hpcc_plus_plus;
mod lgc;
mod nscc;
mod number;
mod parameters;
mod parts;
mod power;
mod powertcp;
mod rate_window;
mod rccc;
mod registry;
mod rocc;
mod rtt_epoch;
mod s_perc;
mod signals;
mod swift;
mod theta_powertcp;
mod timely;
mod uncontrolled;
mod window;

pub use controller::FlowController;
pub use dcqcn::{DcqcnConfig, DcqcnForm, Notification};
pub use dctcp::{DctcpConfig, DctcpForm};
pub use ecn_tcp::EcnTcpConfig;
pub use external::{ExternalAlgorithm, ExternalConfig};
pub use fncc::{FnccConfig, LastHopForm, LastHopMeasure, UtilisationAverage};
pub use hpcc::HpccConfig;
pub use hpcc_plus_plus::{HpccFeedback, HpccPlusPlusConfig};
pub use lgc::{Interpolation, LgcConfig, LgcPacing};
pub use nscc::{NsccAllowance, NsccConfig, NsccLosses, NsccPeriodEnd, NsccProduct, NsccUnit};
pub use parameters::Parameters;
pub use parts::{
    Congestion, CountRestart, CountedDecrease, Draws, OneRttConfig, Part, ProbabilisticConfig,
    SamplingFrequencyConfig, VariableAiConfig, WeightsConfig,
};
pub use powertcp::PowerTcpConfig;
pub use rate_window::RateWindow;
pub use rccc::RcccConfig;
pub use registry::AlgorithmConfig;
pub use rocc::RoccConfig;
pub use s_perc::{ExemptFlows, SPercConfig};
pub use signals::{
    Ack, AckNews, Backlog, Cnp, ControlReply, Credit, FlowContext, Loss, LossKind, Needs, Pacing,
    SendLimit, Sent, Serves, Start,
};
pub use swift::{DelayReading, SwiftConfig, SwiftPacing};
pub use theta_powertcp::ThetaPowerTcpConfig;
pub use timely::{TimelyConfig, TimelyUpdate, TimelyVariant};
pub use uncontrolled::UncontrolledConfig;
pub use window::Window;

use dyn_clone::DynClone;
use incast_units::{Bytes, Time};

/// The sender's side of congestion control, for one QP.
///
/// Two methods are required. After every call the NIC asks for [`limit`](Self::limit) and
/// [`next_timer`](Self::next_timer) again. The state can be copied, because a network that a
/// program drives step by step can be copied during flows.
pub trait CongestionControl: Send + DynClone {
    /// An ACK arrived, or a NACK, which carries the same data and reports a loss, too (see
    /// [`Loss`]).
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>);

    /// The current limit on sending.
    fn limit(&self) -> SendLimit;

    /// A data packet begins to leave the NIC.
    fn on_sent(&mut self, _now: Time, _sent: &Sent) {}

    /// Packets were lost: a NACK came, or the retransmission timer expired.
    fn on_loss(&mut self, _now: Time, _loss: &Loss) {}

    /// A congestion notification packet arrived.
    fn on_cnp(&mut self, _now: Time, _cnp: &Cnp) {}

    /// The INT of the next ACK cannot be compared with the previous ACK's: its packet took another
    /// path, or was overtaken. This happens only with failing links.
    fn on_path_change(&mut self) {}

    /// How the flow starts, if the algorithm has control packets. Called once.
    fn start(&self) -> Start {
        Start::AtOnce
    }

    /// A control packet came back, sent by the host program `rate-requests`, which
    /// [`Needs::host_programs`] must request.
    fn on_control(&mut self, _now: Time, _reply: &ControlReply) {}

    /// Credit from the receiver arrived, by a host program that [`Needs::host_programs`] must
    /// request. The algorithm answers with [`SendLimit::until`] or [`SendLimit::room`].
    fn on_credit(&mut self, _now: Time, _credit: &Credit) {}

    /// Total credit that the flow has requested from its receiver, in bytes on the wire since its
    /// start. The data packet that has just left carries this value. Called by the host program
    /// `credits`.
    fn credit_wanted(&self, _backlog: &Backlog) -> Bytes {
        Bytes::ZERO
    }

    /// Whether credit, and not a window, bounds [`SendLimit::room`]. Called only if the causes of
    /// waiting are recorded.
    fn is_bound_by_credit(&self) -> bool {
        false
    }

    /// The time given by [`next_timer`](Self::next_timer) has come.
    fn on_timer(&mut self, _now: Time) {}

    /// When to call [`on_timer`](Self::on_timer) next; `None` if never.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Passes names and values for plots to `record`, in a fixed order.
    fn probe(&self, _record: &mut dyn FnMut(&'static str, f64)) {}
}
