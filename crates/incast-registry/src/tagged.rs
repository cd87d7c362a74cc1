//! Tables of a scenario in which a key, the tag, names a thing, and the other keys are the thing's
//! options.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};

use incast_diagnostic::Diagnostic;

/// An enum that is read by its tag. [`registry!`](crate::registry) implements this trait.
pub trait Tagged<'de>: Sized {
    /// The key whose value is the thing's name.
    const TAG: &'static str;
    /// The noun for a row of the table in messages.
    const NOUN: &'static str;
    /// The names of the rows.
    const NAMES: &'static [&'static str];

    /// Reads the options of the row `name`.
    ///
    /// # Errors
    /// An unknown option, or a value of the wrong kind.
    fn read<D: Deserializer<'de>>(name: &str, options: D) -> Result<Self, D::Error>;

    /// Reads name and options in any order, through a buffer.
    ///
    /// # Errors
    /// An unknown name or option, or a value of the wrong kind.
    fn read_buffered<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error>;
}

/// Reads a tagged table. If the tag comes first, options are read without a buffer, so that errors
/// in them know their place in the source.
///
/// # Errors
/// An unknown name or option, or a value of the wrong kind.
pub fn deserialize<'de, T: Tagged<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(TableVisitor(PhantomData))
}

struct TableVisitor<T>(PhantomData<T>);

impl<'de, T: Tagged<'de>> Visitor<'de> for TableVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table with a `{}`", T::TAG)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let first = map.next_key::<String>()?;
        if first.as_deref() == Some(T::TAG) {
            let name = map.next_value_seed(ExistingName {
                noun: T::NOUN,
                available: T::NAMES,
            })?;
            return T::read(&name, MapAccessDeserializer::new(map));
        }
        T::read_buffered(MapAccessDeserializer::new(WithFirstKey { first, map }))
    }
}

/// Reads a name of a table. An unknown name is an error at the place of the name.
#[derive(Copy, Clone, Debug)]
struct ExistingName {
    /// The noun for the named thing, such as `algorithm`.
    noun: &'static str,
    /// The names that exist.
    available: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for ExistingName {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let name = String::deserialize(deserializer)?;
        if self.available.contains(&name.as_str()) {
            return Ok(name);
        }
        let available = self.available.iter().copied();
        Err(de::Error::custom(Diagnostic::unknown(
            self.noun, &name, available,
        )))
    }
}

/// A map whose first key has already been read.
struct WithFirstKey<M> {
    first: Option<String>,
    map: M,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for WithFirstKey<M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(StringDeserializer::new(key)).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}
