//! HPCC: keep the bytes in flight at every link just below its bandwidth-delay product.
//!
//! Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019; draft-miao-tsv-hpcc. This is
//! the rate form of the published artifact. With a window W = W₀·R/C the rate form is the same
//! controller as the paper's window form.
//!
//! ```text
//! MeasureInflight (Algorithm 1, lines 1 to 10), for each hop i:
//!   u_i ← txRate_i / B_i + min(q_i, q_i') / (B_i·T)         (1)
//!   U   ← (1 − τ/T)·U + (τ/T)·u_j                           (2)
//! ComputeWind (lines 11 to 20), in rates, on every ACK, with c = U/η:
//!   R   ← R_c / c + R_AI   if c ≥ 1 or incStage ≥ maxStage  (3)  multiplicative
//!   R   ← R_c + R_AI       otherwise                        (4)  additive
//! if updateWc (lines 15, 19, 24), once per RTT, when ack.seq > lastUpdateSeq:
//!   R_c ← R, incStage ← 0 or incStage + 1, lastUpdateSeq ← snd_nxt   (5)
//! ```
//!
//! Primed values are those of the previous ACK; j = argmax u_i; τ = min(ts_j − ts_j', T).
//!
//! | parameter             | symbol   | unit  | default  | source, or meaning                 |
//! |-----------------------|----------|-------|----------|------------------------------------|
//! | `target_utilisation`  | η        | 1     | 0.95     | HPCC §5.1; draft                   |
//! | `max_stage`           | maxStage | 1     | 5        | HPCC §5.1; the artifact runs 0     |
//! | `additive_increase`   | R_AI     | bit/s | 50 Mb/s  | Snyder & Lebeck, §III-D            |
//! | `min_rate`            | R_min    | bit/s | 100 Mb/s | artifact, example configuration    |
//! | `initial_utilisation` | U(0)     | 1     | 1        | artifact                           |
//! | `fast_react`          | –        | –     | true     | react to every ACK; else each RTT  |
//! | `multi_rate`          | –        | –     | false    | Algorithm 1's state for each hop   |
//! | `sample_feedback`     | –        | –     | false    | between updates, skip empty queues |
//! | `window`              | –        | –     | variable | W = W₀·R/C; `fixed`: W = W₀;       |
//! |                       |          |       |          | `none`: R alone limits the flow    |
//!
//! `parameters = "artifact"` takes the values of the artifact's `run.py` at 100 Gb/s: maxStage 0
//! (every step multiplicative), R_AI 40 Mb/s, R_min 1 Gb/s.
//!
//! Takes parts (Snyder & Lebeck, §V): with `vai`, an RTT whose longest queue exceeds 50 KB makes a
//! token per KB. The queue is the longest on the path, or with `multi_rate` that of the hop. An ACK
//! with c ≥ 1 counts as congested. With `sf` a decrease becomes the reference after SF ACKs
//! (`sampling_frequency.rs` says what counts as a decrease), an increase when an RTT has passed
//! since the last reference update. With `prob` a reference update under congestion is ignored at
//! random. With any part every ACK updates U, also under `fast_react = false`.
//!
//! QPs may share a state only on one path, as INT is compared hop by hop. While no flow is active,
//! R, W, U and the last INT stay. The next first ACK measures the time since then (modulo 16.8 ms
//! if quantised), and has the weight of one T. Sequence numbers are sums over the QPs.
//! Needs: INT on data, one ACK per packet. Ignores: ECN, CNP.
//! Deviations from the paper: lastUpdateSeq never decreases. After go-back-N snd_nxt may be lower
//! than before. By line 24 an RTT would then end before its bytes were acknowledged. R is at least
//! R_min, as in the artifact; Algorithm 1 has no lower bound. The artifact's traces are reproduced
//! to the nanosecond.

use incast_signals::int::{HopRecords, RecordReader, Records};
use incast_units::{Bytes, Rate, Time};

use crate::number::{float, rounded_down};
use crate::parts::{MeasuredCongestion, Policy, RateChange};
use crate::{Ack, CongestionControl, FlowContext, RateWindow, SendLimit};

pub use self::options::HpccConfig;
pub(crate) use self::options::hpcc_options;
pub(crate) use self::variant::{BusiestHop, FairShare, Plain, Variant};

mod artifact_options;
mod options;
mod variant;

/// One flow under HPCC or one of its variants.
#[derive(Clone, Debug)]
struct Hpcc<P, V> {
    constants: FlowConstants,
    /// R.
    rate: Rate,
    /// W.
    window: Bytes,
    /// U, R_c, incStage and lastUpdateSeq.
    reference: Reference<P>,
    /// References of all hops; empty unless `multi_rate`.
    per_hop: Vec<Reference<P>>,
    /// L, the packed INT of the previous ACK.
    last_int: Vec<u64>,
    handling: AckHandling,
    variant: V,
}

