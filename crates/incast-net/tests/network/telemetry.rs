//! INT and timestamps at senders, against hand-computed values.

use incast_signals::int::{IntFormat, IntRecord};
use incast_units::{Bytes, Rate, Time};

use crate::listener::{AckSeen, Listener};
use crate::support::{Network, chain, flow, star};

/// Time of a full packet with INT, 1090 B, at 100 Gb/s: 87.2 ns.
const PACKET: Time = Time::from_ps(1_090 * 80);
/// Delay of a chain's links.
const LINK: Time = Time::from_ns(1_500);

/// The ACKs at the sender of a flow of `size` bytes through `switches` switches, without the ACK
/// that completes the flow.
fn alone(network: &Network, size: u64) -> Vec<AckSeen> {
    let controllers = network.uncontrolled();
    let listener = Listener::new(&controllers);
    network.run(&[flow(0, 0, 1, size)], &listener);
    listener.log(0).acks
}

fn chain_with(switches: u32, format: IntFormat) -> Network {
    let mut network = Network::new(chain(switches)).with_int();
    network.config.model.int_format = format;
    network
}

/// Packet i (from 0) leaves switch h (from 0) at (h + 1)·(S + 1.5 µs) + i·S, after i·1090 B.
#[test]
fn exact_records_of_an_empty_chain() {
    for switches in [1, 3, 6] {
        let acks = alone(&chain_with(switches, IntFormat::Exact), 3_000);
        for (i, ack) in (0..2).zip(&acks) {
            let expected: Vec<IntRecord> = (0..u64::from(switches))
                .map(|h| IntRecord {
                    clock: ((PACKET + LINK) * (h + 1) + PACKET * i).as_ps(),
                    sent: i * 1_090,
                    queue: Bytes::ZERO,
                    rate: Rate::from_gbps(100),
                })
                .collect();
            assert_eq!(ack.records, expected, "packet {i}, {switches} switches");
            assert_eq!(u32::from(ack.switch_hops), switches);
        }
        assert_eq!(acks.len(), 2);
    }
}

/// The same records in ns and units of 128 B, rounded down: packet 1 leaves switch 0 at 1674.4 ns
/// after 1090 B, 8 units. A packet of one cache line holds up to 5 switches, a packet of two up to
/// 13.
#[test]
fn quantised_records_of_an_empty_chain() {
    for switches in [1, 5, 6, 13] {
        let acks = alone(&chain_with(switches, IntFormat::quantised(1, 16)), 3_000);
        for (i, ack) in (0..2).zip(&acks) {
            let clocks: Vec<u64> = ack.records.iter().map(|record| record.clock).collect();
            let expected: Vec<u64> = (0..u64::from(switches))
                .map(|h| (1_587_200 * (h + 1) + 87_200 * i) / 1_000)
                .collect();
            assert_eq!(clocks, expected, "packet {i}, {switches} switches");
            assert!(ack.records.iter().all(|record| record.sent == 8 * i));
        }
    }
}

