//! `[network.buffer]` and `[network.pfc]`: buffers of switches, and the flow control that keeps
//! buffers from overflowing.

use incast_diagnostic::{Diagnostic, Placed};
use incast_net::{BufferConfig, Headroom, PfcConfig, PfcThreshold};
use incast_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use crate::spec::profile::Choices;

/// The reaction to a full buffer.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "FlowControl")]
pub(crate) enum FlowControlKind {
    /// Priority flow control: pause the sender before anything is lost.
    #[default]
    Pfc,
    /// Drop packets; senders send lost packets again.
    None,
}

/// The switches' packet buffer, shared by the ports of one switch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Buffer")]
pub(crate) struct BufferSection {
    /// The size of the buffer, the reserves included. Default: 32 MiB at NICs of 100 Gb/s, in
    /// proportion to their rate.
    pub(crate) size: Option<Bytes>,
    /// Buffer reserved for every ingress port, outside the shared part.
    #[schemars(extend("default" = "4KiB"))]
    pub(crate) reserve: Option<Bytes>,
}

impl BufferSection {
    /// The section with defaults: a size in proportion to the NIC rate, and a reserve of 4 KiB.
    pub(crate) fn with_defaults(self, nic_rate: Rate) -> Self {
        Self {
            size: self.size.or(Some(default_buffer(nic_rate))),
            reserve: self.reserve.or(Some(Bytes::new(4096))),
        }
    }

    /// The buffer.
    ///
    /// # Errors
    /// If the buffer has size zero.
    pub(crate) fn build(&self) -> Result<BufferConfig, Diagnostic> {
        let (size, reserve) = (filled_in(self.size), filled_in(self.reserve));
        if size == Bytes::ZERO {
            let diagnostic = Diagnostic::new(
                "switches without a buffer lose every packet",
                "write e.g. \"32MiB\"",
            );
            return Err(diagnostic.at("network.buffer.size"));
        }
        Ok(BufferConfig { size, reserve })
    }
}

/// 16 MiB for every 50 Gb/s of NIC rate, as in the run script of the HPCC artifact.
fn default_buffer(nic_rate: Rate) -> Bytes {
    let bytes = 16 * 1024 * 1024 * u128::from(nic_rate.as_bps()) / 50_000_000_000;
    Bytes::new(bytes as u64)
}

/// Priority flow control (IEEE 802.1Qbb) over a shared buffer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Pfc")]
pub(crate) struct PfcSection {
    /// Buffered size at which an ingress port is paused: a fixed size, or the free shared buffer
    /// shifted right by `shift` (3: one eighth). The shift is one less for every doubling of the
    /// port's rate over that of NICs.
    #[schemars(extend("default" = { "shift": 3 }))]
    pub(crate) threshold: Option<PfcThreshold>,
    /// A paused ingress port resumes when it holds this much less than its threshold.
    #[schemars(extend("default" = "3KiB"))]
    pub(crate) resume_offset: Option<Bytes>,
    /// Buffer reserved for packets that arrive after the decision to pause: `"worst-case"`, a size,
    /// or a multiple of each link's rate · delay. `default`: worst-case; `hpcc-ns3`: {
    /// rate_delay = 3 }.
    pub(crate) headroom: Option<Headroom>,
}

impl PfcSection {
    /// The section with defaults: a threshold of one eighth of the free buffer, and the headroom of
    /// the profile.
    pub(crate) fn with_defaults(self, choices: &Choices) -> Self {
        let threshold = PfcThreshold::Dynamic { shift: 3 };
        Self {
            threshold: self.threshold.or(Some(threshold)),
            resume_offset: self.resume_offset.or(Some(Bytes::new(3072))),
            headroom: self.headroom.or(Some(choices.headroom.clone())),
        }
    }

    /// Thresholds and headroom.
    ///
    /// # Errors
    /// If the threshold is zero whatever the buffer holds.
    pub(crate) fn build(&self) -> Result<PfcConfig, Diagnostic> {
        let threshold = filled_in(self.threshold.as_ref());
        threshold.check().at("network.pfc.threshold")?;
        Ok(PfcConfig {
            threshold: threshold.clone(),
            resume_offset: filled_in(self.resume_offset),
            headroom: filled_in(self.headroom.as_ref()).clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The HPCC artifact's run.py has 16 MiB for every 50 Gb/s: 32 MiB at 100 Gb/s, 3.2
    /// MiB = 3 355 443 B at 10 Gb/s.
    #[test]
    fn the_buffer_follows_the_nic_rate() {
        assert_eq!(
            default_buffer(Rate::from_gbps(100)),
            Bytes::new(32 * 1024 * 1024)
        );
        assert_eq!(default_buffer(Rate::from_gbps(10)), Bytes::new(3_355_443));
    }
}