/// How NewAck handles the next ACK.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum AckHandling {
    /// As the first ACK: its INT is stored.
    First,
    /// By Algorithm 1 as the paper prints it, on every ACK.
    EveryAck,
    /// By Algorithm 1 with the artifact's options.
    ArtifactOptions,
}

/// The constants of a flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowConstants {
    pub(crate) config: HpccConfig,
    /// C, the NIC's rate and the highest rate of the flow.
    line_rate: Rate,
    /// W₀ = C·T.
    base_window: Bytes,
    /// T in ns, as a float like in the artifact, so that sums round alike.
    pub(crate) base_rtt_ns: f64,
    /// C in bit/s, W₀ in bytes.
    line_bps: f64,
    base_window_bytes: f64,
}

/// U, R_c, incStage, lastUpdateSeq of Algorithm 1.
#[derive(Clone, Debug)]
struct Reference<P> {
    /// U, the average utilisation.
    utilisation: f64,
    /// R_c.
    rate: Rate,
    /// incStage, the number of successive additive steps.
    inc_stage: u32,
    /// lastUpdateSeq: an RTT has passed when an ACK goes beyond this sequence number; 0 before the
    /// first ACK.
    last_update_seq: u64,
    parts: P,
}

/// The hops that MeasureInflight considers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum MeasuredHops {
    All,
    /// Only hops with a queue (`sample_feedback`).
    WithQueue,
}

impl<P: Policy, V: Variant> CongestionControl for Hpcc<P, V> {
    #[inline(always)]
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        match ack.telemetry.reader() {
            Records::Quantised(reader) => self.new_ack(reader, ack),
            Records::Exact(reader) => self.new_ack(reader, ack),
        }
    }

    fn limit(&self) -> SendLimit {
        SendLimit {
            window: self.window,
            ..SendLimit::paced(self.rate)
        }
    }

    /// In place of the paper's pathID: the records of the next ACK are stored, like those of the
    /// first ACK.
    fn on_path_change(&mut self) {
        if self.constants.config.multi_rate {
            self.reference.rate = self.rate;
        }
        self.handling = AckHandling::First;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("utilisation", self.reference.utilisation);
        record("reference_rate_bps", self.reference.rate.as_bps() as f64);
        self.reference.parts.probe(record);
    }
}

impl<P: Policy, V: Variant> Hpcc<P, V> {
    /// A controller that starts at line rate.
    fn new(config: &HpccConfig, context: &FlowContext, parts: P, variant: V) -> Self {
        Self {
            constants: FlowConstants::new(config, context),
            rate: context.line_rate,
            window: match config.window {
                RateWindow::None => Bytes::MAX,
                RateWindow::Fixed | RateWindow::Variable => context.base_window.max(Bytes::new(1)),
            },
            reference: Reference {
                utilisation: config.initial_utilisation,
                rate: context.line_rate,
                inc_stage: 0,
                last_update_seq: 0,
                parts,
            },
            per_hop: Vec::new(),
            last_int: Vec::new(),
            handling: AckHandling::First,
            variant,
        }
    }

    /// NewAck, lines 21 to 27.
    #[inline(always)]
    fn new_ack<R: RecordReader>(&mut self, reader: R, ack: &Ack<'_>) {
        match self.handling {
            AckHandling::EveryAck => self.react(reader, ack, MeasuredHops::All),
            AckHandling::First => self.first_ack(ack),
            AckHandling::ArtifactOptions => self.new_ack_with_options(reader, ack),
        }
    }

    /// Stores the INT of the first ACK, for comparison with that of the second.
    #[inline(never)]
    fn first_ack(&mut self, ack: &Ack<'_>) {
        self.last_int = ack.telemetry.words().to_vec();
        let reference = &mut self.reference;
        reference.last_update_seq = reference.last_update_seq.max(ack.next_to_send);
        reference.parts.begin(ack);
        self.variant.begin(ack.telemetry.hops(), &self.constants);
        let config = &self.constants.config;
        if config.multi_rate {
            self.per_hop = vec![self.reference.clone(); ack.telemetry.hops()];
        }
        self.handling = match config.fast_react && !config.sample_feedback && !config.multi_rate {
            true => AckHandling::EveryAck,
            false => AckHandling::ArtifactOptions,
        };
    }

