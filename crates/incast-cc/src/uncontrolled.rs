//! No congestion control: always line rate. For comparison, and for tests.
//!
//! Shared by QPs: any; there is no state.
//! Needs: nothing. Ignores: everything.

use incast_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Ack, CongestionControl, FlowContext, FlowController, Needs, Parameters, SendLimit};

/// Parameters of the algorithm: none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UncontrolledConfig {}

impl Parameters for UncontrolledConfig {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn build(&self, context: &FlowContext) -> Box<dyn FlowController> {
        let line_rate = context.line_rate;
        Box::new(Uncontrolled { line_rate })
    }
}

/// One flow, always at line rate.
#[derive(Clone, Debug)]
pub(crate) struct Uncontrolled {
    pub(crate) line_rate: Rate,
}

impl CongestionControl for Uncontrolled {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

    fn limit(&self) -> SendLimit {
        SendLimit::paced(self.line_rate)
    }
}
