//! Equations against hand-computed values, with the specification's parameters unless a test sets
//! others.
//!
//! 100 Gb/s and T = 12 us: a = 1, the BDP is 150 000 B, W_max 225 000 B. Without trimming the
//! target is 12 us, so b = 1; P = 4150 B.

use super::*;

const US: fn(u64) -> Time = Time::from_us;
const PACKET: u64 = 4_150;

fn exact() -> NsccConfig {
    NsccConfig {
        received_unit: Bytes::new(1),
        ..NsccConfig::default()
    }
}

/// A flow with this window that sent a packet at time 0.
fn flow_with(config: &NsccConfig, trims: bool, window: u64) -> Nscc {
    let mut flow = Nscc::new(config, &context(100, US(12), trims), NoParts);
    send(&mut flow, Time::ZERO, PACKET);
    flow.window = window;
    flow
}

fn flow(window: u64) -> Nscc {
    flow_with(&exact(), false, window)
}

/// An ACK of `bytes` bytes with an RTT of T + `above`.
fn delayed(bytes: u64, above: Time) -> Ack<'static> {
    Ack {
        round_trip: Some(US(12) + above),
        ..received(bytes)
    }
}

fn marked(bytes: u64, above: Time) -> Ack<'static> {
    Ack {
        marked: true,
        ..delayed(bytes, above)
    }
}

#[test]
fn a_flow_begins_with_the_largest_window() {
    let flow = Nscc::new(&exact(), &context(100, US(12), false), NoParts);
    assert_eq!((flow.window, flow.max_window), (225_000, 225_000));
}

/// 100 packets of 4150 B are 415,000 B; the first ACK limits W to 1.5 BDP, 225,000 B. 2.5 packets
/// are 10,375 B.
#[test]
fn a_flow_may_begin_with_another_window() {
    let with = |packets| {
        let config = NsccConfig {
            initial_window: Some(packets),
            ..exact()
        };
        Nscc::new(&config, &context(100, US(12), false), NoParts)
    };
    assert_eq!(with(2.5).window, 10_375);
    let mut flow = with(100.0);
    assert_eq!((flow.window, flow.max_window), (415_000, 225_000));
    send(&mut flow, Time::ZERO, PACKET);
    flow.on_ack(US(12), &delayed(PACKET, Time::ZERO));
    assert_eq!(flow.window, 225_000);
}

/// Eq. (3): 8300 B sent, 4150 B received, and 1000 B that counted as lost have arrived.
#[test]
fn what_is_in_flight_falls_by_what_is_received() {
    let mut flow = flow(100_000);
    send(&mut flow, Time::ZERO, PACKET);
    flow.on_loss(US(1), &lost(LossKind::Nack, 1_000));
    assert_eq!(flow.in_flight, 7_300);
    let mut ack = delayed(PACKET, Time::ZERO);
    ack.news.restored = Bytes::new(1_000);
    flow.on_ack(US(12), &ack);
    assert_eq!(flow.in_flight, 4_150);
}

/// 4150 B are 17 units of 256 B, 4352 B. 8300 B are 33 units, 8448 B. So 4352 B and 4096 B are
/// reported.
#[test]
fn received_bytes_are_told_in_units() {
    let mut flow = flow_with(&NsccConfig::default(), false, 100_000);
    send(&mut flow, Time::ZERO, PACKET);
    flow.on_ack(US(12), &delayed(PACKET, Time::ZERO));
    assert_eq!(flow.in_flight, 8_300 - 4_352);
    flow.on_ack(US(12), &delayed(PACKET, Time::ZERO));
    assert_eq!(flow.in_flight, 8_300 - 8_448);
}

/// Eq. (4): an RTT of 8 us gives 1.5 · 100 000 B.
#[test]
fn a_shorter_rtt_is_the_base_rtt() {
    let mut flow = flow(200_000);
    let ack = Ack {
        round_trip: Some(US(8)),
        ..received(1)
    };
    flow.on_ack(US(12), &ack);
    assert_eq!((flow.base_rtt, flow.max_window), (US(8), 150_000));
    assert_eq!(flow.window, 150_000);
}

