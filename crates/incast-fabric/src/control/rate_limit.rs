//! Injection rate limiting (IRL): two token buckets with fixed watermarks (§6.1.3).
//!
//! With the largest watermark, IRL is the evaluation's baseline: an endpoint injects no faster than
//! its link carries requests and responses, and nothing else limits it.

use incast_diagnostic::Diagnostic;

use super::parameters::parameters;
use super::scheme_options::SchemeOptions;
use super::token_bucket::TokenBuckets;
use super::token_options::TokenOptions;
use super::{ControlState, InjectionControl, OwnOperation};
use crate::group::Group;
use crate::packet::Cycle;

/// Options of the rate limit.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct RateLimitOptions {
    /// The buckets.
    pub tokens: TokenOptions,
}

parameters! {
    RateLimitOptions {
        .. => tokens;
    }
}

impl SchemeOptions for RateLimitOptions {
    fn check(&self) -> Result<(), Diagnostic> {
        self.tokens.check()
    }

    fn build(&self, seed: u64, endpoint: u16, _: u16, _: &[Group]) -> Box<dyn InjectionControl> {
        Box::new(RateLimit::new(self, seed, endpoint))
    }
}

/// A rate limit.
#[derive(Debug)]
pub(super) struct RateLimit {
    buckets: TokenBuckets,
    outstanding: u32,
}

impl RateLimit {
    pub(super) fn new(options: &RateLimitOptions, seed: u64, endpoint: u16) -> Self {
        Self {
            buckets: TokenBuckets::new(&options.tokens, seed, endpoint),
            outstanding: 0,
        }
    }
}

impl InjectionControl for RateLimit {
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

    fn state(&mut self, now: Cycle) -> ControlState {
        ControlState {
            tokens: self.buckets.tokens(now),
            watermarks: self.buckets.watermarks(),
            outstanding: self.outstanding,
            ..ControlState::default()
        }
    }
}
