//! Several threads end a run as one thread does: at a stop time, by an observer, or at completion.
//! Work that must be done in one order is left to one thread.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use incast_net::{
    Controllers, ExecutionPath, Flow, FlowControl, FlowRecord, Observer, Partitioning, Progress,
    Recording, Rehearsal, RoundPrice, Run, Threads, Ties,
};
use incast_topology::{Link, Topology};
use incast_units::{Bytes, NodeId, Rate, Time};

use crate::support::{Finished, Lent, Network, at, clos_320, flow, several_threads, star_of};

/// Four racks of four hosts: 10 ns inside racks, 10 us between their switches.
fn racks() -> Topology {
    let (hosts, delay) = (16, Time::from_ns);
    let rate = Rate::from_gbps(100);
    let switch = |rack: u32| NodeId(hosts + rack);
    let mut links: Vec<Link> = (0..hosts)
        .map(|host| Link::new(NodeId(host), switch(host / 4), rate, delay(10)))
        .collect();
    let up = |rack| Link::new(switch(rack), switch(4), rate, delay(10_000));
    links.extend((0..4).map(up));
    Topology::new("racks", hosts, 5, links)
}

/// Every host sends 200 kB to every fifth host after it, 30 flows at a time.
fn crossing_flows() -> Vec<Flow> {
    let flows = (0..300).map(|id| {
        let (source, step) = (id % 16, 1 + id % 5 * 3);
        let start = Time::from_us(u64::from(id / 30) * 7);
        at(start, flow(id, source, (source + step) % 16, 200_000))
    });
    flows.collect()
}

fn measured(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).unwrap())
}

/// A round of a thousand windows ends where a window ends, whether the stop time falls into the
/// round or not. Samples are taken up to the same end.
#[test]
fn a_stop_time_and_long_rounds() {
    let mut network = Network::new(racks());
    network.base_rtt = Time::from_us(41);
    network.measure.queue_interval = Some(Time::from_ns(700));
    network.measure.flow_interval = Some(Time::from_ns(900));
    network.measure.until = Time::MAX;
    let flows = crossing_flows();
    for stop in [None, Some(83_000_123), Some(400_000_000)] {
        network.stop = stop.map(Time::from_ps);
        network.threads = Threads::ONE;
        let reference = network.run(&flows, &network.uncontrolled());
        let expected = format!("{reference:?}");
        for threads in [measured(2), several_threads(3, 5), several_threads(2, 6)] {
            network.threads = threads;
            let outcome = network.run(&flows, &network.uncontrolled());
            assert_eq!(outcome.recording.end, reference.recording.end);
            assert!(format!("{outcome:?}") == expected, "{stop:?}, {threads:?}");
        }
    }
}

/// An observer that stops the run at its first call.
#[derive(Default)]
struct Impatient {
    finished: Vec<FlowRecord>,
    progress: Option<Progress>,
}

impl Observer for Impatient {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.progress = Some(*progress);
        ControlFlow::Break(())
    }

    fn finished(&mut self, flows: &[FlowRecord]) {
        self.finished.extend_from_slice(flows);
    }
}

/// Flows completed by then are the first flows of a whole run, and counters are those of a run with
/// a stop at the same time.
#[test]
fn an_observer_breaks_off() {
    let mut network = Network::new(clos_320()).with_int();
    network.base_rtt = Time::from_ns(12_240);
    network.base_window = Bytes::new(153_000);
    let flows: Vec<Flow> = (0..3_200)
        .map(|id| flow(id, id % 320, (id % 320 + 1 + id / 320 * 31) % 320, 300_000))
        .collect();
    let hpcc = network.hpcc();
    let controllers: Arc<dyn Controllers + '_> = Arc::new(Lent(&hpcc));
    let mut observer = Impatient::default();
    let run = |threads, stop, observer: &mut dyn Observer| -> Recording {
        let run = Run {
            config: &network.config,
            topology: &network.topology,
            ports: &network.ports,
            routes: &network.routes,
            measure: &network.measure,
            controllers: &controllers,
            faults: None,
            dependencies: None,
            stop,
            stalls: network.stalls,
            order: network.order,
            threads,
            path: ExecutionPath::Fast,
        };
        run.run(&mut flows.iter().copied(), observer)
            .expect("no fault")
    };
    let broken = run(measured(3), None, &mut observer);
    let progress = observer.progress.expect("it takes longer than 50 ms");
    assert!(broken.finished < 3_200, "{}", broken.finished);
    assert_eq!(broken.finished, observer.finished.len() as u64);
    assert_eq!(
        (broken.end, broken.packet_hops),
        (progress.time, progress.packet_hops)
    );

    let mut patient = Finished(Vec::new());
    let stopped = run(Threads::ONE, Some(broken.end), &mut patient);
    assert_eq!(patient.0, observer.finished);
    assert_eq!(stopped.ports, broken.ports);
}

