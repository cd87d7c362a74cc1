//! Options of a scheme by key: how a scenario names them, reads them and writes them.
//!
//! A scheme lists its keys once, with [`parameters!`], in the order in which they are written:
//!
//! ```text
//! parameters! {
//!     AimdOptions {
//!         .. => tokens;
//!         "increase" => increase,
//!             "What a watermark gains from a probe below the threshold. Default: 50.";
//!     }
//! }
//! ```
//!
//! A row is a key, the field that holds its value, and the key's description in the schema. Two
//! dots stand for all keys of a field that has keys of its own. A field in no row has no key. Keys
//! are read one by one, without a buffer, so that an error knows its place in the source.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};

/// Options that have keys. [`parameters!`] implements this trait.
pub(crate) trait SchemeParameters: Default {
    /// The keys, in the order in which they are written.
    fn keys(&self) -> Vec<&'static str>;

    /// Reads the value of `key`.
    ///
    /// # Errors
    /// If there is no such key, or the value is of the wrong kind.
    fn read<'de, D: Deserializer<'de>>(&mut self, key: &str, value: D) -> Result<(), D::Error>;

    /// Writes every key with its value.
    ///
    /// # Errors
    /// An error of the serializer.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;

    /// Adds the schema of each key to `properties`.
    fn describe(&self, generator: &mut SchemaGenerator, properties: &mut Schema);
}

/// Lists the keys of options, as the module's documentation shows.
macro_rules! parameters {
    ($Options:ident { $($key:tt => $field:tt $(, $doc:literal)?;)* }) => {
        #[allow(unused_variables, reason = "options may have no keys")]
        impl $crate::control::parameters::SchemeParameters for $Options {
            fn keys(&self) -> Vec<&'static str> {
                let lists: &[Vec<&'static str>] = &[
                    $($crate::control::parameters::parameters!(@keys self $key $field)),*
                ];
                lists.concat()
            }

            fn read<'de, D: ::serde::Deserializer<'de>>(
                &mut self,
                key: &str,
                value: D,
            ) -> Result<(), D::Error> {
                $($crate::control::parameters::parameters!(@read self key value $key $field);)*
                let unknown = ::incast_diagnostic::Diagnostic::unknown("key", key, self.keys());
                Err(::serde::de::Error::custom(unknown))
            }

            fn write<M: ::serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $($crate::control::parameters::parameters!(@write self map $key $field);)*
                Ok(())
            }

            fn describe(
                &self,
                generator: &mut ::schemars::SchemaGenerator,
                properties: &mut ::schemars::Schema,
            ) {
                $($crate::control::parameters::parameters!(
                    @describe self generator properties $key $field $($doc)?
                );)*
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $Options {
            fn deserialize<D: ::serde::Deserializer<'de>>(options: D) -> Result<Self, D::Error> {
                $crate::control::parameters::read(options)
            }
        }

        impl ::serde::Serialize for $Options {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::control::parameters::write(self, serializer)
            }
        }

        impl ::schemars::JsonSchema for $Options {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($Options).into()
            }

            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                $crate::control::parameters::schema::<Self>(generator)
            }
        }
    };

    (@keys $self:ident .. $field:tt) => { $self.$field.keys() };
    (@keys $self:ident $key:literal $field:tt) => { vec![$key] };

    (@read $self:ident $named:ident $value:ident .. $field:tt) => {
        if $self.$field.keys().contains(&$named) {
            return $self.$field.read($named, $value);
        }
    };
    (@read $self:ident $named:ident $value:ident $key:literal $field:tt) => {
        if $named == $key {
            $self.$field = ::serde::Deserialize::deserialize($value)?;
            return Ok(());
        }
    };

    (@write $self:ident $map:ident .. $field:tt) => { $self.$field.write($map)? };
    (@write $self:ident $map:ident $key:literal $field:tt) => {
        $map.serialize_entry($key, &$self.$field)?
    };

    (@describe $self:ident $generator:ident $properties:ident .. $field:tt) => {
        $self.$field.describe($generator, $properties)
    };
    (
        @describe $self:ident $generator:ident $properties:ident
        $key:literal $field:tt $doc:literal
    ) => {
        let schema = $crate::control::parameters::schema_of(&$self.$field, $doc, $generator);
        $properties.insert($key.to_owned(), schema.to_value());
    };
}

pub(super) use parameters;

/// Reads options; a missing key keeps its default.
pub(super) fn read<'de, T: SchemeParameters, D: Deserializer<'de>>(
    options: D,
) -> Result<T, D::Error> {
    options.deserialize_map(OptionsVisitor(PhantomData))
}

/// Writes every key of the options.
pub(super) fn write<T: SchemeParameters, S: Serializer>(
    options: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    options.write(&mut map)?;
    map.end()
}

/// The schema of options whose keys are all optional.
pub(super) fn schema<T: SchemeParameters>(generator: &mut SchemaGenerator) -> Schema {
    let mut properties = Schema::default();
    T::default().describe(generator, &mut properties);
    json_schema!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// The schema of one optional key.
pub(super) fn schema_of<T: JsonSchema>(
    _: &T,
    description: &str,
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut schema = generator.subschema_for::<Option<T>>();
    schema.insert("description".to_owned(), description.into());
    schema
}

struct OptionsVisitor<T>(PhantomData<T>);

impl<'de, T: SchemeParameters> Visitor<'de> for OptionsVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of parameters")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let mut options = T::default();
        while let Some(key) = map.next_key::<String>()? {
            map.next_value_seed(ValueOf {
                key: &key,
                options: &mut options,
            })?;
        }
        Ok(options)
    }
}

/// Reads the value of one key into the options.
struct ValueOf<'a, T> {
    key: &'a str,
    options: &'a mut T,
}

impl<'de, T: SchemeParameters> DeserializeSeed<'de> for ValueOf<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        self.options.read(self.key, value)
    }
}
