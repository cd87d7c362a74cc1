//! The order in which packets arrive, and the feedback to senders for each entropy. Counters are
//! compared with a packet trace, on random networks that spray.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use incast_cc::{AlgorithmConfig, DctcpConfig};
use incast_net::{
    AckPolicy, ArrivalOrder, ArrivalOrders, Balance, DropConfig, ExecutionPath, Explicit,
    FaultKind, FlowControl, HeaderService, LinkFault, ObliviousPaths, PacketEvent, PacketKind,
    PacketRecord, PayloadWait, PortBufferConfig, PortLimit, RandomPaths, RecoveryKind, Reps,
    Threads, TrimmingConfig,
};
use incast_signals::{EcnOptions, MarkingPoint, QueueThreshold};
use incast_units::{Bytes, FlowId, NodeId, Time};
use proptest::prelude::*;

use crate::faults::with_faults;
use crate::properties::for_cases;
use crate::several_paths::{crossing_flows, leaf_spine};
use crate::support::{Network, Outcome, flow, star};
use crate::tracing::everything;

/// The state of all receivers, rebuilt packet by packet.
#[derive(Default)]
struct Receivers {
    flows: BTreeMap<FlowId, TracedFlow>,
    waiting: BTreeMap<NodeId, u64>,
    orders: ArrivalOrders,
}

#[derive(Default)]
struct TracedFlow {
    /// Numbers and payloads of packets that arrived early.
    early: BTreeMap<u64, u64>,
    came: BTreeSet<u64>,
    expected: u64,
    any_early: bool,
    order: ArrivalOrder,
}

impl Receivers {
    fn see(&mut self, packet: &PacketRecord, mtu: u64) {
        let psn = packet.sequence.as_u64() / mtu;
        let flow = self.flows.entry(packet.flow.expect("data")).or_default();
        if !flow.came.insert(psn) {
            return;
        }
        let highest = flow.came.last().copied().expect("it has come");
        if psn < highest {
            let distance = highest - psn;
            flow.order.out_of_order += 1;
            flow.order.distances += distance;
            let largest = u64::from(flow.order.largest_distance).max(distance);
            flow.order.largest_distance = largest as u32;
            self.orders.distances.add(distance, 1);
        }
        let waiting = self.waiting.entry(packet.node).or_default();
        if psn > flow.expected {
            flow.any_early = true;
            flow.early.insert(psn, packet.payload.as_u64());
            *waiting += packet.payload.as_u64();
            let of_flow = flow.early.values().sum();
            flow.order.most_waiting = flow.order.most_waiting.max(of_flow);
            let most = PayloadWait {
                payload: *waiting,
                node: Reverse(packet.node),
            };
            self.orders.most_waiting = self.orders.most_waiting.max(Some(most));
            return;
        }
        flow.expected += 1;
        while let Some(payload) = flow.early.remove(&flow.expected) {
            *waiting -= payload;
            flow.expected += 1;
        }
    }

    fn orders(mut self) -> ArrivalOrders {
        for (id, mut flow) in self.flows {
            flow.order.received = flow.came.len() as u32;
            self.orders.received += flow.came.len() as u64;
            if flow.any_early {
                self.orders.flows.push((id, flow.order));
            }
        }
        self.orders
    }
}

fn traced_orders(network: &Network, outcome: &Outcome) -> ArrivalOrders {
    let mut receivers = Receivers::default();
    let trace = outcome.recording.packets.as_ref().expect("a trace");
    for event in &trace.events {
        let at_host = event.node.0 < network.topology.hosts;
        if at_host && event.event == PacketEvent::Receive && event.kind == PacketKind::Data {
            receivers.see(event, network.config.packets.mtu.as_u64());
        }
    }
    receivers.orders()
}

/// By flow and entropy: number of data packets that left their hosts.
fn traced_sends(network: &Network, outcome: &Outcome) -> BTreeMap<(FlowId, u16), u32> {
    let mut sends = BTreeMap::new();
    let trace = outcome.recording.packets.as_ref().expect("a trace");
    for event in &trace.events {
        let at_host = event.node.0 < network.topology.hosts;
        if at_host && event.event == PacketEvent::Send && event.kind == PacketKind::Data {
            let flow = event.flow.expect("data");
            let entropy = event.entropy.expect("several paths");
            *sends.entry((flow, entropy)).or_default() += 1;
        }
    }
    sends
}

