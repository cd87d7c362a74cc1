//! The choice of a packet's next hop among several equal-cost ones.

use incast_random::mix;

use super::options::EcmpHash;
use super::port_choice::PathChoice;
use crate::wire::Packet;

/// UDP destination port of data in the artifact.
const DATA_PORT: u32 = 100;

/// A switch's choice.
#[derive(Copy, Clone, Debug)]
pub(crate) struct EcmpSelector {
    rule: Rule,
    /// Murmur3's seed: the number of the node.
    node: u32,
    /// The artifact's number of host 0, for Murmur3.
    first_host: u32,
    /// The number of the node, spread over 64 bits.
    salt: u64,
}

/// Number of links to a packet's destination, spread over 64 bits.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct RemainingHops(u64);

impl RemainingHops {
    pub(crate) fn new(links: u32) -> Self {
        Self(mix(links.into()))
    }
}

/// The input of a switch's choice.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Rule {
    Mixed,
    Murmur3,
    /// The flow, and the number of links left to the destination.
    Symmetric,
    /// The flow alone: equal indices at all switches form a tree.
    Tree,
}

impl EcmpSelector {
    pub(crate) fn new(choice: PathChoice, node: u32) -> Self {
        let rule = match choice {
            PathChoice::Ecmp(EcmpHash::Mixed) => Rule::Mixed,
            PathChoice::Ecmp(EcmpHash::Murmur3) => Rule::Murmur3,
            PathChoice::SymmetricEcmp => Rule::Symmetric,
            PathChoice::SpanningTrees => Rule::Tree,
        };
        Self {
            rule,
            node,
            first_host: 0,
            salt: mix(u64::from(node)),
        }
    }

    /// The selector for a network whose host 0 has this number in the artifact; the numbers of the
    /// other hosts follow.
    pub(crate) fn with_first_host(self, first_host: u32) -> Self {
        Self { first_host, ..self }
    }

    /// An index below `choices`, for a packet that is `remaining` links from its destination.
    #[inline(always)]
    pub(crate) fn select<const WORDS: usize>(
        &self,
        packet: &Packet<WORDS>,
        choices: usize,
        remaining: RemainingHops,
    ) -> usize {
        if self.rule == Rule::Mixed {
            let addresses =
                u64::from(packet.source()) << 32 ^ u64::from(packet.destination()) << 16;
            let hash = mix((addresses ^ u64::from(packet.entropy())) ^ self.salt);
            return scale(hash, choices);
        }
        if self.rule == Rule::Symmetric {
            return scale(mix(flow_key(packet) ^ remaining.0), choices);
        }
        self.select_otherwise(packet, choices)
    }

    /// The ports from which [`select`](Self::select) picks if links have failed. Each `healthy`
    /// port has as many places as there are `usable` ports. A flow keeps its port if this port is
    /// usable. The places of failed ports are dealt out evenly, as in resilient hashing.
    pub(crate) fn around(&self, healthy: &[u16], usable: &[u16]) -> Vec<u16> {
        let places = healthy.len() * usable.len();
        let place = |index: usize| {
            // Murmur3 takes the hash modulo the choices, the other rules take its leading part.
            let (first, second) = match self.rule {
                Rule::Murmur3 => (index % healthy.len(), index / healthy.len()),
                _ => (index / usable.len(), index % usable.len()),
            };
            match usable.contains(&healthy[first]) {
                true => healthy[first],
                false => usable[second],
            }
        };
        (0..places).map(place).collect()
    }

    #[inline(never)]
    fn select_otherwise<const WORDS: usize>(
        &self,
        packet: &Packet<WORDS>,
        choices: usize,
    ) -> usize {
        match self.rule {
            Rule::Murmur3 => {
                let port = u32::from(packet.entropy());
                let ports = if packet.goes_with_data() {
                    port | DATA_PORT << 16
                } else {
                    DATA_PORT | port << 16
                };
                let key = [
                    address(self.first_host + packet.source()),
                    address(self.first_host + packet.destination()),
                    ports,
                ];
                murmur3(key, self.node) as usize % choices
            }
            _ => scale(mix(flow_key(packet)), choices),
        }
    }
}

