//! Sets of hosts, in the forms of scenarios: `"all"`, `"0-15"`, `"0-3,8"`, `5`, `[0, "8-11"]`,
//! `"gpu0,gpu1"`, `"shuffled 0-7"`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use incast_diagnostic::Diagnostic;
use incast_units::HostId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::diagnostics;
use crate::host_names::HostNames;
use crate::network::Network;

mod given;

pub use given::GivenHost;

/// An ordered set of hosts of a network.
///
/// Ranges are expanded once the network is known, so that a set is never larger than its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HostSet {
    /// Every host, in order.
    #[default]
    All,
    /// These hosts, in this order.
    Listed(Vec<HostPart>),
    /// The hosts at these places of a random order of all hosts, in the order of the places; `None`
    /// stands for all places. The seed draws the order, which is the same everywhere in a scenario.
    Shuffled(Option<Vec<HostRange>>),
}

/// A part of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostPart {
    /// Hosts by number.
    Range(HostRange),
    /// A host by its name in the topology file.
    Name(String),
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
        Self::Listed(vec![HostPart::Range(HostRange::one(host))])
    }

    /// The hosts from `first` to `last`, both included.
    ///
    /// # Errors
    /// If `last` comes before `first`.
    pub fn range(first: HostId, last: HostId) -> Result<Self, Diagnostic> {
        let range = HostRange::new(first, last)?;
        Ok(Self::Listed(vec![HostPart::Range(range)]))
    }

    /// The hosts of the set on this network. The set must not be empty, all hosts must exist, and
    /// none may be listed twice.
    pub(crate) fn select(&self, network: &Network) -> Result<Vec<HostId>, Diagnostic> {
        let hosts: Vec<_> = match self {
            Self::All => network.all().collect(),
            Self::Listed(parts) => {
                let parts = parts.iter().map(|part| part.among(network.names()));
                let ranges: Vec<HostRange> = parts.collect::<Result<_, _>>()?;
                ranges.iter().flat_map(HostRange::hosts).collect()
            }
            Self::Shuffled(None) => network.shuffled(),
            Self::Shuffled(Some(places)) => {
                for range in places {
                    network.names().number(range.last)?;
                }
                let order = network.shuffled();
                let places = places.iter().flat_map(HostRange::hosts);
                places.map(|place| order[place.index()]).collect()
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

impl HostPart {
    fn among(&self, hosts: &HostNames) -> Result<HostRange, Diagnostic> {
        match self {
            Self::Range(range) => hosts.number(range.last).map(|_| *range),
            Self::Name(text) if hosts.have_names() => hosts.find(text).map(HostRange::one),
            Self::Name(text) => Err(diagnostics::not_hosts(text)),
        }
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

impl FromStr for HostPart {
    type Err = Diagnostic;

    /// Text that is neither a number nor a range is a host name.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let text = text.trim();
        let starts_as_number = text.starts_with(|c: char| c.is_ascii_digit());
        match text.parse() {
            Ok(range) => Ok(Self::Range(range)),
            Err(wrong) if text.is_empty() => Err(wrong),
            Err(wrong) if starts_as_number && is_range(text) => Err(wrong),
            Err(_) => Ok(Self::Name(text.to_owned())),
        }
    }
}

/// Whether the text consists of digits, blanks and dashes.
fn is_range(text: &str) -> bool {
    let of_range = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '-' | '–');
    text.chars().all(of_range)
}

impl FromStr for HostSet {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let text = text.trim();
        if let Some(places) = places(text) {
            let ranges: Result<_, _> = places.split(',').map(HostRange::from_str).collect();
            return ranges.map(|ranges| Self::Shuffled(Some(ranges)));
        }
        match text {
            "all" => Ok(Self::All),
            SHUFFLED => Ok(Self::Shuffled(None)),
            listed => {
                let parts: Result<_, _> = listed.split(',').map(HostPart::from_str).collect();
                parts.map(Self::Listed)
            }
        }
    }
}

const SHUFFLED: &str = "shuffled";

/// The text after `shuffled`: places in the random order.
fn places(text: &str) -> Option<&str> {
    let places = text.strip_prefix(SHUFFLED)?;
    places.starts_with(char::is_whitespace).then_some(places)
}

fn joined<T: fmt::Display>(parts: &[T]) -> String {
    let parts: Vec<_> = parts.iter().map(T::to_string).collect();
    parts.join(",")
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

impl fmt::Display for HostPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(range) => range.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for HostSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Listed(parts) => f.write_str(&joined(parts)),
            Self::Shuffled(None) => f.write_str(SHUFFLED),
            Self::Shuffled(Some(places)) => write!(f, "{SHUFFLED} {}", joined(places)),
        }
    }
}

