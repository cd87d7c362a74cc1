//! Small networks, flows and models at random, for properties that must hold for all of them.

use std::iter;

use incast_cc::{AlgorithmConfig, Needs, Part};
use incast_net::{
    AckClass, AckPolicy, Clock, CnpConfig, Contention, DropConfig, EcmpHash, Flow, FlowControl,
    Headroom, IntSource, Model, NicCalls, PfcThreshold, PortBufferConfig, PortLimit, RecoveryKind,
    Routing, Ties,
};
use incast_signals::EcnOptions;
use incast_topology::{Link, NextHopOrder, ParallelLinks, Routes, Topology};
use incast_units::{Bytes, FlowId, HostId, NodeId, Rate, Time};
use proptest::prelude::*;

use crate::mixed::{second, together};
use crate::support::{Network, pfc, requested};

/// A random network, with its flows and model.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    topology: Topology,
    pub(crate) flows: Vec<Flow>,
    model: Model,
    flow_control: FlowControl,
    algorithm: AlgorithmConfig,
    /// The algorithm of flows with odd numbers, if it differs.
    second: Option<AlgorithmConfig>,
    mtu: u64,
    /// Shared bytes under PFC, or the whole buffer if packets may be dropped.
    buffer: u64,
    acks: AckPolicy,
    int: bool,
    timestamps: bool,
    cnps: bool,
    /// Whether only lost packets are retransmitted, though no algorithm needs this.
    selective: bool,
    /// Queue length in bytes from which packets are marked.
    k_min: u64,
    pub(crate) seed: u64,
}

impl Setting {
    pub(crate) fn network(&self) -> Network {
        let mut network =
            Network::new(self.topology.clone()).with_flow_control(self.flow_control.clone());
        let needs = self.needs();
        let config = &mut network.config;
        config.model = self.model.clone();
        config.packets.mtu = Bytes::new(self.mtu);
        config.seed = self.seed;
        config.contention = match self.seed % 4 {
            0 => Contention::Tail,
            _ => Contention::Random,
        };
        if self.is_selective() {
            config.recovery.kind = RecoveryKind::Selective;
        }
        config.timestamps = self.timestamps || needs.timestamp;
        config.acks = match needs.per_packet_ack {
            true => AckPolicy::Packets(1),
            false => self.acks,
        };
        if self.int || needs.int == IntSource::Data {
            config.int = IntSource::Data;
        }
        if needs.int == IntSource::Acks {
            config.int = IntSource::Acks;
            config.int_table_period = (!self.int).then_some(Time::from_ns(700));
            config.routing = Routing::SpanningTrees;
            network.routes = Routes::spanning_trees(&network.topology, NextHopOrder::ByPort);
        }
        if !needs.programs.is_empty() {
            network.base_rtt = network.base_rtt.max(self.longest_base_rtt());
            network = network.with_programs(&needs).with_spanning_trees();
            let config = &mut network.config;
            if config
                .programs
                .iter()
                .any(|program| program.demands().lossless)
            {
                config.recovery.kind = RecoveryKind::GoBackN;
            }
        }
        let config = &mut network.config;
        if self.cnps || needs.cnp.is_some() {
            config.cnp = CnpConfig::Interval(needs.cnp.unwrap_or(Time::from_us(4)));
        }
        let [low, high] = [self.k_min, 4 * self.k_min].map(Bytes::new);
        config.ecn = Some(EcnOptions::red(low, high, 0.5));
        match self.flow_control {
            FlowControl::Pfc(_) => network.use_least_buffer(self.buffer),
            FlowControl::Drop(_) => network.config.buffer.size = Bytes::new(self.buffer),
        }
        network
    }

    /// Upper bound of all base RTTs: a full packet crosses all links in both directions. Programs
    /// forget state older than a few RTTs, so users may not give them a shorter base RTT.
    fn longest_base_rtt(&self) -> Time {
        let packet = Bytes::new(self.mtu + 200);
        let once = |link: &Link| link.rate.transmission_time(packet) + link.delay;
        self.topology.links.iter().map(once).sum::<Time>() * 2
    }

