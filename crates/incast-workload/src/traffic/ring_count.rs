//! The number of rings of a collective.

use std::borrow::Cow;
use std::fmt;

use incast_diagnostic::Diagnostic;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::diagnostics;
use crate::rings::Rings;

/// The number of rings of a collective.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RingCount {
    /// A fixed number.
    Some(u32),
    /// All rings that exist: one less than hosts.
    All,
}

impl RingCount {
    /// The number of rings over `hosts` hosts; an error if there are fewer.
    pub(super) fn over(self, hosts: u32) -> Result<u32, Diagnostic> {
        let most = Rings::count_of(hosts);
        match self {
            Self::Some(0) => Err(diagnostics::no_overlays()),
            Self::Some(rings) if rings > most => Err(diagnostics::too_many_rings(hosts, most)),
            Self::Some(rings) => Ok(rings),
            Self::All if most + 1 < hosts => Err(diagnostics::rings_missing(hosts, most)),
            Self::All => Ok(most),
        }
    }
}

impl Default for RingCount {
    fn default() -> Self {
        Self::Some(1)
    }
}

impl Serialize for RingCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Some(rings) => rings.serialize(serializer),
            Self::All => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for RingCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RingCountVisitor)
    }
}

struct RingCountVisitor;

impl Visitor<'_> for RingCountVisitor {
    type Value = RingCount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of rings, or \"all\"")
    }

    fn visit_u64<E: de::Error>(self, rings: u64) -> Result<RingCount, E> {
        u32::try_from(rings)
            .map(RingCount::Some)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(rings), &self))
    }

    fn visit_i64<E: de::Error>(self, rings: i64) -> Result<RingCount, E> {
        u32::try_from(rings)
            .map(RingCount::Some)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(rings), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<RingCount, E> {
        match text {
            "all" => Ok(RingCount::All),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
}

impl JsonSchema for RingCount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RingCount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "all" }] })
    }
}
