//! Properties of every network: no byte is lost or created, no packet overtakes another, no flow is
//! faster than light, PFC loses no packet, the order of nodes does not matter.
//!
//! Networks, flows, models and algorithms are random. The seed is fixed, so that a failure is
//! reproducible.

use std::cell::Cell;
use std::collections::BTreeMap;

use incast_cc::{
    Ack, Backlog, Cnp, CongestionControl, ControlReply, Credit, FlowController, Loss, Needs,
    SendLimit, Sent, Start,
};
use incast_net::{
    AckClass, Controllers, Direction, Flow, FlowAddress, NicCalls, NodeOrder, PacketEvent,
    PacketKind, PacketRecord, path,
};
use incast_units::{Bytes, Rate, Time};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

use crate::random_network::{Setting, lossless, lossy};
use crate::support::{Network, Outcome, several_threads};
use crate::tracing::{check_conservation, everything};

/// Runs of each property.
pub(crate) const CASES: u32 = 200;

pub(crate) fn for_all<S: Strategy>(
    settings: S,
    property: impl Fn(&S::Value) -> Result<(), TestCaseError>,
) {
    for_cases(CASES, settings, property);
}

/// Runs a property for `cases` settings, for tests whose subject is rare in random settings.
pub(crate) fn for_cases<S: Strategy>(
    cases: u32,
    settings: S,
    property: impl Fn(&S::Value) -> Result<(), TestCaseError>,
) {
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&settings, |setting| property(&setting));
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn lossless_networks_lose_nothing() {
    let pauses = Cell::new(0);
    for_all(lossless(), |setting| {
        let (network, outcome) = run(setting);
        pauses.set(pauses.get() + outcome.pauses());
        prop_assert_eq!(outcome.dropped(), 0);
        prop_assert_eq!(outcome.retransmitted(), 0);
        check_hosts_sent(&network, setting, &outcome)?;
        check_trace(&network, &outcome)?;
        check_times(&network, setting, &outcome)?;
        check_order_of_nodes(network, setting, &outcome)
    });
    let pauses = pauses.get();
    assert!(pauses > 1_000, "only {pauses} pauses: nothing was tight");
}

/// With go-back-N almost all flows complete. Where a slow link meets a short queue, fast senders
/// without congestion control can retransmit in step with the link forever. They repeat the packets
/// that the queue drops, and the queue accepts packets that the receiver cannot use. With selective
/// repeat all flows complete: the receiver can use every packet that it accepts.
#[test]
fn lossy_networks_deliver_everything_in_the_end() {
    let (dropped, endless) = (Cell::new(0), Cell::new(0));
    for_all(lossy(), |setting| {
        let (network, outcome) = run_until(setting, Some(Time::from_ms(50)));
        if outcome.recording.finished < setting.flows.len() as u64 {
            prop_assert!(!setting.is_selective(), "selective repeat does not end");
            endless.set(endless.get() + 1);
            return Ok(());
        }
        dropped.set(dropped.get() + outcome.dropped());
        outcome.check_books(&setting.flows);
        check_trace(&network, &outcome)?;
        check_times(&network, setting, &outcome)?;
        check_order_of_nodes(network, setting, &outcome)
    });
    let (dropped, endless) = (dropped.get(), endless.get());
    assert!(dropped > 1_000, "only {dropped} packets dropped");
    assert!(endless <= CASES / 20, "{endless} runs did not end");
}

/// Observation has no effect. Samples during a window make switches process packets one by one
/// rather than port by port, and a trace takes the plain path. Flows, counters, pauses and samples
/// stay the same.
#[test]
fn observation_changes_nothing() {
    let settings = || prop_oneof![2 => lossless(), 1 => lossy()];
    for_all(settings(), |setting| {
        if !setting.has_windows() {
            return Ok(());
        }
        let delay = Time::from_us(1 + setting.seed % 40);
        let setting = setting.with_equal_delays(delay);
        let mut network = setting.network();
        network.stop = Some(Time::from_ms(5));
        network.measure.until = Time::MAX;
        network.measure.pauses = true;
        let outcome = |network: &Network| {
            let outcome = network.run(&setting.flows, &Watched(network, &setting));
            let recording = &outcome.recording;
            let kept = (&outcome.flows, &recording.ports, &recording.pauses);
            (format!("{kept:?}"), recording.queue_sum)
        };
        let unobserved = outcome(&network).0;
        network.measure.queue_interval = Some(Time::from_ns(270));
        prop_assert!(unobserved == outcome(&network).0, "samples amid windows");
        network.measure.queue_interval = Some(delay);
        let sampled = outcome(&network);
        prop_assert!(unobserved == sampled.0, "samples between windows");
        network.measure.packets = Some(everything());
        prop_assert!(sampled == outcome(&network), "a trace");
        Ok(())
    });
}

