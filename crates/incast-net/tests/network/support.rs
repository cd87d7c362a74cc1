//! Small networks in a few lines, and results of runs for tests.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use incast_cc::{
    Ack, AlgorithmConfig, CongestionControl, FlowContext, FlowController, HpccConfig, Needs,
    SendLimit, UncontrolledConfig,
};
use incast_net::{
    Controllers, Dependencies, ExecutionPath, FaultPlan, Flow, FlowControl, FlowRecord, Headroom,
    IntSource, MeasureConfig, Model, NetworkConfig, NetworkError, NetworkFacts, NicCalls,
    NodeOrder, Observer, Partitioning, PfcConfig, PfcThreshold, Progress, Recording, Routing, Run,
    StallConfig, SwitchProgram, Threads,
};
use incast_topology::{
    Clos320, Dumbbell, FatTree, Link, NextHopOrder, Ports, Routes, Star, Topology,
};
use incast_units::{Bytes, FlowId, HostId, NodeId, Rate, Time};

/// A network, ready to run.
pub(crate) struct Network {
    pub(crate) topology: Topology,
    pub(crate) ports: Ports,
    pub(crate) routes: Routes,
    pub(crate) config: NetworkConfig,
    pub(crate) measure: MeasureConfig,
    pub(crate) order: NodeOrder,
    pub(crate) threads: Threads,
    pub(crate) path: ExecutionPath,
    pub(crate) stop: Option<Time>,
    pub(crate) stalls: StallConfig,
    pub(crate) dependencies: Option<Box<dyn Dependencies>>,
    /// The faults of the network's links, if any.
    pub(crate) faults: Option<Arc<FaultPlan>>,
    /// The base RTT that controllers get.
    pub(crate) base_rtt: Time,
    pub(crate) base_window: Bytes,
}

/// The results of a run.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Flows in order of completion.
    pub(crate) flows: Vec<FlowRecord>,
    by_id: Vec<FlowRecord>,
    pub(crate) recording: Recording,
}

impl Network {
    /// The standard model: PFC with plenty of buffer, no INT, no marks.
    pub(crate) fn new(topology: Topology) -> Self {
        topology.validate().expect("a sound topology");
        Self {
            ports: Ports::new(&topology),
            routes: Routes::shortest(&topology, NextHopOrder::ByPort),
            topology,
            config: standard(),
            measure: MeasureConfig::default(),
            order: NodeOrder::Ascending,
            threads: Threads::ONE,
            path: ExecutionPath::Fast,
            stop: None,
            stalls: StallConfig::default(),
            dependencies: None,
            faults: None,
            base_rtt: Time::from_ns(4_160),
            base_window: Bytes::new(52_000),
        }
    }

    /// The network as modelled by the HPCC artifact, with INT, at 100 Gb/s.
    pub(crate) fn hpcc_ns3(topology: Topology) -> Self {
        let mut network = Self::new(topology);
        network.routes = Routes::shortest(&network.topology, NextHopOrder::DescendingNode);
        network.config.model = Model::hpcc_ns3(4, false);
        network.config.packets.pfc_frame = Bytes::new(43);
        network.config.int = IntSource::Data;
        network
    }

    pub(crate) fn with_int(mut self) -> Self {
        self.config.int = IntSource::Data;
        self
    }

    /// With INT on ACKs, which take the path of their data.
    pub(crate) fn with_int_on_acks(mut self, period: Option<Time>) -> Self {
        self.config.int = IntSource::Acks;
        self.config.int_table_period = period;
        self.config.routing = Routing::SymmetricEcmp;
        self.routes = Routes::shortest(&self.topology, NextHopOrder::AscendingNode);
        self
    }

    pub(crate) fn with_buffer(mut self, size: u64) -> Self {
        self.config.buffer.size = Bytes::new(size);
        self
    }

    pub(crate) fn with_flow_control(mut self, flow_control: FlowControl) -> Self {
        if matches!(flow_control, FlowControl::Drop(_)) {
            self.config.recovery.timeout = Some(Time::from_us(200));
        }
        self.config.flow_control = flow_control;
        self
    }

