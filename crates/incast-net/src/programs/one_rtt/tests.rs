//! Window tables, against Figs. 5.1 to 5.4 of Snyder's dissertation. Epochs of 13 us, a BDP
//! of 4 packets of 1000 B, a link whose rate is 4 packets per epoch.

use incast_signals::WindowDivisor;
use incast_signals::s_perc::CompactRate;

use super::*;
use crate::wire::Kind;

type Control = Packet<13>;

const EPOCH: Time = Time::from_us(13);

fn options(divided_by: Option<WindowDivisor>, shared: bool) -> OneRttOptions {
    OneRttOptions {
        epoch: Some(EPOCH),
        largest_window: Some(Bytes::new(4_000)),
        divided_by,
        shared,
        ..OneRttOptions::default()
    }
}

/// A port with this table. 4 packets of 1000 B in 13 us are 2461.5 Mb/s.
fn port() -> OneRtt {
    let options = options(None, false);
    let clock = EpochClock::new(&options, NodeId(0), 1);
    OneRtt::new(&options, clock, 1, Bytes::new(1_000))
}

fn link_rate(flows: u64) -> Rate {
    Rate::from_bps(2_461_538_462 / flows)
}

/// Sends the first rate request of a flow that starts at `us`. The previous program offers the
/// share of one of `flows` flows. Returns the number of packets let through.
fn control(port: &mut OneRtt, us: u64, flows: u64, connections: u16) -> u16 {
    let mut packet = Control::new(Kind::RateRequest, 64);
    let mut record = packet.control_record();
    record.begin();
    record.begin_trip(1, CompactRate::UNLIMITED, Time::from_us(us));
    record.set_speculative_connections(connections);
    let mut offer = Offer {
        rate: Some(link_rate(flows)),
    };
    let passed = port.on_rate_request(&mut packet, 0, Pass::Forward, Time::from_us(us), &mut offer);
    passed.unwrap();
    packet.control_record().let_through()
}

/// The numbers, of those given, of packets that pass, for a flow that started at `us`.
fn passed(port: &mut OneRtt, us: u64, connections: u16, numbers: &[u32]) -> Vec<u32> {
    let passes = |number: &&u32| {
        let packet = Speculation {
            started: Time::from_us(us),
            sequence: **number,
            connections,
        };
        Program::<5>::on_speculation(port, &packet, 0, Time::from_us(us + 3)) == Verdict::Pass
    };
    numbers.iter().filter(passes).copied().collect()
}

const FOUR: [u32; 4] = [0, 1, 2, 3];

/// Fig. 5.1: flow 1 starts alone at 11, in epoch 0: its entry is 4. Flow 2 starts at 15, in epoch
/// 1, with half of the link: its entry is 2, and its packets 2 and 3 are dropped.
#[test]
fn a_later_flow_gets_half_of_the_link() {
    let mut port = port();
    assert_eq!(control(&mut port, 11, 1, 1), 4);
    assert_eq!(control(&mut port, 15, 2, 1), 2);
    assert_eq!(port.tables[0].window(0), Some(4));
    assert_eq!(port.tables[0].window(1), Some(2));
    assert_eq!(passed(&mut port, 11, 1, &FOUR), FOUR);
    assert_eq!(passed(&mut port, 15, 1, &FOUR), [0, 1]);
}

/// Fig. 5.2: two flows of a host and one other flow start in one epoch. The first flow sets the
/// entry, 2. Each flow gets 2 packets through, 4 in total. With the present weight (n = 1, then 2)
/// the second flow gets 1, 3 in total.
#[test]
fn without_sharing_two_flows_get_more_than_one() {
    let mut port = port();
    assert_eq!(
        [control(&mut port, 15, 2, 1), control(&mut port, 16, 3, 1)],
        [2, 2]
    );
    let through = [15, 16].map(|us| passed(&mut port, us, 1, &FOUR).len());
    assert_eq!(through, [2, 2]);
    let with_weights = [(15, 1), (16, 2)].map(|(us, n)| passed(&mut port, us, n, &FOUR).len());
    assert_eq!(with_weights, [2, 1]);
}

/// Fig. 5.3: as Fig. 5.2, but both flows share one sequence, and their packets alternate: 2 pass in
/// total.
#[test]
fn a_shared_sequence_lets_through_what_one_flow_gets() {
    let mut port = port();
    control(&mut port, 15, 2, 1);
    control(&mut port, 16, 3, 1);
    let through = [(15, [0, 2, 4, 6]), (16, [1, 3, 5, 7])];
    let through = through.map(|(us, numbers)| passed(&mut port, us, 1, &numbers));
    assert_eq!(through, [vec![0], vec![1]]);
}

/// Fig. 5.4: with a shared sequence and n = 2, the present connections, only 1 packet passes. With
/// the n before the epoch, 1 for both flows, 2 packets pass.
#[test]
fn a_shared_sequence_is_divided_by_the_connections_before_the_epoch() {
    let mut port = port();
    control(&mut port, 15, 2, 1);
    let through = |port: &mut OneRtt, n: [u16; 2]| {
        let flows = [(15, n[0], [0, 2, 4, 6]), (16, n[1], [1, 3, 5, 7])];
        let through = flows.map(|(us, n, numbers)| passed(port, us, n, &numbers).len());
        through.iter().sum::<usize>()
    };
    assert_eq!(through(&mut port, [2, 2]), 1);
    assert_eq!(through(&mut port, [1, 1]), 2);
}

