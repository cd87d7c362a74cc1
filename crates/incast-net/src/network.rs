//! A network: nodes built from a topology, run until all flows have completed.

mod steps;

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use incast_engine::{NodeOrder, Serial, Windows};
use incast_topology::{Ports, Routes, Topology};
use incast_units::{Bytes, NodeId, Rate, Time};

use self::steps::{Engine, NetNode};
use crate::buffer::{Buffer, DropBuffer, PfcBuffer, PortFacts};
use crate::flow::{Controllers, Flow, Observer, Progress};
use crate::forwarding::ForwardingTable;
use crate::host::Host;
use crate::packet::{END_OF_TIME, MOST_HOPS, ONE_LINE, TWO_LINES};
use crate::recorder::Recorder;
use crate::shared::Shared;
use crate::switch::{Identity, Switch};
use crate::trace::{Log, Silent, Tracing};
use crate::transmitter::Transmitter;
use crate::{
    Clock, Fault, FlowControl, IntCollection, MeasureConfig, NetworkConfig, PortCounters,
    Recording, Recovery, Ties,
};

/// Switches whose quantised INT fits a packet of one line.
const ONE_LINE_HOPS: u32 = 5;
/// How often an observer hears of progress.
const REPORT_EVERY: Duration = Duration::from_millis(50);
/// Steps between two looks at the wall clock.
const STEPS_PER_LOOK: u32 = 64;

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
            let first_ports = self.first_ports();
            let log = |recorder, shared: &_| Tracing::new(recorder, trace, shared, first_ports);
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
        log: impl FnOnce(Recorder, &Shared) -> L,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
    ) -> Result<Recording, Fault> {
        let mut rates: Vec<Rate> = self.ports.iter().map(|port| port.rate).collect();
        rates.sort_unstable();
        rates.dedup();
        let nodes = self.topology.nodes() as usize;
        let shared = Shared::new(self.config.clone(), self.measure, rates, nodes)?;
        let log = log(Recorder::new(self.measure.clone()), &shared);
        let nodes = self.nodes::<WORDS>(&shared, &log)?;
        let peers: Vec<u32> = (0..self.ports.count() as u32)
            .map(|port| self.ports.peer_index(port))
            .collect();
        let clock = self.config.model.clock;
        match self.config.model.ties {
            Ties::Port => {
                let length = self.topology.smallest_delay().unwrap_or(Time::from_us(1));
                let length = clock.round_down(length);
                let engine = Windows::new(nodes, &peers, length, self.order);
                self.run_on(engine, log, flows, observer)
            }
            Ties::Insertion => {
                let engine = Serial::new(nodes, &peers, clock.tick());
                self.run_on(engine, log, flows, observer)
            }
        }
    }

    fn run_on<'n, const WORDS: usize, L: Log, E: Engine<NetNode<'n, WORDS>, L>>(
        &self,
        engine: E,
        log: L,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
    ) -> Result<Recording, Fault> {
        let mut state = State {
            engine,
            log,
            clock: self.config.model.clock,
            hosts: self.topology.hosts,
            alive: 0,
            started: 0,
            end: Time::ZERO,
            next_flow: None,
            starting: Vec::new(),
            last_look: Instant::now(),
            steps: 0,
            node: PhantomData,
        };
        state.next_flow = state.fetch(flows, Time::ZERO)?;
        let stopped = state.run(flows, observer, self.stop.unwrap_or(Time::MAX))?;
        state.finish(stopped)
    }

    fn nodes<'a, const WORDS: usize>(
        &'a self,
        shared: &'a Shared,
        recorder: &Recorder,
    ) -> Result<Vec<NetNode<'a, WORDS>>, Fault> {
        let hosts = self.topology.hosts as usize;
        if hosts > usize::from(u16::MAX) + 1 {
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
                    let host = Host::new(
                        number as u16,
                        link(port),
                        shared,
                        self.controllers,
                        recorder,
                    );
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
                let switch = Switch::new(identity, links, buffer, shared, forwarding, recorder);
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

/// A run under way.
struct State<N, L, E> {
    engine: E,
    log: L,
    clock: Clock,
    hosts: u32,
    alive: u64,
    started: u64,
    /// End of the last step.
    end: Time,
    next_flow: Option<Flow>,
    /// Hosts at which flows start in the current step, and when.
    starting: Vec<(usize, Time)>,
    last_look: Instant,
    steps: u32,
    node: PhantomData<N>,
}

impl<'n, const WORDS: usize, L: Log, E: Engine<NetNode<'n, WORDS>, L>>
    State<NetNode<'n, WORDS>, L, E>
{
    /// Whether the run was stopped before all flows had completed and the network was empty.
    fn run(
        &mut self,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
        stop: Time,
    ) -> Result<bool, Fault> {
        loop {
            let starts = self.next_flow.map(|flow| self.engine.step_of(flow.start).0);
            let next = self.engine.next_step();
            let Some(start) = next.into_iter().chain(starts).min() else {
                return self.stalled().map_or(Ok(false), Err);
            };
            // Even if all flows have completed, something is still on its way.
            if start >= stop {
                self.end = stop;
                return Ok(true);
            }
            if start >= END_OF_TIME {
                return Err(Fault::TooLate { time: start });
            }
            let (_, end) = self.engine.step_of(start);
            self.start_flows(end.min(stop), flows)?;
            self.engine.run(start, stop, &self.starting, &mut self.log);
            self.log.end_step();
            self.end = end.min(stop);
            self.hand_over(observer);
            if let Some(fault) = self.log.take_fault() {
                return Err(fault);
            }
            if end > stop || self.report(observer).is_break() {
                return Ok(true);
            }
        }
    }

    /// Hands flows that start before `end` to their hosts.
    fn start_flows(
        &mut self,
        end: Time,
        flows: &mut dyn Iterator<Item = Flow>,
    ) -> Result<(), Fault> {
        self.starting.clear();
        while let Some(flow) = self.next_flow.filter(|flow| flow.start < end) {
            let node = flow.source.index();
            let NetNode::Host(host) = &mut self.engine.nodes_mut()[node] else {
                unreachable!("flows start at hosts");
            };
            host.add_flow(flow);
            self.log.announce(&flow);
            self.starting.push((node, flow.start));
            self.started += 1;
            self.alive += 1;
            self.next_flow = self.fetch(flows, flow.start)?;
        }
        Ok(())
    }

    /// The next flow, which starts at or after `earliest`, at a tick of the model's clock.
    fn fetch(
        &self,
        flows: &mut dyn Iterator<Item = Flow>,
        earliest: Time,
    ) -> Result<Option<Flow>, Fault> {
        let Some(mut flow) = flows.next() else {
            return Ok(None);
        };
        flow.start = self.clock.round_down(flow.start);
        let Flow { id, start, .. } = flow;
        for host in [flow.source, flow.destination] {
            if host.0 >= self.hosts {
                let (flow, hosts) = (id, self.hosts);
                return Err(Fault::NoSuchHost { flow, host, hosts });
            }
        }
        if flow.source == flow.destination {
            let (flow, host) = (id, flow.source);
            return Err(Fault::FlowToItself { flow, host });
        }
        if start < earliest {
            let flow = id;
            return Err(Fault::FlowOutOfOrder {
                flow,
                start,
                earliest,
            });
        }
        Ok(Some(flow))
    }

    /// Gives the flows that completed in a step to the observer, in order of completion.
    fn hand_over(&mut self, observer: &mut dyn Observer) {
        let finished = &mut self.log.finished;
        if finished.is_empty() {
            return;
        }
        finished.sort_unstable_by_key(|flow| (flow.finish, flow.id));
        self.alive -= finished.len() as u64;
        observer.finished(finished);
        finished.clear();
    }

    fn report(&mut self, observer: &mut dyn Observer) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps < STEPS_PER_LOOK {
            return ControlFlow::Continue(());
        }
        self.steps = 0;
        let now = Instant::now();
        if now - self.last_look < REPORT_EVERY {
            return ControlFlow::Continue(());
        }
        self.last_look = now;
        observer.progress(&Progress {
            time: self.end,
            flows_started: self.started,
            flows_finished: self.started - self.alive,
            packet_hops: self.counters().iter().map(packet_hops).sum(),
        })
    }

    /// Counters of every port, by global port index.
    fn counters(&self) -> Vec<PortCounters> {
        let mut all = Vec::new();
        for node in self.engine.nodes() {
            match node {
                NetNode::Host(host) => all.push(host.link.counters()),
                NetNode::Switch(switch) => {
                    all.extend(switch.ports.iter().map(|port| port.link.counters()));
                }
            }
        }
        all
    }

    /// Nothing happens any more; are there flows that have not completed?
    fn stalled(&self) -> Option<Fault> {
        if self.alive == 0 {
            return None;
        }
        let flow = self.engine.nodes().iter().find_map(|node| match node {
            NetNode::Host(host) => host.alive(),
            NetNode::Switch(_) => None,
        })?;
        Some(Fault::Stalled {
            alive: self.alive,
            flow,
            time: self.end,
        })
    }

    /// Closes the books.
    fn finish(mut self, stopped: bool) -> Result<Recording, Fault> {
        let end = self.end;
        for node in self.engine.nodes_mut() {
            match node {
                NetNode::Host(host) => host.catch_up(end, &mut self.log),
                NetNode::Switch(switch) => switch.catch_up(end, &mut self.log),
            }
        }
        if !stopped && self.alive == 0 {
            self.check_empty()?;
        }
        let counters = self.counters();
        let (mut recorder, packets) = self.log.into_parts();
        recorder
            .queues
            .sort_unstable_by_key(|sample| (sample.time, sample.port));
        recorder
            .flow_samples
            .sort_unstable_by_key(|sample| (sample.time, sample.flow));
        recorder
            .probes
            .sort_by_key(|sample| (sample.time, sample.flow));
        recorder
            .pauses
            .sort_unstable_by_key(|event| (event.time, event.node, event.port));
        Ok(Recording {
            packet_hops: counters.iter().map(packet_hops).sum(),
            ports: counters,
            queue_sum: recorder
                .queue_ticks
                .iter()
                .map(|tick| u128::from(tick.queue_sum))
                .sum(),
            queue_ticks: recorder.queue_ticks,
            flow_ticks: recorder.flow_ticks,
            queue_histogram: recorder.queue_histogram,
            queues: recorder.queues,
            flow_samples: recorder.flow_samples,
            probes: recorder.probes,
            round_trips: recorder.round_trips,
            pauses: recorder.pauses,
            packets,
            delivered: Bytes::new(recorder.delivered),
            started: self.started,
            finished: self.started - self.alive,
            end,
        })
    }

    /// An empty network holds nothing: no packet, no byte in a buffer, no pause.
    fn check_empty(&self) -> Result<(), Fault> {
        for (number, node) in self.engine.nodes().iter().enumerate() {
            let left = match node {
                NetNode::Host(host) => host.left_over(),
                NetNode::Switch(switch) => switch.left_over(),
            };
            if let Some(what) = left {
                return Err(Fault::LeftOver {
                    what,
                    node: NodeId(number as u32),
                });
            }
        }
        Ok(())
    }
}

fn packet_hops(counters: &PortCounters) -> u64 {
    counters.data_packets + counters.control_packets
}
