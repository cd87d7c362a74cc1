//! Recordings of a run beside its operations: tokens and watermarks of endpoints, queues of
//! switches, and every packet's start.

use crate::control::ControlState;
use crate::endpoint::Endpoint;
use crate::packet::{Cycle, FabricPacket, Leg, OperationKind};
use crate::switch::FabricSwitch;

/// Recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FabricMeasure {
    /// Cycles between samples; none are taken if 0.
    pub every: Cycle,
    /// Endpoints whose control is sampled.
    pub endpoints: Vec<u16>,
    /// Whether every packet's start is recorded.
    pub packet_starts: bool,
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

/// Samples of one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeSeries {
    number: u16,
    ports: u16,
    every: Cycle,
    next: Cycle,
    /// Places of the endpoints whose control is sampled.
    watched: Vec<(usize, u16)>,
    pub(crate) controls: Vec<ControlSample>,
    pub(crate) occupancy: Vec<OccupancySample>,
}

impl NodeSeries {
    /// For a switch with this many ports; `watched` are places among its endpoints, and numbers.
    pub(crate) fn new(number: u16, ports: u16, every: Cycle, watched: Vec<(usize, u16)>) -> Self {
        Self {
            number,
            ports,
            every,
            watched,
            ..Self::default()
        }
    }

    /// When the next sample is due.
    pub(crate) fn next(&self) -> Option<Cycle> {
        (self.every > 0).then_some(self.next)
    }

    pub(crate) fn sample(&mut self, now: Cycle, switch: &FabricSwitch, endpoints: &mut [Endpoint]) {
        self.next = now + self.every;
        for &(place, endpoint) in &self.watched {
            let state = endpoints[place].control_mut().state(now);
            self.controls.push(ControlSample {
                cycle: now,
                endpoint,
                state,
            });
        }
        let own = endpoints.len() as u16;
        let held = |ports: std::ops::Range<u16>| {
            [0, 1].map(|channel| {
                let held = ports
                    .clone()
                    .map(|port| u64::from(switch.held_by(port, channel)));
                held.sum()
            })
        };
        let mut at_endpoints = [0; 2];
        for endpoint in endpoints.iter() {
            for (sum, waiting) in at_endpoints.iter_mut().zip(endpoint.port().waiting(now)) {
                *sum += waiting;
            }
        }
        self.occupancy.push(OccupancySample {
            cycle: now,
            switch: self.number,
            to_endpoints: held(0..own),
            to_switches: held(own..self.ports),
            at_endpoints,
        });
    }
}
