//! Why traced flows wait: the states of their senders, and what leaves a port in their place.
//!
//! A flow waits at its sender, in a [`SendState`], or at a port, where its packets queue. Of each
//! such port the packets of all flows are traced that begin to leave while one of its own waits,
//! and the one that is leaving when it comes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use incast_units::{Bytes, FlowId, NodeId, Rate, Time};
use rustc_hash::FxHashMap;

use super::{PacketEvent, PacketRecord};
use crate::flow::Flow;
use crate::wire::PacketKind;

/// What keeps the next packet of a flow from its NIC.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SendState {
    /// Nothing keeps it but the link.
    Ready,
    /// Its pace; until then.
    Pacing(Time),
    /// The window is full: as many bytes are in flight as the window admits.
    Window,
    /// A grant: what it may send was told by sequence number, or has not been told yet.
    Grant,
    /// Credit of its receiver.
    Credit,
    /// Other flows of its QP, or of those that share its limit, come first.
    Turn,
    /// All of it has been sent, and nothing is known to be lost.
    SentAll,
}

/// What a sender has heard when it changes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Heard {
    /// An ACK or NACK comes.
    Ack,
    /// A CNP comes.
    Cnp,
    /// A timer of the algorithm or of a loss expires.
    Timer,
    /// A packet leaves.
    Sent,
    /// Its flow starts, or a packet of a host program comes or is due.
    #[default]
    Other,
}

/// The sender of a flow, from this moment on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SenderRecord {
    /// When.
    pub time: Time,
    /// The flow.
    pub flow: FlowId,
    /// What keeps its next packet.
    pub state: SendState,
    /// Payload bytes that may be in flight.
    pub window: Bytes,
    /// Its pace.
    pub rate: Rate,
    /// Retransmission timeouts so far.
    pub timeouts: u32,
    /// Whether its next packet has been sent before, and is taken for lost.
    pub sends_again: bool,
    /// What the sender had heard when it became so.
    pub heard: Heard,
}

impl SenderRecord {
    /// Whether it says the same of a later moment.
    fn goes_on_as(&self, later: &Self) -> bool {
        let later = Self {
            time: self.time,
            heard: self.heard,
            ..*later
        };
        *self == later
    }
}

/// What a flow met at a port from the moment when its first packet came there to that when its last
/// one left: the data of another flow, or its own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CompanyRecord {
    /// The flow of the trace.
    pub flow: FlowId,
    /// Where.
    pub node: NodeId,
    /// Port of that node.
    pub port: u16,
    /// Since when.
    pub since: Time,
    /// Whose data.
    pub other: FlowId,
    /// Data packets that began to leave.
    pub packets: u64,
    /// Bytes on the wire of these.
    pub wire: Bytes,
    /// When the first and the last of these began to leave.
    pub first: Time,
    /// See [`CompanyRecord::first`].
    pub last: Time,
    /// Bytes on the wire of the last one.
    pub last_wire: Bytes,
}

/// A switch pauses a peer: whose packets, and where most of them wait.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PauseCause {
    /// When the frame is made.
    pub time: Time,
    /// The switch.
    pub node: NodeId,
    /// The port whose peer it pauses.
    pub port: u16,
    /// Bytes on the wire of data that came by it and wait.
    pub waiting: Bytes,
    /// The port at which most of these wait.
    pub queue_port: u16,
    /// Bytes that wait at that queue.
    pub at_queue: Bytes,
    /// The flow with the most of those.
    pub flow: FlowId,
    /// What it has of them.
    pub of_flow: Bytes,
}

