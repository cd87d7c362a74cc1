//! Collects completed flows during a run, and makes its results from them.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use incast_net::{
    END_OF_TIME, Flow, FlowRecord, HostProgramSpec, Milestone, Observer, OnDeadlock, Progress,
    Recording, Rehearsal, SampleIntervals, Stall,
};

use super::conservation::{ConservationCheck, data_balance, over_capacity};
use super::error::{RunError, RunName};
use super::faults;
use super::stopwatch::Stopwatch;
use super::task_graphs::TaskLog;
use super::traffic::{RunTraffic, Started};
use crate::file_error::FileError;
use crate::ideal::{IdealFct, LonePackets};
use crate::max_min_share::{Completion, fair_shares};
use crate::results::{
    AskedLoads, CompletedFlows, Ended, FlowStatistics, KeptRows, KeptRowsFacts, LateColumns,
    LinkUse, Measurements, MessageRow, RoomForRows, RunTiming, StallFacts, StatisticsScope,
    TaskRows, entropies_in_use, orders_by_flow,
};
use crate::spec::{RowsOfAll, ValidSpec};

/// Time between progress reports to the observer, at most, after the last event.
const REPORT_EVERY: Duration = Duration::from_millis(50);
/// The most completed flows that are pending.
const MAX_PENDING: usize = 2048;

