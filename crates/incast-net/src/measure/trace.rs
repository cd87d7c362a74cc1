//! The packet trace: events of packets, one by one.
//!
//! A run that traces no packets is compiled without it: nodes write to a [`Log`], and where that
//! is [`Silent`] nothing is left of the hooks.

use std::ops::{Deref, DerefMut};

use incast_units::{Bytes, FlowId, NodeId, Time};
use rustc_hash::FxHashMap;

use super::{PacketEvent, PacketRecord, PacketTrace, Recorder, TraceConfig};
use crate::flow::Flow;
use crate::wire::{Kind, Packet};

/// The log that the nodes of one thread write to.
pub(crate) trait Log: DerefMut<Target = Recorder> + Send {
    /// Whether packets are traced.
    const TRACES: bool;

    /// All that follows happens at `node`.
    fn enter(&mut self, node: NodeId);

    /// `queue` bytes wait at the port, beside this packet.
    fn note<const WORDS: usize>(
        &mut self,
        time: Time,
        event: PacketEvent,
        port: usize,
        packet: &Packet<WORDS>,
        queue: u64,
    );

    /// A flow that will start.
    fn announce(&mut self, flow: &Flow);

    /// Nothing will happen any more before the events of the next step.
    fn end_step(&mut self);

    /// Takes all that was written.
    fn take_parts(&mut self) -> (Recorder, Option<PacketTrace>);
}

/// Traces no packets.
#[derive(Clone, Debug)]
pub(crate) struct Silent(pub(crate) Recorder);

impl Log for Silent {
    const TRACES: bool = false;

    #[inline(always)]
    fn enter(&mut self, _node: NodeId) {}

    #[inline(always)]
    fn note<const WORDS: usize>(
        &mut self,
        _time: Time,
        _event: PacketEvent,
        _port: usize,
        _packet: &Packet<WORDS>,
        _queue: u64,
    ) {
    }

    #[inline(always)]
    fn announce(&mut self, _flow: &Flow) {}

    #[inline(always)]
    fn end_step(&mut self) {}

    fn take_parts(&mut self) -> (Recorder, Option<PacketTrace>) {
        (self.0.take(), None)
    }
}

impl Deref for Silent {
    type Target = Recorder;

    #[inline(always)]
    fn deref(&self) -> &Recorder {
        &self.0
    }
}

impl DerefMut for Silent {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Recorder {
        &mut self.0
    }
}

/// What the trace goes by to tell sequence numbers, payload and paths of packets.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PacketFacts {
    /// Payload of a full packet.
    pub(crate) mtu: u64,
    /// All headers.
    pub(crate) data_overhead: u64,
    /// Whether all packets of a flow take one path.
    pub(crate) keeps_paths: bool,
}

/// Traces the packets that its configuration asks for.
#[derive(Clone, Debug)]
pub(crate) struct Tracing {
    recorder: Recorder,
    config: TraceConfig,
    /// By node: global index of its first port.
    first_ports: Vec<u32>,
    facts: PacketFacts,
    /// Where the current event happens.
    node: NodeId,
    /// Those of one node in the order in which they happened.
    events: Vec<PacketRecord>,
    /// The size of each flow: ACKs number packets, of which the last may be short.
    sizes: FxHashMap<FlowId, Bytes>,
    /// Events after this are not among the first.
    until: Time,
    /// How many events may be there within a step.
    room: usize,
    /// From when on events were left out, the limit being reached.
    cut: Option<Time>,
}

/// How many events may be there before as many as these are picked from them.
fn room(kept: usize) -> usize {
    kept.saturating_add((kept / 4).max(16_384))
}

impl Tracing {
    pub(crate) fn new(
        recorder: Recorder,
        config: &TraceConfig,
        facts: PacketFacts,
        first_ports: Vec<u32>,
    ) -> Self {
        Self {
            recorder,
            config: config.clone(),
            first_ports,
            facts,
            node: NodeId(0),
            events: Vec::new(),
            sizes: FxHashMap::default(),
            until: Time::MAX,
            room: room(config.limit),
            cut: None,
        }
    }

