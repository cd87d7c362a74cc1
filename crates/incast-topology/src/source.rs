//! Where a scenario's network comes from: a name, a description, or a file.
//!
//! ```toml
//! topology = "clos-320"
//! topology = { kind = "fat-tree", k = 4 }
//! topology = { file = "fat.txt", format = "hpcc-ns3" }
//! ```

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::error::TopologyError;
use crate::read::{FileFormat, read_file};
use crate::spec::{TopologySpec, available};
use crate::topology::Topology;

/// Where a network comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TopologySource {
    /// A builder; a name is one too.
    Built(TopologySpec),
    /// A file.
    File(TopologyFile),
}

/// A file that holds a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopologyFile {
    /// Where it is; if relative, from the scenario's folder.
    pub file: PathBuf,
    /// How it is written.
    pub format: FileFormat,
}

impl TopologySource {
    /// The network itself, valid; relative paths start at `folder`.
    ///
    /// # Errors
    /// If a parameter is impossible, or what is wrong with the file.
    pub fn load(&self, folder: &Path) -> Result<Topology, TopologyError> {
        match self {
            Self::Built(spec) => spec.build(),
            Self::File(TopologyFile { file, format }) => {
                Ok(read_file(&folder.join(file), *format)?)
            }
        }
    }
}

impl<'de> Deserialize<'de> for TopologySource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SourceVisitor)
    }
}

struct SourceVisitor;

impl<'de> Visitor<'de> for SourceVisitor {
    type Value = TopologySource;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "a topology: a name like \"clos-320\", a table with `kind`, or one with `file` \
             and `format`",
        )
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<TopologySource, E> {
        TopologySpec::named(name)
            .map(TopologySource::Built)
            .map_err(E::custom)
    }

    /// What the table is must be known before it is read, and its keys come in any order.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TopologySource, A::Error> {
        let mut table = Map::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            table.insert(key, value);
        }
        let source = match (table.contains_key("kind"), table.contains_key("file")) {
            (true, false) => serde_json::from_value(table.into()).map(TopologySource::Built),
            (false, true) => serde_json::from_value(table.into()).map(TopologySource::File),
            (true, true) => Err(serde_json::Error::custom(
                "a topology has either `kind` or `file`, not both; remove one of them",
            )),
            (false, false) => Err(serde_json::Error::custom(
                "a topology has `kind` or `file`; write e.g. `kind = \"fat-tree\"`, or `file = \
                 \"fat.txt\"` and `format = \"hpcc-ns3\"`",
            )),
        };
        source.map_err(A::Error::custom)
    }
}

impl JsonSchema for TopologySource {
    fn schema_name() -> Cow<'static, str> {
        "TopologySource".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::TopologySource").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = available()
            .iter()
            .map(|(name, summary)| json_schema!({ "const": name, "description": summary }))
            .collect();
        json_schema!({
            "description": "The network: a name, a kind with its parameters, or a file.",
            "anyOf": [
                { "type": "string", "oneOf": names },
                generator.subschema_for::<TopologySpec>(),
                generator.subschema_for::<TopologyFile>(),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::FatTree;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Network {
        topology: TopologySource,
    }

    fn parse(topology: &str) -> Result<TopologySource, String> {
        toml::from_str::<Network>(&format!("topology = {topology}"))
            .map(|network| network.topology)
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_name_a_table_or_a_file_is_a_topology() {
        let clos = TopologySpec::named("clos-320").unwrap();
        assert_eq!(parse("\"clos-320\""), Ok(TopologySource::Built(clos)));
        let tree = TopologySpec::FatTree(FatTree {
            k: 4,
            ..FatTree::default()
        });
        assert_eq!(
            parse("{ k = 4, kind = \"fat-tree\" }"),
            Ok(TopologySource::Built(tree))
        );
        let file = TopologyFile {
            file: "fat.txt".into(),
            format: FileFormat::HpccNs3,
        };
        assert_eq!(
            parse("{ file = \"fat.txt\", format = \"hpcc-ns3\" }"),
            Ok(TopologySource::File(file))
        );
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["\"clos-64\"", "{ file = \"a/b.topo\", format = \"htsim\" }"] {
            let source = parse(text).unwrap();
            let json = serde_json::to_string(&source).unwrap();
            assert_eq!(
                serde_json::from_str::<TopologySource>(&json).unwrap(),
                source
            );
        }
    }

    #[test]
    fn errors_say_what_would_be_right() {
        for (text, expected) in [
            (
                "\"clos-321\"",
                "unknown topology `clos-321`; did you mean `clos-320`?",
            ),
            (
                "{ k = 4 }",
                "a topology has `kind` or `file`; write e.g. `kind = \"fat-tree\"`",
            ),
            (
                "{ kind = \"star\", file = \"x\" }",
                "a topology has either `kind` or `file`, not both; remove one of them",
            ),
            ("{ file = \"fat.txt\" }", "missing field `format`"),
            (
                "{ file = \"fat.txt\", format = \"ns3\" }",
                "unknown variant `ns3`, expected one of `hpcc-ns3`, `htsim`, `graph`",
            ),
            (
                "{ file = \"fat.txt\", format = \"graph\", k = 4 }",
                "unknown field `k`, expected `file` or `format`",
            ),
            (
                "{ kind = \"star\", rate = 100 }",
                "`100` has no unit; write e.g. `100Gbps`",
            ),
            (
                "4",
                "invalid type: integer `4`, expected a topology: a name like \"clos-320\"",
            ),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn a_file_is_found_from_the_scenarios_folder() {
        let source = parse("{ file = \"no.txt\", format = \"graph\" }").unwrap();
        let message = source
            .load(Path::new("some/folder"))
            .unwrap_err()
            .to_string();
        let place = Path::new("some/folder").join("no.txt");
        assert!(
            message.starts_with(&format!("{}: cannot read", place.display())),
            "{message}"
        );
    }

    #[test]
    fn the_schema_lists_all_names() {
        let schema = schemars::schema_for!(TopologySource).to_value();
        let names = schema["anyOf"][0]["oneOf"].as_array().unwrap();
        assert_eq!(names.len(), available().len());
        assert_eq!(names[0]["const"], available()[0].0);
    }
}
