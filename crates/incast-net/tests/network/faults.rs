//! Links that fail, come back, become slower or corrupt packets: hand-computed effects.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use incast_net::{
    DropConfig, EcmpHash, FaultKind, FaultPlan, Flow, FlowControl, Headroom, LinkFault, Losses,
    PacketEvent, PacketKind, PfcThreshold, RecoveryKind, Stall, StallConfig, StuckFlows, Threads,
};
use incast_topology::{LeafSpine, NextHopOrder};
use incast_units::{Bytes, FlowId, NodeId, Rate, Time};

use crate::listener::Listener;
use crate::support::{Network, Outcome, at, flow, pfc, star};
use crate::tracing::everything;

pub(crate) fn with_faults(mut network: Network, faults: Vec<LinkFault>) -> Network {
    network.faults = Some(Arc::new(FaultPlan::new(
        faults,
        &network.topology,
        &network.routes,
        NextHopOrder::ByPort,
        network.config.model.clock,
    )));
    network
}

pub(crate) fn fault(link: u32, kind: FaultKind, from: u64, until: u64) -> LinkFault {
    LinkFault {
        links: vec![link],
        kind,
        from: Time::from_us(from),
        until: Time::from_us(until),
    }
}

pub(crate) fn down(detection: u64) -> FaultKind {
    FaultKind::Down {
        detection: Time::from_us(detection),
    }
}

/// Packets may be dropped. Lost packets are retransmitted after 200 us.
pub(crate) fn lossy(network: Network) -> Network {
    network.with_flow_control(FlowControl::Drop(DropConfig::Shared {
        alpha: 8.0,
        queue_limit: Bytes::new(32 << 20),
    }))
}

/// PFC, with the same timeout.
fn lossless(mut network: Network) -> Network {
    network.config.recovery.timeout = Some(Time::from_us(200));
    network
}

fn losses(outcome: &Outcome) -> Losses {
    let record = outcome.recording.faults.as_ref();
    record.expect("there are faults").losses()
}

/// Packets that left on any link have arrived or are lost. Packets that arrived at a switch have
/// left or were dropped.
pub(crate) fn check_packets(network: &Network, outcome: &Outcome) {
    let recording = &outcome.recording;
    let record = recording.faults.as_ref().expect("there are faults");
    let arrived = record.arrived_at_hosts + record.arrived_at_switches;
    let losses = record.losses();
    assert_eq!(recording.packet_hops, arrived + losses.on_links());
    let hosts = network.topology.hosts as usize;
    let left = recording.ports[hosts..].iter();
    let left: u64 = left
        .map(|port| port.data_packets + port.control_packets + port.dropped)
        .sum();
    assert_eq!(record.arrived_at_switches, left + losses.unreachable);
    let by_flow = record.flows.values().map(Losses::on_links).sum::<u64>();
    assert_eq!(by_flow, losses.on_links());
    let by_fault = record.faults.iter().map(|each| each.data + each.control);
    assert_eq!(by_fault.sum::<u64>(), losses.on_links());
}

/// One packet of 49 B on the wire takes 4.01744 us there and back over one switch. It is lost at 0,
/// as the link is down until 10 us, and retransmitted by the timeout at 200 us.
#[test]
fn what_a_link_loses_is_sent_again() {
    for network in [
        lossy(Network::new(star(2))),
        lossless(Network::new(star(2))),
    ] {
        let network = with_faults(network, vec![fault(0, down(1_000), 0, 10)]);
        let outcome = network.run(&[flow(0, 0, 1, 1)], &network.uncontrolled());
        assert_eq!(outcome.fct(0), Time::from_ps(204_017_440));
        assert_eq!(outcome.retransmitted(), 1);
        check_packets(&network, &outcome);
        let record = outcome.recording.faults.as_ref().unwrap();
        let only = &record.faults[0];
        assert_eq!((only.data, only.control, only.flows), (1, 0, 1));
        assert_eq!(only.recovered, Some(Time::from_ps(204_017_440)));
        assert_eq!(record.flows[&FlowId(0)].link_down, 1);
        assert_eq!(record.ports[&0].link_down, 1);
    }
}

