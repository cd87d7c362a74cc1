//! The table of all schemes by name.

use incast_diagnostic::Diagnostic;
use incast_registry::registry;

use super::InjectionControl;
use super::parameters::SchemeParameters;
use super::rate_limit::RateLimitOptions;
use super::scheme_options::SchemeOptions;
use super::three_cpo::{RepairedOptions, ThreeCpoOptions};
use super::uncontrolled::UncontrolledOptions;
use super::watermark_aimd::AimdOptions;
use super::window::WindowOptions;
use crate::group::Group;

registry! {
    /// A scheme with its options.
    #[derive(Copy, Clone, Debug, PartialEq)]
    pub enum ControlScheme: SchemeOptions as "scheme" {
        "none" => None(UncontrolledOptions),
            "operations are injected at once";
        "rate-limit" => RateLimit(RateLimitOptions),
            "injection rate limiting; at the largest watermark, the evaluation's baseline";
        "window" => Window(WindowOptions),
            "a static window of outstanding operations, beside the rate limit";
        "aimd" => Aimd(AimdOptions),
            "the rate limit with watermarks that follow the latency of probes";
        "3cpo" => ThreeCpo(ThreeCpoOptions),
            "3CPO as printed: remote operations take tokens, too";
        "3cpo-repaired" => ThreeCpoRepaired(RepairedOptions),
            "3CPO, paced from the first operation on";
    }

    impl {
        /// The keys of the scheme's options, in the order in which they are written.
        pub fn keys(&self) -> Vec<&'static str>;

        /// Checks that a run with these options can make progress.
        ///
        /// # Errors
        /// If a watermark is out of its range, a bucket holds less than one token, or a window is
        /// 0.
        pub fn check(&self) -> Result<(), Diagnostic>;

        /// Builds the state of the scheme for one endpoint.
        pub fn build(
            &self,
            seed: u64,
            endpoint: u16,
            endpoints: u16,
            groups: &[Group],
        ) -> Box<dyn InjectionControl>;
    }
}

impl ControlScheme {
    /// No injection control at all.
    pub fn none() -> Self {
        UncontrolledOptions::default().into()
    }

    /// The evaluation's baseline: no congestion control.
    pub fn baseline() -> Self {
        RateLimitOptions::default().into()
    }

    /// A static window of `window` operations for each kind.
    pub fn window(window: u32) -> Self {
        WindowOptions::new(window).into()
    }

    /// AIMD with the evaluation's options.
    pub fn aimd() -> Self {
        AimdOptions::default().into()
    }

    /// 3CPO as printed.
    pub fn three_cpo() -> Self {
        ThreeCpoOptions::default().into()
    }

    /// 3CPO, repaired.
    pub fn three_cpo_repaired() -> Self {
        RepairedOptions::default().into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::control::OwnOperation;
    use crate::packet::{NEVER, OperationKind};
    use crate::shape::FabricShape;

    /// Every scheme of the table with its defaults. The static window, which has no default, is
    /// given one.
    fn schemes() -> Vec<ControlScheme> {
        let with_defaults = |name| match name {
            "window" => ControlScheme::window(3),
            _ => ControlScheme::with_defaults(name, None).unwrap(),
        };
        let rows = ControlScheme::available().iter();
        rows.map(|row| with_defaults(row.name)).collect()
    }

    #[test]
    fn every_scheme_has_its_name_and_keys() {
        for (scheme, row) in schemes().iter().zip(ControlScheme::available()) {
            assert_eq!(scheme.name(), row.name);
            let keys = scheme.keys();
            let distinct: BTreeSet<_> = keys.iter().collect();
            assert_eq!(distinct.len(), keys.len(), "{keys:?}");
            assert!(!distinct.contains(&"scheme"), "{}", row.name);
        }
    }

    /// An endpoint alone in its group injects a read and a write, and both complete.
    #[test]
    fn every_scheme_lets_operations_pass() {
        let shape = FabricShape::fat_tree(64).unwrap();
        let groups = [Group::all(&shape).unwrap()];
        for scheme in schemes() {
            assert_eq!(scheme.check(), Ok(()));
            let mut control = scheme.build(1, 0, 64, &groups);
            let mut now = 0;
            for kind in [OperationKind::ReadReduction, OperationKind::WriteMulticast] {
                let operation = OwnOperation {
                    kind,
                    target: 0,
                    data: 8,
                };
                let from = control.may_inject_from(now, &operation);
                assert!(from < NEVER, "{}", scheme.name());
                let again = control.may_inject_from(from, &operation);
                assert_eq!(again, from, "{}: the cycle has come", scheme.name());
                control.on_injection(from, &operation, from - now);
                assert_eq!(control.state(from).outstanding, 1, "{}", scheme.name());
                now = from + 1000;
                control.on_completion(now, &operation, 1000);
                assert_eq!(control.state(now).outstanding, 0, "{}", scheme.name());
            }
        }
    }
}
