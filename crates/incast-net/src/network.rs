//! A network: nodes built from a topology, run until all flows have completed.

mod course;
mod steps;

use incast_engine::{EventQueueEngine, NodeOrder, ParallelRunner, Threads, WindowEngine};
use incast_topology::{Ports, Routes, Topology};
use incast_units::{Bytes, NodeId, Rate, Time};

use self::course::Course;
use self::steps::{Engine, NetNode};
use crate::flow::{Controllers, Flow, Observer};
use crate::forwarding::ForwardingTable;
use crate::host::Host;
use crate::packet::{MOST_HOPS, NOWHERE, ONE_LINE, TWO_LINES};
use crate::pfc::{PfcBuffer, PortFacts};
use crate::recorder::Recorder;
use crate::shared::Shared;
use crate::shared_buffer::{Buffer, DropBuffer};
use crate::switch::{Identity, Switch};
use crate::trace::{Log, Silent, Tracing};
use crate::transmitter::Transmitter;
use crate::{
    Fault, FlowControl, Indivisible, IntCollection, MeasureConfig, NetworkConfig, Recording,
    Recovery, Ties,
};

/// Switches whose quantised INT fits a packet of one line.
const ONE_LINE_HOPS: u32 = 5;

/// Everything that a run needs, borrowed.
#[derive(Copy, Clone)]
pub struct Run<'a> {
    /// The model and its numbers.
    pub config: &'a NetworkConfig,
    /// The graph.
    pub topology: &'a Topology,
    /// Its ports.
    pub ports: &'a Ports,
    /// Its routes.
    pub routes: &'a Routes,
    /// What to record.
    pub measure: &'a MeasureConfig,
    /// Who gives flows their congestion control.
    pub controllers: &'a dyn Controllers,
    /// End of the run, if it does not wait for all flows.
    pub stop: Option<Time>,
    /// The order in which nodes are taken; results do not depend on it.
    pub order: NodeOrder,
    /// The threads that run them; results do not depend on these either. One alone runs what
    /// needs them in one order: see [`Indivisible`].
    pub threads: Threads,
}

