//! Pairs of NICs by which machines with several NICs reach each other.

use incast_units::HostId;

use super::Routes;
use crate::topology::Machines;

impl Routes {
    /// The pairs of NICs by which one machine sends to another: those with the fewest links between
    /// them. If some of these pairs join NICs with equal numbers, which share a plane or rail, only
    /// they remain. Empty if no pair has a path.
    pub fn nic_pairs(
        &self,
        machines: &Machines,
        from: HostId,
        to: HostId,
    ) -> Vec<(HostId, HostId)> {
        let ends = |machine| machines.nics(machine).map(HostId);
        let all = ends(from).flat_map(|source| ends(to).map(move |end| (source, end)));
        let distance = |(source, end)| Some((self.hops(source, end)?, (source, end)));
        let reached: Vec<_> = all.filter_map(distance).collect();
        let shortest = reached.iter().map(|(links, _)| *links).min();
        let nearest = reached
            .into_iter()
            .filter(|(links, _)| Some(*links) == shortest);
        let mut pairs: Vec<_> = nearest.map(|(_, pair)| pair).collect();
        let [first_source, first_end] = [from, to].map(|machine| machines.nics(machine).start);
        let is_aligned =
            |(source, end): &(HostId, HostId)| source.0 - first_source == end.0 - first_end;
        if pairs.iter().any(is_aligned) {
            pairs.retain(is_aligned);
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{NodeId, Rate, Time};

    use super::*;
    use crate::routes::NextHopOrder;
    use crate::topology::{Link, Topology};

    /// Machines 0 and 1 each have a NIC at switch 5 and a NIC at switch 6; machine 2 has one NIC,
    /// at switch 6. A link joins the switches.
    ///
    /// ```text
    /// ends 0 and 2 at 5, ends 1, 3 and 4 at 6, 5 joined to 6
    /// ```
    fn routes() -> Routes {
        let ends = [(0, 5), (1, 6), (2, 5), (3, 6), (4, 6), (5, 6)];
        let link = |(a, b)| {
            let (rate, delay) = (Rate::from_gbps(100), Time::from_us(1));
            Link::new(NodeId(a), NodeId(b), rate, delay)
        };
        let topology = Topology::new("", 5, 2, ends.map(link).to_vec());
        Routes::shortest(&topology, NextHopOrder::ByPort)
    }

    fn pairs(from: u32, to: u32) -> Vec<(u32, u32)> {
        let machines = Machines::new([2, 2, 1]);
        let pairs = routes().nic_pairs(&machines, HostId(from), HostId(to));
        pairs.into_iter().map(|(a, b)| (a.0, b.0)).collect()
    }

    /// Paths through one switch have two links, paths through both have three.
    #[test]
    fn nics_of_one_number_are_taken_where_they_are_as_near() {
        assert_eq!(pairs(0, 1), [(0, 2), (1, 3)]);
        assert_eq!(pairs(1, 0), [(2, 0), (3, 1)]);
    }

    /// Only the second NIC is on the switch of machine 2: pairs of equal numbers are farther apart.
    #[test]
    fn the_nearest_nics_are_taken() {
        assert_eq!(pairs(0, 2), [(1, 4)]);
        assert_eq!(pairs(2, 1), [(4, 3)]);
    }

    #[test]
    fn nics_that_do_not_reach_each_other_are_no_pair() {
        let link = |a, b| {
            let (rate, delay) = (Rate::from_gbps(100), Time::from_us(1));
            Link::new(NodeId(a), NodeId(b), rate, delay)
        };
        // Two planes: switch 4 has ends 0 and 2, switch 5 has 1 and 3.
        let links = vec![link(0, 4), link(1, 5), link(2, 4), link(3, 5)];
        let routes = Routes::shortest(&Topology::new("", 4, 2, links), NextHopOrder::ByPort);
        let machines = Machines::of_equal(2, 2);
        let pairs = routes.nic_pairs(&machines, HostId(0), HostId(1));
        assert_eq!(pairs, [(0, 2), (1, 3)].map(|(a, b)| (HostId(a), HostId(b))));
    }
}
