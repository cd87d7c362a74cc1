//! Packet traces are complete, in order, and independent of the order of nodes.

use std::collections::HashMap;

use incast_net::{
    DropConfig, Flow, FlowControl, Headroom, NodeOrder, PacketEvent, PacketKind, PacketRecord,
    PacketTrace, PfcThreshold, Recording, TraceConfig,
};
use incast_signals::EcnOptions;
use incast_units::{Bytes, FlowId, NodeId, Time};

use crate::support::{Network, Outcome, at, fat_tree, flow, pfc, star};

/// All packets of all flows at all ports.
pub(crate) fn everything() -> TraceConfig {
    TraceConfig {
        causes: false,
        ports: None,
        flows: None,
        from: Time::ZERO,
        until: Time::MAX,
        limit: usize::MAX,
    }
}

fn traced(mut network: Network, config: TraceConfig, flows: &[Flow]) -> (Network, Outcome) {
    network.measure.packets = Some(config);
    let outcome = network.run(flows, &network.uncontrolled());
    (network, outcome)
}

fn trace(outcome: &Outcome) -> &PacketTrace {
    outcome.recording.packets.as_ref().expect("a trace")
}

/// Sixteen hosts of a fat tree send to one host at line rate.
fn rush() -> Vec<Flow> {
    (1..16)
        .map(|host| at(Time::from_ns(host.into()), flow(host, host, 0, 20_500)))
        .collect()
}

/// A data packet of 1 B over one switch: 49 B take 3920 ps at 100 Gb/s, and the delay is 1 µs. Its
/// ACK of 60 B takes 4800 ps.
#[test]
fn one_packet_is_six_events_and_so_is_its_ack() {
    let (_, outcome) = traced(Network::new(star(2)), everything(), &[flow(7, 0, 1, 1)]);
    let ps = Time::from_ps;
    let data = |time, node, port, event| PacketRecord {
        time: ps(time),
        node: NodeId(node),
        port,
        event,
        kind: PacketKind::Data,
        flow: Some(FlowId(7)),
        sequence: Bytes::ZERO,
        payload: Bytes::new(1),
        wire: Bytes::new(49),
        queue: Bytes::ZERO,
        marked: false,
        entropy: None,
    };
    let ack = |time, node, port, event| PacketRecord {
        kind: PacketKind::Ack,
        sequence: Bytes::new(1),
        payload: Bytes::ZERO,
        wire: Bytes::new(60),
        ..data(time, node, port, event)
    };
    use PacketEvent::{Enqueue, Receive, Send};
    let expected = [
        data(0, 0, 0, Send),
        data(1_003_920, 2, 0, Receive),
        data(1_003_920, 2, 1, Enqueue),
        data(1_003_920, 2, 1, Send),
        data(2_007_840, 1, 0, Receive),
        ack(2_007_840, 1, 0, Enqueue),
        ack(2_007_840, 1, 0, Send),
        ack(3_012_640, 2, 1, Receive),
        ack(3_012_640, 2, 0, Enqueue),
        ack(3_012_640, 2, 0, Send),
        ack(4_017_440, 0, 0, Receive),
    ];
    assert_eq!(trace(&outcome).events, expected);
    assert_eq!(trace(&outcome).cut, None);
}

/// Two packets meet at a port at the same time. The second waits behind the first, which is in
/// transmission and no longer counts as queued. The third finds the second waiting.
#[test]
fn queues_leave_out_the_packet_itself_and_the_one_in_transmission() {
    let flows = [
        flow(0, 0, 3, 1000),
        flow(1, 1, 3, 1000),
        flow(2, 2, 3, 1000),
    ];
    let (_, outcome) = traced(Network::new(star(4)), everything(), &flows);
    let at_port = trace(&outcome).events.iter().filter(|event| {
        (event.node, event.port, event.kind) == (NodeId(4), 3, PacketKind::Data)
            && event.event != PacketEvent::Receive
    });
    let queues: Vec<_> = at_port
        .map(|event| (event.event, event.flow, event.queue.as_u64()))
        .collect();
    let of = |id| Some(FlowId(id));
    use PacketEvent::{Enqueue, Send};
    assert_eq!(
        queues,
        [
            (Enqueue, of(0), 0),
            (Send, of(0), 0),
            (Enqueue, of(1), 0),
            (Enqueue, of(2), 1048),
            (Send, of(1), 1048),
            (Send, of(2), 0),
        ]
    );
}

#[test]
fn a_trace_changes_nothing_else() {
    let network = || Network::new(fat_tree(4)).with_buffer(200_000);
    let mut plain = network().run(&rush(), &network().uncontrolled());
    let (_, mut outcome) = traced(network(), everything(), &rush());
    assert!(outcome.recording.packets.take().is_some());
    plain.recording.packets = None;
    assert_eq!(format!("{plain:?}"), format!("{outcome:?}"));
}