    /// ComputeWind(MeasureInflight(ack)), lines 23 and 26.
    #[inline(always)]
    fn react<R: RecordReader>(&mut self, reader: R, ack: &Ack<'_>, hops: MeasuredHops) {
        let queue = longest_queue::<P, R>(reader, ack);
        if let Some(busiest) = self.measure_inflight(reader, ack, hops)
            && let Some(rate) = self.rate_after_ack(ack, &busiest, queue)
        {
            self.set_rate(rate);
        }
    }

    /// MeasureInflight, lines 1 to 10; `None` if no hop is measured.
    #[inline(always)]
    fn measure_inflight<R: RecordReader>(
        &mut self,
        reader: R,
        ack: &Ack<'_>,
        hops: MeasuredHops,
    ) -> Option<BusiestHop> {
        let records = HopRecords::of(reader, ack.telemetry.words(), &mut self.last_int);
        let utilisation = &mut self.reference.utilisation;
        self.variant
            .measure(reader, records, hops, &self.constants, utilisation)
    }

    /// ComputeWind, after the variant's fair share, if any. Returns `None` if the rate stays.
    #[inline(always)]
    fn rate_after_ack(
        &mut self,
        ack: &Ack<'_>,
        busiest: &BusiestHop,
        queue: Bytes,
    ) -> Option<Rate> {
        let (constants, reference) = (&self.constants, &mut self.reference);
        match self.variant.fair_share(busiest, ack) {
            None => {}
            Some(FairShare::Reference(share)) => reference.rate = constants.bounded(share),
            Some(FairShare::Rate(share)) => {
                return Some(reference.adopt(constants, ack, queue, constants.bounded(share)));
            }
        }
        reference.compute_rate(constants, ack, queue)
    }

    /// Sets R, and W = W₀·R/C.
    fn set_rate(&mut self, rate: Rate) {
        let constants = &self.constants;
        // In most calls the rate does not change.
        if constants.config.window == RateWindow::Variable && rate != self.rate {
            self.window = constants.window_at(rate).max(Bytes::new(1));
        }
        self.rate = rate;
    }
}

impl FlowConstants {
    fn new(config: &HpccConfig, context: &FlowContext) -> Self {
        Self {
            config: config.clone(),
            line_rate: context.line_rate,
            base_window: context.base_window,
            base_rtt_ns: float(context.base_rtt.as_ps()) / 1_000.0,
            line_bps: float(context.line_rate.as_bps()),
            base_window_bytes: float(context.base_window.as_u64()),
        }
    }

    /// u of a hop by Eq. (1).
    #[inline(always)]
    fn utilisation<R: RecordReader>(&self, hop: &HopRecords<'_, R>) -> f64 {
        let throughput = hop.sent_bps() / hop.link_bps();
        // Most queues are empty.
        match hop.has_empty_queue() {
            true => throughput,
            false => throughput + self.queue_share(hop),
        }
    }

    /// The queue's part of u. As in the artifact, B·T = W₀·B/C.
    #[inline(always)]
    pub(crate) fn queue_share<R: RecordReader>(&self, hop: &HopRecords<'_, R>) -> f64 {
        let queue = float(hop.shorter_queue());
        queue * self.line_bps / hop.link_bps() / self.base_window_bytes
    }

    /// `rate` clamped to [R_min, C]; if R_min > C, C applies.
    #[inline]
    fn bounded(&self, rate: Rate) -> Rate {
        rate.max(self.config.min_rate).min(self.line_rate)
    }

    /// W₀·R/C, rounded down.
    fn window_at(&self, rate: Rate) -> Bytes {
        let (window, rate) = (self.base_window.as_u64(), rate.as_bps());
        let line_rate = self.line_rate.as_bps();
        Bytes::new(match window.checked_mul(rate) {
            Some(product) => product / line_rate,
            None => (u128::from(window) * u128::from(rate) / u128::from(line_rate)) as u64,
        })
    }
}

impl<P: Policy> Reference<P> {
    /// Whether an RTT has passed since the last reference update, line 22.
    #[inline]
    fn rtt_passed(&self, ack: &Ack<'_>) -> bool {
        ack.next_expected > self.last_update_seq
    }

