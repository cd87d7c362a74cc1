//! Why traced flows wait: the states of their senders, and the packets that leave a port before
//! theirs.
//!
//! A flow waits at its sender, in a [`SendState`], or at a port, where its packets queue. At such a
//! port, packets of all flows are traced while a packet of the flow waits there: those that start
//! to leave, and the one in transmission when the packet arrives.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use incast_units::{Bytes, FlowId, NodeId, Rate, Time};
use rustc_hash::FxHashMap;

use super::{PacketEvent, PacketRecord};
use crate::flow::Flow;
use crate::wire::PacketKind;

/// What the next packet of a flow waits for at its sender.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SendState {
    /// Only for the link.
    Ready,
    /// For its pacing, until this time.
    Pacing(Time),
    /// For its window: as many bytes are in flight as the window admits.
    Window,
    /// For a grant: it begins beyond the granted sequence number, or there is no grant yet.
    Grant,
    /// For credit from its receiver.
    Credit,
    /// For other flows of its QP, or of the same limit, which come first.
    Turn,
    /// For nothing: all data have been sent, and no loss is known.
    SentAll,
}

/// The event that changes the state of a sender.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Heard {
    /// An ACK or NACK arrives.
    Ack,
    /// A CNP comes.
    Cnp,
    /// A timer of the algorithm or of a loss expires.
    Timer,
    /// A packet leaves.
    Sent,
    /// The flow starts, or a packet of a host program arrives or is due.
    #[default]
    Other,
}

/// The state of a flow's sender from a time on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SenderRecord {
    /// When.
    pub time: Time,
    /// The flow.
    pub flow: FlowId,
    /// What its next packet waits for.
    pub state: SendState,
    /// Payload bytes that may be in flight.
    pub window: Bytes,
    /// Its pace.
    pub rate: Rate,
    /// Retransmission timeouts so far.
    pub timeouts: u32,
    /// Whether its next packet is a retransmission.
    pub sends_again: bool,
    /// The event that led to this state.
    pub heard: Heard,
}

impl SenderRecord {
    /// Whether a later record has the same state.
    fn goes_on_as(&self, later: &Self) -> bool {
        let later = Self {
            time: self.time,
            heard: self.heard,
            ..*later
        };
        *self == later
    }
}

/// The data packets of one flow, which may be `flow` itself, that left a port between the first
/// arrival and the last departure of a packet of `flow` there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CompanyRecord {
    /// The traced flow.
    pub flow: FlowId,
    /// Where.
    pub node: NodeId,
    /// Port of that node.
    pub port: u16,
    /// Since when.
    pub since: Time,
    /// Whose data.
    pub other: FlowId,
    /// Data packets that started to leave.
    pub packets: u64,
    /// Bytes on the wire of these packets.
    pub wire: Bytes,
    /// When the first and the last of these packets started to leave.
    pub first: Time,
    /// See [`CompanyRecord::first`].
    pub last: Time,
    /// Bytes on the wire of the last packet.
    pub last_wire: Bytes,
}

/// Why a switch pauses a peer: the flow and the queue with most of the data from this peer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PauseCause {
    /// Time at which the frame is made.
    pub time: Time,
    /// The switch.
    pub node: NodeId,
    /// The port whose peer is paused.
    pub port: u16,
    /// Bytes on the wire of data that arrived by this port and wait in the switch.
    pub waiting: Bytes,
    /// The port at which most of these bytes wait.
    pub queue_port: u16,
    /// Bytes of `waiting` at `queue_port`.
    pub at_queue: Bytes,
    /// The flow with most of the bytes in `at_queue`.
    pub flow: FlowId,
    /// Bytes of `at_queue` that belong to `flow`.
    pub of_flow: Bytes,
}

impl PauseCause {
    /// The cause of a pause of a port's peer. `waiting`: for each packet that arrived by this port
    /// and waits, its egress port, flow and bytes. `None` if nothing waits. Among equal sums the
    /// lower number wins.
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

/// All records of causes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CauseRecords {
    /// States of senders, in order of time.
    pub senders: Vec<SenderRecord>,
    /// Flows whose data met traced flows at ports, by flow and port.
    pub company: Vec<CompanyRecord>,
    /// Causes of pauses, in order of time and node.
    pub pauses: Vec<PauseCause>,
}

