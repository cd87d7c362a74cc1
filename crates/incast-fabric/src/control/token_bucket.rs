//! Injection tokens: a bucket fills at a rate set by a watermark, and may be overdrawn.
//!
//! ```text
//! each cycle:  draw u uniform in [0, WM_MAX);  if u < WM: T ← min(T + 1, cap)      (§6.1.3)
//! injection:   needs T ≥ 1, takes the whole cost: T may become negative            (Fig. 6.1)
//! ```
//!
//! A token made in cycle c counts from c + 1 on. A full bucket draws no random numbers: the gap to
//! the next token begins when the bucket is no longer full. One draw gives a whole gap between
//! tokens, so idle cycles cost no time.

use incast_random::{NetworkPurpose, RandomStream};

use super::token_options::{TokenCheck, TokenGeneration, TokenOptions};
use crate::packet::{Cycle, NEVER};

#[derive(Clone, Debug)]
enum Gaps {
    Random {
        stream: RandomStream,
        /// Probability that a cycle makes no token, 1 − WM/WM_MAX.
        miss: f64,
        /// −ln of that.
        hazard: f64,
    },
    Regular {
        /// The part of the next token made so far, in units of WM_MAX.
        phase: f64,
        /// Since when.
        since: Cycle,
    },
}

/// One bucket.
#[derive(Clone, Debug)]
pub(super) struct TokenBucket {
    tokens: f64,
    cap: f64,
    watermark: f64,
    watermark_max: f64,
    /// Cycle from which the next token counts, unless the bucket is full.
    next: Cycle,
    gaps: Gaps,
}

impl TokenBucket {
    fn new(options: &TokenOptions, seed: u64, endpoint: u16, purpose: NetworkPurpose) -> Self {
        let mut bucket = Self {
            tokens: 1.0_f64.min(options.cap),
            cap: options.cap,
            watermark: options.initial(),
            watermark_max: options.watermark_max,
            next: NEVER,
            gaps: match options.generation {
                TokenGeneration::Random => Gaps::Random {
                    stream: RandomStream::of_network(seed, endpoint.into(), purpose),
                    miss: 0.0,
                    hazard: 0.0,
                },
                TokenGeneration::Regular => Gaps::Regular {
                    phase: 0.0,
                    since: 0,
                },
            },
        };
        bucket.find_hazard();
        if !bucket.is_full() {
            bucket.next = bucket.gap(0);
        }
        bucket
    }

    fn find_hazard(&mut self) {
        if let Gaps::Random { miss, hazard, .. } = &mut self.gaps {
            let share = (self.watermark / self.watermark_max).min(1.0);
            *miss = 1.0 - share;
            *hazard = -libm::log(*miss);
        }
    }

    fn is_full(&self) -> bool {
        self.tokens >= self.cap
    }

    fn makes_one_a_cycle(&self) -> bool {
        self.watermark >= self.watermark_max
    }

    /// Cycles to the next token after a token at `from`.
    fn gap(&mut self, from: Cycle) -> Cycle {
        if self.makes_one_a_cycle() {
            return 1;
        }
        match &mut self.gaps {
            Gaps::Random {
                stream,
                miss,
                hazard,
            } => quick_gap(1.0 - stream.uniform(), *miss, *hazard),
            Gaps::Regular { phase, since } => {
                let left = self.watermark_max - *phase;
                let gap = (left / self.watermark).ceil().max(1.0);
                *phase += gap * self.watermark - self.watermark_max;
                *since = from + gap as Cycle;
                gap as Cycle
            }
        }
    }

    /// Adds the tokens made before `now`.
    fn advance(&mut self, now: Cycle) {
        if self.makes_one_a_cycle() && self.next <= now && !self.is_full() {
            let made = (now - self.next + 1) as f64;
            let missing = (self.cap - self.tokens).ceil();
            let taken = made.min(missing);
            self.tokens = (self.tokens + taken).min(self.cap);
            self.next += taken as Cycle;
        }
        while self.next <= now && !self.is_full() {
            self.tokens = (self.tokens + 1.0).min(self.cap);
            self.next += self.gap(self.next);
        }
    }

    /// Returns `now` if there is a token, else a cycle before which there is none.
    pub(super) fn ready_from(&mut self, now: Cycle) -> Cycle {
        self.advance(now);
        if self.tokens >= 1.0 {
            return now;
        }
        let missing = (1.0 - self.tokens).ceil() as Cycle;
        self.next.max(now + 1) + (missing - 1)
    }

    /// Takes `cost` tokens; the bucket may become negative.
    pub(super) fn take(&mut self, now: Cycle, cost: f64) {
        self.advance(now);
        let was_full = self.is_full();
        self.tokens -= cost;
        if was_full && !self.is_full() {
            if let Gaps::Regular { phase, .. } = &mut self.gaps {
                *phase = 0.0;
            }
            self.next = now + self.gap(now);
        }
    }