    /// The setting with one of its flows, without anything that delays it or saves ACKs.
    pub(crate) fn alone(&self) -> Self {
        let mut setting = self.clone();
        setting.flows.truncate(1);
        setting.flows[0].start = Time::ZERO;
        setting.use_only("none");
        setting.acks = AckPolicy::Packets(1);
        setting.buffer = 1 << 30;
        let never = PfcThreshold::Static(Bytes::new(1 << 30));
        setting.flow_control = pfc(never, Headroom::WorstCase);
        setting
    }

    /// Whether only lost packets are retransmitted.
    pub(crate) fn is_selective(&self) -> bool {
        self.selective || self.needs().selective_repeat
    }

    /// Gives all flows this algorithm.
    pub(crate) fn use_only(&mut self, name: &str) {
        self.algorithm = AlgorithmConfig::with_defaults(name, None).expect("it is registered");
        self.second = None;
    }

    pub(crate) fn algorithm_of(&self, flow: &Flow) -> &AlgorithmConfig {
        match &self.second {
            Some(second) if self.group(flow) == 1 => second,
            _ => &self.algorithm,
        }
    }

    /// The group of flows that have this flow's algorithm.
    pub(crate) fn group(&self, flow: &Flow) -> u16 {
        u16::from(self.second.is_some() && !flow.id.0.is_multiple_of(2))
    }

    /// All algorithms of the setting's flows.
    pub(crate) fn algorithms(&self) -> impl Iterator<Item = &AlgorithmConfig> {
        iter::once(&self.algorithm).chain(&self.second)
    }

    /// The needs of all algorithms together.
    pub(crate) fn needs(&self) -> Needs {
        let mut all = self.algorithms().map(AlgorithmConfig::needs);
        let first = all.next().expect("there is one");
        all.fold(first, |needs, other| together(&needs, &other))
    }

    pub(crate) fn calls(&self, flow: &Flow, common: NicCalls) -> NicCalls {
        if self.second.is_none() {
            return common;
        }
        let needs = self.algorithm_of(flow).needs();
        NicCalls {
            cnps: needs.cnp.is_some() || self.needs().cnp.is_none(),
            ..NicCalls::from(&needs)
        }
    }

    /// The setting with links of one length, so that a window has many events.
    pub(crate) fn with_equal_delays(&self, delay: Time) -> Self {
        let mut setting = self.clone();
        let links = &mut setting.topology.links;
        links.iter_mut().for_each(|link| link.delay = delay);
        setting
    }

    /// The setting on a clock of nanoseconds, if it has another clock.
    pub(crate) fn with_coarse_clock(&self) -> Self {
        let mut setting = self.clone();
        setting.model.clock = Clock::Nanoseconds;
        setting
    }

    /// Whether nodes may be handled in any order; with one global queue they may not.
    pub(crate) fn has_windows(&self) -> bool {
        self.model.ties != Ties::Insertion
    }
}

/// Trees, in which shortest paths lead up and then down: no cycle of full buffers can arise, so PFC
/// must not deadlock.
pub(crate) fn lossless() -> impl Strategy<Value = Setting> {
    let threshold = prop_oneof![
        (0_u32..=4).prop_map(|shift| PfcThreshold::Dynamic { shift }),
        (0_u64..=10_000).prop_map(|bytes| PfcThreshold::Static(Bytes::new(bytes))),
    ];
    let flow_control = threshold.prop_map(|threshold| pfc(threshold, Headroom::WorstCase));
    // As many rates as the code of quantised INT distinguishes.
    let gbps = &[1, 3, 7, 10, 25, 40, 100, 400];
    setting(topology(gbps, 0), flow_control, 1..30_000)
}

/// Any connected graph, with packet drops.
pub(crate) fn lossy() -> impl Strategy<Value = Setting> {
    let drop = (1_u32..=8, 10_000_u64..=60_000).prop_map(|(alpha, limit)| {
        FlowControl::Drop(DropConfig::Shared {
            alpha: f64::from(alpha) / 4.0,
            queue_limit: Bytes::new(limit),
        })
    });
    setting(topology(&[10, 25, 40, 100], 4), drop, 150_000..600_000)
}

