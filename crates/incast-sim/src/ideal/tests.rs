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

/// The exact ideal FCT in ps of a flow whose ACKs come back the same way.
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

/// 49 B on the wire; a byte takes 80 ps at 100 Gb/s. Data: 2 · (49 · 80 ps + 1 µs), ACK of 46 B,
/// padded to 60, 2 · (60 · 80 ps + 1 µs).
#[test]
fn one_byte_across_one_switch() {
    assert_eq!(alone_ps(1, STAR), 2 * 1_003_920 + 2 * 1_004_800);
}

/// Data of 1048 B: 2 · (83 840 + 1 000 000); ACK: 2 · (4 800 + 1 000 000).
#[test]
fn one_full_packet_across_one_switch() {
    assert_eq!(alone_ps(1000, STAR), 2 * 1_083_840 + 2 * 1_004_800);
}

/// n = 3, all on 100 Gb/s: s = 83 840, last packet of 548 B: l = 43 840. Its last bit leaves the
/// NIC after 2 s + l and the switch, which it reaches after the second packet has left, l later:
/// but that packet leaves the switch at 3 s, and 2 s + l < 3 s, so 3 s + l.
#[test]
fn a_short_last_packet_waits_behind_a_full_one() {
    let pipeline = 3 * 83_840 + 43_840;
    assert_eq!(alone_ps(2500, STAR), pipeline + 2_000_000 + 2 * 1_004_800);
}

/// 100 then 400 Gb/s, 2500 B. s = 83 840 and 20 960; l = 43 840 and 10 960. The last packet
/// never waits behind another: 2 · 83 840 + 43 840 + 10 960 (c = 1); c = 2 would give
/// 83 840 + 20 960 + 83 840 + 10 960, less. ACK of 60 B: 1 200 ps at 400 Gb/s, 4 800 at 100.
#[test]
fn a_faster_second_link_never_queues() {
    let pipeline = 2 * 83_840 + 43_840 + 10_960;
    assert_eq!(
        alone_ps(2500, &[(100, 1), (400, 1)]),
        pipeline + 4_000_000 + 1_200 + 4_800
    );
}

/// 400 then 100 Gb/s, 2500 B: packets queue before the slow link. The first reaches it after
/// 20 960; then 2 · 83 840 + 43 840 without a gap (c = 2).
#[test]
fn a_slower_second_link_queues() {
    let pipeline = 20_960 + 2 * 83_840 + 43_840;
    assert_eq!(
        alone_ps(2500, &[(400, 1), (100, 1)]),
        pipeline + 4_000_000 + 1_200 + 4_800
    );
}

/// A slow link in the middle, 2500 B over 400, 100, 400: the short last packet follows the
/// second at the slow link (c = 2): 20 960 + 2 · 83 840 + 43 840, then 10 960 on the third link.
#[test]
fn the_slowest_link_may_be_in_the_middle() {
    let pipeline = 20_960 + 2 * 83_840 + 43_840 + 10_960;
    let ack = 1_200 + 4_800 + 1_200;
    assert_eq!(
        alone_ps(2500, &[(400, 1), (100, 1), (400, 1)]),
        pipeline + ack + 6_000_000
    );
}

/// DCQCN carries no INT, and alone it is never slowed, so its recorded FCTs on the artifact's ns
/// clock are ideal ones: 83 ns for 1048 B at 100 Gb/s, 4 for an ACK of 60 B, and 1 MB takes
/// 4174 + 999 · 83. (Left out are 1001 B, recorded as 4178 ns, 1 ns more than ideal: the ACK of
/// the last 49 B waits for the one before.)
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

/// `standalone_fct` as the artifact wrote it. For 1 B across one switch: base RTT 4 µs + 2 · 80,
/// then 49 B at 100 Gb/s: 3.92, rounded down.
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

/// 1 B took 4028 ns against 4163 ideal: 0.97, clipped. 1 MB took 95 691 against 88 000: 1.087.
#[test]
fn the_artifacts_slowdown_is_clipped() {
    let formula = IdealFctFormula::StandaloneFct;
    let slowdown = |fct, ideal| slowdown(formula, Time::from_ns(fct), Time::from_ns(ideal));
    assert_eq!(slowdown(4028, 4163), 1.0);
    assert_eq!(slowdown(95_691, 88_000), 95_691.0 / 88_000.0);
}

/// The recursion that the closed form solves, packet by packet and hop by hop.
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
