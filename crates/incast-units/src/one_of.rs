//! A value that may be written in two ways.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that is written as one plain value (`A`), or as a table or an array (`B`).
#[derive(Clone, Debug, PartialEq)]
pub enum OneOf<A, B> {
    /// One plain value.
    Plain(A),
    /// A table or an array.
    Nested(B),
}

impl<A: Serialize, B: Serialize> Serialize for OneOf<A, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(plain) => plain.serialize(serializer),
            Self::Nested(nested) => nested.serialize(serializer),
        }
    }
}

impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Deserialize<'de> for OneOf<A, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOfVisitor(PhantomData))
    }
}

impl<A: JsonSchema, B: JsonSchema> JsonSchema for OneOf<A, B> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}Or{}", A::schema_name(), B::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (plain, nested) = (
            generator.subschema_for::<A>(),
            generator.subschema_for::<B>(),
        );
        json_schema!({ "anyOf": [plain, nested] })
    }
}

struct OneOfVisitor<A, B>(PhantomData<(A, B)>);

macro_rules! plain {
    ($($visit:ident $type:ty => $wrap:ident;)*) => {
        $(fn $visit<E: de::Error>(self, value: $type) -> Result<Self::Value, E> {
            A::deserialize(de::value::$wrap::new(value)).map(OneOf::Plain)
        })*
    };
}

impl<'de, A: Deserialize<'de>, B: Deserialize<'de>> Visitor<'de> for OneOfVisitor<A, B> {
    type Value = OneOf<A, B>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a table")
    }

    plain! {
        visit_bool bool => BoolDeserializer;
        visit_i64 i64 => I64Deserializer;
        visit_f64 f64 => F64Deserializer;
        visit_str &str => StrDeserializer;
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        B::deserialize(MapAccessDeserializer::new(map)).map(OneOf::Nested)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<Self::Value, S::Error> {
        B::deserialize(SeqAccessDeserializer::new(seq)).map(OneOf::Nested)
    }
}