/// Collects completed flows, and forwards all reports to the observer.
pub(super) struct Collector<'a> {
    observer: &'a mut dyn Observer,
    traffic: &'a RunTraffic,
    /// Completed flows that have not been processed. They are processed while the calling thread
    /// waits for other threads, or when there are many.
    pending: VecDeque<FlowRecord>,
    kept_rows: KeptRows,
    flows: CompletedFlows<'a>,
    statistics: FlowStatistics,
    ideal: IdealFct<'a>,
    /// For each flow, if shares are wanted.
    completions: Vec<Option<Completion>>,
    /// For each flow, if the parts of FCTs are wanted.
    lone_packets: Vec<LonePackets>,
    spec: &'a ValidSpec,
    too_fast: Option<FlowRecord>,
    /// Completed messages, in order of completion, if there is an attack.
    messages: Vec<MessageRow>,
    tasks: TaskLog,
    /// Whether the observer broke off.
    stopped: bool,
    /// Whether the program that drives the network has left flows unfinished.
    pub(super) left_open: bool,
    /// Number of threads beside the calling one, and their processor time.
    helpers: (usize, Duration),
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        observer: &'a mut dyn Observer,
        traffic: &'a RunTraffic,
        spec: &'a ValidSpec,
        room: RoomForRows<'a>,
    ) -> Self {
        let kept_rows = KeptRows {
            of: spec.flow_rows().settled(room.of_all),
            seed: spec.seed(),
            for_memory: room.of_all == RowsOfAll::DoNotFit && spec.leaves_rows_open(),
            most_loaded: spec.measure().row_limit.0 as u64,
        };
        Self {
            kept_rows,
            observer,
            traffic,
            pending: VecDeque::new(),
            flows: CompletedFlows::new(kept_rows, room, spec.topology().machines.as_ref()),
            statistics: FlowStatistics::new(StatisticsScope {
                entries: spec.counted_starts(),
                traffic: &spec.traffic_names(),
                tenants: &spec.tenants(),
                exact: kept_rows.exact(),
            }),
            ideal: IdealFct::new(spec),
            completions: Vec::new(),
            lone_packets: Vec::new(),
            spec,
            too_fast: None,
            messages: Vec::new(),
            tasks: TaskLog::new(traffic.graphs(), spec.measure().row_limit.0 as u64),
            stopped: false,
            left_open: false,
            helpers: (0, Duration::ZERO),
        }
    }

    /// Ends the run: checks conservation, and returns the measurements.
    pub(super) fn conclude(
        mut self,
        recording: Recording,
        watch: &Stopwatch,
        name: &RunName,
    ) -> Result<Measurements, RunError> {
        self.take_in_pending();
        if let Some(error) = self.flows.take_error() {
            return Err(RunError::Rows(error));
        }
        let spec = self.spec;
        let links = LinkUse::of(&recording, self.timing(&recording, watch).of_links());
        let balance = self.conservation(&recording).violation();
        let is_whole = !self.is_cut_short(&recording);
        let packets = || faults::balance(spec, &recording, is_whole);
        let data = || data_balance(spec, &recording, is_whole);
        if let Some(violation) = balance
            .or_else(packets)
            .or_else(data)
            .or_else(|| over_capacity(spec, links))
        {
            return Err(RunError::Conservation {
                run: name.clone(),
                violation,
            });
        }
        self.into_measurements(recording, watch)
            .map_err(RunError::Rows)
    }

    /// Whether the run was broken off, or is still going on.
    fn is_partial(&self) -> bool {
        self.stopped || self.left_open
    }

    /// Whether the run may have ended before its flows.
    fn is_cut_short(&self, recording: &Recording) -> bool {
        self.is_partial()
            || self.spec.stop().is_some_and(|stop| recording.end >= stop)
            || recording.stall.is_some()
            || recording.end >= END_OF_TIME
    }

    /// The stall of the run, if it had one.
    fn stall(&self, recording: &Recording) -> Option<StallFacts> {
        let stall = recording.stall.as_ref()?;
        let told = self.spec.stalls().on_deadlock == OnDeadlock::Report;
        let ended = match stall {
            Stall::Deadlock { .. } if told => Ended::No,
            _ => Ended::Yes,
        };
        let (topology, ports) = (self.spec.topology(), self.spec.ports());
        let cut_off = faults::cut_off(self.spec, stall, &recording.unfinished);
        Some(StallFacts::of(stall, ended, &cut_off, topology, ports))
    }

    fn started(&self) -> Started {
        self.traffic.started()
    }

    fn conservation<'b>(&'b self, recording: &'b Recording) -> ConservationCheck<'b> {
        ConservationCheck {
            recording,
            finished: self.flows.totals(),
            started: self.started(),
            still_waiting: self.traffic.still_waiting(),
            cut_short: self.is_cut_short(recording),
            too_fast: self.too_fast,
        }
    }

    fn timing(&self, recording: &Recording, watch: &Stopwatch) -> RunTiming {
        let (wall, cpu) = watch.elapsed();
        let is_early = self.is_cut_short(recording) && !recording.is_done;
        let end = match is_early {
            true => recording.end,
            // Ranks may compute after the last flow.
            false => self.flows.totals().latest.max(self.tasks.latest),
        };
        RunTiming {
            first_arrival: self.started().first,
            end,
            links_end: match is_early {
                true => end,
                false => end.max(recording.links_free_at),
            },
            partial: self.is_partial(),
            wall,
            cpu: cpu + self.helpers.1,
            threads: self.helpers.0 + 1,
        }
    }

    /// Processes a completed flow.
    fn take_in(&mut self, flow: &FlowRecord) {
        let fct = flow.finish - flow.start;
        let ideal = self.ideal.of(flow);
        if fct < ideal && self.ideal.is_bound() && !faults::change_paths(self.spec) {
            self.too_fast.get_or_insert(*flow);
        }
        let slowdown = self.ideal.slowdown(fct, ideal);
        self.flows.push(flow, ideal, slowdown);
        self.statistics.push(flow, slowdown);
        if self.spec.fair_share() {
            let index = flow.id.index();
            self.completions
                .resize(self.completions.len().max(index + 1), None);
            let alone = self.ideal.with_all_headers(flow);
            self.completions[index] = Some(Completion { fct, alone });
        }
        if self.spec.measure().breakdown && self.spec.network().keeps_path_of(flow.tag) {
            let index = flow.id.index();
            let flows = self.lone_packets.len().max(index + 1);
            self.lone_packets.resize(flows, LonePackets::default());
            self.lone_packets[index] = self.ideal.of_lone_packets(flow);
        }
        self.note_message(flow);
    }

    fn take_in_pending(&mut self) {
        while self.take_in_next() {}
    }

    /// Processes the first pending flow; `false` if there was none.
    fn take_in_next(&mut self) -> bool {
        let next = self.pending.pop_front();
        next.inspect(|flow| self.take_in(flow)).is_some()
    }

    /// Keeps the message that completes with this flow, if there is an attack.
    fn note_message(&mut self, flow: &FlowRecord) {
        let Some(mut ledger) = self.traffic.ledger() else {
            return;
        };
        if let Some((number, role, pieces, whole)) = ledger.finish(flow) {
            let ideal = self.ideal.of(&whole);
            self.messages.push(MessageRow {
                number,
                role,
                pieces,
                ideal,
                slowdown: self.ideal.slowdown(whole.finish - whole.start, ideal),
                whole,
            });
        }
    }

    /// The results of task graphs, if there are any.
    fn task_rows(&mut self) -> Option<TaskRows> {
        let graphs = self.traffic.graphs();
        (!graphs.is_empty()).then(|| TaskRows {
            rounds: std::mem::take(&mut self.tasks.rounds),
            ranks: self.tasks.ranks(graphs),
            paths: self.tasks.critical_paths(graphs),
        })
    }

    /// Each flow's share of its max-min fair rate, if the scenario asks for shares, and the
    /// observer does not break off.
    fn fair_shares(&mut self, flows: &[Flow], recording: &Recording) -> Option<Vec<Option<f64>>> {
        if !self.spec.fair_share() || self.stopped {
            return None;
        }
        let progress = Progress {
            time: recording.end,
            flows_started: recording.started,
            flows_finished: recording.finished,
            packet_hops: recording.packet_hops,
        };
        let (observer, mut last) = (&mut *self.observer, Instant::now());
        let mut go_on = || {
            if last.elapsed() < REPORT_EVERY {
                return ControlFlow::Continue(());
            }
            last = Instant::now();
            observer.progress(&progress)
        };
        let (spec, completions) = (self.spec, &self.completions);
        let shares = fair_shares(spec, flows, completions, recording.end, &mut go_on);
        self.stopped |= shares.is_none();
        shares
    }

    /// The measurements, with each flow's share of its max-min fair rate, if the scenario asks for
    /// it.
    fn into_measurements(
        mut self,
        recording: Recording,
        watch: &Stopwatch,
    ) -> Result<Measurements, FileError> {
        let timing = self.timing(&recording, watch);
        let stall = self.stall(&recording);
        let arrivals = self.traffic.take_arrivals();
        self.completions.resize(arrivals.flows.len(), None);
        let shares = self.fair_shares(&arrivals.flows, &recording);
        let timing = RunTiming {
            partial: self.is_partial(),
            ..timing
        };
        let tasks = self.task_rows();
        let ledger = self.traffic.ledger();
        let (traffic, tenants) = (self.spec.traffic_names(), self.spec.tenants());
        let algorithms = self.spec.algorithms_by_entry();
        let counted_starts = self.spec.counted_starts();
        let has_windows = counted_starts.iter().any(|entry| entry.window.is_some());
        let measured = self.spec.measure().packet_latency;
        let orders = recording.arrival_orders.as_ref().map(orders_by_flow);
        let entropies = entropies_in_use(&recording.entropies);
        let late = LateColumns {
            fair_shares: shares.as_deref(),
            messages: ledger.as_deref(),
            traffic: (!traffic.is_empty()).then_some(&*traffic),
            counted_starts: has_windows.then_some(&*counted_starts),
            algorithms: algorithms.as_deref(),
            host_names: self.spec.topology().host_names(),
            tenants: tenants.iter().any(Option::is_some).then_some(&*tenants),
            packet_latencies: measured.then_some(&*recording.packet_latencies),
            breakdowns: (self.spec.measure().breakdown)
                .then_some((&*recording.breakdowns, &*self.lone_packets)),
            duplicates: Some(&recording.duplicates),
            orders: orders.as_ref(),
            entropies: (self.spec.measure().entropies).then_some(&entropies),
            losses: recording.faults.as_ref().map(|record| &record.flows),
            mean_weights: measures_weights(self.spec).then_some(&recording.mean_weights),
        };
        let finished = self.flows.totals().flows;
        let flows = self.flows.finish(&recording.unfinished, &late)?;
        self.statistics.finish(&recording.unfinished, timing.end);
        let faults = faults::rows(self.spec, &recording, timing.links_end);
        let ports = (&*recording.ports, &*recording.trims);
        let lost = recording.faults.as_ref().zip(faults.as_deref());
        Ok(Measurements {
            fingerprint: flows.hash.finish(ports, recording.packet_hops, lost),
            faults,
            stall,
            measures_packet_latency: measured,
            counts_round_trips: self.spec.measure().round_trips.is_some(),
            arrivals: arrivals.times,
            window: self.spec.measure().window,
            statistics: self.statistics,
            finished,
            kept_rows: KeptRowsFacts::of(self.kept_rows, &flows),
            start_finish_correlation: flows.start_finish_correlation,
            flows: flows.table,
            asked_loads: AskedLoads::of(self.spec),
            asked_intervals: asked_intervals(self.spec),
            fair_shares: shares,
            messages: ledger.is_some().then_some(self.messages),
            tasks,
            traffic,
            algorithms,
            tenants,
            timing,
            recording,
        })
    }
}