/// A run in one global order, or with a packet trace, runs on one thread. To request more threads
/// has no effect.
#[test]
fn what_needs_one_order_has_one_thread() {
    let star = || star_of(9, Rate::from_gbps(100), Time::from_us(1));
    let flows: Vec<Flow> = (0..8).map(|host| flow(host, host, 8, 100_000)).collect();
    let mut serial = Network::new(star());
    serial.config.model.ties = Ties::Insertion;
    let mut artifact = Network::hpcc_ns3(star());
    artifact.config.int = incast_net::IntSource::Off;
    for mut network in [serial, artifact] {
        let reference = network.run(&flows, &network.uncontrolled());
        network.threads = several_threads(4, 1);
        let outcome = network.run(&flows, &network.uncontrolled());
        assert_eq!(outcome.flows, reference.flows);
    }
}

/// An observer that is told of a rehearsal.
#[derive(Default)]
struct Prompter {
    finished: Vec<FlowRecord>,
    helpers: usize,
    rehearsal: Option<Rehearsal>,
}

impl Observer for Prompter {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn finished(&mut self, flows: &[FlowRecord]) {
        self.finished.extend_from_slice(flows);
    }

    fn helped(&mut self, threads: usize, _: Duration) {
        self.helpers = threads;
    }

    fn rehearsed(&mut self, rehearsal: &Rehearsal) {
        self.rehearsal = Some(*rehearsal);
    }
}

/// Price of signals between rehearsed threads.
const PRICE: RoundPrice = RoundPrice {
    of_two: Duration::from_nanos(500),
    signal: Duration::from_nanos(200),
};

/// In a rehearsal one thread does the work of all, with the results of one thread. The modelled
/// time to the end of the last thread is less than the sum of all parts, and more than an equal
/// share.
#[test]
fn threads_can_be_rehearsed() {
    let mut network = Network::new(racks());
    network.base_rtt = Time::from_us(41);
    let flows = crossing_flows();
    let reference = network.run(&flows, &network.uncontrolled());
    for count in [2, 8] {
        network.threads = Threads::rehearsed(NonZeroUsize::new(count).unwrap(), PRICE);
        let mut prompter = Prompter::default();
        let outcome = network.observed(&flows, &network.uncontrolled(), &mut prompter);
        let outcome = outcome.expect("a run");
        assert_eq!(prompter.finished, reference.flows);
        assert_eq!(outcome.ports, reference.recording.ports);
        let rehearsal = prompter.rehearsal.expect("it was rehearsed");
        assert!(rehearsal.meetings > 10, "{rehearsal:?}");
        assert!(rehearsal.longest < rehearsal.all, "{rehearsal:?}");
        assert!(
            rehearsal.longest * count as u32 >= rehearsal.all,
            "{rehearsal:?}"
        );
        assert_eq!(prompter.helpers, 0);
    }
}

/// More threads than nodes, and one node with nearly all the work.
#[test]
fn there_may_be_more_threads_than_nodes() {
    let rule = FlowControl::Drop(incast_net::DropConfig::Shared {
        alpha: 1.0,
        queue_limit: Bytes::new(60_000),
    });
    let topology = star_of(5, Rate::from_gbps(100), Time::from_us(1));
    let mut network = Network::new(topology).with_flow_control(rule);
    let flows: Vec<Flow> = (0..4).map(|host| flow(host, host, 4, 2_000_000)).collect();
    let reference = network.run(&flows, &network.hpcc());
    for partitioning in [
        Partitioning::Measured,
        Partitioning::Rehearsed(PRICE),
        Partitioning::Random(3),
    ] {
        let count = NonZeroUsize::new(12).unwrap();
        network.threads = Threads {
            count,
            partitioning,
        };
        let outcome = network.run(&flows, &network.hpcc());
        assert_eq!(outcome.flows, reference.flows);
        assert_eq!(outcome.recording.ports, reference.recording.ports);
    }
}