impl Serialize for HostSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Listed(parts) if parts.is_empty() => [0_u32; 0].serialize(serializer),
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
        f.write_str(
            "hosts: \"all\", a number, a range such as \"0-15\", a name, or a list of these",
        )
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
        let mut parts = Vec::new();
        while let Some(part) = list.next_element::<HostSet>()? {
            match part {
                HostSet::Listed(part) => parts.extend(part),
                other @ (HostSet::All | HostSet::Shuffled(_)) => {
                    let wrong = diagnostics::not_in_list(&other.to_string());
                    return Err(de::Error::custom(wrong));
                }
            }
        }
        Ok(HostSet::Listed(parts))
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
        let number = || json_schema!({ "type": "integer", "minimum": 0 });
        let ranges = || {
            json_schema!({
                "type": "string",
                "minLength": 1,
                "examples": ["0-15", "0-3,8", "gpu0,gpu1", "shuffled 0-7"],
            })
        };
        json_schema!({
            "description": "Hosts: all, a number, ranges, names in the file of the topology, \
                            or a list of these; or shuffled.",
            "anyOf": [
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
    fn hosts_of_a_file_have_names() {
        let names = ["a-1", "b", "0-1", "all"].map(str::to_owned);
        let network = Network::uniform(4, Rate::from_gbps(100)).with_names(&names);
        let select = |text: &str| {
            let set: HostSet = text.parse()?;
            set.select(&network)
        };
        let hosts = |of: &[u32]| Ok(of.iter().copied().map(HostId).collect());
        assert_eq!(select("b,a-1, 3"), hosts(&[1, 0, 3]));
        // Numbers, ranges and `all` are never names.
        assert_eq!(select("0-1"), hosts(&[0, 1]));
        assert_eq!(select("all"), hosts(&[0, 1, 2, 3]));
        for (text, message) in [
            ("c", "unknown host `c`; hosts are called 0-1, a-1, all, b"),
            ("b,1", "host 1 is listed twice; list each host once"),
            (
                "2-b",
                "unknown host `2-b`; hosts are called 0-1, a-1, all, b",
            ),
        ] {
            assert_eq!(select(text).unwrap_err().to_string(), message);
        }
    }

    /// Two jobs of eight ranks each share no host; their hosts are parts of one random order, which
    /// the seed draws.
    #[test]
    fn shuffled_hosts_are_those_of_one_order() {
        let select = |seed: u64, text: &str| {
            let network = Network::uniform(16, Rate::from_gbps(100)).with_seed(seed);
            text.parse::<HostSet>()?.select(&network)
        };
        let [all, first, second] =
            ["shuffled", "shuffled 0-7", "shuffled  8-15"].map(|text| select(1, text).unwrap());
        assert_eq!([first, second].concat(), all);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..16).map(HostId).collect::<Vec<_>>());
        assert!(all != sorted && all != select(2, "shuffled").unwrap());
        assert_eq!(select(1, "shuffled 3,1").unwrap(), [all[3], all[1]]);
        for (text, message) in [
            (
                "shuffled 16",
                "host 16 does not exist; the network has hosts 0–15",
            ),
            (
                "shuffled 1,1-2",
                "host 15 is listed twice; list each host once",
            ),
            (
                "shuffled gpu0",
                "` gpu0` is no set of hosts; write e.g. `0-15`, `0,4,8` or `all`",
            ),
        ] {
            assert_eq!(select(1, text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn all_forms_are_read_and_written() {
        for (value, text) in [
            (json!("all"), "all"),
            (json!("0-15"), "0-15"),
            (json!(5), "5"),
            (json!([3, "8-11", 0]), "3,8-11,0"),
            (json!(["gpu0", "8-11", 0]), "gpu0,8-11,0"),
            (json!("shuffled"), "shuffled"),
            (json!("shuffled 0-7, 9"), "shuffled 0-7,9"),
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
                "`all` cannot stand in a list of hosts; write it alone",
            ),
            (
                json!([0, "shuffled 1-2"]),
                "`shuffled 1-2` cannot stand in a list of hosts; write it alone",
            ),
            (
                json!(true),
                "invalid type: boolean `true`, expected hosts: \"all\", a number, \
                 a range such as \"0-15\", a name, or a list of these",
            ),
        ] {
            let error = serde_json::from_value::<HostSet>(value).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