/// Queues are sampled while packets wait, with and without a trace.
#[test]
fn a_trace_leaves_samples_alone() {
    let mut network = Network::new(fat_tree(4)).with_buffer(200_000);
    network.measure.queue_interval = Some(Time::from_ns(100));
    network.measure.until = Time::from_us(10);
    let plain = network.run(&rush(), &network.uncontrolled()).recording;
    let (_, traced) = traced(network, everything(), &rush());
    let of = |recording: &Recording| (recording.queue_sum, recording.queue_histogram.clone());
    assert!(plain.queue_sum > 0);
    assert_eq!(of(&plain), of(&traced.recording));
}

#[test]
fn a_trace_does_not_depend_on_the_order_of_nodes() {
    for limit in [usize::MAX, 1000, 1] {
        let run = |order| {
            let mut network = Network::new(fat_tree(4)).with_buffer(200_000);
            network.order = order;
            let config = TraceConfig {
                limit,
                ..everything()
            };
            let (_, outcome) = traced(network, config, &rush());
            trace(&outcome).clone()
        };
        let trace = run(NodeOrder::Ascending);
        assert_eq!(trace, run(NodeOrder::Shuffled(7)), "limit {limit}");
    }
}

/// Counts of the outcomes of packets that were sent or enqueued.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Balance {
    pub(crate) enqueued: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) dropped: u64,
    pub(crate) trimmed: u64,
}

/// Checks each link: the packets sent at one end arrive at the other in the same order. Checks each
/// switch: received packets are sent or dropped; enqueued packets are sent unless dropped in favour
/// of another packet. Only CNPs of fair rates may originate at a switch.
pub(crate) fn check_conservation(network: &Network, events: &[PacketRecord]) -> Balance {
    let port = |event: &PacketRecord| network.ports.index(event.node, event.port) as usize;
    let what = |event: &PacketRecord| {
        let PacketRecord {
            kind,
            flow,
            sequence,
            wire,
            marked,
            ..
        } = *event;
        (kind, flow, sequence, wire, marked)
    };
    let mut sent = vec![Vec::new(); network.ports.count()];
    let mut received = sent.clone();
    let mut by_node: HashMap<NodeId, Balance> = HashMap::new();
    let mut total = Balance::default();
    let mut own_cnps: HashMap<NodeId, i64> = HashMap::new();
    for event in events {
        let forwarded = event.kind != PacketKind::Pause && event.kind != PacketKind::Resume;
        let own = by_node.entry(event.node).or_default();
        for balance in [own, &mut total] {
            let count = u64::from(forwarded);
            match event.event {
                PacketEvent::Enqueue => balance.enqueued += count,
                PacketEvent::Send => balance.sent += count,
                PacketEvent::Receive => balance.received += count,
                PacketEvent::Drop => balance.dropped += count,
                // The header of a trimmed packet goes on.
                PacketEvent::Trim => balance.trimmed += count,
                PacketEvent::Lose => unreachable!("links without faults lose nothing"),
            }
        }
        if event.kind == PacketKind::Cnp && !network.config.programs.is_empty() {
            *own_cnps.entry(event.node).or_default() += match event.event {
                PacketEvent::Enqueue => 1,
                PacketEvent::Receive => -1,
                _ => 0,
            };
        }
        match event.event {
            PacketEvent::Send => sent[port(event)].push(what(event)),
            PacketEvent::Receive => {
                let peer = network.ports.peer_index(port(event) as u32) as usize;
                received[peer].push(what(event));
            }
            _ => {}
        }
    }
    assert_eq!(sent, received, "sent into links, and received from them");
    let switches = by_node
        .iter()
        .filter(|(node, _)| !network.topology.is_host(**node));
    for (node, balance) in switches {
        let made = u64::try_from(own_cnps.get(node).copied().unwrap_or_default());
        assert_eq!(
            balance.received + made.expect("no CNP is lost"),
            balance.sent + balance.dropped,
            "{node:?}"
        );
        let displaced = balance.enqueued - balance.sent;
        assert!(displaced <= balance.dropped + balance.trimmed, "{node:?}");
    }
    total
}