#[test]
fn a_flow_alone_takes_its_ideal_time() {
    for_all(lossless(), |setting| {
        let setting = setting.alone();
        let (network, outcome) = run(&setting);
        let ideal = ideal(&network, &setting.flows[0], Acks::Queue);
        prop_assert_eq!(outcome.fct(setting.flows[0].id.0), ideal);
        Ok(())
    });
}

/// Runs with a trace of all packets, and checks conservation.
fn run(setting: &Setting) -> (Network, Outcome) {
    run_until(setting, None)
}

/// Runs until a stop time, without the conservation checks if the run may be cut short.
fn run_until(setting: &Setting, stop: Option<Time>) -> (Network, Outcome) {
    let mut network = setting.network();
    network.stop = stop;
    network.measure.packets = Some(everything());
    let outcome = network.run(&setting.flows, &Watched(&network, setting));
    (network, outcome)
}

/// Hosts sent every byte of each flow once, with its headers. Dropped speculative packets are sent
/// twice.
fn check_hosts_sent(
    network: &Network,
    setting: &Setting,
    outcome: &Outcome,
) -> Result<(), TestCaseError> {
    let mtu = network.config.packets.mtu.as_u64();
    let mut expected = vec![0; network.topology.hosts as usize];
    for flow in &setting.flows {
        let packets = flow.size.as_u64().div_ceil(mtu);
        let headers = packets * network.data_overhead().as_u64();
        expected[flow.source.0 as usize] += flow.size.as_u64() + headers;
    }
    let sent: Vec<u64> = (0..network.topology.hosts)
        .map(|host| {
            let port = network.ports.index(incast_units::NodeId(host), 0);
            outcome.recording.ports[port as usize].data_bytes
        })
        .collect();
    let speculative = outcome.recording.speculative_dropped;
    if speculative == 0 {
        prop_assert_eq!(sent, expected);
        return Ok(());
    }
    prop_assert!(
        sent.iter()
            .zip(&expected)
            .all(|(sent, expected)| sent >= expected)
    );
    let packets = setting
        .flows
        .iter()
        .map(|flow| flow.size.as_u64().div_ceil(mtu));
    let sent = (0..network.topology.hosts).map(|host| {
        let port = network.ports.index(incast_units::NodeId(host), 0);
        outcome.recording.ports[port as usize].data_packets
    });
    prop_assert_eq!(sent.sum::<u64>(), packets.sum::<u64>() + speculative);
    Ok(())
}

/// No packet is lost on a link or in a switch except by a drop, and no packet overtakes another.
fn check_trace(network: &Network, outcome: &Outcome) -> Result<(), TestCaseError> {
    let trace = outcome
        .recording
        .packets
        .as_ref()
        .expect("it was asked for");
    let total = check_conservation(network, &trace.events);
    let speculative = outcome.recording.speculative_dropped;
    prop_assert_eq!(total.dropped, outcome.dropped() + speculative);
    prop_assert_eq!(total.received, outcome.recording.packet_hops);
    check_queues(network, &trace.events)
}