/// Eq. (5): the first sample is 6 us; 3 us later, T/4, the sample is 2 us: 6 + (2 − 6)/4 = 5 us.
/// After more than T the average is the sample itself. With a fixed weight of 0.5 from 0: 3 us,
/// then 2.5 us.
#[test]
fn the_average_is_over_a_base_rtt() {
    let mut flow = flow(100_000);
    let averages = |flow: &mut Nscc| {
        [(20, 6), (23, 2), (40, 3)].map(|(at, delay)| {
            flow.on_ack(US(at), &delayed(1, US(delay)));
            flow.average
        })
    };
    assert_eq!(averages(&mut flow), [6_000_000, 5_000_000, 3_000_000]);
    let weighted = NsccConfig {
        average_weight: Some(0.5),
        ..exact()
    };
    let mut flow = flow_with(&weighted, false, 100_000);
    assert_eq!(averages(&mut flow), [3_000_000, 2_500_000, 2_750_000]);
}

/// 24 us are above the target: without a mark the delay counts as 12/4 us.
#[test]
fn an_unmarked_delay_may_count_as_less() {
    let config = NsccConfig {
        unmarked_delay: Some(0.25),
        ..exact()
    };
    let mut flow = flow_with(&config, false, 100_000);
    flow.on_ack(US(20), &delayed(1, US(24)));
    assert_eq!(flow.average, 3_000_000);
    flow.on_ack(US(40), &marked(1, US(24)));
    assert_eq!(flow.average, 24_000_000);
    // The target itself, 12 us, is not above it.
    flow.on_ack(US(60), &delayed(1, US(12)));
    assert_eq!(flow.average, 12_000_000);
}

/// Eq. (6): α = 4 · 4150 · 1 · 1/12 us. For 4150 B at 6 us below the target: 4 · 4150 · 4150/2 = 34
/// 445 000. Eq. (10) after 12 us: 100 000 + 344; Eq. (11): + 0.15 · 4150 = 622.5.
#[test]
fn the_window_grows_below_the_target() {
    let mut flow = flow(100_000);
    flow.on_ack(US(11), &delayed(PACKET, US(6)));
    assert_eq!((flow.increase, flow.window), (34_445_000, 100_000));
    flow.on_ack(US(12), &delayed(0, US(6)));
    assert_eq!((flow.increase, flow.received), (0, 0));
    assert_eq!((flow.window, flow.adjusted), (100_000 + 344 + 622, US(12)));
}

/// Eq. (7): 5 · 4150 · 4150 B = 86 112 500. Eq. (10) comes after more than 8 packets; η is not
/// added before T.
#[test]
fn the_window_grows_by_packets_above_the_target() {
    let mut flow = flow(100_000);
    flow.on_ack(US(5), &delayed(PACKET, US(12)));
    assert_eq!(flow.increase, 86_112_500);
    flow.on_ack(US(6), &delayed(7 * PACKET, US(12)));
    assert_eq!((flow.window, flow.received), (100_000, 33_200));
    flow.on_ack(US(7), &delayed(1, US(12)));
    // (8 · 86 112 500 + 20 750)/100 000 = 6889.2
    assert_eq!(flow.window, 106_889);
}

/// Eq. (8): 100 000 B without a queue are not more than the window, 100 001 B are. From then on the
/// window grows by a quarter of the received bytes. A delay of 1 us ends the fast growth.
#[test]
fn the_window_grows_fast_without_a_queue() {
    let mut flow = flow(100_000);
    let begin = flow.increase;
    flow.on_ack(US(1), &delayed(30_000, Time::from_ns(999)));
    assert!(!flow.is_fast && flow.increase > begin);
    flow.received = 0;
    flow.without_queue = 100_000;
    let increase = flow.increase;
    flow.on_ack(US(2), &delayed(1, Time::ZERO));
    assert!(flow.is_fast);
    flow.on_ack(US(3), &delayed(4_000, Time::ZERO));
    assert_eq!((flow.window, flow.increase), (101_000, increase));
    flow.on_ack(US(4), &delayed(1, US(1)));
    assert!(!flow.is_fast && flow.without_queue == 0);
}

