//! A packet trace of the HPCC artifact, hop by hop.
//!
//! INT gives the time at which each data packet left each switch. Senders know when packets left
//! and ACKs arrived. `path` gives the switches that they passed.

use incast_net::{Direction, EcmpHash, FlowAddress, path};
use incast_units::{Bytes, Time};

use crate::closed_form::artifact_hpcc;
use crate::listener::{Listener, Log};
use crate::support::{Network, at, clos_320, flow};

/// Recorded from the artifact (alibaba-edu/High-Precision-Congestion-Control, 9f4be2a) on its fat
/// tree, under HPCC: a flow of 2500 B from host 0 to host 319, and a flow of 1 B 100 µs later.
struct Recorded {
    /// Switches that data pass; the next field has those that ACKs pass.
    data_path: [u32; 5],
    ack_path: [u32; 5],
    /// For each packet: departures from the host and from each switch, in ns.
    departures: &'static [[u64; 6]],
    /// For each packet: arrival of its ACK, in ns.
    acks: &'static [u64],
}

const RECORDED: [Recorded; 2] = [
    Recorded {
        data_path: [320, 342, 369, 358, 339],
        ack_path: [339, 357, 367, 341, 320],
        departures: &[
            [0, 1_087, 2_108, 3_129, 4_150, 5_171],
            [87, 1_174, 2_195, 3_216, 4_237, 5_258],
            [174, 1_221, 2_232, 3_243, 4_258, 5_345],
        ],
        acks: &[12_276, 12_363, 12_410],
    },
    Recorded {
        data_path: [320, 341, 366, 357, 339],
        ack_path: [339, 358, 370, 342, 320],
        departures: &[[100_000, 101_007, 102_008, 103_009, 104_010, 105_011]],
        acks: &[112_036],
    },
];

#[test]
fn every_packet_is_where_the_artifact_had_it() {
    let mut network = Network::hpcc_ns3(clos_320());
    network.base_rtt = Time::from_ns(12_240);
    network.base_window = Bytes::new(153_000);
    let flows = [
        flow(0, 0, 319, 2_500),
        at(Time::from_us(100), flow(1, 0, 319, 1)),
    ];
    let controllers = artifact_hpcc(&network);
    let listener = Listener::new(&controllers);
    network.run(&flows, &listener);
    for (flow, recorded) in flows.iter().zip(&RECORDED) {
        let address = FlowAddress {
            source: flow.source,
            destination: flow.destination,
            source_port: flow.source_port,
        };
        assert_eq!(
            switches(&network, address, Direction::Data),
            recorded.data_path
        );
        assert_eq!(
            switches(&network, address, Direction::Ack),
            recorded.ack_path
        );
        let log = listener.log(flow.id.0);
        assert_eq!(departures(&log), recorded.departures);
        let acks: Vec<u64> = log.acks.iter().map(|ack| ack.time.as_ns()).collect();
        assert_eq!(acks, recorded.acks);
    }
}

fn switches(network: &Network, flow: FlowAddress, direction: Direction) -> Vec<u32> {
    let Network {
        topology,
        ports,
        routes,
        ..
    } = network;
    path(EcmpHash::Murmur3, topology, ports, routes, flow, direction)
        .skip(1)
        .map(|hop| hop.node.0)
        .collect()
}

/// For each packet: departures from its host and from each switch, in ns.
fn departures(log: &Log) -> Vec<Vec<u64>> {
    let packets = log.sent.iter().zip(&log.acks);
    packets
        .map(|(&(sent, _), ack)| {
            let switches = ack.records.iter().map(|record| record.clock);
            std::iter::once(sent.as_ns()).chain(switches).collect()
        })
        .collect()
}