impl PauseCause {
    /// That of a pause of the peer of a port, by what waits: the port at which each packet waits
    /// that came by it, its flow and its bytes. `None` if nothing waits. Of equal ones the lower
    /// number counts.
    pub(crate) fn of(
        (time, node, port): (Time, NodeId, u16),
        waiting: impl Iterator<Item = (u16, FlowId, u64)>,
    ) -> Option<Self> {
        let mut queues = BTreeMap::<u16, BTreeMap<FlowId, u64>>::new();
        for (queue, flow, bytes) in waiting {
            *queues.entry(queue).or_default().entry(flow).or_default() += bytes;
        }
        let total = |flows: &BTreeMap<FlowId, u64>| flows.values().sum::<u64>();
        let most =
            |(queue, flows): &(&u16, &BTreeMap<FlowId, u64>)| (total(flows), Reverse(**queue));
        let (queue, flows) = queues.iter().max_by_key(most)?;
        let (flow, of_flow) = flows
            .iter()
            .max_by_key(|(flow, bytes)| (**bytes, Reverse(**flow)))?;
        Some(Self {
            time,
            node,
            port,
            waiting: Bytes::new(queues.values().map(total).sum()),
            queue_port: *queue,
            at_queue: Bytes::new(total(flows)),
            flow: *flow,
            of_flow: Bytes::new(*of_flow),
        })
    }
}

/// All that was written down of causes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CauseRecords {
    /// What kept flows at their senders, in order of time.
    pub senders: Vec<SenderRecord>,
    /// Other flows whose data they met at ports, by flow and port.
    pub company: Vec<CompanyRecord>,
    /// Why switches paused peers, in order of time and node.
    pub pauses: Vec<PauseCause>,
}

/// What a flow of the trace meets at a port.
#[derive(Clone, Debug)]
struct Meeting {
    flow: FlowId,
    /// When its first packet came, or left.
    since: Time,
    /// By flow, up to its last packet so far.
    company: BTreeMap<FlowId, CompanyRecord>,
    /// What has left since then.
    pending: Vec<PacketRecord>,
}

impl Meeting {
    /// Data begin to leave.
    fn note_sent(&mut self, record: &PacketRecord, other: FlowId) {
        if other != self.flow {
            return self.pending.push(*record);
        }
        for earlier in std::mem::take(&mut self.pending) {
            self.count(&earlier);
        }
        self.count(record);
    }

    fn count(&mut self, record: &PacketRecord) {
        let Some(other) = record.flow else {
            return;
        };
        let met = self.company.entry(other).or_insert(CompanyRecord {
            flow: self.flow,
            node: record.node,
            port: record.port,
            since: self.since,
            other,
            packets: 0,
            wire: Bytes::ZERO,
            first: record.time,
            last: record.time,
            last_wire: record.wire,
        });
        met.packets += 1;
        met.wire += record.wire;
        (met.last, met.last_wire) = (record.time, record.wire);
    }
}

/// A packet that waits at a port: its flow, kind, sequence number and entropy.
type WaitingPacket = (Option<FlowId>, u8, Bytes, Option<u16>);

fn key(record: &PacketRecord) -> WaitingPacket {
    let kind = record.kind as u8;
    (record.flow, kind, record.sequence, record.entropy)
}

/// What keeps the flows of a trace.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowCauses {
    /// Flows that will start, or have not completed, by host.
    expected: FxHashMap<NodeId, Vec<FlowId>>,
    /// The host of each of them.
    known: FxHashMap<FlowId, NodeId>,
    /// How many have started and not completed, by host.
    open: FxHashMap<NodeId, usize>,
    /// The last record of each open one.
    last: FxHashMap<FlowId, SenderRecord>,
    /// What the host hears whose event is under way.
    pub(super) heard: Heard,
    senders: Vec<SenderRecord>,
    /// Packets of these flows that wait, by global port.
    waiting: FxHashMap<u32, Vec<WaitingPacket>>,
    /// By global port: open flows of the trace that have had packets there.
    met: FxHashMap<u32, Vec<Meeting>>,
    company: Vec<CompanyRecord>,
    pub(super) pauses: Vec<PauseCause>,
    /// What left each port last, of any flow, unless it is traced already.
    leaving: FxHashMap<u32, PacketRecord>,
}

impl FlowCauses {
    /// A flow of the trace will start.
    pub(super) fn announce(&mut self, flow: &Flow) {
        let expected = self.expected.entry(NodeId(flow.source.0)).or_default();
        expected.push(flow.id);
        self.known.insert(flow.id, NodeId(flow.source.0));
    }

