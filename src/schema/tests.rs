use serde_json::{Value, json};

use super::{PatternMatcher, Schema, SchemaError};

/// An ECMAScript engine in the place of the browser's `RegExp`.
pub(super) struct Regress;

impl PatternMatcher for Regress {
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        let regex =
            regress::Regex::with_flags(pattern, "u").or_else(|_| regress::Regex::new(pattern));
        Some(regex.ok()?.find(text).is_some())
    }
}

fn check(schema: &Value, value: Value) -> Result<Value, Vec<String>> {
    let schema = Schema::compile(schema).unwrap();
    schema
        .check(value, &Regress)
        .map_err(|mismatches| mismatches.iter().map(ToString::to_string).collect())
}

fn unsupported(schema: &Value) -> Vec<String> {
    Schema::compile(schema).unwrap().unsupported().to_vec()
}

/// Each row: a schema, what the model sent, what the tool gets. `to_string` tells 3 from 3.0.
fn assert_coerced(rows: &[(Value, Value, Value)]) {
    for (schema, sent, wanted) in rows {
        let coerced = check(schema, sent.clone());
        let text = coerced.as_ref().map(Value::to_string);
        assert_eq!(text, Ok(wanted.to_string()), "schema {schema}, sent {sent}");
    }
}

/// Each row: a schema, what the model sent, the report.
fn assert_reported(rows: &[(Value, Value, &[&str])]) {
    for (schema, sent, wanted) in rows {
        let report = check(schema, sent.clone()).expect_err(&format!("{schema} takes {sent}"));
        assert_eq!(report, *wanted, "schema {schema}, sent {sent}");
    }
}

#[test]
fn scalars_are_coerced() {
    let type_ = |name: &str| json!({ "type": name });
    assert_coerced(&[
        (type_("integer"), json!("3"), json!(3)),
        (type_("integer"), json!(" 3\n"), json!(3)),
        (type_("number"), json!("-2.5e3"), json!(-2500)),
        (type_("boolean"), json!("true"), json!(true)),
        (type_("boolean"), json!("false"), json!(false)),
        (type_("string"), json!(3), json!("3")),
        (type_("string"), json!(3.0), json!("3")),
        (type_("string"), json!(0.5), json!("0.5")),
        (type_("string"), json!(false), json!("false")),
        (json!({ "enum": [1, 2] }), json!("2"), json!(2)),
        (json!({ "const": true }), json!("true"), json!(true)),
        (json!({ "type": ["integer", "null"] }), json!("7"), json!(7)),
    ]);
}