/// Compares the counters of entropies with the trace. Every sent packet is counted. Over all
/// entropies of a flow, marks and packets trimmed at the last hop, whose NACKs do not blame the
/// path, agree. Other NACKs agree except for packets that timed out. Returns the number of NACKs
/// that arrived.
fn check_entropies(network: &Network, outcome: &Outcome) -> Result<u32, TestCaseError> {
    let mut nacks = 0;
    let records = &outcome.recording.entropies;
    let sent = records.iter().map(|each| {
        let key = (each.flow, each.entropy);
        (key, each.counters.sent)
    });
    prop_assert_eq!(
        sent.collect::<BTreeMap<_, _>>(),
        traced_sends(network, outcome)
    );
    let unfinished = outcome.recording.unfinished.iter();
    let unfinished = unfinished.map(|each| (each.flow.id, each.counters));
    let completed = outcome.flows.iter().map(|each| (each.id, each.counters));
    for (flow, counters) in completed.chain(unfinished) {
        let of_flow = || records.iter().filter(|each| each.flow == flow);
        let marked: u32 = of_flow().map(|each| each.counters.marked).sum();
        let trimmed: u32 = of_flow().map(|each| each.counters.trimmed).sum();
        let more = marked.checked_sub(counters.marked_acks);
        prop_assert!(more.is_some_and(|more| more + trimmed <= counters.nacks));
        nacks += trimmed;
    }
    Ok(nacks)
}

fn spraying((kind, seed, queue): (u8, u64, u64)) -> Network {
    let trimming = TrimmingConfig {
        header: Bytes::new(64),
        header_queue: PortLimit::Size(Bytes::new(1 << 20)),
        service: HeaderService::Strict,
    };
    let mut network = Network::new(leaf_spine()).with_flow_control(FlowControl::Drop(
        DropConfig::PerPort(PortBufferConfig {
            trimming: (kind % 2 == 0).then_some(trimming),
            ..PortBufferConfig::of(PortLimit::Size(Bytes::new(queue)))
        }),
    ));
    let config = &mut network.config;
    config.seed = seed;
    config.recovery.kind = RecoveryKind::Selective;
    config.recovery.loss_detection = Explicit {}.into();
    config.recovery.timeout = Some(Time::from_us(60));
    config.balance = match kind % 3 {
        0 => Balance::Random(RandomPaths { entropies: 300 }),
        1 => Balance::Oblivious(ObliviousPaths::default()),
        _ => Balance::Reps(Reps::default()),
    };
    config.acks = match kind / 3 % 2 {
        0 => AckPolicy::Packets(1),
        _ => AckPolicy::Bytes(Bytes::new(6_000)),
    };
    let threshold = QueueThreshold::Size(Bytes::new(2_000));
    config.ecn = Some(EcnOptions::step(threshold, MarkingPoint::Dequeue));
    network.measure.entropies = true;
    network
}

/// Counters agree with trimmed, dropped and corrupted packets, in runs that end during flows, on
/// the plain path, the fast path, and several threads.
#[test]
fn counters_are_those_of_a_trace() {
    let (seen, cut, nacks) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let settings = (0_u8..12, 0_u64..1_000, 3_000_u64..30_000);
    for_cases(24, settings, |&setting| {
        let (kind, seed, _) = setting;
        let mut network = spraying(setting);
        if kind >= 6 {
            let fault = LinkFault {
                links: vec![17, 20, 23],
                kind: FaultKind::Loss { probability: 0.01 },
                from: Time::ZERO,
                until: Time::MAX,
            };
            network = with_faults(network, vec![fault]);
        }
        network.stop = Some(Time::from_us(if seed % 3 == 0 { 40 } else { 4_000 }));
        let flows = crossing_flows(8);
        let dctcp = AlgorithmConfig::Dctcp(DctcpConfig::default());
        let reference = network.agreed(&flows, &dctcp, seed);
        (network.path, network.threads) = (ExecutionPath::Plain, Threads::ONE);
        network.measure.packets = Some(everything());
        let traced = network.run(&flows, &network.algorithm(dctcp));
        let counted = reference.recording.arrival_orders.as_ref();
        let counted = counted.expect("receivers keep what comes early");
        prop_assert_eq!(counted, &traced_orders(&network, &traced));
        prop_assert_eq!(&reference.recording.entropies, &traced.recording.entropies);
        nacks.set(nacks.get() + check_entropies(&network, &traced)?);
        let late = counted.flows.iter().map(|(_, order)| order.out_of_order);
        seen.set(seen.get() + late.sum::<u32>());
        cut.set(cut.get() + traced.recording.unfinished.len());
        Ok(())
    });
    let counts = (seen.get(), cut.get(), nacks.get());
    assert!(
        counts.0 > 4_000 && counts.1 > 20 && counts.2 > 50,
        "{counts:?}"
    );
}

/// Without spraying and losses there are no early arrivals. Under go-back-N receivers drop packets
/// that arrive early.
#[test]
fn flows_on_one_path_arrive_in_order() {
    let mut network = Network::new(star(3));
    network.measure.entropies = true;
    let flows = [flow(0, 0, 2, 30_500), flow(1, 1, 2, 10)];
    let run = |network: &Network| network.run(&flows, &network.uncontrolled()).recording;
    assert_eq!(run(&network).arrival_orders, None);
    network.config.recovery.kind = RecoveryKind::Selective;
    let in_order = ArrivalOrders {
        received: 31 + 1,
        ..ArrivalOrders::default()
    };
    let recording = run(&network);
    assert_eq!(recording.arrival_orders, Some(in_order));
    assert_eq!(recording.entropies, []);
}
