//! FNCC: HPCC told by ACKs of what they pass on their way back, so that news is younger.
//!
//! Xu et al., "FNCC: Fast Notification Congestion Control in Data Center Networks".
//!
//! The sender is HPCC's (Algorithm 3; see `hpcc.rs` for Eqs. (1) to (5)) with one more step,
//! last-hop congestion speedup (Algorithm 2), on every ACK before the window is computed:
//!
//! ```text
//! h ← argmax_i u_i
//! W_c ← B_h·T·β / N      if h is the last hop and u_h > α      (6)
//! ```
//!
//! N is how many flows the receiver has, and comes with the ACK; B_h is the rate of its link. In
//! rates, R_c ← B_h·β/N. In the printed form ComputeWind goes on from there, so that the window is
//! W_c/(U/η) + W_AI; in the direct form it is W_c, which the text describes ("adjusted to fair
//! rate × β").
//!
//! | parameter            | symbol | unit | default   | source                                 |
//! |----------------------|--------|------|-----------|----------------------------------------|
//! | `last_hop_speedup`   | –      | –    | true      | FNCC Algorithm 2                       |
//! | `last_hop_form`      | –      | –    | `printed` | FNCC Algorithm 3; `direct`: its text   |
//! | `last_hop_threshold` | α      | 1    | 1.05      | FNCC Algorithm 2                       |
//! | `last_hop_target`    | β      | 1    | 0.9       | FNCC Algorithm 2                       |
//!
//! The others are HPCC's, with the same defaults. (Of them `multi_rate` and `sample_feedback` are
//! missing: Eq. (6) needs the one reference of the flow, and every hop.)
//!
//! Takes parts as HPCC does.
//!
//! Shared by QPs: those of one path, as under HPCC. Where flows divide a limit, N counts the
//! senders of the receiver, not their flows.
//! Needs: INT on ACKs, first the record of the last hop; symmetric paths. One ACK may
//! acknowledge several packets. Ignores: ECN, CNP.
//! Readings: U averages over the busiest hop once per ACK (printed inside the loop, a misprint);
//! U begins at 1, as in HPCC's artifact; u_h is that of this ACK, not the average.

use incast_signals::int::IntSource;
use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hpcc::{BusiestHop, FairShare, Variant, hpcc_options};
use crate::{
    Ack, FlowContext, FlowController, HpccConfig, Needs, Parameters, Part, ProbabilisticConfig,
    SamplingFrequencyConfig, Serves, VariableAiConfig,
};

hpcc_options! {
    /// Parameters of FNCC; the table above says where the defaults come from.
    pub struct FnccConfig into HpccConfig {
        /// Scale the window with the rate.
        pub variable_window: bool = true,
        /// Go to the fair share at once when the last hop is congested.
        pub last_hop_speedup: bool = true,
        /// Whether ComputeWind goes on from the fair share, or the share is the rate.
        pub last_hop_form: LastHopForm = LastHopForm::default(),
        /// Utilisation α of the last hop above which it is congested.
        #[schemars(range(min = 0.0))]
        pub last_hop_threshold: f64 = 1.05,
        /// The part β of the fair share to go to.
        #[schemars(range(min = 0.01, max = 1.0))]
        pub last_hop_target: f64 = 0.9,
    }
}

/// Where the fair share of the last hop takes effect.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LastHopForm {
    /// In the reference, from which ComputeWind goes on (Algorithm 3).
    #[default]
    Printed,
    /// In the rate itself (the text).
    Direct,
}

impl FnccConfig {
    /// The sender that FNCC is built on.
    fn sender(&self) -> HpccConfig {
        HpccConfig {
            variable_window: self.variable_window,
            ..self.into()
        }
    }
}

impl Parameters for FnccConfig {
    const PARTS: &'static [Part] = Part::OF_FEEDBACK;

    fn needs(&self) -> Needs {
        Needs {
            int: IntSource::Acks,
            reschedules_pending: true,
            serves: Serves::OnePath("it compares the INT of successive ACKs hop by hop"),
            ..Needs::default()
        }
    }

    fn add(&mut self, part: Part) {
        part.add_to(&mut self.vai, &mut self.sf, &mut self.prob);
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        self.sender().build_variant(context, LastHop::new(self))
    }
}

/// Last-hop congestion speedup, Eq. (6). The first record of an ACK is that of the last hop.
#[derive(Clone, Debug)]
struct LastHop {
    enabled: bool,
    form: LastHopForm,
    /// α.
    threshold: f64,
    /// β.
    target: f64,
}

impl LastHop {
    fn new(config: &FnccConfig) -> Self {
        Self {
            enabled: config.last_hop_speedup,
            form: config.last_hop_form,
            threshold: config.last_hop_threshold,
            target: config.last_hop_target,
        }
    }
}

impl Variant for LastHop {
    #[inline(always)]
    fn fair_share(&self, busiest: &BusiestHop, ack: &Ack<'_>) -> Option<FairShare> {
        let congested = busiest.utilisation > self.threshold && busiest.index == 0;
        (self.enabled && congested).then(|| self.speedup(busiest, ack))
    }
}

impl LastHop {
    /// Eq. (6).
    fn speedup(&self, last_hop: &BusiestHop, ack: &Ack<'_>) -> FairShare {
        let flows = ack.receiver_flows.unwrap_or(1).max(1);
        let share = last_hop.link_bps * self.target / f64::from(flows);
        let share = Rate::from_bps(share as u64);
        match self.form {
            LastHopForm::Printed => FairShare::Reference(share),
            LastHopForm::Direct => FairShare::Rate(share),
        }
    }
}

#[cfg(test)]
mod tests;
