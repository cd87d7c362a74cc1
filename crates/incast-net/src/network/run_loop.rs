//! The run loop: hands flows to their hosts, lets the engine run step after step, reports completed
//! flows, and collects the recording at the end.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use incast_diagnostic::Diagnostic;
use incast_topology::Ports;
use incast_units::Time;

use super::engines::{Engine, EngineNumbers, Starting};
use super::nodes::RunLoopNode;
use crate::clock::Clock;
use crate::diagnostics;
use crate::faults::FaultPlan;
use crate::flow::{Controllers, Flow};
use crate::measure::{Failure, Log, MeasureConfig, PacketTrace, Recorder, Recording};
use crate::network::Run;
use crate::observer::Observer;
use crate::stall::Stall;
use crate::transport::RecoveryKind;
use crate::violation::{NetworkError, Violation};

mod faults;
mod idle_time;
mod joined_steps;
mod live;
mod news;
mod stalls;
mod state;
mod what_is_left;

pub(super) use self::live::{Ahead, Halt};
pub use self::live::{FlowQueue, HaltAt};
pub(super) use self::state::LoopState;
use self::what_is_left::Remains;

/// How a run ends.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// No event and no flow is left.
    Completed,
    /// Its stop time has come, or its observer has stopped it.
    Stopped,
    /// Its flows make no progress.
    Stalled(Stall),
}

/// 106 days: a run without a stop time ends here. Later times still fit 64 bits of ps.
pub const END_OF_TIME: Time = Time::from_ps(1 << 63);

/// A run under way.
pub(super) struct RunLoop<'e, N, L, E> {
    engine: &'e mut E,
    clock: Clock,
    hosts: u32,
    numbers: EngineNumbers<'e>,
    controllers: &'e dyn Controllers,
    ports: &'e Ports,
    measure: &'e MeasureConfig,
    /// Whether receivers keep early packets.
    keeps_early: bool,
    /// Faults of links, if any.
    faults: Option<&'e FaultPlan>,
    state: &'e mut LoopState,
    kind: PhantomData<(N, L)>,
}

impl<'e, N: RunLoopNode, L: Log, E: Engine<N, L>> RunLoop<'e, N, L, E> {
    /// A run loop that continues from `state`.
    pub(super) fn new(engine: &'e mut E, run: &Run<'e>, state: &'e mut LoopState) -> Self {
        Self {
            engine,
            clock: run.config.model.clock,
            hosts: run.topology.hosts,
            numbers: run.engine_numbers(),
            controllers: &**run.controllers,
            ports: run.ports,
            measure: run.measure,
            keeps_early: run.config.recovery.kind == RecoveryKind::Selective,
            faults: run.faults.map(|plan| &**plan),
            state,
            kind: PhantomData,
        }
    }

    /// Runs until no event is left, the run is stopped (at [`END_OF_TIME`] at the latest), or it
    /// stalls.
    pub(super) fn run(
        &mut self,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
        stop: Option<Time>,
    ) -> Result<Ending, NetworkError> {
        let stop = stop.map_or(END_OF_TIME, |stop| stop.min(END_OF_TIME));
        self.state.next_flow = self.fetch(flows, Time::ZERO)?;
        loop {
            self.end_faults_with_flows();
            let flow = self.state.next_flow.map(|flow| flow.start);
            let begin = self.state.beginning.last().map(|each| each.at);
            let first = flow.into_iter().chain(begin).min();
            let first = first.map(|time| self.engine.step_of(time).0);
            let next = self.engine.next_step();
            let fault = self.next_fault(next.or(first));
            let Some(start) = next.into_iter().chain(first).chain(fault).min() else {
                return Ok(self.silence(stop));
            };
            // No search for stalls lies beyond the stop time, or within a step that the stop
            // time ends.
            if start >= self.state.next_look
                && self.state.stalls.next() <= stop
                && let Some(stall) = self.look_for_stalls(start.min(stop))
            {
                return Ok(Ending::Stalled(stall));
            }
            // Here a packet may be in flight even if all flows have completed.
            if start >= stop {
                return Ok(self.stop(stop));
            }
            self.note_idle_time_before_step(start);
            let mut end = self.end_by_samples(start);
            // Searches for stalls lie between steps, at equal times on any number of threads.
            if start < self.state.next_look {
                end = end.min(self.state.next_look);
            }
            let end = self.start_flows(start, end, stop, flows)?;
            self.announce_faults(end.min(stop));
            let next_flow = self.state.next_flow.map(|flow| flow.start);
            let end = self.end_of_step(end, next_flow, stop);
            let step = (start, end, stop);
            let done = self
                .engine
                .run(step, &self.state.starting, &mut || observer.meanwhile());
            self.note_end(done, stop);
            self.collect(observer)?;
            let is_last = done.worked_until > stop || end > stop && done.worked_until <= start;
            if is_last {
                return Ok(self.stop(stop));
            }
            if self.report(observer).is_break() {
                return Ok(Ending::Stopped);
            }
        }
    }

