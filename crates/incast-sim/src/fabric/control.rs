//! `[control]`: the scheme of injection control, and what of it differs from its defaults.

use incast_diagnostic::Diagnostic;
use incast_fabric::{
    AimdOptions, ControlScheme, Decrease, DecrementScope, Hold, RateLimitOptions, ThreeCpoOptions,
    TokenCheck, TokenGeneration, TokenOptions, WindowOptions, WindowScope,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scheme.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SchemeName {
    None,
    RateLimit,
    Window,
    Aimd,
    #[serde(rename = "3cpo")]
    ThreeCpo,
    #[serde(rename = "3cpo-repaired")]
    ThreeCpoRepaired,
}

impl SchemeName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::RateLimit => "rate-limit",
            Self::Window => "window",
            Self::Aimd => "aimd",
            Self::ThreeCpo => "3cpo",
            Self::ThreeCpoRepaired => "3cpo-repaired",
        }
    }

    fn is_three_cpo(self) -> bool {
        matches!(self, Self::ThreeCpo | Self::ThreeCpoRepaired)
    }
}

/// `[control]`. What is left out is the scheme's default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "InjectionControl")]
pub(super) struct ControlSection {
    /// The scheme.
    pub(super) scheme: SchemeName,
    /// Reads, and writes, that an endpoint may have outstanding. For scheme `window`.
    window: Option<u32>,
    /// What a window limits: operations of each kind apart, or all together.
    window_scope: Option<WindowScope>,
    /// Smallest watermark. Default: 100.
    watermark_min: Option<f64>,
    /// Largest watermark, at which every cycle makes a token. Default: 2468.
    watermark_max: Option<f64>,
    /// Watermarks at the start. Default: the largest.
    watermark_initial: Option<f64>,
    /// Most tokens of a bucket. Default: 1.
    token_cap: Option<f64>,
    /// Tokens with a probability in each cycle, or evenly. Default: random.
    token_generation: Option<TokenGeneration>,
    /// Buckets in which an operation needs a token: both, or that of its larger packet.
    token_check: Option<TokenCheck>,
    /// What a watermark gains from a probe below the threshold. Default: 50.
    increase: Option<f64>,
    /// A probe's latency in cycles above which watermarks fall. Default: 2000.
    latency_threshold: Option<f64>,
    /// A probe's latency in cycles from which they fall by the most. Default: 5000.
    latency_max: Option<f64>,
    /// The largest part by which they fall. Default: 0.5.
    decrease_max: Option<f64>,
    /// Part of their tokens that remote operations take below 1000 cycles. Default: 0.8.
    discount: Option<f64>,
    /// The largest such part, from 2000 cycles on. Default: 1.
    discount_max: Option<f64>,
    /// Whether it also holds for remote operations that an own one matches.
    discount_at_injection: Option<bool>,
    /// How long a remote operation can be matched. Default: RTT + D.
    hold: Option<Hold>,
    /// Which tokens count as throttling: all beyond the own, or those taken at injection.
    scope: Option<DecrementScope>,
    /// Whether tokens of a minority kind are scaled (Algorithm 6, lines 5 to 8).
    minority_scaling: Option<bool>,
    /// Whether tokens that could not be made are carried over (lines 9, 11, 22).
    carry_over: Option<bool>,
    /// Whether a watermark rises by what matching took over (line 14).
    raise: Option<bool>,
    /// Whether slow endpoints give way less (lines 16, 19).
    flow_scaling: Option<bool>,
    /// How a watermark falls: by a part of what matching leaves, or of the whole.
    decrease: Option<Decrease>,
    /// Whether own operations are paced by the members heard of. Default: false.
    pacing: Option<bool>,
    /// Operations of a kind until the first response. Default: 0, which is no limit.
    opening: Option<u32>,
}

