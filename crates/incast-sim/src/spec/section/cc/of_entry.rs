//! The congestion control of one traffic entry: a name, as after `--cc`, or a table like `[cc]`.

use std::fmt;

use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::name::{NamedAlgorithm, is_in_a_file};
use super::parameter_set::{KnownSet, values_of_set};
use super::{CcSection, CcVisitor};

/// `"hpcc+vai"`, `"swift:fairness"`, `"mine.py"`, or `{ algorithm = "swift", … }`.
pub(crate) struct CcOfEntry(pub(crate) CcSection);

impl<'de> Deserialize<'de> for CcOfEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CcOfEntryVisitor).map(Self)
    }
}

struct CcOfEntryVisitor;

impl<'de> Visitor<'de> for CcOfEntryVisitor {
    type Value = CcSection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an algorithm, or a table with `algorithm` and its parameters")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<CcSection, E> {
        let (name, set) = match text.split_once(':') {
            Some((name, set)) if !is_in_a_file(text) => (name, Some(set)),
            _ => (text, None),
        };
        let name = NamedAlgorithm.deserialize(name.into_deserializer())?;
        let set = set.map(|set| KnownSet(&name).deserialize(set.into_deserializer()));
        let values = values_of_set(&name, set.transpose()?.as_deref());
        Ok(CcSection::new(name, values))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<CcSection, M::Error> {
        CcVisitor.visit_map(map)
    }
}
