//! The ideal FCT of a flow whose packets take several paths, a lower bound for every run.
//!
//! Packets on different paths overtake each other. Only on links that are common to all paths, such
//! as those of the two hosts, do packets certainly wait for others of their flow. There are n
//! packets. A full one takes s_i on link i; the last one, sent last, takes l_i. Each of these is a
//! lower bound, for every common link c:
//!
//! ```text
//! first(c) + (n-1)·s_c + l_c + rest(c)                                    all cross c    (1)
//! first(c) = min( Σ_{i<c} s_i,  (n-1)·s_1 + Σ_{i<c} l_i );  0 if c = 1    they reach c   (2)
//! rest(c)  = Σ_{i>c} l_i                                                  they leave c   (3)
//! Σ s_i                                                                   a full packet  (4)
//! ```
//!
//! Every sum includes propagation delays, and is the least over all paths. The first packet at c
//! may be a full one, or the last packet, which may have overtaken all others.

use incast_net::{Model, PacketSizes};
use incast_units::{Bytes, Time};

use super::{Cut, PathLink, arrival, cross, cut};

/// One path of a flow.
#[derive(Clone, Debug)]
pub(super) struct WalkedPath {
    /// For each link, the global index of the port that sends on it.
    pub(super) ports: Vec<u32>,
    pub(super) links: Vec<PathLink>,
}

/// The least FCT of a flow alone whose data and ACKs may take any of these paths.
pub(super) fn alone_on_several(
    size: Bytes,
    packets: &PacketSizes,
    model: &Model,
    data: &[WalkedPath],
    acks: &[WalkedPath],
) -> Time {
    let there = match data {
        [only] => arrival(size, packets, model, &only.links),
        several => Sizes::new(size, packets).arrival(model, several),
    };
    let ack = packets.ack.max(packets.minimum);
    there + fastest(acks, |path| cross(model, ack, &path.links))
}

/// Wire bytes of the packets of a flow.
struct Sizes {
    full: Bytes,
    last: Bytes,
    /// Number of full packets before the last packet.
    before_last: u64,
}

impl Sizes {
    fn new(size: Bytes, packets: &PacketSizes) -> Self {
        let Cut {
            packets: count,
            last,
        } = cut(size, packets.mtu);
        Self {
            full: packets.data_header + packets.mtu,
            last: packets.data_header + last,
            before_last: count - 1,
        }
    }

    /// A lower bound on the arrival time of the last packet.
    fn arrival(&self, model: &Model, paths: &[WalkedPath]) -> Time {
        if self.before_last == 0 {
            return fastest(paths, |path| cross(model, self.last, &path.links));
        }
        let full = fastest(paths, |path| cross(model, self.full, &path.links));
        let common = common_links(paths).into_iter();
        let bounds = common.map(|link| self.bound(model, paths, link));
        bounds.fold(full, Time::max)
    }

    /// Equation (1) for the link of this port, which is common to all paths.
    fn bound(&self, model: &Model, paths: &[WalkedPath], port: u32) -> Time {
        let place = |path: &WalkedPath| {
            let place = path.ports.iter().position(|other| *other == port);
            place.expect("the link is common to all paths")
        };
        let before = |size| fastest(paths, |path| cross(model, size, &path.links[..place(path)]));
        let first_link = paths[0].links[0];
        let link = paths[0].links[place(&paths[0])];
        let serialised = |size, link: PathLink| model.transmission_time(size, link.rate);
        let first = match place(&paths[0]) {
            0 => Time::ZERO,
            _ => {
                let last = serialised(self.full, first_link) * self.before_last;
                before(self.full).min(last + before(self.last))
            }
        };
        let crossing = serialised(self.full, link) * self.before_last + serialised(self.last, link);
        let rest = |path: &WalkedPath| cross(model, self.last, &path.links[place(path) + 1..]);
        first + crossing + link.delay + fastest(paths, rest)
    }
}