impl ControlSection {
    pub(super) fn build(&self) -> Result<ControlScheme, Diagnostic> {
        self.check_parameters()?;
        let scheme = match self.scheme {
            SchemeName::None => ControlScheme::None,
            SchemeName::RateLimit => ControlScheme::RateLimit(self.rate_limit()),
            SchemeName::Window => ControlScheme::Window(self.window_options()?),
            SchemeName::Aimd => ControlScheme::Aimd(self.aimd(AimdOptions::default())),
            SchemeName::ThreeCpo => {
                ControlScheme::ThreeCpo(self.three_cpo(ThreeCpoOptions::default()))
            }
            SchemeName::ThreeCpoRepaired => {
                ControlScheme::ThreeCpo(self.three_cpo(ThreeCpoOptions::repaired()))
            }
        };
        // The crate calls the bucket's cap `cap`, the scenario `token_cap`.
        scheme.check().map_err(|mut diagnostic| {
            if diagnostic.place.key == "cap" {
                diagnostic.place.key = "token_cap".to_owned();
            }
            diagnostic
        })?;
        Ok(scheme)
    }

    /// Parameters of other schemes are mistakes.
    fn check_parameters(&self) -> Result<(), Diagnostic> {
        let written = toml::Table::try_from(self).unwrap_or_default();
        let scheme = self.scheme;
        let fits = |key: &str| match key {
            "scheme" => true,
            "window" | "window_scope" => scheme == SchemeName::Window,
            "increase" | "latency_threshold" | "latency_max" | "decrease_max" => {
                scheme == SchemeName::Aimd || scheme.is_three_cpo()
            }
            _ if key.starts_with("watermark") || key.starts_with("token") => {
                scheme != SchemeName::None
            }
            _ => scheme.is_three_cpo(),
        };
        match written.keys().find(|key| !fits(key)) {
            None => Ok(()),
            Some(key) => {
                let what = format!("scheme `{}` has no such parameter", scheme.name());
                Err(Diagnostic::new(what, "remove it").at(key))
            }
        }
    }

    fn tokens(&self, mut tokens: TokenOptions) -> TokenOptions {
        set(&mut tokens.watermark_min, self.watermark_min);
        set(&mut tokens.watermark_max, self.watermark_max);
        // At the largest unless another is written.
        set(&mut tokens.watermark_initial, self.watermark_max);
        set(&mut tokens.watermark_initial, self.watermark_initial);
        set(&mut tokens.cap, self.token_cap);
        set(&mut tokens.generation, self.token_generation);
        set(&mut tokens.check, self.token_check);
        tokens
    }

    fn rate_limit(&self) -> RateLimitOptions {
        RateLimitOptions {
            tokens: self.tokens(TokenOptions::default()),
        }
    }

    fn window_options(&self) -> Result<WindowOptions, Diagnostic> {
        let Some(window) = self.window else {
            let diagnostic = Diagnostic::new("scheme `window` needs a window", "write window = 3");
            return Err(diagnostic.at("scheme"));
        };
        Ok(WindowOptions {
            window,
            scope: self.window_scope.unwrap_or(WindowScope::Kind),
            rate_limit: self.rate_limit(),
        })
    }

    fn aimd(&self, mut aimd: AimdOptions) -> AimdOptions {
        aimd.tokens = self.tokens(aimd.tokens);
        set(&mut aimd.increase, self.increase);
        set(&mut aimd.latency_threshold, self.latency_threshold);
        set(&mut aimd.latency_max, self.latency_max);
        set(&mut aimd.decrease_max, self.decrease_max);
        aimd
    }

    fn three_cpo(&self, mut options: ThreeCpoOptions) -> ThreeCpoOptions {
        options.aimd = self.aimd(options.aimd);
        set(&mut options.discount, self.discount);
        set(&mut options.discount_max, self.discount_max);
        set(
            &mut options.discount_at_injection,
            self.discount_at_injection,
        );
        set(&mut options.hold, self.hold);
        set(&mut options.scope, self.scope);
        set(&mut options.minority_scaling, self.minority_scaling);
        set(&mut options.carry_over, self.carry_over);
        set(&mut options.raise, self.raise);
        set(&mut options.flow_scaling, self.flow_scaling);
        set(&mut options.decrease, self.decrease);
        set(&mut options.pacing, self.pacing);
        set(&mut options.opening, self.opening);
        options
    }
}

fn set<T>(value: &mut T, written: Option<T>) {
    if let Some(written) = written {
        *value = written;
    }
}
