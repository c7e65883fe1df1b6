//! The OpenRPC 1.3 document of the protocol.

use serde_json::{Map, Value, json};

use super::catalog::{Entry, catalog};
use super::error::{ErrorData, Kind};
use super::method::Example;

/// The document of `schema/openrpc.json` and `rpc.discover`. The same program always gives the same bytes.
#[must_use]
pub fn document() -> Value {
    let (entries, mut generator) = catalog();
    let _ = generator.subschema_for::<ErrorData>();
    let methods: Vec<Value> = entries.iter().map(method).collect();
    let mut schemas: Map<String, Value> = generator.take_definitions(true);
    schemas.sort_keys();
    json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "surfaced",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Opens interactive commands where the person works.",
            "license": { "name": "MIT" },
        },
        "methods": methods,
        "components": { "schemas": schemas, "errors": errors() },
    })
}

fn method(entry: &Entry) -> Value {
    let params = entry.params.as_value();
    let required: Vec<&str> = params["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let descriptors: Vec<Value> = params["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| descriptor(name, schema, required.contains(&name.as_str())))
        .collect();
    let mut method = json!({
        "name": entry.name,
        "summary": entry.summary,
        "paramStructure": "by-name",
        "params": descriptors,
        "result": { "name": "result", "schema": entry.result },
    });
    if !entry.examples.is_empty() {
        method["examples"] = entry.examples.iter().map(example).collect();
    }
    if let (Some(item), Some(end)) = (&entry.item, entry.end) {
        method["x-subscription"] = json!({ "item": item, "end": end });
    }
    method
}

/// A parameter. Its description moves from the schema to the descriptor, where tools look for it.
fn descriptor(name: &str, schema: &Value, required: bool) -> Value {
    let mut schema = schema.clone();
    let description = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("description"));
    let mut descriptor = json!({ "name": name, "required": required, "schema": schema });
    if let Some(description) = description {
        descriptor["description"] = description;
    }
    descriptor
}

fn example(example: &Example) -> Value {
    let params: Vec<Value> = example
        .params
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    let mut pairing = json!({ "name": example.name, "params": params });
    if let Some(result) = &example.result {
        pairing["result"] = json!({ "name": "result", "value": result });
    }
    pairing
}

/// The errors that any method may answer with, by kind.
fn errors() -> Value {
    let schema = schemars::schema_for!(Kind);
    let kinds = schema.as_value()["oneOf"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut errors = Map::new();
    for kind in kinds {
        let Some(name) = kind["const"].as_str() else {
            continue;
        };
        let Ok(parsed) = serde_json::from_value::<Kind>(json!(name)) else {
            continue;
        };
        errors.insert(
            name.to_owned(),
            json!({
                "code": parsed.code(),
                "message": kind["description"],
                "data": { "$ref": "#/components/schemas/ErrorData" },
            }),
        );
    }
    Value::Object(errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_kind_is_listed_with_its_code() {
        let document = document();
        let errors = document["components"]["errors"].as_object().unwrap();
        assert_eq!(errors["target-gone"]["code"], -32020);
        assert_eq!(errors["cancelled"]["code"], -32800);
        assert!(errors.len() > 30, "{}", errors.len());
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn walk(value: &Value, document: &Value) {
            match value {
                Value::Object(map) => {
                    if let Some(Value::String(reference)) = map.get("$ref") {
                        let pointer = reference.trim_start_matches('#');
                        assert!(document.pointer(pointer).is_some(), "{reference}");
                    }
                    map.values().for_each(|value| walk(value, document));
                }
                Value::Array(values) => values.iter().for_each(|value| walk(value, document)),
                _ => {}
            }
        }
        let document = document();
        walk(&document, &document);
    }
}