    /// Hands flows that start before `stop` and before the end of a step to their hosts. Returns
    /// the end of the step. The end may be earlier, before a flow that follows a long gap, because
    /// idle time is recorded between steps.
    fn start_flows(
        &mut self,
        start: Time,
        end: Time,
        stop: Time,
        flows: &mut dyn Iterator<Item = Flow>,
    ) -> Result<Time, Diagnostic> {
        self.state.starting.clear();
        let before = end.min(stop);
        while let Some(begin) = self.state.beginning.pop_if(|each| each.at < before) {
            self.state.starting.push(begin);
        }
        while let Some(flow) = self.state.next_flow.filter(|flow| flow.start < before) {
            let gap = flow.start.saturating_sub(self.state.last_start);
            if gap > self.state.min_idle && !self.is_idle_between_steps() {
                let (cut, _) = self.engine.step_of(flow.start);
                if cut > start {
                    return Ok(cut);
                }
            }
            self.hand_over(flow);
            self.state.next_flow = self.fetch(flows, flow.start)?;
        }
        Ok(end)
    }

    /// Hands a flow to its host, which starts it in the next step.
    fn hand_over(&mut self, flow: Flow) {
        self.note_idle_time_before_flow(flow.start);
        self.state.last_start = flow.start;
        let node = self.numbers.of_host(flow.source);
        let timer = self.engine.node_mut(node).add_flow(flow);
        for log in self.engine.logs() {
            log.announce(&flow);
        }
        let at = flow.start;
        self.state.starting.push(Starting { node, timer, at });
        self.state.started += 1;
        self.state.alive += 1;
    }

    /// Takes the next flow, which starts at `earliest` or later, at a multiple of the clock unit.
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

    /// Reports the flows that completed in a step to the observer, in order of completion. Returns
    /// whether any did, or milestones were reached.
    ///
    /// # Errors
    /// The first failure.
    fn collect(&mut self, observer: &mut dyn Observer) -> Result<bool, NetworkError> {
        for log in self.engine.logs() {
            log.end_step();
            log.pauses.bound();
        }
        self.tell(observer)
    }

    /// Reports to the observer within a step.
    #[inline]
    fn tell(&mut self, observer: &mut dyn Observer) -> Result<bool, NetworkError> {
        // A step of one instant rarely has anything to report.
        let may_have_news = self.state.steps == 0 || self.engine.logs().any(|log| log.has_news());
        let news = may_have_news && self.tell_news(observer)?;
        match self.controllers.failure() {
            Some(reason) => Err(NetworkError::Algorithm(reason)),
            None => Ok(news),
        }
    }

    #[inline(never)]
    fn tell_news(&mut self, observer: &mut dyn Observer) -> Result<bool, NetworkError> {
        let mut first = None;
        for log in self.engine.logs() {
            self.state.finished.append(&mut log.finished);
            self.state.released.append(&mut log.released);
            self.state.milestones.append(&mut log.milestones);
            if let Some(failure) = log.take_failure() {
                first = Failure::first(first, Some(failure));
            }
        }
        let news = self.state.tell(observer);
        let known = self.state.known_end();
        if known == Time::MAX {
            self.bound_series();
        }
        for log in self.engine.logs() {
            log.queue_statistics.settle(known);
        }
        match first {
            Some(failure) => Err(failure.error),
            None => Ok(news),
        }
    }

