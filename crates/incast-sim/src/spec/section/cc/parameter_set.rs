//! A table of parameters, completed from a named set.
//!
//! Mistakes in written parameters keep their lines, since the reader of scenario files still
//! presents them.

use incast_cc::{AlgorithmConfig, Part};
use incast_diagnostic::Diagnostic;
use serde::de::{self, DeserializeSeed, MapAccess};
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use super::Values;
use super::name::AlgorithmName;
use crate::spec::choice::KnownNames;

type Rest = toml::map::IntoIter<String, Value>;

/// The key that names a set of parameters.
pub(super) const SET: &str = "parameters";

/// The algorithm with the parameters of this set, or of its first one. All names are known.
pub(super) fn values_of_set(name: &AlgorithmName, set: Option<&str>) -> AlgorithmConfig {
    let values = AlgorithmConfig::with_parts(name.base, set, &name.parts);
    values.expect("algorithm, parts and set were looked up when they were read")
}

/// The written parameters first, then the other parameters of the set that `parameters = "…"`
/// names.
pub(super) struct WithParameterSet<M> {
    algorithm: AlgorithmName,
    written: M,
    /// The written keys that have been read.
    keys: Vec<String>,
    set: Option<String>,
    /// The parameters of the set, once all written ones have been read.
    rest: Option<Rest>,
    value: Option<Value>,
}

impl<M> WithParameterSet<M> {
    pub(super) fn new(algorithm: AlgorithmName, written: M) -> Self {
        Self {
            algorithm,
            written,
            keys: Vec::new(),
            set: None,
            rest: None,
            value: None,
        }
    }

    fn all_of_set(&self) -> Rest {
        let values = values_of_set(&self.algorithm, self.set.as_deref());
        let values = Table::try_from(Values(&values)).expect("parameters can be printed");
        values.into_iter()
    }
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for WithParameterSet<M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        let mut seed = Some(seed);
        while self.rest.is_none() {
            let seed = WrittenKey {
                algorithm: &self.algorithm,
                seed: &mut seed,
                keys: &mut self.keys,
            };
            match self.written.next_key_seed(seed)? {
                Some(ParameterKey::Parameter(key)) => return Ok(Some(key)),
                Some(ParameterKey::Set) => {
                    self.set = Some(self.written.next_value_seed(KnownSet(&self.algorithm))?)
                }
                None => self.rest = Some(self.all_of_set()),
            }
        }
        let (mut rest, keys) = (self.rest.as_mut().into_iter().flatten(), &self.keys);
        let Some((key, value)) = rest.find(|(key, _)| !keys.contains(key)) else {
            return Ok(None);
        };
        self.value = Some(value);
        let seed = seed.expect("what was written is read");
        seed.deserialize(de::value::StringDeserializer::new(key))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        match self.value.take() {
            Some(value) => seed.deserialize(value).map_err(de::Error::custom),
            None => match self.keys.last().and_then(|key| self.algorithm.said_of(key)) {
                Some(said) => self.written.next_value_seed(AsNamed { said, seed }),
                None => self.written.next_value_seed(seed),
            },
        }
    }
}

/// A key of the written table.
enum ParameterKey<T> {
    /// The key of a parameter, as returned by its seed.
    Parameter(T),
    /// [`SET`].
    Set,
}

/// Reads a key, and adds it to `keys`.
struct WrittenKey<'a, K> {
    algorithm: &'a AlgorithmName,
    seed: &'a mut Option<K>,
    keys: &'a mut Vec<String>,
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for WrittenKey<'_, K> {
    type Value = ParameterKey<K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(deserializer)?;
        if key == SET {
            return Ok(ParameterKey::Set);
        }
        if let Some(part) = Part::named(&key)
            .ok()
            .filter(|part| !self.algorithm.parts.contains(part))
        {
            return Err(de::Error::custom(no_part(self.algorithm, part)));
        }
        self.keys.push(key.clone());
        let seed = self
            .seed
            .take()
            .expect("a parameter's key is the last that is read");
        seed.deserialize(de::value::StringDeserializer::new(key))
            .map(ParameterKey::Parameter)
    }
}

/// The error for parameters of a part that the algorithm does not have.
fn no_part(algorithm: &AlgorithmName, part: Part) -> Diagnostic {
    let info = algorithm.info();
    let what = format!("`{algorithm}` does not have the part `{}`", part.name());
    let hint = match AlgorithmConfig::parts_of(info.name).contains(&part) {
        true => format!(
            "write algorithm = \"{algorithm}+{}\", or remove it",
            part.name()
        ),
        false => "remove it".to_owned(),
    };
    Diagnostic::new(what, hint)
}

/// Reads a text that must equal the value implied by the algorithm's name.
struct AsNamed<'a, V> {
    said: &'a str,
    seed: V,
}

impl<'de, V: DeserializeSeed<'de>> DeserializeSeed<'de> for AsNamed<'_, V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text != self.said {
            let what = format!(
                "`{text}` contradicts `algorithm`, which says `{}`",
                self.said
            );
            let wrong = Diagnostic::new(what, "write it there, or remove it");
            return Err(de::Error::custom(wrong));
        }
        let text = de::value::StringDeserializer::new(text);
        self.seed.deserialize(text)
    }
}

/// Reads the name of one of the algorithm's parameter sets.
pub(super) struct KnownSet<'a>(pub(super) &'a AlgorithmName);

impl<'de> DeserializeSeed<'de> for KnownSet<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let sets = self.0.info().sets();
        if sets.is_empty() {
            let what = format!(
                "`{}` has one set of parameters, without a name",
                self.0.base
            );
            return Err(de::Error::custom(Diagnostic::new(what, "leave it out")));
        }
        let available: Vec<_> = sets.iter().map(|set| set.name).collect();
        let known = KnownNames {
            noun: "set of parameters",
            available: &available,
        };
        known.deserialize(deserializer)
    }
}
