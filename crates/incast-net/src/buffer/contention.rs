//! Who gets the last free place of a full queue.
//!
//! Packets that arrive within a packet time have no order that hardware defines. A simulator gives
//! them one. With equal periods the same sender always comes just after a departure and takes the
//! place that becomes free, and all others lose. (Floyd and Jacobson, "On Traffic Phase Effects in
//! Packet-Switched Gateways", 1992.) With [`Contention::Random`] the place goes to a random one of
//! the packets that have competed for it (reservoir sampling, Vitter 1985):
//!
//! ```text
//! the k-th packet in a row that finds no room replaces, with probability 1/(k + 1), the last
//! packet of the queue, which is dropped in its place
//! ```
//!
//! [`Contention::Coin`] is the rule of uet-htsim's queues (`compositequeue.cpp`): a coin decides
//! between the packet that arrives and the last packet of the queue, whatever their sizes.
//!
//! One arrival at a full queue is still one drop. Contention changes neither the limit of the
//! queue, nor the times of departures, nor the order of a flow's packets. A random number is drawn
//! only for a drop.

use incast_random::{NetworkPurpose, SplitMix64};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which packet is dropped, or trimmed, when a packet finds its queue full.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Contention {
    /// A random one of the packets that have competed for the last free place.
    #[default]
    Random,
    /// The packet that arrives.
    Tail,
    /// The packet that arrives or the last one of the queue, with probability 1/2 each.
    Coin,
}

/// The random draws of one egress port for the last place of its queue.
#[derive(Clone, Debug)]
pub(crate) enum PlaceDraws {
    /// There are no draws: the packet that arrives is refused.
    Tail,
    /// Among all packets that have competed for the place.
    AmongAll(SplitMix64),
    /// Between two.
    Coin(SplitMix64),
}

impl PlaceDraws {
    /// `port` is its number among all ports of all nodes.
    pub(crate) fn new(contention: Contention, seed: u64, port: u32) -> Self {
        let stream = || SplitMix64::of_network(seed, port.into(), NetworkPurpose::Contention);
        match contention {
            Contention::Tail => Self::Tail,
            Contention::Random => Self::AmongAll(stream()),
            Contention::Coin => Self::Coin(stream()),
        }
    }

    /// Whether this port draws random numbers at all.
    pub(crate) fn are_made(&self) -> bool {
        !matches!(self, Self::Tail)
    }

    /// Whether a packet may take the place of a smaller one.
    pub(crate) fn ignore_sizes(&self) -> bool {
        matches!(self, Self::Coin(_))
    }

    /// Draws whether the arriving packet gets the last place. `refused`: successive packets without
    /// room, this packet included.
    pub(crate) fn give_place(&mut self, refused: u32) -> bool {
        match self {
            Self::Tail => false,
            Self::AmongAll(stream) => stream.below(u64::from(refused) + 1) == 0,
            Self::Coin(stream) => stream.below(2) == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One packet holds the place, then four compete for it: each of the five gets it with
    /// probability 1/5. Each gets 10 000 of 50 000 places, within four standard deviations, √(50
    /// 000·0.2·0.8) = 89.
    #[test]
    fn each_of_those_who_asked_has_the_same_chance() {
        let mut draws = PlaceDraws::new(Contention::Random, 1, 0);
        let mut places = [0_i32; 5];
        for _ in 0..50_000 {
            let owner = (1..5).filter(|refused| draws.give_place(*refused)).last();
            places[owner.unwrap_or(0) as usize] += 1;
        }
        assert!(
            places.iter().all(|count| (count - 10_000).abs() < 358),
            "{places:?}"
        );
    }

    /// 20 000 of 40 000 coins fall on either side, within four standard deviations of 100, however
    /// many packets were refused before.
    #[test]
    fn a_coin_has_two_sides() {
        let mut draws = PlaceDraws::new(Contention::Coin, 1, 0);
        assert!(draws.are_made() && draws.ignore_sizes());
        let given = (0..40_000).filter(|refused| draws.give_place(*refused));
        assert!(given.count().abs_diff(20_000) < 400);
    }

    #[test]
    fn at_the_tail_nothing_is_drawn() {
        let mut draws = PlaceDraws::new(Contention::Tail, 1, 0);
        assert!(!draws.are_made());
        assert!((0..100).all(|refused| !draws.give_place(refused)));
    }

    /// Each port and each seed has a random stream of its own.
    #[test]
    fn streams_differ_by_port_and_seed() {
        let row = |seed, port| {
            let mut draws = PlaceDraws::new(Contention::Random, seed, port);
            (0..64).map(|_| draws.give_place(1)).collect::<Vec<_>>()
        };
        assert_eq!(row(1, 2), row(1, 2));
        assert_ne!(row(1, 2), row(1, 3));
        assert_ne!(row(1, 2), row(2, 2));
    }
}
