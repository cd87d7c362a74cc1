//! A separate buffer for each egress port, as in NDP, htsim and Ultra Ethernet.
//!
//! The queue of one port never affects another port. Windows in which packets are dropped can
//! therefore be processed [port by port](crate::switch), too.
//!
//! All ports of a switch share one rule, with the largest limit. A queue with a smaller limit
//! starts with the [difference](PortRule::taken_of) as occupied bytes.

use super::Admission;
use super::options::{EgressFacts, PortBufferConfig};

/// The admission to the data queue of an egress port, by the length of this queue alone.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortRule {
    limit: u64,
}

impl PortRule {
    /// The rule for the ports of a switch.
    pub(crate) fn new(
        config: &PortBufferConfig,
        ports: impl IntoIterator<Item = EgressFacts>,
    ) -> Self {
        let limits = ports.into_iter().map(|port| config.limit_at(port));
        Self {
            limit: limits.max().unwrap_or(0),
        }
    }

    /// The largest size of a data queue, in bytes.
    pub(crate) fn limit(self) -> u64 {
        self.limit
    }

    /// The bytes that count as occupied in this port's empty queue.
    pub(crate) fn taken_of(self, config: &PortBufferConfig, port: EgressFacts) -> u64 {
        self.limit - config.limit_at(port)
    }

    /// Decides about a packet for a queue of `queue` bytes.
    #[inline(always)]
    pub(crate) fn admit(self, queue: u64, size: u64) -> Admission {
        match queue + size <= self.limit {
            true => Admission::Stored,
            false => Admission::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{Bytes, Rate};

    use super::*;
    use crate::buffer::PortLimit;

    /// 6000 B between switches, 9000 B at the last hop: a queue between switches starts with 3000
    /// B.
    #[test]
    fn a_smaller_queue_starts_with_what_it_lacks() {
        let config = PortBufferConfig {
            last_hop_queue_limit: PortLimit::Size(Bytes::new(9_000)),
            ..PortBufferConfig::of(PortLimit::Size(Bytes::new(6_000)))
        };
        let ports = [false, true].map(|faces_host| EgressFacts {
            rate: Rate::from_gbps(100),
            faces_host,
            full_packet: Bytes::new(1_000),
        });
        let rule = PortRule::new(&config, ports);
        let taken = ports.map(|port| rule.taken_of(&config, port));
        assert_eq!((rule.limit(), taken), (9_000, [3_000, 0]));
        assert_eq!(rule.admit(3_000 + 5_000, 1_000), Admission::Stored);
        assert_eq!(rule.admit(3_000 + 5_001, 1_000), Admission::Refused);
    }
}