/// The ports of the links that are common to all paths.
fn common_links(paths: &[WalkedPath]) -> Vec<u32> {
    let (first, others) = paths.split_first().expect("a flow has a path");
    let is_common = |port: &&u32| others.iter().all(|path| path.ports.contains(port));
    first.ports.iter().filter(is_common).copied().collect()
}

/// The least of a time over all paths.
fn fastest(paths: &[WalkedPath], time: impl Fn(&WalkedPath) -> Time) -> Time {
    paths.iter().map(time).min().expect("a flow has a path")
}

#[cfg(test)]
mod tests {
    use incast_units::Rate;
    use proptest::prelude::*;

    use super::super::delays;
    use super::*;

    /// Paths, given as (port, Gb/s); each link has a delay of 1 us.
    fn paths(all: &[&[(u32, u64)]]) -> Vec<WalkedPath> {
        let link = |gbps| PathLink {
            rate: Rate::from_gbps(gbps),
            delay: Time::from_us(1),
        };
        let walked = |path: &&[(u32, u64)]| WalkedPath {
            ports: path.iter().map(|(port, _)| *port).collect(),
            links: path.iter().map(|(_, gbps)| link(*gbps)).collect(),
        };
        all.iter().map(walked).collect()
    }

    /// The ideal FCT in ps, without propagation and without the ACK.
    fn alone_ps(size: u64, data: &[WalkedPath]) -> u64 {
        let (size, sizes, model) = (Bytes::new(size), PacketSizes::default(), Model::standard());
        let whole = alone_on_several(size, &sizes, &model, data, data);
        let ack = sizes.ack.max(sizes.minimum);
        let back = fastest(data, |path| cross(&model, ack, &path.links));
        (whole - back - delays(&data[0].links)).as_ps()
    }

    /// Two spines, all at 100 Gb/s: a full packet takes 83 840 ps on a link.
    fn leaf_spine() -> Vec<WalkedPath> {
        let [one, other] = [[(0, 100), (1, 100), (2, 100), (5, 100)]; 2];
        let other = other.map(|(port, gbps)| (port + if port % 5 > 0 { 2 } else { 0 }, gbps));
        paths(&[&one, &other])
    }

    /// 2500 B: s = 83 840, l = 43 840 (548 B). The first packet reaches the last link after 3 s:
    /// 251 520; the last packet could be there after 2 s + 3 l at the earliest. Then all packets
    /// cross the last link: 2 s + l = 211 520. The result is the same as on one path.
    #[test]
    fn equal_paths_are_as_one_for_long_flows() {
        assert_eq!(alone_ps(2_500, &leaf_spine()), 463_040);
        assert_eq!(alone_ps(2_500, &leaf_spine()[..1]), 463_040);
    }

    /// 1500 B, l = 43 840: the last packet may be the first on the last link, after
    /// s + 3 l = 215 360; s + l = 127 680 later both have crossed it. On one path 4 s + l.
    /// 1001 B, l = 3 920 (49 B): the full packet takes 4 s = 335 360, more than s + 3 l + s + l.
    #[test]
    fn a_short_last_packet_may_overtake_the_full_one() {
        assert_eq!(alone_ps(1_500, &leaf_spine()), 343_040);
        assert_eq!(alone_ps(1_500, &leaf_spine()[..1]), 379_200);
        assert_eq!(alone_ps(1_001, &leaf_spine()), 335_360);
    }

    /// 10 kB over 100, 40, 40, 100 Gb/s: 40 Gb/s take 209 600 for a full packet. On one path the
    /// slow links are the bottleneck: 83 840, ten packets of 209 600, 209 600 + 83 840. On two
    /// paths the hosts' links are: 83 840 + 2 · 209 600, then ten packets of 83 840.
    #[test]
    fn several_slow_links_carry_more_than_one() {
        let one = [(0, 100), (1, 40), (2, 40), (5, 100)];
        let other = [(0, 100), (3, 40), (4, 40), (5, 100)];
        assert_eq!(alone_ps(10_000, &paths(&[&one])), 2_473_280);
        assert_eq!(alone_ps(10_000, &paths(&[&one, &other])), 1_341_440);
        // A slow link that is common to both paths is the bottleneck again: 83 840 + 209 600 before
        // it, ten packets of 209 600 on it, 83 840 after it.
        let common = [(0, 100), (3, 40), (2, 40), (5, 100)];
        let expected = 83_840 + 209_600 + 10 * 209_600 + 83_840;
        assert_eq!(alone_ps(10_000, &paths(&[&one, &common])), expected);
    }

