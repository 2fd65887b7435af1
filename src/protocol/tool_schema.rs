//! The schema of a tool's arguments as providers take it.
//!
//! Owns what they insist on at its top: it is the schema of an object, it has properties, and no
//! keyword there chooses among schemas. Whatever is left out here, the arguments are checked by the
//! whole schema. Refuses to look deeper.
//!
//! Sources: Anthropic, "Tool use" (`input_schema`); OpenAI, "Function calling" (`parameters`).

use serde_json::Value;

use crate::text::json::JsonWriter;

const REFUSED: [&str; 6] = ["type", "anyOf", "oneOf", "allOf", "enum", "not"];

/// Writes the schema; one that is no object stands for a tool without parameters.
pub(crate) fn write_parameters(parameters: &Value, json: &mut JsonWriter) {
    json.object(|json| {
        json.key("type").string("object");
        let schema = parameters.as_object();
        for (key, value) in schema.into_iter().flatten() {
            if !REFUSED.contains(&key.as_str()) {
                json.key(key).value(value);
            }
        }
        if schema.is_none_or(|schema| !schema.contains_key("properties")) {
            json.key("properties").raw("{}");
        }
    });
}
