//! The packet trace: events of packets, one by one.
//!
//! Nodes write to a [`Log`]. In a run without a trace the log is [`Silent`], and the compiler
//! removes the hooks.

use std::ops::{Deref, DerefMut};

use incast_units::{Bytes, FlowId, NodeId, Time};
use rustc_hash::FxHashMap;

use super::causes::{CauseRecords, FlowCauses, Heard, PauseCause, SenderRecord};
use super::{PacketEvent, PacketRecord, Recorder, TraceConfig};
use crate::flow::Flow;
use crate::wire::{Kind, Packet};

/// Packet events in order of time and node; events of one node at one time are in the order in
/// which they happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketTrace {
    /// The events.
    pub events: Vec<PacketRecord>,
    /// Time from which on events are left out, if there were more than the limit; all events before
    /// it are here.
    pub cut: Option<Time>,
    /// Causes of waiting of the traced flows, if they were asked for.
    pub causes: Option<CauseRecords>,
}

/// The log that the nodes of one thread write to.
pub(crate) trait Log: DerefMut<Target = Recorder> + Send {
    /// Whether packets are traced.
    const TRACES: bool;

    /// The following calls concern events at `node`.
    fn enter(&mut self, node: NodeId);

    /// Notes an event of a packet; `queue` bytes wait at the port, without this packet.
    fn note<const WORDS: usize>(
        &mut self,
        time: Time,
        event: PacketEvent,
        port: usize,
        packet: &Packet<WORDS>,
        queue: u64,
    );

    /// Announces a flow that will start.
    fn announce(&mut self, flow: &Flow);

    /// Sets the event that a host handles from now on.
    fn hear(&mut self, heard: Heard);

    /// The flows at this host whose senders are traced: those that are open, or will start.
    fn traced_senders(&self, host: NodeId) -> &[FlowId];

    /// Whether this flow is traced at its sender.
    fn traces_sender(&self, host: NodeId, flow: FlowId) -> bool;

    /// Records the state of a flow's sender from now on; `None` before its start, and once it has
    /// completed.
    fn note_sender(&mut self, host: NodeId, flow: FlowId, record: Option<SenderRecord>);

    /// Records why a switch pauses a peer.
    fn note_pause_cause(&mut self, cause: Option<PauseCause>);

    /// Ends a step: all later events belong to the next step.
    fn end_step(&mut self);

    /// Takes everything recorded so far.
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

    fn hear(&mut self, _heard: Heard) {}

    fn traced_senders(&self, _host: NodeId) -> &[FlowId] {
        &[]
    }

    fn traces_sender(&self, _host: NodeId, _flow: FlowId) -> bool {
        false
    }

    fn note_sender(&mut self, _host: NodeId, _flow: FlowId, _record: Option<SenderRecord>) {}

    fn note_pause_cause(&mut self, _cause: Option<PauseCause>) {}

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

/// Facts by which the trace computes sequence numbers, payload and paths of packets.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PacketFacts {
    /// Payload bytes of a full packet.
    pub(crate) mtu: u64,
    /// All headers.
    pub(crate) data_overhead: u64,
    /// Whether all packets of a flow take one path.
    pub(crate) keeps_paths: bool,
}

/// Traces the packets selected by its configuration.
#[derive(Clone, Debug)]
pub(crate) struct Tracing {
    recorder: Recorder,
    config: TraceConfig,
    /// By node: global index of its first port.
    first_ports: Vec<u32>,
    facts: PacketFacts,
    /// The node of the current event.
    node: NodeId,
    /// Events of one node in the order in which they happened.
    events: Vec<PacketRecord>,
    /// Payload of each flow. ACKs number packets, and the last packet may be short.
    sizes: FxHashMap<FlowId, Bytes>,
    /// Causes of waiting, if they are asked for.
    causes: Option<FlowCauses>,
    /// Events after this time are beyond the limit.
    until: Time,
    /// Number of events in a step at which those beyond the limit are dropped.
    room: usize,
    /// Time from which on events are left out, if the limit was reached.
    cut: Option<Time>,
}

