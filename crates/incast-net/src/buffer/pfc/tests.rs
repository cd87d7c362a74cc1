//! Buffer accounting against hand-computed values.

use super::*;

const LINK: PortFacts = PortFacts {
    link: IngressLink {
        rate: Rate::from_gbps(100),
        arriving: Rate::from_gbps(100),
        delay: Time::from_us(1),
        later: Time::ZERO,
    },
    nic_rate: Rate::from_gbps(100),
};

fn artifact(size: u64, ports: usize) -> PfcBuffer {
    with_lanes(size, ports)
}

fn with_lanes<const LANES: usize>(size: u64, ports: usize) -> PfcBuffer<LANES> {
    let pfc = PfcConfig {
        threshold: PfcThreshold::Dynamic { shift: 3 },
        resume_offset: Bytes::new(3072),
        headroom: Headroom::RateDelay(3),
    };
    let buffer = BufferConfig {
        size: Bytes::new(size),
        reserve: Bytes::new(4096),
    };
    PfcBuffer::new(
        NodeId(0),
        &buffer,
        &pfc,
        &PacketSizes::default(),
        Clock::Picoseconds,
        &vec![LINK; ports],
    )
    .unwrap()
}

/// 100 Gb/s · 1 µs = 12 500 B; three times this is 37 500 B. At 400 Gb/s it is 150 000 B. The shift
/// is 3 at NIC rate, and 1 at four times NIC rate.
#[test]
fn headroom_and_shift_follow_the_link() {
    let rate = Rate::from_gbps(400);
    let link = IngressLink {
        rate,
        arriving: rate,
        ..LINK.link
    };
    let fast = PortFacts { link, ..LINK };
    let sizes = PacketSizes::default();
    let headroom = |headroom: Headroom, port: &PortFacts, clock| {
        headroom.of(&port.link, &sizes, clock).as_u64()
    };
    for clock in [Clock::Picoseconds, Clock::Nanoseconds] {
        assert_eq!(headroom(Headroom::RateDelay(3), &LINK, clock), 37_500);
        assert_eq!(headroom(Headroom::RateDelay(3), &fast, clock), 150_000);
    }
    // 2 µs · 100 Gb/s = 25 000; 3 · (1000 + 48 + 42 + 8) = 3294; 2 · 64.
    let worst = |port, clock| headroom(Headroom::WorstCase, port, clock);
    assert_eq!(worst(&LINK, Clock::Picoseconds), 28_422);
    // 1 B and 48 B of headers take 3.92 ns, rounded to 3 ns: the link is at most a third faster.
    assert_eq!(worst(&LINK, Clock::Nanoseconds), 37_896);
    let rule = PfcThreshold::Dynamic { shift: 3 };
    assert_eq!((shift(&rule, &LINK), shift(&rule, &fast)), (3, 1));
}

/// 2 ports, 123 192 B: shared = 123 192 − 2·37 500 − 2·4096 = 40 000, threshold 5000. In steps of
/// 1000 B: the first 4096 are in the reserve. Then shared use grows, and the threshold falls by an
/// eighth of it. At 9000 B, 4904 are shared and the threshold is (40 000 − 4904)/8 = 4387: pause.
#[test]
fn a_port_pauses_at_an_eighth_of_what_is_free() {
    let mut buffer = artifact(123_192, 2);
    let mut total = 0;
    while !buffer.update_pause(Account(0), Time::ZERO) {
        assert_eq!(buffer.admit(Account(0), 1000), Admission::Stored);
        total += 1000;
    }
    // At 8000 B 3904 B are shared, and the threshold is (40 000 − 3904)/8 = 4512: no pause. The
    // next 1000 B would make 4904 > 4512: they go to headroom, and the port pauses.
    assert_eq!(total, 9000);
    assert_eq!(buffer.accounts[0].headroom_used, 1000);
    assert!(
        !buffer.update_pause(Account(0), Time::ZERO),
        "one pause is enough"
    );
    assert!(
        !buffer.update_pause(Account(1), Time::ZERO),
        "the other port is not concerned"
    );
}