/// Three packets leave in the first 0.2 us, and are lost. The flow has recovered when the last of
/// them is acknowledged.
#[test]
fn a_flow_has_recovered_when_all_that_was_sent_has_arrived() {
    let network = lossy(Network::new(star(2)));
    let network = with_faults(network, vec![fault(0, down(1_000), 0, 10)]);
    let outcome = network.run(&[flow(0, 0, 1, 3_000)], &network.uncontrolled());
    let only = &outcome.recording.faults.as_ref().unwrap().faults[0];
    assert_eq!((only.data, only.flows), (3, 1));
    assert_eq!(only.recovered, Some(outcome.record(0).finish));
}

/// The packet is lost at 0, and the run ends before its retransmission.
#[test]
fn a_flow_that_is_not_yet_repaired_has_not_recovered() {
    let mut network = lossy(Network::new(star(2)));
    network.stop = Some(Time::from_us(100));
    let network = with_faults(network, vec![fault(0, down(1_000), 0, 10)]);
    let outcome = network.run(&[flow(0, 0, 1, 1)], &network.uncontrolled());
    let only = &outcome.recording.faults.as_ref().unwrap().faults[0];
    assert_eq!((only.flows, only.recovered), (1, None));
}

/// The ACK is lost on the last link; it leaves the switch at 3.01264 us. The data are
/// retransmitted, and the receiver, which already has them, sends another ACK.
#[test]
fn a_lost_ack_costs_a_timeout() {
    let network = lossy(Network::new(star(2)));
    let network = with_faults(network, vec![fault(0, down(0), 3, 4)]);
    let outcome = network.run(&[flow(0, 0, 1, 1)], &network.uncontrolled());
    assert_eq!(outcome.fct(0), Time::from_ps(204_017_440));
    let record = outcome.recording.faults.as_ref().unwrap();
    assert_eq!((record.faults[0].data, record.faults[0].control), (0, 1));
    check_packets(&network, &outcome);
}

/// The sender's link has 1 Gb/s: 49 B take 392 ns on it, the ACK of 60 B takes 480 ns. On the other
/// link they take 3.92 and 4.8 ns.
#[test]
fn a_degraded_link_is_slower() {
    let slow = FaultKind::Degraded {
        rate: Rate::from_gbps(1),
    };
    let network = with_faults(Network::new(star(2)), vec![fault(0, slow, 0, 100)]);
    let flows = [flow(0, 0, 1, 1), at(Time::from_us(200), flow(1, 0, 1, 1))];
    let outcome = network.run(&flows, &network.uncontrolled());
    // Under PFC the links restart at 0: data wait for a frame of 64 B, 512 ns and 1 us.
    let begin = 1_512_000;
    assert_eq!(
        outcome.fct(0),
        Time::from_ps(begin + 4_000_000 + 392_000 + 480_000 + 8_720)
    );
    assert_eq!(outcome.fct(1), Time::from_ps(4_017_440));
    check_packets(&network, &outcome);

    let network = with_faults(lossy(Network::new(star(2))), vec![fault(0, slow, 0, 100)]);
    let outcome = network.run(&flows, &network.uncontrolled());
    assert_eq!(
        outcome.fct(0),
        Time::from_ps(4_000_000 + 392_000 + 480_000 + 8_720)
    );
}

/// A packet in transmission when the rate changes keeps the old rate. The first packet of 1048 B
/// takes 83.84 ns on each link. The second takes 838.4 ns on the link that has 10 Gb/s from 50 ns
/// on.
#[test]
fn a_new_rate_begins_with_the_next_packet() {
    let slow = FaultKind::Degraded {
        rate: Rate::from_gbps(10),
    };
    let mut slower = fault(0, slow, 0, 1_000);
    slower.from = Time::from_ns(50);
    let network = with_faults(lossy(Network::new(star(2))), vec![slower]);
    let outcome = network.run(&[flow(0, 0, 1, 2_000)], &network.uncontrolled());
    let ps = 83_840 + 838_400 + 83_840 + 4_800 + 48_000 + 4_000_000;
    assert_eq!(outcome.fct(0), Time::from_ps(ps));
}

