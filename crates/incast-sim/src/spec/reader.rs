//! From the tree to types: a serde deserializer whose errors have key and line.
//!
//! The types derive `Deserialize`. An error of serde (an unknown or missing field, a wrong type)
//! becomes a [`Diagnostic`], and each table or array around it adds its step to the key. Tables
//! present the key that names their kind first ([`TAGS`]). So a type can read its tag and then
//! choose how to read the rest. Buffering would lose the line numbers.

use std::fmt;

use incast_diagnostic::Diagnostic;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, Unexpected, Visitor};

use super::overrides::OPTION;
use super::tree::{TomlEntry, TomlNode, Value, WrittenAt};

/// Tags: keys that say which other keys their table has.
const TAGS: [&str; 4] = ["kind", "algorithm", "file", "scheme"];

/// A diagnostic as an error of serde.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadError(Diagnostic);

impl ReadError {
    fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self(Diagnostic::new(what, hint))
    }

    /// The error with one more step in front of its key; `origin` is where that step was written.
    fn within(self, step: &str, origin: WrittenAt) -> Self {
        let diagnostic = self.0.at(step);
        Self(match origin {
            WrittenAt::Line(line) => diagnostic.on_line(line.into()),
            WrittenAt::Override => diagnostic.in_option(OPTION),
        })
    }
}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Diagnostic::from_message(message))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self(Diagnostic::unknown("key", field, expected.iter().copied()))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self(Diagnostic::unknown(
            "value",
            variant,
            expected.iter().copied(),
        ))
    }

    fn missing_field(field: &'static str) -> Self {
        let hint = match example(field) {
            Some(example) => format!("add e.g. {example}"),
            None => format!("add `{field} = …`"),
        };
        Self::new(format!("`{field}` is missing"), hint)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(
            in_words(found),
            format!("write {}", without_types(expected)),
        )
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Self {
        Self::new(
            format!("has {length} entries"),
            format!("write {}", without_types(expected)),
        )
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ReadError {}

/// An example value for a required key, for hints.
fn example(key: &str) -> Option<&'static str> {
    Some(match key {
        "network" => "[network] with topology = \"star\"",
        "cc" => "[cc] with algorithm = \"hpcc\"",
        "traffic" => "[[traffic]] with kind = \"incast\"",
        "control" => "[control] with scheme = \"3cpo\"",
        "work" => "[[work]] with kind = \"all-reduce\" and size = \"1MiB\"",
        "topology" => "topology = \"star\"",
        "algorithm" => "algorithm = \"hpcc\"",
        "load" => "load = 0.5",
        "size" => "size = \"1MB\"",
        "sizes" => "sizes = \"fb-hadoop\"",
        "receiver" => "receiver = 0",
        "scheme" => "scheme = \"3cpo\"",
        "attackers" => "attackers = { larger_than = \"1MB\" }",
        _ => return None,
    })
}

/// The description of what serde expects, without the names of Rust types.
fn without_types(expected: &dyn de::Expected) -> String {
    let expected = expected.to_string();
    let (first, _) = expected.split_once(' ').unwrap_or((&expected, ""));
    match first {
        "enum" | "variant" => "a name in quotes".to_owned(),
        "struct" => "a table, e.g. { key = … }".to_owned(),
        "tuple" => "an array, e.g. [ … ]".to_owned(),
        _ if expected == "a sequence" => "an array, e.g. [ … ]".to_owned(),
        _ if expected == "a boolean" => "true or false".to_owned(),
        _ => expected,
    }
}

fn in_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}` is a boolean"),
        Unexpected::Unsigned(value) => format!("`{value}` is a number"),
        Unexpected::Signed(value) => format!("`{value}` is a number"),
        Unexpected::Float(value) if value.is_finite() => format!("`{value}` is a fraction"),
        Unexpected::Float(value) => format!("`{value}` is not finite"),
        Unexpected::Str(text) => format!("`\"{text}\"` is text"),
        Unexpected::Map => "this is a table".to_owned(),
        Unexpected::Seq => "this is an array".to_owned(),
        other => format!("this is {other}"),
    }
}

/// Reads a `T` from a node.
///
/// # Errors
/// An unknown key, a missing key or a value of the wrong kind; the diagnostic has key and line.
pub(crate) fn read<T: de::DeserializeOwned>(node: &TomlNode) -> Result<T, Diagnostic> {
    T::deserialize(node).map_err(|error| error.0)
}

