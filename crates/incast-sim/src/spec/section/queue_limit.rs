//! The limit of a queue as written in scenarios: in bytes, or in BDPs of the queue's port.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use incast_net::PortLimit;
use incast_signals::QueueThreshold;
use incast_units::{Bytes, Rate, Time, from_text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::spec::profile::BdpRule;

/// The limit of a queue.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum QueueLimit {
    Size(Bytes),
    /// A number of BDPs, computed by the profile's [`BdpRule`].
    Bdps(f64),
}

/// The largest number of BDPs that is accepted.
const MAX_BDPS: f64 = 1_000.0;

/// The rule for a BDP, with the values of the network that the rule needs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Bdp {
    pub(crate) rule: BdpRule,
    /// The largest base RTT.
    pub(crate) rtt: Time,
    /// The largest BDP of a pair of hosts.
    pub(crate) window: Bytes,
    pub(crate) nic_rate: Rate,
    /// The size of a full packet on the wire.
    pub(crate) packet: Bytes,
}

impl Bdp {
    /// The limit of data queues at each port.
    pub(crate) fn of_data(&self, limit: QueueLimit) -> PortLimit {
        self.of_ports(limit, 1)
    }

    /// The limit of header queues at each port.
    pub(crate) fn of_headers(&self, limit: QueueLimit) -> PortLimit {
        self.of_ports(limit, 0)
    }

    /// A marking threshold, with BDPs turned into bytes.
    pub(crate) fn threshold(&self, threshold: QueueThreshold) -> QueueThreshold {
        match (self.rule, threshold) {
            (BdpRule::OfNicWithLeavingPacket, QueueThreshold::BdpThousandths(count)) => {
                let packets = (self.packets() * u64::from(count)).div_ceil(1_000);
                QueueThreshold::Size(self.packet * packets.saturating_sub(1))
            }
            _ => threshold.with_bdp(self.window),
        }
    }

    /// The bytes of a full data queue with the departing packet included, at ports with the rate of
    /// NICs.
    pub(crate) fn with_leaving_packet(&self, limit: QueueLimit) -> Bytes {
        match limit {
            QueueLimit::Size(size) => size + self.packet,
            QueueLimit::Bdps(count) => self.packet * self.times(count),
        }
    }

    fn of_ports(&self, limit: QueueLimit, leaving: u64) -> PortLimit {
        match (limit, self.rule) {
            (QueueLimit::Size(size), _) => PortLimit::Size(size),
            (QueueLimit::Bdps(count), BdpRule::OfPort) => {
                let time = self.rtt.as_ps() as f64 * count;
                PortLimit::Time(Time::from_ps(time.round() as u64))
            }
            (QueueLimit::Bdps(count), BdpRule::OfNicWithLeavingPacket) => {
                let packets = self.times(count).saturating_sub(leaving).max(1);
                PortLimit::Size(self.packet * packets)
            }
        }
    }

    /// A BDP in full packets, rounded up.
    fn packets(&self) -> u64 {
        const BYTE_PS: u128 = 8_000_000_000_000;
        let bits = u128::from(self.rtt.as_ps()) * u128::from(self.nic_rate.as_bps());
        let packets = bits.div_ceil(BYTE_PS * u128::from(self.packet.as_u64()));
        u64::try_from(packets).unwrap_or(u64::MAX >> 32)
    }

    fn times(&self, count: f64) -> u64 {
        (self.packets() as f64 * count).ceil() as u64
    }
}

impl FromStr for QueueLimit {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let trimmed = text.trim();
        let stem = trimmed.strip_suffix('s').unwrap_or(trimmed);
        let Some(number) = stem.strip_suffix("bdp").map(str::trim_end) else {
            return Ok(Self::Size(trimmed.parse()?));
        };
        match number.parse::<f64>() {
            Ok(count) if count > 0.0 && count <= MAX_BDPS => Ok(Self::Bdps(count)),
            _ => Err(Diagnostic::new(
                format!("`{trimmed}` is no number of BDPs above 0, at most {MAX_BDPS}"),
                "write e.g. `1bdp` or `1.5bdp`, or a size as `120KB`",
            )),
        }
    }
}

impl fmt::Display for QueueLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => size.fmt(f),
            Self::Bdps(count) => write!(f, "{count}bdp"),
        }
    }
}

