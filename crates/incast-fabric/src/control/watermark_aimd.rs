//! AIMD of the watermark by the latency L of probes, in cycles (§6.1.4).
//!
//! ```text
//! L < 2000:   WM ← WM + 50
//! L > 2000:   WM ← WM·(1 − md),  md = 1/2 · min((L − 2000)/3000, 1)
//! WM_MIN ≤ WM ≤ WM_MAX
//! ```

use incast_diagnostic::Diagnostic;

use super::parameters::parameters;
use super::scheme_options::SchemeOptions;
use super::token_bucket::TokenBuckets;
use super::token_options::TokenOptions;
use super::{ControlState, InjectionControl, OwnOperation};
use crate::group::Group;
use crate::packet::Cycle;

/// Options of AIMD.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct AimdOptions {
    /// The buckets.
    pub tokens: TokenOptions,
    /// Increase of the watermark after a probe below the threshold.
    pub increase: f64,
    /// Latency in cycles above which the watermark falls.
    pub latency_threshold: f64,
    /// Latency in cycles from which the decrease is largest.
    pub latency_max: f64,
    /// Largest fraction by which the watermark falls.
    pub decrease_max: f64,
}

impl Default for AimdOptions {
    fn default() -> Self {
        Self {
            tokens: TokenOptions::default(),
            increase: 50.0,
            latency_threshold: 2000.0,
            latency_max: 5000.0,
            decrease_max: 0.5,
        }
    }
}

parameters! {
    AimdOptions {
        .. => tokens;
        "increase" => increase,
            "What a watermark gains from a probe below the threshold. Default: 50.";
        "latency_threshold" => latency_threshold,
            "A probe's latency in cycles above which watermarks fall. Default: 2000.";
        "latency_max" => latency_max,
            "A probe's latency in cycles from which they fall by the most. Default: 5000.";
        "decrease_max" => decrease_max, "The largest part by which they fall. Default: 0.5.";
    }
}

impl SchemeOptions for AimdOptions {
    fn check(&self) -> Result<(), Diagnostic> {
        self.tokens.check()
    }

    fn build(&self, seed: u64, endpoint: u16, _: u16, _: &[Group]) -> Box<dyn InjectionControl> {
        Box::new(WatermarkAimd::new(self, seed, endpoint))
    }
}

impl AimdOptions {
    /// The fraction by which the watermark falls after a probe of this latency.
    pub(super) fn decrease(&self, latency: f64) -> f64 {
        let excess = latency - self.latency_threshold;
        let range = self.latency_max - self.latency_threshold;
        (excess / range).clamp(0.0, 1.0) * self.decrease_max
    }

    /// The watermark, limited to its range.
    pub(super) fn bounded(&self, watermark: f64) -> f64 {
        watermark.clamp(self.tokens.watermark_min, self.tokens.watermark_max)
    }
}

/// State of AIMD at one endpoint.
#[derive(Debug)]
pub(super) struct WatermarkAimd {
    options: AimdOptions,
    buckets: TokenBuckets,
    outstanding: u32,
}

impl WatermarkAimd {
    pub(super) fn new(options: &AimdOptions, seed: u64, endpoint: u16) -> Self {
        Self {
            options: *options,
            buckets: TokenBuckets::new(&options.tokens, seed, endpoint),
            outstanding: 0,
        }
    }

    fn next_watermark(&self, watermark: f64, latency: f64) -> f64 {
        let options = &self.options;
        let changed = if latency < options.latency_threshold {
            watermark + options.increase
        } else {
            watermark * (1.0 - options.decrease(latency))
        };
        options.bounded(changed)
    }
}

impl InjectionControl for WatermarkAimd {
    fn may_inject_from(&mut self, now: Cycle, operation: &OwnOperation) -> Cycle {
        self.buckets.ready_from(now, operation.kind.is_write())
    }

    fn on_injection(&mut self, now: Cycle, operation: &OwnOperation, _: Cycle) {
        self.buckets.take(now, operation.costs().map(f64::from));
        self.outstanding += 1;
    }

    fn on_completion(&mut self, _: Cycle, _: &OwnOperation, _: Cycle) {
        self.outstanding -= 1;
    }

    fn uses_probes(&self) -> bool {
        true
    }

    fn on_probe(&mut self, now: Cycle, round_trip: Cycle) {
        let watermarks = self.buckets.watermarks();
        let next = watermarks.map(|watermark| self.next_watermark(watermark, round_trip as f64));
        self.buckets.set_watermarks(now, next);
    }

    fn state(&mut self, now: Cycle) -> ControlState {
        ControlState {
            tokens: self.buckets.tokens(now),
            watermarks: self.buckets.watermarks(),
            outstanding: self.outstanding,
            ..ControlState::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 1000: a latency of 1999 cycles adds 50; 3500 is half way, 1000·(1 − 0.25) = 750; 9000
    /// halves the watermark. From 150, half would be 75, below the minimum of 100. 2468 + 50
    /// exceeds the maximum.
    #[test]
    fn the_watermark_follows_the_latency() {
        let aimd = WatermarkAimd::new(&AimdOptions::default(), 1, 0);
        assert_eq!(aimd.next_watermark(1000.0, 1999.0), 1050.0);
        assert_eq!(aimd.next_watermark(1000.0, 3500.0), 750.0);
        assert_eq!(aimd.next_watermark(1000.0, 9000.0), 500.0);
        assert_eq!(aimd.next_watermark(150.0, 9000.0), 100.0);
        assert_eq!(aimd.next_watermark(2450.0, 500.0), 2468.0);
    }
}
