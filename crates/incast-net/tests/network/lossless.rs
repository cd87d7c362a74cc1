//! A network with PFC never loses a packet, however small its buffers: every combination of
//! conditions that reduce headroom, with the smallest buffer that a switch accepts.

use incast_net::{AckClass, Clock, Flow, Headroom, NetworkError, PacketSizes, PfcThreshold};
use incast_topology::{Dumbbell, FatTree, Topology};
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::support::{Network, Outcome, at, flow, pfc, star_of, uneven_star};

/// Incast of 64 flows at line rate on a star, with traffic back from the receiver.
#[test]
fn a_star_of_64_to_1() {
    every_way(|delay| star_of(65, Rate::from_gbps(100), delay), 64);
}

/// A slow receiver with fast and slow senders, at rates whose byte times are no whole picoseconds.
#[test]
fn a_star_of_mixed_rates() {
    let gbps = [400, 100, 40, 25, 10, 7, 3, 200, 100, 1, 400, 40];
    every_way(|delay| uneven_star(&gbps.map(Rate::from_gbps), delay), 11);
}

/// Pauses spread from the last switch of a chain to the first, and to the hosts.
#[test]
fn a_dumbbell_with_a_slow_end() {
    for (trunk, receiver) in [(100, 100), (400, 40), (25, 100)] {
        let dumbbell = |delay| {
            let dumbbell = Dumbbell {
                switches: 3,
                senders: 12,
                receivers: 1,
                trunk_rate: Rate::from_gbps(trunk),
                receiver_rate: Rate::from_gbps(receiver),
                delay,
                ..Dumbbell::default()
            };
            dumbbell.build().expect("a dumbbell")
        };
        every_way(dumbbell, 12);
    }
}

/// Pauses spread up one side of a fat tree and down the other.
#[test]
fn a_fat_tree_of_15_to_1() {
    let tree = |delay| {
        let tree = FatTree {
            k: 4,
            agg_rate: Some(Rate::from_gbps(400)),
            delay,
            ..FatTree::default()
        };
        tree.build().expect("a fat tree")
    };
    every_way(tree, 15);
}

/// The worst case is almost reached. Host 0 sends to the slow host 2, and must be paused at its
/// first packet. Host 1 sends to host 0, so that the pause waits for a packet. With headroom for
/// one packet less, a packet is lost for some start time of host 1.
#[test]
fn the_worst_case_can_come_true() {
    let rates = [100, 100, 1].map(Rate::from_gbps);
    let star = || Network::new(uneven_star(&rates, Time::from_us(1)));
    let lost = |headroom: Headroom| {
        let mut network =
            star().with_flow_control(pfc(PfcThreshold::Static(Bytes::ZERO), headroom));
        network.config.buffer.reserve = Bytes::ZERO;
        network.config.packets.mtu = Bytes::new(4_096);
        // A packet of 4144 B takes 331.5 ns.
        let faults = (0..34).map(|step| {
            let start = Time::from_ns(10 * step);
            let flows = [flow(0, 0, 2, 100_000), at(start, flow(1, 1, 0, 100_000))];
            let result = network.try_run(&flows, &network.uncontrolled());
            u32::from(result.is_err())
        });
        faults.sum::<u32>()
    };
    assert_eq!(lost(Headroom::WorstCase), 0);
    let star = star();
    let port = &star.ports.of(NodeId(3))[0];
    let worst = Headroom::WorstCase.of(
        &star.config.ingress_link(port, &star.topology),
        &PacketSizes {
            mtu: Bytes::new(4_096),
            ..PacketSizes::default()
        },
        Clock::Picoseconds,
    );
    // 25 000 + 3·(4096 + 98) + 128.
    assert_eq!(worst, Bytes::new(37_710));
    assert!(lost(Headroom::Fixed(worst - Bytes::new(4_194))) > 0);
}

/// Runs an incast of hosts 0 to `senders` − 1 to host `senders`, which sends to all of them. Runs
/// every combination of delays, packet sizes, thresholds, classes and buffers.
fn every_way(topology: impl Fn(Time) -> Topology, senders: u32) {
    let mut pauses = 0;
    for delay in [Time::from_us(1), Time::from_us(10)] {
        let topology = topology(delay);
        for mtu in [256, 1_000, 4_096] {
            for threshold in [
                PfcThreshold::Dynamic { shift: 3 },
                PfcThreshold::Dynamic { shift: 0 },
                PfcThreshold::Static(Bytes::ZERO),
                PfcThreshold::Static(Bytes::new(20_000)),
            ] {
                for ack_class in [AckClass::Control, AckClass::Data] {
                    for spare in [1, 30_000] {
                        let mut network = Network::new(topology.clone());
                        network.config.packets.mtu = Bytes::new(mtu);
                        network.config.model.ack_class = ack_class;
                        network.config.model.ack_pausable_at_host = ack_class == AckClass::Data;
                        network =
                            network.with_flow_control(pfc(threshold.clone(), Headroom::WorstCase));
                        let outcome = run_at_least_buffer(network, spare, &incast(senders, mtu));
                        let name = format!(
                            "{}, {delay}, MTU {mtu}, {threshold:?}, ACKs {ack_class:?}, \
                             {spare} B to share",
                            topology.name
                        );
                        let outcome = outcome.unwrap_or_else(|fault| panic!("{name}: {fault}"));
                        assert_eq!(outcome.dropped(), 0, "{name}");
                        assert_eq!(outcome.retransmitted(), 0, "{name}");
                        pauses += outcome.pauses();
                    }
                }
            }
        }
    }
    assert!(
        pauses > 1_000,
        "only {pauses} pauses: buffers were not tight"
    );
}

/// A little more than 20 packets from each sender, 3 packets back to each.
fn incast(senders: u32, mtu: u64) -> Vec<Flow> {
    let there = (0..senders).map(|host| flow(host, host, senders, 20 * mtu + 1));
    let back = (0..senders).map(|host| flow(senders + host, senders, host, 3 * mtu));
    there.chain(back).collect()
}

/// Runs with the smallest buffer that every switch accepts, plus `spare` bytes.
fn run_at_least_buffer(
    mut network: Network,
    spare: u64,
    flows: &[Flow],
) -> Result<Outcome, NetworkError> {
    network.use_least_buffer(spare);
    network.try_run(flows, &network.uncontrolled())
}