    /// ComputeWind, lines 11 to 20; `None` if the rate stays. `queue`: the longest queue on the
    /// path, or with `multi_rate` the queue of the hop.
    #[inline]
    fn compute_rate(
        &mut self,
        constants: &FlowConstants,
        ack: &Ack<'_>,
        queue: Bytes,
    ) -> Option<Rate> {
        let config = &constants.config;
        let overload = self.observe_overload(constants, ack, queue);
        let congested = overload >= 1.0;
        let (rate, inc_stage) = if congested || self.inc_stage >= config.max_stage {
            let rate = float(self.rate.as_bps()) / overload; // (3)
            (Rate::from_bps(rounded_down(rate)), 0)
        } else {
            (self.rate, self.inc_stage + 1) // (4)
        };
        let increase = match self.parts.tokens() {
            None => config.additive_increase,
            Some(tokens) => times(config.additive_increase, tokens),
        };
        let rate = constants.bounded(rate.saturating_add(increase));
        let decrease = self.is_decrease(rate, congested);
        let update = self.parts.updates_reference(decrease, self.rtt_passed(ack));
        if P::HAS_PARTS && self.is_ignored(constants, ack, congested, update) {
            return None;
        }
        if update {
            self.parts.spend_tokens();
            self.update(ack, rate, inc_stage, decrease);
        }
        Some(rate)
    }

    /// Whether the parts count a change to this rate as a decrease of the reference.
    #[inline]
    fn is_decrease(&self, rate: Rate, congested: bool) -> bool {
        self.parts.is_decrease(RateChange {
            congested,
            lower: rate < self.rate,
        })
    }

    /// Returns c = U/η, and passes it to the parts.
    #[inline]
    fn observe_overload(&mut self, constants: &FlowConstants, ack: &Ack<'_>, queue: Bytes) -> f64 {
        let overload = self.utilisation / constants.config.target_utilisation;
        if P::HAS_PARTS {
            let measured = MeasuredCongestion {
                amount: queue.as_u64() as f64,
                baseline: 0.0,
                congested: overload >= 1.0,
            };
            self.parts.observe(ack, measured);
        }
        overload
    }

    /// updateWc = true: Eq. (5).
    #[inline]
    fn update(&mut self, ack: &Ack<'_>, rate: Rate, inc_stage: u32, decrease: bool) {
        self.rate = rate;
        self.inc_stage = inc_stage;
        self.begin_rtt(ack, decrease);
    }

    /// Line 24, except that lastUpdateSeq never decreases: after go-back-N snd_nxt may be lower.
    #[inline]
    fn begin_rtt(&mut self, ack: &Ack<'_>, decrease: bool) {
        self.parts.restart_count(decrease);
        self.last_update_seq = self.last_update_seq.max(ack.next_to_send);
    }

    /// Whether the rate stays: between updates without `fast_react`, or if probabilistic feedback
    /// ignores congestion.
    fn is_ignored(
        &mut self,
        constants: &FlowConstants,
        ack: &Ack<'_>,
        congested: bool,
        update: bool,
    ) -> bool {
        if !update {
            return !constants.config.fast_react;
        }
        let window = constants.window_at(self.rate).as_u64() as f64;
        let largest = constants.base_window.as_u64() as f64;
        let ignored = congested && self.parts.ignores(window, largest);
        if ignored && self.parts.ignores_for_an_epoch() {
            self.begin_rtt(ack, congested);
        }
        ignored
    }

    /// Sets R and R_c to a fair share. The parts are still told U.
    fn adopt(
        &mut self,
        constants: &FlowConstants,
        ack: &Ack<'_>,
        queue: Bytes,
        rate: Rate,
    ) -> Rate {
        let congested = self.observe_overload(constants, ack, queue) >= 1.0;
        let decrease = self.is_decrease(rate, congested);
        self.rate = rate;
        if self.parts.updates_reference(decrease, self.rtt_passed(ack)) {
            self.update(ack, rate, 0, decrease);
        }
        rate
    }
}

/// Eq. (2), lines 8 and 9: the average over `over_ns` after `value` held for `elapsed_ns`.
#[inline(always)]
pub(crate) fn averaged(average: f64, value: f64, elapsed_ns: f64, over_ns: f64) -> f64 {
    // `f64::min` would also handle NaN; a plain comparison is faster.
    let tau = if elapsed_ns < over_ns {
        elapsed_ns
    } else {
        over_ns
    };
    (average * (over_ns - tau) + value * tau) / over_ns
}

/// The longest queue of a path. Only parts need it.
#[inline(always)]
fn longest_queue<P: Policy, R: RecordReader>(reader: R, ack: &Ack<'_>) -> Bytes {
    if !P::HAS_PARTS {
        return Bytes::ZERO;
    }
    let records = ack.telemetry.words().chunks_exact(R::WORDS);
    let longest = records.map(|record| reader.queue(record)).max();
    Bytes::new(longest.unwrap_or(0))
}

fn times(rate: Rate, factor: f64) -> Rate {
    Rate::from_bps((rate.as_bps() as f64 * factor) as u64)
}

#[cfg(test)]
mod tests;
