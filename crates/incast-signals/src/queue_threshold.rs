//! Queue lengths in scenarios: in bytes, in full packets, or in BDPs.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use incast_units::{Bytes, from_text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A queue length as scenarios give it.
///
/// ```
/// use incast_signals::QueueThreshold;
/// use incast_units::Bytes;
///
/// assert_eq!("65 packets".parse(), Ok(QueueThreshold::Packets(65)));
/// assert_eq!("40KB".parse(), Ok(QueueThreshold::Size(Bytes::new(40_000))));
/// assert_eq!(QueueThreshold::Packets(65).in_bytes(Bytes::new(1_500)), Bytes::new(97_500));
///
/// let fifth: QueueThreshold = "0.2 bdp".parse().unwrap();
/// assert_eq!(fifth, QueueThreshold::BdpThousandths(200));
/// let bdp = Bytes::new(100_000);
/// assert_eq!(fifth.with_bdp(bdp), QueueThreshold::Size(Bytes::new(20_000)));
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum QueueThreshold {
    /// This many bytes on the wire.
    Size(Bytes),
    /// This many full data packets.
    Packets(u32),
    /// This many thousandths of the network's BDP: a NIC's rate times the largest base RTT.
    BdpThousandths(u32),
}

impl QueueThreshold {
    /// The length in bytes on the wire. `packet`: size of a full data packet.
    ///
    /// # Panics
    /// If the length is in BDPs, which [`with_bdp`](Self::with_bdp) must replace first.
    pub fn in_bytes(self, packet: Bytes) -> Bytes {
        match self {
            Self::Size(size) => size,
            Self::Packets(count) => packet * u64::from(count),
            Self::BdpThousandths(_) => panic!("{self}: the BDP is not known"),
        }
    }

    /// The length in a network with this BDP: BDPs become bytes, rounded up.
    #[must_use]
    pub fn with_bdp(self, bdp: Bytes) -> Self {
        match self {
            Self::Size(_) | Self::Packets(_) => self,
            Self::BdpThousandths(count) => {
                let thousandths = u128::from(bdp.as_u64()) * u128::from(count);
                let bytes = u64::try_from(thousandths.div_ceil(1_000));
                Self::Size(Bytes::new(bytes.unwrap_or(u64::MAX)))
            }
        }
    }

    /// Parses the number before `bdp`.
    fn of_bdps(number: &str) -> Option<Self> {
        let (whole, digits) = number.split_once('.').unwrap_or((number, ""));
        let has_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || digits.len() > 3 || !has_digits(whole) || !has_digits(digits) {
            return None;
        }
        let thousandths = format!("{whole}{digits:0<3}").parse();
        thousandths.ok().map(Self::BdpThousandths)
    }
}

impl FromStr for QueueThreshold {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let trimmed = text.trim();
        if let Some(number) = trimmed.strip_suffix("bdp") {
            let threshold = Self::of_bdps(number.trim_end());
            return threshold.ok_or_else(|| {
                let what = format!("`{trimmed}` is no number of BDPs");
                Diagnostic::new(what, "write up to three decimals, e.g. `0.2 bdp`")
            });
        }
        let stem = trimmed.strip_suffix('s').unwrap_or(trimmed);
        match stem.strip_suffix("packet").map(str::trim_end) {
            None => Ok(Self::Size(trimmed.parse()?)),
            Some(number) => match number.parse() {
                Ok(packets) => Ok(Self::Packets(packets)),
                Err(_) => Err(Diagnostic::new(
                    format!("`{trimmed}`: thresholds count whole packets"),
                    "write 0 to 4294967295, e.g. `65 packets`",
                )),
            },
        }
    }
}

impl fmt::Display for QueueThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => size.fmt(f),
            Self::Packets(1) => f.write_str("1 packet"),
            Self::Packets(packets) => write!(f, "{packets} packets"),
            Self::BdpThousandths(count) => write!(f, "{} bdp", f64::from(*count) / 1_000.0),
        }
    }
}

impl Serialize for QueueThreshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for QueueThreshold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(
            "a size as text, e.g. \"40KB\", \"65 packets\" or \"0.2 bdp\"",
            deserializer,
        )
    }
}

impl JsonSchema for QueueThreshold {
    fn schema_name() -> Cow<'static, str> {
        "Threshold".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Bytes>();
        json_schema!({
            "description": "A length of a queue: bytes on the wire, full data packets, or BDPs.",
            "anyOf": [
                {
                    "type": "string",
                    "pattern": r"^\s*([0-9]+\s*packets?|[0-9]+(\.[0-9]{1,3})?\s*bdp)\s*$",
                },
                size,
            ],
            "examples": ["40KB", "1 packet", "65 packets", "0.2 bdp"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_read_and_printed() {
        for (text, threshold, printed) in [
            ("1 packet", QueueThreshold::Packets(1), "1 packet"),
            (" 65packets ", QueueThreshold::Packets(65), "65 packets"),
            ("0 packets", QueueThreshold::Packets(0), "0 packets"),
            ("0.04MB", QueueThreshold::Size(Bytes::new(40_000)), "40KB"),
            ("0.2bdp", QueueThreshold::BdpThousandths(200), "0.2 bdp"),
            ("1 bdp", QueueThreshold::BdpThousandths(1_000), "1 bdp"),
            ("0.025 bdp", QueueThreshold::BdpThousandths(25), "0.025 bdp"),
        ] {
            assert_eq!(text.parse(), Ok(threshold), "{text}");
            assert_eq!(threshold.to_string(), printed);
        }
    }

    #[test]
    fn bdps_have_three_decimals_at_most() {
        for text in [
            "0.0001 bdp",
            "bdp",
            "-1 bdp",
            ".5 bdp",
            "1e3 bdp",
            "9999999 bdp",
        ] {
            assert_eq!(
                text.parse::<QueueThreshold>().unwrap_err().to_string(),
                format!(
                    "`{text}` is no number of BDPs; write up to three decimals, e.g. `0.2 bdp`"
                )
            );
        }
    }

    /// 0.333 · 1001 B = 333.333 B, rounded up to 334 B.
    #[test]
    fn a_bdp_becomes_bytes() {
        let bdp = Bytes::new(1_001);
        let third = QueueThreshold::BdpThousandths(333).with_bdp(bdp);
        assert_eq!(third, QueueThreshold::Size(Bytes::new(334)));
        let packets = QueueThreshold::Packets(3);
        assert_eq!(packets.with_bdp(bdp), packets);
    }

    #[test]
    fn anything_else_is_answered_as_sizes_are() {
        for text in ["40", "4Kb", ""] {
            let message = text.parse::<Bytes>().unwrap_err().to_string();
            assert_eq!(
                text.parse::<QueueThreshold>().unwrap_err().to_string(),
                message
            );
        }
    }

    #[test]
    fn packets_are_whole_and_not_too_many() {
        let largest = QueueThreshold::Packets(u32::MAX);
        assert_eq!("4294967295 packets".parse(), Ok(largest));
        for text in ["1.5 packets", "-1 packet", "4294967296 packets", "packets"] {
            assert_eq!(
                text.parse::<QueueThreshold>().unwrap_err().to_string(),
                format!(
                    "`{text}`: thresholds count whole packets; write 0 to 4294967295, \
                     e.g. `65 packets`"
                )
            );
        }
    }
}
