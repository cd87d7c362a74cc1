//! Headroom: buffer of an ingress port for packets that arrive after a pause was decided.

use std::borrow::Cow;
use std::fmt;

use incast_units::{Bytes, OneOf, Rate, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock::Clock;
use crate::wire::PacketSizes;

/// Headroom of an ingress port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "WrittenHeadroom", into = "WrittenHeadroom")]
pub enum Headroom {
    /// All bytes that can still arrive: the link's bandwidth over two propagation delays, a packet
    /// that has just begun at either end, the pause frame, and errors of timing.
    WorstCase,
    /// This multiple of the link's rate · delay, rounded down.
    RateDelay(u32),
    /// A fixed number of bytes.
    Fixed(Bytes),
}

/// A link, as the ingress port of a switch sees it.
#[derive(Copy, Clone, Debug)]
pub struct IngressLink {
    pub(crate) rate: Rate,
    /// The rate of the other direction, in which packets arrive.
    pub(crate) arriving: Rate,
    pub(crate) delay: Time,
    /// Largest extra delay of the last packet after a pause, because of timing errors.
    pub(crate) later: Time,
}

impl Headroom {
    /// Headroom of a port whose link has this rate and delay, in bytes. In the worst case a packet
    /// has just exceeded the threshold. The pause frame waits for a packet that has just begun to
    /// leave and for an earlier resume frame. Then it is transmitted at the rate of the port, and
    /// travels. Meanwhile packets arrive at the rate of the peer. The peer finishes the packet that
    /// it has just begun, and all packets on the link by then still arrive. A clock that rounds
    /// transmission times down makes the link faster than its rate, so more arrives.
    pub fn of(&self, link: &IngressLink, packets: &PacketSizes, clock: Clock) -> Bytes {
        let IngressLink {
            rate,
            arriving,
            delay,
            later,
        } = *link;
        match self {
            Self::Fixed(bytes) => *bytes,
            // As in the artifact: rounded to whole bytes first, then multiplied.
            Self::RateDelay(multiple) => rate.bytes_in(delay) * u64::from(*multiple),
            Self::WorstCase => {
                let time = u128::from(delay.as_ps()) * 2 + u128::from(later.as_ps());
                let on_the_way = u128::from(arriving.as_bps()) * time;
                // Rounded up, because transmission times are rounded up where a byte takes a
                // fraction of a ps.
                let on_the_way = on_the_way.div_ceil(8_000_000_000_000) as u64;
                let before_pause = u128::from(packets.before_pause().as_u64());
                let meanwhile = before_pause * u128::from(arriving.as_bps());
                let meanwhile = meanwhile.div_ceil(u128::from(rate.as_bps())) as u64;
                let exact = Bytes::new(on_the_way + meanwhile) + packets.largest() * 2;
                clock.at_most_sent(exact, arriving, packets.smallest())
            }
        }
    }
}

/// The headroom as scenarios write it: `"worst-case"`, a size, or `{ rate_delay = 3 }`.
type WrittenHeadroom = OneOf<HeadroomText, HeadroomMultiple>;

/// A multiple of rate · delay.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HeadroomMultiple {
    /// Multiple of rate · propagation delay of the port's link.
    rate_delay: u32,
}

/// Headroom written as text.
#[derive(Copy, Clone, Debug, PartialEq)]
enum HeadroomText {
    /// All bytes that can still arrive.
    WorstCase,
    /// This many bytes.
    Fixed(Bytes),
}

const WORST_CASE: &str = "worst-case";

impl Serialize for HeadroomText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::WorstCase => serializer.serialize_str(WORST_CASE),
            Self::Fixed(bytes) => bytes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for HeadroomText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HeadroomVisitor)
    }
}

struct HeadroomVisitor;

impl Visitor<'_> for HeadroomVisitor {
    type Value = HeadroomText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{WORST_CASE}\", a size such as \"100KB\", or {{ rate_delay = 3 }}"
        )
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<HeadroomText, E> {
        match text {
            WORST_CASE => Ok(HeadroomText::WorstCase),
            size => size.parse().map(HeadroomText::Fixed).map_err(E::custom),
        }
    }
}

impl JsonSchema for HeadroomText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "HeadroomText".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = generator.subschema_for::<Bytes>();
        json_schema!({ "anyOf": [{ "const": WORST_CASE }, size] })
    }
}

impl From<WrittenHeadroom> for Headroom {
    fn from(written: WrittenHeadroom) -> Self {
        match written {
            OneOf::Plain(HeadroomText::WorstCase) => Self::WorstCase,
            OneOf::Plain(HeadroomText::Fixed(bytes)) => Self::Fixed(bytes),
            OneOf::Nested(HeadroomMultiple { rate_delay }) => Self::RateDelay(rate_delay),
        }
    }
}

impl From<Headroom> for WrittenHeadroom {
    fn from(headroom: Headroom) -> Self {
        match headroom {
            Headroom::WorstCase => Self::Plain(HeadroomText::WorstCase),
            Headroom::Fixed(bytes) => Self::Plain(HeadroomText::Fixed(bytes)),
            Headroom::RateDelay(rate_delay) => Self::Nested(HeadroomMultiple { rate_delay }),
        }
    }
}