impl Run<'_> {
    /// Runs `flows`, which come in order of start, until all have completed, the observer
    /// breaks off, or the stop time is reached.
    ///
    /// # Errors
    /// An impossible configuration, or a broken promise of the model.
    pub fn run(
        &self,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
    ) -> Result<Recording, Fault> {
        let longest = self.routes.longest_path_switches();
        if longest > MOST_HOPS {
            let (hops, most) = (longest as usize, MOST_HOPS as usize);
            return Err(Fault::TooManyHops { hops, most });
        }
        self.check_delays()?;
        let exact = self.config.model.int_format == incast_cc::IntFormat::exact();
        let with_int = self.config.int != IntCollection::Off;
        let carries_more = self.config.timestamps
            || self.measure.round_trips
            || self.config.recovery.kind == Recovery::Selective;
        let crowded = exact || carries_more || longest > ONE_LINE_HOPS;
        if let Some(trace) = &self.measure.packets {
            // A traced run is slow anyway: one size of packets will do.
            let log =
                |recorder, shared: &_| Tracing::new(recorder, trace, shared, self.first_ports());
            self.run_with::<TWO_LINES, _>(log, flows, observer)
        } else if with_int && crowded {
            self.run_with::<TWO_LINES, _>(|recorder, _| Silent(recorder), flows, observer)
        } else {
            self.run_with::<ONE_LINE, _>(|recorder, _| Silent(recorder), flows, observer)
        }
    }

    /// By node: global index of its first port.
    fn first_ports(&self) -> Vec<u32> {
        let nodes = (0..self.topology.nodes()).map(NodeId);
        nodes.map(|node| self.ports.index(node, 0)).collect()
    }

    /// Time advances by the smallest delay of a link, in ticks of the model's clock.
    fn check_delays(&self) -> Result<(), Fault> {
        let tick = self.config.model.clock.tick();
        match self.topology.smallest_delay() {
            Some(delay) if delay < tick => Err(Fault::DelayTooShort { delay, tick }),
            _ => Ok(()),
        }
    }

    fn run_with<const WORDS: usize, L: Log>(
        &self,
        log: impl Fn(Recorder, &Shared) -> L,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
    ) -> Result<Recording, Fault> {
        let mut rates: Vec<Rate> = self.ports.iter().map(|port| port.rate).collect();
        rates.sort_unstable();
        rates.dedup();
        let nodes = self.topology.nodes() as usize;
        let shared = Shared::new(self.config.clone(), self.measure, rates, nodes)?;
        let log = || log(Recorder::new(self.measure.clone()), &shared);
        let nodes = self.nodes::<WORDS>(&shared)?;
        let peers: Vec<u32> = (0..self.ports.count() as u32)
            .map(|port| self.ports.peer_index(port))
            .collect();
        let clock = self.config.model.clock;
        match self.config.model.ties {
            Ties::Port => {
                let length = self.topology.smallest_delay().unwrap_or(Time::from_us(1));
                let length = clock.round_down(length);
                let windows = WindowEngine::new(nodes, &peers, length, self.order);
                let delays = self.ports.iter().map(|port| clock.round_down(port.delay));
                let threads = match Indivisible::of(self.config, self.measure) {
                    None => self.threads,
                    Some(_) => Threads::ONE,
                };
                let runner = ParallelRunner::new(windows, delays.collect(), threads, log);
                let recording = runner.run(|coordinator| self.run_on(coordinator, flows, observer));
                let (helpers, cpu) = runner.worker_usage();
                observer.helped(helpers, cpu);
                recording
            }
            Ties::Insertion => {
                let mut engine = EventQueueEngine::new(nodes, &peers, clock.tick(), log());
                self.run_on(&mut engine, flows, observer)
            }
        }
    }

    fn run_on<'n, const WORDS: usize, L: Log, E: Engine<NetNode<'n, WORDS>, L>>(
        &self,
        engine: &mut E,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
    ) -> Result<Recording, Fault> {
        let clock = self.config.model.clock;
        let mut course = Course::new(engine, clock, self.topology.hosts);
        let stopped = course.run(flows, observer, self.stop.unwrap_or(Time::MAX))?;
        course.finish(stopped)
    }

    fn nodes<'a, const WORDS: usize>(
        &'a self,
        shared: &'a Shared,
    ) -> Result<Vec<NetNode<'a, WORDS>>, Fault> {
        let hosts = self.topology.hosts as usize;
        if hosts > usize::from(NOWHERE) {
            return Err(Fault::TooManyHosts { hosts });
        }
        let clock = self.config.model.clock;
        let count = self.topology.nodes();
        let nic_rate = self
            .ports
            .of(NodeId(0))
            .first()
            .map_or(Rate::from_gbps(100), |port| port.rate);
        (0..count)
            .map(|number| {
                let node = NodeId(number);
                let own = self.ports.of(node);
                let link = |port: &incast_topology::Port| {
                    Transmitter::new(clock, port.rate, clock.round_down(port.delay))
                };
                if number < self.topology.hosts {
                    let port = &own[0];
                    let (number, link) = (number as u16, link(port));
                    let host = Host::new(number, link, shared, self.controllers, self.measure);
                    return Ok(NetNode::Host(Box::new(host)));
                }
                let facts: Vec<PortFacts> = own
                    .iter()
                    .map(|port| PortFacts {
                        rate: port.rate,
                        delay: port.delay,
                        nic_rate,
                    })
                    .collect();
                let largest = Bytes::new(shared.mtu + shared.data_overhead);
                let buffer = self.buffer(node, &facts, largest)?;
                let links = own.iter().map(|port| (link(port), port.rate)).collect();
                let identity = Identity {
                    node,
                    original: self.topology.original_id(node),
                    first_port: self.ports.index(node, 0),
                };
                let forwarding = ForwardingTable::new(self.routes, node, self.topology.hosts);
                let switch = Switch::new(identity, links, buffer, shared, forwarding, self.measure);
                Ok(NetNode::Switch(Box::new(switch)))
            })
            .collect()
    }

    fn buffer(&self, node: NodeId, facts: &[PortFacts], largest: Bytes) -> Result<Buffer, Fault> {
        let config = self.config;
        Ok(match &config.flow_control {
            FlowControl::Pfc(pfc) => Buffer::Pfc(PfcBuffer::new(
                node,
                &config.buffer,
                pfc,
                &config.packets,
                config.model.clock,
                facts,
            )?),
            FlowControl::Drop(drop) => {
                Buffer::Drop(DropBuffer::new(node, &config.buffer, drop, largest)?)
            }
        })
    }
}
