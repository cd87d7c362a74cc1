//! One path for each flow, as in ECMP: all packets have the entropy of their flow.

use incast_diagnostic::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BalanceOptions, FlowEntropy, PathSelector, PathUse};

/// All packets of a flow take one path.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KeptPath {}

impl BalanceOptions for KeptPath {
    fn entropies(&self) -> u32 {
        1
    }

    fn path_use(&self) -> PathUse {
        PathUse::One
    }

    fn check(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn selector(&self, _flow: &FlowEntropy) -> Option<Box<dyn PathSelector>> {
        None
    }
}
