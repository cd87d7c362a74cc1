//! Parts that can be added to algorithms. Each part is written once: `hpcc+vai+sf` is HPCC with two
//! parts.
//!
//! | part   | decides                                         | file                    |
//! |--------|-------------------------------------------------|-------------------------|
//! | `vai`  | how much is added to a rate                     | `variable_ai.rs`        |
//! | `sf`   | when a rate becomes the reference for later ones| `sampling_frequency.rs` |
//! | `prob` | whether a decrease is followed                  | `probabilistic.rs`      |
//! | `1rc`  | how a flow starts                               | `one_rtt.rs`            |
//! | `weights` | the weight of one of a host's flows          | `weights.rs`            |
//! | `credits` | how much may leave, besides a window         | `credits.rs`            |
//!
//! An algorithm is generic over a [`Policy`] and asks it these questions, independently of the
//! parts behind it. Without parts the answers are constants and cost no time.
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
    /// A part, under its name after `+` in scenarios.
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
    /// Adds this part, with its defaults, to an algorithm that takes these parts.
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

    /// Adds a part that decides how a flow starts, or its weight.
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

    /// The parts of algorithms that adapt a rate to feedback.
    pub(crate) const OF_FEEDBACK: &'static [Self] = &[
        Self::VariableAi,
        Self::SamplingFrequency,
        Self::Probabilistic,
    ];
}

/// The congestion that an ACK reports, in the algorithm's own unit.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct MeasuredCongestion {
    /// Bytes of queue, or picoseconds of delay.
    pub(crate) amount: f64,
    /// Value without congestion; Variable AI adds it to its threshold.
    pub(crate) baseline: f64,
    /// Whether the algorithm would decrease.
    pub(crate) congested: bool,
}

/// The rate change that an ACK calls for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct RateChange {
    /// Whether there is congestion, so that the rate was multiplied by less than 1.
    pub(crate) congested: bool,
    /// Whether the new rate, with its additive increase, is below the reference.
    pub(crate) lower: bool,
}

/// The questions that an algorithm asks its parts. The default answers are those without parts.
///
/// Windows are those of the reference rate, in bytes.
pub(crate) trait Policy: Clone + Send {
    /// Whether there are parts.
    const HAS_PARTS: bool = false;

    /// Handles the first ACK of the flow.
    #[inline]
    fn begin(&mut self, _ack: &Ack<'_>) {}

    /// Handles an ACK, before any question about it.
    #[inline]
    fn observe(&mut self, _ack: &Ack<'_>, _measured: MeasuredCongestion) {}

    /// Whether decreases are spaced by ACKs instead of RTTs.
    #[inline]
    fn counts_acks(&self) -> bool {
        false
    }

    /// Whether a change is a decrease.
    #[inline]
    fn is_decrease(&self, change: RateChange) -> bool {
        change.congested
    }

    /// Whether the rate after this ACK becomes the reference.
    #[inline]
    fn updates_reference(&self, _decrease: bool, epoch_over: bool) -> bool {
        epoch_over
    }

    /// Whether a decrease of the reference is ignored. `window` is at most `largest`.
    #[inline]
    fn ignores(&mut self, _window: f64, _largest: f64) -> bool {
        false
    }

    /// Whether an ignored decrease ends the RTT epoch, so that the next decision comes in the next
    /// epoch.
    #[inline]
    fn ignores_for_an_epoch(&self) -> bool {
        false
    }

    /// Factor of the additive increase; `None`: 1.
    #[inline]
    fn tokens(&self) -> Option<f64> {
        None
    }

    /// Tells the parts that the reference was updated with the current tokens.
    #[inline]
    fn spend_tokens(&mut self) {}

    /// Tells the parts that the reference was updated, by a decrease or not, or that a decrease is
    /// ignored for an epoch.
    #[inline]
    fn restart_count(&mut self, _decrease: bool) {}

    /// Passes names and values for plots to `record`.
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
