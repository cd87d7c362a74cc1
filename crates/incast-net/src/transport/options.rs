//! Options of transport: which packets are sent again and when, and when receivers send ACKs.

use incast_units::{Bytes, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The packets that are sent again after a loss.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryKind {
    /// Everything from the first lost packet on; receivers discard packets that come too early.
    GoBackN,
    /// Lost packets only; receivers keep packets that come too early.
    Selective,
}

/// What the arrival of one transmission says about earlier ones.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum LossDetection {
    /// Packets of a flow take one path and do not overtake each other: the ACK of a transmission
    /// shows that every earlier one has arrived or is lost.
    #[default]
    InOrder,
    /// Packets may overtake each other a little.
    Reordering(Reordering),
    /// Nothing. A loss is shown by the NACK that names a transmission, or by the timeout.
    Explicit,
}

impl LossDetection {
    /// Whether nothing that arrives was overtaken.
    #[inline]
    pub(crate) fn is_in_order(&self) -> bool {
        matches!(self, Self::InOrder)
    }
}

/// How far packets may be overtaken before they count as lost (RFC 9002, section 6.1).
///
/// ```text
/// lost if  newest − number ≥ packets                 (1)  packet threshold, section 6.1.1
///      or  now ≥ sent + RTT of newest + time         (2)  time threshold; RFC 8985, section 6.2
/// ```
///
/// `newest` is the latest transmission that is known to have arrived. Only what left before it can
/// be lost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reordering {
    /// Packet threshold: so many transmissions later than a lost one have arrived, or left before
    /// one that arrived. RFC 9002 recommends 3.
    pub packets: u32,
    /// Time by which a packet may be slower than one that left after it.
    pub time: Time,
}

/// Recovery from losses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryConfig {
    /// The packets that are sent again.
    pub kind: RecoveryKind,
    /// How senders find losses, if they send lost packets only.
    pub loss_detection: LossDetection,
    /// At most one NACK for the same sequence number in this time.
    pub nack_interval: Time,
    /// Retransmission timeout; `None` where nothing is ever lost.
    pub timeout: Option<Time>,
}

/// When a receiver acknowledges data. At once, in any case: the last packet of a flow, one that
/// requests an ACK, and one that fills a gap or, with selective repeat, comes early. A sender
/// requests an ACK where it would wait for one forever.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AckPolicy {
    /// One ACK for so many packets.
    Packets(u32),
    /// One ACK for so many payload bytes; at once also for a mark, the first packet of a flow and
    /// one that has come before.
    Bytes(Bytes),
}

impl AckPolicy {
    /// So many packets, of which each holds `mtu`, are sure to be acknowledged.
    pub fn full_packets(self, mtu: Bytes) -> u32 {
        match self {
            Self::Packets(packets) => packets,
            Self::Bytes(bytes) => {
                let packets = bytes.as_u64().div_ceil(mtu.as_u64()).max(1);
                u32::try_from(packets).unwrap_or(u32::MAX)
            }
        }
    }
}
