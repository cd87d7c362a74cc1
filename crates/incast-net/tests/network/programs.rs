//! Hand-computed effects of switch programs: INT on ACKs, and fair rates.

use incast_signals::FairRateOptions;
use incast_signals::int::{IntFormat, IntRecord};
use incast_units::{Bytes, Rate, Time};

use crate::listener::{AckSeen, Listener};
use crate::support::{Network, chain, flow, star};

/// Times of a full packet without INT, 1048 B, and of an ACK with INT, 90 B, at 100 Gb/s.
const PACKET: Time = Time::from_ps(1_048 * 80);
const ACK: Time = Time::from_ps(90 * 80);
/// Delay of a chain's links.
const LINK: Time = Time::from_ns(1_500);

fn chain_with(switches: u32, period: Option<Time>, format: IntFormat) -> Network {
    let mut network = Network::new(chain(switches)).with_int_on_acks(period);
    network.config.model.int_format = format;
    network
}

/// The ACKs at the sender of 200 packets.
fn alone(network: &Network) -> Vec<AckSeen> {
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    network.run(&[flow(0, 0, 1, 200_000)], &listener);
    listener.log(0).acks
}

/// Arrival of ACK i (from 0) at the switch that is k (from 0) switches from the receiver. The ACK's
/// packet has crossed S + 1 links, the ACK k + 1.
fn comes(switches: u32, i: u64, k: u64) -> Time {
    (PACKET + LINK) * u64::from(switches + 1) + PACKET * i + (ACK + LINK) * (k + 1)
}

/// Bytes sent by this switch's port at time `at`. The first packet leaves the switch after S − k
/// links, and the following packets leave without a gap: one byte every 80 ps, until all 200 · 1048
/// bytes are sent.
fn sent(switches: u32, k: u64, at: Time) -> u64 {
    let began = (PACKET + LINK) * (u64::from(switches) - k);
    ((at - began).as_ps() / 80).min(200 * 1_048)
}

/// The record of the switch next to the receiver comes first. Its link has sent at full rate since
/// its first packet, to the byte, whichever packet is in transmission. For ACK 0 and k = 0: 1048 +
/// 90 B and 2 · 1.5 µs, 38 638 B.
#[test]
fn exact_records_on_the_way_back() {
    assert_eq!(sent(3, 0, comes(3, 0, 0)), 38_638);
    for switches in [1, 3, 6] {
        let network = chain_with(switches, None, IntFormat::Exact);
        for (i, ack) in (0..10).zip(alone(&network)) {
            let record = |k| {
                let at = comes(switches, i, k);
                IntRecord {
                    clock: at.as_ps(),
                    sent: sent(switches, k, at),
                    queue: Bytes::ZERO,
                    rate: Rate::from_gbps(100),
                }
            };
            let expected: Vec<_> = (0..u64::from(switches)).map(record).collect();
            assert_eq!(ack.records, expected, "ACK {i}, {switches} switches");
            assert_eq!(u32::from(ack.switch_hops), switches);
            assert_eq!(ack.receiver_flows, Some(1));
        }
    }
}

/// The records of the last full microsecond.
#[test]
fn a_refreshed_table_is_that_of_its_last_refresh() {
    let period = Time::from_us(1);
    let network = chain_with(3, Some(period), IntFormat::Exact);
    for (i, ack) in (0..30).zip(alone(&network)) {
        for (k, record) in (0..).zip(&ack.records) {
            let at = Time::from_us(comes(3, i, k).as_ns() / 1_000);
            assert_eq!(record.clock, at.as_ps(), "ACK {i}, {k} from the receiver");
            assert_eq!(record.sent, sent(3, k, at));
        }
    }
}

/// With 64 bits per hop, a packet of one cache line holds up to 5 switches, a packet of two up to
/// 13.
#[test]
fn quantised_records_on_the_way_back() {
    for switches in [1, 5, 6, 13] {
        let format = IntFormat::quantised(1, 16);
        let network = chain_with(switches, None, format);
        for (i, ack) in (0..10).zip(alone(&network)) {
            for (k, record) in (0..).zip(&ack.records) {
                let at = comes(switches, i, k);
                assert_eq!(record.clock, at.as_ns());
                assert_eq!(record.sent, sent(switches, k, at) / 128);
            }
            assert_eq!(ack.records.len(), switches as usize);
        }
    }
}

/// Hosts 0 and 1 send to host 2. The first ACK comes to the switch at
/// 2·(83.84 ns + 1 µs) + 7.2 ns + 1 µs = 3.174 88 µs. By then
/// ⌊(3174.88 − 1000)/83.84⌋ = 25 packets have come from each host. The port to host 2 began at
/// 1.083 84 µs and has sent 2091.04/0.08 = 26 138 B, all but the rest of its 25th packet.
/// 25 packets, 26 200 B, wait.
#[test]
fn records_of_a_queue() {
    let mut network = Network::new(star(3)).with_int_on_acks(None);
    network.config.model.int_format = IntFormat::Exact;
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    network.run(&[flow(0, 0, 2, 100_000), flow(1, 1, 2, 100_000)], &listener);
    let acks = listener.log(0).acks;
    let record = acks[0].records[0];
    let found = (record.clock, record.sent, record.queue.as_u64());
    assert_eq!(found, (3_174_880, 26_138, 26_200));
    // The first packet was alone at its arrival; the next packet was not.
    assert_eq!(
        (acks[0].receiver_flows, acks[1].receiver_flows),
        (Some(1), Some(2))
    );
}

/// Two flows without congestion control. By 40 µs ⌊(40 − 1)/0.083 84⌋ = 465 packets have come from
/// each flow, and 465 have begun to leave: the queue is 465 · 1048 = 487 320 B. In units the queue
/// has grown by 812.2 and exceeds Q_ref by 312.2. From 10 000 units F becomes 10 000 − 0.45·312.2 −
/// 2.25·812.2 = 8032.06 units of 10 Mb/s. The CNPs take 60 · 80 ps and 1 µs, and wait for at most
/// one ACK of 60 B.
#[test]
fn fair_rates_are_told_to_every_flow() {
    let mut network = Network::new(star(3));
    network.config.programs = vec![FairRateOptions::default().into()];
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    let flows = [flow(0, 0, 2, 1_000_000), flow(1, 1, 2, 1_000_000)];
    let outcome = network.run(&flows, &listener);
    let port = network.port(3, 2) as u32;
    for id in [0, 1] {
        let log = listener.log(id);
        let wait = log.cnps[0] - Time::from_ns(41_004);
        assert!(
            wait >= Time::from_ps(800) && wait <= Time::from_ps(5_600),
            "{wait}"
        );
        let (rate, point) = log.asked[0];
        assert_eq!(point, Some(port));
        let error = rate.unwrap().as_bps().abs_diff(80_320_600_000);
        assert!(error <= 1, "{error}");
    }
    // 2 MB take 168 µs. A port with an empty queue lets the run end.
    assert!(
        outcome.recording.end < Time::from_us(210),
        "{}",
        outcome.recording.end
    );
    assert_eq!(listener.log(0).cnps.len(), 4);
}

/// Without a queue no rate is sent.
#[test]
fn a_flow_alone_hears_nothing() {
    let mut network = Network::new(star(3));
    network.config.programs = vec![FairRateOptions::default().into()];
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    network.run(&[flow(0, 0, 2, 2_000_000)], &listener);
    assert_eq!(listener.log(0).cnps, []);
}