/// The port starts with the state above. The headroom drains first, then the port must fall 3072 B
/// below its threshold.
#[test]
fn a_port_resumes_well_below_its_threshold() {
    let mut buffer = artifact(123_192, 2);
    while !buffer.update_pause(Account(0), Time::ZERO) {
        assert_eq!(buffer.admit(Account(0), 1000), Admission::Stored);
    }
    let mut total = 9000;
    loop {
        total -= 1000;
        buffer.release(Account(0), 1000);
        if buffer.update_resume(Account(0)) {
            break;
        }
    }
    // At 5000 B 904 B are shared: 904 + 3072 = 3976 ≤ (40 000 − 904)/8 = 4887. At 6000 B 1904 +
    // 3072 = 4976 > 4762.
    assert_eq!(total, 5000);
    while total > 0 {
        buffer.release(Account(0), 1000);
        total -= 1000;
    }
    assert_eq!((buffer.left_over(), buffer.shared_used), ((0, 0), 0));
}

/// With u bytes above the reserve the threshold is ⌊(40 000 − u)/8⌋: 4444 for u = 4443 and 4444.
/// A port at its threshold pauses. It resumes where u + 3072 is at most the threshold: at u = 1714
/// that is 4786 and 4785, at 1713 it is 4785 and 4785.
#[test]
fn thresholds_are_exact_to_the_byte() {
    let mut buffer = artifact(123_192, 2);
    assert_eq!(buffer.admit(Account(0), 4096 + 4443), Admission::Stored);
    assert!(!buffer.update_pause(Account(0), Time::ZERO));
    assert_eq!(buffer.admit(Account(0), 1), Admission::Stored);
    assert!(buffer.update_pause(Account(0), Time::ZERO));
    buffer.release(Account(0), 4444 - 1714);
    assert!(!buffer.update_resume(Account(0)));
    buffer.release(Account(0), 1);
    assert!(buffer.update_resume(Account(0)));
}

#[test]
fn a_full_headroom_refuses() {
    let mut buffer = artifact(123_192, 2);
    let admitted = (0..)
        .take_while(|_| buffer.admit(Account(0), 1000) == Admission::Stored)
        .count();
    // 8 packets in reserve and shared buffer, 37 in headroom.
    assert_eq!(admitted, 45);
}

#[test]
fn headrooms_must_fit() {
    let result = std::panic::catch_unwind(|| artifact(83_192, 2));
    assert!(result.is_err());
}

/// Two ports of 2·(4096 + 37 500) B, and a shared part of 3000 B. A static threshold of 2000 B lets
/// each port have 2000 B, but not both. Port 0 takes 4096 + 2000 B, and pauses. Port 1 takes 4096 +
/// 1000 B and also pauses, because no shared bytes are left.
#[test]
fn static_thresholds_do_not_overbook_the_buffer() {
    let pfc = PfcConfig {
        threshold: PfcThreshold::Static(Bytes::new(2_000)),
        resume_offset: Bytes::new(500),
        headroom: Headroom::RateDelay(3),
    };
    let buffer = BufferConfig {
        size: Bytes::new(2 * (4_096 + 37_500) + 3_000),
        reserve: Bytes::new(4_096),
    };
    let sizes = PacketSizes::default();
    let mut buffer: PfcBuffer = PfcBuffer::new(
        NodeId(0),
        &buffer,
        &pfc,
        &sizes,
        Clock::Picoseconds,
        &[LINK; 2],
    )
    .unwrap();
    let mut fill = |port| {
        let mut total = 0;
        loop {
            assert_eq!(buffer.admit(Account(port), 100), Admission::Stored);
            total += 100;
            if buffer.update_pause(Account(port), Time::ZERO) {
                return (
                    total,
                    buffer.shared_used,
                    buffer.accounts[port].headroom_used,
                );
            }
        }
    };
    // 61 packets are 6100 = 4096 + 2004 B: the last does not fit, and goes to headroom.
    assert_eq!(fill(0), (6_100, 1_904, 100));
    // 3000 − 1904 = 1096 B are free, so 51 packets fit: 5100 = 4096 + 1004 B. The 52nd packet would
    // need 1104 B.
    assert_eq!(fill(1), (5_200, 2_908, 100));
    // Port 1 resumes when 500 B are free: 492 B are free at 4700 B, 592 B at 4600 B.
    let mut left = 5_200;
    loop {
        left -= 100;
        buffer.release(Account(1), 100);
        if buffer.update_resume(Account(1)) {
            break;
        }
    }
    assert_eq!(left, 4_600);
}

