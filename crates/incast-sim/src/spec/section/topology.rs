//! `network.topology`: the name of a network, a kind with its parameters, or a file.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use incast_topology::{
    Clos64, Clos320, Dumbbell, FatTree, FileFormat, LeafSpine, ParameterError, ParkingLot,
    ReadError, ReadFault, Star, Topology, TopologyError, TopologySpec, read_file,
};
use incast_units::{Rate, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::network::NetworkSection;
use crate::spec::choice::{KnownName, PrefixedMap};
use crate::spec::error::{Complaint, Problem, SpecError};
use crate::spec::resolve::Trouble;

const KEY: &str = "network.topology";

/// The graph, as a scenario says it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum TopologySection {
    /// A kind with its parameters; names stand for such.
    Built(TopologySpec),
    File(TopologyFile),
}

/// A topology file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TopologyFile {
    /// The file, seen from the scenario's folder.
    pub(crate) file: PathBuf,
    /// How it is written.
    pub(crate) format: FileFormat,
}

macro_rules! kinds {
    ($($name:literal => $variant:ident;)*) => {
        const KINDS: &[&str] = &[$($name),*];

        /// Reads the parameters of a kind. Not by the type itself, which would buffer them and
        /// forget their lines.
        fn read_kind<'de, D: Deserializer<'de>>(
            kind: &str,
            rest: D,
        ) -> Result<TopologySpec, D::Error> {
            match kind {
                $($name => $variant::deserialize(rest).map(TopologySpec::$variant),)*
                _ => Err(de::Error::unknown_variant(kind, KINDS)),
            }
        }
    };
}

kinds! {
    "star" => Star;
    "dumbbell" => Dumbbell;
    "parking-lot" => ParkingLot;
    "fat-tree" => FatTree;
    "leaf-spine" => LeafSpine;
    "clos-320" => Clos320;
    "clos-64" => Clos64;
}

impl<'de> Deserialize<'de> for TopologySection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TopologyVisitor)
    }
}

struct TopologyVisitor;

impl<'de> Visitor<'de> for TopologyVisitor {
    type Value = TopologySection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name such as \"clos-320\", { kind = … } or { file = … }")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<TopologySection, E> {
        TopologySpec::named(name)
            .map(TopologySection::Built)
            .map_err(E::custom)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<TopologySection, M::Error> {
        match map.next_key::<String>()?.as_deref() {
            Some("kind") => {
                let names = KnownName {
                    noun: "kind of topology",
                    available: KINDS,
                };
                let kind = map.next_value_seed(names)?;
                read_kind(&kind, MapAccessDeserializer::new(map)).map(TopologySection::Built)
            }
            Some("file") => {
                let file = PrefixedMap::new("file", map.next_value()?, map);
                let file = TopologyFile::deserialize(MapAccessDeserializer::new(file));
                file.map(TopologySection::File)
            }
            _ => Err(de::Error::missing_field("kind")),
        }
    }
}

impl JsonSchema for TopologySection {
    fn schema_name() -> Cow<'static, str> {
        "Topology".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let names = incast_topology::available()
            .iter()
            .map(|(name, summary)| serde_json::json!({ "const": name, "description": summary }));
        let names: Vec<_> = names.collect();
        let built = generator.subschema_for::<TopologySpec>();
        let file = generator.subschema_for::<TopologyFile>();
        json_schema!({ "anyOf": [{ "oneOf": names }, built, file] })
    }
}

impl NetworkSection {
    /// The graph, with the rate and the delay that the scenario asks for.
    pub(crate) fn build_topology(&self, folder: &Path) -> Result<Topology, Trouble> {
        let mut topology = match &self.topology {
            TopologySection::Built(spec) => spec.build().map_err(|error| impossible(&error))?,
            TopologySection::File(TopologyFile { file, format }) => {
                read_file(&folder.join(file), *format)
                    .map_err(|error| Trouble::File(in_file(&error, file)))?
            }
        };
        if let Some(delay) = self.link_delay {
            set_delay(&mut topology, delay)?;
        }
        if let Some(rate) = self.link_rate {
            scale_rates(&mut topology, rate)?;
        }
        Ok(topology)
    }
}

fn impossible(error: &TopologyError) -> Problem {
    let message = error.to_string();
    let TopologyError::Parameter(error) = error else {
        return Complaint::from_message(&message).at(KEY);
    };
    let (kind, parameter) = match error {
        ParameterError::TooSmall {
            kind, parameter, ..
        }
        | ParameterError::Odd {
            kind, parameter, ..
        }
        | ParameterError::ZeroRate { kind, parameter }
        | ParameterError::ZeroDelay { kind, parameter }
        | ParameterError::PerHost {
            kind, parameter, ..
        } => (*kind, Some(*parameter)),
        ParameterError::TooLarge { kind, .. } => (*kind, None),
        ParameterError::UnknownName { .. } => ("", None),
    };
    let message = message
        .strip_prefix(&format!("{kind}: "))
        .unwrap_or(&message);
    let key = parameter.map_or(KEY.to_owned(), |parameter| format!("{KEY}.{parameter}"));
    Complaint::from_message(message).at(key)
}

/// The reader's message without its place, which is told apart.
fn in_file(error: &ReadError, file: &Path) -> SpecError {
    let complaint = match &error.fault {
        ReadFault::Unreadable(error) => Complaint::unreadable(error),
        fault => Complaint::from_message(&fault.to_string()),
    };
    SpecError {
        file: Some(file.display().to_string()),
        line: error
            .line
            .map(|line| u32::try_from(line).unwrap_or(u32::MAX)),
        key: String::new(),
        what: complaint.what,
        hint: complaint.hint,
    }
}

fn set_delay(topology: &mut Topology, delay: Time) -> Result<(), Problem> {
    if delay == Time::ZERO {
        let complaint = Complaint::new(
            "a link without delay is not allowed: simulated time advances by the smallest delay",
            "write at least \"1ns\"",
        );
        return Err(complaint.at("network.link_delay"));
    }
    topology
        .links
        .iter_mut()
        .for_each(|link| link.delay = delay);
    Ok(())
}

/// Links of the first host's rate get `rate`, the others keep their ratio to it.
fn scale_rates(topology: &mut Topology, rate: Rate) -> Result<(), Problem> {
    if rate == Rate::ZERO {
        let complaint = Complaint::new("nothing would ever leave", "write e.g. \"100Gbps\"");
        return Err(complaint.at("network.link_rate"));
    }
    let of_host = topology
        .links
        .iter()
        .find(|link| link.a.0 == 0 || link.b.0 == 0);
    let base = u128::from(of_host.map_or(rate, |link| link.rate).as_bps());
    for link in &mut topology.links {
        let scaled = u128::from(link.rate.as_bps()) * u128::from(rate.as_bps()) / base;
        link.rate = Rate::from_bps(u64::try_from(scaled).unwrap_or(u64::MAX).max(1));
    }
    Ok(())
}