/// 10 000 packets, each corrupted with probability 0.01: 100 ± 5·√99 = 50 of the data packets, and
/// as many ACKs.
#[test]
fn packets_are_corrupted_at_random() {
    let loss = FaultKind::Loss { probability: 0.01 };
    let mut network = lossy(Network::new(star(2)));
    network.config.recovery.kind = RecoveryKind::Selective;
    let network = with_faults(network, vec![fault(0, loss, 0, 1_000_000)]);
    let outcome = network.run(&[flow(0, 0, 1, 10_000_000)], &network.uncontrolled());
    let record = outcome.recording.faults.as_ref().unwrap();
    let only = &record.faults[0];
    assert!((50..150).contains(&only.data), "{only:?}");
    assert!((50..150).contains(&only.control), "{only:?}");
    assert_eq!(only.recovered, None);
    assert_eq!(losses(&outcome).corrupted, only.data + only.control);
    assert!(outcome.retransmitted() >= only.data);
    check_packets(&network, &outcome);
}

/// Two leaves with four hosts each, two spines.
fn leaf_spine() -> Network {
    let shape = LeafSpine {
        leaves: 2,
        spines: 2,
        hosts_per_leaf: 4,
        ..LeafSpine::default()
    };
    Network::new(shape.build().expect("a leaf-spine"))
}

/// From every host of the first leaf to a host of the other leaf, 16 flows at a time.
fn crossing(size: u64) -> Vec<Flow> {
    (0..16)
        .map(|id| flow(id, id % 4, 4 + id % 4, size))
        .collect()
}

/// The link from leaf 8 to spine 10 fails for good at 20 us, and routes avoid it from 50 us on. All
/// packets then go over spine 11, as if it were the only spine. Until then flows on the failed link
/// lose all packets.
#[test]
fn flows_go_around_a_link_that_failed() {
    for network in [lossy(leaf_spine()), lossless(leaf_spine())] {
        let link = network.ports.at(network.port(8, 10) as u32).link;
        let mut fault = fault(link, down(30), 20, 1);
        fault.until = Time::MAX;
        let network = with_faults(network, vec![fault]);
        let outcome = network.run(&crossing(1_000_000), &network.uncontrolled());
        check_packets(&network, &outcome);
        let record = outcome.recording.faults.as_ref().unwrap();
        let only = &record.faults[0];
        assert!(only.flows > 0 && only.flows < 16, "{only:?}");
        assert!(only.data > 0 && outcome.retransmitted() >= only.data);
        // Packets that waited at the failed port when routes changed are lost a little later.
        assert!(only.last_loss >= Time::from_us(49));
        let last = outcome.flows.iter().map(|flow| flow.finish).max();
        let recovered = only.recovered.expect("all have completed");
        // A NACK reports the gap after the first packet has taken the other spine.
        assert!(recovered > Time::from_us(50) && Some(recovered) <= last);
        assert_eq!(losses(&outcome).unreachable, 0);
        let sent = |port: usize| outcome.recording.ports[port].data_packets;
        assert!(sent(network.port(8, 11)) > sent(network.port(8, 10)));
        // Flows have recovered before the link comes back, if it does.
        let mut fault = network.faults.as_ref().unwrap().faults()[0].clone();
        fault.until = Time::from_ms(50);
        assert!(last.unwrap() < fault.until);
        let network = with_faults(network, vec![fault]);
        let outcome = network.run(&crossing(1_000_000), &network.uncontrolled());
        let record = outcome.recording.faults.as_ref().unwrap();
        assert_eq!(record.faults[0].recovered, Some(recovered));
    }
}

/// The link from leaf 8 to spine 10 fails for good. Algorithms that compare the INT of successive
/// ACKs hear once that it comes from another path: those of the flows that went over this link.
#[test]
fn int_of_another_path_is_told() {
    let mut network = lossy(leaf_spine()).with_int();
    let flows = crossing(1_000_000);
    let before = uplinks(&mut network, &flows, 8);
    let port = network.port(8, 10);
    let mut gone = fault(network.ports.at(port as u32).link, down(30), 20, 1);
    gone.until = Time::MAX;
    let network = with_faults(network, vec![gone]);
    let controllers = network.hpcc();
    let listener = Listener::new(&controllers);
    let outcome = network.run(&flows, &listener);
    assert_eq!(outcome.flows.len(), flows.len());
    let failed = network.ports.owner(port as u32).1;
    let moved = |id: u32| u32::from(before[&FlowId(id)] == failed);
    assert!((1..16).contains(&(0..16).map(moved).sum::<u32>()));
    for id in 0..16 {
        assert_eq!(listener.log(id).path_changes, moved(id), "{id}");
    }
}

