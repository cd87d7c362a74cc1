//! Tables whose tag (`kind`, `algorithm`) says which other keys they have: printing and schema.
//! Reading them is [`choice::tag`](super::choice::tag)'s.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// The tag, then the parameters beside it.
pub(crate) fn serialize<S: Serializer>(
    tag: &str,
    name: &str,
    parameters: &impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let parameters = toml::Table::try_from(parameters).map_err(S::Error::custom)?;
    let mut map = serializer.serialize_map(Some(parameters.len() + 1))?;
    map.serialize_entry(tag, name)?;
    for (key, value) in &parameters {
        map.serialize_entry(key, value)?;
    }
    map.end()
}

/// One of these tables, each with its tag, its summary, and the schema of its parameters.
pub(crate) fn schema<'a>(
    generator: &SchemaGenerator,
    tag: &str,
    kinds: impl IntoIterator<Item = (&'a str, &'a str, Schema)>,
) -> Schema {
    let kinds: Vec<Value> = kinds
        .into_iter()
        .map(|(name, summary, parameters)| {
            with_tag(definition(generator, parameters), tag, name, summary)
        })
        .collect();
    json_schema!({ "oneOf": kinds })
}

/// The schema itself where it is a reference: a tag can only be added inside of it, because it
/// allows no other keys.
pub(crate) fn definition(generator: &SchemaGenerator, schema: Schema) -> Value {
    let value = schema.to_value();
    let name = value
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next());
    match name.and_then(|name| generator.definitions().get(name)) {
        Some(definition) => definition.clone(),
        None => value,
    }
}

fn with_tag(mut schema: Value, tag: &str, name: &str, summary: &str) -> Value {
    schema["title"] = json!(name);
    schema["description"] = json!(summary);
    schema["type"] = json!("object");
    schema["properties"][tag] = json!({ "const": name, "description": summary });
    match schema.get_mut("required").and_then(Value::as_array_mut) {
        Some(required) => required.push(json!(tag)),
        None => schema["required"] = json!([tag]),
    }
    schema
}