    /// Runs `flows`, and checks conservation.
    pub(crate) fn run(&self, flows: &[Flow], controllers: &dyn Controllers) -> Outcome {
        let outcome = self
            .try_run(flows, controllers)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(outcome.recording.stall, None);
        if self.stop.is_none() {
            outcome.check_books(flows);
        }
        outcome
    }

    pub(crate) fn try_run(
        &self,
        flows: &[Flow],
        controllers: &dyn Controllers,
    ) -> Result<Outcome, NetworkError> {
        let mut finished = Finished(Vec::new());
        let recording = self.observed(flows, controllers, &mut finished)?;
        let mut by_id = finished.0.clone();
        by_id.sort_unstable_by_key(|flow| flow.id);
        Ok(Outcome {
            flows: finished.0,
            by_id,
            recording,
        })
    }

    pub(crate) fn observed(
        &self,
        flows: &[Flow],
        controllers: &dyn Controllers,
        observer: &mut dyn Observer,
    ) -> Result<Recording, NetworkError> {
        let controllers: Arc<dyn Controllers + '_> = Arc::new(Lent(controllers));
        let run = Run {
            config: &self.config,
            topology: &self.topology,
            ports: &self.ports,
            routes: &self.routes,
            measure: &self.measure,
            controllers: &controllers,
            faults: self.faults.as_ref(),
            dependencies: self.dependencies.as_deref(),
            stop: self.stop,
            stalls: self.stalls,
            order: self.order,
            threads: self.threads,
            path: self.path,
        };
        run.run(&mut flows.iter().copied(), observer)
    }

    /// Sets the smallest buffer that every switch accepts under PFC, plus `spare` bytes.
    pub(crate) fn use_least_buffer(&mut self, spare: u64) {
        let FlowControl::Pfc(pfc) = self.config.flow_control.clone() else {
            panic!("only PFC keeps buffer for ports");
        };
        let config = &mut self.config;
        config.buffer.size = Bytes::ZERO;
        for switch in self.topology.hosts..self.topology.nodes() {
            let own = self.ports.of(NodeId(switch)).iter();
            let links = own.map(|port| config.ingress_link(port, &self.topology));
            let kept = pfc.kept(links, &config.buffer, &config.packets, config.model.clock);
            if config.buffer.size <= kept {
                config.buffer.size = kept + Bytes::new(spare);
            }
        }
    }

    /// Every flow sends at line rate.
    pub(crate) fn uncontrolled(&self) -> Algorithm<'_> {
        self.algorithm(AlgorithmConfig::None(UncontrolledConfig::default()))
    }

    /// HPCC as in the papers: additive increase 50 Mb/s, five stages.
    pub(crate) fn hpcc(&self) -> Algorithm<'_> {
        self.algorithm(AlgorithmConfig::Hpcc(HpccConfig::default()))
    }

    pub(crate) fn algorithm(&self, config: AlgorithmConfig) -> Algorithm<'_> {
        Algorithm {
            network: self,
            config,
        }
    }

    /// Global index of the port of `node` that leads to `peer`.
    pub(crate) fn port(&self, node: u32, peer: u32) -> usize {
        let own = self.ports.of(NodeId(node));
        let number = own.iter().position(|port| port.peer == NodeId(peer));
        let number = number.expect("a link between the two") as u16;
        self.ports.index(NodeId(node), number) as usize
    }
}

fn standard() -> NetworkConfig {
    let threshold = PfcThreshold::Dynamic { shift: 3 };
    NetworkConfig::standard(pfc(threshold, Headroom::WorstCase))
}

/// The switch programs that these needs request.
pub(crate) fn requested(needs: &Needs) -> Vec<SwitchProgram> {
    let programs = needs.programs.iter();
    let programs = programs.map(|request| SwitchProgram::requested(request).expect("it exists"));
    programs.collect()
}

