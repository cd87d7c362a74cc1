//! A network: nodes built from a topology, run until all flows have completed.

mod building;
mod deadlock;
mod engines;
mod live;
mod nodes;
mod run_loop;
mod stall_watch;

use std::sync::Arc;

use incast_diagnostic::Diagnostic;
use incast_engine::{
    EventQueueContext, EventQueueEngine, Message, Node, NodeOrder, NodeShape, ParallelRunner,
    Threads, WindowContext, WindowEngine,
};
use incast_topology::{Machines, Ports, Routes, Topology};
use incast_units::{NodeId, Rate, Time};

use self::NodeKind::{Direct, Fast, Faulty, Ordered, Plain};
use self::building::{Built, HostParts, NodeParts};
use self::engines::EngineNumbers;
pub use self::live::{DrivenNetwork, Stand};
use self::nodes::{DirectNode, FastNode, FaultyNode, Foresight, PlainNode, RunLoopNode};
pub use self::run_loop::{END_OF_TIME, FlowQueue, HaltAt};
use self::run_loop::{LoopState, RunLoop};
use crate::clock::Ties;
use crate::config::NetworkConfig;
use crate::diagnostics;
use crate::execution_path::ExecutionPath;
use crate::faults::FaultPlan;
use crate::flow::{Controllers, Flow};
use crate::host::HostProgramSpec;
use crate::measure::Recorder;
use crate::measure::{Log, Silent, Tracing};
use crate::measure::{MeasureConfig, Recording};
use crate::observer::Observer;
use crate::shared::{Shared, WantedWords};
use crate::single_threaded::SingleThreadedBecause;
use crate::stall::StallConfig;
use crate::violation::NetworkError;
use crate::waiting::Dependencies;
use crate::wire::{MAX_HOPS, ONE_LINE, Packet, PacketParts, TWO_LINES};

/// All inputs of a run, borrowed.
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
    /// Recordings.
    pub measure: &'a MeasureConfig,
    /// Makes the controller of each flow.
    pub controllers: &'a Arc<dyn Controllers + 'a>,
    /// Faults of links, if any.
    pub faults: Option<&'a Arc<FaultPlan>>,
    /// Dependencies between flows, if any.
    pub dependencies: Option<&'a dyn Dependencies>,
    /// Stop time; `None`: the run ends when all flows have completed.
    pub stop: Option<Time>,
    /// The stalls that end the run early.
    pub stalls: StallConfig,
    /// The order in which nodes are processed; results do not depend on it.
    pub order: NodeOrder,
    /// The threads of the run; results do not depend on them. Some runs are single-threaded: see
    /// [`SingleThreadedBecause`].
    pub threads: Threads,
    /// How nodes compute their events; results do not depend on it.
    pub path: ExecutionPath,
}

impl<'a> Run<'a> {
    /// Numbers of hosts and switches in the engine. The NICs of a machine are one node of the
    /// engine only if sends wait for events at any of them.
    fn engine_numbers(&self) -> EngineNumbers<'a> {
        let machines = self.topology.machines.as_ref();
        EngineNumbers {
            machines: machines.filter(|_| self.dependencies.is_some()),
        }
    }
}

/// An action on the nodes of a network, whose types depend on the options.
trait UseNodes<'c> {
    type Output;

    /// Uses nodes of the window engine.
    fn in_windows<const WORDS: usize, N, L>(
        self,
        built: Built<'_, N>,
        log: impl FnMut() -> L,
    ) -> Result<Self::Output, NetworkError>
    where
        L: Log + Clone + 'c,
        N: RunLoopNode + NodeShape + Foresight<WORDS> + Clone + Send + 'c,
        N: for<'e> Node<WindowContext<'e, Packet<WORDS>, L>>;

    /// Uses nodes of the event-queue engine.
    fn in_one_queue<const WORDS: usize, N, L>(
        self,
        built: Built<'_, N>,
        log: impl FnMut() -> L,
    ) -> Result<Self::Output, NetworkError>
    where
        L: Log + Clone + 'c,
        N: RunLoopNode + NodeShape + Clone + Send + 'c,
        N: for<'e> Node<EventQueueContext<'e, Packet<WORDS>, L>>;
}

/// The kinds of nodes, each with its engine.
enum NodeKind {
    /// Nodes of the fast path, under the window engine.
    Fast,
    /// Nodes of the direct path, under the event-queue engine.
    Direct,
    /// Nodes of the plain path, under the window engine.
    Plain,
    /// Nodes of the plain path, under the event-queue engine: events run in the order in which they
    /// were scheduled.
    Ordered,
    /// Nodes of networks with faults of links, under the window engine.
    Faulty,
}