impl Serialize for QueueLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Size(size) => size.serialize(serializer),
            Self::Bdps(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for QueueLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text("a size as text, e.g. \"120KB\" or \"1bdp\"", deserializer)
    }
}

impl JsonSchema for QueueLimit {
    fn schema_name() -> Cow<'static, str> {
        "QueueLimit".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Bytes>();
        json_schema!({
            "description": "How much a queue may hold: bytes on the wire, or BDPs of its port (the \
                            largest base RTT at its rate, in full packets).",
            "anyOf": [{ "type": "string", "pattern": r"^\s*[0-9.]+\s*bdps?\s*$" }, size],
            "examples": ["120KB", "1bdp", "1.5bdp"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four hops of 1 us, packets of 4150 B and ACKs of 64 B at 100 Gb/s. There and back this takes
    /// 4 · (2 us + 337.12 ns) = 9.34848 us, which is 116,856 B or 28.2 packets.
    fn uet_at_100_gbps() -> Bdp {
        Bdp {
            rule: BdpRule::OfNicWithLeavingPacket,
            rtt: Time::from_ps(9_348_480),
            window: Bytes::new(116_856),
            nic_rate: Rate::from_gbps(100),
            packet: Bytes::new(4_150),
        }
    }

    /// A BDP of 28.2 packets counts as 29, of which 28 wait; 5 BDPs are 145 packets, of which 144
    /// wait. Header queues have no departing packet: their limit is 2 · 29. The lower threshold is
    /// 0.2 · 29 = 5.8, so 6 packets, of which 5 wait. The upper one is 0.8 · 29 = 23.2, so 24, of
    /// which 23 wait.
    #[test]
    fn bdps_may_be_whole_packets_of_which_one_leaves() {
        let bdp = uet_at_100_gbps();
        let packets = |count: u64| Bytes::new(count * 4_150);
        let data = |count| bdp.of_data(QueueLimit::Bdps(count));
        assert_eq!(data(1.0), PortLimit::Size(packets(28)));
        assert_eq!(data(5.0), PortLimit::Size(packets(144)));
        let headers = bdp.of_headers(QueueLimit::Bdps(2.0));
        assert_eq!(headers, PortLimit::Size(packets(58)));
        for (thousandths, waiting) in [(200, 5), (800, 23), (1, 0)] {
            let threshold = bdp.threshold(QueueThreshold::BdpThousandths(thousandths));
            assert_eq!(threshold, QueueThreshold::Size(packets(waiting)));
        }
        let given = QueueThreshold::Packets(7);
        assert_eq!(bdp.threshold(given), given);
        let whole = |limit| bdp.with_leaving_packet(limit);
        assert_eq!(whole(QueueLimit::Bdps(1.0)), packets(29));
        assert_eq!(whole(QueueLimit::Size(packets(7))), packets(8));
    }

    /// A limit of 1.5 BDPs with a base RTT of 9.34848 us is what a link carries in 14.02272 us.
    #[test]
    fn limits_are_sizes_or_bdps() {
        let limit = |text: &str| text.parse::<QueueLimit>();
        assert_eq!(limit("120KB"), Ok(QueueLimit::Size(Bytes::new(120_000))));
        assert_eq!(limit(" 1.5 bdps"), Ok(QueueLimit::Bdps(1.5)));
        let bdp = Bdp {
            rule: BdpRule::OfPort,
            ..uet_at_100_gbps()
        };
        let of_ports = |text| bdp.of_data(limit(text).unwrap());
        assert_eq!(
            of_ports("1.5bdp"),
            PortLimit::Time(Time::from_ps(14_022_720))
        );
        assert_eq!(of_ports("4KB"), PortLimit::Size(Bytes::new(4_000)));
        for wrong in ["0bdp", "-1bdp", "xbdp", "1e9bdp", "NaNbdp"] {
            let said = limit(wrong).unwrap_err().to_string();
            assert!(said.contains("write e.g. `1bdp`"), "{said}");
        }
        for text in ["120KB", "1.5bdp"] {
            let written = serde_json::to_string(&limit(text).unwrap()).unwrap();
            let read: QueueLimit = serde_json::from_str(&written).unwrap();
            assert_eq!(read, limit(text).unwrap());
        }
    }
}
