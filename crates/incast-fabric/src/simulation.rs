//! A run: builds the nodes, runs them in the engine, checks the invariants and collects the
//! records.

mod checks;
mod progress;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use incast_diagnostic::Diagnostic;
use incast_engine::{Coordinator, NodeOrder, ParallelRunner, Threads, WindowEngine};
use incast_random::mix;
use incast_units::Time;

use self::checks::{Watchdog, check_end};
pub use self::progress::FabricProgress;
use self::progress::Reporter;
use crate::config::FabricConfig;
use crate::control::ControlScheme;
use crate::endpoint::Endpoint;
use crate::group::Group;
use crate::measure::{ControlSample, FabricMeasure, OccupancySample, PacketStart};
use crate::metrics::OperationTotals;
use crate::node::{FabricNode, NodeSeries, TIMER};
use crate::packet::{Cycle, LinkMessage, NEVER};
use crate::switch::FabricFacts;
use crate::violation::FabricViolation;
use crate::work::{OperationRecord, Script, WorkKind};

/// The inputs of a run.
#[derive(Clone, Debug)]
pub struct FabricSimulation {
    /// The fabric.
    pub config: FabricConfig,
    /// Groups, by number.
    pub groups: Vec<Group>,
    /// Injection control of all endpoints.
    pub control: ControlScheme,
    /// Endpoints with other control or memory.
    pub exceptions: Vec<EndpointException>,
    /// Scripts by endpoint. Endpoints beyond the list have none.
    pub scripts: Vec<Script>,
    /// More scripts, each for one endpoint, which run in parallel with `scripts`.
    pub more_scripts: Vec<(u16, Script)>,
    /// Recordings.
    pub measure: FabricMeasure,
}

/// An endpoint that differs from the others, such as a cheat or one with slow memory.
#[derive(Clone, Debug, Default)]
pub struct EndpointException {
    /// Which one.
    pub endpoint: u16,
    /// The endpoint's injection control, if it differs.
    pub control: Option<ControlScheme>,
    /// Cycles that the endpoint's memory takes to answer a read, if they differ.
    pub read_latency: Option<u32>,
}

/// The results of a run.
#[derive(Clone, Debug)]
pub struct FabricOutcome {
    /// Whether the run was stopped early. It then has the operations completed by then.
    pub partial: bool,
    /// All operations by initiator, in order of issue.
    pub operations: Vec<OperationRecord>,
    /// Flits, each counted once for every link that it crossed.
    pub flit_hops: u64,
    /// Samples of injection controls, in order of endpoint and time.
    pub controls: Vec<ControlSample>,
    /// Samples of queues, in order of switch and time.
    pub occupancy: Vec<OccupancySample>,
    /// Cycles between samples: the requested interval, or a longer one where there would be too
    /// many samples.
    pub sampled_every: Cycle,
    /// Start of every packet, in order, if starts were recorded.
    pub packet_starts: Vec<PacketStart>,
    /// Sums over the operations.
    pub totals: OperationTotals,
    /// Number of threads besides the calling one, and their processor time.
    pub helpers: (usize, Duration),
}

type Lead<'s, 'c> = Coordinator<'s, 'c, FabricNode, LinkMessage, ()>;

