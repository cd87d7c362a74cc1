//! Congestion control at the sender: the trait, its signals, and one file per algorithm.
//!
//! An algorithm is told what a NIC would be told and answers with a [`SendLimit`]. It has no
//! clock of its own, sees no queue, schedules nothing: it says when it wants to be woken.
//! To add one: its file, one `mod` line here, one line in [`registry`](AlgorithmConfig),
//! one line in the docs.

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
/// [`next_timer`](Self::next_timer) again. Its state can be copied: a network that others drive can
/// be, while flows are under way.
pub trait CongestionControl: Send + DynClone {
    /// An ACK arrived (or a NACK, which carries the same news and more: see [`Loss`]).
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>);

    /// What may be sent now.
    fn limit(&self) -> SendLimit;

    /// A data packet begins to leave the NIC.
    fn on_sent(&mut self, _now: Time, _sent: &Sent) {}

    /// Packets were lost: a NACK came, or the retransmission timer expired.
    fn on_loss(&mut self, _now: Time, _loss: &Loss) {}

    /// A congestion notification packet arrived.
    fn on_cnp(&mut self, _now: Time, _cnp: &Cnp) {}

    /// The INT of the next ACK cannot be compared with that of the ACK before: its packet took
    /// another path, or was overtaken. Only links that fail have this happen.
    fn on_path_change(&mut self) {}

    /// How the flow starts, with an algorithm that has control packets; asked once.
    fn start(&self) -> Start {
        Start::AtOnce
    }

    /// A control packet came back, which the host program `rate-requests` had sent. Asked for in
    /// [`Needs::host_programs`].
    fn on_control(&mut self, _now: Time, _reply: &ControlReply) {}

    /// Credit of the receiver came, by way of a host program. Asked for in
    /// [`Needs::host_programs`]; answered by [`SendLimit::until`] or [`SendLimit::room`].
    fn on_credit(&mut self, _now: Time, _credit: &Credit) {}

    /// Credit that the flow asks its receiver for, in bytes on the wire since it began: what a data
    /// packet tells that has just left. Asked by the host program `credits`.
    fn credit_wanted(&self, _backlog: &Backlog) -> Bytes {
        Bytes::ZERO
    }

    /// Whether credit is what bounds [`SendLimit::room`], not a window. Asked only where it is
    /// recorded what keeps a flow.
    fn is_bound_by_credit(&self) -> bool {
        false
    }

    /// The time that [`next_timer`](Self::next_timer) named has come.
    fn on_timer(&mut self, _now: Time) {}

    /// When to call [`on_timer`](Self::on_timer) next; `None` if never.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Names and values worth plotting, in a fixed order.
    fn probe(&self, _record: &mut dyn FnMut(&'static str, f64)) {}
}
