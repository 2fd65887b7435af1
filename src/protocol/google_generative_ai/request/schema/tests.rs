use serde_json::json;

use super::*;

/// The schema that is sent for a tool's; `None` if there is nothing to send.
fn sent(schema: &Value) -> Option<Value> {
    let mut json = JsonWriter::default();
    json.object(|json| write_parameters(schema, json));
    let mut body: Value = serde_json::from_str(&json.into_text()).unwrap();
    body.get_mut("parametersJsonSchema").map(Value::take)
}

#[test]
fn json_schema_goes_as_it_is_but_for_keywords_about_the_document() {
    let properties = json!({
        "a": { "type": ["string", "null"], "description": "d", "pattern": "^x", "default": { "$ref": "#" } },
        "b": { "type": "integer", "exclusiveMinimum": 0, "multipleOf": 2 },
        "c": { "anyOf": [{ "const": 1 }, { "enum": ["x", { "$schema": "kept" }] }] },
        "d": { "type": "array", "items": { "type": "string" }, "prefixItems": [{ "type": "null" }] },
        "e": { "type": "object", "additionalProperties": { "type": "number" } },
        "$f": { "not": {} },
    });
    let plain = json!({ "type": "object", "properties": properties, "required": ["a"], "additionalProperties": false });
    assert_eq!(sent(&plain), Some(plain.clone()));
    let mut document = plain.clone();
    for (keyword, value) in [
        (
            "$schema",
            json!("https://json-schema.org/draft/2020-12/schema"),
        ),
        ("$id", json!("x")),
        ("$comment", json!("c")),
        ("$defs", json!({ "unused": {} })),
        ("definitions", json!({ "unused": {} })),
    ] {
        document[keyword] = value;
    }
    assert_eq!(sent(&document), Some(plain));
}

#[test]
fn a_tool_without_parameters_has_no_schema() {
    for schema in [
        json!(null),
        json!(true),
        json!({}),
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false }),
        json!({ "$schema": "x", "type": "object", "properties": {} }),
    ] {
        assert_eq!(sent(&schema), None, "{schema}");
    }
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    assert_eq!(sent(&map), Some(map.clone()));
}

#[test]
fn references_are_replaced_by_what_they_name() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/$defs/A" },
            "b": { "$ref": "#/$defs/A", "description": "mine", "type": "object" },
            "c": { "$ref": "#/definitions/C" },
            "d": { "items": { "$ref": "#/properties/a" } },
            "e": { "$ref": "other.json#/x", "title": "t" },
            "f": { "$ref": "#/nowhere" },
            "g": true,
        },
        "$defs": { "A": { "type": "string", "description": "theirs" } },
        "definitions": { "C": { "allOf": [{ "$ref": "#/$defs/A" }], "$comment": "c" } },
    });
    let a = json!({ "type": "string", "description": "theirs" });
    let expected = json!({
        "a": a,
        "b": { "description": "mine", "type": "object" },
        "c": { "allOf": [a] },
        "d": { "items": a },
        "e": { "title": "t" },
        "f": {},
        "g": {},
    });
    let sent = sent(&schema).unwrap();
    assert_eq!(sent, json!({ "type": "object", "properties": expected }));
}

#[test]
fn a_cycle_ends_at_the_type_of_what_it_would_repeat() {
    let node = json!({
        "type": "object",
        "properties": {
            "next": { "$ref": "#/$defs/node", "description": "d" },
            "kids": { "type": "array", "items": { "$ref": "#/$defs/node" } },
        },
    });
    let schema = json!({ "$ref": "#/$defs/node", "$defs": { "node": node } });
    let expected = json!({
        "type": "object",
        "properties": {
            "next": { "description": "d", "type": "object" },
            "kids": { "type": "array", "items": { "type": "object" } },
        },
    });
    assert_eq!(sent(&schema), Some(expected));
    for cycle in [
        json!({ "$ref": "#" }),
        json!({ "properties": { "a": { "$ref": "#" } } }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
    ] {
        assert!(sent(&cycle).is_some(), "{cycle}");
    }
}

#[test]
fn references_that_double_at_each_level_end() {
    let mut doubling = json!({ "$ref": "#/$defs/40", "$defs": { "0": { "type": "string" } } });
    for level in 1..=40 {
        let below = json!({ "$ref": format!("#/$defs/{}", level - 1) });
        doubling["$defs"][level.to_string()] = json!({ "anyOf": [below.clone(), below] });
    }
    let length = sent(&doubling).unwrap().to_string().len();
    assert!(length < 20_000, "{length}");
}