    /// The flows of the trace at a host that will start, or have not completed.
    pub(super) fn expected_at(&self, host: NodeId) -> &[FlowId] {
        self.expected.get(&host).map_or(&[], Vec::as_slice)
    }

    /// Whether this flow of this host is in the trace.
    pub(super) fn knows(&self, host: NodeId, flow: FlowId) -> bool {
        self.known.get(&flow) == Some(&host)
    }

    /// What keeps a flow, from now on; its first record comes with its start.
    pub(super) fn note_sender(&mut self, host: NodeId, record: SenderRecord) {
        let record = SenderRecord {
            heard: self.heard,
            ..record
        };
        let last = self.last.insert(record.flow, record);
        if last.is_none() {
            *self.open.entry(host).or_default() += 1;
        }
        if last.is_none_or(|last| !last.goes_on_as(&record)) {
            self.senders.push(record);
        }
    }

    /// A flow at this host that had started has completed; one that has not started stays.
    pub(super) fn close(&mut self, host: NodeId, flow: FlowId) {
        if self.last.remove(&flow).is_none() {
            return;
        }
        self.known.remove(&flow);
        if let Some(expected) = self.expected.get_mut(&host) {
            expected.retain(|other| *other != flow);
        }
        if let Some(open) = self.open.get_mut(&host) {
            *open -= 1;
        }
        self.take_company(Some(flow));
    }

    /// Takes what a flow has met, or all have.
    fn take_company(&mut self, flow: Option<FlowId>) {
        for at_port in self.met.values_mut() {
            at_port.retain(|meeting| {
                let is_taken = flow.is_none_or(|flow| flow == meeting.flow);
                if is_taken {
                    self.company.extend(meeting.company.values());
                }
                !is_taken
            });
        }
    }

    /// All that was written down, in order.
    pub(super) fn finish(mut self) -> CauseRecords {
        self.take_company(None);
        let company = &mut self.company;
        company.sort_unstable_by_key(|each| (each.flow, each.node, each.port, each.other));
        self.pauses.sort_by_key(|each| (each.time, each.node));
        self.senders.sort_by_key(|each| (each.time, each.flow));
        CauseRecords {
            senders: self.senders,
            company: self.company,
            pauses: self.pauses,
        }
    }

    /// Data begin to leave a port, or wait there: those of the trace are met there from now on.
    fn note_company(&mut self, port: u32, record: &PacketRecord) {
        let is_leaving = matches!(record.event, PacketEvent::Enqueue | PacketEvent::Send);
        let is_met = is_leaving && record.kind == PacketKind::Data;
        let Some(other) = record.flow.filter(|_| is_met) else {
            return;
        };
        if self.last.contains_key(&other) {
            let at_port = self.met.entry(port).or_default();
            if at_port.iter().all(|meeting| meeting.flow != other) {
                at_port.push(Meeting {
                    flow: other,
                    since: record.time,
                    company: BTreeMap::new(),
                    pending: Vec::new(),
                });
            }
        }
        if record.event == PacketEvent::Send {
            for meeting in self.met.get_mut(&port).into_iter().flatten() {
                meeting.note_sent(record, other);
            }
        }
    }

    /// Notes an event of a packet of the trace at a port. Returns the packet that began to leave
    /// there before, if that is not traced.
    pub(super) fn note_own(&mut self, port: u32, record: &PacketRecord) -> Option<PacketRecord> {
        self.note_company(port, record);
        let waiting = self.waiting.entry(port).or_default();
        match record.event {
            PacketEvent::Enqueue => waiting.push(key(record)),
            PacketEvent::Send | PacketEvent::Drop | PacketEvent::Trim => {
                let own = key(record);
                if let Some(place) = waiting.iter().position(|other| *other == own) {
                    waiting.remove(place);
                }
            }
            PacketEvent::Receive | PacketEvent::Lose => return None,
        }
        self.leaving.remove(&port)
    }