/// Eq. (9): with d̄ = 15 us, 1 − 0.8 · 3/15 = 0.84. The next decrease comes after more than 12 us:
/// with 48 us, 1 − 0.8 · 36/48 = 0.4, but at most one half is cut.
#[test]
fn marks_and_delay_cut_the_window() {
    let mut flow = flow(100_000);
    flow.on_ack(US(20), &marked(1, US(15)));
    // 84 000 B, plus η.
    assert_eq!((flow.window, flow.decreased), (84_622, US(20)));
    flow.on_ack(US(32), &marked(1, US(15)));
    assert_eq!(flow.decreased, US(20));
    let before = flow.window;
    flow.quick.end = Some(US(1_000));
    flow.on_ack(US(45), &marked(1, US(48)));
    assert_eq!(flow.window, before / 2 + 622);
}

#[test]
fn a_mark_below_the_target_changes_nothing() {
    let mut flow = flow(100_000);
    flow.on_ack(US(5), &marked(PACKET, US(6)));
    assert_eq!((flow.window, flow.increase), (100_000, 0));
}

/// By the specification an ACK for a packet that is not awaited only counts bytes. The simulator
/// uses the average delay in place of the ACK's own.
#[test]
fn an_rtt_counts_only_of_an_awaited_packet() {
    let stale = || {
        let mut ack = delayed(PACKET, US(6));
        ack.news.was_awaited = false;
        ack
    };
    let mut flow = flow(100_000);
    flow.on_ack(US(5), &stale());
    assert_eq!((flow.increase, flow.average, flow.in_flight), (0, 0, 0));
    let config = NsccConfig {
        needs_sample: false,
        ..exact()
    };
    let mut flow = flow_with(&config, false, 100_000);
    flow.average = 12_000_000;
    flow.on_ack(US(5), &stale());
    assert_eq!((flow.increase, flow.average), (86_112_500, 12_000_000));
}

/// Eq. (12): periods of 24 us. In the second period less than 225 000/8 = 28 125 B arrive, with a
/// delay of 5 targets: the window becomes the bytes that arrived. Marked ACKs are ignored until
/// 4150 B more have arrived.
#[test]
fn quick_adapt_takes_what_arrives() {
    let mut flow = flow(100_000);
    flow.on_ack(US(10), &delayed(0, US(6)));
    assert_eq!(flow.quick.end, Some(US(34)));
    send(&mut flow, US(11), 24_150);
    flow.on_ack(US(34), &marked(20_000, US(60)));
    // 4150 + 24 150 − 20 000 B are in flight.
    assert_eq!((flow.window, flow.quick.to_ignore), (20_000, 8_300));
    assert_eq!(flow.quick.end, Some(US(58)));
    flow.on_ack(US(48), &marked(PACKET, US(60)));
    assert_eq!((flow.window, flow.increase), (20_000, 0));
    flow.on_ack(US(50), &marked(PACKET, US(60)));
    assert!(flow.window < 20_000, "ignored no longer");
}

/// A period in which exactly 28 125 B arrive leaves the window as it is. In a new flow, a period
/// with 28 124 B lowers the window to these bytes.
#[test]
fn quick_adapt_asks_for_an_eighth_of_the_largest_window() {
    for (bytes, window) in [(28_125, 100_000), (28_124, 28_124)] {
        let mut flow = flow(100_000);
        flow.quick.end = Some(US(5));
        // Within T nothing else changes the window.
        flow.decreased = US(5);
        flow.adjusted = US(5);
        flow.on_ack(US(5), &marked(bytes, US(60)));
        assert_eq!(flow.window, window);
    }
}