    pub(super) fn tokens(&mut self, now: Cycle) -> f64 {
        self.advance(now);
        self.tokens
    }

    pub(super) fn watermark(&self) -> f64 {
        self.watermark
    }

    /// Changes the watermark from `now` on.
    pub(super) fn set_watermark(&mut self, now: Cycle, watermark: f64) {
        self.advance(now);
        if watermark == self.watermark {
            return;
        }
        let before = std::mem::replace(&mut self.watermark, watermark);
        self.find_hazard();
        if self.is_full() {
            return;
        }
        if let Gaps::Regular { phase, since } = &mut self.gaps {
            // Of the gap that ends at `since`, the part after `now` is given back.
            let ahead = since.saturating_sub(now) as f64;
            *phase = (*phase + self.watermark_max - ahead * before).max(0.0);
        }
        self.next = now + self.gap(now);
    }
}

/// Cycles to the next token: a geometric number, made of `survival`, which is uniform in (0, 1].
fn gap_of(survival: f64, hazard: f64) -> Cycle {
    1 + (-libm::log(survival) / hazard) as Cycle
}

/// Same result as [`gap_of`], without a logarithm where the gap is short. The gap is k if
/// `survival` is between `miss` to the power k and `miss` to the power k − 1. If rounding could
/// decide, the logarithm is used.
#[inline]
fn quick_gap(survival: f64, miss: f64, hazard: f64) -> Cycle {
    /// Hundreds of times the rounding error of a logarithm, a division and some products.
    const NEAR: f64 = 1e-12;
    let mut power = miss;
    for gap in 1..=8 {
        if survival > power * (1.0 + NEAR) {
            return gap;
        }
        if survival >= power * (1.0 - NEAR) {
            break;
        }
        power *= miss;
    }
    gap_of(survival, hazard)
}

/// The two buckets of an endpoint: request tokens, then response tokens.
#[derive(Clone, Debug)]
pub(super) struct TokenBuckets {
    buckets: [TokenBucket; 2],
    check: TokenCheck,
}

impl TokenBuckets {
    pub(super) fn new(options: &TokenOptions, seed: u64, endpoint: u16) -> Self {
        let purposes = [
            NetworkPurpose::RequestTokens,
            NetworkPurpose::ResponseTokens,
        ];
        Self {
            buckets: purposes.map(|purpose| TokenBucket::new(options, seed, endpoint, purpose)),
            check: options.check,
        }
    }

    /// Returns `now` if the operation has its tokens, else a cycle before which it lacks them.
    pub(super) fn ready_from(&mut self, now: Cycle, is_write: bool) -> Cycle {
        let [requests, responses] = &mut self.buckets;
        match self.check {
            TokenCheck::Own if is_write => requests.ready_from(now),
            TokenCheck::Own => responses.ready_from(now),
            TokenCheck::Both => requests.ready_from(now).max(responses.ready_from(now)),
        }
    }

    pub(super) fn take(&mut self, now: Cycle, costs: [f64; 2]) {
        for (bucket, cost) in self.buckets.iter_mut().zip(costs) {
            bucket.take(now, cost);
        }
    }

    pub(super) fn set_watermarks(&mut self, now: Cycle, watermarks: [f64; 2]) {
        for (bucket, watermark) in self.buckets.iter_mut().zip(watermarks) {
            bucket.set_watermark(now, watermark);
        }
    }

    pub(super) fn watermarks(&self) -> [f64; 2] {
        self.buckets.each_ref().map(TokenBucket::watermark)
    }

