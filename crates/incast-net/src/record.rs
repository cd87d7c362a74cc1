//! What a run leaves behind: completed flows, counters, time series. Integers throughout, so
//! that sums do not depend on the order in which nodes were taken.

use incast_units::{Bytes, FlowId, HostId, NodeId, Rate, Time};

use crate::RoundTrips;

/// What to record beside flows and counters.
#[derive(Clone, Debug, Default)]
pub struct MeasureConfig {
    /// Interval of queue samples: totals over all switch ports, and the ports listed.
    pub queue_interval: Option<Time>,
    /// Global indices of the ports whose queue is recorded one by one.
    pub queue_ports: Vec<u32>,
    /// Interval of flow samples: totals over the flows alive.
    pub flow_interval: Option<Time>,
    /// Whether every flow's samples are kept one by one.
    pub flows: bool,
    /// Whether PFC frames are kept one by one.
    pub pauses: bool,
    /// Whether what algorithms show of their state is kept with every flow's samples.
    pub probes: bool,
    /// Whether the round trips of packets are counted.
    pub round_trips: bool,
    /// Which packets are traced, if any.
    pub packets: Option<TraceConfig>,
    /// Samples end here.
    pub until: Time,
}

/// Which packet events to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceConfig {
    /// Those at these ports, by global index in rising order; `None`: at all ports.
    pub ports: Option<Vec<u32>>,
    /// Those of these flows, in rising order; `None`: of all flows, and PFC frames.
    pub flows: Option<Vec<FlowId>>,
    /// Those from this time on.
    pub from: Time,
    /// Those before this time.
    pub until: Time,
    /// At most so many, see [`PacketTrace::cut`].
    pub limit: usize,
}

/// A flow that completed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FlowRecord {
    /// The flow.
    pub id: FlowId,
    /// Who sent it.
    pub source: HostId,
    /// Who received it.
    pub destination: HostId,
    /// Its payload.
    pub size: Bytes,
    /// The traffic entry it belongs to.
    pub tag: u16,
    /// UDP source port of its QP.
    pub source_port: u16,
    /// Creation of the QP.
    pub start: Time,
    /// Arrival at the sender of the ACK that completes it.
    pub finish: Time,
    /// Packets sent again.
    pub retransmitted: u32,
}

/// Counters of one port, for its outgoing direction unless said otherwise.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Data packets sent.
    pub data_packets: u64,
    /// Bytes on the wire of those.
    pub data_bytes: u64,
    /// ACKs, NACKs and CNPs sent.
    pub control_packets: u64,
    /// Bytes on the wire of those.
    pub control_bytes: u64,
    /// CE marks given.
    pub marked: u64,
    /// Packets dropped that wanted to leave here.
    pub dropped: u64,
    /// Largest egress queue, in bytes, the packet in transmission excluded.
    pub queue_max: u64,
    /// Pause frames sent from here to the peer.
    pub pauses_sent: u64,
    /// Time for which the peer's pause stopped data here.
    pub paused: Time,
}

/// The queue of one port at one time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct QueueSample {
    /// When.
    pub time: Time,
    /// Global port index.
    pub port: u32,
    /// Bytes waiting, the packet in transmission excluded.
    pub bytes: u64,
}

/// One flow at one time, as its sender knows it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FlowSample {
    /// When.
    pub time: Time,
    /// Which.
    pub flow: FlowId,
    /// Pacing rate.
    pub rate: Rate,
    /// Window; [`Bytes::MAX`] if none.
    pub window: Bytes,
    /// Payload bytes sent.
    pub sent: Bytes,
    /// Payload bytes acknowledged.
    pub acked: Bytes,
}

/// One value that a flow's algorithm shows of its state, at one time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ProbeSample {
    /// When.
    pub time: Time,
    /// Of which flow.
    pub flow: FlowId,
    /// What it is called.
    pub name: &'static str,
    /// The value.
    pub value: f64,
}

/// A PFC frame, where it was received.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PauseEvent {
    /// When.
    pub time: Time,
    /// Who received it.
    pub node: NodeId,
    /// Port of that node.
    pub port: u32,
    /// Pause, or resume.
    pub paused: bool,
}

/// What happens to a packet at a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PacketEvent {
    /// It takes its place in the queue of the port, even if it leaves at once. A sender's data
    /// has no queue: it is made when its turn comes.
    Enqueue,
    /// Its first bit leaves.
    Send,
    /// Its last bit has come.
    Receive,
    /// The queue of the port has no room for it.
    Drop,
}

/// What a traced packet is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// Payload.
    Data,
    /// All before has arrived.
    Ack,
    /// The same, and what follows is missing.
    Nack,
    /// A congestion notification.
    Cnp,
    /// PFC: stop sending data.
    Pause,
    /// PFC: go on.
    Resume,
}