    /// One path has links of 1 us, the other a second link of 5 us: the faster path counts.
    #[test]
    fn the_fastest_path_counts() {
        let mut both = leaf_spine();
        let fast = alone_ps(1_000, &both);
        both[1].links[1].delay = Time::from_us(5);
        assert_eq!(alone_ps(1_000, &both), fast);
        assert_eq!(fast, 4 * 83_840);
    }

    /// The arrival time of the last packet of a flow; `picks` has the path of each packet.
    fn arrival_of(size: u64, sizes: &PacketSizes, paths: &[WalkedPath], picks: &[usize]) -> Time {
        let (mtu, model) = (sizes.mtu.as_u64(), Model::standard());
        let packets = size.div_ceil(mtu).max(1);
        // (time at the next link, packet, index of the link on its path), the earliest first.
        let mut moving: Vec<(Time, u64, usize)> =
            (0..packets).map(|packet| (Time::ZERO, packet, 0)).collect();
        let mut free = std::collections::BTreeMap::new();
        let mut latest = Time::ZERO;
        while let Some(next) = (0..moving.len()).min_by_key(|index| moving[*index]) {
            let (at, packet, place) = moving.swap_remove(next);
            let path = &paths[picks[packet as usize % picks.len()] % paths.len()];
            let (port, link) = (path.ports[place], path.links[place]);
            let payload = mtu.min(size - packet * mtu);
            let wire = sizes.data_header + Bytes::new(payload);
            let free = free.entry(port).or_insert(Time::ZERO);
            *free = at.max(*free) + model.transmission_time(wire, link.rate);
            let arrived = *free + link.delay;
            match place + 1 < path.ports.len() {
                true => moving.push((arrived, packet, place + 1)),
                false => latest = latest.max(arrived),
            }
        }
        latest
    }

    fn any_link() -> impl Strategy<Value = PathLink> {
        let rate = prop_oneof![Just(10_u64), Just(40), Just(100), Just(400)];
        (rate, 1..2_000_000_u64).prop_map(|(gbps, ps)| PathLink {
            rate: Rate::from_gbps(gbps),
            delay: Time::from_ps(ps),
        })
    }

    proptest! {
        /// Up to four paths of two links each between the links of two hosts; paths may share
        /// links. Whatever paths its packets take, a flow is never faster than ideal.
        #[test]
        fn no_choice_of_paths_is_faster(
            links in proptest::collection::vec(any_link(), 10),
            middle in proptest::collection::vec((1..5_usize, 5..9_usize), 1..5),
            picks in proptest::collection::vec(0..4_usize, 1..12),
            size in 1..12_000_u64,
        ) {
            let walked = |&(up, down): &(usize, usize)| {
                let ports = [0, up, down, 9];
                WalkedPath {
                    ports: ports.map(|port| port as u32).to_vec(),
                    links: ports.map(|port| links[port]).to_vec(),
                }
            };
            let mut middle = middle;
            middle.sort_unstable();
            middle.dedup();
            let paths: Vec<WalkedPath> = middle.iter().map(walked).collect();
            let sizes = PacketSizes::default();
            let model = Model::standard();
            let ideal = alone_on_several(Bytes::new(size), &sizes, &model, &paths, &paths);
            let ack = sizes.ack.max(sizes.minimum);
            let back = fastest(&paths, |path| cross(&model, ack, &path.links));
            prop_assert!(arrival_of(size, &sizes, &paths, &picks) + back >= ideal);
        }
    }
}
