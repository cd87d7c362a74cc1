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
//! rates, R_c ← B_h·β/N. In the printed form the law goes on from there, so that the window is
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
//! Needs: INT on ACKs, first the record of the last hop; paths that ACKs retrace. One ACK may
//! acknowledge several packets. Ignores: ECN, CNP.
//! Readings: U averages over the busiest hop once per ACK (printed inside the loop, a misprint);
//! U begins at 1, as in HPCC's artifact; u_h is that of this ACK, not the average.

use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hpcc::{Override, Variant};
use crate::{
    Ack, CongestionControl, FlowContext, HpccConfig, IntCarrier, Needs, Parameters, Part,
    ProbabilisticConfig, SamplingFrequencyConfig, VariableAiConfig,
};

/// Parameters of FNCC; the table above says where the defaults come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FnccConfig {
    /// Target utilisation η of the busiest link.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub target_utilisation: f64,
    /// Additive steps in a row before a multiplicative one.
    pub max_stage: u32,
    /// Additive increase R_AI.
    pub additive_increase: Rate,
    /// Lowest rate of a flow.
    pub min_rate: Rate,
    /// First value of U.
    pub initial_utilisation: f64,
    /// Change the rate on every ACK, from the reference rate.
    pub fast_react: bool,
    /// Scale the window with the rate.
    pub variable_window: bool,
    /// Go to the fair share at once when the last hop is congested.
    pub last_hop_speedup: bool,
    /// Whether the law goes on from the fair share, or the share is the rate.
    pub last_hop_form: LastHopForm,
    /// Utilisation α of the last hop above which it is congested.
    #[schemars(range(min = 0.0))]
    pub last_hop_threshold: f64,
    /// The part β of the fair share to go to.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub last_hop_target: f64,
    /// Variable AI, with `+vai` in the name; it measures the longest queue on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vai: Option<VariableAiConfig<Bytes>>,
    /// Sampling Frequency, with `+sf` in the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sf: Option<SamplingFrequencyConfig>,
    /// Probabilistic feedback, with `+prob` in the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prob: Option<ProbabilisticConfig>,
}

/// What follows from the fair share at the last hop.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LastHopForm {
    /// It is the reference, from which the law goes on (Algorithm 3).
    #[default]
    Printed,
    /// It is the rate (the text).
    Direct,
}

impl Default for FnccConfig {
    fn default() -> Self {
        let hpcc = HpccConfig::default();
        Self {
            target_utilisation: hpcc.target_utilisation,
            max_stage: hpcc.max_stage,
            additive_increase: hpcc.additive_increase,
            min_rate: hpcc.min_rate,
            initial_utilisation: hpcc.initial_utilisation,
            fast_react: hpcc.fast_react,
            variable_window: hpcc.variable_window,
            last_hop_speedup: true,
            last_hop_form: LastHopForm::default(),
            last_hop_threshold: 1.05,
            last_hop_target: 0.9,
            vai: None,
            sf: None,
            prob: None,
        }
    }
}

impl FnccConfig {
    /// The sender that FNCC is built on.
    fn sender(&self) -> HpccConfig {
        HpccConfig {
            target_utilisation: self.target_utilisation,
            max_stage: self.max_stage,
            additive_increase: self.additive_increase,
            min_rate: self.min_rate,
            initial_utilisation: self.initial_utilisation,
            fast_react: self.fast_react,
            multi_rate: false,
            sample_feedback: false,
            variable_window: self.variable_window,
            vai: self.vai.clone(),
            sf: self.sf.clone(),
            prob: self.prob.clone(),
        }
    }
}

impl Parameters for FnccConfig {
    const PARTS: &'static [Part] = &Part::ALL;

    fn needs(&self) -> Needs {
        Needs {
            int: Some(IntCarrier::Acks),
            ..Needs::default()
        }
    }

    fn add(&mut self, part: Part) {
        part.add_to(&mut self.vai, &mut self.sf, &mut self.prob);
    }

    fn build(&self, context: &FlowContext) -> Box<dyn CongestionControl> {
        self.sender().build_variant(context, LastHop::new(self))
    }
}

/// Last-hop congestion speedup, Eq. (6). The first record of an ACK is that of the last hop.
#[derive(Clone, Debug)]
struct LastHop {
    speedup: bool,
    form: LastHopForm,
    /// α.
    threshold: f64,
    /// β.
    target: f64,
}

impl LastHop {
    fn new(config: &FnccConfig) -> Self {
        Self {
            speedup: config.last_hop_speedup,
            form: config.last_hop_form,
            threshold: config.last_hop_threshold,
            target: config.last_hop_target,
        }
    }
}

impl Variant for LastHop {
    const SEES_FIRST_HOP: bool = true;

    #[inline]
    fn concerns(&self, busiest: f64) -> bool {
        self.speedup && busiest > self.threshold
    }

    fn overrides(&self, link_bps: f64, ack: &Ack<'_>) -> Override {
        let flows = ack.receiver_flows.unwrap_or(1).max(1);
        let share = link_bps * self.target / f64::from(flows);
        let share = Rate::from_bps(share as u64);
        match self.form {
            LastHopForm::Printed => Override::Reference(share),
            LastHopForm::Direct => Override::Rate(share),
        }
    }
}

#[cfg(test)]
mod tests;