/// Settings with drops, a buffer for each port, and flows that meet at one or two hosts.
pub(crate) fn lossy_by_port() -> impl Strategy<Value = Setting> {
    let drop = (5_000_u64..=40_000).prop_map(|limit| {
        let limit = PortLimit::Size(Bytes::new(limit));
        FlowControl::Drop(DropConfig::PerPort(PortBufferConfig::of(limit)))
    });
    // No packet fits into a buffer that ports would share.
    setting(topology(&[10, 25, 40, 100], 4), drop, 1..2).prop_map(|mut setting| {
        for flow in &mut setting.flows {
            let receiver = HostId(flow.id.0 % 2);
            if flow.source != receiver {
                flow.destination = receiver;
            }
        }
        setting
    })
}

fn setting(
    topology: impl Strategy<Value = Topology>,
    flow_control: impl Strategy<Value = FlowControl>,
    buffer: std::ops::Range<u64>,
) -> impl Strategy<Value = Setting> {
    let mtu = prop::sample::select(vec![100_u64, 1_000, 1_440, 4_096]);
    let network = (topology, mtu).prop_flat_map(|(topology, mtu)| {
        let flows = flows(topology.hosts, mtu);
        (Just(topology), Just(mtu), flows)
    });
    let options = (acks(), any::<[bool; 4]>(), 1_000_u64..=50_000);
    (
        network,
        model(),
        flow_control,
        algorithm(),
        buffer,
        options,
        0_u64..1_000,
    )
        .prop_map(
            |((topology, mtu, flows), model, flow_control, algorithm, buffer, options, seed)| {
                let (acks, [int, timestamps, cnps, selective], k_min) = options;
                let algorithm = fitting(algorithm, &flow_control);
                let (model, topology) = on_coarse_clock(model, topology, seed);
                Setting {
                    topology,
                    flows,
                    model,
                    flow_control,
                    second: second(&algorithm, seed),
                    algorithm,
                    mtu,
                    buffer,
                    acks,
                    int,
                    timestamps,
                    cnps,
                    selective,
                    k_min,
                    seed,
                }
            },
        )
}

/// One ACK for some packets, or for some bytes.
fn acks() -> impl Strategy<Value = AckPolicy> {
    prop_oneof![
        3 => (1_u32..=4).prop_map(AckPolicy::Packets),
        1 => (1_u64..=20_000).prop_map(|bytes| AckPolicy::Bytes(Bytes::new(bytes))),
    ]
}

/// One in five settings gets a clock of nanoseconds, with link delays that are no whole
/// nanoseconds.
fn on_coarse_clock(mut model: Model, mut topology: Topology, seed: u64) -> (Model, Topology) {
    if model.ties != Ties::Insertion && seed % 5 == 4 {
        model.clock = Clock::Nanoseconds;
        let links = topology.links.iter_mut();
        links.for_each(|link| link.delay += Time::from_ps(seed % 1_000));
    }
    (model, topology)
}

/// The algorithm, without its parts if these need a lossless network.
fn fitting(algorithm: AlgorithmConfig, flow_control: &FlowControl) -> AlgorithmConfig {
    let programs = requested(&algorithm.needs());
    let mut demands = programs.iter().map(|program| program.demands());
    match flow_control {
        FlowControl::Drop(_) if demands.any(|demands| demands.lossless) => {
            AlgorithmConfig::with_defaults(algorithm.name(), None).expect("it is registered")
        }
        _ => algorithm,
    }
}

/// Any algorithm with any of its parts.
fn algorithm() -> impl Strategy<Value = AlgorithmConfig> {
    let chosen = (
        prop::sample::select(AlgorithmConfig::built_in()),
        any::<[bool; Part::ALL.len()]>(),
    );
    chosen.prop_map(|(info, chosen)| {
        let parts = AlgorithmConfig::parts_of(info.name).iter().zip(chosen);
        let parts: Vec<_> = parts
            .filter_map(|(part, chosen)| chosen.then_some(*part))
            .collect();
        AlgorithmConfig::with_parts(info.name, None, &parts).expect("it is registered")
    })
}

