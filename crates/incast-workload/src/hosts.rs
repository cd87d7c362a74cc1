//! Sets of hosts as a scenario writes them: `"all"`, `"0-15"`, `"0-3,8"`, `5`, `[0, "8-11"]`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use incast_units::HostId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::diagnostics;
use crate::network::Network;

/// Some hosts of a network, in an order.
///
/// Ranges stay ranges until the network is known, so a set is never larger than its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HostSet {
    /// Every host, in order.
    #[default]
    All,
    /// These, in this order.
    Listed(Vec<HostRange>),
}

/// Hosts with consecutive numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HostRange {
    first: HostId,
    last: HostId,
}

impl HostSet {
    /// The set of one host.
    pub fn one(host: HostId) -> Self {
        Self::Listed(vec![HostRange::one(host)])
    }

    /// The hosts from `first` to `last`, both included.
    ///
    /// # Errors
    /// If `last` comes before `first`.
    pub fn range(first: HostId, last: HostId) -> Result<Self, Diagnostic> {
        HostRange::new(first, last).map(|range| Self::Listed(vec![range]))
    }

    /// Its hosts on this network: at least one, all there, none twice.
    pub(crate) fn select(&self, network: &Network) -> Result<Vec<HostId>, Diagnostic> {
        let hosts: Vec<_> = match self {
            Self::All => network.all().collect(),
            Self::Listed(ranges) => {
                for range in ranges {
                    network.check(range.last)?;
                }
                ranges.iter().flat_map(HostRange::hosts).collect()
            }
        };
        if hosts.is_empty() {
            return Err(diagnostics::no_hosts());
        }
        check_distinct(&hosts)?;
        Ok(hosts)
    }
}

fn check_distinct(hosts: &[HostId]) -> Result<(), Diagnostic> {
    let mut sorted = hosts.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(diagnostics::host_twice(pair[0])),
        None => Ok(()),
    }
}

impl HostRange {
    fn new(first: HostId, last: HostId) -> Result<Self, Diagnostic> {
        match first <= last {
            true => Ok(Self { first, last }),
            false => Err(diagnostics::backwards(first, last)),
        }
    }

    fn one(host: HostId) -> Self {
        let (first, last) = (host, host);
        Self { first, last }
    }

    fn hosts(&self) -> impl Iterator<Item = HostId> + use<> {
        (self.first.0..=self.last.0).map(HostId)
    }
}

impl From<HostId> for HostSet {
    fn from(host: HostId) -> Self {
        Self::one(host)
    }
}

impl FromStr for HostRange {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let number = |part: &str| match part.trim().parse() {
            Ok(host) => Ok(HostId(host)),
            Err(_) => Err(diagnostics::not_hosts(text)),
        };
        match text.split_once(['-', '–']) {
            Some((first, last)) => Self::new(number(first)?, number(last)?),
            None => number(text).map(Self::one),
        }
    }
}

impl FromStr for HostSet {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        match text.trim() {
            "all" => Ok(Self::All),
            listed => {
                let ranges: Result<_, _> = listed.split(',').map(HostRange::from_str).collect();
                ranges.map(Self::Listed)
            }
        }
    }
}

impl fmt::Display for HostRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        match first == last {
            true => write!(f, "{first}"),
            false => write!(f, "{first}-{last}"),
        }
    }
}

impl fmt::Display for HostSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Listed(ranges) => {
                let ranges: Vec<_> = ranges.iter().map(HostRange::to_string).collect();
                f.write_str(&ranges.join(","))
            }
        }
    }
}

impl Serialize for HostSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Listed(ranges) if ranges.is_empty() => [0_u32; 0].serialize(serializer),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for HostSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HostsVisitor)
    }
}

struct HostsVisitor;