    pub(super) fn tokens(&mut self, now: Cycle) -> [f64; 2] {
        self.buckets.each_mut().map(|bucket| bucket.tokens(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(watermark: f64, generation: TokenGeneration) -> TokenBucket {
        let options = TokenOptions {
            watermark_max: 10.0,
            watermark_initial: Some(watermark),
            generation,
            ..TokenOptions::default()
        };
        TokenBucket::new(&options, 1, 0, NetworkPurpose::RequestTokens)
    }

    /// Cycles before `end` in which packets of this cost are injected, each as early as the bucket
    /// allows.
    fn injections(bucket: &mut TokenBucket, cost: f64, end: Cycle) -> Vec<Cycle> {
        let mut injected = Vec::new();
        for now in 0..end {
            if bucket.ready_from(now) == now {
                bucket.take(now, cost);
                injected.push(now);
            }
        }
        injected
    }

    /// Fig. 6.1: packets of 5 flits. At the full watermark, tokens are 1 − 5 + 1 = −3 in cycle 1
    /// and 1 in cycle 5: packets are injected in cycles 0, 5 and 10. At half the watermark, tokens
    /// are 1 − 5 = −4 in cycle 1, one more after each odd cycle, and 1 in cycle 10: packets are
    /// injected in cycles 0 and 10.
    #[test]
    fn the_watermark_throttles_as_in_figure_6_1() {
        let mut full = bucket(10.0, TokenGeneration::Regular);
        assert_eq!(injections(&mut full, 5.0, 11), [0, 5, 10]);
        let mut half = bucket(5.0, TokenGeneration::Regular);
        assert_eq!(injections(&mut half, 5.0, 11), [0, 10]);
        let mut half = bucket(5.0, TokenGeneration::Regular);
        half.take(0, 5.0);
        let tokens: Vec<f64> = (1..11).map(|now| half.tokens(now)).collect();
        assert_eq!(
            tokens,
            [-4.0, -3.0, -3.0, -2.0, -2.0, -1.0, -1.0, 0.0, 0.0, 1.0]
        );
    }

    /// Fig. 6.4: with four senders of 5 flits each, a packet costs 20. Tokens are 1 − 20 + 1 = −18
    /// in cycle 1, −15 in cycle 4, −14 in 5, 0 in 19 and 1 in 20.
    #[test]
    fn a_packet_of_four_senders_costs_four_as_in_figure_6_4() {
        let mut full = bucket(10.0, TokenGeneration::Regular);
        assert_eq!(injections(&mut full, 20.0, 21), [0, 20]);
        let mut full = bucket(10.0, TokenGeneration::Regular);
        full.take(0, 20.0);
        let tokens = [1, 4, 5, 9, 10, 14, 15, 19, 20].map(|now| full.tokens(now));
        assert_eq!(
            tokens,
            [-18.0, -15.0, -14.0, -10.0, -9.0, -5.0, -4.0, 0.0, 1.0]
        );
    }

    /// Tokens come with probability 1/4: 40 000 cycles make 10 000 on average, with standard
    /// deviation √(40000 · 1/4 · 3/4) = 87. Five standard deviations are 433.
    #[test]
    fn random_tokens_come_at_the_watermarks_rate() {
        let mut bucket = bucket(2.5, TokenGeneration::Random);
        bucket.take(0, 50_000.0);
        let made = bucket.tokens(40_000) + 49_999.0;
        assert!((made - 10_000.0).abs() < 433.0, "{made}");
    }

    /// A watermark of 2 of 10 makes a token every 5 cycles: the first at cycle 5. Three more cycles
    /// make 6 tenths. At cycle 8 a watermark of 4 makes the missing 4 tenths in one cycle: at 9.
    /// Then a token takes 10/4 = 2.5 cycles: at 12 and 14.
    #[test]
    fn a_changed_watermark_keeps_the_part_made() {
        let mut bucket = bucket(2.0, TokenGeneration::Regular);
        bucket.take(0, 10.0);
        assert_eq!((bucket.tokens(4), bucket.tokens(5)), (-9.0, -8.0));
        bucket.set_watermark(8, 4.0);
        let tokens = [8, 9, 11, 12, 13, 14].map(|now| bucket.tokens(now));
        assert_eq!(tokens, [-8.0, -7.0, -7.0, -6.0, -6.0, -5.0]);
    }

    /// Gaps with and without a logarithm are the same, for any draw and for draws next to a change
    /// of the gap.
    #[test]
    fn quick_gaps_are_gaps() {
        let mut random = incast_random::SplitMix64::new(5);
        for _ in 0..200 {
            let share = (random.below(2_467) + 1) as f64 / 2_468.0;
            let (miss, hazard) = (1.0 - share, -libm::log(1.0 - share));
            let draws = (0..200).map(|_| (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64);
            let draws: Vec<f64> = draws.map(|draw| 1.0 - draw).collect();
            let edges = (0..12).flat_map(|power| {
                let edge = libm::pow(miss, f64::from(power));
                (-40..=40).map(move |ulps| edge * (1.0 + f64::from(ulps) * f64::EPSILON / 2.0))
            });
            for survival in draws.into_iter().chain(edges) {
                let survival = survival.clamp(f64::MIN_POSITIVE, 1.0);
                let expected = gap_of(survival, hazard);
                assert_eq!(
                    quick_gap(survival, miss, hazard),
                    expected,
                    "{survival} {miss}"
                );
            }
        }
    }

    /// A bucket makes the same tokens however seldom it is called.
    #[test]
    fn waiting_changes_nothing() {
        for watermark in [1.0, 7.5, 10.0] {
            for generation in [TokenGeneration::Random, TokenGeneration::Regular] {
                let (mut often, mut seldom) =
                    (bucket(watermark, generation), bucket(watermark, generation));
                for now in 0..3_000 {
                    if now % 97 == 0 {
                        often.take(now, 4.3);
                        seldom.take(now, 4.3);
                    }
                    let tokens = often.tokens(now);
                    if now % 89 == 0 {
                        assert_eq!(tokens, seldom.tokens(now), "cycle {now}");
                    }
                }
            }
        }
    }
}