/// One event of one packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PacketRecord {
    /// When.
    pub time: Time,
    /// Where.
    pub node: NodeId,
    /// Port of that node.
    pub port: u16,
    /// What happened.
    pub event: PacketEvent,
    /// To what.
    pub kind: PacketKind,
    /// Whose; `None` for PFC frames.
    pub flow: Option<FlowId>,
    /// Number of its first payload byte; of an ACK or NACK, of the byte expected next; of a CNP,
    /// of the data packet that it answers.
    pub sequence: Bytes,
    /// Its payload.
    pub payload: Bytes,
    /// Its bytes on the wire.
    pub wire: Bytes,
    /// Bytes that wait at the port, this packet and the one in transmission excluded.
    pub queue: Bytes,
    /// Whether it carries a CE mark, or an ACK the echo of one.
    pub marked: bool,
}

/// Packet events in order of time and node, those of a node as they happened there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketTrace {
    /// The events.
    pub events: Vec<PacketRecord>,
    /// If there were more than the limit: all before this time are here, none from it on.
    pub cut: Option<Time>,
}

/// Totals over a network at one sampling time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// When.
    pub time: Time,
    /// Longest queue of any switch port.
    pub queue_max: u64,
    /// Sum of all switch ports' queues.
    pub queue_sum: u64,
    /// Flows alive.
    pub alive: u64,
    /// Payload bytes acknowledged since the tick before, for any flow.
    pub acked: u64,
    /// Flows alive ever since the tick before.
    pub whole: u64,
    /// Payload bytes acknowledged since then, summed over those flows.
    pub acked_sum: u64,
    /// Sum of the squares of the same.
    pub acked_square_sum: u128,
    /// Ports that the peer has paused: of switches in queue ticks, of hosts in flow ticks.
    pub paused_ports: u64,
}

impl Tick {
    /// Adds what other nodes had at the same time.
    pub(crate) fn merge(&mut self, other: &Self) {
        let Self {
            time: _,
            queue_max,
            queue_sum,
            alive,
            acked,
            whole,
            acked_sum,
            acked_square_sum,
            paused_ports,
        } = self;
        *queue_max = other.queue_max.max(*queue_max);
        *queue_sum += other.queue_sum;
        *alive += other.alive;
        *acked += other.acked;
        *whole += other.whole;
        *acked_sum += other.acked_sum;
        *acked_square_sum += other.acked_square_sum;
        *paused_ports += other.paused_ports;
    }
}

/// Everything that a run records, but for the flows: these go to the observer as they complete.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Counters of every port, by global port index.
    pub ports: Vec<PortCounters>,
    /// Totals over time.
    pub queue_ticks: Vec<Tick>,
    /// Totals over time, of flows.
    pub flow_ticks: Vec<Tick>,
    /// How often a sampled switch-port queue had how many bytes, by [`Bin`].
    pub queue_histogram: Vec<u64>,
    /// Sum of all sampled switch-port queues, in bytes.
    pub queue_sum: u128,
    /// Queues, port by port.
    pub queues: Vec<QueueSample>,
    /// Flows, one by one.
    pub flow_samples: Vec<FlowSample>,
    /// What algorithms show of their state, flow by flow.
    pub probes: Vec<ProbeSample>,
    /// Round trips of packets by traffic entry; empty if they were not counted.
    pub round_trips: Vec<RoundTrips>,
    /// PFC frames.
    pub pauses: Vec<PauseEvent>,
    /// Packets, if they were traced.
    pub packets: Option<PacketTrace>,
    /// Data packets and ACKs that crossed a link, summed over links.
    pub packet_hops: u64,
    /// Payload bytes handed to receivers in order.
    pub delivered: Bytes,
    /// Flows started.
    pub started: u64,
    /// Flows completed.
    pub finished: u64,
    /// End of the last window in which anything happened, or the stop time.
    pub end: Time,
}

/// Bins of the queue histogram: bin 0 is an empty queue; above, eight bins for every doubling,
/// each an eighth of its power of two wide, so a bin's edges are at most 12.5 % apart.
#[derive(Copy, Clone, Debug)]
pub struct Bin;

impl Bin {
    /// How many there are.
    pub const COUNT: usize = 8 * 64;

    /// The bin of a queue of so many bytes.
    #[inline]
    pub fn of(bytes: u64) -> usize {
        if bytes < 8 {
            return bytes as usize;
        }
        let power = bytes.ilog2();
        8 * (power as usize - 2) + (bytes >> (power - 3) & 7) as usize
    }

    /// The fewest bytes that fall into a bin.
    pub fn lower_edge(bin: usize) -> u64 {
        if bin < 8 {
            return bin as u64;
        }
        let power = bin / 8 + 2;
        (8 + bin as u64 % 8) << (power - 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1090 = 2^10 + 66: power 10, eighth 0; its bin begins at 1024 and the next at 1152.
    #[test]
    fn bins_hold_what_their_edges_say() {
        assert_eq!(Bin::lower_edge(Bin::of(1090)), 1024);
        assert_eq!(Bin::lower_edge(Bin::of(1090) + 1), 1152);
        for bin in 0..Bin::COUNT - 24 {
            assert_eq!(Bin::of(Bin::lower_edge(bin)), bin);
        }
        assert_eq!(Bin::of(0), 0);
    }
}