/// The flows and the observer of a run.
struct Attached<'a> {
    flows: &'a mut dyn Iterator<Item = Flow>,
    observer: &'a mut dyn Observer,
}

impl Run<'_> {
    /// Runs `flows`, which come in order of start, until all have completed, the observer stops the
    /// run, or the stop time is reached.
    ///
    /// # Errors
    /// An impossible network or flow, or an invariant of the model that does not hold.
    pub fn run(
        &self,
        flows: &mut dyn Iterator<Item = Flow>,
        observer: &mut dyn Observer,
    ) -> Result<Recording, NetworkError> {
        let dependencies = self.dependencies;
        let parts = HostParts {
            controllers: self.controllers,
            waiting: &|host| dependencies.and_then(|all| all.at_host(host)),
        };
        self.with_nodes(&parts, Attached { flows, observer })
    }

    /// Builds the nodes and hands them to `user`.
    fn with_nodes<'c, U: UseNodes<'c>>(
        &self,
        parts: &HostParts<'_, 'c>,
        user: U,
    ) -> Result<U::Output, NetworkError> {
        let longest = self.routes.longest_path_switches();
        if longest > MAX_HOPS {
            let (hops, most) = (longest as usize, MAX_HOPS as usize);
            return Err(diagnostics::too_many_hops(hops, most).into());
        }
        self.config.check_timing_errors()?;
        self.config.check_delays(self.ports)?;
        let needs = self.controllers.needs();
        self.config.check_balances(&needs)?;
        let shared = Arc::new(self.shared()?);
        let silent = || Silent(Recorder::new(self.measure.clone()));
        let tracing = |trace| {
            let shared = Arc::clone(&shared);
            move || {
                let recorder = Recorder::new(self.measure.clone());
                Tracing::new(recorder, trace, shared.packet_facts(), self.first_ports())
            }
        };
        let traced = self.measure.packets.as_ref().map(tracing);
        let one_line = traced.is_none() && shared.words.fits_one_line();
        let parts = NodeParts {
            run: self,
            shared: &shared,
            hosts: parts,
        };
        match (self.node_kind()?, one_line, traced) {
            (Fast, true, _) => user.in_windows(FastNode::<ONE_LINE>::all(parts)?, silent),
            (Fast, false, _) => user.in_windows(FastNode::<TWO_LINES>::all(parts)?, silent),
            (Direct, true, _) => user.in_one_queue(DirectNode::<ONE_LINE>::all(parts)?, silent),
            (Direct, false, _) => user.in_one_queue(DirectNode::<TWO_LINES>::all(parts)?, silent),
            (Plain, true, _) => user.in_windows(PlainNode::<ONE_LINE>::all(parts)?, silent),
            (Plain, _, None) => user.in_windows(PlainNode::<TWO_LINES>::all(parts)?, silent),
            (Plain, _, Some(log)) => user.in_windows(PlainNode::<TWO_LINES>::all(parts)?, log),
            (Ordered, true, _) => user.in_one_queue(PlainNode::<ONE_LINE>::all(parts)?, silent),
            (Ordered, _, None) => user.in_one_queue(PlainNode::<TWO_LINES>::all(parts)?, silent),
            (Ordered, _, Some(log)) => user.in_one_queue(PlainNode::<TWO_LINES>::all(parts)?, log),
            (Faulty, _, None) => user.in_windows(FaultyNode::<TWO_LINES>::all(parts)?, silent),
            (Faulty, _, Some(log)) => user.in_windows(FaultyNode::<TWO_LINES>::all(parts)?, log),
        }
    }

    /// The kind of nodes that compute this run.
    fn node_kind(&self) -> Result<NodeKind, Diagnostic> {
        let is_ordered = self.config.model.ties == Ties::Insertion;
        if self.faults.is_some() {
            return match is_ordered {
                true => Err(diagnostics::faults_in_one_queue()),
                false => Ok(Faulty),
            };
        }
        if self.path.is_direct(self.config, self.measure) {
            return Ok(Direct);
        }
        Ok(match self.path.of(self.config, self.measure) {
            ExecutionPath::Fast => Fast,
            ExecutionPath::Plain if is_ordered => Ordered,
            ExecutionPath::Plain => Plain,
        })
    }

    /// By node: global index of its first port.
    fn first_ports(&self) -> Vec<u32> {
        let nodes = (0..self.topology.nodes()).map(NodeId);
        nodes.map(|node| self.ports.index(node, 0)).collect()
    }

    fn shared(&self) -> Result<Shared, Diagnostic> {
        let degraded = self.faults.into_iter().flat_map(|plan| plan.rates());
        let own = self.ports.iter().map(|port| port.rate);
        let mut rates: Vec<Rate> = own.chain(degraded).collect();
        rates.sort_unstable();
        rates.dedup();
        let nodes = self.topology.nodes() as usize;
        let faults = self.faults.cloned();
        let needs = self.controllers.needs();
        let programs = HostProgramSpec::all_requested(&needs)?;
        let wanted = WantedWords {
            longest_path: self.routes.longest_path_switches() as usize,
            programs: programs
                .iter()
                .fold(PacketParts::default(), |all, one| all | one.carries()),
        };
        Shared::new(
            self.config.clone(),
            self.measure,
            rates,
            nodes,
            faults,
            wanted,
            &needs,
        )
    }

    /// The window engine with these nodes.
    fn windows<M: Message, N: NodeShape>(&self, nodes: Vec<N>) -> WindowEngine<N, M> {
        let clock = self.config.model.clock;
        let nics = self.topology.hosts;
        let hosts = self.engine_numbers().machines.map_or(nics, Machines::count);
        let length = self.topology.smallest_delay().unwrap_or(Time::from_us(1));
        WindowEngine::new(nodes, &self.peers(), clock.round_down(length), self.order)
            .with_ties(self.config.tie_order(nics, hosts))
    }

    /// Whether the two sides of the network may run in alternating windows if no sends wait. Faults
    /// and waiting sends need windows of one delay: their length decides which late link changes
    /// count, and what is idle time.
    fn may_alternate(&self) -> bool {
        self.faults.is_none()
    }

    /// By global port index: the delay of the link.
    fn delays(&self) -> Vec<Time> {
        let clock = self.config.model.clock;
        let ports = self.ports.iter();
        ports.map(|port| clock.round_down(port.delay)).collect()
    }

    /// The event-queue engine with these nodes.
    fn one_queue<M: Message, N: NodeShape, L>(
        &self,
        nodes: Vec<N>,
        log: L,
    ) -> EventQueueEngine<N, M, L> {
        let unit = self.config.model.clock.unit();
        EventQueueEngine::new(nodes, &self.peers(), unit, log)
    }

    /// By global port index: the port at the other end of the link.
    fn peers(&self) -> Vec<u32> {
        let ports = 0..self.ports.count() as u32;
        ports.map(|port| self.ports.peer_index(port)).collect()
    }
}

