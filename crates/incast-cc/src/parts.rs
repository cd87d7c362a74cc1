//! Parts that algorithms take beside what they are: each is written once, and `hpcc+vai+sf` is
//! HPCC with two of them.
//!
//! | part   | what it decides                                 | file                    |
//! |--------|-------------------------------------------------|-------------------------|
//! | `vai`  | how much is added to a rate                     | `variable_ai.rs`        |
//! | `sf`   | when a rate becomes the reference for later ones| `sampling_frequency.rs` |
//! | `prob` | whether a decrease is followed                  | `probabilistic.rs`      |
//! | `1rc`  | how a flow starts                               | `one_rtt.rs`            |
//! | `weights` | how much a flow of several counts            | `weights.rs`            |
//! | `credits` | what may leave, beside a window              | `credits.rs`            |
//!
//! An algorithm is generic over a [`Policy`], asks it these questions, and does not know which
//! parts answer. Without parts the answers are constants, so that plain algorithms do not pay.
//!
//! Snyder & Lebeck, "Fast Convergence to Fairness for Reduced Long Flow Tail Latency in Datacenter
//! Networks".

mod credits;
mod one_rtt;
mod probabilistic;
mod sampling_frequency;
mod variable_ai;
mod weights;

pub(crate) use credits::{CreditLimited, Credits};
pub use one_rtt::OneRttConfig;
pub use probabilistic::{Draws, ProbabilisticConfig};
pub use sampling_frequency::{CountRestart, CountedDecrease, SamplingFrequencyConfig};
pub use variable_ai::{Congestion, VariableAiConfig};
pub use weights::WeightsConfig;

use incast_registry::registry;

use self::probabilistic::Probabilistic;
use self::sampling_frequency::SamplingFrequency;
use self::variable_ai::VariableAi;
use crate::{Ack, FlowContext};

registry! {
    /// A part, under the name that scenarios add with `+`.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Part as "part" {
        "vai" => VariableAi,
            "Variable AI: add more to the rate after congestion that newcomers bring \
             (Snyder & Lebeck)";
        "sf" => SamplingFrequency,
            "Sampling Frequency: decrease once in so many ACKs, not per RTT (Snyder & Lebeck)";
        "prob" => Probabilistic,
            "Probabilistic feedback: slow flows ignore some decreases (Snyder & Lebeck)";
        "1rc" => OneRtt,
            "One-RTT Convergence: start at line rate; switches drop what is too much";
        "weights" => Weights,
            "Weights: the flows of a host share what one flow would get";
        "credits" => Credits,
            "Credits: senders send no more than receivers grant (RCCC of Ultra Ethernet)";
    }
}

impl Part {
    /// Gives the algorithm that has these parameters this part, with the defaults.
    pub(crate) fn add_to<Q: Congestion>(
        self,
        vai: &mut Option<VariableAiConfig<Q>>,
        sf: &mut Option<SamplingFrequencyConfig>,
        prob: &mut Option<ProbabilisticConfig>,
    ) {
        match self {
            Self::VariableAi => *vai = Some(VariableAiConfig::default()),
            Self::SamplingFrequency => *sf = Some(SamplingFrequencyConfig::default()),
            Self::Probabilistic => *prob = Some(ProbabilisticConfig::default()),
            Self::OneRtt | Self::Weights | Self::Credits => {
                unreachable!("other parts are added where they belong")
            }
        }
    }

    /// Adds a part that decides how a flow starts, and with which weight.
    pub(crate) fn add_to_start(
        self,
        one_rtt: &mut Option<OneRttConfig>,
        weights: &mut Option<WeightsConfig>,
    ) {
        match self {
            Self::OneRtt => *one_rtt = Some(OneRttConfig::default()),
            Self::Weights => *weights = Some(WeightsConfig::default()),
            _ => unreachable!("parts of a rate are added there"),
        }
    }

    /// The parts of algorithms that steer a rate by feedback.
    pub(crate) const OF_FEEDBACK: &'static [Self] = &[
        Self::VariableAi,
        Self::SamplingFrequency,
        Self::Probabilistic,
    ];
}

/// The congestion that an ACK reports, in the algorithm's own measure.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct MeasuredCongestion {
    /// Bytes of queue, or picoseconds of delay.
    pub(crate) amount: f64,
    /// Value without congestion, which Variable AI adds to its threshold.
    pub(crate) baseline: f64,
    /// Whether the algorithm would decrease.
    pub(crate) congested: bool,
}

/// The rate that an ACK asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct RateChange {
    /// Whether there is congestion, so that the rate has been multiplied by less than 1.
    pub(crate) congested: bool,
    /// Whether the new rate is below the reference, with its additive increase.
    pub(crate) lower: bool,
}