impl<'de> Visitor<'de> for HostsVisitor {
    type Value = HostSet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hosts: \"all\", a number, a range such as \"0-15\", or a list of these")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<HostSet, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<HostSet, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<HostSet, E> {
        let text = number.to_string();
        match number {
            ..0 => Err(E::custom(diagnostics::not_hosts(&text))),
            _ => text.parse().map_err(E::custom),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<HostSet, A::Error> {
        let mut ranges = Vec::new();
        while let Some(part) = list.next_element::<HostSet>()? {
            match part {
                HostSet::Listed(part) => ranges.extend(part),
                HostSet::All => {
                    return Err(de::Error::custom(diagnostics::not_hosts("all")));
                }
            }
        }
        Ok(HostSet::Listed(ranges))
    }
}

impl JsonSchema for HostSet {
    fn schema_name() -> Cow<'static, str> {
        "Hosts".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::HostSet").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        const RANGES: &str = r"^\s*[0-9]+(\s*-\s*[0-9]+)?(\s*,\s*[0-9]+(\s*-\s*[0-9]+)?)*\s*$";
        let number = || json_schema!({ "type": "integer", "minimum": 0 });
        let ranges = || {
            json_schema!({
                "type": "string",
                "pattern": RANGES,
                "examples": ["0-15", "0-3,8"],
            })
        };
        json_schema!({
            "description": "Hosts: all, a number, ranges, or a list of numbers and ranges.",
            "anyOf": [
                { "const": "all" },
                number(),
                ranges(),
                { "type": "array", "items": { "anyOf": [number(), ranges()] } },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use incast_units::Rate;
    use serde_json::json;

    use super::*;

    fn select(text: &str) -> Result<Vec<u32>, String> {
        let network = Network::uniform(16, Rate::from_gbps(100));
        let set: HostSet = text
            .parse()
            .map_err(|wrong: Diagnostic| wrong.to_string())?;
        match set.select(&network) {
            Ok(hosts) => Ok(hosts.into_iter().map(|host| host.0).collect()),
            Err(wrong) => Err(wrong.to_string()),
        }
    }

    #[test]
    fn sets_keep_the_order_they_are_written_in() {
        assert_eq!(select("all"), Ok((0..16).collect()));
        assert_eq!(select("12-15"), Ok(vec![12, 13, 14, 15]));
        assert_eq!(select("7"), Ok(vec![7]));
        assert_eq!(select(" 8, 0 - 2,5–5"), Ok(vec![8, 0, 1, 2, 5]));
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, message) in [
            (
                "",
                "`` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`",
            ),
            (
                "0..3",
                "`0..3` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`",
            ),
            (
                "1,",
                "`` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`",
            ),
            (
                "-1",
                "`-1` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`",
            ),
            ("15-0", "`15-0` runs backwards; write `0-15`"),
            ("0-16", "host 16 does not exist; the network has hosts 0–15"),
            (
                "0-4294967295",
                "host 4294967295 does not exist; the network has hosts 0–15",
            ),
            ("0-3,2", "host 2 is listed twice; list each host once"),
        ] {
            assert_eq!(select(text), Err(message.to_owned()));
        }
        let empty = HostSet::Listed(vec![]);
        let network = Network::uniform(16, Rate::from_gbps(100));
        assert_eq!(
            empty.select(&network).unwrap_err().to_string(),
            "no host is listed; list at least one, e.g. `\"0-15\"`"
        );
    }

    #[test]
    fn all_forms_are_read_and_written() {
        for (value, text) in [
            (json!("all"), "all"),
            (json!("0-15"), "0-15"),
            (json!(5), "5"),
            (json!([3, "8-11", 0]), "3,8-11,0"),
        ] {
            let set: HostSet = serde_json::from_value(value).unwrap();
            assert_eq!(set.to_string(), text);
            let written = serde_json::to_value(&set).unwrap();
            assert_eq!(serde_json::from_value::<HostSet>(written).unwrap(), set);
        }
        let empty: HostSet = serde_json::from_str("[]").unwrap();
        assert_eq!(serde_json::to_string(&empty).unwrap(), "[]");
    }

    #[test]
    fn other_values_are_refused() {
        for (value, message) in [
            (
                json!(-1),
                "`-1` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`",
            ),
            (
                json!(["all"]),
                "`all` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`",
            ),
            (
                json!(true),
                "invalid type: boolean `true`, expected hosts: \"all\", a number, \
                 a range such as \"0-15\", or a list of these",
            ),
        ] {
            let error = serde_json::from_value::<HostSet>(value).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