/// Under PFC with little memory there are pauses and no drops, and the trace agrees with the
/// counters.
#[test]
fn packets_and_pauses_are_conserved_under_pfc() {
    let mut network = Network::new(fat_tree(4)).with_buffer(200_000);
    network.config.flow_control = pfc(PfcThreshold::Dynamic { shift: 3 }, Headroom::WorstCase);
    let (k_min, k_max) = (Bytes::new(5_000), Bytes::new(20_000));
    network.config.ecn = Some(EcnOptions::red(k_min, k_max, 0.5));
    let (network, outcome) = traced(network, everything(), &rush());
    let events = &trace(&outcome).events;
    let total = check_conservation(&network, events);
    assert_eq!(total.dropped, 0);
    assert_eq!(total.received, outcome.recording.packet_hops);
    let count = |kind, event| {
        let is = |record: &&PacketRecord| record.kind == kind && record.event == event;
        events.iter().filter(is).count() as u64
    };
    assert!(outcome.pauses() > 0, "the test needs pauses");
    assert_eq!(
        count(PacketKind::Pause, PacketEvent::Send),
        outcome.pauses()
    );
    assert_eq!(
        count(PacketKind::Resume, PacketEvent::Receive),
        outcome.pauses()
    );
    for (index, counters) in outcome.recording.ports.iter().enumerate() {
        let here = |event: &&PacketRecord| {
            network.ports.index(event.node, event.port) as usize == index
                && event.event == PacketEvent::Send
        };
        let data = || {
            events
                .iter()
                .filter(here)
                .filter(|event| event.kind == PacketKind::Data)
        };
        let bytes: u64 = data().map(|event| event.wire.as_u64()).sum();
        assert_eq!(
            (data().count() as u64, bytes),
            (counters.data_packets, counters.data_bytes)
        );
    }
}

/// At switches each event has the enqueued and unsent bytes of data and control packets. PFC
/// frames, which wait for packets in the other direction, do not count.
#[test]
fn queues_leave_out_frames_of_pfc() {
    let threshold = PfcThreshold::Static(Bytes::new(5_000));
    let network = Network::new(star(8))
        .with_buffer(1_000_000)
        .with_flow_control(pfc(threshold, Headroom::WorstCase));
    let pairs = [(1, 0), (2, 0), (3, 0), (4, 1), (5, 1), (6, 2), (7, 2)];
    let flows = (0..).zip(pairs).map(|(id, (source, destination))| {
        at(
            Time::from_ns(id.into()),
            flow(id, source, destination, 50_000),
        )
    });
    let flows: Vec<_> = flows.collect();
    let (network, outcome) = traced(network, everything(), &flows);
    // By port: queued bytes, and waiting PFC frames.
    let mut waiting: HashMap<(NodeId, u16), (u64, u64)> = HashMap::new();
    let mut beside_frames = 0;
    for event in &trace(&outcome).events {
        if network.topology.is_host(event.node) {
            continue;
        }
        let port = waiting.entry((event.node, event.port)).or_default();
        let is_frame = [PacketKind::Pause, PacketKind::Resume].contains(&event.kind);
        let (frames, bytes) = match is_frame {
            true => (1, 0),
            false => (0, event.wire.as_u64()),
        };
        let (queue, before) = match event.event {
            PacketEvent::Enqueue => ((port.0 + bytes, port.1 + frames), *port),
            PacketEvent::Send => ((port.0 - bytes, port.1 - frames), *port),
            _ => continue,
        };
        // Without itself.
        assert_eq!(event.queue.as_u64(), before.0.min(queue.0), "{event:?}");
        beside_frames += u64::from(!is_frame && queue.1 > 0);
        *port = queue;
    }
    assert!(beside_frames > 0, "the test needs frames that wait");
}

/// Hosts 0 to 2 send a flow each to host 3, and the switch pauses them. The cause of each pause is
/// the flow of the paused host alone, with its bytes that wait at the switch's port 3.
#[test]
fn a_pause_names_the_flow_that_came_by_its_port() {
    let threshold = PfcThreshold::Static(Bytes::new(5_000));
    let network = Network::new(star(4)).with_flow_control(pfc(threshold, Headroom::WorstCase));
    let flows: Vec<_> = (0..3)
        .map(|host| at(Time::from_ns(host.into()), flow(host, host, 3, 50_000)))
        .collect();
    let config = TraceConfig {
        causes: true,
        ..everything()
    };
    let (_, outcome) = traced(network, config, &flows);
    let trace = trace(&outcome);
    let switch = NodeId(4);
    // By flow: bytes that wait. By port: what waited when it paused its peer.
    let mut waiting = [0; 3];
    let mut expected: [Vec<u64>; 3] = Default::default();
    for event in trace.events.iter().filter(|event| event.node == switch) {
        let wire = event.wire.as_u64();
        match (event.kind, event.event) {
            (PacketKind::Data, PacketEvent::Enqueue) => {
                waiting[event.flow.unwrap().index()] += wire
            }
            (PacketKind::Data, PacketEvent::Send) => waiting[event.flow.unwrap().index()] -= wire,
            (PacketKind::Pause, PacketEvent::Enqueue) => {
                expected[usize::from(event.port)].push(waiting[usize::from(event.port)]);
            }
            _ => {}
        }
    }
    let causes = &trace.causes.as_ref().expect("they were asked for").pauses;
    for (port, expected) in (0..).zip(&expected) {
        let found = causes.iter().filter(|cause| cause.port == port);
        let found: Vec<u64> = found.map(|cause| cause.waiting.as_u64()).collect();
        assert!(!found.is_empty(), "the test needs a pause of every host");
        assert_eq!(found, *expected);
    }
    for cause in causes {
        assert_eq!((cause.node, cause.queue_port), (switch, 3));
        assert_eq!(cause.flow, FlowId(cause.port.into()));
        assert_eq!(
            (cause.at_queue, cause.of_flow),
            (cause.waiting, cause.waiting)
        );
    }
}

