//! `network.topology`: the name of a network, a kind with its parameters, or a file.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use incast_diagnostic::{Diagnostic, Placed};
use incast_import::{FileFormat, read_topology};
use incast_topology::{Topology, TopologySpec};
use incast_units::{Rate, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::spec::choice::{KnownNames, PrefixedMap};

const KEY: &str = "network.topology";

/// The graph as written in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum TopologySection {
    /// A kind with its parameters; a name stands for a kind with fixed parameters.
    Built(TopologySpec),
    File(TopologyFile),
}

/// A topology file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TopologyFile {
    /// The path of the file, relative to the scenario's folder.
    pub(crate) file: PathBuf,
    /// The format of the file.
    pub(crate) format: FileFormat,
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
                let kinds: Vec<_> = TopologySpec::available()
                    .iter()
                    .map(|kind| kind.name)
                    .collect();
                let kind = map.next_value_seed(KnownNames {
                    noun: TopologySpec::NOUN,
                    available: &kinds,
                })?;
                let parameters = MapAccessDeserializer::new(map);
                TopologySpec::read(&kind, parameters).map(TopologySection::Built)
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
        let names = TopologySpec::names();
        let named = |name: &(&str, &str)| {
            let (name, summary) = name;
            serde_json::json!({ "const": name, "description": summary })
        };
        let names: Vec<_> = names.iter().map(named).collect();
        let built = generator.subschema_for::<TopologySpec>();
        let file = generator.subschema_for::<TopologyFile>();
        json_schema!({ "anyOf": [{ "oneOf": names }, built, file] })
    }
}

impl TopologySection {
    /// The graph, with the network's delay of links and rate of hosts' links, where these are
    /// given.
    pub(crate) fn build(
        &self,
        folder: &Path,
        link_delay: Option<Time>,
        link_rate: Option<Rate>,
    ) -> Result<Topology, Diagnostic> {
        let mut topology = match self {
            Self::Built(spec) => spec.build().at(KEY)?,
            Self::File(TopologyFile { file, format }) => {
                let read = read_topology(&folder.join(file), file, *format);
                read.map_err(|wrong| wrong.naming(file.display())).at(KEY)?
            }
        };
        if let Some(delay) = link_delay {
            set_delay(&mut topology, delay)?;
        }
        if let Some(rate) = link_rate {
            scale_rates(&mut topology, rate)?;
        }
        Ok(topology)
    }
}

fn set_delay(topology: &mut Topology, delay: Time) -> Result<(), Diagnostic> {
    if delay == Time::ZERO {
        let diagnostic = Diagnostic::new(
            "a link without delay is not allowed: simulated time advances by the smallest delay",
            "write at least \"1ns\"",
        );
        return Err(diagnostic.at("network.link_delay"));
    }
    topology
        .links
        .iter_mut()
        .for_each(|link| link.delay = delay);
    Ok(())
}

/// Gives links of host 0 the rate `rate`, and scales the rates of all other links by the same
/// factor.
fn scale_rates(topology: &mut Topology, rate: Rate) -> Result<(), Diagnostic> {
    if rate == Rate::ZERO {
        let diagnostic = Diagnostic::new("nothing would ever leave", "write e.g. \"100Gbps\"");
        return Err(diagnostic.at("network.link_rate"));
    }
    let of_host = topology
        .links
        .iter()
        .find(|link| link.a.0 == 0 || link.b.0 == 0);
    let base = u128::from(of_host.map_or(rate, |link| link.rate).as_bps());
    let scaled = |of_link: Rate| {
        let bps = u128::from(of_link.as_bps()) * u128::from(rate.as_bps()) / base;
        Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX).max(1))
    };
    for link in &mut topology.links {
        link.rate = scaled(link.rate);
        link.rate_back = link.rate_back.map(scaled);
    }
    Ok(())
}
