//! By which NICs hosts reach each other, where they have several.
//!
//! Traffic goes from host to host; to the network each NIC is an end of its own. The flows of two
//! hosts take the pairs of NICs that reach each other ([`Routes::nic_pairs`]) one after the other:
//!
//! ```text
//! pair = (source + destination + turn) mod pairs
//! ```
//!
//! `turn` counts the flows from one host to the other; a message of a task graph may name the pair
//! itself. Hosts are in the sum so that those that send one flow each to many others, as in an
//! all-to-all, use all of their NICs, and so do those that receive them.

use std::sync::Arc;

use incast_topology::{Machines, Routes, Topology};
use incast_units::HostId;

/// The NICs of hosts that have several.
#[derive(Debug)]
pub(crate) struct NicPairs {
    machines: Machines,
    routes: Arc<Routes>,
}

impl NicPairs {
    /// None if each host has one NIC.
    pub(crate) fn new(topology: &Topology, routes: &Arc<Routes>) -> Option<Arc<Self>> {
        let machines = topology.machines.clone()?;
        let routes = Arc::clone(routes);
        Some(Arc::new(Self { machines, routes }))
    }

    /// By how many pairs of NICs hosts reach each other: the smallest number from host 0 on.
    pub(crate) fn fewest(&self) -> u16 {
        let others = (1..self.machines.count()).map(HostId);
        let pairs = others.map(|other| self.of(HostId(0), other).len());
        pairs.min().unwrap_or(1).max(1) as u16
    }

    /// The ends of a flow from one host to another.
    ///
    /// # Panics
    /// If no NIC of one reaches any of the other: then the topology is not valid.
    pub(crate) fn ends(&self, from: HostId, to: HostId, by: By) -> (HostId, HostId) {
        let pairs = self.of(from, to);
        let count = match by {
            By::Nic(nic) => nic.into(),
            By::Turn(turn) => (u64::from(from.0) + u64::from(to.0)).wrapping_add(turn),
        };
        pairs[(count % pairs.len() as u64) as usize]
    }

    /// The host that has this end as a NIC.
    pub(crate) fn host_of(&self, end: HostId) -> HostId {
        self.machines.of(end).0
    }

    fn of(&self, from: HostId, to: HostId) -> Vec<(HostId, HostId)> {
        self.routes.nic_pairs(&self.machines, from, to)
    }
}

/// Which of the pairs of NICs a flow takes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The one of this number, counted on.
    Nic(u16),
    /// One after the other: so many flows of these hosts came before.
    Turn(u64),
}

impl By {
    /// That which a message names, or else its turn.
    pub(crate) fn message(nic: Option<u16>, turn: u64) -> Self {
        nic.map_or(Self::Turn(turn), Self::Nic)
    }
}

#[cfg(test)]
mod tests {
    use incast_topology::{NextHopOrder, TopologySpec};

    use super::*;

    fn planes(count: u32) -> Option<Arc<NicPairs>> {
        let star = TopologySpec::named("star").unwrap().build().unwrap();
        let topology = star.in_planes(count).unwrap();
        let routes = Routes::shortest(&topology, NextHopOrder::ByPort);
        NicPairs::new(&topology, &Arc::new(routes))
    }

    /// Three planes: NIC p of host h is end 3h + p. From host 1 to host 4 the first flow takes
    /// plane (1 + 4) mod 3 = 2, the next one plane 0.
    #[test]
    fn flows_take_the_nics_in_turn() {
        let nics = planes(3).unwrap();
        let ends = |by| nics.ends(HostId(1), HostId(4), by);
        let plane = |plane: u32| (HostId(3 + plane), HostId(12 + plane));
        assert_eq!(ends(By::Turn(0)), plane(2));
        assert_eq!(ends(By::Turn(1)), plane(0));
        assert_eq!(ends(By::Turn(u64::MAX)), plane(1));
        assert_eq!(ends(By::Nic(1)), plane(1));
        assert_eq!(ends(By::Nic(5)), plane(2));
        assert_eq!(nics.fewest(), 3);
        assert_eq!(nics.host_of(HostId(14)), HostId(4));
        assert!(planes(1).is_none());
    }
}
