//! Which packets collect INT. Algorithms require a source, scenarios choose it, switches follow it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where INT comes from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntSource {
    /// Nowhere.
    #[default]
    Off,
    /// Switches write into departing data packets; ACKs return the records.
    Data,
    /// Switches write into ACKs the state of the port by which the data packet left. ACKs must take
    /// the reverse path of their data. They also carry the number of flows at their receiver.
    Acks,
}
