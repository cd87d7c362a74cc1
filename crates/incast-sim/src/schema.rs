//! JSON Schema of a scenario file, for editors and for checks outside of Rust.

use serde_json::{Map, Value, json};

use crate::fabric::FabricScenario;
use crate::spec::Scenario;

/// JSON Schema (draft 2020-12) of scenario files, of networks and of memory fabrics, with the
/// parameters of all algorithms, kinds of traffic and topologies.
pub fn schema() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let kinds = [
        generator.subschema_for::<Scenario>(),
        generator.subschema_for::<FabricScenario>(),
    ];
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "incast scenario",
        "oneOf": kinds,
        "$defs": generator.take_definitions(true),
    });
    strip_nulls(&mut schema);
    drop_unused(&mut schema);
    schema
}

/// Removes definitions that are unused, because they were inlined.
fn drop_unused(schema: &mut Value) {
    let text = schema.to_string();
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        definitions.retain(|name, _| text.contains(&format!("\"#/$defs/{name}\"")));
    }
}

/// Removes nulls: TOML has none, and optional keys are left out instead.
fn strip_nulls(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(strip_nulls),
        Value::Object(object) => {
            strip_null_of(object);
            object.values_mut().for_each(strip_nulls);
        }
        _ => {}
    }
}

/// Whether a value is null, or an empty table.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(object) => object.values().all(is_nothing),
        _ => false,
    }
}

fn strip_null_of(object: &mut Map<String, Value>) {
    if object.get("default").is_some_and(is_nothing) {
        object.remove("default");
    }
    if let Some(Value::Object(default)) = object.get_mut("default") {
        default.retain(|_, value| !is_nothing(value));
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(forms)) = object.get_mut("anyOf") {
        forms.retain(|form| *form != json!({ "type": "null" }));
        if let [only] = forms.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only.as_object().into_iter().flatten() {
                object.entry(key).or_insert_with(|| value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_may_be_null() {
        let text = schema().to_string();
        assert!(!text.contains("null"), "{text}");
    }

    #[test]
    fn forms_that_are_left_alone_are_merged() {
        let mut schema = json!({
            "a": { "anyOf": [{ "$ref": "#/$defs/Time" }, { "type": "null" }], "default": "1us" },
            "b": { "type": ["number", "null"], "default": null },
        });
        strip_nulls(&mut schema);
        let expected = json!({
            "a": { "$ref": "#/$defs/Time", "default": "1us" },
            "b": { "type": "number" },
        });
        assert_eq!(schema, expected);
    }

    /// Editors show the descriptions of keys: each key that the sections define must have one.
    #[test]
    fn every_key_is_described() {
        fn undescribed(value: &Value, path: &str, found: &mut Vec<String>) {
            if let Some(properties) = value.get("properties").and_then(Value::as_object) {
                for (key, property) in properties {
                    if property.get("description").is_none() && property.get("$ref").is_none() {
                        found.push(format!("{path}.{key}"));
                    }
                }
            }
        }
        let schema = schema();
        let mut found = Vec::new();
        undescribed(&schema, "", &mut found);
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            undescribed(definition, name, &mut found);
        }
        found.retain(|key| !matches!(key.as_str(), "Composed.file" | "Composed.mix"));
        assert_eq!(found, Vec::<String>::new());
    }
}
