//! The run loop: hands flows to their hosts, lets the engine run step after step, passes completed
//! flows on, and collects the recording at the end.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use incast_diagnostic::Diagnostic;
use incast_topology::Ports;
use incast_units::{Bytes, NodeId, Time};

use super::deadlock;
use super::steps::{Engine, RunLoopNode};
use crate::flow::{Flow, Observer, Progress};
use crate::measure::{Failure, Log};
use crate::packet::END_OF_TIME;
use crate::{
    Clock, FlowRecord, Milestone, NetworkError, PortCounters, Recording, UnfinishedFlow, Violation,
    diagnostics,
};

/// How often an observer hears of progress.
const REPORT_EVERY: Duration = Duration::from_millis(50);
/// Steps between two readings of the wall clock.
const STEPS_PER_CLOCK_READING: u32 = 64;

/// Between two looks for deadlocks, and how long ports have to be paused: a millisecond beyond
/// what the longest link holds.
const LOOK_EVERY: Time = Time::from_ms(1);

/// A run under way.
pub(super) struct RunLoop<'e, N, L, E> {
    engine: &'e mut E,
    clock: Clock,
    hosts: u32,
    ports: &'e Ports,
    alive: u64,
    started: u64,
    /// End of the last step.
    end: Time,
    next_flow: Option<Flow>,
    /// Hosts at which flows start in the current step, and their start times.
    starting: Vec<(usize, Time)>,
    /// Flows that completed in the last step.
    finished: Vec<FlowRecord>,
    /// Flows that waited, and started in the last step.
    released: Vec<Flow>,
    /// Milestones of the last step at hosts whose sends wait.
    milestones: Vec<Milestone>,
    last_report: Instant,
    steps: u32,
    longest_delay: Time,
    /// When to look for a deadlock next.
    next_look: Time,
    kind: PhantomData<(N, L)>,
}

impl<'e, N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'e, N, L, E> {
    /// `hosts` are the nodes below this number.
    pub(super) fn new(engine: &'e mut E, clock: Clock, hosts: u32, ports: &'e Ports) -> Self {
        Self {
            engine,
            clock,
            hosts,
            ports,
            alive: 0,
            started: 0,
            end: Time::ZERO,
            next_flow: None,
            starting: Vec::new(),
            finished: Vec::new(),
            released: Vec::new(),
            milestones: Vec::new(),
            last_report: Instant::now(),
            steps: 0,
            longest_delay: ports
                .iter()
                .map(|port| port.delay)
                .max()
                .unwrap_or_default(),
            next_look: LOOK_EVERY,
            kind: PhantomData,
        }
    }

