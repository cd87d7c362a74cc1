use super::*;

/// A number up to 1023 has up to n bits, for n from 1 to 10 with equal chance. In n bits the chance
/// of 0 is 2⁻ⁿ, and of exactly m ≤ n bits 2ᵐ⁻¹/2ⁿ. Of 10 000 numbers 1000·(1 − 2ᵐ⁻¹¹) then have m
/// bits, and 999 are 0. Numbers above the bound count as the bound, which has as many bits.
#[test]
fn numbers_have_any_magnitude() {
    let mut random = SplitMix64::new(1);
    let mut counts = [0; 11];
    for _ in 0..10_000 {
        let number = any_magnitude(&mut random, 1_000);
        assert!(number <= 1_000);
        counts[number.checked_ilog2().map_or(0, |bits| bits as usize + 1)] += 1;
    }
    let expected: [i32; 11] = [999, 999, 998, 996, 992, 984, 969, 938, 875, 750, 500];
    for (count, expected) in counts.iter().zip(expected) {
        // Five standard deviations.
        assert!((count - expected).abs() < 150, "{counts:?}");
    }
}

/// There are flows with and without trimming, of 1 to 5 hops. NICs and links have every rate of the
/// list. Base RTTs are below and above the time of a packet.
#[test]
fn flows_and_paths_differ() {
    let mut random = SplitMix64::new(1);
    let settings: Vec<_> = (0..500).map(|_| PathSetting::draw(&mut random)).collect();
    let all = |has: &dyn Fn(&PathSetting) -> bool| settings.iter().all(has);
    let any = |has: &dyn Fn(&PathSetting) -> bool| settings.iter().any(has);
    assert!(any(&|one| one.context.trims));
    assert!(any(&|one| !one.context.trims));
    for hops in 1..=5 {
        assert!(any(&|one| one.links.len() == hops), "{hops}");
    }
    assert!(all(&|one| (1..=5).contains(&one.links.len())));
    for gbps in [1, 10, 25, 40, 100, 400, 800] {
        let rate = Rate::from_gbps(gbps);
        assert!(any(&|one| one.context.line_rate == rate), "{rate}");
        assert!(any(&|one| one.links.contains(&rate)), "{rate}");
    }
    assert!(any(&|one| one.format == IntFormat::Exact));
    assert!(any(&|one| one.format == IntFormat::quantised(16, 16)));
    assert!(all(&|one| one.format.check().is_ok()));
    assert!(all(&|one| one.flow_size > 0));
    assert!(all(&|one| one.context.base_rtt > Time::ZERO));
    assert!(any(&|one| one.context.base_window == one.context.mtu));
    assert!(any(&|one| one.context.base_window > one.context.mtu));
}

/// Windows of the first six flows of seed 1, with headers of 90 B per packet:
///
/// | rate in Gb/s | base RTT in ns | sent in it | packet | window   |
/// |--------------|----------------|------------|--------|----------|
/// | 40           | 7954           | 39 770 B   | 1440 B | 39 770 B |
/// | 40           | 5              | 25 B       | 9000 B | 9000 B   |
/// | 40           | 358            | 1790 B     | 9000 B | 9000 B   |
/// | 400          | 10 953         | 547 650 B  | 9000 B | 547 650 B|
/// | 800          | 8              | 800 B      | 1000 B | 1000 B   |
/// | 400          | 1              | 50 B       | 1 B    | 50 B     |
#[test]
fn windows_are_what_is_sent_in_a_base_rtt() {
    let mut random = SplitMix64::new(1);
    for (gbps, ns, mtu, wire, window) in [
        (40, 7_954, 1_440, 1_530, 39_770),
        (40, 5, 9_000, 9_090, 9_000),
        (40, 358, 9_000, 9_090, 9_000),
        (400, 10_953, 9_000, 9_090, 547_650),
        (800, 8, 1_000, 1_090, 1_000),
        (400, 1, 1, 91, 50),
    ] {
        let context = PathSetting::draw(&mut random).context;
        assert_eq!(context.line_rate, Rate::from_gbps(gbps));
        assert_eq!(context.base_rtt, Time::from_ns(ns));
        assert_eq!(context.mtu, Bytes::new(mtu));
        assert_eq!(context.wire_mtu, Bytes::new(wire));
        assert_eq!(context.base_window, Bytes::new(window));
    }
}

/// Packets have 1 to 9000 B, receivers 1 to 1000 flows; ACKs are for any part. Each kind of event
/// comes, and a CNP of a switch has its rate and port, one of a receiver neither.
#[test]
fn events_are_possible() {
    let mut random = SplitMix64::new(1);
    let (mut kinds, mut longest_wait) = ([0_i32; 7], Time::ZERO);
    let mut parts = [false; 256];
    for _ in 0..20_000 {
        let kind = match Event::draw(&mut random) {
            Event::Wait { time, late } => {
                longest_wait = longest_wait.max(time);
                assert!(late <= Time::from_ns(1));
                0
            }
            Event::Send { payload } => {
                assert!((1..=9_000).contains(&payload));
                1
            }
            Event::Ack { part, news } => {
                parts[usize::from(part)] = true;
                assert!(news.round_trip > Time::ZERO);
                assert_eq!(news.hops.len(), 5);
                assert!(
                    news.receiver_flows
                        .is_none_or(|flows| (1..=1_000).contains(&flows))
                );
                2
            }
            Event::Nack { .. } => 3,
            Event::Timeout => 4,
            Event::Cnp(Cnp {
                rate: None,
                congestion_point,
            }) => {
                assert_eq!(congestion_point, None);
                5
            }
            Event::Cnp(Cnp {
                rate,
                congestion_point,
            }) => {
                assert!(rate.is_some_and(|rate| rate <= Rate::from_gbps(400)));
                assert!(congestion_point.is_some());
                6
            }
        };
        kinds[kind] += 1;
    }
    // Of 18: 4 waits, 4 packets, 6 ACKs, a NACK, a timeout, a CNP of each kind.
    for (count, share) in kinds.into_iter().zip([4, 4, 6, 1, 1, 1, 1]) {
        let expected = 20_000 * share / 18;
        assert!((count - expected).abs() < 200, "{kinds:?}");
    }
    assert!(longest_wait > Time::from_ms(1));
    assert!(longest_wait <= Time::from_ms(2));
    assert_eq!(parts, [true; 256]);
}
