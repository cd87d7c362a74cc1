//! Quantities of ports: counters, queues, pauses.

use incast_units::{NodeId, Time};

use super::quantity::quantities;

quantities! {
    /// Counters of one port, for its outgoing direction unless said otherwise.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub struct PortCounters {
        /// Data packets sent.
        data_packets: u64 => "data_packets",
        /// Bytes on the wire of those.
        data_bytes: u64 => "data_bytes",
        /// ACKs, NACKs and CNPs sent.
        control_packets: u64 => "control_packets",
        /// Bytes on the wire of those.
        control_bytes: u64 => "control_bytes",
        /// CE marks given.
        marked: u64 => "marked",
        /// Packets dropped that wanted to leave here.
        dropped: u64 => "dropped",
        /// Largest egress queue, in bytes, the packet in transmission excluded.
        queue_max: u64 => "queue_max_bytes",
        /// Pause frames sent from here to the peer.
        pauses_sent: u64 => "pauses_sent",
        /// Time for which the peer's pause stopped data here.
        paused: Time => "paused_ps",
    }
}

impl PortCounters {
    /// Packets sent, PFC frames apart.
    pub(crate) fn packet_hops(&self) -> u64 {
        self.data_packets + self.control_packets
    }
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

/// A PFC frame, where it was received.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PauseEvent {
    /// When.
    pub time: Time,
    /// The node that received it.
    pub node: NodeId,
    /// Port of that node.
    pub port: u32,
    /// Pause, or resume.
    pub paused: bool,
}

/// Bins of the queue histogram: bin 0 is an empty queue; above, eight bins for every doubling,
/// each an eighth of its power of two wide, so a bin's edges are at most 12.5 % apart.
#[derive(Copy, Clone, Debug)]
pub struct Bin;

impl Bin {
    /// How many there are.
    pub const COUNT: usize = 8 * 64;

    /// The bin of a queue of this many bytes.
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
