//! Printing and schema of tables whose tag (`kind`, `algorithm`) says which other keys they have.
//! [`choice::tag`](super::choice::tag) reads them.

use schemars::{Schema, SchemaGenerator};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// Prints the tag, then the parameters beside it.
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

/// The definition that `schema` refers to, or `schema` itself. A tag must be added inside of the
/// definition, which allows no other keys.
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

/// The schema of the table `name` with its tag; `names` is the schema of the tag's value.
pub(crate) fn with_tag(
    mut schema: Value,
    tag: &str,
    name: &str,
    summary: &str,
    mut names: Value,
) -> Value {
    schema["title"] = json!(name);
    schema["description"] = json!(summary);
    schema["type"] = json!("object");
    names["description"] = json!(summary);
    schema["properties"][tag] = names;
    match schema.get_mut("required").and_then(Value::as_array_mut) {
        Some(required) => required.push(json!(tag)),
        None => schema["required"] = json!([tag]),
    }
    schema
}
