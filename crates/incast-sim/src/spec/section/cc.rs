//! `[cc]`: the congestion control under test, its parameters flat beside its name.

use std::borrow::Cow;
use std::fmt;

use incast_cc::AlgorithmConfig;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use self::completed::{Completed, SET};
use crate::spec::{choice, suggest, tagged};

mod completed;

/// An algorithm with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CcSection {
    pub(crate) algorithm: AlgorithmConfig,
}

const TAG: &str = "algorithm";

impl<'de> Deserialize<'de> for CcSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(CcVisitor)
    }
}

struct CcVisitor;

impl<'de> Visitor<'de> for CcVisitor {
    type Value = CcSection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table with `algorithm` and its parameters")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<CcSection, M::Error> {
        let name = choice::tag(&mut map, TAG, AlgorithmName)?;
        let parameters = MapAccessDeserializer::new(Completed::new(name.clone(), map));
        AlgorithmConfig::from_parameters(&name, parameters)
            .unwrap_or_else(|| Err(de::Error::custom(format!("unknown algorithm `{name}`"))))
            .map(|algorithm| CcSection { algorithm })
    }
}

/// The named sets of an algorithm's parameters, each with a line on where its values are from.
fn sets_of(algorithm: &str) -> Vec<(&'static str, &'static str)> {
    let mut all = incast_cc::available().iter();
    let info = all.find(|info| info.name == algorithm);
    info.map_or(Vec::new(), |info| info.parameter_sets())
}

/// A name such as `hpcc`, or `hpcc+vai` where parts are added to it.
struct AlgorithmName;

impl<'de> DeserializeSeed<'de> for AlgorithmName {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let name = String::deserialize(deserializer)?;
        let mut parts = name.split('+');
        let base = parts.next().unwrap_or_default();
        let available: Vec<_> = incast_cc::available()
            .iter()
            .map(|info| info.name)
            .collect();
        if !available.contains(&base) {
            let hint = suggest::hint(base, &available);
            return Err(de::Error::custom(format!(
                "unknown algorithm `{base}`; {hint}"
            )));
        }
        match parts.next() {
            None => Ok(name),
            Some(part) => Err(de::Error::custom(format!(
                "unknown part `{part}`; this version adds no parts to algorithms, write `{base}`"
            ))),
        }
    }
}

impl CcSection {
    /// JSON Schema of the algorithm's parameters, and the parameters.
    pub(crate) fn schema_and_parameters(&self) -> (serde_json::Value, toml::Table) {
        let mut generator = SchemaGenerator::default();
        let name = self.algorithm.name();
        let schemas = AlgorithmConfig::schemas(&mut generator);
        let schema = schemas.into_iter().find(|(known, _)| *known == name);
        let schema = schema.map(|(_, schema)| tagged::definition(&generator, schema));
        let parameters = toml::Table::try_from(Values(&self.algorithm));
        (
            schema.unwrap_or_default(),
            parameters.expect("parameters that were read can be printed"),
        )
    }
}

/// The parameters of an algorithm without its name.
struct Values<'a>(&'a AlgorithmConfig);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.parameters(serializer)
    }
}

impl Serialize for CcSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        tagged::serialize(
            TAG,
            self.algorithm.name(),
            &Values(&self.algorithm),
            serializer,
        )
    }
}

impl JsonSchema for CcSection {
    fn schema_name() -> Cow<'static, str> {
        "CongestionControl".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds = AlgorithmConfig::schemas(generator);
        let summary = |name: &str| {
            let info = incast_cc::available().iter().find(|info| info.name == name);
            info.map_or("", |info| info.summary)
        };
        let kinds = kinds
            .into_iter()
            .map(|(name, schema)| (name, summary(name), with_sets(generator, name, schema)));
        tagged::schema(generator, TAG, kinds)
    }
}

/// The schema of an algorithm's parameters with the key that names a set of them.
fn with_sets(generator: &SchemaGenerator, algorithm: &str, schema: Schema) -> Schema {
    let sets = sets_of(algorithm);
    let Some((default, _)) = sets.first() else {
        return schema;
    };
    let names = sets
        .iter()
        .map(|(name, summary)| json!({ "const": name, "description": summary }));
    let mut schema = tagged::definition(generator, schema);
    schema["properties"][SET] = json!({
        "description": "The named set of parameters; single ones beside it replace its values.",
        "oneOf": names.collect::<Vec<_>>(),
        "default": default,
    });
    schema.try_into().expect("an object is a schema")
}
