//! UDP source ports of flows, which ECMP hashes.

use std::collections::HashMap;

use incast_cc::Serves;
use incast_net::{Enforcement, Flow, NicConfig, QpLifetime};
use incast_random::mix;
use incast_units::HostId;

use crate::spec::{SourcePortChoice, ValidSpec};

/// The first source port that the HPCC artifact gives to a pair of hosts (`run.py`).
const FIRST_PORT: u16 = 10_000;

/// Assigns source ports to flows.
#[derive(Clone)]
pub(crate) struct SourcePorts {
    /// The scope of source ports, for each group of flows.
    scopes: Vec<PortScope>,
    ports: PortNumbers,
}

/// The flows that share a source port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum PortScope {
    /// Every flow.
    Flow,
    /// Every persistent QP.
    Lane,
    /// All flows of a pair of hosts, because they share a congestion state, which must see one
    /// path.
    Pair,
}

/// Source ports of flows that wait for others. Hosts assign them when the flows start, so that
/// ports must follow from the flow, and cannot be counted.
pub(super) struct WaitingPorts {
    /// The scope of source ports, for each group of flows.
    scopes: Vec<PortScope>,
    choice: SourcePortChoice,
    seed: u64,
}

impl WaitingPorts {
    pub(super) fn new(spec: &ValidSpec) -> Self {
        Self {
            scopes: PortScope::by_group(spec),
            choice: spec.choices().source_ports,
            seed: spec.seed(),
        }
    }

    /// The port of a flow; at most `turn` earlier flows went between its hosts.
    pub(super) fn of(&self, flow: &Flow, group: u16, turn: u64) -> u16 {
        let scope = self.scopes[usize::from(group)];
        if scope == PortScope::Flow && self.choice == SourcePortChoice::CountedPerPair {
            return FIRST_PORT.wrapping_add(turn as u16);
        }
        PortNumbers::new(self.choice, self.seed).within(scope, flow, group)
    }
}

#[derive(Clone)]
enum PortNumbers {
    /// [`SourcePortChoice::Hashed`].
    Hashed { seed: u64 },
    /// [`SourcePortChoice::CountedPerPair`], with the next port of each pair.
    Counted(HashMap<(HostId, HostId), u16>),
}

impl SourcePorts {
    pub(crate) fn new(spec: &ValidSpec) -> Self {
        Self {
            scopes: PortScope::by_group(spec),
            ports: PortNumbers::new(spec.choices().source_ports, spec.seed()),
        }
    }

    /// The port of a flow of a group, which flows of its persistent QP or of its pair may share.
    pub(crate) fn of(&mut self, flow: &Flow, group: u16) -> u16 {
        let scope = self.scopes[usize::from(group)];
        self.ports.within(scope, flow, group)
    }
}

impl PortScope {
    fn by_group(spec: &ValidSpec) -> Vec<Self> {
        let nic = &spec.network().nic;
        let algorithms = spec.algorithms();
        algorithms.by_group(|algorithm| Self::of(nic, algorithm.needs.serves))
    }

    fn of(nic: &NicConfig, serves: Serves) -> Self {
        let serves_one_path = matches!(serves, Serves::OnePath(_));
        match (nic.enforcement, nic.qps) {
            (Enforcement::PerPair | Enforcement::PerSource, _) => Self::Pair,
            (Enforcement::PerDestination, _) if serves_one_path => Self::Pair,
            (_, QpLifetime::Persistent) => Self::Lane,
            (_, QpLifetime::PerFlow) => Self::Flow,
        }
    }
}

impl PortNumbers {
    fn new(choice: SourcePortChoice, seed: u64) -> Self {
        match choice {
            SourcePortChoice::Hashed => Self::Hashed { seed },
            SourcePortChoice::CountedPerPair => Self::Counted(HashMap::new()),
        }
    }

    /// The port of a flow of this group. Ports of different groups of a pair differ in their first
    /// bits, ports of different QPs in their last bits.
    fn within(&mut self, scope: PortScope, flow: &Flow, group: u16) -> u16 {
        let apart = group.reverse_bits();
        match scope {
            PortScope::Flow => self.of_flow(flow),
            PortScope::Lane => self.of_pair(flow).wrapping_add(flow.lane) ^ apart,
            PortScope::Pair => self.of_pair(flow) ^ apart,
        }
    }

    fn of_flow(&mut self, flow: &Flow) -> u16 {
        match self {
            Self::Hashed { seed } => (mix(*seed ^ mix(flow.id.0.into())) >> 48) as u16,
            Self::Counted(next) => {
                let pair = (flow.source, flow.destination);
                let port = next.entry(pair).or_insert(FIRST_PORT);
                let own = *port;
                *port = own.wrapping_add(1);
                own
            }
        }
    }

    fn of_pair(&self, flow: &Flow) -> u16 {
        match self {
            Self::Hashed { seed } => {
                let pair = u64::from(flow.source.0) << 32 | u64::from(flow.destination.0);
                (mix(*seed ^ mix(!pair)) >> 48) as u16
            }
            Self::Counted(_) => FIRST_PORT,
        }
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{Bytes, FlowId, Time};

    use super::*;

    fn flow(id: u32, source: u32, destination: u32, lane: u16) -> Flow {
        Flow {
            id: FlowId(id),
            start: Time::ZERO,
            source: HostId(source),
            destination: HostId(destination),
            size: Bytes::new(1),
            tag: 0,
            lane,
            source_port: 0,
        }
    }

    #[test]
    fn the_artifact_counts_ports_per_pair() {
        let mut ports = PortNumbers::new(SourcePortChoice::CountedPerPair, 1);
        let mut port = |source, destination| ports.of_flow(&flow(0, source, destination, 0));
        assert_eq!(
            [port(0, 1), port(0, 1), port(1, 0), port(0, 1)],
            [10_000, 10_001, 10_000, 10_002]
        );
    }

    #[test]
    fn mixed_ports_follow_seed_and_flow() {
        let port =
            |seed, id| PortNumbers::new(SourcePortChoice::Hashed, seed).of_flow(&flow(id, 0, 1, 0));
        assert_eq!(port(1, 7), port(1, 7));
        assert_ne!(port(1, 7), port(2, 7));
        assert_ne!(port(1, 7), port(1, 8));
    }

    #[test]
    fn flows_of_a_pair_or_a_lane_have_one_port() {
        let port = |scope, flow: Flow, group| {
            PortNumbers::new(SourcePortChoice::Hashed, 1).within(scope, &flow, group)
        };
        let (one, later, beside) = (flow(0, 3, 5, 0), flow(9, 3, 5, 0), flow(9, 3, 5, 1));
        for scope in [PortScope::Lane, PortScope::Pair] {
            assert_eq!(port(scope, one, 0), port(scope, later, 0));
            let of_groups = [0, 1, 2, 3].map(|group| port(scope, one, group));
            let distances = of_groups.map(|port| port ^ of_groups[0]);
            assert_eq!(distances, [0, 1 << 15, 1 << 14, 3 << 14]);
            assert_ne!(port(scope, one, 0), port(scope, flow(0, 5, 3, 0), 0));
        }
        let [lane, pair] = [PortScope::Lane, PortScope::Pair];
        assert_ne!(port(lane, one, 0), port(lane, beside, 0));
        assert_eq!(port(pair, one, 0), port(pair, beside, 0));
    }
}
