//! HPCC's parameters, which the algorithms based on HPCC share.

use incast_registry::NamedSet;
use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Hpcc, Plain, Variant};
use crate::parts::{NoParts, Parts};
use crate::{
    FlowContext, FlowController, Needs, Parameters, Part, ProbabilisticConfig, RateWindow,
    SamplingFrequencyConfig, VariableAiConfig,
};

/// Writes a struct of parameters in the order of canonical scenarios: the parameters that HPCC
/// shares with its variants, then the struct's own, then the parts. The struct of a variant, `pub
/// struct … into HpccConfig`, can be converted to [`HpccConfig`].
///
/// (`#[serde(flatten)]` would need no macro, but does not work with `deny_unknown_fields`.)
macro_rules! hpcc_options {
    ($(#[$meta:meta])* pub struct $Config:ident $(into $Hpcc:ident)? { $($own:tt)* }) => {
        hpcc_options! {
            @fields
            [$(#[$meta])* $Config $($Hpcc)?]
            [
                /// Target utilisation η of the busiest link.
                #[schemars(range(min = 0.01, max = 1.0))]
                pub target_utilisation: f64 = 0.95,
                /// Additive steps in a row before a multiplicative step.
                pub max_stage: u32 = 5,
                /// Additive increase R_AI.
                pub additive_increase: Rate = Rate::from_mbps(50),
                /// Lowest rate of a flow.
                pub min_rate: Rate = Rate::from_mbps(100),
                /// First value of U.
                pub initial_utilisation: f64 = 1.0,
                /// Whether the rate changes on every ACK, from R_c; otherwise once per RTT.
                pub fast_react: bool = true,
            ]
            [$($own)*]
            [
                /// Variable AI, with `+vai` in the name. It measures the longest queue on the path.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub vai: Option<VariableAiConfig<Bytes>> = None,
                /// Sampling Frequency, with `+sf` in the name.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub sf: Option<SamplingFrequencyConfig> = None,
                /// Probabilistic feedback, with `+prob` in the name.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub prob: Option<ProbabilisticConfig> = None,
            ]
        }
    };
    (@fields [$(#[$meta:meta])* $Config:ident $($Hpcc:ident)?] $first:tt $own:tt $parts:tt) => {
        hpcc_options! { @struct [$(#[$meta])* $Config] $first $own $parts }
        $(hpcc_options! { @into $Config $Hpcc $first $parts })?
    };
    (
        @struct
        [$(#[$meta:meta])* $Config:ident]
        $([$($(#[$field_meta:meta])* pub $field:ident: $Type:ty = $default:expr,)*])*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $Config {
            $($($(#[$field_meta])* pub $field: $Type,)*)*
        }

        impl Default for $Config {
            fn default() -> Self {
                Self {
                    $($($field: $default,)*)*
                }
            }
        }
    };
    (
        @into $Config:ident $Hpcc:ident
        $([$($(#[$field_meta:meta])* pub $field:ident: $Type:ty = $default:expr,)*])*
    ) => {
        impl From<&$Config> for $Hpcc {
            fn from(config: &$Config) -> Self {
                Self {
                    $($($field: Clone::clone(&config.$field),)*)*
                    ..Self::default()
                }
            }
        }
    };
}

pub(crate) use hpcc_options;

hpcc_options! {
    /// Parameters of HPCC; the table in `hpcc.rs` has the sources of the defaults.
    pub struct HpccConfig {
        /// Whether every hop has its own utilisation, reference rate and stage. The flow sends at
        /// the lowest rate.
        pub multi_rate: bool = false,
        /// Whether hops with an empty queue are ignored between updates of the reference.
        pub sample_feedback: bool = false,
        /// The window that limits the flow besides the rate; `variable`: W₀·R/C.
        pub window: RateWindow = RateWindow::Variable,
    }
}

impl HpccConfig {
    /// The parameters of the artifact's `run.py` for links of 100 Gb/s.
    fn artifact() -> Self {
        Self {
            max_stage: 0,
            additive_increase: Rate::from_mbps(40),
            min_rate: Rate::from_gbps(1),
            ..Self::default()
        }
    }

    /// Builds the controller of one flow for this variant.
    pub(crate) fn build_variant<V: Variant + 'static>(
        &self,
        context: &FlowContext,
        variant: V,
    ) -> Box<dyn FlowController> {
        let (vai, sf, prob) = (self.vai.as_ref(), self.sf.as_ref(), self.prob.as_ref());
        match Parts::new(vai, sf, prob, context) {
            None => Box::new(Hpcc::new(self, context, NoParts, variant)),
            Some(parts) => Box::new(Hpcc::new(self, context, parts, variant)),
        }
    }
}

impl Parameters for HpccConfig {
    const PARTS: &'static [Part] = Part::OF_FEEDBACK;

    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "fairness",
            summary: "as in studies of its fairness: maxStage 5, R_AI 50 Mb/s (Snyder & Lebeck)",
            values: Self::default,
        },
        NamedSet {
            name: "artifact",
            summary: "as the published artifact runs it at 100 Gb/s: maxStage 0, R_AI 40 Mb/s",
            values: Self::artifact,
        },
    ];

    fn target_utilisation(&self) -> Option<f64> {
        Some(self.target_utilisation)
    }

    fn needs(&self) -> Needs {
        Needs::int_of_successive_acks()
    }

    fn add(&mut self, part: Part) {
        part.add_to(&mut self.vai, &mut self.sf, &mut self.prob);
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        self.build_variant(context, Plain)
    }
}
