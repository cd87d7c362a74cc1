//! The keys of `[control]`: keys of the scheme, of other schemes, and unknown ones.

use incast_diagnostic::Diagnostic;
use incast_fabric::ControlScheme;
use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess};

use super::{SCHEME, names};

/// The keys of the scheme with this name.
fn keys_of(name: &str) -> Vec<&'static str> {
    let scheme = ControlScheme::with_defaults(name, None);
    scheme.map_or_else(|_| Vec::new(), |scheme| scheme.keys())
}

/// Checks that this is `scheme`, or a key of any scheme.
fn check_exists(key: &str) -> Result<(), Diagnostic> {
    let mut all: Vec<_> = names().flat_map(keys_of).chain([SCHEME]).collect();
    all.sort_unstable();
    all.dedup();
    match all.contains(&key) {
        true => Ok(()),
        false => Err(Diagnostic::unknown("key", key, all)),
    }
}

/// Reads a key that some scheme has, or `scheme`.
pub(super) struct ExistingKey;

impl<'de> DeserializeSeed<'de> for ExistingKey {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<String, D::Error> {
        let key = String::deserialize(key)?;
        check_exists(&key).map_err(D::Error::custom)?;
        Ok(key)
    }
}

/// Reads the entries of a scheme's table: notes their keys, and refuses keys of other schemes.
pub(super) struct OwnKeys<'a, M> {
    map: M,
    scheme: &'static str,
    keys: Vec<&'static str>,
    written: &'a mut Vec<String>,
}

impl<'a, M> OwnKeys<'a, M> {
    pub(super) fn new(map: M, scheme: &'static str, written: &'a mut Vec<String>) -> Self {
        Self {
            map,
            scheme,
            keys: keys_of(scheme),
            written,
        }
    }

    /// Checks that the scheme has the key that was read last.
    fn check_own(&self) -> Result<(), Diagnostic> {
        match self.written.last() {
            Some(key) if !self.keys.contains(&key.as_str()) => {
                let what = format!("scheme `{}` has no such parameter", self.scheme);
                Err(Diagnostic::new(what, "remove it"))
            }
            _ => Ok(()),
        }
    }
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for OwnKeys<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        let Some(key) = self.map.next_key_seed(ExistingKey)? else {
            return Ok(None);
        };
        self.written.push(key.clone());
        seed.deserialize(key.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        let own = self.check_own();
        self.map.next_value_seed(ValueIf { own, seed })
    }
}

/// Reads a value, unless its key is wrong; the error then has the value's place.
struct ValueIf<V> {
    own: Result<(), Diagnostic>,
    seed: V,
}

impl<'de, V: DeserializeSeed<'de>> DeserializeSeed<'de> for ValueIf<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.own.map_err(D::Error::custom)?;
        self.seed.deserialize(value)
    }
}