    fn wants(&self, time: Time, port: usize, flow: Option<FlowId>) -> bool {
        let TraceConfig {
            ports,
            flows,
            from,
            until,
            ..
        } = &self.config;
        let port = self.first_ports[self.node.index()] + port as u32;
        self.cut.is_none()
            && time <= self.until
            && (*from..*until).contains(&time)
            && ports
                .as_ref()
                .is_none_or(|ports| ports.binary_search(&port).is_ok())
            && flows
                .as_ref()
                .is_none_or(|flows| flow.is_some_and(|flow| flows.binary_search(&flow).is_ok()))
    }

    /// Leaves out events that are not among the first, whatever else the step will bring, which may
    /// be long and bring earlier ones.
    #[cold]
    fn bound(&mut self) {
        let mut times: Vec<Time> = self.events.iter().map(|event| event.time).collect();
        let (_, &mut last, _) = times.select_nth_unstable(self.config.limit);
        self.events.retain(|event| event.time <= last);
        self.until = last;
        // Many may have one time.
        self.room = room(self.events.len().max(self.config.limit));
    }

    /// In order of time and node, and as they happened at each node.
    fn sort(&mut self) {
        self.events.sort_by_key(|event| (event.time, event.node));
    }
}

impl Log for Tracing {
    const TRACES: bool = true;

    fn enter(&mut self, node: NodeId) {
        self.node = node;
    }

    fn note<const WORDS: usize>(
        &mut self,
        time: Time,
        event: PacketEvent,
        port: usize,
        packet: &Packet<WORDS>,
        queue: u64,
    ) {
        let flow = (!packet.is_pfc()).then_some(FlowId(packet.flow()));
        if !self.wants(time, port, flow) {
            return;
        }
        let wire = u64::from(packet.size());
        let payload = if packet.is_data() {
            wire - self.facts.data_overhead
        } else {
            0
        };
        self.events.push(PacketRecord {
            time,
            node: self.node,
            port: port as u16,
            event,
            kind: packet.kind().shown(),
            flow,
            sequence: match packet.is(Kind::Probe) {
                true => Bytes::ZERO,
                false => Bytes::new(u64::from(packet.psn()) * self.facts.mtu),
            },
            payload: Bytes::new(payload),
            wire: Bytes::new(wire),
            queue: Bytes::new(queue),
            marked: packet.marked(),
            entropy: match self.facts.keeps_paths || flow.is_none() {
                true => None,
                false => Some(packet.entropy()),
            },
        });
        if self.events.len() > self.room {
            self.bound();
        }
    }

    fn announce(&mut self, flow: &Flow) {
        let wanted = &self.config.flows;
        if wanted
            .as_ref()
            .is_none_or(|flows| flows.binary_search(&flow.id).is_ok())
        {
            self.sizes.insert(flow.id, flow.size);
        }
    }

    /// The kept events end between two times, so they do not depend on the order of nodes.
    fn end_step(&mut self) {
        if self.events.len() <= self.config.limit {
            return;
        }
        self.sort();
        let cut = self.events[self.config.limit].time;
        let kept = self.events.partition_point(|event| event.time < cut);
        self.events.truncate(kept);
        self.cut = Some(cut);
    }

    fn take_parts(&mut self) -> (Recorder, Option<PacketTrace>) {
        self.sort();
        for event in &mut self.events {
            if let Some(&size) = event.flow.and_then(|flow| self.sizes.get(&flow)) {
                event.sequence = event.sequence.min(size);
            }
        }
        let trace = PacketTrace {
            events: std::mem::take(&mut self.events),
            cut: self.cut,
        };
        (self.recorder.take(), Some(trace))
    }
}

impl Deref for Tracing {
    type Target = Recorder;

    fn deref(&self) -> &Recorder {
        &self.recorder
    }
}

impl DerefMut for Tracing {
    fn deref_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }
}
