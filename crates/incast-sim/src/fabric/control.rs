//! `[control]`: the scheme of injection control, and its keys.
//!
//! Schemes and their keys are those of the memory fabric's table of schemes. A canonical scenario,
//! and so its identity, has only the keys that were written, in the scheme's order.

mod keys;
mod schema;

use std::fmt;

use incast_diagnostic::Diagnostic;
use incast_fabric::ControlScheme;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Error as _, SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};

use self::keys::{ExistingKey, OwnKeys};

/// The key that names the scheme.
const SCHEME: &str = "scheme";

/// `[control]`. Keys that are left out have the scheme's defaults.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ControlSection {
    scheme: ControlScheme,
    /// The keys that were written.
    written: Vec<String>,
}

impl ControlSection {
    /// The scheme's name.
    pub(super) fn name(&self) -> &'static str {
        self.scheme.name()
    }

    pub(super) fn build(&self) -> Result<ControlScheme, Diagnostic> {
        self.scheme.check()?;
        Ok(self.scheme)
    }
}

/// The names of the schemes.
fn names() -> impl Iterator<Item = &'static str> {
    ControlScheme::available().iter().map(|row| row.name)
}

impl Serialize for ControlSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = toml::Table::try_from(AllOptions(&self.scheme)).map_err(S::Error::custom)?;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(SCHEME, self.name())?;
        for key in self.scheme.keys() {
            if let (true, Some(value)) = (self.wrote(key), values.get(key)) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

impl ControlSection {
    fn wrote(&self, key: &str) -> bool {
        self.written.iter().any(|written| written == key)
    }
}

/// A scheme's options with all defaults filled in, for serialising.
struct AllOptions<'a>(&'a ControlScheme);

impl Serialize for AllOptions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl<'de> Deserialize<'de> for ControlSection {
    /// The reader of scenarios passes the scheme first, wherever it stands in the text.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SectionVisitor)
    }
}

struct SectionVisitor;

impl<'de> Visitor<'de> for SectionVisitor {
    type Value = ControlSection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table with a `{SCHEME}`")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ControlSection, M::Error> {
        let mut first = map.next_key_seed(ExistingKey)?;
        if first.as_deref() == Some(SCHEME) {
            let name = map.next_value_seed(ExistingScheme)?;
            let mut written = Vec::new();
            let rest = OwnKeys::new(map, name, &mut written);
            let scheme = ControlScheme::read(name, MapAccessDeserializer::new(rest))?;
            return Ok(ControlSection { scheme, written });
        }
        // An unknown key may be a mistyped `scheme`: it is reported before the missing scheme.
        while first.is_some() {
            map.next_value::<serde::de::IgnoredAny>()?;
            first = map.next_key_seed(ExistingKey)?;
        }
        Err(M::Error::missing_field(SCHEME))
    }
}

/// Reads the name of a scheme, which must exist.
struct ExistingScheme;

impl<'de> DeserializeSeed<'de> for ExistingScheme {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<&'static str, D::Error> {
        name.deserialize_any(self)
    }
}

impl Visitor<'_> for ExistingScheme {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted: Vec<_> = names().map(|name| format!("\"{name}\"")).collect();
        write!(f, "one of {}", quoted.join(", "))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<&'static str, E> {
        let unknown = || E::custom(Diagnostic::unknown("value", name, names()));
        names().find(|known| *known == name).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests;
