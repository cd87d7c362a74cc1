//! The state of a run loop between steps.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use incast_units::Time;

use crate::flow::{Flow, Milestone};
use crate::measure::{FlowRecord, IdleTime, Log, PartBound};
use crate::network::Run;
use crate::network::engines::{Engine, Starting};
use crate::network::nodes::RunLoopNode;
use crate::network::stall_watch::StallWatch;

/// The shortest time between reports of progress; the observer can stop the run at each.
pub(super) const REPORT_EVERY: Duration = Duration::from_millis(50);
/// The shortest idle span, in intervals between samples, and in delays of the shortest link.
const MIN_IDLE_INTERVALS: u64 = 64;
const MIN_IDLE_DELAYS: u64 = 4;
/// Most samples of a port in a step, if the step can be shorter: samples are summed up after a
/// step.
const MAX_SAMPLES_PER_STEP: u64 = 4096;

/// The state of a run loop between steps.
#[derive(Clone, Debug)]
pub(in crate::network) struct LoopState {
    pub(in crate::network) idle: IdleTime,
    /// The shortest idle span; shorter ones are sampled like all other time.
    pub(in crate::network) min_idle: Time,
    /// The longest step; longer ones have too many samples.
    pub(in crate::network) longest_step: Time,
    pub(in crate::network) alive: u64,
    pub(in crate::network) started: u64,
    /// Arrival of the last packet, rounded up to the shortest link delay. Where sends wait, the end
    /// of the last step.
    pub(in crate::network) end: Time,
    /// Whether some waiting sends start by themselves.
    pub(in crate::network) has_waiting: bool,
    /// Start of the last flow that was handed to its host.
    pub(in crate::network) last_start: Time,
    /// Completion of the last flow so far.
    pub(in crate::network) last_finish: Time,
    pub(in crate::network) next_flow: Option<Flow>,
    /// Timers at which waiting sends start by themselves; the first one is at the end.
    pub(in crate::network) beginning: Vec<Starting>,
    /// Timers of the current step: at hosts where flows start, and at nodes whose links change.
    pub(in crate::network) starting: Vec<Starting>,
    /// Number of passed times at which links change.
    pub(in crate::network) faults_passed: usize,
    /// Whether all flows have completed, and none will start: links do not change any more.
    pub(in crate::network) are_faults_over: bool,
    /// Flows that have completed in the last step.
    pub(in crate::network) finished: Vec<FlowRecord>,
    /// Flows that waited and have started in the last step.
    pub(in crate::network) released: Vec<Flow>,
    /// Milestones of the last step at hosts whose sends wait.
    pub(in crate::network) milestones: Vec<Milestone>,
    /// Time of the next report of progress to the observer.
    pub(in crate::network) next_report: Instant,
    /// Since the last reading of the wall clock: number of steps; and its simulated time.
    pub(in crate::network) steps: u32,
    pub(in crate::network) last_reading: Time,
    /// The wall-clock time of this reading; and the number of steps until the next.
    pub(in crate::network) read_at: Instant,
    pub(in crate::network) steps_per_reading: u32,
    /// Bounds of the series of queues, and of flows.
    pub(in crate::network) queue_bound: PartBound,
    pub(in crate::network) flow_bound: PartBound,
    pub(in crate::network) stalls: StallWatch,
    /// Start of the step before which stalls are searched for next.
    pub(in crate::network) next_look: Time,
}

impl LoopState {
    /// Nothing has happened.
    pub(in crate::network) fn new<N: RunLoopNode, L: Log, E: Engine<N, L>>(
        engine: &E,
        run: &Run<'_>,
    ) -> Self {
        let mut beginning = Vec::new();
        for (node, each) in engine.nodes().enumerate() {
            if let Some((at, timer)) = each.next_waiting() {
                beginning.push(Starting { node, timer, at });
            }
        }
        let mut state = Self::at_start(run, beginning, engine.unit());
        state.next_look = engine.look_before(state.stalls.next());
        state
    }

    /// Sends that wait begin with the timers `beginning`; `unit` is that of the engine.
    /// `next_look` is not yet the start of a step.
    fn at_start(run: &Run<'_>, mut beginning: Vec<Starting>, unit: Time) -> Self {
        let Run { ports, measure, .. } = *run;
        let delays = ports.iter().map(|port| port.delay);
        let stalls = StallWatch::new(run.stalls, delays.max().unwrap_or_default());
        let intervals = [measure.queue_interval, measure.flow_interval].into_iter();
        beginning.sort_unstable_by_key(|each| Reverse((each.at, each.node)));
        let shortest = intervals.clone().flatten().min();
        let longest_step = shortest.map_or(Time::MAX, |shortest| {
            Time::from_ps(shortest.as_ps().saturating_mul(MAX_SAMPLES_PER_STEP))
        });
        let longest = intervals.flatten().max();
        let min_idle = longest.map_or(Time::MAX, |longest| {
            (longest * MIN_IDLE_INTERVALS).max(unit * MIN_IDLE_DELAYS)
        });
        Self {
            idle: IdleTime::default(),
            min_idle,
            longest_step,
            has_waiting: !beginning.is_empty(),
            last_start: Time::ZERO,
            alive: 0,
            started: 0,
            end: Time::ZERO,
            last_finish: Time::ZERO,
            next_flow: None,
            beginning,
            starting: Vec::new(),
            faults_passed: 0,
            are_faults_over: false,
            finished: Vec::new(),
            released: Vec::new(),
            milestones: Vec::new(),
            next_report: Instant::now() + REPORT_EVERY,
            steps: 0,
            last_reading: Time::ZERO,
            read_at: Instant::now(),
            steps_per_reading: 1,
            queue_bound: PartBound::default(),
            flow_bound: PartBound::default(),
            next_look: stalls.next(),
            stalls,
        }
    }
}
