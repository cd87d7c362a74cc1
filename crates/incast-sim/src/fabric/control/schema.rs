//! The schema of `[control]`: one object with the keys of all schemes.

use std::borrow::Cow;

use incast_fabric::ControlScheme;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{ControlSection, SCHEME, names};

impl JsonSchema for ControlSection {
    fn schema_name() -> Cow<'static, str> {
        "InjectionControl".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = serde_json::Map::new();
        let mut scheme = generator.subschema_for::<SchemeName>();
        scheme.insert("description".to_owned(), "The scheme.".into());
        properties.insert(SCHEME.to_owned(), scheme.to_value());
        for (_, options) in ControlScheme::schemas(generator) {
            let of_scheme = options.get("properties").and_then(|keys| keys.as_object());
            properties.extend(of_scheme.cloned().unwrap_or_default());
        }
        json_schema!({
            "description": "`[control]`. What is left out is the scheme's default.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "required": [SCHEME],
        })
    }
}

/// The name of a scheme, in the schema.
struct SchemeName;

impl JsonSchema for SchemeName {
    fn schema_name() -> Cow<'static, str> {
        "SchemeName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A scheme.",
            "type": "string",
            "enum": names().collect::<Vec<_>>(),
        })
    }
}
