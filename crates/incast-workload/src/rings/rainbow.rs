//! A path over all hosts of the zigzag that contains one pair of each ring.
//!
//! The path starts as the hosts 0, 1, 2, …, N - 1 and the hub. Its pairs (x, x + 1) are of
//! different rings, but the last pair, to the hub, is of a ring that has one already. A search then
//! exchanges neighbouring segments of the path until every ring has a pair. Each exchange replaces
//! three pairs. One new pair is always of a ring without a pair; all positions for the other two
//! are tried. The search has a random generator of its own with a fixed seed, so that the path is
//! always the same. It takes 0.1 s for a thousand hosts.

use incast_random::SplitMix64;

use super::walecki::Zigzag;

/// A Hamiltonian path with one pair of each ring.
#[derive(Clone, Debug)]
pub(super) struct RainbowPath {
    /// The next host of each host; `None` for the last.
    next: Vec<Option<u32>>,
    /// The pair of each ring.
    pairs: Vec<(u32, u32)>,
}

impl RainbowPath {
    /// The path over these rings, of which there must be at least 6.
    pub(super) fn over(zigzag: &Zigzag) -> Self {
        let mut search = RainbowSearch::new(zigzag);
        while search.missing > 0 {
            search.step();
        }
        search.finish()
    }

    /// The host after this one. After the last host `None`, where the ring continues with the host
    /// that is not on the path; after that host, the first one.
    pub(super) fn after(&self, host: u32) -> Option<u32> {
        match self.next.get(host as usize) {
            Some(next) => *next,
            // The host that is not on the path.
            None => Some(self.first()),
        }
    }

    /// The ring's pair on the path.
    pub(super) fn pair(&self, ring: u32) -> (u32, u32) {
        self.pairs[ring as usize]
    }

    /// The first host.
    fn first(&self) -> u32 {
        let hosts = self.next.len() as u32;
        let reached: u32 = self.next.iter().flatten().sum();
        hosts * (hosts - 1) / 2 - reached
    }
}

struct RainbowSearch<'a> {
    zigzag: &'a Zigzag,
    path: Vec<u32>,
    /// The position of each host on the path.
    places: Vec<usize>,
    /// Number of pairs of each ring on the path.
    given: Vec<u32>,
    /// Number of rings without a pair on the path.
    missing: u32,
    random: SplitMix64,
}

/// Two neighbouring segments of the path that change places: positions `begin..middle` and
/// `middle..end`.
#[derive(Copy, Clone)]
struct Exchange {
    begin: usize,
    middle: usize,
    end: usize,
}

/// The seed of the search. Any number would do, but another one gives other rings.
const KEY: u64 = 1980;

impl<'a> RainbowSearch<'a> {
    fn new(zigzag: &'a Zigzag) -> Self {
        let path: Vec<u32> = (0..=zigzag.count()).collect();
        let mut search = Self {
            zigzag,
            places: (0..path.len()).collect(),
            given: vec![0; zigzag.count() as usize],
            missing: 0,
            random: SplitMix64::new(KEY),
            path,
        };
        for place in 1..search.path.len() {
            let ring = search.ring(search.path[place - 1], search.path[place]);
            search.given[ring] += 1;
        }
        search.missing = search.given.iter().filter(|given| **given == 0).count() as u32;
        search
    }

    fn ring(&self, from: u32, to: u32) -> usize {
        self.zigzag.ring_of(from, to) as usize
    }

    /// Makes the best of the exchanges that give a missing ring a pair.
    fn step(&mut self) {
        let from = self.a_place_to_spare();
        let missing = self.a_missing_ring();
        let to = self.places[self.zigzag.after(missing, self.path[from]) as usize];
        let mut best: Option<(i32, Exchange)> = None;
        let mut ties = 0;
        for exchange in self.exchanges(from, to) {
            let gain = self.gain(exchange);
            ties = match best {
                Some((most, _)) if gain < most => continue,
                Some((most, _)) if gain == most => ties + 1,
                _ => 1,
            };
            if self.random.below(ties) == 0 {
                best = Some((gain, exchange));
            }
        }
        if let Some((gain, exchange)) = best
            && (gain >= 0 || self.random.below(8 * self.path.len() as u64) == 0)
        {
            self.apply(exchange, gain);
        }
    }

