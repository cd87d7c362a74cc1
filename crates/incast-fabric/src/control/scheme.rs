//! The schemes by name, and how each is built for an endpoint.

use incast_diagnostic::Diagnostic;

use super::InjectionControl;
use super::rate_limit::{RateLimit, RateLimitOptions};
use super::three_cpo::{ThreeCpo, ThreeCpoOptions};
use super::token_bucket::TokenOptions;
use super::uncontrolled::NoInjectionControl;
use super::watermark_aimd::{AimdOptions, WatermarkAimd};
use super::window::{StaticWindow, WindowOptions};
use crate::group::Group;

/// A scheme with its options.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum ControlScheme {
    /// None at all.
    None,
    /// Injection rate limiting; at the largest watermark, the evaluation's baseline.
    RateLimit(RateLimitOptions),
    /// A static window for each kind of operation.
    Window(WindowOptions),
    /// AIMD of the watermark.
    Aimd(AimdOptions),
    /// 3CPO.
    ThreeCpo(ThreeCpoOptions),
}

impl ControlScheme {
    /// The evaluation's baseline: no congestion control.
    pub fn baseline() -> Self {
        Self::RateLimit(RateLimitOptions::default())
    }

    /// A static window of this many operations of each kind.
    pub fn window(window: u32) -> Self {
        Self::Window(WindowOptions::new(window))
    }

    /// AIMD with the evaluation's options.
    pub fn aimd() -> Self {
        Self::Aimd(AimdOptions::default())
    }

    /// 3CPO as printed.
    pub fn three_cpo() -> Self {
        Self::ThreeCpo(ThreeCpoOptions::default())
    }

    /// 3CPO, repaired.
    pub fn three_cpo_repaired() -> Self {
        Self::ThreeCpo(ThreeCpoOptions::repaired())
    }

    /// Whether a run with these options can make progress.
    ///
    /// # Errors
    /// If a watermark is out of its range, a bucket holds less than a token, or a window is 0.
    pub fn check(&self) -> Result<(), Diagnostic> {
        match self {
            Self::None => Ok(()),
            Self::RateLimit(options) => check_tokens(&options.tokens),
            Self::Window(options) => {
                options.check()?;
                check_tokens(&options.rate_limit.tokens)
            }
            Self::Aimd(options) => check_tokens(&options.tokens),
            Self::ThreeCpo(options) => check_tokens(&options.aimd.tokens),
        }
    }

    /// The scheme for one endpoint.
    pub fn build(
        &self,
        seed: u64,
        endpoint: u16,
        endpoints: u16,
        groups: &[Group],
    ) -> Box<dyn InjectionControl> {
        match self {
            Self::None => Box::new(NoInjectionControl::default()),
            Self::RateLimit(options) => Box::new(RateLimit::new(options, seed, endpoint)),
            Self::Window(options) => Box::new(StaticWindow::new(options, seed, endpoint)),
            Self::Aimd(options) => Box::new(WatermarkAimd::new(options, seed, endpoint)),
            Self::ThreeCpo(options) => {
                Box::new(ThreeCpo::new(options, seed, endpoint, endpoints, groups))
            }
        }
    }
}

fn check_tokens(tokens: &TokenOptions) -> Result<(), Diagnostic> {
    let TokenOptions {
        watermark_min: min,
        watermark_max: max,
        watermark_initial: initial,
        cap,
        ..
    } = *tokens;
    if min.is_nan() || min <= 0.0 {
        let what = format!("a smallest watermark of {min} lets nothing be sent");
        return Err(Diagnostic::new(what, "write e.g. 100").at("watermark_min"));
    }
    if max.is_nan() || max < min {
        let what = format!("a largest watermark of {max} is below the smallest, {min}");
        let hint = format!("write at least {min}");
        return Err(Diagnostic::new(what, hint).at("watermark_max"));
    }
    if !(min..=max).contains(&initial) {
        let what = format!("a watermark of {initial} is not between {min} and {max}");
        return Err(Diagnostic::new(what, format!("write e.g. {max}")).at("watermark_initial"));
    }
    if cap.is_nan() || cap < 1.0 {
        let what = format!("a bucket of {cap} tokens never lets an operation pass");
        return Err(Diagnostic::new(what, "write at least 1").at("cap"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(tokens: TokenOptions) -> String {
        let scheme = ControlScheme::RateLimit(RateLimitOptions { tokens });
        scheme.check().unwrap_err().to_string()
    }

    #[test]
    fn watermarks_out_of_their_range() {
        let fine = TokenOptions::default();
        assert_eq!(
            said(TokenOptions {
                watermark_initial: 99.0,
                ..fine
            }),
            "watermark_initial: a watermark of 99 is not between 100 and 2468; write e.g. 2468"
        );
        assert_eq!(
            said(TokenOptions {
                watermark_min: 0.0,
                ..fine
            }),
            "watermark_min: a smallest watermark of 0 lets nothing be sent; write e.g. 100"
        );
        assert_eq!(
            said(TokenOptions {
                watermark_max: 0.0,
                ..fine
            }),
            "watermark_max: a largest watermark of 0 is below the smallest, 100; write at \
             least 100"
        );
        assert_eq!(
            said(TokenOptions { cap: 0.5, ..fine }),
            "cap: a bucket of 0.5 tokens never lets an operation pass; write at least 1"
        );
    }

    #[test]
    fn every_scheme_has_defaults_that_work() {
        for scheme in [
            ControlScheme::None,
            ControlScheme::baseline(),
            ControlScheme::window(3),
            ControlScheme::aimd(),
            ControlScheme::three_cpo(),
            ControlScheme::three_cpo_repaired(),
        ] {
            assert_eq!(scheme.check(), Ok(()));
        }
    }
}
