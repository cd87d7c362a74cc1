//! HPCC: keep the bytes in flight at every link just below its bandwidth-delay product.
//!
//! Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019; draft-miao-tsv-hpcc.
//! The rate form of the published artifact; with a window W = W₀·R/C it is the same controller
//! as the window form of the paper.
//!
//! ```text
//! u_i ← txRate_i / B_i + min(q_i, q_i') / (B_i·T)      (1)  per hop; q' from the ACK before
//! U   ← (1 − τ/T)·U + (τ/T)·max_i u_i                  (2)  τ: time between the two records
//! c   ← U / η
//! R   ← R_c / c + R_AI   if c ≥ 1 or stage ≥ maxStage   (3)  multiplicative, on every ACK
//! R   ← R_c + R_AI       otherwise                      (4)  additive
//! R_c ← R                once per round trip            (5)
//! ```
//!
//! | parameter             | symbol   | unit  | default | source                          |
//! |-----------------------|----------|-------|---------|---------------------------------|
//! | `target_utilisation`  | η        | 1     | 0.95    | HPCC §5.1; draft                |
//! | `max_stage`           | maxStage | 1     | 5       | HPCC §5.1; the artifact runs 0  |
//! | `additive_increase`   | R_AI     | bit/s | 50 Mb/s | Snyder & Lebeck, §III-D         |
//! | `min_rate`            | R_min    | bit/s | 100 Mb/s| artifact, example configuration |
//! | `initial_utilisation` | U(0)     | 1     | 1       | artifact                        |
//! | `fast_react`          | –        | –     | true    | react to every ACK, not per RTT |
//! | `multi_rate`          | –        | –     | false   | own U, R_c, stage for every hop |
//! | `sample_feedback`     | –        | –     | false   | between commits, skip empty hops|
//! | `variable_window`     | –        | –     | true    | W = W₀·R/C; else W = W₀         |
//!
//! `parameters = "artifact"` takes those of its `run.py` at 100 Gb/s instead: maxStage 0,
//! R_AI 40 Mb/s, R_min 1 Gb/s.
//!
//! Takes parts (Snyder & Lebeck, §V): with `vai` a token comes for every KB of the longest queue
//! on the path, and c ≥ 1 is congestion; with `sf` a decrease (c ≥ 1) is committed after so many
//! ACKs, and an increase when a round trip has passed since the last commit of either kind.
//!
//! Needs: INT on data, one ACK per packet. Ignores: ECN, CNP.
//! Deviations: none known from the artifact, which it meets to the nanosecond.

use incast_registry::NamedSet;
use incast_signals::int::{RecordReader, Records};
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::line::{Line, first_record, hops, longest_queue, ns, scaled};
use self::reference::{Law, Reference};
pub(crate) use self::variant::{Override, Plain, Variant};
use crate::parts::{NoParts, Parts, Policy};
use crate::{
    Ack, CongestionControl, FlowContext, IntCarrier, Needs, Pacing, Parameters, Part,
    ProbabilisticConfig, SamplingFrequencyConfig, SendLimit, VariableAiConfig,
};

mod line;
mod reference;
mod variant;

/// Parameters of HPCC; the table above says where the defaults come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HpccConfig {
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
    /// Keep utilisation, reference rate and stage for every hop; send at the lowest rate.
    pub multi_rate: bool,
    /// Between commits, ignore hops whose queue is empty.
    pub sample_feedback: bool,
    /// Scale the window with the rate.
    pub variable_window: bool,
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

impl Default for HpccConfig {
    fn default() -> Self {
        Self {
            target_utilisation: 0.95,
            max_stage: 5,
            additive_increase: Rate::from_mbps(50),
            min_rate: Rate::from_mbps(100),
            initial_utilisation: 1.0,
            fast_react: true,
            multi_rate: false,
            sample_feedback: false,
            variable_window: true,
            vai: None,
            sf: None,
            prob: None,
        }
    }
}

impl HpccConfig {
    /// The artifact as its `run.py` configures it for links of 100 Gb/s.
    fn artifact() -> Self {
        Self {
            max_stage: 0,
            additive_increase: Rate::from_mbps(40),
            min_rate: Rate::from_gbps(1),
            ..Self::default()
        }
    }
}