/// Whether hosts measure the weights of flows.
fn measures_weights(spec: &ValidSpec) -> bool {
    let programs = HostProgramSpec::all_requested(spec.algorithms().needs());
    programs.is_ok_and(|all| all.iter().any(|one| one.measures_weights()))
}

fn asked_intervals(spec: &ValidSpec) -> SampleIntervals {
    SampleIntervals {
        queues: spec.measure().queue_interval,
        flows: spec.measure().flow_interval,
    }
}

impl Observer for Collector<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if self.traffic.failed() || self.flows.has_error() {
            return ControlFlow::Break(());
        }
        let answer = self.observer.progress(progress);
        self.stopped |= answer.is_break();
        answer
    }

    fn finished(&mut self, flows: &[FlowRecord]) {
        if self.pending.len() + flows.len() <= MAX_PENDING {
            self.pending.extend(flows);
        } else {
            self.take_in_pending();
            flows.iter().for_each(|flow| self.take_in(flow));
        }
        self.observer.finished(flows);
    }

    fn meanwhile(&mut self) -> bool {
        self.take_in_next() || self.traffic.prepare()
    }

    fn released(&mut self, flows: &[Flow]) {
        self.traffic.note_released(flows);
        self.tasks.note_started(flows, self.traffic.graphs());
        self.observer.released(flows);
    }

    fn reached(&mut self, milestones: &[Milestone]) {
        self.tasks.note(milestones, self.traffic.graphs());
        self.observer.reached(milestones);
    }

    fn helped(&mut self, threads: usize, cpu: Duration) {
        self.helpers = (threads, cpu);
        self.observer.helped(threads, cpu);
    }

    fn rehearsed(&mut self, rehearsal: &Rehearsal) {
        self.observer.rehearsed(rehearsal);
    }
}
