//! `[nic]`: on what NICs enforce limits, and how long their QPs live.

use incast_cc::Serves;
use incast_diagnostic::Diagnostic;
use incast_net::{Enforcement, IdleState, NetworkConfig, NicConfig, NicScheduler, QpLifetime};
use incast_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cc::CcSection;
use super::network::BaseRttScope;
use crate::spec::choice::OneOf;

/// The hosts' NICs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Nic")]
pub(crate) struct NicSection {
    /// On what the limits of congestion control are enforced.
    pub(crate) enforcement: Enforcement,
    /// How long QPs live.
    pub(crate) qps: QpLifetime,
    /// What becomes of a shared congestion state while none of its flows has data: it stays, or it
    /// is new again after some time.
    #[schemars(extend("default" = "keep"))]
    pub(crate) idle: OneOf<KeepWhenIdle, ResetWhenIdle>,
}

/// The state stays as it is, and its controller's timers go on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum KeepWhenIdle {
    /// It stays.
    Keep,
}

/// The state is new again for a flow that comes late.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetWhenIdle {
    /// After so much time without flows.
    pub(crate) reset_after: Time,
}

impl Default for NicSection {
    fn default() -> Self {
        Self {
            enforcement: Enforcement::default(),
            qps: QpLifetime::default(),
            idle: OneOf::Plain(KeepWhenIdle::Keep),
        }
    }
}

impl NicSection {
    /// Whether it says what is so anyway: the canonical text leaves it out.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The NICs.
    ///
    /// # Errors
    /// If a QP is to outlive its flow and not to.
    pub(crate) fn build(&self) -> Result<NicConfig, Diagnostic> {
        let idle = match &self.idle {
            OneOf::Plain(KeepWhenIdle::Keep) => IdleState::Keep,
            OneOf::Nested(reset) => IdleState::ResetAfter(reset.reset_after),
        };
        let config = NicConfig {
            enforcement: self.enforcement,
            qps: self.qps,
            idle,
        };
        if config.idle != IdleState::Keep && !config.shares_states() {
            let diagnostic = Diagnostic::new(
                "has no effect: the QP of a flow ends with it, and its state too",
                "remove it, or write nic.qps = \"persistent\" or another nic.enforcement",
            );
            return Err(diagnostic.at("nic.idle"));
        }
        Ok(config)
    }

    /// Whether the algorithm and the network suit such NICs.
    ///
    /// # Errors
    /// If one state cannot serve the flows that would share it.
    pub(crate) fn check(
        &self,
        network: &NetworkConfig,
        base_rtt: BaseRttScope,
        cc: &CcSection,
    ) -> Result<(), Diagnostic> {
        if !network.nic.shares_states() {
            return Ok(());
        }
        self.check_algorithm(cc)?;
        if network.model.nic_scheduler == NicScheduler::LinearScan {
            let diagnostic = Diagnostic::new(
                "the linear scan is that of HPCC's ns-3 code, whose QPs share no state",
                "write network.model.nic_scheduler = \"round-robin\", or remove it",
            );
            return Err(diagnostic.at(self.key()));
        }
        if self.enforcement == Enforcement::PerSource && base_rtt == BaseRttScope::Path {
            let diagnostic = Diagnostic::new(
                "a state of a source serves several paths and is told one base RTT",
                "write network.base_rtt = \"global\", or another enforcement",
            );
            return Err(diagnostic.at("nic.enforcement"));
        }
        Ok(())
    }

    fn check_algorithm(&self, cc: &CcSection) -> Result<(), Diagnostic> {
        let name = cc.name.as_str();
        let per_source = self.enforcement == Enforcement::PerSource;
        let (what, hint) = match cc.algorithm.needs().serves {
            Serves::OnePath(why) if per_source => (
                format!("one state of `{name}` cannot serve several paths: {why}"),
                "write \"per-pair\", or take another algorithm",
            ),
            Serves::OneFlow(why) => (
                format!("one state of `{name}` cannot serve several flows: {why}"),
                "remove it, or take another algorithm",
            ),
            Serves::AnyFlows | Serves::OnePath(_) => return Ok(()),
        };
        Err(Diagnostic::new(what, hint).at(self.key()))
    }

    /// The key that makes QPs share states.
    fn key(&self) -> &'static str {
        match self.enforcement {
            Enforcement::PerQp => "nic.qps",
            _ => "nic.enforcement",
        }
    }
}