impl Parameters for HpccConfig {
    const PARTS: &'static [Part] = &Part::ALL;

    const SETS: &'static [NamedSet<Self>] = &[
        NamedSet {
            name: "fairness",
            summary: "as in studies of its fairness: 5 additive steps, 50 Mb/s (Snyder & Lebeck)",
            values: Self::default,
        },
        NamedSet {
            name: "artifact",
            summary: "as the published artifact runs it at 100 Gb/s: no additive steps, 40 Mb/s",
            values: Self::artifact,
        },
    ];

    fn needs(&self) -> Needs {
        Needs {
            int: Some(IntCarrier::Data),
            per_packet_ack: true,
            ..Needs::default()
        }
    }

    fn add(&mut self, part: Part) {
        part.add_to(&mut self.vai, &mut self.sf, &mut self.prob);
    }

    fn build(&self, context: &FlowContext) -> Box<dyn CongestionControl> {
        self.build_variant(context, Plain)
    }
}

impl HpccConfig {
    /// The controller of one flow under this variant.
    pub(crate) fn build_variant<V: Variant + 'static>(
        &self,
        context: &FlowContext,
        variant: V,
    ) -> Box<dyn CongestionControl> {
        let (vai, sf, prob) = (self.vai.as_ref(), self.sf.as_ref(), self.prob.as_ref());
        match Parts::new(vai, sf, prob, context) {
            None => Box::new(Hpcc::new(self, context, NoParts, variant)),
            Some(parts) => Box::new(Hpcc::new(self, context, parts, variant)),
        }
    }
}

/// One flow under HPCC, or a variant of it.
#[derive(Clone, Debug)]
struct Hpcc<P, V> {
    law: Law,
    line: Line,
    /// R, the rate now.
    rate: Rate,
    /// W, the window now.
    window: Bytes,
    /// U, R_c and stage of the flow.
    shared: Reference<P>,
    /// U, R_c and stage of each hop; empty unless `multi_rate`.
    per_hop: Vec<Reference<P>>,
    /// INT of the ACK before, L, packed.
    last: Vec<u64>,
    /// Whether the first ACK has come, and every other one moves the one U and the rate.
    plain: bool,
    /// Whether the last ACK set the rate, if only to the same value. In the artifact that is
    /// what re-times the pending packet and may wake the NIC's scan early; the first ACK of a
    /// flow, whose INT is only stored, does neither (`rdma-hw.cc`, `UpdateRateHp`).
    reacted: bool,
    variant: V,
}

impl<P: Policy, V: Variant> CongestionControl for Hpcc<P, V> {
    // Into `answer_ack`, which would otherwise be a call around this one.
    #[inline(always)]
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        self.reacted = false;
        match ack.telemetry.reader() {
            Records::Quantised(reader) if self.plain => {
                self.react_to_busiest::<_, false>(reader, ack);
            }
            Records::Quantised(reader) => self.react(reader, ack),
            Records::Exact(reader) => self.react(reader, ack),
        }
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: self.window,
            rate: self.rate,
            pacing: Pacing::Regular,
            retimes_pending: self.reacted,
        }
    }

    fn ignores_sending_and_time(&self) -> bool {
        true
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("utilisation", self.shared.utilisation);
        record("reference_rate_bps", self.shared.rate.as_bps() as f64);
        self.shared.parts.probe(record);
    }
}

impl<P: Policy, V: Variant> Hpcc<P, V> {
    /// A flow starts at line rate.
    fn new(config: &HpccConfig, context: &FlowContext, parts: P, variant: V) -> Self {
        Self {
            law: Law {
                config: config.clone(),
                line_rate: context.line_rate,
                base_window: context.base_window,
                base_rtt_ns: ns(context.base_rtt),
            },
            line: Line::new(context),
            rate: context.line_rate,
            window: context.base_window.max(Bytes::new(1)),
            shared: Reference::new(config, context, parts),
            per_hop: Vec::new(),
            last: Vec::new(),
            plain: false,
            reacted: false,
            variant,
        }
    }

    /// The first ACK: its INT is what the next one is compared with.
    fn begin(&mut self, ack: &Ack<'_>) {
        self.last = ack.telemetry.words().to_vec();
        self.shared.round.begin(ack);
        self.shared.parts.begin(ack);
        let config = &self.law.config;
        self.plain = config.fast_react && !config.multi_rate && !config.sample_feedback;
        if config.multi_rate {
            self.per_hop = vec![self.shared.clone(); ack.telemetry.hops()];
        }
    }