/// Two hosts send to a third. The k-th packet leaves the switch at k·S + 1 µs, after (k − 1)·1090
/// B, and leaves k − 2 packets behind. Host 0's packets are the odd ones, k = 2i − 1.
///
/// ```text
/// i  k   exact: ps   B   B      quantised: ns, 128 B, B in steps of 80
/// 1  1   1 087 200      0      0      1087    0      0
/// 2  3   1 261 600   2180   1090      1261   17   1040
/// 3  5   1 436 000   4360   3270      1436   34   3200
/// ```
#[test]
fn records_of_a_queue() {
    let records = |format| {
        let mut network = Network::new(star(3)).with_int();
        network.config.model.int_format = format;
        let controllers = network.uncontrolled();
        let listener = Listener::new(&controllers);
        network.run(&[flow(0, 0, 2, 4_000), flow(1, 1, 2, 4_000)], &listener);
        let acks = listener.log(0).acks;
        let of = |ack: &AckSeen| {
            let record = ack.records[0];
            (record.clock, record.sent, record.queue.as_u64())
        };
        acks.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(
        records(IntFormat::Exact),
        [
            (1_087_200, 0, 0),
            (1_261_600, 2_180, 1_090),
            (1_436_000, 4_360, 3_270)
        ]
    );
    assert_eq!(
        records(IntFormat::quantised(1, 16)),
        [(1_087, 0, 0), (1_261, 17, 1_040), (1_436, 34, 3_200)]
    );
}

/// A packet has thirteen words for records, one less with a timestamp. An exact record takes two
/// words.
#[test]
fn too_long_a_path_is_an_error() {
    let quantised = IntFormat::quantised(1, 16);
    for (format, timestamps, most) in [
        (quantised, false, 13),
        (quantised, true, 12),
        (IntFormat::Exact, false, 6),
        (IntFormat::Exact, true, 6),
    ] {
        let run = |switches| {
            let mut network = chain_with(switches, format);
            network.config.timestamps = timestamps;
            let result = network.try_run(&[flow(0, 0, 1, 3_000)], &network.uncontrolled());
            result.map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(run(most), Ok(()));
        assert_eq!(run(most + 1), Err(too_many_switches(most + 1, most)));
    }
}

/// Without INT a path may have any length, and its switches are counted.
#[test]
fn switches_are_counted_on_long_paths() {
    for switches in [1, 15, 16, 17, 60] {
        let acks = alone(&Network::new(chain(switches)), 2_000);
        assert_eq!(u32::from(acks[0].switch_hops), switches);
    }
}

/// A timestamp takes 8 B in data packets, which then have 1056 B, and in ACKs, which are padded to
/// 60 B. With INT they have 1098 B and 96 B. Through 3 switches:
///
/// ```text
/// 4 · (1056 + 60) · 80 + 8 · 1 500 000 = 12 357 120
/// 4 · (1098 + 96) · 80 + 8 · 1 500 000 = 12 382 080
/// ```
#[test]
fn the_round_trip_of_one_packet() {
    for (int, expected) in [(false, 12_357_120), (true, 12_382_080)] {
        let mut network = Network::new(chain(3));
        network.config.timestamps = true;
        if int {
            network = network.with_int();
        }
        let acks = alone(&network, 2_000);
        assert_eq!(acks[0].round_trip, Some(Time::from_ps(expected)));
    }
}

/// The timestamp is kept on a path whose INT fills the packet.
#[test]
fn a_timestamp_has_a_place_of_its_own() {
    let mut network = chain_with(12, IntFormat::quantised(1, 16));
    network.config.timestamps = true;
    let acks = alone(&network, 2_000);
    assert_eq!(acks[0].records.len(), 12);
    // 13 links in each direction.
    let expected = 13 * (1_098 + 96) * 80 + 26 * 1_500_000;
    assert_eq!(acks[0].round_trip, Some(Time::from_ps(expected)));
}

/// Without INT, links may have more rates than INT can distinguish.
#[test]
fn rates_matter_to_int_alone() {
    let rates: Vec<Rate> = (1..=20).map(|n| Rate::from_gbps(10 * n)).collect();
    let topology = crate::support::uneven_star(&rates, Time::from_us(1));
    let flows = [flow(0, 3, 19, 10_000)];
    let network = Network::new(topology);
    network.run(&flows, &network.uncontrolled());
    let mut network = network.with_int();
    let result = network.try_run(&flows, &network.uncontrolled());
    let expected = "model.int_format: links have 20 different rates, more than quantised INT \
                    tells apart; use exact INT";
    assert_eq!(
        result.err().map(|error| error.to_string()).as_deref(),
        Some(expected)
    );
    network.config.model.int_format = IntFormat::Exact;
    network.run(&flows, &network.uncontrolled());
}

/// A packet can count up to 63 switches.
#[test]
fn no_path_may_have_more_switches_than_a_packet_can_count() {
    let run = |switches| {
        let network = Network::new(chain(switches));
        let result = network.try_run(&[flow(0, 0, 1, 1)], &network.uncontrolled());
        result.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(run(63), Ok(()));
    assert_eq!(run(64), Err(too_many_switches(64, 63)));
}

fn too_many_switches(hops: u32, most: u32) -> String {
    format!(
        "topology: a path has {hops} switches, more than the {most} that a packet can tell of; use \
         shorter paths, or quantised instead of exact INT"
    )
}