impl FabricSimulation {
    /// A run of `control` on a fabric, without any work yet.
    pub fn new(config: FabricConfig, control: ControlScheme) -> Self {
        Self {
            config,
            groups: Vec::new(),
            control,
            exceptions: Vec::new(),
            scripts: Vec::new(),
            more_scripts: Vec::new(),
            measure: FabricMeasure::default(),
        }
    }

    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// If an option is invalid, a group or endpoint does not exist, or an initiator is not in the
    /// group that it addresses.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.config.check()?;
        self.control.check()?;
        for exception in &self.exceptions {
            self.check_endpoint(exception.endpoint)?;
            exception
                .control
                .iter()
                .try_for_each(ControlScheme::check)?;
        }
        for (endpoint, script) in self.scripts.iter().enumerate() {
            self.check_script(endpoint as u16, script)?;
        }
        for (endpoint, script) in &self.more_scripts {
            self.check_script(*endpoint, script)?;
        }
        Ok(())
    }

    fn check_endpoint(&self, endpoint: u16) -> Result<(), Diagnostic> {
        let endpoints = self.config.shape.endpoints();
        if endpoint < endpoints {
            return Ok(());
        }
        let what = format!("endpoint {endpoint} does not exist");
        let hint = format!("the fabric has endpoints 0 to {}", endpoints - 1);
        Err(Diagnostic::new(what, hint))
    }

    fn check_script(&self, endpoint: u16, script: &Script) -> Result<(), Diagnostic> {
        self.check_endpoint(endpoint)?;
        let endpoints = self.config.shape.endpoints();
        for work in script.steps.iter().flat_map(|step| &step.work) {
            let collective = match work.kind {
                WorkKind::Transaction => true,
                WorkKind::Single(kind) => kind.is_collective(),
            };
            let group = self.groups.get(usize::from(work.target));
            let wrong = match collective {
                true if group.is_none() => format!("there is no group {}", work.target),
                true if !group.is_some_and(|group| group.has(endpoint)) => {
                    format!("endpoint {endpoint} is no member of group {}", work.target)
                }
                false if work.target >= endpoints || work.target == endpoint => {
                    format!("endpoint {endpoint} cannot reach endpoint {}", work.target)
                }
                _ if work.data == 0 || work.data > crate::MAX_PAYLOAD_FLITS => {
                    format!("{} flits of data are not 1 to 8", work.data)
                }
                _ => continue,
            };
            return Err(Diagnostic::new(
                wrong,
                "an initiator works with others of its group",
            ));
        }
        Ok(())
    }

    /// Runs on one thread.
    ///
    /// # Errors
    /// If the run deadlocks, or an invariant does not hold.
    ///
    /// # Panics
    /// If [`check`](Self::check) fails.
    pub fn run(&self) -> Result<FabricOutcome, FabricViolation> {
        self.run_on(Threads::ONE, NodeOrder::Ascending)
    }

    /// Runs on `threads` threads, with nodes taken in `order` within a window. The results depend
    /// on neither.
    ///
    /// # Errors
    /// If the run deadlocks, or an invariant does not hold.
    ///
    /// # Panics
    /// If [`check`](Self::check) fails.
    pub fn run_on(
        &self,
        threads: Threads,
        order: NodeOrder,
    ) -> Result<FabricOutcome, FabricViolation> {
        self.run_watched(threads, order, &mut |_| ControlFlow::Continue(()))
    }

    /// Same as [`run_on`](Self::run_on). `watch` is called several times a second with the
    /// progress, and may stop the run.
    ///
    /// # Errors
    /// If the run deadlocks, or an invariant does not hold.
    ///
    /// # Panics
    /// If [`check`](Self::check) fails.
    pub fn run_watched(
        &self,
        threads: Threads,
        order: NodeOrder,
        watch: &mut dyn FnMut(&FabricProgress) -> ControlFlow<()>,
    ) -> Result<FabricOutcome, FabricViolation> {
        if let Err(diagnostic) = self.check() {
            panic!("{diagnostic}");
        }
        let facts = Arc::new(FabricFacts {
            config: self.config.clone(),
            groups: self.groups.clone(),
        });
        let nodes = self.nodes(&facts);
        let first: Vec<_> = nodes.iter().map(FabricNode::next_event).collect();
        let peers = self.config.shape.link_peers();
        let window = Time::from_ps(self.config.hop());
        let delays = vec![window; peers.len()];
        let engine = WindowEngine::new(nodes, &peers, window, order);
        let runner = ParallelRunner::new(engine, delays, threads, || ());
        let outcome = runner.run(|lead| {
            for (node, first) in first.into_iter().enumerate() {
                if let Some(first) = first {
                    lead.ensure_timer(node, TIMER, Time::from_ps(first));
                }
            }
            let end = drive(lead, &mut Reporter::new(watch))?;
            if let Some(end) = end {
                check_end(lead.nodes(), &facts, end)?;
            }
            Ok(self.collect(lead, end.is_none()))
        });
        outcome.map(|outcome| FabricOutcome {
            helpers: runner.worker_usage(),
            ..outcome
        })
    }

    fn nodes(&self, facts: &Arc<FabricFacts>) -> Vec<FabricNode> {
        let shape = &self.config.shape;
        let samples = self.measure.sample_limit(shape.switches());
        let node = |switch: u16| {
            let own = shape.endpoints_of(switch);
            let first = switch.saturating_mul(shape.endpoints_per_tor);
            let numbers = (0..own).map(|place| first + place);
            let endpoints = numbers.clone().map(|number| self.endpoint(number, facts));
            let watched = numbers.enumerate();
            let watched = watched.filter(|(_, number)| self.measure.endpoints.contains(number));
            let ports = shape.ports_of(switch);
            let times = (self.measure.every, samples);
            let series = NodeSeries::new((switch, ports), times, watched.collect());
            let starts = self.measure.packet_starts.then(Vec::new);
            FabricNode::new(switch, facts, endpoints.collect(), series, starts)
        };
        (0..shape.switches()).map(node).collect()
    }

    fn endpoint(&self, number: u16, facts: &FabricFacts) -> Endpoint {
        let exceptions = || self.exceptions.iter().filter(|e| e.endpoint == number);
        let scheme = exceptions().find_map(|exception| exception.control.as_ref());
        let scheme = scheme.unwrap_or(&self.control);
        let read_latency = exceptions().find_map(|exception| exception.read_latency);
        let read_latency = read_latency.unwrap_or(self.config.read_latency);
        let endpoints = self.config.shape.endpoints();
        let control = scheme.build(self.config.seed, number, endpoints, &self.groups);
        let first = self.scripts.get(usize::from(number)).cloned();
        let more = self
            .more_scripts
            .iter()
            .filter(|(endpoint, _)| *endpoint == number);
        let scripts = first
            .into_iter()
            .chain(more.map(|(_, script)| script.clone()));
        Endpoint::new(number, facts, control, read_latency, scripts.collect())
    }

    fn collect(&self, lead: &mut Lead<'_, '_>, partial: bool) -> FabricOutcome {
        let mut operations = Vec::new();
        let (mut controls, mut occupancy) = (Vec::new(), Vec::new());
        let mut packet_starts = Vec::new();
        let mut flit_hops = 0;
        let thinning = lead.nodes().map(|node| node.series.thinning()).max();
        for number in 0..self.config.shape.switches() {
            let node = lead.node_mut(number.into());
            flit_hops += node.switched_flits;
            node.series.thin_to(thinning.unwrap_or_default());
            controls.append(&mut node.series.controls);
            occupancy.append(&mut node.series.occupancy);
            packet_starts.extend(node.starts.iter().flatten());
            for endpoint in &node.endpoints {
                flit_hops += endpoint.port().flits();
                operations.extend_from_slice(endpoint.records());
            }
        }
        packet_starts.sort_unstable();
        if partial {
            operations.retain(|record: &OperationRecord| record.completed != NEVER);
        }
        controls.sort_by_key(|sample: &ControlSample| (sample.endpoint, sample.cycle));
        let totals = OperationTotals::of(&operations, &self.groups);
        FabricOutcome {
            partial,
            operations,
            flit_hops,
            controls,
            occupancy,
            sampled_every: self.measure.every * thinning.unwrap_or_default().stride(),
            packet_starts,
            totals,
            helpers: (0, Duration::ZERO),
        }
    }
}

