//! Counts of packets, and of trimmed packets.

use incast_net::{Recording, TrimCounters};
use serde::{Deserialize, Serialize};

use super::ports::PortNames;
use super::recovery::CounterSums;

/// Packets, in numbers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packets {
    /// Data packets that hosts sent.
    pub data: u64,
    /// ACKs, NACKs and CNPs that hosts sent.
    pub control: u64,
    /// Packets that switches dropped.
    pub dropped: u64,
    /// Trimmed packets; `None` if switches do not trim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trimming: Option<Trimming>,
    /// Number of CE marks by switches.
    pub marked: u64,
    /// Packets that completed flows retransmitted.
    pub retransmitted: u64,
    /// Speculative packets that One-RTT Convergence dropped, which do not count as losses; `None`
    /// if the algorithm has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speculative_dropped: Option<u64>,
}

/// Counts of trimmed packets.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trimming {
    /// Data packets that lost their payload.
    pub trimmed: u64,
    /// Payload that trimmed packets lost.
    pub trimmed_bytes: u64,
    /// Trimmed packets at ports that lead to hosts.
    pub at_last_hop: u64,
    /// Trimmed packets whose headers were dropped, which also count as dropped packets.
    pub headers_dropped: u64,
    /// NACKs for trimmed packets that reached senders.
    pub nacks: u64,
}

impl Packets {
    /// `flows` has the sums of the counters of all flows.
    pub(super) fn of(recording: &Recording, ports: &PortNames, flows: &CounterSums) -> Self {
        let mut packets = Self {
            retransmitted: flows.retransmitted,
            speculative_dropped: Some(recording.speculative_dropped).filter(|&count| count > 0),
            ..Self::default()
        };
        for (port, counters) in ports.iter().zip(&recording.ports) {
            if port.at_host {
                packets.data += counters.data_packets;
                packets.control += counters.control_packets;
            }
            packets.dropped += counters.dropped;
            packets.marked += counters.marked;
        }
        packets.trimming = Trimming::of(recording, ports, flows);
        packets
    }
}

impl Trimming {
    fn of(recording: &Recording, ports: &PortNames, flows: &CounterSums) -> Option<Self> {
        let mut all = TrimCounters::default();
        let mut at_last_hop = 0;
        for (port, trims) in ports.iter().zip(&recording.trims) {
            all.add(trims);
            at_last_hop += if ports.is_host(port.peer) {
                trims.trimmed
            } else {
                0
            };
        }
        (!recording.trims.is_empty()).then_some(Self {
            trimmed: all.trimmed,
            trimmed_bytes: all.trimmed_bytes,
            at_last_hop,
            headers_dropped: all.headers_dropped,
            nacks: flows.nacks,
        })
    }
}
