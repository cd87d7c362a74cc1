//! `[[traffic]]`: the entries of incast-workload, with the keys that entries of all kinds have. The
//! message for an unknown kind is like that for other unknown names.

use std::borrow::Cow;
use std::fmt;

use incast_net::Balance;
use incast_workload::TrafficSpec;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::cc::{CcOfEntry, CcSection};
use crate::spec::choice::{self, KnownNames, PrefixedMap, WithoutKey};
use crate::spec::tagged;

/// Keys of entries of all kinds.
const NAME: &str = "name";
const TENANT: &str = "tenant";
const CC: &str = "cc";
const BALANCE: &str = "balance";

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrafficSection {
    /// The entry's name in results, if the scenario gives one.
    pub(crate) name: Option<String>,
    /// The tenant of the entry's flows, if the scenario gives one.
    pub(crate) tenant: Option<String>,
    /// The congestion control of the entry's flows, if other than that of `[cc]`.
    pub(crate) cc: Option<CcSection>,
    /// The load balancing of the entry's flows, if other than in `[network]`.
    pub(crate) balance: Option<Balance>,
    /// The kind of the entry, with its keys.
    pub(crate) kind: TrafficSpec,
}

impl TrafficSection {
    /// The load balancing of each entry; empty if no entry has its own.
    pub(crate) fn balances(entries: &[Self]) -> Vec<Option<Balance>> {
        let own: Vec<_> = entries.iter().map(|entry| entry.balance.clone()).collect();
        match own.iter().any(Option::is_some) {
            true => own,
            false => Vec::new(),
        }
    }

    /// The name of each entry in results: its own name or its kind, with its number if another
    /// entry has the same.
    pub(crate) fn names(entries: &[Self]) -> Vec<String> {
        let plain: Vec<_> = entries
            .iter()
            .map(|entry| entry.name.as_deref().unwrap_or(entry.kind.name()))
            .collect();
        let is_shared = |name: &str| plain.iter().filter(|other| **other == name).count() > 1;
        let named = |(index, name): (usize, &&str)| match is_shared(name) {
            true => format!("{name} {index}"),
            false => (*name).to_owned(),
        };
        plain.iter().enumerate().map(named).collect()
    }
}

impl Serialize for TrafficSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has_more = self.cc.is_some() || self.balance.is_some();
        if self.name.is_none() && self.tenant.is_none() && !has_more {
            return self.kind.serialize(serializer);
        }
        let mut table = toml::Table::try_from(&self.kind).map_err(S::Error::custom)?;
        for (key, told) in [(NAME, &self.name), (TENANT, &self.tenant)] {
            if let Some(text) = told {
                table.insert(key.to_owned(), text.clone().into());
            }
        }
        if let Some(cc) = &self.cc {
            let cc = toml::Value::try_from(cc).map_err(S::Error::custom)?;
            table.insert(CC.to_owned(), cc);
        }
        if let Some(balance) = &self.balance {
            let balance = toml::Value::try_from(balance).map_err(S::Error::custom)?;
            table.insert(BALANCE.to_owned(), balance);
        }
        table.serialize(serializer)
    }
}

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
        let known = KnownNames {
            noun: "kind of traffic",
            available: &available,
        };
        let kind = choice::tag(&mut map, "kind", known)?;
        let (mut name, mut tenant) = (None::<String>, None::<String>);
        let mut cc = None::<CcOfEntry>;
        let mut balance = None::<Balance>;
        let rest = WithoutKey {
            key: BALANCE,
            kept: &mut balance,
            rest: map,
        };
        let rest = WithoutKey {
            key: CC,
            kept: &mut cc,
            rest,
        };
        let rest = WithoutKey {
            key: TENANT,
            kept: &mut tenant,
            rest,
        };
        let rest = WithoutKey {
            key: NAME,
            kept: &mut name,
            rest,
        };
        let entry = MapAccessDeserializer::new(PrefixedMap::new("kind", kind, rest));
        let kind = TrafficSpec::deserialize(entry)?;
        let cc = cc.map(|CcOfEntry(cc)| cc);
        Ok(TrafficSection {
            name,
            tenant,
            cc,
            balance,
            kind,
        })
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
        let cc = generator.subschema_for::<CcSection>();
        let balance = generator.subschema_for::<Balance>();
        let kinds = generator.subschema_for::<TrafficSpec>();
        let mut kinds = tagged::definition(generator, kinds);
        let entries = kinds.get_mut("oneOf").and_then(Value::as_array_mut);
        for entry in entries.into_iter().flatten() {
            entry["properties"][NAME] = json!({
                "type": "string",
                "description": "What results call the entry. Default: its kind.",
            });
            entry["properties"][CC] = json!({
                "description": "The congestion control of the entry's flows: a name, as after \
                                `--cc`, or a table as `[cc]` is. Default: that of `[cc]`.",
                "anyOf": [{ "type": "string" }, cc],
            });
            entry["properties"][BALANCE] = json!({
                "description": "How packets of the entry's flows are spread over paths, a table as \
                                `network.balance`. Default: that of the network.",
                "anyOf": [balance],
            });
            entry["properties"][TENANT] = json!({
                "type": "string",
                "description": "Whose flows they are; results are told apart by it.",
            });
        }
        kinds.try_into().unwrap_or_default()
    }
}
