//! A host in the forms of scenarios: `3`, or `"gpu3"`.

use std::borrow::Cow;
use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_units::HostId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::host_names::HostNames;

/// A host, by its number or by its name in the topology file. A text of digits is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenHost {
    /// Counted from 0.
    Number(HostId),
    /// The name in the topology file.
    Name(String),
}

impl GivenHost {
    /// The host with this number or name.
    pub(crate) fn among(&self, hosts: &HostNames) -> Result<HostId, Diagnostic> {
        match self {
            Self::Number(host) => hosts.number(*host),
            Self::Name(name) => hosts.find(name),
        }
    }
}

impl From<HostId> for GivenHost {
    fn from(host: HostId) -> Self {
        Self::Number(host)
    }
}

impl Serialize for GivenHost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(host) => host.serialize(serializer),
            Self::Name(name) => name.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for GivenHost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GivenHostVisitor)
    }
}

struct GivenHostVisitor;

impl Visitor<'_> for GivenHostVisitor {
    type Value = GivenHost;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of a host, or its name")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<GivenHost, E> {
        match u32::try_from(number) {
            Ok(host) => Ok(HostId(host).into()),
            Err(_) => Err(E::invalid_value(de::Unexpected::Unsigned(number), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<GivenHost, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(de::Unexpected::Signed(number), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<GivenHost, E> {
        match text.parse() {
            Ok(number) => self.visit_u64(number),
            Err(_) => Ok(GivenHost::Name(text.to_owned())),
        }
    }
}

impl JsonSchema for GivenHost {
    fn schema_name() -> Cow<'static, str> {
        "Host".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::GivenHost").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A host: its number, or its name in the file of the topology.",
            "anyOf": [
                generator.subschema_for::<HostId>(),
                { "type": "string", "minLength": 1 },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: serde_json::Value) -> Result<GivenHost, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_and_names_are_read_and_written() {
        for value in [json!(7), json!("gpu7"), json!("7-8")] {
            let host = read(value.clone()).unwrap();
            assert_eq!(serde_json::to_value(&host).unwrap(), value);
        }
        assert_eq!(read(json!("7")), Ok(HostId(7).into()));
        let wrong = "invalid value: integer `-1`, expected the number of a host, or its name";
        assert_eq!(read(json!(-1)), Err(wrong.to_owned()));
        assert!(read(json!(1_u64 << 32)).is_err());
        assert!(read(json!("4294967296")).is_err());
        assert!(read(json!(0.5)).is_err());
    }

    #[test]
    fn names_are_found_where_there_are_any() {
        let named = HostNames::named(&["gpu0", "gpu1", "storage"].map(str::to_owned));
        let name = |name: &str| GivenHost::Name(name.to_owned());
        let found = |host: &GivenHost, hosts: &HostNames| {
            let found = host.among(hosts);
            found.map_err(|wrong| wrong.to_string())
        };
        assert_eq!(found(&name("storage"), &named), Ok(HostId(2)));
        assert_eq!(found(&HostId(1).into(), &named), Ok(HostId(1)));
        for (host, hosts, message) in [
            (
                name("gpu2"),
                named.clone(),
                "unknown host `gpu2`; did you mean `gpu0`?",
            ),
            (
                name("tor"),
                named,
                "unknown host `tor`; hosts are called gpu0, gpu1, storage",
            ),
            (
                name("gpu2"),
                HostNames::numbered(3),
                "unknown host `gpu2`; hosts of this network have no names: write a number, \
                 e.g. `0`",
            ),
            (
                HostId(3).into(),
                HostNames::numbered(3),
                "host 3 does not exist; the network has hosts 0–2",
            ),
        ] {
            assert_eq!(found(&host, &hosts), Err(message.to_owned()));
        }
    }
}