    /// Runs until no event is left, or the run is stopped; says whether it was stopped.
    pub(super) fn run(
        &mut self,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
        stop: Time,
    ) -> Result<bool, NetworkError> {
        self.next_flow = self.fetch(flows, Time::ZERO)?;
        loop {
            let starts = self.next_flow.map(|flow| self.engine.step_of(flow.start).0);
            let next = self.engine.next_step();
            let Some(start) = next.into_iter().chain(starts).min() else {
                return self
                    .stalled()
                    .map_or(Ok(false), |stalled| Err(stalled.into()));
            };
            // Even if all flows have completed, a packet is still in flight.
            if start >= stop {
                self.end = stop;
                return Ok(true);
            }
            if start >= END_OF_TIME {
                return Err(diagnostics::too_late(start).into());
            }
            let (_, end) = self.engine.step_of(start);
            let end = end.min(END_OF_TIME);
            self.start_flows(end.min(stop), flows)?;
            let end = self.engine.run(start, end, stop, &self.starting);
            self.end = end.min(stop);
            self.collect(observer)?;
            // A run with a stop time ends then, whatever happens.
            if stop == Time::MAX && self.end >= self.next_look {
                let long = LOOK_EVERY + self.longest_delay * 2;
                self.next_look = self.end + long;
                self.look_for_deadlock(self.end.saturating_sub(long))?;
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
    ) -> Result<(), Diagnostic> {
        self.starting.clear();
        while let Some(flow) = self.next_flow.filter(|flow| flow.start < end) {
            let node = flow.source.index();
            self.engine.node_mut(node).add_flow(flow);
            for log in self.engine.logs() {
                log.announce(&flow);
            }
            self.starting.push((node, flow.start));
            self.started += 1;
            self.alive += 1;
            self.next_flow = self.fetch(flows, flow.start)?;
        }
        Ok(())
    }

    /// The next flow, which starts at or after `earliest`, at a multiple of the clock unit.
    fn fetch(
        &self,
        flows: &mut dyn Iterator<Item = Flow>,
        earliest: Time,
    ) -> Result<Option<Flow>, Diagnostic> {
        let Some(mut flow) = flows.next() else {
            return Ok(None);
        };
        flow.start = self.clock.round_down(flow.start);
        let Flow { id, start, .. } = flow;
        for host in [flow.source, flow.destination] {
            if host.0 >= self.hosts {
                return Err(diagnostics::unknown_host(id, host, self.hosts));
            }
        }
        if flow.source == flow.destination {
            return Err(diagnostics::to_itself(id, flow.source));
        }
        if start < earliest {
            return Err(diagnostics::out_of_order(id, start, earliest));
        }
        Ok(Some(flow))
    }

    /// Gives the flows that completed in a step to the observer, in order of completion.
    ///
    /// # Errors
    /// The first failure.
    fn collect(&mut self, observer: &mut dyn Observer) -> Result<(), NetworkError> {
        let mut first = None;
        for log in self.engine.logs() {
            log.end_step();
            self.finished.append(&mut log.finished);
            self.released.append(&mut log.released);
            self.milestones.append(&mut log.milestones);
            if let Some(failure) = log.take_failure() {
                first = Failure::first(first, Some(failure));
            }
        }
        self.release(observer);
        if !self.finished.is_empty() {
            let in_order = |flow: &FlowRecord| (flow.finish, flow.id);
            self.finished.sort_unstable_by_key(in_order);
            self.alive -= self.finished.len() as u64;
            observer.finished(&self.finished);
            self.finished.clear();
        }
        first.map_or(Ok(()), |failure| Err(failure.error))
    }

    /// Tells the observer what has started and what is done where sends wait.
    fn release(&mut self, observer: &mut dyn Observer) {
        if !self.released.is_empty() {
            self.released
                .sort_unstable_by_key(|flow| (flow.start, flow.id));
            self.started += self.released.len() as u64;
            self.alive += self.released.len() as u64;
            observer.released(&self.released);
            self.released.clear();
        }
        if !self.milestones.is_empty() {
            self.milestones.sort_unstable();
            observer.reached(&self.milestones);
            self.milestones.clear();
        }
    }

    fn report(&mut self, observer: &mut dyn Observer) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps < STEPS_PER_CLOCK_READING {
            return ControlFlow::Continue(());
        }
        self.steps = 0;
        let now = Instant::now();
        if now - self.last_report < REPORT_EVERY {
            return ControlFlow::Continue(());
        }
        self.last_report = now;
        observer.progress(&Progress {
            time: self.end,
            flows_started: self.started,
            flows_finished: self.started - self.alive,
            packet_hops: self.engine.nodes().map(RunLoopNode::packet_hops).sum(),
        })
    }

    /// Counters of every port, by global port index.
    fn counters(&self) -> Vec<PortCounters> {
        let mut all = Vec::new();
        for node in self.engine.nodes() {
            node.append_counters(&mut all);
        }
        all
    }

    /// Flows that have not completed, by number.
    fn unfinished(&self) -> Vec<UnfinishedFlow> {
        let mut all = Vec::new();
        for node in self.engine.nodes() {
            node.append_unfinished(&mut all);
        }
        all.sort_unstable_by_key(|each| each.flow.id);
        all
    }

    /// No event is left: the error if some flows have not completed.
    fn stalled(&self) -> Option<Violation> {
        if self.alive == 0 {
            return None;
        }
        if let Err(deadlock) = self.look_for_deadlock(self.end) {
            return Some(deadlock);
        }
        let flow = self.engine.nodes().find_map(RunLoopNode::alive)?;
        Some(Violation::Stalled {
            alive: self.alive,
            flow,
            time: self.end,
        })
    }

    /// Looks for a deadlock of PFC, if data have been paused somewhere since `since` or longer.
    ///
    /// # Errors
    /// If there is one.
    fn look_for_deadlock(&self, since: Time) -> Result<(), Violation> {
        if !self.engine.nodes().any(|node| node.is_paused_since(since)) {
            return Ok(());
        }
        let mut waiting = Vec::new();
        for node in self.engine.nodes() {
            node.append_waiting_ports(&mut waiting);
        }
        let peer = |port| self.ports.peer_index(port);
        deadlock::find(&waiting, since, peer).map_or(Ok(()), Err)
    }

    /// Takes the last samples, checks that an empty network holds nothing, and collects the
    /// recording.
    pub(super) fn finish(self, stopped: bool) -> Result<Recording, NetworkError> {
        let end = self.end;
        for node in 0..self.engine.nodes().count() {
            self.engine
                .with_node(node, |node, log| node.catch_up(end, log));
        }
        if !stopped && self.alive == 0 {
            self.check_empty()?;
        }
        let ports = self.counters();
        let unfinished = self.unfinished();
        let mut parts = self.engine.logs().map(Log::take_parts);
        let (mut recorder, packets) = parts.next().expect("at least one thread");
        parts.for_each(|(other, _)| recorder.merge(other));
        recorder.sort();
        Ok(Recording {
            packet_hops: ports.iter().map(PortCounters::packet_hops).sum(),
            ports,
            queue_sum: recorder.queue_sum,
            queue_ticks: recorder.queue_ticks,
            flow_ticks: recorder.flow_ticks,
            queue_histogram: recorder.queue_histogram,
            queues: recorder.queues,
            flow_samples: recorder.flow_samples,
            probes: recorder.probes,
            round_trips: recorder.round_trips,
            int_ages: recorder.int_ages,
            packet_latencies: recorder.packet_latencies,
            unfinished,
            mean_weights: recorder.mean_weights,
            pauses: recorder.pauses,
            packets,
            delivered: Bytes::new(recorder.delivered),
            speculative_dropped: recorder.speculative_dropped,
            started: self.started,
            finished: self.started - self.alive,
            end,
        })
    }

    /// An empty network holds nothing: no packet, no byte in a buffer, no pause.
    fn check_empty(&self) -> Result<(), Violation> {
        for (number, node) in self.engine.nodes().enumerate() {
            if let Some(what) = node.left_over() {
                return Err(Violation::LeftOver {
                    what,
                    node: NodeId(number as u32),
                });
            }
        }
        Ok(())
    }
}
