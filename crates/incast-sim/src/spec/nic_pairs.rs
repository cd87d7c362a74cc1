//! The pairs of NICs by which hosts reach each other, where hosts have several NICs.
//!
//! Traffic goes from host to host; in the network each NIC is an end of its own. The flows of two
//! hosts take the pairs of NICs that reach each other ([`Routes::nic_pairs`]) one after the other:
//!
//! ```text
//! pair = (source + destination + turn) mod pairs
//! ```
//!
//! `turn` counts the flows from one host to the other; a message of a task graph may name the pair
//! itself. The sum has the hosts in it so that a host with one flow to each of many others, as in
//! an all-to-all, uses all of its NICs. So do the hosts that receive these flows.

use std::collections::HashMap;
use std::sync::Arc;

use incast_topology::{Machines, Routes, Topology};
use incast_units::HostId;
use incast_workload::NicCounts;

/// The NICs of hosts that have several.
#[derive(Debug)]
pub(crate) struct NicPairs {
    machines: Machines,
    routes: Arc<Routes>,
}

impl NicPairs {
    /// The pairs of NICs; `None` if each host has one NIC.
    pub(crate) fn new(topology: &Topology, routes: &Arc<Routes>) -> Option<Arc<Self>> {
        let machines = topology.machines.clone()?;
        let routes = Arc::clone(routes);
        Some(Arc::new(Self { machines, routes }))
    }

    /// The NICs at the ends of a flow from one host to another.
    ///
    /// # Panics
    /// If no NIC of `from` reaches a NIC of `to`: the topology is then not valid.
    pub(crate) fn ends(&self, from: HostId, to: HostId, by: By) -> (HostId, HostId) {
        let pairs = self.of(from, to);
        let count = match by {
            By::Nic(nic) => nic.into(),
            By::Turn(turn) => (u64::from(from.0) + u64::from(to.0)).wrapping_add(turn),
        };
        pairs[(count % pairs.len() as u64) as usize]
    }

    fn of(&self, from: HostId, to: HostId) -> Vec<(HostId, HostId)> {
        self.routes.nic_pairs(&self.machines, from, to)
    }
}

impl NicCounts for NicPairs {
    fn between(&self, from: HostId, to: HostId) -> u16 {
        self.of(from, to).len() as u16
    }
}

/// Gives the flows of each pair of hosts the pairs of NICs in turn. Where each host has one NIC,
/// the ends are the hosts.
#[derive(Clone, Debug)]
pub(crate) struct NicTurns {
    pairs: Option<Arc<NicPairs>>,
    /// By pair of hosts: how many flows it has had so far.
    turns: HashMap<(HostId, HostId), u64>,
}

impl NicTurns {
    pub(crate) fn new(pairs: Option<Arc<NicPairs>>) -> Self {
        Self {
            pairs,
            turns: HashMap::new(),
        }
    }

    /// The NICs at the ends of the next flow from one host to another.
    pub(crate) fn next(&mut self, from: HostId, to: HostId) -> (HostId, HostId) {
        let Some(pairs) = &self.pairs else {
            return (from, to);
        };
        let turn = self.turns.entry((from, to)).or_default();
        let ends = pairs.ends(from, to, By::Turn(*turn));
        *turn += 1;
        ends
    }
}

/// How a flow's pair of NICs is chosen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The pair of this number, modulo the number of pairs.
    Nic(u16),
    /// The pair whose turn it is after this many flows from one host to the other.
    Turn(u64),
}

impl By {
    /// The pair of NICs that a message names; without a name the pair whose turn it is.
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

    /// In three planes NIC p of host h is end 3h + p. From host 1 to host 4 the first flow takes
    /// plane (1 + 4) mod 3 = 2, the next flow takes plane 0.
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
        assert_eq!(nics.between(HostId(0), HostId(1)), 3);
        let mut turns = NicTurns::new(Some(Arc::clone(&nics)));
        let mut next = |to| turns.next(HostId(1), HostId(to));
        assert_eq!([next(4), next(4)], [plane(2), plane(0)]);
        assert_eq!(next(0), (HostId(4), HostId(1)));
        assert!(planes(1).is_none());
    }
}
