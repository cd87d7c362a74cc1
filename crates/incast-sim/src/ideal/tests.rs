use proptest::prelude::*;

use super::*;

/// `links` of (Gb/s, µs).
fn path(links: &[(u64, u64)]) -> Vec<PathLink> {
    let hop = |&(gbps, us)| PathLink {
        rate: Rate::from_gbps(gbps),
        delay: Time::from_us(us),
    };
    links.iter().map(hop).collect()
}

/// The exact ideal FCT in ps of a flow whose ACKs come back over the same links.
fn alone_ps(size: u64, links: &[(u64, u64)]) -> u64 {
    let data = path(links);
    let ack: Vec<PathLink> = data.iter().rev().copied().collect();
    let (size, sizes) = (Bytes::new(size), PacketSizes::default());
    alone(size, &sizes, &Model::standard(), &data, &ack).as_ps()
}

/// The artifact's ideal FCT in ns.
fn artifact_ns(size: u64, links: &[(u64, u64)]) -> u64 {
    let payload_ns = |hop: &PathLink| 1000 * 8 / (hop.rate.as_bps() / 1_000_000_000);
    let path = path(links);
    let pair = BaseRtt {
        rtt: delays(&path) * 2 + Time::from_ns(path.iter().map(payload_ns).sum()),
        rate: path.iter().map(|hop| hop.rate).min().expect("a link"),
        ..BaseRtt::default()
    };
    artifact(Bytes::new(size), &PacketSizes::default(), pair).as_ns()
}

const STAR: &[(u64, u64)] = &[(100, 1), (100, 1)];
const SAME_POD: &[(u64, u64)] = &[(100, 1), (400, 1), (400, 1), (100, 1)];
const OTHER_POD: &[(u64, u64)] = &[(100, 1), (400, 1), (400, 1), (400, 1), (400, 1), (100, 1)];

/// A packet of 49 B at 80 ps a byte (100 Gb/s) takes 2 · (49 · 80 ps + 1 µs). The ACK of 46 B,
/// padded to 60 B, takes 2 · (60 · 80 ps + 1 µs).
#[test]
fn one_byte_across_one_switch() {
    assert_eq!(alone_ps(1, STAR), 2 * 1_003_920 + 2 * 1_004_800);
}

/// Data of 1048 B: 2 · (83 840 + 1 000 000); ACK: 2 · (4 800 + 1 000 000).
#[test]
fn one_full_packet_across_one_switch() {
    assert_eq!(alone_ps(1000, STAR), 2 * 1_083_840 + 2 * 1_004_800);
}

/// Three packets at 100 Gb/s: a full one takes s = 83 840, the last one of 548 B takes l = 43 840.
/// The last bit of the last packet leaves the NIC at 2 s + l, and the switch could send the packet
/// l later. But the second packet leaves the switch only at 3 s, which is later than 2 s + l, so
/// the end is 3 s + l.
#[test]
fn a_short_last_packet_waits_behind_a_full_one() {
    let pipeline = 3 * 83_840 + 43_840;
    assert_eq!(alone_ps(2500, STAR), pipeline + 2_000_000 + 2 * 1_004_800);
}

/// 2500 B over 100 and then 400 Gb/s: s = 83 840 and 20 960; l = 43 840 and 10 960. The last packet
/// never waits behind another: 2 · 83 840 + 43 840 + 10 960 (c = 1). With c = 2 the sum would be
/// less: 83 840 + 20 960 + 83 840 + 10 960. The ACK of 60 B takes 1 200 ps at 400 Gb/s, 4 800 at
/// 100.
#[test]
fn a_faster_second_link_never_queues() {
    let pipeline = 2 * 83_840 + 43_840 + 10_960;
    assert_eq!(
        alone_ps(2500, &[(100, 1), (400, 1)]),
        pipeline + 4_000_000 + 1_200 + 4_800
    );
}

/// 2500 B over 400 and then 100 Gb/s: packets queue before the slow link. The first packet reaches
/// it after 20 960. Then 2 · 83 840 + 43 840 follow without a gap (c = 2).
#[test]
fn a_slower_second_link_queues() {
    let pipeline = 20_960 + 2 * 83_840 + 43_840;
    assert_eq!(
        alone_ps(2500, &[(400, 1), (100, 1)]),
        pipeline + 4_000_000 + 1_200 + 4_800
    );
}

/// 2500 B over 400, 100 and 400 Gb/s: the short last packet follows the second one at the slow link
/// (c = 2). That makes 20 960 + 2 · 83 840 + 43 840, then 10 960 on the third link.
#[test]
fn the_slowest_link_may_be_in_the_middle() {
    let pipeline = 20_960 + 2 * 83_840 + 43_840 + 10_960;
    let ack = 1_200 + 4_800 + 1_200;
    assert_eq!(
        alone_ps(2500, &[(400, 1), (100, 1), (400, 1)]),
        pipeline + ack + 6_000_000
    );
}

