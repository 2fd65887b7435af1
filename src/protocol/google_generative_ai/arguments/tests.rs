use serde_json::{Value, json};

use super::*;
use crate::text::partial_json::parse_arguments;

/// The text that each piece adds, then the one that the end adds; `None` where a piece cannot be.
fn written(pieces: &[Value]) -> Option<Vec<String>> {
    let mut arguments = Arguments::default();
    let mut texts = Vec::new();
    for piece in pieces {
        let mut text = String::new();
        arguments.write_piece(Json::parse(&piece.to_string()).unwrap(), &mut text)?;
        texts.push(text);
    }
    let mut text = String::new();
    arguments.finish(&mut text);
    texts.push(text);
    Some(texts)
}

fn string(path: &str, value: &str) -> Value {
    json!({ "jsonPath": path, "stringValue": value })
}

fn open(path: &str, value: &str) -> Value {
    json!({ "jsonPath": path, "stringValue": value, "willContinue": true })
}

#[test]
fn each_piece_adds_the_text_from_the_last_value_to_its_own() {
    let table: [(&str, Vec<Value>, &[&str]); 9] = [
        ("nothing", vec![], &["{}"]),
        (
            "a string in pieces",
            vec![open("$.a", "x"), open("$.a", "y\"\n"), string("$.a", "")],
            &[r#"{"a":"x"#, r#"y\"\n"#, r#"""#, "}"],
        ),
        (
            "a string that nobody closed, then another",
            vec![open("$.a", "x"), open("$.b", "y")],
            &[r#"{"a":"x"#, r#"","b":"y"#, r#""}"#],
        ),
        (
            "every kind of value",
            vec![
                string("$.s", "t"),
                json!({ "jsonPath": "$.n", "numberValue": -1.5e3 }),
                json!({ "jsonPath": "$.b", "boolValue": false }),
                json!({ "jsonPath": "$.z", "nullValue": "NULL_VALUE" }),
                json!({ "jsonPath": "$.y", "nullValue": null }),
            ],
            &[
                r#"{"s":"t""#,
                r#","n":-1500.0"#,
                r#","b":false"#,
                r#","z":null"#,
                r#","y":null"#,
                "}",
            ],
        ),
        (
            "nested, and back",
            vec![
                string("$.a[0].b", "1"),
                string("$.a[0].c", "2"),
                string("$.a[1].b", "3"),
                string("$.d", "4"),
            ],
            &[
                r#"{"a":[{"b":"1""#,
                r#","c":"2""#,
                r#"},{"b":"3""#,
                r#"}],"d":"4""#,
                "}",
            ],
        ),
        (
            "lists of lists",
            vec![
                string("$.a[0][0]", "1"),
                string("$.a[0][1]", "2"),
                string("$.a[1][0]", "3"),
            ],
            &[r#"{"a":[["1""#, r#","2""#, r#"],["3""#, "]]}"],
        ),
        (
            "keys in brackets",
            vec![
                string("$['a.b']", "1"),
                string(r#"$["c]"].d"#, "2"),
                string(r"$['\'']", "3"),
            ],
            &[r#"{"a.b":"1""#, r#","c]":{"d":"2""#, r#"},"'":"3""#, "}"],
        ),
        (
            "a value that its last piece repeats",
            vec![
                json!({ "jsonPath": "$.n", "numberValue": 5, "willContinue": true }),
                json!({ "jsonPath": "$.n", "numberValue": 5 }),
                json!({ "jsonPath": "$.n" }),
            ],
            &[r#"{"n":5"#, "", "", "}"],
        ),
        (
            "a place without a value",
            vec![
                json!({ "jsonPath": "$.a", "willContinue": true }),
                string("$.b", "1"),
            ],
            &["", r#"{"b":"1""#, "}"],
        ),
    ];
    for (what, pieces, texts) in table {
        let written = written(&pieces).unwrap_or_else(|| panic!("{what}"));
        assert_eq!(written, texts, "{what}");
        parse_arguments(&written.concat()).unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

#[test]
fn what_text_that_only_grows_cannot_say_is_refused() {
    let table = [
        ("no path", vec![json!({ "stringValue": "x" })]),
        ("not from the root", vec![string("a", "x")]),
        ("the root itself", vec![string("$", "x")]),
        ("a list for arguments", vec![string("$[0]", "x")]),
        ("a path that ends in the middle", vec![string("$.a[", "x")]),
        ("a quote that nobody closes", vec![string("$['a", "x")]),
        ("an index that is none", vec![string("$.a[x]", "x")]),
        (
            "a huge index",
            vec![string("$.a[99999999999999999999]", "x")],
        ),
        (
            "a first element that is not first",
            vec![string("$.a[1]", "x")],
        ),
        (
            "an element that is skipped",
            vec![string("$.a[0]", "x"), string("$.a[2]", "y")],
        ),
        (
            "an element again",
            vec![
                string("$.a[0].b", "x"),
                string("$.a[1].b", "y"),
                string("$.a[0].c", "z"),
            ],
        ),
        (
            "a string behind its end",
            vec![string("$.a", "x"), string("$.a", "y")],
        ),
        (
            "a key again",
            vec![string("$.a", "x"), string("$.b", "y"), string("$.a", "z")],
        ),
        (
            "a container again",
            vec![
                string("$.a.x", "1"),
                string("$.b", "2"),
                string("$.a.y", "3"),
            ],
        ),
        (
            "a value within a value",
            vec![string("$.a", "x"), string("$.a.b", "y")],
        ),
        (
            "a value for a container",
            vec![string("$.a.b", "x"), string("$.a", "y")],
        ),
        (
            "a key in a list",
            vec![string("$.a[0]", "x"), string("$.a.b", "y")],
        ),
        (
            "an element in an object",
            vec![string("$.a.b", "x"), string("$.a[0]", "y")],
        ),
        (
            "a number that is none",
            vec![json!({ "jsonPath": "$.a", "numberValue": "NaN" })],
        ),
        (
            "a truth that is none",
            vec![json!({ "jsonPath": "$.a", "boolValue": "yes" })],
        ),
        (
            "a text that is none",
            vec![json!({ "jsonPath": "$.a", "stringValue": 1 })],
        ),
    ];
    for (what, pieces) in table {
        assert_eq!(written(&pieces), None, "{what}");
    }
}

#[test]
fn all_arguments_come_once() {
    let mut arguments = Arguments::default();
    let mut text = String::new();
    let whole = Json::parse(r#"{"a":1}"#).unwrap();
    assert_eq!(arguments.write_whole(whole, &mut text), Some(()));
    assert_eq!(arguments.write_whole(whole, &mut text), None);
    let piece = string("$.b", "x").to_string();
    assert_eq!(
        arguments.write_piece(Json::parse(&piece).unwrap(), &mut text),
        None
    );
    arguments.finish(&mut text);
    assert_eq!(text, r#"{"a":1}"#);
    let list = Json::parse("[1]").unwrap();
    assert_eq!(Arguments::default().write_whole(list, &mut text), None);
}