/// By flow: the port of leaf `leaf` by which its data leave.
fn uplinks(network: &mut Network, flows: &[Flow], leaf: u32) -> BTreeMap<FlowId, u16> {
    network.measure.packets = Some(everything());
    let outcome = network.run(flows, &network.uncontrolled());
    let trace = outcome.recording.packets.as_ref().expect("a trace");
    let leaves = trace.events.iter().filter(|event| {
        event.node == NodeId(leaf)
            && (event.event, event.kind) == (PacketEvent::Send, PacketKind::Data)
    });
    leaves
        .filter_map(|event| Some((event.flow?, event.port)))
        .collect()
}

/// 300 flows of one packet over four spines, of which one is unreachable from leaf 2 from the
/// start. Flows on the other spines keep their spine. About 75 flows are redistributed over three
/// spines, 25 ± 4·√(75·2/9) each.
#[test]
fn flows_keep_their_way_if_it_is_still_one() {
    for hash in [EcmpHash::Mixed, EcmpHash::Murmur3] {
        let shape = LeafSpine {
            leaves: 2,
            spines: 4,
            hosts_per_leaf: 1,
            ..LeafSpine::default()
        };
        let mut network = lossy(Network::new(shape.build().expect("a leaf-spine")));
        network.config.model.ecmp = hash;
        let flows: Vec<Flow> = (0..300).map(|id| flow(id, 0, 1, 1)).collect();
        let before = uplinks(&mut network, &flows, 2);
        let dead = network.port(2, 4);
        let number = network.ports.owner(dead as u32).1;
        let mut gone = fault(network.ports.at(dead as u32).link, down(0), 0, 1);
        gone.until = Time::MAX;
        let mut network = with_faults(network, vec![gone]);
        let after = uplinks(&mut network, &flows, 2);
        let (moved, kept): (Vec<_>, Vec<_>) =
            after.iter().partition(|(flow, _)| before[flow] == number);
        assert!((45..=105).contains(&moved.len()), "{}", moved.len());
        assert!(kept.iter().all(|(flow, port)| before[flow] == **port));
        for port in moved.iter().map(|(_, port)| **port) {
            assert_ne!(port, number);
            let same = moved.iter().filter(|(_, other)| **other == port).count();
            let even = moved.len() as f64 / 3.0;
            let spread = 4.0 * (moved.len() as f64 * 2.0 / 9.0).sqrt();
            assert!((same as f64 - even).abs() < spread, "{hash:?}: {same}");
        }
    }
}

/// The receiver's only link is down from 10 us to 1 ms. The flow waits, retransmits repeatedly, and
/// completes when the link is back.
#[test]
fn a_flow_waits_for_its_only_link() {
    for network in [
        lossy(Network::new(star(3))),
        lossless(Network::new(star(3))),
    ] {
        let network = with_faults(network, vec![fault(2, down(100), 10, 1_000)]);
        let outcome = network.run(&[flow(0, 0, 2, 1_000_000)], &network.uncontrolled());
        let only = &outcome.recording.faults.as_ref().unwrap().faults[0];
        assert_eq!(only.flows, 1);
        let recovered = only.recovered.expect("the link came back");
        assert!(recovered > Time::from_ms(1) && recovered <= outcome.record(0).finish);
        check_packets(&network, &outcome);
    }
}

/// A destination that is cut off for good does not hang the run silently: flows that send in vain
/// are reported as a stall. The other flow completes.
#[test]
fn a_flow_that_is_cut_off_for_good_is_a_stall() {
    let mut network = lossy(Network::new(star(4)));
    network.stalls = StallConfig {
        no_progress: Some((Time::from_ms(20), StuckFlows::All)),
        ..StallConfig::default()
    };
    let mut forever = fault(2, down(100), 10, 0);
    forever.until = Time::MAX;
    let network = with_faults(network, vec![forever]);
    let flows = [flow(0, 0, 2, 1_000_000), flow(1, 1, 3, 1_000_000)];
    let outcome = network
        .try_run(&flows, &network.uncontrolled())
        .expect("no violation");
    assert_eq!(outcome.flows.len(), 1);
    let Some(Stall::NoProgress { flows, .. }) = &outcome.recording.stall else {
        panic!("{:?}", outcome.recording.stall);
    };
    assert_eq!(*flows, [FlowId(0)]);
    let only = &outcome.recording.faults.as_ref().unwrap().faults[0];
    assert_eq!((only.flows, only.recovered), (1, None));
}