impl Network {
    /// The network with the programs, routes and recovery that an algorithm needs.
    pub(crate) fn with_programs(mut self, needs: &Needs) -> Self {
        let facts = NetworkFacts {
            base_rtt: self.base_rtt,
            base_window: self.base_window,
        };
        let mut programs = requested(needs);
        for program in &mut programs {
            program.complete(&facts).expect("it suits the network");
        }
        if programs
            .iter()
            .any(|program| program.demands().symmetric_paths)
        {
            self.config.routing = Routing::SymmetricEcmp;
            self.routes = Routes::shortest(&self.topology, NextHopOrder::AscendingNode);
        }
        self.config.programs = programs;
        self
    }

    /// The network with routes on spanning trees, which are symmetric on any graph.
    pub(crate) fn with_spanning_trees(mut self) -> Self {
        self.config.routing = Routing::SpanningTrees;
        self.routes = Routes::spanning_trees(&self.topology, NextHopOrder::ByPort);
        self
    }
}

/// PFC that resumes 3 KiB below the threshold, as in the artifact.
pub(crate) fn pfc(threshold: PfcThreshold, headroom: Headroom) -> FlowControl {
    FlowControl::Pfc(PfcConfig {
        threshold,
        resume_offset: Bytes::new(3072),
        headroom,
    })
}

/// The same algorithm for all flows.
pub(crate) struct Algorithm<'a> {
    network: &'a Network,
    config: AlgorithmConfig,
}

impl Controllers for Algorithm<'_> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        self.config.build(&self.network.context(flow))
    }

    fn needs(&self) -> Needs {
        self.config.needs()
    }
}

impl Network {
    pub(crate) fn context(&self, flow: &Flow) -> FlowContext {
        let packets = &self.config.packets;
        FlowContext {
            flow: flow.id,
            line_rate: self.ports.of(flow.source.into())[0].rate,
            base_rtt: self.base_rtt,
            base_window: self.base_window,
            mtu: packets.mtu,
            wire_mtu: packets.mtu + self.data_overhead(),
            size: flow.size,
            trims: false,
            seed: flow.id.0.into(),
        }
    }

    /// Bytes of a data packet's headers, including INT and timestamp.
    pub(crate) fn data_overhead(&self) -> Bytes {
        let on_data = self.config.int == IntSource::Data;
        let packets = &self.config.packets;
        packets.data_header + self.timestamp() + or_nothing(on_data, packets.int)
    }

    /// Size of an ACK on the wire.
    pub(crate) fn ack_size(&self) -> Bytes {
        let packets = &self.config.packets;
        let on_acks = self.config.int == IntSource::Acks;
        let int = or_nothing(self.config.int != IntSource::Off, packets.int);
        let flows = or_nothing(on_acks, packets.receiver_flows);
        (packets.ack + self.timestamp() + int + flows).max(packets.minimum)
    }

    fn timestamp(&self) -> Bytes {
        or_nothing(self.config.timestamps, self.config.packets.timestamp)
    }
}

fn or_nothing(wanted: bool, size: Bytes) -> Bytes {
    if wanted { size } else { Bytes::ZERO }
}

/// Borrowed controllers.
pub(crate) struct Lent<'a>(pub(crate) &'a dyn Controllers);

impl Controllers for Lent<'_> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        self.0.create(flow)
    }

    fn group(&self, flow: &Flow) -> u16 {
        self.0.group(flow)
    }

    fn calls(&self, flow: &Flow, common: NicCalls) -> NicCalls {
        self.0.calls(flow, common)
    }

    fn failure(&self) -> Option<String> {
        self.0.failure()
    }

    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }

    fn needs(&self) -> Needs {
        self.0.needs()
    }
}

/// Controllers made by a function.
pub(crate) struct With<F>(pub(crate) F);

impl<F: Fn(&Flow) -> Box<dyn FlowController> + Send + Sync> Controllers for With<F> {
    fn create(&self, flow: &Flow) -> Box<dyn FlowController> {
        (self.0)(flow)
    }

    /// The needs of all algorithms together.
    fn needs(&self) -> Needs {
        Needs {
            sent_packets: true,
            timers: true,
            reschedules_pending: true,
            ..Needs::default()
        }
    }
}

/// Keeps completed flows.
pub(crate) struct Finished(pub(crate) Vec<FlowRecord>);

impl Observer for Finished {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn finished(&mut self, flows: &[FlowRecord]) {
        self.0.extend_from_slice(flows);
    }
}

