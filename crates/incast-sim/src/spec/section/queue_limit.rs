//! How much a queue may hold, as scenarios write it: in bytes, or in BDPs of its port.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use incast_net::PortLimit;
use incast_units::{Bytes, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How much a queue may hold.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum QueueLimit {
    Size(Bytes),
    /// This many times the largest base RTT at the rate of the port, in full packets.
    Bdps(f64),
}

/// More BDPs than anyone asks for.
const MAX_BDPS: f64 = 1_000.0;

impl QueueLimit {
    /// At ports of a network with this largest base RTT.
    pub(crate) fn of_ports(self, base_rtt: Time) -> PortLimit {
        match self {
            Self::Size(size) => PortLimit::Size(size),
            Self::Bdps(count) => {
                let time = base_rtt.as_ps() as f64 * count;
                PortLimit::Time(Time::from_ps(time.round() as u64))
            }
        }
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
        struct LimitVisitor;

        impl de::Visitor<'_> for LimitVisitor {
            type Value = QueueLimit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size as text, e.g. \"120KB\" or \"1bdp\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<QueueLimit, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<QueueLimit, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<QueueLimit, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<QueueLimit, E> {
                self.visit_str(&number.to_string())
            }
        }

        deserializer.deserialize_any(LimitVisitor)
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

    /// 1.5 BDPs of 8 us are what a link carries in 12 us.
    #[test]
    fn limits_are_sizes_or_bdps() {
        let limit = |text: &str| text.parse::<QueueLimit>();
        assert_eq!(limit("120KB"), Ok(QueueLimit::Size(Bytes::new(120_000))));
        assert_eq!(limit(" 1.5 bdps"), Ok(QueueLimit::Bdps(1.5)));
        let of_ports = |text| limit(text).unwrap().of_ports(Time::from_us(8));
        assert_eq!(of_ports("1.5bdp"), PortLimit::Time(Time::from_us(12)));
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
