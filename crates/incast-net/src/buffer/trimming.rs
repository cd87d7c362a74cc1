//! Trimming: a data packet without room loses its payload, and its header goes on.
//!
//! ```text
//! data queue full ─ who loses (contention) ─┬─ header fits the header queue: it waits there
//!                                           └─ else: dropped
//! ```
//!
//! Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
//! performance" (NDP), SIGCOMM 2017; Ultra Ethernet Specification 1.0, 3.6.17 and 4. The receiver
//! answers a header by a NACK for that transmission, so that the sender knows of the loss after one
//! RTT, without the delay of data queues.
//!
//! [`Contention`](super::Contention) chooses the packet that loses its payload: with
//! [`Coin`](super::Contention::Coin), the arriving one or the last of the queue. A trimmed packet
//! keeps its mark. The marker sees only data packets and the data queue. ACKs, NACKs and CNPs are
//! never dropped, though they may wait in the queue of headers.
//!
//! | `service` | headers wait                   | who leaves next                               |
//! |-----------|--------------------------------|-----------------------------------------------|
//! | `strict`  | with the control class, a FIFO | control and headers before data (uet-htsim)   |
//! | `10:1`    | with the control class, a FIFO | ten of them, then one of data (NDP)           |
//! | `25%`     | in a queue of their own        | control first; then headers and data by       |
//! |           |                                | bytes, 1 : 3 (Ultra Ethernet's 25 % WDRR)     |

use super::options::{EgressFacts, TrimmingConfig};
use crate::measure::TrimCounters;
use crate::wire::{Packet, TrimmedAt};

/// Trims packets at one egress port.
#[derive(Clone, Debug)]
pub(crate) struct Trimmer {
    header: u16,
    header_limit: u64,
    at: TrimmedAt,
    /// Bytes of a data packet in addition to its payload.
    data_overhead: u64,
    pub(crate) counters: TrimCounters,
}

impl Trimmer {
    /// `data_overhead`: bytes of a data packet in addition to its payload.
    pub(crate) fn new(config: &TrimmingConfig, port: EgressFacts, data_overhead: u64) -> Self {
        Self {
            header: u16::try_from(config.header.as_u64()).unwrap_or(u16::MAX),
            header_limit: config.header_queue.at(port),
            at: match port.faces_host {
                true => TrimmedAt::LastHop,
                false => TrimmedAt::AnyHop,
            },
            data_overhead,
            counters: TrimCounters::default(),
        }
    }

    /// Trims a data packet. Returns whether its header may join a header queue of this many bytes.
    pub(crate) fn trim<const WORDS: usize>(
        &mut self,
        packet: &mut Packet<WORDS>,
        waiting: u64,
    ) -> bool {
        let size = packet.size();
        let header = self.header.min(size);
        self.counters.trimmed += 1;
        self.counters.trimmed_bytes += u64::from(size) - self.data_overhead;
        packet.trim(header, self.at);
        let has_room = waiting + u64::from(header) <= self.header_limit;
        self.counters.headers_dropped += u64::from(!has_room);
        has_room
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{Bytes, Rate};

    use super::*;
    use crate::buffer::{HeaderService, PortLimit};
    use crate::wire::{Kind, ONE_LINE};

    /// Headers of 64 B, at most 128 B of them: the third one is dropped. A packet of 1 B of payload
    /// and 48 B of headers is shorter than 64 B, and keeps its size.
    #[test]
    fn headers_beyond_their_queue_are_dropped() {
        let config = TrimmingConfig {
            header: Bytes::new(64),
            header_queue: PortLimit::Size(Bytes::new(128)),
            service: HeaderService::Strict,
        };
        let facts = EgressFacts {
            rate: Rate::from_gbps(100),
            faces_host: true,
            full_packet: Bytes::new(1_048),
        };
        let mut trimmer = Trimmer::new(&config, facts, 48);
        let full = || Packet::<ONE_LINE>::new(Kind::Data, 1_048);
        for (waiting, fits) in [(0, true), (64, true), (128, false)] {
            let mut packet = full();
            assert_eq!(trimmer.trim(&mut packet, waiting), fits);
            assert_eq!((packet.kind(), packet.size()), (Kind::Trimmed, 64));
            assert_eq!(packet.trimmed_at(), TrimmedAt::LastHop);
        }
        let mut short = Packet::<ONE_LINE>::new(Kind::LastData, 49);
        assert!(trimmer.trim(&mut short, 79));
        assert_eq!(short.size(), 49);
        let counters = TrimCounters {
            trimmed: 4,
            trimmed_bytes: 3_001,
            headers_dropped: 1,
        };
        assert_eq!(trimmer.counters, counters);
    }
}
