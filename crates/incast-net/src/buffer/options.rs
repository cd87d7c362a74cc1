//! Options of the buffer: its size, and the admission to it where packets may be dropped.

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics;

/// The switches' packet buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferConfig {
    /// The whole buffer, shared by the ports of one switch.
    pub size: Bytes,
    /// Bytes reserved for each ingress port, outside the shared part.
    pub reserve: Bytes,
}

/// Admission to the buffer when packets may be dropped.
#[derive(Clone, Debug, PartialEq)]
pub enum DropConfig {
    /// The ports of a switch share its buffer.
    Shared {
        /// An egress queue may hold this fraction of the free buffer (dynamic threshold α).
        alpha: f64,
        /// The largest size of an egress queue, however much is free.
        queue_limit: Bytes,
    },
    /// Every egress port has a buffer of its own; [`BufferConfig::size`] has no effect.
    PerPort(PortBufferConfig),
}

/// The buffer of every egress port, where ports share none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortBufferConfig {
    /// The largest size of a data queue.
    pub queue_limit: PortLimit,
    /// The largest size of a data queue at a port that leads to a host.
    pub last_hop_queue_limit: PortLimit,
    /// How a packet without room is trimmed; `None`: the packet is dropped.
    pub trimming: Option<TrimmingConfig>,
}

impl PortBufferConfig {
    /// The same limit at all ports, without trimming.
    pub fn of(queue_limit: PortLimit) -> Self {
        Self {
            queue_limit,
            last_hop_queue_limit: queue_limit,
            trimming: None,
        }
    }

    /// The largest size of this port's data queue, in bytes.
    pub(crate) fn limit_at(&self, port: EgressFacts) -> u64 {
        let limit = match port.faces_host {
            true => self.last_hop_queue_limit,
            false => self.queue_limit,
        };
        limit.at(port)
    }

    /// Checks that a packet of `largest` bytes finds room in an empty queue.
    ///
    /// # Errors
    /// The limit that is smaller than the packet.
    pub(super) fn check(&self, largest: Bytes) -> Result<(), Diagnostic> {
        for limit in [self.queue_limit, self.last_hop_queue_limit] {
            if let PortLimit::Size(limit) = limit
                && limit < largest
            {
                return Err(diagnostics::larger_than_queue(largest, limit));
            }
        }
        Ok(())
    }
}

/// How packets without room are trimmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrimmingConfig {
    /// Size of a trimmed packet on the wire; a packet that is shorter keeps its size.
    pub header: Bytes,
    /// The largest size of a header queue; a header that finds no room there is dropped.
    pub header_queue: PortLimit,
    /// Whether headers or data leave next.
    pub service: HeaderService,
}

/// Whether a header or a data packet leaves next if both wait.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HeaderService {
    /// Headers, always; they wait among the packets of the control class.
    #[serde(rename = "strict")]
    Strict,
    /// Ten packets from the queue of control packets and headers, then one data packet.
    #[serde(rename = "10:1")]
    TenToOne,
    /// Headers get a quarter of the bytes (weighted deficit round robin); packets of the control
    /// class leave before headers and data.
    #[default]
    #[serde(rename = "25%")]
    Quarter,
}

/// How much a queue of a port may hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PortLimit {
    /// The same size at all ports.
    Size(Bytes),
    /// The full packets that the link carries in this time, the last one counted whole.
    Time(Time),
}

/// The facts of an egress port that its limits depend on.
#[derive(Copy, Clone, Debug)]
pub(crate) struct EgressFacts {
    pub(crate) rate: Rate,
    /// Whether its link leads to a host.
    pub(crate) faces_host: bool,
    /// A full data packet on the wire.
    pub(crate) full_packet: Bytes,
}

impl PortLimit {
    /// The limit at a port, in bytes.
    pub(crate) fn at(self, port: EgressFacts) -> u64 {
        match self {
            Self::Size(size) => size.as_u64(),
            Self::Time(time) => {
                const BYTE_PS: u128 = 8_000_000_000_000;
                let bits = u128::from(time.as_ps()) * u128::from(port.rate.as_bps());
                let packet = port.full_packet.as_u64();
                let packets = bits.div_ceil(BYTE_PS * u128::from(packet)).max(1);
                u64::try_from(packets).map_or(u64::MAX >> 2, |packets| packets * packet)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 9.34848 us at 100 Gb/s are 116,856 B: 28.2 packets of 4150 B, so 29. At 25 Gb/s 29,214 B:
    /// 7.04, so 8. A time of zero gives one packet.
    #[test]
    fn times_are_whole_packets_at_the_rate_of_the_port() {
        let port = |gbps| EgressFacts {
            rate: Rate::from_gbps(gbps),
            faces_host: false,
            full_packet: Bytes::new(4_150),
        };
        let limit = PortLimit::Time(Time::from_ps(9_348_480));
        assert_eq!(limit.at(port(100)), 29 * 4_150);
        assert_eq!(limit.at(port(25)), 8 * 4_150);
        assert_eq!(PortLimit::Time(Time::ZERO).at(port(100)), 4_150);
        assert_eq!(PortLimit::Size(Bytes::new(7)).at(port(100)), 7);
    }

    #[test]
    fn the_last_hop_has_a_limit_of_its_own() {
        let config = PortBufferConfig {
            last_hop_queue_limit: PortLimit::Size(Bytes::new(9_000)),
            ..PortBufferConfig::of(PortLimit::Size(Bytes::new(6_000)))
        };
        for (faces_host, limit) in [(false, 6_000), (true, 9_000)] {
            let facts = EgressFacts {
                rate: Rate::from_gbps(100),
                faces_host,
                full_packet: Bytes::new(1_000),
            };
            assert_eq!(config.limit_at(facts), limit);
        }
    }
}