    /// Thins the series if the parts of all threads together have too many rows. All rows are
    /// before the end of the run.
    fn bound_series(&mut self) {
        let limit = self.measure.row_limit;
        let (mut queues, mut flows) = (Vec::new(), Vec::new());
        for log in self.engine.logs() {
            let Recorder {
                queues: own_queues,
                flows: own_flows,
                ..
            } = &mut **log;
            queues.push(own_queues);
            flows.push(own_flows);
        }
        self.state.queue_bound.bound(&mut queues, limit);
        self.state.flow_bound.bound(&mut flows, limit);
    }

    fn report(&mut self, observer: &mut dyn Observer) -> ControlFlow<()> {
        let at_once = self.controllers.is_interrupted();
        let Some(now) = self.state.time_of_report(at_once) else {
            return ControlFlow::Continue(());
        };
        let packet_hops = self.packet_hops();
        observer.progress(&self.state.progress(now, packet_hops))
    }

    /// Whether no event and no flow is left.
    pub(super) fn is_over(&self) -> bool {
        self.state.alive == 0 && self.engine.next_step().is_none()
    }

    fn packet_hops(&self) -> u64 {
        self.engine.nodes().map(RunLoopNode::packet_hops).sum()
    }

    /// Takes the last samples, checks that an empty network holds nothing, and collects the
    /// recording.
    pub(super) fn finish(mut self, ending: Ending) -> Result<Recording, NetworkError> {
        let (end, is_done) = (self.state.end, self.is_done());
        let series_end = self.series_end();
        self.catch_up(series_end, end);
        let stall = match ending {
            Ending::Completed => self.check_empty().map(|()| None)?,
            Ending::Stopped => self.state.stalls.reported.take(),
            Ending::Stalled(stall) => Some(stall),
        };
        let (ports, trims) = (self.counters(), self.trims());
        let (unsent, links_free_at) = self.link_ends(end);
        let unfinished = self.unfinished();
        let (mut recorder, packets) = self.take_records();
        let last = series_end.min(self.measure.until);
        recorder.cut_samples(last);
        let faults = self.fault_record(&mut recorder, &unfinished);
        let remains = Remains {
            ports,
            trims,
            unsent,
            links_free_at,
            unfinished,
            packets,
            faults,
            stall,
            is_done,
            last_sample: last,
            queue_samples: self.queue_samples(last),
        };
        Ok(remains.into_recording(recorder, self.state, self.measure, self.keeps_early))
    }

    /// Lets all nodes take their last samples, up to `series_end`.
    fn catch_up(&mut self, series_end: Time, end: Time) {
        for node in 0..self.engine.nodes().count() {
            self.engine
                .with_node(node, |node, log| node.catch_up(series_end, end, log));
        }
    }

    /// Whether all flows have completed, and none will start. Only timers and packets without
    /// effect on flows are left.
    fn is_done(&self) -> bool {
        let waits = |node: &N| node.next_waiting().is_some();
        self.state.alive == 0 && self.state.next_flow.is_none() && !self.engine.nodes().any(waits)
    }

    /// Takes the records of all threads, and the packet trace.
    fn take_records(&mut self) -> (Recorder, Option<PacketTrace>) {
        let mut parts = self.engine.logs().map(Log::take_parts);
        let (mut recorder, packets) = parts.next().expect("at least one thread");
        parts.for_each(|(other, _)| recorder.merge(other));
        for node in self.engine.nodes() {
            node.add_open(&mut recorder);
        }
        recorder.sort();
        (recorder, packets)
    }

    /// Checks that an empty network holds nothing: no packet, no byte in a buffer, no pause.
    fn check_empty(&self) -> Result<(), Violation> {
        for (number, node) in self.engine.nodes().enumerate() {
            if let Some(what) = node.left_over() {
                let node = self.numbers.node(number);
                return Err(Violation::LeftOver { what, node });
            }
        }
        Ok(())
    }
}
