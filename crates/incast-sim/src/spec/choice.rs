//! Building blocks for sections that are tables whose first key, the tag, says which other keys
//! they have.

use incast_diagnostic::Diagnostic;
use serde::de::{self, DeserializeSeed, MapAccess};
use serde::{Deserialize, Deserializer};

/// Reads a name that a registry must have.
pub(crate) struct KnownNames<'a> {
    /// The kind of thing that the name stands for, e.g. `algorithm`.
    pub(crate) noun: &'static str,
    pub(crate) available: &'a [&'a str],
}

impl<'de> DeserializeSeed<'de> for KnownNames<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let name = String::deserialize(deserializer)?;
        if self.available.contains(&name.as_str()) {
            return Ok(name);
        }
        let unknown = Diagnostic::unknown(self.noun, &name, self.available.iter().copied());
        Err(de::Error::custom(unknown))
    }
}

/// Reads the tag of a table: the key that says which other keys the table has. The tag must come
/// first, as the reader of scenario files arranges.
pub(crate) fn tag<'de, M: MapAccess<'de>, S: DeserializeSeed<'de>>(
    map: &mut M,
    tag: &'static str,
    name: S,
) -> Result<S::Value, M::Error> {
    match map.next_key::<String>()? {
        Some(key) if key == tag => map.next_value_seed(name),
        _ => Err(de::Error::missing_field(tag)),
    }
}

/// A table whose tag has been read, with the tag put back in front, for types that read their own
/// tag.
pub(crate) struct PrefixedMap<M> {
    first: Option<(&'static str, String)>,
    value: Option<String>,
    rest: M,
}

impl<M> PrefixedMap<M> {
    pub(crate) fn new(tag: &'static str, name: String, rest: M) -> Self {
        Self {
            first: Some((tag, name)),
            value: None,
            rest,
        }
    }
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for PrefixedMap<M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        let Some((tag, name)) = self.first.take() else {
            return self.rest.next_key_seed(seed);
        };
        self.value = Some(name);
        seed.deserialize(de::value::StrDeserializer::new(tag))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        match self.value.take() {
            Some(name) => seed.deserialize(de::value::StringDeserializer::new(name)),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// A table without the key that tables of every kind have. The value of that key is kept apart.
pub(crate) struct WithoutKey<'a, M, T> {
    pub(crate) key: &'static str,
    pub(crate) kept: &'a mut Option<T>,
    pub(crate) rest: M,
}

impl<'de, M: MapAccess<'de>, T: Deserialize<'de>> MapAccess<'de> for WithoutKey<'_, M, T> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        mut seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        loop {
            let key = self.key;
            match self.rest.next_key_seed(OtherThan { key, seed })? {
                None => return Ok(None),
                Some(KeyFound::Other(value)) => return Ok(Some(value)),
                Some(KeyFound::This(unused)) => seed = unused,
            }
            *self.kept = Some(self.rest.next_value()?);
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.rest.next_value_seed(seed)
    }
}

/// Reads any key except `key`.
struct OtherThan<K> {
    key: &'static str,
    seed: K,
}

/// A key that [`OtherThan`] met.
enum KeyFound<K, V> {
    /// The key that is left out, with the unused seed.
    This(K),
    Other(V),
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for OtherThan<K> {
    type Value = KeyFound<K, K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(deserializer)?;
        if key == self.key {
            return Ok(KeyFound::This(self.seed));
        }
        let key = de::value::StringDeserializer::new(key);
        self.seed.deserialize(key).map(KeyFound::Other)
    }
}

#[cfg(test)]
mod tests {
    use incast_units::{Bytes, OneOf};
    use serde::Serialize;

    use super::super::reader::read;
    use super::super::tree;
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shift {
        shift: u32,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Sample {
        threshold: OneOf<Bytes, Shift>,
    }

    fn sample(text: &str) -> Result<OneOf<Bytes, Shift>, String> {
        let tree = tree::parse("a.toml", text).unwrap();
        read::<Sample>(&tree)
            .map(|sample| sample.threshold)
            .map_err(|error| format!("{}: {}; {}", error.place.key, error.what, error.hint))
    }

    #[test]
    fn either_form_is_read() {
        let plain = OneOf::Plain(Bytes::new(500_000));
        assert_eq!(sample("threshold = \"500KB\""), Ok(plain));
        assert_eq!(
            sample("threshold = { shift = 3 }"),
            Ok(OneOf::Nested(Shift { shift: 3 }))
        );
    }

    #[test]
    fn a_mistake_inside_either_form_keeps_its_key() {
        for (text, message) in [
            (
                "threshold = 500",
                "threshold: `500` has no unit; write e.g. `500KB`",
            ),
            (
                "threshold = \"5\"",
                "threshold: `5` has no unit; write e.g. `5KB`",
            ),
            (
                "threshold = { shift = -1 }",
                "threshold.shift: `-1` is negative; write zero or more",
            ),
            (
                "threshold = { shit = 1 }",
                "threshold.shit: unknown key `shit`; did you mean `shift`? (available: shift)",
            ),
        ] {
            assert_eq!(sample(text).unwrap_err(), message);
        }
    }
}
