//! FNCC: HPCC with INT that ACKs collect on their way back, so that records are younger.
//!
//! Xu et al., "FNCC: Fast Notification Congestion Control in Data Center Networks".
//!
//! The sender is HPCC's (Algorithm 3; see `hpcc.rs` for Eqs. (1) to (5)) with two differences. The
//! average U has three variants (`averages.rs`: printed, single, per hop). Last-hop congestion
//! speedup (Algorithm 2) runs on every ACK before the window is computed:
//!
//! ```text
//! h ← argmax_i u_i
//! W_c ← B_h·T·β / N      if h is the last hop and u_h > α      (6)
//! ```
//!
//! N is the receiver's number of flows, which the ACK carries; B_h is the rate of hop h's link. In
//! rates, R_c ← B_h·β/N. In the printed form ComputeWind starts from this W_c, so the window is
//! W_c/(U/η) + W_AI. In the direct form the window is W_c, as the text describes ("adjusted to fair
//! rate × β").
//!
//! | parameter            | symbol | unit | default   | source, or meaning                        |
//! |----------------------|--------|------|-----------|-------------------------------------------|
//! | `average`            | U      | –    | `printed` | Algorithm 3, line 13; `single`, `per-hop` |
//! | `averaging_rtts`     | –      | T    | 1         | Algorithm 3: U averages over T            |
//! | `last_hop_speedup`   | –      | –    | true      | Algorithm 2                               |
//! | `last_hop_form`      | –      | –    | `printed` | Algorithm 3; `direct`: its text           |
//! | `last_hop_measure`   | u_h    | –    | `latest`  | Algorithm 2; `average`: U_h, or U         |
//! | `last_hop_threshold` | α      | 1    | 1.05      | Algorithm 2                               |
//! | `last_hop_target`    | β      | 1    | 0.9       | Algorithm 2                               |
//!
//! All other parameters are HPCC's, with the same defaults. (HPCC's `multi_rate` and
//! `sample_feedback` are missing: Eq. (6) needs a single reference for the flow, and every hop.)
//!
//! `parameters = "plus"`, or FNCC+, is a variant of this project: an average per hop, over T/2,
//! which last-hop speedup also uses. Only with an average per hop is U unbiased where several hops
//! are busy.
//!
//! Takes parts as HPCC does.
//!
//! Shared by QPs: those of one path, as under HPCC. Where flows divide a limit, N counts the
//! senders of the receiver, not their flows.
//! Needs: INT on ACKs, first the record of the last hop; symmetric paths. One ACK may acknowledge
//! several packets. Ignores: ECN, CNP.
//! Readings: U and every U_i begin at 1, as U does in HPCC's artifact. In u_h of Eq. (6) the
//! throughput is capped at the link's rate: a larger value is a rounding error of the 64-bit
//! record, which counts in units of 128 B.

use incast_registry::NamedSet;
use incast_signals::int::{HopRecords, IntSource, RecordReader};
use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hpcc::{BusiestHop, FairShare, FlowConstants, MeasuredHops, Variant, hpcc_options};
use crate::{
    Ack, FlowContext, FlowController, HpccConfig, Needs, Parameters, Part, ProbabilisticConfig,
    RateWindow, SamplingFrequencyConfig, Serves, VariableAiConfig,
};

use self::averages::Averages;
pub use self::averages::{LastHopMeasure, UtilisationAverage};

mod averages;

hpcc_options! {
    /// Parameters of FNCC; the module's table has the sources of the defaults.
    pub struct FnccConfig into HpccConfig {
        /// The window that limits the flow besides the rate; `variable`: W₀·R/C.
        pub window: RateWindow = RateWindow::Variable,
        /// How U averages over the hops of a path.
        pub average: UtilisationAverage = UtilisationAverage::default(),
        /// The time over which U averages, in base RTTs.
        #[schemars(range(min = 0.01, max = 100.0))]
        pub averaging_rtts: f64 = 1.0,
        /// Whether the rate goes to the fair share at once when the last hop is congested.
        pub last_hop_speedup: bool = true,
        /// Whether ComputeWind starts from the fair share, or the fair share is the rate.
        pub last_hop_form: LastHopForm = LastHopForm::default(),
        /// The utilisation of the last hop that is compared with the threshold.
        pub last_hop_measure: LastHopMeasure = LastHopMeasure::default(),
        /// Utilisation α of the last hop above which it is congested.
        #[schemars(range(min = 0.0))]
        pub last_hop_threshold: f64 = 1.05,
        /// The fraction β of the fair share that the rate goes to.
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
    /// In the rate itself, as the text describes.
    Direct,
}

impl FnccConfig {
    /// The parameters of the underlying HPCC sender.
    fn sender(&self) -> HpccConfig {
        HpccConfig {
            window: self.window,
            ..self.into()
        }
    }

    /// FNCC+.
    fn plus() -> Self {
        Self {
            average: UtilisationAverage::PerHop,
            averaging_rtts: 0.5,
            last_hop_measure: LastHopMeasure::Average,
            ..Self::default()
        }
    }
}

impl Parameters for FnccConfig {
    const PARTS: &'static [Part] = Part::OF_FEEDBACK;

    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "printed",
            summary: "as the paper's Algorithms 2 and 3 print it",
            values: Self::default,
        },
        NamedSet {
            name: "plus",
            summary: "FNCC+, ours: every hop has an average over T/2, which the last-hop speedup \
                      looks at, too",
            values: Self::plus,
        },
    ];

    fn target_utilisation(&self) -> Option<f64> {
        Some(self.target_utilisation)
    }

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
        let variant = FnccVariant {
            averages: Averages::new(self),
            last_hop: LastHop::new(self),
        };
        self.sender().build_variant(context, variant)
    }
}

/// The parts of FNCC that differ from HPCC.
#[derive(Clone, Debug)]
struct FnccVariant {
    averages: Averages,
    last_hop: LastHop,
}

impl Variant for FnccVariant {
    fn begin(&mut self, hops: usize, constants: &FlowConstants) {
        self.averages.begin(hops, constants);
    }

    /// All hops count: FNCC has no `sample_feedback`.
    #[inline(always)]
    fn measure<'a, R: RecordReader + 'a>(
        &mut self,
        reader: R,
        records: impl Iterator<Item = HopRecords<'a, R>>,
        _hops: MeasuredHops,
        constants: &FlowConstants,
        utilisation: &mut f64,
    ) -> Option<BusiestHop> {
        self.averages
            .measure(reader, records, constants, utilisation)
    }

    #[inline(always)]
    fn fair_share(&self, busiest: &BusiestHop, ack: &Ack<'_>) -> Option<FairShare> {
        self.last_hop.fair_share(busiest, ack)
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

impl LastHop {
    #[inline(always)]
    fn fair_share(&self, busiest: &BusiestHop, ack: &Ack<'_>) -> Option<FairShare> {
        let congested = busiest.utilisation > self.threshold && busiest.index == 0;
        (self.enabled && congested).then(|| self.speedup(busiest, ack))
    }

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