/// The engine with one global queue has the same events.
#[test]
fn packets_are_conserved_in_insertion_order() {
    let network = Network::hpcc_ns3(fat_tree(4)).with_buffer(1_000_000);
    let (network, outcome) = traced(network, everything(), &rush());
    let total = check_conservation(&network, &trace(&outcome).events);
    assert_eq!(total.received, outcome.recording.packet_hops);
}

/// Without PFC, sixteen senders at line rate lose packets; each loss has one drop event.
#[test]
fn packets_are_received_or_dropped() {
    let drop = DropConfig::Shared {
        alpha: 1.0,
        queue_limit: Bytes::new(50_000),
    };
    let network = Network::new(fat_tree(4))
        .with_buffer(100_000)
        .with_flow_control(FlowControl::Drop(drop));
    let (network, outcome) = traced(network, everything(), &rush());
    let total = check_conservation(&network, &trace(&outcome).events);
    assert!(total.dropped > 0, "the test needs drops");
    assert_eq!(total.dropped, outcome.dropped());
    assert_eq!(total.received, outcome.recording.packet_hops);
}

/// Each selection keeps the selected events unchanged.
#[test]
fn ports_flows_and_times_can_be_chosen() {
    let (network, outcome) = traced(Network::new(fat_tree(4)), everything(), &rush());
    let all = &trace(&outcome).events;
    let port = |event: &PacketRecord| network.ports.index(event.node, event.port);
    let (from, until) = (Time::from_us(3), Time::from_us(9));
    type Choice<'a> = (TraceConfig, &'a dyn Fn(&PacketRecord) -> bool);
    let choices: [Choice<'_>; 3] = [
        (
            TraceConfig {
                ports: Some(vec![0, 20]),
                ..everything()
            },
            &|event| [0, 20].contains(&port(event)),
        ),
        (
            TraceConfig {
                flows: Some(vec![FlowId(3), FlowId(9)]),
                ..everything()
            },
            &|event| [Some(FlowId(3)), Some(FlowId(9))].contains(&event.flow),
        ),
        (
            TraceConfig {
                from,
                until,
                ..everything()
            },
            &|event| from <= event.time && event.time < until,
        ),
    ];
    for (config, wanted) in choices {
        let (_, outcome) = traced(Network::new(fat_tree(4)), config.clone(), &rush());
        let expected: Vec<_> = all.iter().copied().filter(wanted).collect();
        assert!(!expected.is_empty() && expected.len() < all.len());
        assert_eq!(trace(&outcome).events, expected, "{config:?}");
    }
}

/// With a limit the trace has at most this many events, and is complete up to some time.
#[test]
fn a_limit_cuts_at_a_moment_and_says_so() {
    let (_, outcome) = traced(Network::new(fat_tree(4)), everything(), &rush());
    let all = &trace(&outcome).events;
    for limit in [0, 1, 100, 5000, all.len() - 1] {
        let config = TraceConfig {
            limit,
            ..everything()
        };
        let (_, outcome) = traced(Network::new(fat_tree(4)), config, &rush());
        let PacketTrace { events, cut, .. } = trace(&outcome);
        let cut = cut.expect("something is left out");
        assert!(events.len() <= limit);
        assert_eq!(cut, all[limit].time);
        let expected: Vec<_> = all
            .iter()
            .copied()
            .filter(|event| event.time < cut)
            .collect();
        assert_eq!(*events, expected, "limit {limit}");
    }
    let config = TraceConfig {
        limit: all.len(),
        ..everything()
    };
    let (_, outcome) = traced(Network::new(fat_tree(4)), config, &rush());
    assert_eq!(
        trace(&outcome),
        &PacketTrace {
            events: all.clone(),
            ..PacketTrace::default()
        }
    );
}