/// At 7 Mb/s no packet fits into an epoch, but 1 passes. The largest window is a BDP, though 8
/// packets would fit.
#[test]
fn windows_are_at_least_one_packet_and_at_most_a_bdp() {
    let port = port();
    let windows = [Rate::from_mbps(7), link_rate(1), Rate::from_gbps(5)]
        .map(|rate| port.sizes.window(Some(rate)));
    assert_eq!(windows, [1, 4, 4]);
    assert_eq!(
        [(4, 3), (2, 3), (4, 0)].map(|(window, n)| OneRtt::share(window, n)),
        [1, 1, 4]
    );
}

/// The number in a flow's reply equals the number of its packets that pass, for every window and n.
#[test]
fn control_packets_and_data_round_alike() {
    for flows in 1..=6 {
        for n in 1..=6 {
            let mut port = port();
            let told = u32::from(control(&mut port, 15, flows, n));
            let through = passed(&mut port, 15, n, &FOUR);
            assert_eq!(through, FOUR[..told as usize], "{flows} flows, n = {n}");
        }
    }
}

/// Only the first rate request of an epoch sets a window. Later requests of the same flow may set
/// one, but are not limited themselves. Leave requests and replies do nothing.
#[test]
fn the_first_control_packet_of_an_epoch_sets_its_window() {
    let mut port = port();
    let mut packet = Control::new(Kind::RateRequest, 64);
    packet.control_record().begin();
    packet.control_record().end_trip();
    let mut offer = Offer {
        rate: Some(link_rate(4)),
    };
    let mut send = |us: u64, pass: Pass, port: &mut OneRtt| {
        let at = Time::from_us(us);
        packet
            .control_record()
            .begin_trip(1, CompactRate::UNLIMITED, at);
        port.on_rate_request(&mut packet, 0, pass, at, &mut offer)
            .unwrap();
        packet.control_record().let_through()
    };
    assert_eq!(send(14, Pass::Reverse, &mut port), u16::MAX);
    assert_eq!(port.tables[0].window(1), None);
    assert_eq!(send(14, Pass::Forward, &mut port), u16::MAX);
    assert_eq!(port.tables[0].window(1), Some(1));
    assert_eq!(control(&mut port, 20, 1, 1), 1);
}

/// Windows are kept for 14 epochs; packets of older epochs pass. A packet of an older epoch does
/// not overwrite a newer one.
#[test]
fn packets_of_forgotten_epochs_pass() {
    let mut port = port();
    control(&mut port, 15, 4, 1);
    let passes = |port: &mut OneRtt, epochs: u64| {
        let packet = Speculation {
            started: Time::from_us(15),
            sequence: 1,
            connections: 1,
        };
        Program::<5>::on_speculation(port, &packet, 0, EPOCH * (1 + epochs)) == Verdict::Pass
    };
    assert!([1, 2, 13].iter().all(|epochs| !passes(&mut port, *epochs)));
    assert!(passes(&mut port, 14));
    control(&mut port, 15 + 13 * 16, 2, 1);
    assert_eq!(control(&mut port, 15, 1, 1), u16::MAX);
    assert_eq!(port.tables[0].window(17), Some(2));
}

/// Clocks with a skew of 1 us are up to 2 us apart; the clock of a node is the same throughout a
/// run.
#[test]
fn clocks_are_skewed_by_the_seed() {
    let options = OneRttOptions {
        clock_skew: Time::from_us(1),
        ..options(None, false)
    };
    let read = |node, seed| EpochClock::new(&options, NodeId(node), seed).read(Time::ZERO);
    let all: Vec<Time> = (0..200).map(|node| read(node, 1)).collect();
    let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
    assert!(
        *least < Time::from_ns(60) && *most > Time::from_ns(1_940),
        "{least} to {most}"
    );
    assert!(*most <= Time::from_us(2));
    assert_eq!((read(3, 1), read(3, 1) == read(3, 2)), (all[3], false));
}

/// Without a skew the default epoch is the base RTT; shorter epochs are refused.
#[test]
fn an_epoch_is_at_least_the_base_rtt() {
    let network = NetworkFacts {
        base_rtt: Time::from_us(13),
        base_window: Bytes::new(153_000),
    };
    let mut left_out = OneRttOptions::default();
    left_out.complete(&network).unwrap();
    assert_eq!(
        (left_out.epoch, left_out.largest_window),
        (Some(EPOCH), Some(Bytes::new(153_000)))
    );
    let mut short = OneRttOptions {
        epoch: Some(Time::from_us(12)),
        ..left_out
    };
    let refused = short.complete(&network).unwrap_err().to_string();
    assert!(
        refused.contains("1rc.epoch: an epoch of 12us is shorter"),
        "{refused}"
    );
}