/// The fields that data and ACKs of a flow share: its sender and the UDP source port of its data,
/// by which RoCE tells flows apart. The receiver is left out, because ACKs with a count of flows
/// carry it in place of their source.
#[inline]
fn flow_key<const WORDS: usize>(packet: &Packet<WORDS>) -> u64 {
    let sender = match packet.goes_with_data() {
        true => packet.source(),
        false => packet.destination(),
    };
    mix(u64::from(sender) << 16 | u64::from(packet.entropy()))
}

/// Divides all hashes into as many equal parts as there are choices.
#[inline]
fn scale(hash: u64, choices: usize) -> usize {
    ((u128::from(hash) * choices as u128) >> 64) as usize
}

/// The IP address that the artifact gives to a host.
fn address(host: u32) -> u32 {
    0x0b00_0001 + ((host / 256) << 16) + ((host % 256) << 8)
}

/// MurmurHash3, x86, 32 bits, of three words (Appleby, public domain).
fn murmur3(key: [u32; 3], seed: u32) -> u32 {
    let mut hash = seed;
    for word in key {
        let scrambled = word
            .wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593);
        hash = (hash ^ scrambled)
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    hash ^= 12;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Address, Kind};

    /// (source, destination, ports, switch, hash), recorded from the artifact.
    #[test]
    fn murmur3_gives_the_recorded_values() {
        let data = |port: u32| port | 100 << 16;
        let ack = |port: u32| 100 | port << 16;
        let cases = [
            (0, 319, data(10_000), 320, 0x750e_303d),
            (0, 319, data(10_001), 320, 0x991d_8732),
            (319, 0, ack(10_000), 339, 0x1a0a_a49a),
            (100, 200, data(10_003), 326, 0x788d_4513),
            (256, 255, ack(10_000), 336, 0x82be_b6dd),
            (1, 2, data(10_000), 17, 0x3022_ca68),
        ];
        for (source, destination, ports, switch, expected) in cases {
            let hash = murmur3([address(source), address(destination), ports], switch);
            assert_eq!(hash, expected, "{source} → {destination} at {switch}");
        }
    }

    /// Switches 0 and 1 before the hosts: host 0 is the artifact's node 2.
    #[test]
    fn hosts_may_be_counted_from_another_number() {
        let packet = |source, destination| {
            let mut packet = Packet::<5>::new(Kind::Data, 1000);
            packet.address = Address::new(source, destination, 10_000);
            packet
        };
        let counted = EcmpSelector::new(EcmpHash::Murmur3.into(), 0);
        let shifted = counted.with_first_host(2);
        let chosen = |selector: EcmpSelector, source, destination| {
            selector.select(&packet(source, destination), 97, RemainingHops::new(1))
        };
        for (source, destination) in [(0, 1), (5, 3), (253, 254)] {
            let expected = chosen(counted, source + 2, destination + 2);
            assert_eq!(chosen(shifted, source, destination), expected);
        }
        assert_ne!(chosen(shifted, 0, 1), chosen(counted, 0, 1));
    }

    /// 4000 flows over 4 hops: each gets 1000 ± 4·√(4000·¼·¾) = 110.
    #[test]
    fn the_mixed_hash_spreads_evenly() {
        let selector = EcmpSelector::new(EcmpHash::Mixed.into(), 7);
        let mut counts = [0_i32; 4];
        for flow in 0..4000_u16 {
            let mut packet = Packet::<5>::new(Kind::Data, 1000);
            let (source, destination) = (u32::from(flow % 320), u32::from(flow / 320));
            packet.address = Address::new(source, destination, flow.wrapping_mul(7919));
            counts[selector.select(&packet, 4, RemainingHops::new(1))] += 1;
        }
        assert!(
            counts.iter().all(|count| (count - 1000).abs() < 110),
            "{counts:?}"
        );
    }
}