impl<'c> UseNodes<'c> for Attached<'_> {
    type Output = Recording;

    fn in_windows<const WORDS: usize, N, L>(
        self,
        built: Built<'_, N>,
        log: impl FnMut() -> L,
    ) -> Result<Recording, NetworkError>
    where
        L: Log + Clone + 'c,
        N: RunLoopNode + NodeShape + Foresight<WORDS> + Clone + Send + 'c,
        N: for<'e> Node<WindowContext<'e, Packet<WORDS>, L>>,
    {
        let Built {
            run,
            nodes,
            rehearsal,
        } = built;
        let threads = match SingleThreadedBecause::of(run.config, run.measure) {
            None => run.threads,
            Some(_) => Threads::ONE,
        };
        let delays = run.delays();
        let waits = nodes.iter().any(|node| node.next_waiting().is_some());
        let windows = run.windows(nodes);
        let windows = match run.may_alternate() && !waits {
            true => windows.alternating(&delays),
            false => windows,
        };
        let runner = ParallelRunner::new(windows, delays, threads, log);
        let observer = &mut *self.observer;
        let recording = runner.run(|coordinator| {
            let mut state = LoopState::new(coordinator, run);
            let mut run_loop = RunLoop::new(coordinator, run, &mut state);
            let ending = run_loop.run(self.flows, observer, run.stop)?;
            run_loop.finish(ending)
        });
        let (helpers, cpu) = runner.worker_usage();
        self.observer.helped(helpers, cpu);
        if let Some(mut all) = runner.rehearsal() {
            all += rehearsal;
            self.observer.rehearsed(&all);
        }
        recording
    }

    fn in_one_queue<const WORDS: usize, N, L>(
        self,
        built: Built<'_, N>,
        mut log: impl FnMut() -> L,
    ) -> Result<Recording, NetworkError>
    where
        L: Log + Clone + 'c,
        N: RunLoopNode + NodeShape + Clone + Send + 'c,
        N: for<'e> Node<EventQueueContext<'e, Packet<WORDS>, L>>,
    {
        let Built { run, nodes, .. } = built;
        let mut engine = run.one_queue(nodes, log());
        let mut state = LoopState::new(&engine, run);
        let mut run_loop = RunLoop::new(&mut engine, run, &mut state);
        let ending = run_loop.run(self.flows, self.observer, run.stop)?;
        run_loop.finish(ending)
    }
}