fn model() -> impl Strategy<Value = Model> {
    let artifact = (1_u64..=4, any::<bool>()).prop_map(|(multiplier, ack_high_priority)| Model {
        ack_class: match ack_high_priority {
            true => AckClass::Control,
            false => AckClass::Data,
        },
        ..Model::hpcc_ns3(multiplier, ack_high_priority)
    });
    let standard = any::<[bool; 3]>().prop_map(|[acks_among_data, murmur, hash]| Model {
        ties: match hash {
            true => Ties::Hash,
            false => Ties::Port,
        },
        ack_class: match acks_among_data {
            true => AckClass::Data,
            false => AckClass::Control,
        },
        ack_pausable_at_host: acks_among_data,
        ecmp: match murmur {
            true => EcmpHash::Murmur3,
            false => EcmpHash::Mixed,
        },
        ..Model::standard()
    });
    prop_oneof![3 => standard, 1 => artifact]
}

/// 1 to 5 switches joined to a tree, with at most as many extra links, and 2 to 8 hosts anywhere.
/// Links have any of these rates.
pub(crate) fn topology(
    gbps: &'static [u64],
    most_extra_links: usize,
) -> impl Strategy<Value = Topology> {
    let link = || {
        let rate = prop::sample::select(gbps).prop_map(Rate::from_gbps);
        let delay = prop_oneof![
            Just(Time::from_us(1)),
            (1_u64..=3_000).prop_map(Time::from_ns)
        ];
        (rate, delay)
    };
    let place = any::<prop::sample::Index>;
    let parents = proptest::collection::vec((place(), link(), any::<bool>()), 0..5);
    let hosts = proptest::collection::vec((place(), link()), 2..=8);
    let extra = proptest::collection::vec((place(), place(), link()), 0..=most_extra_links);
    (parents, hosts, extra).prop_map(|(parents, hosts, extra)| {
        let host_count = hosts.len() as u32;
        let switches = parents.len() + 1;
        let switch = |number: usize| NodeId(host_count + number as u32);
        let mut links = Vec::new();
        for ((place, (rate, delay)), host) in hosts.iter().zip(0..) {
            let above = switch(place.index(switches));
            links.push(Link::new(NodeId(host), above, *rate, *delay));
        }
        for ((place, (rate, delay), twice), below) in parents.iter().zip(1..) {
            let (below, above) = (switch(below), switch(place.index(below)));
            for _ in 0..=u32::from(*twice) {
                links.push(Link::new(below, above, *rate, *delay));
            }
        }
        for (one, other, (rate, delay)) in &extra {
            let (one, other) = (one.index(switches), other.index(switches));
            if one != other {
                links.push(Link::new(switch(one), switch(other), *rate, *delay));
            }
        }
        Topology {
            parallel_links: ParallelLinks::Allowed,
            ..Topology::new("random", host_count, switches as u32, links)
        }
    })
}

/// Up to 16 flows of up to 50 packets, in order of their start.
fn flows(hosts: u32, mtu: u64) -> impl Strategy<Value = Vec<Flow>> {
    let flow = (
        0..hosts,
        1..hosts,
        1..=50 * mtu,
        0_u64..=30_000,
        any::<u16>(),
    );
    proptest::collection::vec(flow, 1..=16).prop_map(move |flows| {
        let flow = |(id, (source, distance, size, start, source_port))| Flow {
            id: FlowId(id),
            start: Time::from_ns(start),
            source: HostId(source),
            destination: HostId((source + distance) % hosts),
            size: Bytes::new(size),
            tag: 0,
            lane: 0,
            source_port,
        };
        let mut flows: Vec<Flow> = (0..).zip(flows).map(flow).collect();
        flows.sort_by_key(|flow| flow.start);
        flows
    })
}