/// DCQCN carries no INT, and a flow alone is never slowed, so the artifact's recorded FCTs are
/// ideal on its ns clock. 1048 B take 83 ns at 100 Gb/s, an ACK of 60 B takes 4 ns, and 1 MB takes
/// 4174 + 999 · 83. A flow of 1001 B is left out: its recorded 4178 ns are 1 ns more than ideal,
/// since the ACK of the last 49 B waits for the ACK before it.
#[test]
fn the_ns_clock_gives_the_recorded_times_of_dcqcn_alone() {
    let cases = [
        (1, STAR, 4014),
        (100, STAR, 4030),
        (1000, STAR, 4174),
        (2000, STAR, 4257),
        (10_000, STAR, 4921),
        (100_000, STAR, 12_391),
        (1_000_000, STAR, 87_091),
        (1, SAME_POD, 8016),
        (1000, SAME_POD, 8216),
        (1_000_000, SAME_POD, 91_133),
        (1, OTHER_POD, 12_018),
        (1000, OTHER_POD, 12_258),
        (2500, OTHER_POD, 12_384),
        (1_000_000, OTHER_POD, 95_175),
    ];
    for (size, links, recorded) in cases {
        let path = path(links);
        let (bytes, sizes) = (Bytes::new(size), PacketSizes::default());
        let fct = alone(bytes, &sizes, &Model::hpcc_ns3(1, true), &path, &path);
        assert_eq!(
            fct,
            Time::from_ns(recorded),
            "{size} B over {} links",
            links.len()
        );
    }
}

/// `standalone_fct` as in the artifact. For 1 B across one switch the base RTT is 4 µs + 2 · 80;
/// then come 49 B at 100 Gb/s: 3.92, rounded down.
#[test]
fn the_artifact_formula_gives_its_recorded_values() {
    let cases = [
        (1, STAR, 4163),
        (100, STAR, 4171),
        (1000, STAR, 4243),
        (1001, STAR, 4247),
        (2000, STAR, 4327),
        (10_000, STAR, 4998),
        (100_000, STAR, 12_544),
        (1_000_000, STAR, 88_000),
        (1, SAME_POD, 8203),
        (1000, SAME_POD, 8283),
        (1_000_000, SAME_POD, 92_040),
        (1, OTHER_POD, 12_243),
        (1000, OTHER_POD, 12_323),
        (2500, OTHER_POD, 12_451),
        (1_000_000, OTHER_POD, 96_080),
    ];
    for (size, links, recorded) in cases {
        assert_eq!(
            artifact_ns(size, links),
            recorded,
            "{size} B over {} links",
            links.len()
        );
    }
}

/// 1 B took 4028 ns where 4163 are ideal: 0.97, clipped to 1. 1 MB took 95 691 where 88 000 are
/// ideal: 1.087.
#[test]
fn the_artifacts_slowdown_is_clipped() {
    let formula = IdealFctFormula::StandaloneFct;
    let slowdown = |fct, ideal| slowdown(formula, Time::from_ns(fct), Time::from_ns(ideal));
    assert_eq!(slowdown(4028, 4163), 1.0);
    assert_eq!(slowdown(95_691, 88_000), 95_691.0 / 88_000.0);
}

/// The ideal FCT by recursion over packets and hops, which the closed form must equal.
fn by_recursion(sizes: &PacketSizes, size: u64, data: &[PathLink], ack: &[PathLink]) -> Time {
    let mtu = sizes.mtu.as_u64();
    let mut link_free = vec![Time::ZERO; data.len()];
    let mut arrival = Time::ZERO;
    let mut left = size;
    while left > 0 {
        let payload = left.min(mtu);
        left -= payload;
        let wire = sizes.data_header + Bytes::new(payload);
        arrival = Time::ZERO;
        for (hop, free) in data.iter().zip(&mut link_free) {
            *free = arrival.max(*free) + hop.rate.transmission_time(wire);
            arrival = *free + hop.delay;
        }
    }
    let ack_wire = sizes.ack.max(sizes.minimum);
    ack.iter().fold(arrival, |time, hop| {
        time + hop.rate.transmission_time(ack_wire) + hop.delay
    })
}

fn any_path() -> impl Strategy<Value = Vec<PathLink>> {
    let rate = prop_oneof![
        Just(10),
        Just(25),
        Just(40),
        Just(100),
        Just(400),
        Just(1600),
        1..900_u64
    ];
    let hop = (rate, 1..5_000_000_u64).prop_map(|(gbps, ps)| PathLink {
        rate: Rate::from_gbps(gbps),
        delay: Time::from_ps(ps),
    });
    proptest::collection::vec(hop, 1..8)
}

proptest! {
    #[test]
    fn the_closed_form_solves_the_recursion(
        data in any_path(),
        ack in any_path(),
        size in prop_oneof![1..4_000_u64, 1..200_000_u64],
        mtu in prop_oneof![Just(1000_u64), Just(1500), 1..4096_u64],
    ) {
        let sizes = PacketSizes { mtu: Bytes::new(mtu), ..PacketSizes::default() };
        let closed = alone(Bytes::new(size), &sizes, &Model::standard(), &data, &ack);
        prop_assert_eq!(closed, by_recursion(&sizes, size, &data, &ack));
    }
}