/// Four senders at line rate to one receiver behind two switches: the trunk is paused most of the
/// time. It fails and comes back. No buffer overflows, and no pause remains.
#[test]
fn pauses_end_with_the_link_and_begin_anew() {
    let mut network = lossless(leaf_spine());
    network.config.flow_control = pfc(
        PfcThreshold::Static(Bytes::new(20_000)),
        Headroom::WorstCase,
    );
    network.use_least_buffer(400_000);
    network.measure.pauses = true;
    let links = [8, 9].map(|leaf| network.ports.at(network.port(leaf, 10) as u32).link);
    let faults = (0..20_u64).map(|round| LinkFault {
        links: links.to_vec(),
        kind: down(1_000),
        from: Time::from_ns(7_000 + round * 13_300),
        until: Time::from_ns(12_000 + round * 13_300),
    });
    let network = with_faults(network, faults.collect());
    let flows: Vec<Flow> = (0..16).map(|id| flow(id, id % 4, 4, 300_000)).collect();
    let outcome = network.run(&flows, &network.uncontrolled());
    assert!(outcome.pauses() > 50, "{}", outcome.pauses());
    assert_eq!(outcome.dropped(), 0);
    assert!(losses(&outcome).link_down > 100);
    check_packets(&network, &outcome);
}

/// Leaf 9 has paused spine 10 when their link fails. The data that wait there then leave, and are
/// lost, as are those that follow: no queue waits for the link.
#[test]
fn nothing_waits_for_a_link_that_failed() {
    let mut network = lossless(leaf_spine());
    let threshold = PfcThreshold::Static(Bytes::new(20_000));
    network.config.flow_control = pfc(threshold, Headroom::WorstCase);
    network.use_least_buffer(400_000);
    network.measure.packets = Some(everything());
    let port = network.port(10, 9);
    let (node, number) = network.ports.owner(port as u32);
    let link = network.ports.at(port as u32).link;
    let network = with_faults(network, vec![fault(link, down(1_000), 20, 40)]);
    let flows: Vec<Flow> = (0..16).map(|id| flow(id, id % 4, 4, 300_000)).collect();
    let outcome = network.run(&flows, &network.uncontrolled());
    let trace = outcome.recording.packets.as_ref().expect("a trace");
    let waiting = |until| {
        let here = trace.events.iter().filter(|each| {
            (each.node, each.port, each.kind) == (node, number, PacketKind::Data)
                && each.time < Time::from_us(until)
        });
        here.map(|each| match each.event {
            PacketEvent::Enqueue => 1,
            PacketEvent::Send => -1,
            _ => 0,
        })
        .sum::<i32>()
    };
    let mut frames = trace.events.iter().filter(|each| {
        (each.node, each.port, each.event) == (node, number, PacketEvent::Receive)
            && each.time < Time::from_us(20)
            && each.kind.is_pfc()
    });
    let last_frame = frames.next_back();
    assert_eq!(last_frame.expect("a frame").kind, PacketKind::Pause);
    assert!(waiting(20) > 0, "the test needs data that wait");
    assert_eq!(waiting(40), 0);
}

/// With links of all kinds of faults, results do not depend on threads.
#[test]
fn results_do_not_depend_on_threads() {
    let loss = FaultKind::Loss { probability: 0.02 };
    let slow = FaultKind::Degraded {
        rate: Rate::from_gbps(10),
    };
    for network in [lossy(leaf_spine()), lossless(leaf_spine())] {
        let link = |network: &Network, leaf, spine| {
            network.ports.at(network.port(leaf, spine) as u32).link
        };
        let faults = vec![
            fault(link(&network, 8, 10), down(20), 10, 60),
            fault(link(&network, 8, 10), down(20), 100, 105),
            fault(link(&network, 9, 11), slow, 5, 90),
            fault(1, loss, 0, 300),
            fault(6, down(20), 30, 50),
        ];
        let mut network = with_faults(network.with_int(), faults);
        let flows = crossing(500_000);
        let controllers = |network: &Network| format!("{:?}", network.run(&flows, &network.hpcc()));
        let alone = controllers(&network);
        for threads in [2, 3, 8] {
            network.threads = Threads::new(NonZeroUsize::new(threads).unwrap());
            assert!(controllers(&network) == alone, "{threads} threads");
        }
        let outcome = network.run(&flows, &network.hpcc());
        check_packets(&network, &outcome);
    }
}