/// Two ports of two lanes: each of the four accounts has its own 4096 and 37 500 B. Lane 1 of port
/// 0 reaches its threshold at 9000 B, like a port with one lane. Lane 0 has its own account, and
/// still has room.
#[test]
fn lanes_of_a_port_have_accounts_of_their_own() {
    let mut buffer = with_lanes::<2>(206_384, 2);
    let lanes: Vec<_> = Lane::first(2).collect();
    let accounts = [0, 1].map(|port| lanes.clone().into_iter().map(move |lane| (port, lane)));
    let accounts = accounts.into_iter().flatten();
    let accounts: Vec<_> = accounts
        .map(|(port, lane)| buffer.account(port, lane))
        .collect();
    assert_eq!(accounts, [0, 2, 1, 3].map(Account));
    assert_eq!(buffer.shared, 40_000);
    let full = accounts[1];
    let mut total = 0;
    while !buffer.update_pause(full, Time::ZERO) {
        assert_eq!(buffer.admit(full, 1000), Admission::Stored);
        total += 1000;
    }
    assert_eq!((total, buffer.pauses_peers()), (9_000, true));
    for account in accounts {
        assert_eq!(buffer.pauses(account), account == full);
        let fits = account != full;
        assert_eq!(buffer.fits_below_threshold(account, 1000), fits);
    }
    buffer.release(full, 9_000);
    assert!(buffer.update_resume(full));
    // Per lane: 4096 + 4500 B are not below (40 000 − 4500)/8 = 4437, 4096 + 4400 are.
    let arrives = |bytes| buffer.all_fit_below_threshold(bytes, [(1, bytes)].into_iter());
    assert!(arrives(4_096 + 300) && !arrives(4_096 + 4_500));
}

/// Packets with a jitter of 10 ns at 100 Gb/s need 125 B more than 28 422 B. A headroom given in
/// bytes does not change.
#[test]
fn what_is_late_needs_headroom() {
    let later = Time::from_ns(10);
    let link = IngressLink { later, ..LINK.link };
    let headroom = |rule: Headroom| {
        let sizes = PacketSizes::default();
        rule.of(&link, &sizes, Clock::Picoseconds).as_u64()
    };
    assert_eq!(headroom(Headroom::WorstCase), 28_422 + 125);
    assert_eq!(headroom(Headroom::RateDelay(3)), 37_500);
}

/// Packets arrive at 100 Gb/s and pauses leave at 25 Gb/s. Headroom has 2 µs · 100 Gb/s = 25 000 B,
/// 2 · 1098 B, and four times 1098 + 2 · 64 = 1226 B, which arrive while 1226 B leave. With
/// exchanged rates: 6250 B, 2196 B, and a quarter of 1226 B, rounded up to 307 B.
#[test]
fn headroom_is_for_the_rate_at_which_packets_arrive() {
    let (slow, fast) = (Rate::from_gbps(25), Rate::from_gbps(100));
    let headroom = |rate, arriving| {
        let link = IngressLink {
            rate,
            arriving,
            ..LINK.link
        };
        let sizes = PacketSizes::default();
        let found = Headroom::WorstCase.of(&link, &sizes, Clock::Picoseconds);
        found.as_u64()
    };
    assert_eq!(headroom(slow, fast), 25_000 + 2_196 + 4 * 1_226);
    assert_eq!(headroom(fast, slow), 6_250 + 2_196 + 307);
}
