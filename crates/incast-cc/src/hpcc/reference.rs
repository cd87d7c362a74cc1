//! The reference rate: Eqs. (2) to (5), and where the parts come in.

use incast_units::{Bytes, Rate};

use super::HpccConfig;
use super::line::scaled;
use crate::number::{float, rounded_down};
use crate::parts::{Measured, Policy};
use crate::round::Round;
use crate::{Ack, FlowContext};

/// What a commit moves: once for the flow, or once for every hop in multi-rate mode.
#[derive(Clone, Debug)]
pub(super) struct Reference<P> {
    /// Average utilisation U.
    pub(super) utilisation: f64,
    /// Reference rate R_c.
    pub(super) rate: Rate,
    /// Additive steps in a row.
    stage: u32,
    /// The round trip since the last commit; the first one begins with the first ACK.
    pub(super) round: Round,
    pub(super) parts: P,
}

/// What stays the same while a flow lives.
#[derive(Clone, Debug)]
pub(super) struct Law {
    pub(super) config: HpccConfig,
    /// C, the NIC's rate and the highest rate of the flow.
    pub(super) line_rate: Rate,
    /// W₀ = C·T.
    pub(super) base_window: Bytes,
    /// T.
    pub(super) base_rtt_ns: f64,
}

impl Law {
    /// A rate within the bounds of the flow; the lower bound gives way.
    #[inline]
    pub(super) fn bounded(&self, rate: Rate) -> Rate {
        rate.max(self.config.min_rate).min(self.line_rate)
    }
}

impl<P: Policy> Reference<P> {
    pub(super) fn new(config: &HpccConfig, context: &FlowContext, parts: P) -> Self {
        Self {
            utilisation: config.initial_utilisation,
            rate: context.line_rate,
            stage: 0,
            round: Round::default(),
            parts,
        }
    }

    /// Takes in what an ACK says: the utilisation of a hop, the time that it was measured over,
    /// and the longest queue. Returns the rate from here, if there is to be a new one.
    #[inline]
    pub(super) fn react(
        &mut self,
        law: &Law,
        ack: &Ack<'_>,
        (utilisation, span): (f64, f64),
        queue: Bytes,
    ) -> Option<Rate> {
        let config = &law.config;
        let c = self.take_in(law, ack, (utilisation, span), queue);
        let decrease = c >= 1.0;
        let commit = self.parts.commits(decrease, self.round.is_over(ack));
        if P::COMPOSED && !commit && !config.fast_react {
            return None;
        }
        if P::COMPOSED && commit && decrease && self.ignores(law) {
            if self.parts.ignores_for_a_round() {
                self.begin_round(ack);
            }
            return None;
        }
        let (rate, stage) = if decrease || self.stage >= config.max_stage {
            let rate = float(self.rate.as_bps()) / c;
            (Rate::from_bps(rounded_down(rate)), 0)
        } else {
            (self.rate, self.stage + 1)
        };
        let increase = match self.parts.tokens(commit) {
            None => config.additive_increase,
            Some(tokens) => times(config.additive_increase, tokens),
        };
        let rate = rate.saturating_add(increase);
        let rate = law.bounded(rate);
        if commit {
            self.rate = rate;
            self.stage = stage;
            self.begin_round(ack);
        }
        Some(rate)
    }

    /// The same, but the rate is given: the law only keeps track, and a commit takes it over.
    pub(super) fn follow(
        &mut self,
        law: &Law,
        ack: &Ack<'_>,
        measured: (f64, f64),
        queue: Bytes,
        rate: Rate,
    ) -> Rate {
        let decrease = self.take_in(law, ack, measured, queue) >= 1.0;
        self.rate = rate;
        if self.parts.commits(decrease, self.round.is_over(ack)) {
            self.stage = 0;
            self.begin_round(ack);
        }
        rate
    }

    /// Eq. (2), and what parts see of it. Returns c.
    #[inline]
    fn take_in(
        &mut self,
        law: &Law,
        ack: &Ack<'_>,
        (utilisation, span): (f64, f64),
        queue: Bytes,
    ) -> f64 {
        let base_rtt = law.base_rtt_ns;
        // Neither is NaN, which `min` would have to look for.
        let span = if span < base_rtt { span } else { base_rtt };
        self.utilisation = (self.utilisation * (base_rtt - span) + utilisation * span) / base_rtt;
        let c = self.utilisation / law.config.target_utilisation;
        if P::COMPOSED {
            let measured = Measured {
                amount: queue.as_u64() as f64,
                usual: 0.0,
                congested: c >= 1.0,
            };
            self.parts.observe(ack, measured);
        }
        c
    }

    fn begin_round(&mut self, ack: &Ack<'_>) {
        self.parts.committed();
        self.round.begin(ack);
    }

    /// Whether probabilistic feedback lets the reference rate be.
    fn ignores(&mut self, law: &Law) -> bool {
        let window = scaled(law.base_window, self.rate, law.line_rate);
        let (window, largest) = (window.as_u64() as f64, law.base_window.as_u64() as f64);
        self.parts.ignores(window, largest)
    }
}

fn times(rate: Rate, factor: f64) -> Rate {
    Rate::from_bps((rate.as_bps() as f64 * factor) as u64)
}
