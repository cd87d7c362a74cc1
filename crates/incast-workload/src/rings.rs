//! Rings over the same hosts that share no pair of source and destination.
//!
//! The n(n - 1) ordered pairs of n hosts split into n - 1 directed Hamiltonian rings for every n
//! but 4 and 6 (Tillson, "A Hamiltonian decomposition of K*_2m, 2m ≥ 8", J. Comb. Theory B 29,
//! 1980). These rings are the equal-cost overlays of a collective: each ring visits every host
//! once, and no host has the same next host in two rings.
//!
//! For odd n: Walecki's zigzag, in both directions (see [`walecki`]). For even n: the rings of n -
//! 1 hosts, in each of which the last host is inserted between one pair. The pairs that are split
//! form a path over the n - 1 hosts. With the last host this path becomes the ring that is still
//! missing (see [`rainbow`]). Over 4 hosts there are 2 such rings, over 6 hosts 4.

mod rainbow;
mod walecki;

use self::rainbow::RainbowPath;
use self::walecki::Zigzag;

/// Directed Hamiltonian rings without common pairs, over hosts counted from 0.
#[derive(Clone, Debug)]
pub struct Rings {
    hosts: u32,
    shape: RingShape,
}

#[derive(Clone, Debug)]
enum RingShape {
    /// Rings as lists of hosts.
    Listed(&'static [&'static [u32]]),
    Odd(Zigzag),
    Even {
        /// The rings of all hosts but the last.
        rest: Zigzag,
        /// The pair of each ring into which the last host is inserted.
        path: RainbowPath,
    },
}

const OF_TWO: [&[u32]; 1] = [&[0, 1]];
const OF_FOUR: [&[u32]; 2] = [&[0, 1, 2, 3], &[0, 3, 2, 1]];
/// Found by exhaustive search, which finds no five rings.
const OF_SIX: [&[u32]; 4] = [
    &[0, 1, 2, 3, 4, 5],
    &[0, 2, 1, 3, 5, 4],
    &[0, 4, 1, 5, 3, 2],
    &[0, 5, 2, 4, 3, 1],
];

impl Rings {
    /// The rings over this many hosts.
    ///
    /// # Panics
    /// With fewer than two hosts.
    pub fn new(hosts: u32) -> Self {
        let shape = match hosts {
            0 | 1 => panic!("a ring has two hosts at least"),
            2 => RingShape::Listed(&OF_TWO),
            4 => RingShape::Listed(&OF_FOUR),
            6 => RingShape::Listed(&OF_SIX),
            odd if odd % 2 == 1 => RingShape::Odd(Zigzag::new(odd)),
            even => {
                let rest = Zigzag::new(even - 1);
                let path = RainbowPath::over(&rest);
                RingShape::Even { rest, path }
            }
        };
        Self { hosts, shape }
    }

    /// How many hosts each ring has.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// How many rings there are.
    pub fn count(&self) -> u32 {
        Self::count_of(self.hosts)
    }

    /// Number of rings over `hosts` hosts: one less than hosts, but 2 over 4 hosts and 4 over 6.
    pub fn count_of(hosts: u32) -> u32 {
        match hosts {
            4 => 2,
            6 => 4,
            hosts => hosts.saturating_sub(1),
        }
    }

    /// The host after `host` in a ring.
    pub fn after(&self, ring: u32, host: u32) -> u32 {
        match &self.shape {
            RingShape::Listed(rings) => {
                let ring = rings[ring as usize];
                let place = ring.iter().position(|other| *other == host);
                ring[(place.unwrap_or_default() + 1) % ring.len()]
            }
            RingShape::Odd(zigzag) => zigzag.after(ring, host),
            RingShape::Even { rest, path } => {
                let last = self.hosts - 1;
                if ring == rest.count() {
                    return path.after(host).unwrap_or(last);
                }
                let (from, to) = path.pair(ring);
                match host {
                    host if host == last => to,
                    host if host == from => last,
                    host => rest.after(ring, host),
                }
            }
        }
    }

    /// The ring in which `to` comes after `from`; `None` is possible with 4 or 6 hosts only.
    pub fn with_pair(&self, from: u32, to: u32) -> Option<u32> {
        (0..self.count()).find(|ring| self.after(*ring, from) == to)
    }
}

/// The first `count` rings over `ranks` ranks, each as a list of ranks; the first ring is 0, 1, 2,
/// ….
pub(crate) fn orders(ranks: u32, count: u32) -> Vec<Vec<u32>> {
    if count == 1 {
        return vec![(0..ranks).collect()];
    }
    let rings = Rings::new(ranks);
    let ring = |number: u32| {
        let labels = std::iter::successors(Some(0), |at| Some(rings.after(number, *at)));
        labels.take(ranks as usize).collect::<Vec<u32>>()
    };
    // The rank for each host of the rings: ranks follow ring 0.
    let mut named = vec![0; ranks as usize];
    for (rank, label) in (0..).zip(ring(0)) {
        named[label as usize] = rank;
    }
    let by_place = |number| {
        let labels = ring(number);
        labels.iter().map(|label| named[*label as usize]).collect()
    };
    (0..count).map(by_place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each ring visits every host once, and no pair is in two rings.
    fn check(hosts: u32) {
        let rings = Rings::new(hosts);
        let mut seen = vec![false; (hosts * hosts) as usize];
        for ring in 0..rings.count() {
            let mut at = 0;
            for step in 1..=hosts {
                let next = rings.after(ring, at);
                let pair = (at * hosts + next) as usize;
                assert!(next != at && !seen[pair], "{hosts} hosts: {at} -> {next}");
                seen[pair] = true;
                at = next;
                assert_eq!(at == 0, step == hosts, "{hosts} hosts, ring {ring}");
            }
        }
    }

    #[test]
    fn rings_visit_every_host_and_share_no_pair() {
        for hosts in (2..=70).chain([127, 128, 256, 320]) {
            check(hosts);
        }
    }

    /// n - 1, for every n but 4 and 6.
    #[test]
    fn there_are_as_many_as_there_can_be() {
        let counts: Vec<_> = (2..10).map(|hosts| Rings::new(hosts).count()).collect();
        assert_eq!(counts, [1, 2, 2, 4, 4, 6, 7, 8]);
    }

    #[test]
    fn a_thousand_hosts_take_no_time() {
        let rings = Rings::new(1024);
        assert_eq!(rings.count(), 1023);
        for ring in [0, 511, 1022] {
            let mut at = 0;
            let steps = (0..1024).take_while(|_| {
                at = rings.after(ring, at);
                at != 0
            });
            assert_eq!(steps.count(), 1023, "ring {ring}");
        }
    }

    #[test]
    fn each_pair_has_its_ring() {
        let rings = Rings::new(16);
        for (from, to) in [(0, 1), (1, 0), (15, 3), (3, 15)] {
            let ring = rings.with_pair(from, to).unwrap();
            assert_eq!(rings.after(ring, from), to);
        }
        // Rings 0-1-2-3 and 3-2-1-0 contain no diagonal.
        assert_eq!(Rings::new(4).with_pair(0, 2), None);
    }
}
