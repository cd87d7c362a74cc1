//! The order of messages that arrive at one node at the same time.
//!
//! By number of the port, or by a hash of seed, node, time and port, so that no port is always
//! first. Only simultaneous messages are reordered; a port has at most one at a time.

use incast_random::{NetworkPurpose, SplitMix64, mix};
use incast_units::Time;

/// The order of messages that arrive at one node at the same time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TieOrder {
    /// By port.
    ByPort,
    /// By a hash, at switches. Hosts have one port, so their messages never arrive at the same
    /// time.
    Hashed {
        /// Of the run.
        key: u64,
        /// Number of hosts among the engine's nodes; they come first.
        hosts: u32,
        /// Difference between a node's number in the network and in the engine, where several NICs
        /// of a machine are one node.
        shift: u32,
    },
}

impl TieOrder {
    /// By a hash, with this seed, where `nics` NICs are `hosts` hosts of the engine.
    pub fn hashed(seed: u64, nics: u32, hosts: u32) -> Self {
        let mut stream = SplitMix64::of_network(seed, 0, NetworkPurpose::Ties);
        Self::Hashed {
            key: stream.next_u64(),
            hosts,
            shift: nics - hosts,
        }
    }

    /// The order at a node, by its number in the engine; `None`: by port.
    #[inline(always)]
    pub fn of_node(self, node: u32) -> Option<NodeTies> {
        match self {
            Self::Hashed { key, hosts, shift } if node >= hosts => {
                Some(NodeTies(mix(key ^ u64::from(node + shift))))
            }
            _ => None,
        }
    }
}

/// The hash of one node for simultaneous messages.
#[derive(Copy, Clone, Debug)]
pub struct NodeTies(u64);

impl NodeTies {
    /// Simultaneous messages are sorted by this key: a hash, then the port.
    fn rank(self, time: Time, port: usize) -> (u64, usize) {
        (mix(mix(self.0 ^ time.as_ps()) ^ port as u64), port)
    }

    /// Sorts simultaneous arrivals among `arrivals`, which are in order of time. `time` and `port`
    /// return time and port of an arrival.
    pub fn sort<T>(
        self,
        arrivals: &mut [T],
        time: impl Fn(&T) -> Time,
        port: impl Fn(&T) -> usize,
    ) {
        for run in arrivals.chunk_by_mut(|one, next| time(one) == time(next)) {
            if run.len() > 1 {
                run.sort_unstable_by_key(|arrival| self.rank(time(arrival), port(arrival)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(node: u32, seed: u64, arrivals: &[(u64, usize)]) -> Vec<(u64, usize)> {
        let mut sorted = arrivals.to_vec();
        let ties = TieOrder::hashed(seed, 0, 0).of_node(node).expect("a hash");
        ties.sort(
            &mut sorted,
            |(time, _)| Time::from_ps(*time),
            |(_, port)| *port,
        );
        sorted
    }

    /// Times stay in order. Simultaneous ports have an order that depends on time, node and seed,
    /// but not on their order before.
    #[test]
    fn only_equal_times_are_put_in_another_order() {
        let arrivals: Vec<_> = (0..40)
            .map(|place| (place / 8, place as usize % 8))
            .collect();
        let found = sorted(3, 1, &arrivals);
        assert!(found.is_sorted_by_key(|(time, _)| *time));
        let mut same = found.clone();
        same.sort_unstable();
        assert_eq!(same, arrivals);
        let ports = |time: usize| -> Vec<_> { found[8 * time..8 * (time + 1)].to_vec() };
        let orders = (0..5).map(|time| ports(time).iter().map(|(_, port)| *port).collect());
        let mut orders: Vec<Vec<usize>> = orders.collect();
        orders.sort_unstable();
        orders.dedup();
        assert_eq!(orders.len(), 5);
        let backwards: Vec<_> = (0..40)
            .map(|place| (place / 8, 7 - place as usize % 8))
            .collect();
        assert_eq!(sorted(3, 1, &backwards), found);
        assert_ne!(sorted(4, 1, &arrivals), found);
        assert_ne!(sorted(3, 2, &arrivals), found);
    }

    /// Each of 16 ports is first at 1/16 of 16 000 times: 1 000, give or take four standard
    /// deviations, √(16 000·15/256) = 30.6.
    #[test]
    fn every_port_is_first_as_often() {
        let mut first = [0_i32; 16];
        for time in 0..16_000 {
            let arrivals: Vec<_> = (0..16).map(|port| (time, port)).collect();
            first[sorted(7, 1, &arrivals)[0].1] += 1;
        }
        assert!(
            first.iter().all(|count| (count - 1_000).abs() < 123),
            "{first:?}"
        );
    }

    #[test]
    fn by_port_there_is_no_hash() {
        assert!(TieOrder::ByPort.of_node(1).is_none());
    }
}
