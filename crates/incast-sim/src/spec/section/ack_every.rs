//! How often receivers send ACKs: after a number of packets (`8`), or of bytes (`"16KiB"`).

use std::borrow::Cow;

use incast_cc::Needs;
use incast_diagnostic::Diagnostic;
use incast_net::AckPolicy;
use incast_units::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The most packets that share an ACK.
const MOST_PACKETS: u64 = 1024;

/// The data that one ACK stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum AckEvery {
    /// This many data packets.
    Packets(u64),
    /// This many bytes on the wire.
    Bytes(Bytes),
}

impl AckEvery {
    /// The default where a scenario leaves the key out: `of_profile` is the choice of the profile.
    pub(crate) fn needed(needs: &Needs, of_profile: Option<Bytes>) -> Self {
        match needs.ack_every.or(of_profile) {
            Some(bytes) if !needs.per_packet_ack => Self::Bytes(bytes),
            _ => Self::Packets(1),
        }
    }

    /// Checks that the amount is in range.
    ///
    /// # Errors
    /// If the amount is too small or too large.
    pub(crate) fn check(self) -> Result<(), Diagnostic> {
        match self {
            Self::Packets(1..=MOST_PACKETS) => Ok(()),
            Self::Packets(every) => {
                let what = format!("`{every}` is out of range");
                Err(Diagnostic::new(what, "write 1 to 1024"))
            }
            Self::Bytes(Bytes::ZERO) => {
                let what = "an ACK for nothing";
                Err(Diagnostic::new(
                    what,
                    "write e.g. \"16KiB\", or 1 for each packet",
                ))
            }
            Self::Bytes(_) => Ok(()),
        }
    }
}

impl From<AckEvery> for AckPolicy {
    fn from(every: AckEvery) -> Self {
        match every {
            AckEvery::Packets(packets) => Self::Packets(packets as u32),
            AckEvery::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

impl Serialize for AckEvery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Packets(packets) => packets.serialize(serializer),
            Self::Bytes(bytes) => bytes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for AckEvery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AckEveryVisitor)
    }
}

struct AckEveryVisitor;

impl de::Visitor<'_> for AckEveryVisitor {
    type Value = AckEvery;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a whole number of packets, or a size as text, e.g. \"16KiB\"")
    }

    fn visit_u64<E: de::Error>(self, packets: u64) -> Result<AckEvery, E> {
        Ok(AckEvery::Packets(packets))
    }

    fn visit_i64<E: de::Error>(self, packets: i64) -> Result<AckEvery, E> {
        match u64::try_from(packets) {
            Ok(packets) => Ok(AckEvery::Packets(packets)),
            Err(_) => {
                let what = format!("`{packets}` is out of range");
                Err(E::custom(Diagnostic::new(what, "write 1 to 1024")))
            }
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<AckEvery, E> {
        match text.parse() {
            Ok(bytes) => Ok(AckEvery::Bytes(bytes)),
            Err(_) => {
                let what = format!("`{text}` is neither a number of packets nor a size");
                let hint = "write e.g. 8, or \"16KiB\"";
                Err(E::custom(Diagnostic::new(what, hint)))
            }
        }
    }
}

impl JsonSchema for AckEvery {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AckEvery".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Bytes>();
        json_schema!({
            "anyOf": [{ "type": "integer", "minimum": 1, "maximum": MOST_PACKETS }, size],
            "examples": [1, 8, "16KiB"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_algorithm_may_want_one_for_each_packet() {
        let needed = |ack_every, per_packet_ack, of_profile| {
            let needs = Needs {
                ack_every,
                per_packet_ack,
                ..Needs::default()
            };
            AckEvery::needed(&needs, of_profile)
        };
        let needs = |ack_every, per_packet_ack| needed(ack_every, per_packet_ack, None);
        let bytes = Bytes::new(16_384);
        assert_eq!(needed(None, false, Some(bytes)), AckEvery::Bytes(bytes));
        assert_eq!(needed(None, true, Some(bytes)), AckEvery::Packets(1));
        assert_eq!(needs(None, false), AckEvery::Packets(1));
        assert_eq!(needs(Some(bytes), false), AckEvery::Bytes(bytes));
        assert_eq!(needs(Some(bytes), true), AckEvery::Packets(1));
    }
}
