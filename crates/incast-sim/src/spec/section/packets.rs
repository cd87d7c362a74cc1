//! `[network.packets]`: sizes on the wire.

use incast_diagnostic::Diagnostic;
use incast_net::PacketSizes;
use incast_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filled_in;
use crate::spec::profile::Choices;

/// Sizes of packets and headers on the wire. Preamble, gap and FCS are not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Packets")]
pub(crate) struct PacketsSection {
    /// Largest payload of a data packet. Default under profile `uet-htsim`: 4086 B.
    #[schemars(extend("default" = "1000B"))]
    pub(crate) mtu: Option<Bytes>,
    /// Headers of a data packet, INT and timestamp excluded: Ethernet 14, IPv4 20, UDP 8, sequence
    /// and group 6. Default under profile `uet-htsim`: 64 B.
    #[schemars(extend("default" = "48B"))]
    pub(crate) data_header: Option<Bytes>,
    /// An ACK or NACK, INT and timestamp excluded. Default under profile `uet-htsim`: 64 B.
    #[schemars(extend("default" = "46B"))]
    pub(crate) ack: Option<Bytes>,
    /// The size to which smaller ACKs and NACKs are padded. Default under profile `uet-htsim`: 64
    /// B.
    #[schemars(extend("default" = "60B"))]
    pub(crate) minimum: Option<Bytes>,
    /// INT in data packets and ACKs, of this size for any number of hops.
    #[schemars(extend("default" = "42B"))]
    pub(crate) int: Option<Bytes>,
    /// Timestamp in data packets and ACKs. Default under profile `uet-htsim`: 0 B.
    #[schemars(extend("default" = "8B"))]
    pub(crate) timestamp: Option<Bytes>,
    /// The field for the receiver's number of flows, in ACKs that collect INT themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "2B"))]
    pub(crate) receiver_flows: Option<Bytes>,
    /// A congestion notification packet.
    #[schemars(extend("default" = "60B"))]
    pub(crate) cnp: Option<Bytes>,
    /// A PFC frame: 64 B, or 43 B under profile `hpcc-ns3`.
    pub(crate) pfc_frame: Option<Bytes>,
}

/// The largest packet that fits the run's 16-bit length fields.
const LARGEST: Bytes = Bytes::new(65_535);

impl PacketsSection {
    /// The section with the profile's sizes for missing keys.
    pub(crate) fn with_defaults(self, choices: &Choices) -> Self {
        let base = &choices.packets;
        Self {
            mtu: self.mtu.or(Some(base.mtu)),
            data_header: self.data_header.or(Some(base.data_header)),
            ack: self.ack.or(Some(base.ack)),
            minimum: self.minimum.or(Some(base.minimum)),
            int: self.int.or(Some(base.int)),
            timestamp: self.timestamp.or(Some(base.timestamp)),
            receiver_flows: self.receiver_flows,
            cnp: self.cnp.or(Some(base.cnp)),
            pfc_frame: self.pfc_frame.or(Some(base.pfc_frame)),
        }
    }

    /// The packet sizes of the run.
    ///
    /// # Errors
    /// If a packet would be empty, or too large for the run's length fields.
    pub(crate) fn build(&self) -> Result<PacketSizes, Diagnostic> {
        let receiver_flows = PacketSizes::default().receiver_flows;
        let sizes = PacketSizes {
            mtu: filled_in(self.mtu),
            data_header: filled_in(self.data_header),
            ack: filled_in(self.ack),
            minimum: filled_in(self.minimum),
            int: filled_in(self.int),
            timestamp: filled_in(self.timestamp),
            receiver_flows: self.receiver_flows.unwrap_or(receiver_flows),
            cnp: filled_in(self.cnp),
            pfc_frame: filled_in(self.pfc_frame),
        };
        check(&sizes)?;
        Ok(sizes)
    }
}

fn check(sizes: &PacketSizes) -> Result<(), Diagnostic> {
    let positive = [
        ("mtu", sizes.mtu),
        ("ack", sizes.ack),
        ("cnp", sizes.cnp),
        ("pfc_frame", sizes.pfc_frame),
    ];
    for (key, size) in positive {
        if size == Bytes::ZERO {
            let diagnostic = Diagnostic::new("a packet of 0 bytes", "write at least 1B");
            return Err(diagnostic.at(format!("network.packets.{key}")));
        }
    }
    let hint = || format!("packets are at most {LARGEST}");
    let bounded = [
        ("data_header", sizes.data_header),
        ("ack", sizes.ack),
        ("minimum", sizes.minimum),
        ("int", sizes.int),
        ("timestamp", sizes.timestamp),
        ("cnp", sizes.cnp),
        ("pfc_frame", sizes.pfc_frame),
    ];
    if let Some((key, size)) = bounded.into_iter().find(|(_, size)| *size > LARGEST) {
        let diagnostic = Diagnostic::new(format!("`{size}` is too large"), hint());
        return Err(diagnostic.at(format!("network.packets.{key}")));
    }
    let data = sizes.mtu + sizes.data_header + sizes.int + sizes.timestamp;
    if data > LARGEST {
        let what = format!("a data packet takes {data} with its headers");
        return Err(Diagnostic::new(what, hint()).at("network.packets.mtu"));
    }
    Ok(())
}