impl Outcome {
    /// Flow completion time of flow `id`.
    pub(crate) fn fct(&self, id: u32) -> Time {
        let flow = self.record(id);
        flow.finish - flow.start
    }

    pub(crate) fn record(&self, id: u32) -> &FlowRecord {
        let place = self.by_id.binary_search_by_key(&FlowId(id), |flow| flow.id);
        &self.by_id[place.unwrap_or_else(|_| panic!("flow {id} completed"))]
    }

    pub(crate) fn retransmitted(&self) -> u64 {
        self.flows
            .iter()
            .map(|flow| u64::from(flow.counters.retransmitted))
            .sum()
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.recording.ports.iter().map(|port| port.dropped).sum()
    }

    pub(crate) fn pauses(&self) -> u64 {
        let ports = &self.recording.ports;
        ports.iter().map(|port| port.pauses_sent).sum()
    }

    /// Every flow completed once, and every byte was delivered once. (The run itself checks that
    /// buffers are empty and no port is paused.)
    pub(crate) fn check_books(&self, flows: &[Flow]) {
        let completed: Vec<u32> = self.by_id.iter().map(|flow| flow.id.0).collect();
        let mut given: Vec<u32> = flows.iter().map(|flow| flow.id.0).collect();
        given.sort_unstable();
        assert_eq!(completed, given, "flows completed and flows given");
        let bytes: Bytes = flows.iter().map(|flow| flow.size).sum();
        assert_eq!(self.recording.delivered, bytes, "delivered");
        let count = flows.len() as u64;
        assert_eq!(
            (self.recording.started, self.recording.finished),
            (count, count)
        );
    }
}

/// Threads among which nodes are repeatedly divided at random.
pub(crate) fn several_threads(count: usize, seed: u64) -> Threads {
    Threads {
        count: NonZeroUsize::new(count).expect("some threads"),
        partitioning: Partitioning::Random(seed),
    }
}

/// A flow that starts at time 0.
pub(crate) fn flow(id: u32, source: u32, destination: u32, size: u64) -> Flow {
    Flow {
        id: FlowId(id),
        start: Time::ZERO,
        source: HostId(source),
        destination: HostId(destination),
        size: Bytes::new(size),
        tag: 0,
        lane: 0,
        source_port: 10_000_u16.wrapping_add(id as u16),
    }
}

/// The same, later.
pub(crate) fn at(start: Time, flow: Flow) -> Flow {
    Flow { start, ..flow }
}

pub(crate) fn star(hosts: u32) -> Topology {
    star_of(hosts, Rate::from_gbps(100), Time::from_us(1))
}

pub(crate) fn star_of(hosts: u32, rate: Rate, delay: Time) -> Topology {
    let star = Star {
        hosts,
        rate,
        delay,
        ..Star::default()
    };
    star.build().expect("a star")
}

/// One sender, `switches` switches and one receiver, with links of 100 Gb/s and 1.5 µs.
pub(crate) fn chain(switches: u32) -> Topology {
    let dumbbell = Dumbbell {
        switches,
        senders: 1,
        ..Dumbbell::default()
    };
    dumbbell.build().expect("a chain")
}

pub(crate) fn fat_tree(k: u32) -> Topology {
    let tree = FatTree {
        k,
        ..FatTree::default()
    };
    tree.build().expect("a fat tree")
}

pub(crate) fn clos_320() -> Topology {
    Clos320::default().build().expect("a Clos network")
}

/// A star with a rate for each host link, and the same delay for all.
pub(crate) fn uneven_star(rates: &[Rate], delay: Time) -> Topology {
    let hosts = rates.len() as u32;
    let links = (0..hosts)
        .zip(rates)
        .map(|(host, &rate)| Link::new(NodeId(host), NodeId(hosts), rate, delay))
        .collect();
    Topology::new("uneven star", hosts, 1, links)
}

/// A constant send limit.
#[derive(Clone)]
pub(crate) struct Fixed(pub(crate) SendLimit);

impl CongestionControl for Fixed {
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}

    fn limit(&self) -> SendLimit {
        self.0
    }
}
