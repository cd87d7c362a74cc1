//! The watermark of one type of traffic, when a probe returns: Algorithm 6 of 3CPO (§6.2.4).
//!
//! ```text
//! md     ← base_md · clamp((L − lat_thresh)/(max_lat_thresh − lat_thresh), 0, 1)     (1, 2)
//! N      ← tokens taken for remote operations since the last probe
//! N      ← N + N·8·(2(1 − p) − 1)    if p ≤ 1/2, p the share of this type's operations (4–8)
//! N      ← N + carried over                                                          (9)
//! wm_eq  ← WM_MAX·N / L                                                              (10)
//! Δ      ← wm_eq − last wm_eq
//! if Δ > 0:  WM ← min(WM + Δ, WM_MAX)                                               (14)
//!            if L > lat_thresh and Δ < WM·md: WM ← WM − fbs·md·(WM − wm_eq)          (15–17)
//! else:      if L > lat_thresh:               WM ← WM − fbs·md·(WM − wm_eq)          (18–20)
//! if L < lat_thresh: WM ← WM + WM_AI                                                 (26, 27)
//! fbs    ← max(1 − (a/√(WM − wm_eq) − b), 0.05)
//!          with a = 1/(1/√WM_MIN − 1/√WM_MAX), b = a/√WM_MAX
//! ```
//!
//! `md` is the part removed, as the printed lines 2, 15 and 17 imply. The text calls it the part
//! kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ThreeCpoOptions;

/// Measurements of one traffic type during one round trip of a probe.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct RoundTripSample {
    /// Cycles.
    pub(super) latency: f64,
    /// Tokens taken for remote operations.
    pub(super) extra: f64,
    /// Share of this type in the operations sent; `None` if none were sent.
    pub(super) share: Option<f64>,
}

/// Base of the watermark's multiplicative decrease.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decrease {
    /// WM − wm_eq, the part of the watermark that multicast control does not throttle yet, as
    /// printed. Where wm_eq comes near WM, the decrease vanishes and a standing queue stays.
    AboveEquivalent,
    /// The whole watermark.
    Whole,
}

/// State between probes.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct WatermarkRule {
    last_equivalent: f64,
    carried: f64,
}

impl WatermarkRule {
    /// The watermark after a probe.
    pub(super) fn next(
        &mut self,
        options: &ThreeCpoOptions,
        watermark: f64,
        sample: &RoundTripSample,
    ) -> f64 {
        let aimd = &options.aimd;
        let latency = sample.latency.max(1.0);
        let extra = self.throttled(options, watermark, sample);
        let equivalent = aimd.tokens.watermark_max * extra / latency;
        let change = equivalent - self.last_equivalent;
        self.last_equivalent = equivalent;
        let part = aimd.decrease(latency);
        let congested = latency > aimd.latency_threshold;
        let mut next = watermark;
        if change > 0.0 {
            if options.raise {
                next = (next + change).min(aimd.tokens.watermark_max);
            }
            if congested && change < next * part {
                next = decreased(options, next, equivalent, part);
            }
        } else if congested {
            next = decreased(options, next, equivalent, part);
        }
        if latency < aimd.latency_threshold {
            next += aimd.increase;
        }
        aimd.bounded(next)
    }

    /// The tokens N that multicast control took: scaled for a minority type, plus those carried
    /// over from earlier round trips. Tokens that this round trip could not have produced are
    /// carried over to the next.
    fn throttled(
        &mut self,
        options: &ThreeCpoOptions,
        watermark: f64,
        sample: &RoundTripSample,
    ) -> f64 {
        let mut extra = sample.extra;
        if options.minority_scaling
            && let Some(share) = sample.share
            && share <= 0.5
        {
            extra += extra * f64::from(SIZE_DIFFERENCE) * (2.0 * (1.0 - share) - 1.0);
        }
        if options.carry_over {
            extra += self.carried;
            let possible = watermark / options.aimd.tokens.watermark_max * sample.latency;
            self.carried = (extra - possible).max(0.0);
            extra = extra.min(possible);
        }
        extra
    }
}

