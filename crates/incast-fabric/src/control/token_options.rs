//! Options of the token buckets, shared by all schemes but `none`.

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parameters::parameters;

/// How tokens are made.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TokenGeneration {
    /// At random: in each cycle with probability WM/WM_MAX, as the text says.
    Random,
    /// At even distances, as the figures show.
    Regular,
}

/// The buckets in which an operation needs a token.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TokenCheck {
    /// Both.
    Both,
    /// The bucket of the operation's larger packet: the request bucket for writes, the response
    /// bucket for reads.
    Own,
}

/// Options of token buckets.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TokenOptions {
    /// Smallest watermark.
    pub watermark_min: f64,
    /// Largest watermark, at which every cycle makes a token.
    pub watermark_max: f64,
    /// Watermarks at the start. Default: `watermark_max`.
    pub watermark_initial: Option<f64>,
    /// Most tokens that a bucket holds.
    pub cap: f64,
    /// How tokens are made.
    pub generation: TokenGeneration,
    /// The buckets in which an operation needs a token.
    pub check: TokenCheck,
}

impl Default for TokenOptions {
    /// Values of §6.1.4; a bucket saves no tokens for bursts, as in Fig. 6.1.
    fn default() -> Self {
        Self {
            watermark_min: 100.0,
            watermark_max: 2468.0,
            watermark_initial: None,
            cap: 1.0,
            generation: TokenGeneration::Random,
            check: TokenCheck::Both,
        }
    }
}

parameters! {
    TokenOptions {
        "watermark_min" => watermark_min, "Smallest watermark. Default: 100.";
        "watermark_max" => watermark_max,
            "Largest watermark, at which every cycle makes a token. Default: 2468.";
        "watermark_initial" => watermark_initial, "Watermarks at the start. Default: the largest.";
        "token_cap" => cap, "Most tokens of a bucket. Default: 1.";
        "token_generation" => generation,
            "Tokens with a probability in each cycle, or evenly. Default: random.";
        "token_check" => check,
            "Buckets in which an operation needs a token: both, or that of its larger packet.";
    }
}

impl TokenOptions {
    /// Watermarks at the start.
    pub(super) fn initial(&self) -> f64 {
        self.watermark_initial.unwrap_or(self.watermark_max)
    }

    /// Checks that tokens are made and let operations pass.
    ///
    /// # Errors
    /// If a watermark is out of its range, or a bucket holds less than one token.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        let Self {
            watermark_min: min,
            watermark_max: max,
            cap,
            ..
        } = *self;
        let initial = self.initial();
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
            return Err(Diagnostic::new(what, "write at least 1").at("token_cap"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(tokens: TokenOptions) -> String {
        tokens.check().unwrap_err().to_string()
    }

    #[test]
    fn watermarks_out_of_their_range() {
        let fine = TokenOptions::default();
        assert_eq!(
            said(TokenOptions {
                watermark_initial: Some(99.0),
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
            "token_cap: a bucket of 0.5 tokens never lets an operation pass; write at least 1"
        );
    }
}