    /// In any form and with any records; apart from what most runs have, whose code is small then.
    #[inline(never)]
    fn react<R: RecordReader>(&mut self, reader: R, ack: &Ack<'_>) {
        if !self.shared.round.begun() {
            return self.begin(ack);
        }
        let config = &self.law.config;
        let round_over = self.shared.round.is_over(ack);
        if !P::COMPOSED && !round_over && !config.fast_react {
            return;
        }
        let skips_empty = config.sample_feedback && !round_over;
        if config.multi_rate {
            self.react_per_hop(reader, ack, round_over, skips_empty);
        } else if skips_empty {
            self.react_to_busiest::<_, true>(reader, ack);
        } else {
            self.react_to_busiest::<_, false>(reader, ack);
        }
    }

    /// One utilisation for the path: that of its busiest hop, or with `ONLY_QUEUES` of the busiest
    /// one where something waits.
    #[inline(always)]
    fn react_to_busiest<R: RecordReader, const ONLY_QUEUES: bool>(
        &mut self,
        reader: R,
        ack: &Ack<'_>,
    ) {
        let (line, new, last) = (&self.line, ack.telemetry.words(), &mut self.last);
        let longest = if P::COMPOSED {
            longest_queue(reader, new)
        } else {
            Bytes::ZERO
        };
        let first_before = V::SEES_FIRST_HOP.then(|| first_record::<R>(last)).flatten();
        let busiest = line.measure_path::<R, ONLY_QUEUES>(reader, new, last);
        if !busiest.measured {
            return;
        }
        let measured = (busiest.utilisation, busiest.span);
        let (law, shared) = (&self.law, &mut self.shared);
        let before = first_before.filter(|_| self.variant.concerns(busiest.utilisation));
        let before = before.filter(|before| {
            let (first, _) = line.measure(reader, &new[..R::WORDS], &before[..R::WORDS]);
            first >= busiest.utilisation
        });
        let overrides = before.map(|_| self.variant.overrides(reader.link_bps(new), ack));
        let new_rate = match overrides {
            None => shared.react(law, ack, measured, longest),
            Some(Override::Reference(rate)) => {
                shared.rate = law.bounded(rate);
                shared.react(law, ack, measured, longest)
            }
            Some(Override::Rate(rate)) => {
                Some(shared.follow(law, ack, measured, longest, law.bounded(rate)))
            }
        };
        if let Some(rate) = new_rate {
            self.change_rate(rate);
        }
    }

    /// Multi-rate form: every hop has its own reference; the lowest rate counts.
    fn react_per_hop<R: RecordReader>(
        &mut self,
        reader: R,
        ack: &Ack<'_>,
        round_over: bool,
        skips_empty: bool,
    ) {
        let mut lowest = self.law.line_rate;
        let mut changed = false;
        let hops = hops::<R>(ack.telemetry.words(), &mut self.last);
        for ((new, last), reference) in hops.zip(&mut self.per_hop) {
            let queue = reader.queue(new);
            if skips_empty && queue == 0 {
                lowest = lowest.min(reference.rate);
                continue;
            }
            let (utilisation, span) = self.line.measure(reader, new, last);
            last.copy_from_slice(new);
            let measured = (utilisation, reader.ns(span));
            match reference.react(&self.law, ack, measured, Bytes::new(queue)) {
                Some(rate) => {
                    changed = true;
                    lowest = lowest.min(rate);
                }
                // A hop whose news is ignored must not make the flow faster.
                None => lowest = lowest.min(self.rate),
            }
        }
        if round_over {
            self.shared.round.begin(ack);
        }
        if changed {
            self.change_rate(lowest);
        }
    }

    fn change_rate(&mut self, rate: Rate) {
        let law = &self.law;
        // Half of the ACKs leave the rate as it is, and so the window.
        if law.config.variable_window && rate != self.rate {
            let window = scaled(law.base_window, rate, law.line_rate);
            self.window = window.max(Bytes::new(1));
        }
        self.rate = rate;
        self.reacted = true;
    }
}

#[cfg(test)]
mod tests;
