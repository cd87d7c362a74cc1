//! Collectives: which host sends which chunk to whom, and after which arrivals.
//!
//! An all-reduce over rings of n hosts cuts the data into a share for each ring, and each share
//! into n chunks. In step s of 2(n - 1) the host at place p of a ring sends chunk (p - s) mod n to
//! the next one: n - 1 steps reduce, n - 1 more gather. What a host sends in step s + 1 is what has
//! arrived there in step s.
//!
//! ```text
//! number of a send = ((round · rings + ring) · steps + step) · n + place
//! ```
//!
//! so no send is listed anywhere, and a host's state is a few numbers ([`RankProgress`]).

use std::collections::{BTreeSet, HashMap};

use incast_units::{Bytes, HostId, Time};

use crate::rings::Rings;

/// An all-reduce over rings, any number of times.
#[derive(Clone, Debug)]
pub struct CollectivePlan {
    /// By ring, by place: the host.
    rings: Vec<Vec<HostId>>,
    /// By host: its places in the rings.
    places: HashMap<HostId, Vec<u32>>,
    data: Bytes,
    rounds: u64,
    compute: Time,
    start: Time,
    order: SendOrder,
}

/// The condition of a send.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SendOrder {
    /// For the chunk that it passes on: all rings go on at once.
    Together,
    /// For every chunk that comes before in the host's list, which takes the rings in turn, step by
    /// step: one chunk at a time, each along another ring.
    InTurn,
}

/// A chunk on its way from one host to the next.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ChunkSend {
    /// Which time it is, counted from 0.
    pub round: u64,
    /// The sending host.
    pub source: HostId,
    /// The next one of the ring.
    pub destination: HostId,
    /// The size of the chunk.
    pub size: Bytes,
    /// How many sends between these two come before, in this round and those before.
    pub turn: u64,
    ring: usize,
    step: u64,
    /// Of the destination.
    next_place: u64,
}

impl CollectivePlan {
    /// Once, at time 0, over the first `rings` of the rings of these hosts, the first of which is
    /// the order of the list. There are two hosts at least, and as many rings.
    pub(crate) fn new(hosts: &[HostId], rings: u32, data: Bytes) -> Self {
        let orders = match rings {
            1 => vec![hosts.to_vec()],
            _ => orders(hosts, rings),
        };
        let mut places: HashMap<HostId, Vec<u32>> = HashMap::new();
        for ring in &orders {
            for (place, host) in (0..).zip(ring) {
                places.entry(*host).or_default().push(place);
            }
        }
        Self {
            rings: orders,
            places,
            data,
            rounds: 1,
            compute: Time::ZERO,
            start: Time::ZERO,
            order: SendOrder::Together,
        }
    }

    pub(crate) fn with_timing(mut self, start: Time, rounds: u64, compute: Time) -> Self {
        (self.start, self.rounds, self.compute) = (start, rounds, compute);
        self
    }

    pub(crate) fn in_order(mut self, order: SendOrder) -> Self {
        self.order = order;
        self
    }

    /// The same over all rings of its hosts, in turn.
    pub(crate) fn shuffled(&self) -> Self {
        let hosts = &self.rings[0];
        let rings = Rings::count_of(hosts.len() as u32);
        Self::new(hosts, rings, self.data)
            .with_timing(self.start, self.rounds, self.compute)
            .in_order(SendOrder::InTurn)
    }

    /// Its hosts, in the order of the first ring.
    pub fn hosts(&self) -> &[HostId] {
        &self.rings[0]
    }

    /// What each host holds and all are to have the sum of.
    pub fn data(&self) -> Bytes {
        self.data
    }

    /// How many times.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// How long a host computes before it passes a chunk on.
    pub fn compute(&self) -> Time {
        self.compute
    }

    /// When the first round starts.
    pub fn start(&self) -> Time {
        self.start
    }

    fn places(&self) -> u64 {
        self.rings[0].len() as u64
    }

    fn steps(&self) -> u64 {
        2 * (self.places() - 1)
    }

    /// Chunks that are sent in a round, each by one host; as many arrive at a host as it sends.
    fn per_host(&self) -> u64 {
        self.rings.len() as u64 * self.steps()
    }

    /// How many sends there are.
    pub fn sends(&self) -> u128 {
        let round = u128::from(self.per_host()) * u128::from(self.places());
        round * u128::from(self.rounds)
    }

    /// Into how many chunks the data is cut.
    pub(crate) fn chunks(&self) -> u64 {
        self.rings.len() as u64 * self.places()
    }

    /// The numbers of the sends of the first round that wait for nothing, in order.
    pub fn first_sends(&self) -> impl Iterator<Item = u64> + use<> {
        let (places, steps) = (self.places(), self.steps());
        let rings = match self.order {
            SendOrder::Together => self.rings.len() as u64,
            SendOrder::InTurn => 1,
        };
        (0..rings).flat_map(move |ring| (0..places).map(move |place| ring * steps * places + place))
    }

    fn number(&self, round: u64, ring: usize, step: u64, place: u64) -> u64 {
        let rings = self.rings.len() as u64;
        ((round * rings + ring as u64) * self.steps() + step) * self.places() + place
    }