#[test]
fn text_that_is_not_json_of_the_type_is_not_coerced() {
    assert_reported(&[
        (
            json!({ "type": "integer" }),
            json!(""),
            &[r#"expected integer, got string """#],
        ),
        (
            json!({ "type": "integer" }),
            json!("abc"),
            &[r#"expected integer, got string "abc""#],
        ),
        (
            json!({ "type": "integer" }),
            json!("3.5"),
            &[r#"expected integer, got string "3.5""#],
        ),
        (
            json!({ "type": "number" }),
            json!("0x10"),
            &[r#"expected number, got string "0x10""#],
        ),
        (
            json!({ "type": "number" }),
            json!("1e999"),
            &[r#"expected number, got string "1e999""#],
        ),
        (
            json!({ "type": "boolean" }),
            json!("yes"),
            &[r#"expected boolean, got string "yes""#],
        ),
        (
            json!({ "type": "boolean" }),
            json!(1),
            &["expected boolean, got number 1"],
        ),
        (
            json!({ "type": "object" }),
            json!("[1]"),
            &[r#"expected object, got string "[1]""#],
        ),
        (
            json!({ "type": "string" }),
            Value::Null,
            &["expected string, got null"],
        ),
        (
            json!({ "type": "null" }),
            json!("null"),
            &[r#"expected null, got string "null""#],
        ),
    ]);
}

#[test]
fn a_valid_value_is_never_changed() {
    let schema = json!({
        "properties": {
            "either": { "type": ["string", "integer"] },
            "any": { "anyOf": [{ "type": "integer" }, { "type": "string" }] },
            "float": { "type": "integer" },
            "null": { "type": "string", "nullable": true },
            "free": {},
            "bad": { "type": "integer" },
        }
    });
    let sent = |bad: Value| json!({ "either": "3", "any": "3", "float": 3.0, "null": null, "free": "true", "bad": bad });
    assert_coerced(&[
        (schema.clone(), sent(json!(1)), sent(json!(1))),
        (schema, sent(json!("1")), sent(json!(1))),
    ]);
}

#[test]
fn arrays_and_objects_are_coerced() {
    let names = json!({ "type": "array", "items": { "type": "string" } });
    let point = json!({
        "type": "object",
        "properties": { "x": { "type": "number" }, "label": { "type": "string" } },
        "required": ["x"],
        "additionalProperties": { "type": "boolean" },
    });
    assert_coerced(&[
        (names.clone(), json!("a"), json!(["a"])),
        (names.clone(), json!(5), json!(["5"])),
        (names.clone(), json!(r#"["a", 1]"#), json!(["a", "1"])),
        (
            names.clone(),
            json!([1, true, "x"]),
            json!(["1", "true", "x"]),
        ),
        (
            json!({ "type": "array", "items": point }),
            json!({ "x": "1" }),
            json!([{ "x": 1 }]),
        ),
        (point.clone(), json!(r#"{"x": "1"}"#), json!({ "x": 1 })),
        (
            point.clone(),
            json!({ "x": "1", "label": null }),
            json!({ "x": 1 }),
        ),
        (
            point.clone(),
            json!({ "x": 1, "more": "true" }),
            json!({ "x": 1, "more": true }),
        ),
        (
            json!({ "prefixItems": [{ "type": "integer" }], "items": { "type": "boolean" } }),
            json!(["1", "true"]),
            json!([1, true]),
        ),
        (
            json!({ "patternProperties": { "^n_": { "type": "integer" } } }),
            json!({ "n_a": "1", "s_a": "1" }),
            json!({ "n_a": 1, "s_a": "1" }),
        ),
    ]);
    assert_reported(&[
        (names.clone(), Value::Null, &["expected array, got null"]),
        (
            names,
            json!([["a"]]),
            &[r#"[0]: expected string, got array ["a"]"#],
        ),
        (
            point.clone(),
            json!({ "x": null }),
            &["x: expected number, got null"],
        ),
        (
            point,
            json!({ "x": "one" }),
            &[r#"x: expected number, got string "one""#],
        ),
    ]);
}

#[test]
fn coercion_goes_through_references_and_branches() {
    assert_coerced(&[
        (
            json!({ "$ref": "#/$defs/node", "$defs": { "node": {
                "properties": { "n": { "type": "integer" }, "next": { "$ref": "#/$defs/node" } },
            } } }),
            json!({ "n": "1", "next": { "n": "2" } }),
            json!({ "n": 1, "next": { "n": 2 } }),
        ),
        (
            json!({ "allOf": [{ "properties": { "a": { "type": "integer" } } }] }),
            json!({ "a": "1" }),
            json!({ "a": 1 }),
        ),
        (
            json!({ "anyOf": [{ "type": "integer" }, { "type": "boolean" }] }),
            json!("true"),
            json!(true),
        ),
        (
            json!({ "oneOf": [{ "type": "integer", "maximum": 9 }, { "type": "number" }] }),
            json!("10"),
            json!(10),
        ),
        (
            json!({
                "if": { "properties": { "kind": { "const": "n" } } },
                "then": { "properties": { "v": { "type": "number" } } },
                "else": { "properties": { "v": { "type": "boolean" } } },
            }),
            json!({ "kind": "b", "v": "true" }),
            json!({ "kind": "b", "v": true }),
        ),
    ]);
}

#[test]
fn messages_name_the_rule_and_the_value() {
    let long = "x".repeat(100);
    assert_reported(&[
        (
            json!({ "minimum": 5 }),
            json!(3),
            &["must be >= 5, got number 3"],
        ),
        (
            json!({ "minimum": 5, "exclusiveMinimum": true }),
            json!(5),
            &["must be > 5, got number 5"],
        ),
        (
            json!({ "multipleOf": 0.01 }),
            json!(0.015),
            &["must be a multiple of 0.01, got number 0.015"],
        ),
        (
            json!({ "minLength": 2 }),
            json!("é"),
            &[r#"must have at least 2 characters, got string "é""#],
        ),
        (
            json!({ "pattern": "^a" }),
            json!("b"),
            &[r#"must match the pattern "^a", got string "b""#],
        ),
        (
            json!({ "enum": ["a", "b"] }),
            json!("c"),
            &[r#"expected one of ["a","b"], got string "c""#],
        ),
        (
            json!({ "const": "a" }),
            json!("c"),
            &[r#"expected "a", got string "c""#],
        ),
        (
            json!({ "maxItems": 1 }),
            json!([1, 2]),
            &["must have at most 1 items, got array [1,2]"],
        ),
        (
            json!({ "uniqueItems": true }),
            json!([1, 1.0]),
            &["must not repeat items, got array [1,1]"],
        ),
        (
            json!({ "required": ["a", "b"], "properties": { "c": false } }),
            json!({ "c": 1 }),
            &[
                r#"missing required property "a""#,
                r#"missing required property "b""#,
                "c: is not allowed here",
            ],
        ),
        (
            json!({ "maxLength": 1 }),
            json!(long),
            &[&format!(
                "must have at most 1 characters, got string \"{}…",
                &long[..59]
            )],
        ),
    ]);
}

#[test]
fn paths_lead_to_the_mismatch() {
    let item =
        json!({ "properties": { "name": { "type": "integer" } }, "additionalProperties": false });
    let schema = json!({ "properties": { "items": { "items": item } } });
    let sent = json!({ "items": [{}, { "name": "x" }, { "first name": 1 }] });
    assert_reported(&[(
        schema,
        sent,
        &[
            r#"items[1].name: expected integer, got string "x""#,
            r#"items[2]["first name"]: is not allowed here"#,
        ],
    )]);
}

#[test]
fn ten_mismatches_are_enough() {
    let report = check(&json!({ "items": { "type": "null" } }), json!(vec![1; 50])).unwrap_err();
    assert_eq!(report.len(), 10);
}

#[test]
fn a_union_reports_the_branch_that_was_meant() {
    let optional = json!({ "anyOf": [
        { "type": "object", "properties": { "n": { "type": "integer" }, "m": { "type": "integer" } } },
        { "type": "null" },
    ] });
    let tagged = json!({ "oneOf": [
        { "properties": { "kind": { "const": "a" }, "v": { "type": "integer" } }, "required": ["kind"] },
        { "properties": { "kind": { "const": "b" }, "v": { "type": "boolean" } }, "required": ["kind"] },
    ] });
    let sizes = json!({ "anyOf": [{ "maxLength": 1 }, { "minLength": 3 }] });
    assert_reported(&[
        (
            optional.clone(),
            json!(3),
            &["expected object or null, got number 3"],
        ),
        (
            optional,
            json!({ "n": "1", "m": "x" }),
            &[r#"m: expected integer, got string "x""#],
        ),
        (
            tagged.clone(),
            json!({ "kind": "b", "v": 3 }),
            &["v: expected boolean, got number 3"],
        ),
        (
            tagged,
            json!({ "kind": "c" }),
            &[
                r#"fits no alternative: kind: expected "a", got string "c"; or kind: expected "b", got string "c""#,
            ],
        ),
        (
            sizes,
            json!("ab"),
            &[
                "fits no alternative: must have at most 1 characters, got string \"ab\"; \
               or must have at least 3 characters, got string \"ab\"",
            ],
        ),
        (
            json!({ "oneOf": [{ "type": "integer" }, { "type": "number" }] }),
            json!(1),
            &["must fit exactly one alternative, fits several, got number 1"],
        ),
    ]);
}

#[test]
fn nullable_admits_null() {
    for schema in [
        json!({ "type": "string", "nullable": true }),
        json!({ "allOf": [{ "type": "string" }], "nullable": true }),
        json!({ "anyOf": [{ "type": "string", "nullable": true }, { "type": "integer" }] }),
    ] {
        assert_eq!(check(&schema, Value::Null), Ok(Value::Null), "{schema}");
    }
}

#[test]
fn what_is_not_enforced_is_reported() {
    let schema = json!({
        "type": "any",
        "format": "email",
        "properties": {
            "a/b": { "required": true, "minLength": -1 },
            "c": "string",
            "d": { "$recursiveRef": "#" },
            "e": { "enum": "x", "title": "E", "x-vendor": { "type": 3 } },
        },
    });
    let wanted = [
        "#/type",
        "#/properties/a~1b/required",
        "#/properties/a~1b/minLength",
        "#/properties/c",
        "#/properties/d/$recursiveRef",
        "#/properties/e/enum",
    ];
    assert_eq!(unsupported(&schema), wanted);
    assert_eq!(
        check(&schema, json!({ "a/b": "", "c": 1, "e": 1 })).map(|_| ()),
        Ok(())
    );
}

#[test]
fn a_dynamic_reference_is_reported_only_where_it_is_dynamic() {
    let one =
        json!({ "$dynamicAnchor": "node", "items": { "$dynamicRef": "#node" }, "type": "array" });
    assert!(unsupported(&one).is_empty());
    assert!(check(&one, json!([[{}]])).is_err());
    let two = json!({ "$defs": { "a": { "$id": "a", "$dynamicAnchor": "x" }, "b": { "$dynamicAnchor": "x" } } });
    assert_eq!(unsupported(&two), ["#/$defs/b/$dynamicAnchor"]);
}

#[test]
fn an_invalid_pattern_is_reported_and_restricts_nothing() {
    let value = json!({ "properties": { "a": { "pattern": "(" } }, "patternProperties": { "[": {} },
        "additionalProperties": false });
    let mut schema = Schema::compile(&value).unwrap();
    schema.find_invalid_patterns(&Regress);
    assert_eq!(
        schema.unsupported(),
        ["#/patternProperties/[", "#/properties/a/pattern"]
    );
    assert!(schema.is_valid(&json!({ "a": "x", "b": 1 }), &Regress));
}

#[test]
fn errors_name_the_reference() {
    assert_eq!(
        Schema::compile(&json!([])).err(),
        Some(SchemaError::NotASchema)
    );
    let error = Schema::compile(&json!({ "items": { "$ref": "other.json#/a" } })).unwrap_err();
    let wanted = r##"cannot resolve the reference "other.json#/a" at #/items/$ref"##;
    assert_eq!(error.to_string(), wanted);
    let deep = (0..300).fold(json!({}), |inner, _| json!({ "not": inner }));
    assert_eq!(Schema::compile(&deep).err(), Some(SchemaError::TooDeep));
}

#[test]
fn references_reach_parts_that_are_no_keywords() {
    let schema = json!({
        "$ref": "#/components/schemas/A%20B",
        "components": { "schemas": {
            "A B": { "items": { "$ref": "#/components/schemas/B" } },
            "B": { "type": "integer", "minimum": "x" },
        } },
    });
    assert_eq!(unsupported(&schema), ["#/components/schemas/B/minimum"]);
    assert_eq!(check(&schema, json!(["1"])), Ok(json!([1])));
}

#[test]
fn draft_7_tuples_and_lone_references_work() {
    let tuple =
        json!({ "items": [{ "type": "integer" }], "additionalItems": { "type": "boolean" } });
    assert_eq!(check(&tuple, json!(["1", "true"])), Ok(json!([1, true])));
    let siblings = json!({ "$ref": "#/definitions/a", "maxLength": 1, "definitions": { "a": { "type": "string" } } });
    assert!(check(&siblings, json!("ab")).is_err());
    let mut draft_7 = siblings;
    draft_7["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    assert!(check(&draft_7, json!("ab")).is_ok());
}

#[test]
fn hostile_schemas_end() {
    let message = "the check was given up: too deep or too large";
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "not": { "$ref": "#" } }),
        json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "if": { "$ref": "#" }, "then": { "$ref": "#" } }),
        json!({ "$ref": "#", "unevaluatedProperties": false }),
    ] {
        assert_eq!(
            check(&schema, json!({ "a": 1 })),
            Err(vec![message.to_string()]),
            "{schema}"
        );
    }
    let mut doubling = json!({ "$defs": { "0": { "type": "string" } }, "$ref": "#/$defs/40" });
    for level in 1..=40 {
        let below = json!({ "$ref": format!("#/$defs/{}", level - 1), "minLength": 1 });
        doubling["$defs"][level.to_string()] = json!({ "oneOf": [below, below] });
    }
    assert_eq!(check(&doubling, json!("a")), Err(vec![message.to_string()]));
    let nested = json!({ "type": "array", "items": { "$ref": "#" } });
    assert_eq!(
        check(&nested, json!(5)),
        Err(vec!["expected array, got number 5".to_string()])
    );
}

#[test]
fn deep_values_are_checked_and_coerced() {
    let schema = json!({ "$ref": "#/$defs/node", "$defs": { "node": {
        "type": "object",
        "properties": {
            "n": { "type": "integer" },
            "next": { "anyOf": [{ "$ref": "#/$defs/node" }, { "type": "null" }] },
        },
    } } });
    let chain = |leaf: Value| {
        (0..125).fold(
            json!({ "n": leaf }),
            |next, _| json!({ "n": 1, "next": next }),
        )
    };
    assert_eq!(check(&schema, chain(json!(1))), Ok(chain(json!(1))));
    assert_eq!(check(&schema, chain(json!("1"))), Ok(chain(json!(1))));
    let report = check(&schema, chain(json!("x"))).unwrap_err();
    assert!(report[0].ends_with(r#"next.n: expected integer, got string "x""#));
}

#[test]
fn recursive_tagged_unions_stay_fast() {
    let branches: Vec<_> = (0..10)
        .map(|tag| {
            json!({
                "type": "object",
                "properties": {
                    "children": { "type": "array", "items": { "$ref": "#" } },
                    "type": { "const": format!("t{tag}") },
                },
                "required": ["type"],
            })
        })
        .collect();
    let schema = json!({ "anyOf": branches });
    let tree = |leaf: &str| {
        let leaf = json!({ "type": leaf, "children": [] });
        (0..40).fold(
            leaf,
            |below, _| json!({ "type": "t9", "children": [below] }),
        )
    };
    assert!(check(&schema, tree("t5")).is_ok());
    assert_eq!(check(&schema, tree("t10")).unwrap_err().len(), 1);
}