/// Runs until no event is left. Returns the end of the last window, or `None` if the run was
/// stopped.
fn drive(
    lead: &mut Lead<'_, '_>,
    reporter: &mut Reporter<'_>,
) -> Result<Option<Cycle>, FabricViolation> {
    let mut watchdog = Watchdog::default();
    let mut end = Time::ZERO;
    while let Some(next) = lead.next_window() {
        let (start, until) = lead.span_of(next);
        end = lead.run(start, until, Time::MAX);
        watchdog.watch(end.as_ps(), || lead.nodes())?;
        if reporter.tell(end.as_ps(), || lead.nodes()).is_break() {
            return Ok(None);
        }
    }
    Ok(Some(end.as_ps()))
}

impl FabricOutcome {
    /// A hash of every operation's times and of the flits moved. Equal results have equal hashes.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = mix(self.flit_hops);
        for record in &self.operations {
            let OperationRecord {
                initiator,
                issued,
                injected,
                completed,
                ..
            } = *record;
            for word in [initiator.into(), issued, injected, completed] {
                hash = mix(hash ^ word);
            }
        }
        hash
    }

    /// The operations of one initiator, in order of issue.
    pub fn of_initiator(&self, initiator: u16) -> &[OperationRecord] {
        let from = self
            .operations
            .partition_point(|record| record.initiator < initiator);
        let to = self
            .operations
            .partition_point(|record| record.initiator <= initiator);
        &self.operations[from..to]
    }
}
