//! The schema of a tool's arguments, as Google takes it.
//!
//! It goes into `parametersJsonSchema`, whose value is JSON Schema by contract and any JSON by type:
//! in `parameters`, a subset of OpenAPI, one unknown keyword fails every request. Owns what even
//! there fails: references (Google knows `$defs` only, refuses siblings of `$ref` and most cycles)
//! are replaced by what they name, a cycle ends at the type of what it would repeat, and keywords
//! that begin with `$` are left out. Refuses to translate anything else: the tool's own check uses the
//! original.
//!
//! Source: Gemini API reference, "FunctionDeclaration".

use serde_json::{Map, Value};

use crate::schema::at_pointer;
use crate::text::json::JsonWriter;

#[cfg(test)]
mod tests;

/// References that may be open at once.
const MAX_OPEN: usize = 16;
/// References that are replaced in one schema: references to references can double at each level.
const MAX_REPLACED: usize = 256;

/// Writes the member for the schema, if the tool has parameters: an object without properties is
/// refused.
pub(super) fn write_parameters(schema: &Value, json: &mut JsonWriter) {
    if let Value::Object(keywords) = schema
        && keywords.iter().any(says_something)
    {
        let mut writer = SchemaWriter {
            root: schema,
            open: Vec::new(),
            replaced: 0,
        };
        json.key("parametersJsonSchema");
        writer.schema(schema, json);
    }
}

fn says_something((keyword, value): (&String, &Value)) -> bool {
    match keyword.as_str() {
        "properties" => value.as_object().is_some_and(|map| !map.is_empty()),
        "additionalProperties" => value.is_object(),
        "$ref" | "anyOf" | "oneOf" | "allOf" | "patternProperties" => true,
        _ => false,
    }
}

struct SchemaWriter<'a> {
    root: &'a Value,
    /// The references on the way to here.
    open: Vec<&'a str>,
    replaced: usize,
}

impl<'a> SchemaWriter<'a> {
    fn schema(&mut self, schema: &'a Value, json: &mut JsonWriter) {
        let Value::Object(keywords) = schema else {
            json.raw("{}");
            return;
        };
        let open = self.open.len();
        let (layers, cycle) = self.layers(keywords);
        json.object(|json| {
            for (place, layer) in layers.iter().enumerate() {
                let over = layers.get(..place).unwrap_or_default();
                for (keyword, value) in *layer {
                    if !over.iter().any(|layer| layer.contains_key(keyword)) {
                        self.keyword(keyword, value, json);
                    }
                }
            }
            if let Some(kind) = cycle {
                json.key("type").value(kind);
            }
        });
        self.open.truncate(open);
    }

    /// The schema and what it refers to, the nearest first, and the type of what is not followed.
    fn layers(
        &mut self,
        keywords: &'a Map<String, Value>,
    ) -> (Vec<&'a Map<String, Value>>, Option<&'a Value>) {
        let mut layers = vec![keywords];
        let mut last = keywords;
        while let Some(name) = last.get("$ref").and_then(Value::as_str) {
            let target = name
                .strip_prefix('#')
                .and_then(|pointer| at_pointer(self.root, pointer)?.as_object());
            let Some(target) = target else { break };
            let is_open = self.open.contains(&name) || self.open.len() >= MAX_OPEN;
            if is_open || self.replaced >= MAX_REPLACED {
                let is_typed = layers.iter().any(|layer| layer.contains_key("type"));
                return (layers, target.get("type").filter(|_| !is_typed));
            }
            self.replaced += 1;
            self.open.push(name);
            layers.push(target);
            last = target;
        }
        (layers, None)
    }

    fn keyword(&mut self, keyword: &str, value: &'a Value, json: &mut JsonWriter) {
        match (keyword, value) {
            ("definitions", _) => {}
            _ if keyword.starts_with('$') => {}
            ("properties" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                json.key(keyword).object(|json| {
                    for (name, schema) in schemas {
                        json.key(name);
                        self.schema(schema, json);
                    }
                });
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                json.key(keyword).array(|json| {
                    for schema in schemas {
                        self.schema(schema, json);
                    }
                });
            }
            (
                "items"
                | "additionalProperties"
                | "not"
                | "contains"
                | "propertyNames"
                | "if"
                | "then"
                | "else",
                Value::Object(_),
            ) => {
                json.key(keyword);
                self.schema(value, json);
            }
            _ => {
                json.key(keyword).value(value);
            }
        }
    }
}