/// Packets of one class leave a port in the order of their arrival in its queue. A packet dropped
/// just before another one joins was the last in the queue.
fn check_queues(network: &Network, events: &[PacketRecord]) -> Result<(), TestCaseError> {
    type Packets = Vec<(PacketKind, u32, u64, Bytes)>;
    let mut queues: BTreeMap<(u32, bool), [Packets; 2]> = BTreeMap::new();
    let mut dropped = BTreeMap::new();
    for event in events {
        let Some(flow) = event.flow else {
            continue;
        };
        // A sender's data packets are created when they leave.
        let of_sender = network.topology.is_host(event.node) && event.kind == PacketKind::Data;
        let before = dropped.remove(&event.node);
        let among_data = match event.kind {
            PacketKind::Data => true,
            PacketKind::Ack | PacketKind::Nack => network.config.model.ack_class == AckClass::Data,
            _ => false,
        };
        let port = network.ports.index(event.node, event.port);
        let packet = (event.kind, flow.0, event.sequence.as_u64(), event.wire);
        let place = (port, among_data);
        let [came, left] = queues.entry(place).or_default();
        match event.event {
            PacketEvent::Enqueue => {
                if let Some((_, last)) = before.filter(|(queue, _)| *queue == place) {
                    prop_assert_eq!(came.pop(), Some(last));
                }
                came.push(packet);
            }
            PacketEvent::Send if !of_sender => left.push(packet),
            PacketEvent::Drop => drop(dropped.insert(event.node, (place, packet))),
            _ => {}
        }
    }
    for ((port, among_data), [came, left]) in queues {
        prop_assert_eq!(came, left, "port {}, among data: {}", port, among_data);
    }
    Ok(())
}

/// No flow is faster than on an empty network.
fn check_times(
    network: &Network,
    setting: &Setting,
    outcome: &Outcome,
) -> Result<(), TestCaseError> {
    for flow in &setting.flows {
        let (fct, bound) = (outcome.fct(flow.id.0), ideal(network, flow, Acks::Pass));
        prop_assert!(fct >= bound, "{flow:?}: {fct}, ideal {bound}");
    }
    Ok(())
}

fn check_order_of_nodes(
    mut network: Network,
    setting: &Setting,
    outcome: &Outcome,
) -> Result<(), TestCaseError> {
    if !setting.has_windows() {
        return Ok(());
    }
    network.order = NodeOrder::Shuffled(setting.seed);
    let shuffled = network.run(&setting.flows, &Watched(&network, setting));
    prop_assert_eq!(&shuffled.flows, &outcome.flows);
    prop_assert_eq!(&shuffled.recording.ports, &outcome.recording.ports);
    prop_assert_eq!(&shuffled.recording.packets, &outcome.recording.packets);
    check_threads(network, setting, outcome)
}

/// Runs on several threads, among which nodes are divided at random.
fn check_threads(
    mut network: Network,
    setting: &Setting,
    outcome: &Outcome,
) -> Result<(), TestCaseError> {
    network.measure.packets = None;
    let alone = network.run(&setting.flows, &Watched(&network, setting));
    network.threads = several_threads(2 + setting.seed as usize % 3, setting.seed);
    let divided = network.run(&setting.flows, &Watched(&network, setting));
    prop_assert_eq!(&divided.flows, &outcome.flows);
    let (divided, alone) = (&divided.recording, &alone.recording);
    prop_assert_eq!(format!("{divided:?}"), format!("{alone:?}"));
    Ok(())
}

/// How ACKs of one flow affect each other.
#[derive(Copy, Clone, PartialEq)]
enum Acks {
    /// One ACK for every packet: each ACK waits for the previous one.
    Queue,
    /// As if the last ACK were the only one.
    Pass,
}

/// Store and forward, there and back: packet i starts to enter a link when it has arrived there and
/// packet i − 1 has left.
fn ideal(network: &Network, flow: &Flow, acks: Acks) -> Time {
    let (there, back) = (
        links(network, flow, Direction::Data),
        links(network, flow, Direction::Ack),
    );
    let clock = network.config.model.clock;
    let mtu = network.config.packets.mtu.as_u64();
    let mut there_free = vec![Time::ZERO; there.len()];
    let mut back_free = vec![Time::ZERO; back.len()];
    let cross = |mut arrived: Time, size: Bytes, links: &[(Rate, Time)], free: &mut [Time]| {
        for (&(rate, delay), free) in links.iter().zip(free) {
            *free = arrived.max(*free) + clock.transmission_time(size, rate);
            arrived = *free + delay;
        }
        arrived
    };
    let mut completed = Time::ZERO;
    let size = flow.size.as_u64();
    for packet in 0..size.div_ceil(mtu) {
        let payload = Bytes::new(mtu.min(size - mtu * packet));
        let data = payload + network.data_overhead();
        let received = cross(Time::ZERO, data, &there, &mut there_free);
        if acks == Acks::Pass {
            back_free.fill(Time::ZERO);
        }
        completed = cross(received, network.ack_size(), &back, &mut back_free);
    }
    completed
}