/// Number of events at which those beyond the first `kept` are dropped.
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
            causes: config.causes.then(FlowCauses::default),
            until: Time::MAX,
            room: room(config.limit),
            cut: None,
        }
    }

    /// Whether events at this time and port are traced.
    fn looks_at(&self, time: Time, port: u32) -> bool {
        let TraceConfig {
            ports, from, until, ..
        } = &self.config;
        self.cut.is_none()
            && time <= self.until
            && (*from..*until).contains(&time)
            && ports
                .as_ref()
                .is_none_or(|ports| ports.binary_search(&port).is_ok())
    }

    fn wants(&self, flow: Option<FlowId>) -> bool {
        let flows = self.config.flows.as_ref();
        flows.is_none_or(|flows| flow.is_some_and(|flow| flows.binary_search(&flow).is_ok()))
    }

    /// Keeps an event of a traced packet, or of another packet if it is a cause of waiting.
    fn keep(&mut self, is_own: bool, port: u32, record: PacketRecord) {
        match &mut self.causes {
            Some(causes) if is_own => {
                let before = causes.note_own(port, &record);
                self.events.extend(before.into_iter().chain([record]));
            }
            Some(causes) => {
                let kept = causes.note_other(self.node, port, &record);
                self.events.extend(kept);
            }
            None => self.events.push(record),
        }
    }

    /// Drops events beyond the limit, within a step, which may be long. Later events of the step
    /// may have earlier times.
    #[cold]
    fn bound(&mut self) {
        let mut times: Vec<Time> = self.events.iter().map(|event| event.time).collect();
        let (_, &mut last, _) = times.select_nth_unstable(self.config.limit);
        self.events.retain(|event| event.time <= last);
        self.until = last;
        // Many events may have the same time.
        self.room = room(self.events.len().max(self.config.limit));
    }

    /// Sorts events in order of time and node, and as they happened at each node.
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
        let is_own = self.wants(flow);
        let may_be_cause = self.causes.is_some() && event == PacketEvent::Send;
        let global = self.first_ports[self.node.index()] + port as u32;
        if !(is_own || may_be_cause) || !self.looks_at(time, global) {
            return;
        }
        let wire = u64::from(packet.size());
        let payload = if packet.is_data() {
            wire - self.facts.data_overhead
        } else {
            0
        };
        let record = PacketRecord {
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
        };
        self.keep(is_own, global, record);
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
            if let Some(causes) = &mut self.causes {
                causes.announce(flow);
            }
        }
    }

    fn traced_senders(&self, host: NodeId) -> &[FlowId] {
        let causes = self.causes.as_ref();
        causes.map_or(&[], |causes| causes.expected_at(host))
    }

    fn hear(&mut self, heard: Heard) {
        if let Some(causes) = &mut self.causes {
            causes.heard = heard;
        }
    }

    fn traces_sender(&self, host: NodeId, flow: FlowId) -> bool {
        let causes = self.causes.as_ref();
        causes.is_some_and(|causes| causes.knows(host, flow))
    }

    fn note_sender(&mut self, host: NodeId, flow: FlowId, record: Option<SenderRecord>) {
        let Some(causes) = &mut self.causes else {
            return;
        };
        match record {
            Some(record) => causes.note_sender(host, record),
            None => causes.close(host, flow),
        }
    }

    fn note_pause_cause(&mut self, cause: Option<PauseCause>) {
        if let Some(causes) = &mut self.causes {
            causes.pauses.extend(cause);
        }
    }

    /// Drops events beyond the limit. The cut lies between two times, so the kept events do not
    /// depend on the order of nodes.
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
        let causes = self.causes.take().map(FlowCauses::finish);
        let trace = PacketTrace {
            events: std::mem::take(&mut self.events),
            cut: self.cut,
            causes,
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