/// The data packets that leave a port while a traced flow has packets there.
#[derive(Clone, Debug)]
struct Meeting {
    flow: FlowId,
    /// When the flow's first packet arrived, or left.
    since: Time,
    /// By flow: data packets up to the last packet of the traced flow so far.
    company: BTreeMap<FlowId, CompanyRecord>,
    /// Data packets of other flows that left after the last packet of the traced flow.
    pending: Vec<PacketRecord>,
}

impl Meeting {
    /// Notes a data packet that starts to leave.
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

/// Collects the causes of waiting of traced flows.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowCauses {
    /// Flows that will start, or have not completed, by host.
    expected: FxHashMap<NodeId, Vec<FlowId>>,
    /// The host of each expected flow.
    known: FxHashMap<FlowId, NodeId>,
    /// Number of flows that have started and not completed, by host.
    open: FxHashMap<NodeId, usize>,
    /// The last record of each open flow.
    last: FxHashMap<FlowId, SenderRecord>,
    /// The event that the current host is handling.
    pub(super) heard: Heard,
    senders: Vec<SenderRecord>,
    /// Packets of traced flows that wait, by global port.
    waiting: FxHashMap<u32, Vec<WaitingPacket>>,
    /// By global port: open flows of the trace that have had packets there.
    met: FxHashMap<u32, Vec<Meeting>>,
    company: Vec<CompanyRecord>,
    pub(super) pauses: Vec<PauseCause>,
    /// By global port: the last packet that left, of any flow, unless it is traced already.
    leaving: FxHashMap<u32, PacketRecord>,
}

impl FlowCauses {
    /// Adds a traced flow that will start.
    pub(super) fn announce(&mut self, flow: &Flow) {
        let expected = self.expected.entry(NodeId(flow.source.0)).or_default();
        expected.push(flow.id);
        self.known.insert(flow.id, NodeId(flow.source.0));
    }

    /// The traced flows at a host that will start, or have not completed.
    pub(super) fn expected_at(&self, host: NodeId) -> &[FlowId] {
        self.expected.get(&host).map_or(&[], Vec::as_slice)
    }

    /// Whether this flow is traced, and of this host.
    pub(super) fn knows(&self, host: NodeId, flow: FlowId) -> bool {
        self.known.get(&flow) == Some(&host)
    }

    /// Records the state of a flow's sender from now on. The first record marks the start of the
    /// flow.
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

    /// Ends the records of a flow that has started. A flow that has not started stays.
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

    /// Moves the company of one flow, or of all flows, to the records.
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

    /// All records, in order.
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

    /// Records a data packet that queues at a port, or starts to leave. From its first packet on, a
    /// traced flow has company at the port: other flows' data packets that leave there.
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

    /// Notes an event of a traced packet at a port. Returns the packet that started to leave there
    /// before, if it is not traced.
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

    /// Notes that an untraced packet starts to leave a port. If traced packets may wait there or at
    /// a sender of this node, returns it for the trace, with the packet that left before.
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

    /// The packet at 1 us matters only because flow 1 arrives at 2 us. The packet at 3 us matters,
    /// too. After flow 1 has left, no packet matters.
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

    /// A dropped packet no longer waits.
    #[test]
    fn dropped_packets_do_not_wait() {
        let mut causes = of_one_flow();
        causes.note_own(7, &data(1, 1, PacketEvent::Enqueue));
        causes.note_own(7, &data(2, 1, PacketEvent::Drop));
        assert_eq!(others(&mut causes, 9, &data(3, 5, PacketEvent::Send)), []);
    }

    /// At the NIC of an open flow every packet that leaves matters, and so does the one that
    /// started to leave before.
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
    /// these are the packets at 2 and 3 us. ACKs do not count, nor does the packet at 5 us, after
    /// the last packet of the flow.
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

    /// A record has the event that led to its state. An event without a change of the state makes
    /// no record.
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

    /// A state that lasts has one row; another window is another state.
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

    /// Of 7000 B that arrived by the port, 4000 B wait at port 3, of which 3000 B belong to flow 8.
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