    /// A random position whose pair is not the only one of its ring; the last position, which has
    /// no pair, counts, too. With probability 1/16, any position.
    fn a_place_to_spare(&mut self) -> usize {
        let last = self.path.len() - 1;
        if self.random.below(16) == 0 {
            return self.random.below(last as u64 + 1) as usize;
        }
        let pair = |place: &usize| self.ring(self.path[*place], self.path[place + 1]);
        let spare = (0..last).filter(|place| self.given[pair(place)] > 1);
        let spare: Vec<usize> = spare.chain([last]).collect();
        spare[self.random.below(spare.len() as u64) as usize]
    }

    fn a_missing_ring(&mut self) -> u32 {
        let wanted = self.random.below(self.missing.into()) as usize;
        let mut missing = (0..).zip(&self.given).filter(|(_, given)| **given == 0);
        missing.nth(wanted).map_or(0, |(ring, _)| ring)
    }

    /// The exchanges after which the host at position `to` follows the host at position `from`.
    fn exchanges(&self, from: usize, to: usize) -> Vec<Exchange> {
        if to > from {
            let (begin, middle) = (from + 1, to);
            let ends = to + 1..=self.path.len();
            return ends.map(|end| Exchange { begin, middle, end }).collect();
        }
        let (begin, end) = (to, from + 1);
        let middles = begin + 1..end;
        middles
            .map(|middle| Exchange { begin, middle, end })
            .collect()
    }

    /// The number of missing rings before the exchange, minus the number after it.
    fn gain(&mut self, exchange: Exchange) -> i32 {
        let (removed, added) = self.changes(exchange);
        let mut gain = 0;
        for ring in removed.into_iter().flatten() {
            self.given[ring] -= 1;
            gain -= i32::from(self.given[ring] == 0);
        }
        for ring in added.into_iter().flatten() {
            gain += i32::from(self.given[ring] == 0);
            self.given[ring] += 1;
        }
        for ring in added.into_iter().flatten() {
            self.given[ring] -= 1;
        }
        for ring in removed.into_iter().flatten() {
            self.given[ring] += 1;
        }
        gain
    }

    /// The rings of the pairs that an exchange removes, and of the pairs that it adds.
    fn changes(&self, exchange: Exchange) -> ([Option<usize>; 3], [Option<usize>; 3]) {
        let Exchange { begin, middle, end } = exchange;
        let host = |place: usize| self.path.get(place).copied();
        let before = begin.checked_sub(1).and_then(host);
        let pair = |from: Option<u32>, to: Option<u32>| Some(self.ring(from?, to?));
        let removed = [
            pair(before, host(begin)),
            pair(host(middle - 1), host(middle)),
            pair(host(end - 1), host(end)),
        ];
        let added = [
            pair(before, host(middle)),
            pair(host(end - 1), host(begin)),
            pair(host(middle - 1), host(end)),
        ];
        (removed, added)
    }

    fn apply(&mut self, exchange: Exchange, gain: i32) {
        let (removed, added) = self.changes(exchange);
        removed
            .into_iter()
            .flatten()
            .for_each(|ring| self.given[ring] -= 1);
        added
            .into_iter()
            .flatten()
            .for_each(|ring| self.given[ring] += 1);
        self.missing = self.missing.wrapping_add_signed(-gain);
        let Exchange { begin, middle, end } = exchange;
        self.path[begin..end].rotate_left(middle - begin);
        for place in begin..end {
            self.places[self.path[place] as usize] = place;
        }
    }

    fn finish(self) -> RainbowPath {
        let mut next = vec![None; self.path.len()];
        let mut pairs = vec![(0, 0); self.given.len()];
        for pair in self.path.windows(2) {
            next[pair[0] as usize] = Some(pair[1]);
            pairs[self.ring(pair[0], pair[1])] = (pair[0], pair[1]);
        }
        RainbowPath { next, pairs }
    }
}