    /// The send of this number.
    pub fn send(&self, number: u64) -> ChunkSend {
        let (places, steps, rings) = (self.places(), self.steps(), self.rings.len() as u64);
        let place = number % places;
        let step = number / places % steps;
        let ring = (number / places / steps % rings) as usize;
        let round = number / places / steps / rings;
        let next_place = (place + 1) % places;
        ChunkSend {
            round,
            source: self.rings[ring][place as usize],
            destination: self.rings[ring][next_place as usize],
            size: self.chunk(ring, (place + steps - step + 2) % places),
            turn: round * steps + step,
            ring,
            step,
            next_place,
        }
    }

    /// The size of chunk c of a ring's share: share r lies between r·D/rings and (r + 1)·D/rings,
    /// and chunk c of it likewise; edges are rounded down.
    fn chunk(&self, ring: usize, chunk: u64) -> Bytes {
        let part = |whole: u64, index: u64, parts: u64| {
            let edge = |index: u64| u128::from(whole) * u128::from(index) / u128::from(parts);
            (edge(index + 1) - edge(index)) as u64
        };
        let rings = self.rings.len() as u64;
        let share = part(self.data.as_u64(), ring as u64, rings);
        Bytes::new(part(share, chunk, self.places()))
    }
}

/// The first rings over these hosts, by place; the first of them is the order of the list.
fn orders(hosts: &[HostId], count: u32) -> Vec<Vec<HostId>> {
    let rings = Rings::new(hosts.len() as u32);
    let ring = |number: u32| {
        let labels = std::iter::successors(Some(0), |at| Some(rings.after(number, *at)));
        labels.take(hosts.len()).collect::<Vec<u32>>()
    };
    // Which host each label of the rings stands for.
    let mut named = vec![HostId(0); hosts.len()];
    for (label, host) in ring(0).into_iter().zip(hosts) {
        named[label as usize] = *host;
    }
    let by_place = |number| {
        let labels = ring(number);
        labels.iter().map(|label| named[*label as usize]).collect()
    };
    (0..count).map(by_place).collect()
}

/// The arrivals at one host of a collective.
#[derive(Debug)]
pub struct RankProgress<'a> {
    plan: &'a CollectivePlan,
    host: HostId,
    round: u64,
    /// Chunks of this round that have arrived; where sends go in turn, those before the first that
    /// has not.
    arrived: u64,
    /// Arrivals that cannot be counted yet: of the next round, or before their turn.
    early: BTreeSet<u64>,
}

impl<'a> RankProgress<'a> {
    /// Of a host that takes part.
    pub fn new(plan: &'a CollectivePlan, host: HostId) -> Self {
        Self {
            plan,
            host,
            round: 0,
            arrived: 0,
            early: BTreeSet::new(),
        }
    }

    /// The chunk of this send has arrived here: adds the numbers of the sends that may go now.
    /// Returns the round that is done here, if one is.
    pub fn on_arrival(&mut self, number: u64, sends: &mut Vec<u64>) -> Option<u64> {
        self.early.insert(number);
        let mut done = None;
        while let Some(number) = self.next_counted() {
            self.early.remove(&number);
            self.arrived += 1;
            self.pass_on(number, sends);
            if self.arrived == self.plan.per_host() {
                done = Some(self.round);
                self.begin_next_round(sends);
            }
        }
        done
    }

    /// An arrival that counts now.
    fn next_counted(&self) -> Option<u64> {
        let plan = self.plan;
        match plan.order {
            SendOrder::Together => {
                let end = plan.number(self.round + 1, 0, 0, 0);
                self.early.first().copied().filter(|number| *number < end)
            }
            SendOrder::InTurn => {
                let next = self.awaited()?;
                self.early.contains(&next).then_some(next)
            }
        }
    }

    /// Where sends go in turn: the number of the next chunk that must arrive.
    fn awaited(&self) -> Option<u64> {
        let plan = self.plan;
        let rings = plan.rings.len() as u64;
        let (step, ring) = (self.arrived / rings, (self.arrived % rings) as usize);
        let place = u64::from(plan.places[&self.host][ring]);
        let before = (place + plan.places() - 1) % plan.places();
        (self.round < plan.rounds).then(|| plan.number(self.round, ring, step, before))
    }

    /// The sends that this chunk releases.
    fn pass_on(&self, number: u64, sends: &mut Vec<u64>) {
        let plan = self.plan;
        match plan.order {
            SendOrder::Together => {
                let chunk = plan.send(number);
                if chunk.step + 1 < plan.steps() {
                    let (ring, step) = (chunk.ring, chunk.step + 1);
                    sends.push(plan.number(self.round, ring, step, chunk.next_place));
                }
            }
            SendOrder::InTurn if self.arrived < plan.per_host() => {
                let rings = plan.rings.len() as u64;
                let (step, ring) = (self.arrived / rings, (self.arrived % rings) as usize);
                let place = u64::from(plan.places[&self.host][ring]);
                sends.push(plan.number(self.round, ring, step, place));
            }
            SendOrder::InTurn => {}
        }
    }

    /// All of this round has arrived here: the next one begins.
    fn begin_next_round(&mut self, sends: &mut Vec<u64>) {
        (self.round, self.arrived) = (self.round + 1, 0);
        if self.round == self.plan.rounds {
            return;
        }
        let rings = match self.plan.order {
            SendOrder::Together => self.plan.rings.len(),
            SendOrder::InTurn => 1,
        };
        for ring in 0..rings {
            let place = u64::from(self.plan.places[&self.host][ring]);
            sends.push(self.plan.number(self.round, ring, 0, place));
        }
    }
}

#[cfg(test)]
mod tests;
