//! `[[exception]]`: endpoints with options of their own.

use incast_diagnostic::{Diagnostic, Placed as _};
use incast_fabric::{EndpointException, FabricShape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::control::ControlSection;

/// `[[exception]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Exception")]
pub(super) struct ExceptionSection {
    /// Endpoints by number.
    endpoints: Vec<u16>,
    /// The injection control of these endpoints, in place of `[control]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    control: Option<ControlSection>,
    /// Cycles from a read to the response of these endpoints' memory, in place of
    /// `fabric.read_latency`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read_latency: Option<u32>,
}

impl ExceptionSection {
    pub(super) fn build(&self, shape: &FabricShape) -> Result<Vec<EndpointException>, Diagnostic> {
        if let Some(missing) = self.endpoints.iter().find(|&&e| e >= shape.endpoints()) {
            let what = format!("endpoint {missing} does not exist");
            let hint = format!("the fabric has endpoints 0 to {}", shape.endpoints() - 1);
            return Err(Diagnostic::new(what, hint).at("endpoints"));
        }
        if self.control.is_none() && self.read_latency.is_none() {
            let diagnostic = Diagnostic::new(
                "these endpoints are as the others",
                "write read_latency, or control = { scheme = … }",
            );
            return Err(diagnostic);
        }
        let control = self.control.as_ref().map(ControlSection::build).transpose();
        let control = control.at("control")?;
        let exceptions = self.endpoints.iter().map(|&endpoint| EndpointException {
            endpoint,
            control,
            read_latency: self.read_latency,
        });
        Ok(exceptions.collect())
    }
}