/// The questions that an algorithm asks its parts, with the answers of an algorithm without any.
///
/// Windows are those of the reference rate, in bytes.
pub(crate) trait Policy: Clone + Send {
    /// Whether there are parts.
    const HAS_PARTS: bool = false;

    /// The first ACK of the flow.
    #[inline]
    fn begin(&mut self, _ack: &Ack<'_>) {}

    /// An ACK, before any question about it.
    #[inline]
    fn observe(&mut self, _ack: &Ack<'_>, _measured: MeasuredCongestion) {}

    /// Whether decreases are counted in ACKs, not in RTTs.
    #[inline]
    fn counts_acks(&self) -> bool {
        false
    }

    /// Whether a change is a decrease.
    #[inline]
    fn is_decrease(&self, change: RateChange) -> bool {
        change.congested
    }

    /// Whether this ACK updates the reference: its rate becomes that.
    #[inline]
    fn updates_reference(&self, _decrease: bool, epoch_over: bool) -> bool {
        epoch_over
    }

    /// Whether a decrease of the reference is ignored, at this window of at most `largest`.
    #[inline]
    fn ignores(&mut self, _window: f64, _largest: f64) -> bool {
        false
    }

    /// Whether an ignored decrease ends the RTT epoch, so that decreases are ignored until the
    /// next one.
    #[inline]
    fn ignores_for_an_epoch(&self) -> bool {
        false
    }

    /// Multiple of the additive increase to add; 1 if `None`.
    #[inline]
    fn tokens(&self) -> Option<f64> {
        None
    }

    /// The reference has been updated with these tokens.
    #[inline]
    fn spend_tokens(&mut self) {}

    /// The reference has been updated, by a decrease or not, or a decrease of it is ignored for an
    /// epoch.
    #[inline]
    fn restart_count(&mut self, _decrease: bool) {}

    /// Names and values worth plotting.
    fn probe(&self, _record: &mut dyn FnMut(&'static str, f64)) {}
}

/// The algorithm without parts.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct NoParts;

impl Policy for NoParts {}

/// At least one part.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    vai: Option<VariableAi>,
    sf: Option<SamplingFrequency>,
    prob: Option<Probabilistic>,
}

impl Parts {
    /// The parts of one flow; `None` if there are none.
    pub(crate) fn new<Q: Congestion>(
        vai: Option<&VariableAiConfig<Q>>,
        sf: Option<&SamplingFrequencyConfig>,
        prob: Option<&ProbabilisticConfig>,
        context: &FlowContext,
    ) -> Option<Self> {
        let any = vai.is_some() || sf.is_some() || prob.is_some();
        any.then(|| Self {
            vai: vai.map(VariableAi::new),
            sf: sf.map(SamplingFrequency::new),
            prob: prob.map(|prob| Probabilistic::new(prob, context.seed)),
        })
    }
}

impl Policy for Parts {
    const HAS_PARTS: bool = true;

    fn begin(&mut self, ack: &Ack<'_>) {
        if let Some(vai) = &mut self.vai {
            vai.begin(ack);
        }
    }

    fn observe(&mut self, ack: &Ack<'_>, measured: MeasuredCongestion) {
        if let Some(vai) = &mut self.vai {
            vai.observe(ack, measured);
        }
        if let Some(sf) = &mut self.sf {
            sf.count();
        }
    }

    fn counts_acks(&self) -> bool {
        self.sf.is_some()
    }

    fn is_decrease(&self, change: RateChange) -> bool {
        self.sf
            .as_ref()
            .map_or(change.congested, |sf| sf.is_decrease(change))
    }

    fn updates_reference(&self, decrease: bool, epoch_over: bool) -> bool {
        match &self.sf {
            Some(sf) if decrease => sf.is_due(),
            _ => epoch_over,
        }
    }

    fn ignores(&mut self, window: f64, largest: f64) -> bool {
        self.prob
            .as_mut()
            .is_some_and(|prob| prob.ignores(window, largest))
    }

    fn ignores_for_an_epoch(&self) -> bool {
        self.prob
            .as_ref()
            .is_some_and(Probabilistic::ignores_for_an_epoch)
    }

    fn tokens(&self) -> Option<f64> {
        self.vai.as_ref().map(VariableAi::tokens)
    }

    fn spend_tokens(&mut self) {
        if let Some(vai) = &mut self.vai {
            vai.spend_tokens();
        }
    }

    fn restart_count(&mut self, decrease: bool) {
        if let Some(sf) = &mut self.sf {
            sf.restart(decrease);
        }
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        if let Some(vai) = &self.vai {
            vai.probe(record);
        }
    }
}