/// Rates and delays of the links that packets of a flow cross.
fn links(network: &Network, flow: &Flow, direction: Direction) -> Vec<(Rate, Time)> {
    let address = FlowAddress {
        source: flow.source,
        destination: flow.destination,
        source_port: flow.source_port,
    };
    let Network {
        topology,
        ports,
        routes,
        config,
        ..
    } = network;
    let hops = path(
        config.path_choice(),
        topology,
        ports,
        routes,
        address,
        direction,
    );
    hops.map(|hop| {
        let port = &ports.of(hop.node)[usize::from(hop.port)];
        (port.rate, config.model.clock.round_down(port.delay))
    })
    .collect()
}

/// Provides the setting's algorithm, and checks each call of it.
pub(crate) struct Watched<'a>(pub(crate) &'a Network, pub(crate) &'a Setting);

impl Controllers for Watched<'_> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        let context = self.0.context(flow);
        Box::new(Watch {
            inner: self.1.algorithm_of(flow).build(&context),
            line_rate: context.line_rate,
            flow: *flow,
            selective: self.1.is_selective(),
            next_expected: 0,
            told: 0,
        })
    }

    fn group(&self, flow: &Flow) -> u16 {
        self.1.group(flow)
    }

    fn calls(&self, flow: &Flow, common: NicCalls) -> NicCalls {
        self.1.calls(flow, common)
    }

    fn needs(&self) -> Needs {
        self.1.needs()
    }
}

#[derive(Clone)]
struct Watch {
    inner: Box<dyn FlowController>,
    line_rate: Rate,
    flow: Flow,
    selective: bool,
    next_expected: u64,
    /// Bytes acknowledged, in or out of order.
    told: u64,
}

impl CongestionControl for Watch {
    /// ACKs of a flow do not overtake each other, and acknowledge every byte once.
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let flow = &self.flow;
        self.told += ack.newly_acked.as_u64();
        assert!(ack.next_expected >= self.next_expected, "{flow:?}");
        if self.selective {
            let known = ack.next_expected..=flow.size.as_u64();
            assert!(known.contains(&self.told), "{flow:?}: {}", self.told);
        } else {
            assert_eq!(ack.next_expected, self.told, "{flow:?}");
        }
        assert!(ack.next_expected <= ack.next_to_send, "{flow:?}");
        assert!(ack.next_to_send <= flow.size.as_u64(), "{flow:?}");
        self.next_expected = ack.next_expected;
        self.inner.on_ack(now, ack);
    }

    /// The rate is positive and at most line rate, and the window is not 0.
    fn limit(&self) -> SendLimit {
        let limit = self.inner.limit();
        let rates = Rate::from_bps(1)..=self.line_rate;
        assert!(rates.contains(&limit.rate), "{:?}: {limit:?}", self.flow);
        assert!(limit.window >= Bytes::new(1), "{:?}: {limit:?}", self.flow);
        limit
    }

    fn on_sent(&mut self, now: Time, sent: &Sent) {
        self.inner.on_sent(now, sent);
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        self.inner.on_loss(now, loss);
    }

    fn on_cnp(&mut self, now: Time, cnp: &Cnp) {
        self.inner.on_cnp(now, cnp);
    }

    fn start(&self) -> Start {
        self.inner.start()
    }

    fn on_control(&mut self, now: Time, reply: &ControlReply) {
        self.inner.on_control(now, reply);
    }

    fn credit_wanted(&self, backlog: &Backlog) -> Bytes {
        self.inner.credit_wanted(backlog)
    }

    fn on_credit(&mut self, now: Time, credit: &Credit) {
        self.inner.on_credit(now, credit);
    }

    fn on_timer(&mut self, now: Time) {
        self.inner.on_timer(now);
    }

    fn next_timer(&self) -> Option<Time> {
        self.inner.next_timer()
    }
}
