//! The rule by which a switch picks one of several next hops.
//!
//! A *stateless* rule is a hash: the port of a packet follows from the packet and the switch alone.
//! So the packets of a window may be processed in any order, and the port of a flow may be
//! remembered. Other rules depend on earlier packets or on queue lengths. Only the plain path
//! processes packets in order of time, so runs with such a rule take the plain path.

use super::options::EcmpHash;

/// The rule that picks one of several next hops.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PathChoice {
    /// A hash at each switch.
    Ecmp(EcmpHash),
    /// [`Routing::SymmetricEcmp`](super::Routing::SymmetricEcmp).
    SymmetricEcmp,
    /// [`Routing::SpanningTrees`](super::Routing::SpanningTrees).
    SpanningTrees,
}

impl PathChoice {
    /// Whether the port of a packet follows from the packet and the switch alone.
    #[inline(always)]
    pub fn is_stateless(self) -> bool {
        match self {
            Self::Ecmp(_) | Self::SymmetricEcmp | Self::SpanningTrees => true,
        }
    }
}

impl From<EcmpHash> for PathChoice {
    fn from(hash: EcmpHash) -> Self {
        Self::Ecmp(hash)
    }
}

#[cfg(test)]
mod tests {
    use crate::routing::{EcmpSelector, RemainingHops};
    use crate::wire::{Address, Kind, ONE_LINE, Packet};

    use super::*;

    const ALL: [PathChoice; 4] = [
        PathChoice::Ecmp(EcmpHash::Mixed),
        PathChoice::Ecmp(EcmpHash::Murmur3),
        PathChoice::SymmetricEcmp,
        PathChoice::SpanningTrees,
    ];

    /// 200 packets of 50 flows, and their ACKs, in order, in reverse and one of them alone: each
    /// gets the same one of 7 ports. The rules use all ports.
    #[test]
    fn a_stateless_rule_knows_no_order() {
        let packet = |number: u16| {
            let kind = match number % 2 {
                0 => Kind::Data,
                _ => Kind::Ack,
            };
            let [source, destination] = [number % 5, 5 + number % 10].map(u32::from);
            let address = Address::new(source, destination, 10_000 + number);
            let (flow, psn) = (u32::from(number % 50), u32::from(number));
            Packet::<ONE_LINE>::new(kind, 1000).of_flow(flow, psn, address)
        };
        let remaining = RemainingHops::new(3);
        for choice in ALL.into_iter().filter(|choice| choice.is_stateless()) {
            let selector = EcmpSelector::new(choice, 7);
            let port = |number: u16| selector.select(&packet(number), 7, remaining);
            let forwards: Vec<_> = (0..200).map(port).collect();
            let mut backwards: Vec<_> = (0..200).rev().map(port).collect();
            backwards.reverse();
            assert_eq!(forwards, backwards, "{choice:?}");
            let alone = EcmpSelector::new(choice, 7).select(&packet(123), 7, remaining);
            assert_eq!(alone, forwards[123], "{choice:?}");
            assert!((0..7).all(|port| forwards.contains(&port)), "{choice:?}");
        }
    }
}