    /// A packet of another flow begins to leave a port. If a packet of the trace waits there, or a
    /// sender of the trace may, this packet is kept, with the one that began to leave before.
    pub(super) fn note_other(
        &mut self,
        node: NodeId,
        port: u32,
        record: &PacketRecord,
    ) -> impl Iterator<Item = PacketRecord> + use<> {
        self.note_company(port, record);
        let waits = self.waiting.get(&port).is_some_and(|all| !all.is_empty());
        let is_open = self.open.get(&node).is_some_and(|open| *open > 0);
        let kept = match waits || is_open {
            true => (self.leaving.remove(&port), Some(*record)),
            false => {
                self.leaving.insert(port, *record);
                (None, None)
            }
        };
        kept.0.into_iter().chain(kept.1)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::HostId;

    use super::*;

    const US: fn(u64) -> Time = Time::from_us;

    fn record(time: u64, flow: u32, event: PacketEvent, kind: PacketKind) -> PacketRecord {
        PacketRecord {
            time: US(time),
            node: NodeId(9),
            port: 2,
            event,
            kind,
            flow: Some(FlowId(flow)),
            sequence: Bytes::ZERO,
            payload: Bytes::new(1000),
            wire: Bytes::new(1048),
            queue: Bytes::ZERO,
            marked: false,
            entropy: None,
        }
    }

    fn data(time: u64, flow: u32, event: PacketEvent) -> PacketRecord {
        record(time, flow, event, PacketKind::Data)
    }

    fn state(time: u64, state: SendState) -> SenderRecord {
        SenderRecord {
            time: US(time),
            flow: FlowId(1),
            state,
            window: Bytes::new(5000),
            rate: Rate::from_gbps(10),
            timeouts: 0,
            sends_again: false,
            heard: Heard::Other,
        }
    }

    /// Flow 1 of host 0 is traced, and has started.
    fn of_one_flow() -> FlowCauses {
        let mut causes = FlowCauses::default();
        causes.announce(&Flow {
            id: FlowId(1),
            start: Time::ZERO,
            source: HostId(0),
            destination: HostId(1),
            size: Bytes::new(1000),
            tag: 0,
            lane: 0,
            source_port: 0,
        });
        causes.note_sender(NodeId(0), state(0, SendState::Ready));
        causes
    }

    fn others(causes: &mut FlowCauses, node: u32, record: &PacketRecord) -> Vec<Time> {
        let kept = causes.note_other(NodeId(node), 7, record);
        kept.map(|each| each.time).collect()
    }

    /// What leaves at 1 us is not known to matter until flow 1 comes at 2 us; what leaves at 3 us
    /// does, and after flow 1 has left nothing does.
    #[test]
    fn packets_of_others_matter_while_one_of_the_trace_waits() {
        let mut causes = of_one_flow();
        assert_eq!(others(&mut causes, 9, &data(1, 5, PacketEvent::Send)), []);
        let before = causes.note_own(7, &data(2, 1, PacketEvent::Enqueue));
        assert_eq!(before.map(|each| each.time), Some(US(1)));
        assert_eq!(
            others(&mut causes, 9, &data(3, 5, PacketEvent::Send)),
            [US(3)]
        );
        assert_eq!(causes.note_own(7, &data(4, 1, PacketEvent::Send)), None);
        assert_eq!(others(&mut causes, 9, &data(5, 5, PacketEvent::Send)), []);
    }

    /// One that waited and was dropped waits no longer.
    #[test]
    fn dropped_packets_do_not_wait() {
        let mut causes = of_one_flow();
        causes.note_own(7, &data(1, 1, PacketEvent::Enqueue));
        causes.note_own(7, &data(2, 1, PacketEvent::Drop));
        assert_eq!(others(&mut causes, 9, &data(3, 5, PacketEvent::Send)), []);
    }

    /// At the NIC of an open flow all that leaves matters, and what began to leave before.
    #[test]
    fn all_that_leaves_a_nic_of_an_open_flow_matters() {
        let mut causes = of_one_flow();
        assert_eq!(
            others(&mut causes, 0, &data(1, 5, PacketEvent::Send)),
            [US(1)]
        );
        causes.note_sender(NodeId(0), state(2, SendState::SentAll));
        causes.close(NodeId(0), FlowId(1));
        assert_eq!(others(&mut causes, 0, &data(3, 5, PacketEvent::Send)), []);
    }

    /// Company counts data from the first packet of the flow at the port to its last. Of flow 5
    /// these are the packets at 2 and 3 us: no ACK, and not what leaves at 5 us, before the end of
    /// the flow.
    #[test]
    fn company_is_data_between_first_packet_and_last() {
        let mut causes = of_one_flow();
        others(&mut causes, 9, &data(0, 5, PacketEvent::Send));
        causes.note_own(7, &data(1, 1, PacketEvent::Enqueue));
        others(&mut causes, 9, &data(2, 5, PacketEvent::Send));
        others(&mut causes, 9, &data(3, 5, PacketEvent::Send));
        let ack = record(3, 5, PacketEvent::Send, PacketKind::Ack);
        others(&mut causes, 9, &ack);
        causes.note_own(7, &data(4, 1, PacketEvent::Send));
        others(&mut causes, 9, &data(5, 5, PacketEvent::Send));
        causes.close(NodeId(0), FlowId(1));
        others(&mut causes, 9, &data(6, 5, PacketEvent::Send));
        let company = causes.finish().company;
        let told: Vec<_> = company
            .iter()
            .map(|each| {
                (
                    each.other.0,
                    each.packets,
                    each.since,
                    each.first,
                    each.last,
                )
            })
            .collect();
        let since = US(1);
        assert_eq!(
            told,
            [(1, 1, since, US(4), US(4)), (5, 2, since, US(2), US(3))]
        );
    }

    /// A record says at what it became so; that alone makes no other record.
    #[test]
    fn a_record_says_what_was_heard() {
        let mut causes = of_one_flow();
        causes.heard = Heard::Ack;
        causes.note_sender(NodeId(0), state(1, SendState::Ready));
        causes.note_sender(NodeId(0), state(2, SendState::Window));
        let senders = causes.finish().senders;
        let told: Vec<_> = senders.iter().map(|each| (each.time, each.heard)).collect();
        assert_eq!(told, [(US(0), Heard::Other), (US(2), Heard::Ack)]);
    }

    /// A state that goes on has one row; another window is another state.
    #[test]
    fn states_are_told_when_they_change() {
        let mut causes = of_one_flow();
        causes.note_sender(NodeId(0), state(1, SendState::Ready));
        causes.note_sender(NodeId(0), state(2, SendState::Window));
        let wider = SenderRecord {
            window: Bytes::new(6000),
            ..state(3, SendState::Window)
        };
        causes.note_sender(NodeId(0), wider);
        let times: Vec<_> = causes
            .finish()
            .senders
            .iter()
            .map(|each| each.time)
            .collect();
        assert_eq!(times, [US(0), US(2), US(3)]);
    }

    /// Of 7000 B that came by the port, 4000 wait at port 3, 3000 of them of flow 8.
    #[test]
    fn a_pause_is_due_to_the_queue_with_most_of_what_came() {
        let waiting = [
            (2, FlowId(4), 3000),
            (3, FlowId(4), 1000),
            (3, FlowId(8), 2000),
            (3, FlowId(8), 1000),
        ];
        let cause = PauseCause::of((US(6), NodeId(9), 1), waiting.into_iter());
        let cause = cause.expect("packets wait");
        assert_eq!((cause.node, cause.port, cause.time), (NodeId(9), 1, US(6)));
        assert_eq!(cause.waiting, Bytes::new(7000));
        assert_eq!((cause.queue_port, cause.at_queue), (3, Bytes::new(4000)));
        assert_eq!((cause.flow, cause.of_flow), (FlowId(8), Bytes::new(3000)));
        let none = PauseCause::of((US(6), NodeId(9), 1), std::iter::empty());
        assert_eq!(none, None);
    }
}
