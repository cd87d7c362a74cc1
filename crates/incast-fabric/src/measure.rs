//! Recordings of a run beside its operations: tokens and watermarks of endpoints, queues of
//! switches, and every packet's start.

use incast_engine::RowLimit;

use crate::control::ControlState;
use crate::packet::{Cycle, FabricPacket, Leg, OperationKind};

/// Recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FabricMeasure {
    /// Cycles between samples; none are taken if 0.
    pub every: Cycle,
    /// Endpoints whose control is sampled.
    pub endpoints: Vec<u16>,
    /// The most rows that samples of controls have, and those of queues. Where there would be more,
    /// the cycles between samples double.
    pub row_limit: RowLimit,
    /// Whether every packet's start is recorded.
    pub packet_starts: bool,
}

impl FabricMeasure {
    /// How many times a run of this many switches may be sampled.
    pub(crate) fn sample_limit(&self, switches: u16) -> u64 {
        let rows = self.endpoints.len().max(switches.into()).max(1);
        (self.row_limit.0 / rows).max(1) as u64
    }
}

/// A packet's first flit goes onto a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketStart {
    /// When.
    pub cycle: Cycle,
    /// The sending switch; endpoint e is [`PacketStart::ENDPOINTS`] and its port e.
    pub node: u16,
    /// The sending port.
    pub port: u16,
    /// The operation's initiator.
    pub initiator: u16,
    /// Its number there.
    pub sequence: u32,
    /// What it does.
    pub kind: OperationKind,
    /// Request or response.
    pub leg: Leg,
    /// Flits, one a cycle.
    pub flits: u8,
}

impl PacketStart {
    /// Stands for endpoints in place of a switch.
    pub const ENDPOINTS: u16 = u16::MAX;

    pub(crate) fn from_endpoint(endpoint: u16) -> (u16, u16) {
        (Self::ENDPOINTS, endpoint)
    }

    pub(crate) fn new(cycle: Cycle, place: (u16, u16), packet: &FabricPacket) -> Self {
        Self {
            cycle,
            node: place.0,
            port: place.1,
            initiator: packet.initiator,
            sequence: packet.sequence,
            kind: packet.kind,
            leg: packet.leg,
            flits: packet.flits() as u8,
        }
    }
}

/// State of an endpoint's control at one time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ControlSample {
    /// When.
    pub cycle: Cycle,
    /// The endpoint.
    pub endpoint: u16,
    /// Its control.
    pub state: ControlState,
}

/// Flits in queues at one time: of one switch's ports to endpoints, or to other switches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OccupancySample {
    /// When.
    pub cycle: Cycle,
    /// The switch.
    pub switch: u16,
    /// Flits of requests, of responses, before links to endpoints.
    pub to_endpoints: [u64; 2],
    /// Flits of requests, of responses, before links to switches.
    pub to_switches: [u64; 2],
    /// Flits of requests, of responses, that wait at its endpoints.
    pub at_endpoints: [u64; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 12 switches, or 20 endpoints, at a time.
    #[test]
    fn the_larger_table_has_at_most_as_many_rows() {
        let measure = |endpoints| FabricMeasure {
            endpoints: (0..endpoints).collect(),
            row_limit: RowLimit(100),
            ..FabricMeasure::default()
        };
        assert_eq!(measure(2).sample_limit(12), 8);
        assert_eq!(measure(20).sample_limit(12), 5);
        assert_eq!(measure(2).sample_limit(1000), 1);
    }
}
