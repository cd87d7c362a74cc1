//! `[cc]`: the congestion control under test, its parameters beside its name in one table.

use std::borrow::Cow;
use std::fmt;

use incast_cc::AlgorithmConfig;
use incast_registry::{Available, Registered};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use self::name::{AlgorithmName, EXTERNAL, NamedAlgorithm};
pub(crate) use self::of_entry::CcOfEntry;
use self::parameter_set::{SET, WithParameterSet};
use crate::spec::{choice, stem, tagged};

mod name;
mod of_entry;
mod parameter_set;
mod ranges;

/// An algorithm with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CcSection {
    pub(crate) name: AlgorithmName,
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
        let name = choice::tag(&mut map, TAG, NamedAlgorithm)?;
        let parameters = MapAccessDeserializer::new(WithParameterSet::new(name.clone(), map));
        let algorithm = AlgorithmConfig::read(name.base, parameters)?;
        Ok(CcSection::new(name, algorithm))
    }
}

impl CcSection {
    /// An algorithm with its name; the name of one in a Python file has its file and class.
    fn new(mut name: AlgorithmName, mut algorithm: AlgorithmConfig) -> Self {
        if let AlgorithmConfig::External(config) = &mut algorithm {
            match name.place.take() {
                Some(place) => {
                    config.file = place.file;
                    if !place.class.is_empty() {
                        config.class = place.class;
                    }
                }
                None if !config.file.is_empty() => name.rename(&stem(&config.file)),
                None => {}
            }
        }
        Self { name, algorithm }
    }
}

/// The parameters of an algorithm without its name.
struct Values<'a>(&'a AlgorithmConfig);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl Serialize for CcSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        tagged::serialize(
            TAG,
            self.name.written(),
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
        let algorithms = AlgorithmConfig::available().iter();
        let schemas = AlgorithmConfig::schemas(generator);
        let kinds = algorithms
            .zip(schemas)
            .map(|(info, (_, schema))| of_algorithm(info, tagged::definition(generator, schema)));
        json_schema!({ "oneOf": kinds.collect::<Vec<_>>() })
    }
}

/// The schema of an algorithm's parameters, with the keys for the algorithm's name and for a set of
/// parameters.
fn of_algorithm(info: &Registered, mut parameters: serde_json::Value) -> serde_json::Value {
    let parts: Vec<_> = AlgorithmConfig::parts_of(info.name)
        .iter()
        .map(|part| part.name())
        .collect();
    let mut name = json!({ "enum": AlgorithmName::all_of(info) });
    if parts.len() > 1 {
        // Editors offer the names of the list; a scenario may also name the parts in another order.
        let pattern = format!(r"^{}(\+({}))*$", info.name, parts.join("|"));
        name = json!({ "anyOf": [name, { "type": "string", "pattern": pattern }] });
    }
    if info.name == EXTERNAL {
        let file = json!({ "type": "string", "pattern": r"\.py(:\w+)?$" });
        name = json!({ "anyOf": [name, file] });
    }
    if let [default, ..] = info.sets().as_slice() {
        let named = |set: Available| json!({ "const": set.name, "description": set.summary });
        let sets = info.sets().into_iter().map(named);
        parameters["properties"][SET] = json!({
            "description": "A named set of parameters; single ones beside it replace its values.",
            "oneOf": sets.collect::<Vec<_>>(),
            "default": default.name,
        });
    }
    tagged::with_tag(parameters, TAG, info.name, info.summary, name)
}
