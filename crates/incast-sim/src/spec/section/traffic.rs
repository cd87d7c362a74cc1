//! `[[traffic]]`: the entries of incast-workload, with the message for an unknown kind that all
//! other names have.

use std::borrow::Cow;
use std::fmt;

use incast_workload::TrafficSpec;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::spec::choice::{self, KnownNames, PrefixedMap};

/// One entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct TrafficSection(pub(crate) TrafficSpec);

impl<'de> Deserialize<'de> for TrafficSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TrafficVisitor)
    }
}

struct TrafficVisitor;

impl<'de> Visitor<'de> for TrafficVisitor {
    type Value = TrafficSection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table with a `kind`")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<TrafficSection, M::Error> {
        let kinds = TrafficSpec::available();
        let available: Vec<_> = kinds.iter().map(|kind| kind.name).collect();
        let name = KnownNames {
            noun: "kind of traffic",
            available: &available,
        };
        let kind = choice::tag(&mut map, "kind", name)?;
        let entry = MapAccessDeserializer::new(PrefixedMap::new("kind", kind, map));
        TrafficSpec::deserialize(entry).map(TrafficSection)
    }
}

impl JsonSchema for TrafficSection {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        TrafficSpec::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<TrafficSpec>()
    }
}