impl TomlNode {
    fn unexpected(&self) -> Unexpected<'_> {
        match &self.value {
            Value::Text(text) => Unexpected::Str(text),
            Value::Integer(number) => Unexpected::Signed(*number),
            Value::Float(number) => Unexpected::Float(*number),
            Value::Boolean(boolean) => Unexpected::Bool(*boolean),
            Value::Date(_) => Unexpected::Other("a date"),
            Value::Array(_) => Unexpected::Seq,
            Value::Table(_) => Unexpected::Map,
        }
    }

    fn is_not(&self, expected: &str) -> ReadError {
        de::Error::invalid_type(self.unexpected(), &expected)
    }

    fn unsigned(&self, largest: u64) -> Result<u64, ReadError> {
        let Value::Integer(number) = self.value else {
            return Err(self.is_not("a whole number"));
        };
        match u64::try_from(number) {
            Ok(number) if number <= largest => Ok(number),
            Ok(_) => Err(ReadError::new(
                format!("`{number}` is too large"),
                format!("the largest is {largest}"),
            )),
            Err(_) => Err(ReadError::new(
                format!("`{number}` is negative"),
                "write zero or more",
            )),
        }
    }

    fn signed(&self, smallest: i64, largest: i64) -> Result<i64, ReadError> {
        match self.value {
            Value::Integer(number) if (smallest..=largest).contains(&number) => Ok(number),
            Value::Integer(number) => Err(ReadError::new(
                format!("`{number}` is out of range"),
                format!("write {smallest} to {largest}"),
            )),
            _ => Err(self.is_not("a whole number")),
        }
    }
}

macro_rules! whole_numbers {
    ($($method:ident $read:ident($($bound:expr),*) $visit:ident $type:ty;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            visitor.$visit(self.$read($($bound),*)? as $type)
        })*
    };
}

impl<'de> Deserializer<'de> for &'de TomlNode {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.value {
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Boolean(boolean) => visitor.visit_bool(*boolean),
            Value::Date(_) => Err(de::Error::invalid_type(self.unexpected(), &visitor)),
            Value::Array(items) => visitor.visit_seq(Items {
                rest: items.iter().enumerate(),
            }),
            Value::Table(entries) => visitor.visit_map(Entries::new(entries)),
        }
    }

    whole_numbers! {
        deserialize_u8 unsigned(u8::MAX.into()) visit_u8 u8;
        deserialize_u16 unsigned(u16::MAX.into()) visit_u16 u16;
        deserialize_u32 unsigned(u32::MAX.into()) visit_u32 u32;
        deserialize_u64 unsigned(i64::MAX as u64) visit_u64 u64;
        deserialize_i8 signed(i8::MIN.into(), i8::MAX.into()) visit_i8 i8;
        deserialize_i16 signed(i16::MIN.into(), i16::MAX.into()) visit_i16 i16;
        deserialize_i32 signed(i32::MIN.into(), i32::MAX.into()) visit_i32 i32;
        deserialize_i64 signed(i64::MIN, i64::MAX) visit_i64 i64;
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Integer(number) => visitor.visit_f64(number as f64),
            Value::Float(number) if number.is_finite() => visitor.visit_f64(number),
            _ => Err(self.is_not("a number")),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Boolean(boolean) => visitor.visit_bool(boolean),
            _ => Err(self.is_not("true or false")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.value {
            Value::Text(text) => visitor.visit_borrowed_str(text),
            _ => Err(self.is_not("text in quotes")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.value {
            Value::Array(items) => visitor.visit_seq(Items {
                rest: items.iter().enumerate(),
            }),
            _ => Err(self.is_not("an array, e.g. [ … ]")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.value {
            Value::Table(entries) => visitor.visit_map(Entries::new(entries)),
            _ => Err(self.is_not("a table, e.g. { key = … }")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_map(visitor)
    }

    /// Enums are names in scenarios.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.value {
            Value::Text(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            _ => Err(self.is_not(&format!("one of {}", quoted(variants)))),
        }
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The items of an array, one by one.
struct Items<'de> {
    rest: std::iter::Enumerate<std::slice::Iter<'de, TomlNode>>,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some((index, node)) = self.rest.next() else {
            return Ok(None);
        };
        let item = seed.deserialize(node);
        item.map(Some)
            .map_err(|error| error.within(&format!("[{index}]"), node.origin))
    }
}

/// The entries of a table, tags first.
struct Entries<'de> {
    rest: std::vec::IntoIter<&'de TomlEntry>,
    current: Option<&'de TomlEntry>,
}

impl<'de> Entries<'de> {
    fn new(entries: &'de [TomlEntry]) -> Self {
        let mut ordered: Vec<_> = entries.iter().collect();
        let place = |entry: &&TomlEntry| TAGS.iter().position(|tag| *tag == entry.key);
        ordered.sort_by_key(|entry| place(entry).unwrap_or(TAGS.len()));
        Self {
            rest: ordered.into_iter(),
            current: None,
        }
    }
}

impl<'de> de::MapAccess<'de> for Entries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        self.current = self.rest.next();
        let Some(entry) = self.current else {
            return Ok(None);
        };
        let key = seed.deserialize(de::value::BorrowedStrDeserializer::new(&entry.key));
        key.map(Some)
            .map_err(|error: ReadError| error.within(&entry.key, entry.origin))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let entry = self
            .current
            .take()
            .expect("serde asks for a value after its key");
        seed.deserialize(&entry.node)
            .map_err(|error| error.within(&entry.key, entry.place()))
    }
}

#[cfg(test)]
mod tests;