/// If switches trim, quick adapt acts on trimmed packets, never on delay. The window is at least
/// one packet.
#[test]
fn quick_adapt_after_a_trimmed_packet() {
    let mut flow = flow_with(&exact(), true, 100_000);
    flow.on_ack(US(10), &delayed(0, US(60)));
    // 12 + 9 us after the first.
    flow.on_ack(US(31), &delayed(0, US(600)));
    assert!(flow.window >= 100_000);
    flow.on_loss(US(52), &trimmed(PACKET, None, false));
    assert_eq!((flow.window, flow.in_flight), (PACKET, 0));
}

/// Eq. (13), and a sample of T = 12 us in the average. The header's RTT of 8 us becomes the base
/// RTT.
#[test]
fn a_trimmed_packet_lowers_the_window() {
    let mut flow = flow_with(&exact(), true, 100_000);
    flow.on_loss(US(10), &trimmed(PACKET, Some(US(8)), true));
    assert_eq!((flow.window, flow.in_flight), (95_850, 0));
    assert_eq!((flow.average, flow.base_rtt), (12_000_000, US(8)));
    assert!(flow.quick.is_triggered);
    let spared = NsccConfig {
        spares_last_hop: true,
        base_rtt_from_trims: false,
        ..exact()
    };
    let mut flow = flow_with(&spared, true, 100_000);
    flow.on_loss(US(10), &trimmed(PACKET, Some(US(8)), true));
    assert_eq!((flow.window, flow.base_rtt), (100_000, US(12)));
    flow.on_loss(US(11), &trimmed(PACKET, None, false));
    assert_eq!(flow.window, 95_850);
}

/// Eq. (13). In the simulator only timeouts lower the window.
#[test]
fn a_lost_packet_lowers_the_window() {
    let windows = |config: &NsccConfig| {
        let mut flow = flow_with(config, false, 10_000);
        [LossKind::Nack, LossKind::Timeout, LossKind::Timeout].map(|kind| {
            flow.on_loss(US(10), &lost(kind, PACKET));
            (flow.window, flow.quick.ignored)
        })
    };
    let specified = [(5_850, 4_150), (PACKET, 8_300), (PACKET, 12_450)];
    assert_eq!(windows(&exact()), specified);
    let simulated = [(10_000, 0), (5_850, 0), (PACKET, 0)];
    assert_eq!(windows(&NsccConfig::uet_htsim()), simulated);
}

/// Of 10 000 − 4150 B one more packet may leave. Into the remaining 1700 B no full packet fits.
/// Into 8300 − 4150 B exactly one fits.
#[test]
fn a_packet_leaves_if_it_fits() {
    let rooms = |config: &NsccConfig| {
        let room = flow_with(config, false, 8_300).limit().room;
        assert_eq!(room, Bytes::new(PACKET));
        let mut flow = flow_with(config, false, 10_000);
        let first = flow.limit();
        assert_eq!(first.window, Bytes::new(10_000));
        send(&mut flow, US(1), PACKET);
        [first.room, flow.limit().room].map(Bytes::as_u64)
    };
    assert_eq!(rooms(&exact()), [5_850, 0]);
    assert_eq!(rooms(&NsccConfig::uet_htsim()), [5_850, 1_700]);
}

/// The flow's periods start with its first packet.
#[test]
fn times_count_from_the_first_packet() {
    let mut flow = Nscc::new(&exact(), &context(100, US(12), false), NoParts);
    send(&mut flow, US(1_000), PACKET);
    send(&mut flow, US(1_001), PACKET);
    assert_eq!((flow.adjusted, flow.decreased), (US(1_000), US(1_000)));
    flow.window = 100_000;
    flow.on_ack(US(1_011), &delayed(1, US(6)));
    assert_eq!(flow.window, 100_000);
}