/// A watermark after a probe, and the part that multicast control throttled, as a watermark.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct WatermarkStep {
    /// The watermark.
    pub watermark: f64,
    /// wm_eq.
    pub equivalent: f64,
}

/// Watermarks after each of several probes. A probe is given by its latency in cycles and the
/// tokens taken for remote operations during it.
pub fn watermarks(
    options: &ThreeCpoOptions,
    first: f64,
    probes: impl IntoIterator<Item = (f64, f64)>,
) -> Vec<WatermarkStep> {
    let (mut rule, mut watermark) = (WatermarkRule::default(), first);
    let probes = probes.into_iter().map(|(latency, extra)| {
        let sample = RoundTripSample {
            latency,
            extra,
            share: None,
        };
        watermark = rule.next(options, watermark, &sample);
        WatermarkStep {
            watermark,
            equivalent: rule.last_equivalent,
        }
    });
    probes.collect()
}

/// Flits of a write's request beyond those of its acknowledgement.
const SIZE_DIFFERENCE: u32 = 8;

/// Smallest factor by which flow-based scaling multiplies the decrease.
const MIN_SCALE: f64 = 0.05;

fn decreased(options: &ThreeCpoOptions, watermark: f64, equivalent: f64, part: f64) -> f64 {
    let tokens = &options.aimd.tokens;
    let above = match options.decrease {
        Decrease::AboveEquivalent => (watermark - equivalent).max(tokens.watermark_min),
        Decrease::Whole => watermark,
    };
    let scale = if options.flow_scaling {
        let (least, most) = (tokens.watermark_min.sqrt(), tokens.watermark_max.sqrt());
        let alpha = 1.0 / (1.0 / least - 1.0 / most);
        (1.0 - (alpha / above.sqrt() - alpha / most)).max(MIN_SCALE)
    } else {
        1.0
    };
    let lost = match options.decrease {
        Decrease::AboveEquivalent => (watermark - equivalent).max(0.0),
        Decrease::Whole => watermark,
    };
    watermark - scale * part * lost
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WM_MAX = 1000, WM_MIN = 10, thresholds as in the paper; no scaling, nothing carried over.
    fn plain() -> ThreeCpoOptions {
        let mut options = ThreeCpoOptions::default();
        options.aimd.tokens.watermark_max = 1000.0;
        options.aimd.tokens.watermark_min = 10.0;
        options.minority_scaling = false;
        options.carry_over = false;
        options.flow_scaling = false;
        options.raise = false;
        options
    }

    fn sample(latency: f64, extra: f64) -> RoundTripSample {
        RoundTripSample {
            latency,
            extra,
            share: None,
        }
    }

    /// Fig. 6.8: WM = WM_MAX = 100, md = 0.5 at 5000 cycles. Multicast control took 0.7333·5000 =
    /// 3666.67 tokens: wm_eq = 100·3666.67/5000 = 73.33 > 100·0.5 = 50, so WM stays. Then the
    /// network is no longer congested: 100 + 50, capped at 100.
    #[test]
    fn multicast_control_alone_as_in_figure_6_8() {
        let mut options = plain();
        options.aimd.tokens.watermark_max = 100.0;
        let mut rule = WatermarkRule::default();
        let first = rule.next(&options, 100.0, &sample(5000.0, 3666.67));
        assert_eq!(first, 100.0);
        assert!((rule.last_equivalent - 73.33).abs() < 0.01);
        assert_eq!(rule.next(&options, first, &sample(1000.0, 733.3)), 100.0);
    }

    /// Fig. 6.9: in the next round trip wm_eq is 66.67 and Δ = −6.67 < 50, and the network is still
    /// congested. WM falls by md·(WM − wm_eq) = 0.5·33.33 = 16.67 to 83.33.
    #[test]
    fn the_watermark_takes_over_as_in_figure_6_9() {
        let mut options = plain();
        options.aimd.tokens.watermark_max = 100.0;
        let mut rule = WatermarkRule::default();
        let first = rule.next(&options, 100.0, &sample(5000.0, 3666.67));
        let second = rule.next(&options, first, &sample(5000.0, 3333.33));
        assert!((second - 83.333).abs() < 0.01, "{second}");
    }

    /// Line 14: wm_eq grows from 0 to 1000·500/2500 = 200, so WM rises from 600 to 800. At 2500
    /// cycles md = 0.5/6 = 0.0833, and 800·0.0833 = 66.7 < 200: WM stays at 800.
    #[test]
    fn throttling_is_handed_over_by_line_14() {
        let mut options = plain();
        options.raise = true;
        let mut rule = WatermarkRule::default();
        assert_eq!(rule.next(&options, 600.0, &sample(2500.0, 500.0)), 800.0);
    }

    /// wm_eq = 1000·100/5000 = 20 < 600·0.5 = 300: WM falls by 0.5·(600 − 20) = 290 to 310. With
    /// the whole watermark as base, WM falls by 300.
    #[test]
    fn too_little_throttling_lowers_the_watermark() {
        let mut options = plain();
        let mut rule = WatermarkRule::default();
        assert_eq!(rule.next(&options, 600.0, &sample(5000.0, 100.0)), 310.0);
        options.decrease = Decrease::Whole;
        let mut rule = WatermarkRule::default();
        assert_eq!(rule.next(&options, 600.0, &sample(5000.0, 100.0)), 300.0);
    }

    /// The defect of the printed rule: at 5000 cycles with wm_eq = WM = 600 and Δ = 0, the decrease
    /// is 0.5·0 = 0, however long the queue stands. With the whole watermark as base, WM is halved.
    #[test]
    fn the_printed_decrease_vanishes_where_throttling_meets_the_watermark() {
        let mut options = plain();
        let mut rule = WatermarkRule {
            last_equivalent: 600.0,
            carried: 0.0,
        };
        assert_eq!(rule.next(&options, 600.0, &sample(5000.0, 3000.0)), 600.0);
        options.decrease = Decrease::Whole;
        assert_eq!(rule.next(&options, 600.0, &sample(5000.0, 3000.0)), 300.0);
    }

    /// With a share of 1/4 writes, N + N·8·(2·0.75 − 1) = 100 + 400 = 500. With a share of 1,
    /// nothing is added.
    #[test]
    fn a_minority_counts_more() {
        let mut options = plain();
        options.minority_scaling = true;
        let scaled = |share| {
            let sample = RoundTripSample {
                share: Some(share),
                ..sample(1000.0, 100.0)
            };
            WatermarkRule::default().throttled(&options, 600.0, &sample)
        };
        assert_eq!(
            (scaled(0.25), scaled(0.5), scaled(1.0)),
            (500.0, 100.0, 100.0)
        );
    }

    /// WM = 600 of 1000 makes 600 tokens in 1000 cycles. Of 700 tokens taken, 100 are carried over;
    /// the next round trip counts 250 + 100.
    #[test]
    fn what_could_not_be_produced_is_carried_over() {
        let mut options = plain();
        options.carry_over = true;
        let mut rule = WatermarkRule::default();
        assert_eq!(
            rule.throttled(&options, 600.0, &sample(1000.0, 700.0)),
            600.0
        );
        assert_eq!(
            rule.throttled(&options, 600.0, &sample(1000.0, 250.0)),
            350.0
        );
    }

    /// a = 1/(1/10 − 1/√2468) = 12.520, b = a/√2468 = 0.2520. At WM = WM_MAX with wm_eq = 0, fbs =
    /// 1 − (0.252 − 0.252) = 1, so WM becomes 2468·(1 − 0.5) = 1234. At WM = 400, fbs = 1 − (0.626
    /// − 0.252) = 0.626: 400·(1 − 0.5·0.626) = 274.8. At WM = 120, fbs = 1 − (1.1429 − 0.252) =
    /// 0.1091: 120·(1 − 0.0545) = 113.45.
    #[test]
    fn slow_endpoints_give_way_less() {
        let mut options = ThreeCpoOptions::default();
        options.aimd.tokens.watermark_min = 100.0;
        for (watermark, expected) in [(2468.0, 1234.0), (400.0, 274.8), (120.0, 113.45)] {
            let next = decreased(&options, watermark, 0.0, 0.5);
            assert!((next - expected).abs() < 0.05, "{watermark}: {next}");
        }
    }
}
