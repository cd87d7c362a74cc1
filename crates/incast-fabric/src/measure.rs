//! Recordings of a run besides its operations: tokens and watermarks of endpoints, queues of
//! switches, and the start of every packet.

use incast_engine::RowLimit;

use crate::control::ControlState;
use crate::packet::{Cycle, FabricPacket, Leg, OperationKind};

/// Recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FabricMeasure {
    /// Cycles between samples; 0: no samples.
    pub every: Cycle,
    /// Endpoints whose injection control is sampled.
    pub endpoints: Vec<u16>,
    /// Most rows in the table of control samples, and in the table of queue samples. Where there
    /// would be more, the interval between samples doubles.
    pub row_limit: RowLimit,
    /// Whether the start of every packet is recorded.
    pub packet_starts: bool,
}

impl FabricMeasure {
    /// Largest number of sampling times for a fabric of `switches` switches.
    pub(crate) fn sample_limit(&self, switches: u16) -> u64 {
        let rows = self.endpoints.len().max(switches.into()).max(1);
        (self.row_limit.0 / rows).max(1) as u64
    }
}

/// The start of a packet: its first flit goes onto a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketStart {
    /// When.
    pub cycle: Cycle,
    /// The sending switch. For an endpoint, [`PacketStart::ENDPOINTS`]; the port is then the
    /// endpoint's number.
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
    /// Flits of the packet; one goes onto the link each cycle.
    pub flits: u8,
}

impl PacketStart {
    /// Value of `node` for endpoints.
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

/// State of an endpoint's injection control at one time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ControlSample {
    /// When.
    pub cycle: Cycle,
    /// The endpoint.
    pub endpoint: u16,
    /// Its control.
    pub state: ControlState,
}

/// Flits in the queues of one switch and of its endpoints at one time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OccupancySample {
    /// When.
    pub cycle: Cycle,
    /// The switch.
    pub switch: u16,
    /// Flits of requests and of responses in queues to endpoints.
    pub to_endpoints: [u64; 2],
    /// Flits of requests and of responses in queues to other switches.
    pub to_switches: [u64; 2],
    /// Flits of requests and of responses that wait at the switch's endpoints.
    pub at_endpoints: [u64; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each sampling time gives 12 rows for switches or 20 rows for endpoints.
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
