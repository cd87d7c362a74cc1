//! Walecki's zigzag: n - 1 rings over n hosts, n odd.
//!
//! Let N = n - 1, which is even. Host N is the hub. Ring r visits the hub and then
//!
//! ```text
//! r, r + N-1, r + 1, r + N-2, r + 2, …, r + N/2        (mod N)
//! ```
//!
//! The differences of neighbours, -1, 2, -3, 4, …, are all different. So ring r has the pair (x,
//! x + d) for one x only, and no other ring has this pair. Ring r + N/2 is the reverse of ring r:
//! the construction of the 1890s, in both directions.

/// The rings.
#[derive(Clone, Debug)]
pub(super) struct Zigzag {
    /// N: the number of rings, and of hosts without the hub.
    rings: u32,
}

impl Zigzag {
    /// # Panics
    /// If the number of hosts is even.
    pub(super) fn new(hosts: u32) -> Self {
        assert!(hosts % 2 == 1, "the zigzag is for an odd number of hosts");
        Self { rings: hosts - 1 }
    }

    pub(super) fn count(&self) -> u32 {
        self.rings
    }

    /// The host after `host` in a ring.
    pub(super) fn after(&self, ring: u32, host: u32) -> u32 {
        let (rings, hub) = (self.rings, self.rings);
        if host == hub {
            return ring;
        }
        // In the zigzag of ring 0, position 2k has host k, and position 2k + 1 has host N - 1 - k.
        let shifted = (host + rings - ring) % rings;
        let next = if shifted < rings / 2 {
            rings - 1 - shifted
        } else {
            rings - shifted
        };
        match shifted == rings / 2 {
            true => hub,
            false => (next + ring) % rings,
        }
    }

    /// The ring that contains the pair (`from`, `to`).
    pub(super) fn ring_of(&self, from: u32, to: u32) -> u32 {
        let (rings, hub) = (self.rings, self.rings);
        if from == hub {
            return to;
        }
        if to == hub {
            return (from + rings / 2) % rings;
        }
        // The difference to the next host is N - 1 - 2k after position 2k, and 2k + 2 after
        // position 2k + 1.
        let difference = (to + rings - from) % rings;
        let shifted = if difference % 2 == 1 {
            (rings - 1 - difference) / 2
        } else {
            rings - difference / 2
        };
        (from + rings - shifted) % rings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N = 4, ring 0: hub, 0, 3, 1, 2, hub; ring 1: hub, 1, 0, 2, 3, hub.
    #[test]
    fn five_hosts_by_hand() {
        let zigzag = Zigzag::new(5);
        let ring = |ring| {
            let hosts = std::iter::successors(Some(4), |host| Some(zigzag.after(ring, *host)));
            hosts.take(6).collect::<Vec<_>>()
        };
        assert_eq!(ring(0), [4, 0, 3, 1, 2, 4]);
        assert_eq!(ring(1), [4, 1, 0, 2, 3, 4]);
        // Ring 2 is the reverse of ring 0.
        assert_eq!(ring(2), [4, 2, 1, 3, 0, 4]);
    }

    #[test]
    fn a_pair_finds_its_ring() {
        for hosts in [3, 5, 9, 21] {
            let zigzag = Zigzag::new(hosts);
            for ring in 0..zigzag.count() {
                for from in 0..hosts {
                    let to = zigzag.after(ring, from);
                    assert_eq!(zigzag.ring_of(from, to), ring, "{hosts}: {from} -> {to}");
                }
            }
        }
    }
}
