use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{FromJson, Json, MAX_DEPTH, Names, Reader, from_text};

fn value_of(text: &str) -> Option<Value> {
    Json::parse(text).ok().map(Json::to_value)
}

#[test]
fn every_kind_of_value_is_read_as_it_stands() {
    for text in [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "12",
        "-1.5e-3",
        r#""""#,
        r#""a\"b\\c\/\b\f\n\r\t""#,
        "[]",
        "{}",
        "[1,[2,[]],{}]",
        r#"{"a":{"b":[null,true]},"c":"}]"}"#,
        " \t\r\n [ 1 , 2 ] \n",
        r#""\ud83d\ude42""#,
        r#""ü🙂""#,
    ] {
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(value_of(text), Some(expected), "{text}");
    }
}

#[test]
fn text_that_is_not_json_is_refused_where_it_breaks() {
    for (text, offset) in [
        ("", 0),
        ("  ", 2),
        ("[1,]", 3),
        ("{,}", 1),
        (r#"{"a"}"#, 4),
        (r#"{"a":}"#, 5),
        (r#"{"a":1,}"#, 7),
        ("[1 2]", 3),
        ("01", 1),
        ("1.", 2),
        ("-", 1),
        ("+1", 0),
        ("nul", 0),
        ("truex", 4),
        (r#""open"#, 0),
        ("[}", 1),
        ("{]", 1),
        ("1 1", 2),
    ] {
        assert_eq!(
            Json::parse(text).map_err(|error| error.offset),
            Err(offset),
            "{text}"
        );
    }
}

#[test]
fn strings_that_providers_write_are_read_though_json_forbids_them() {
    for (text, expected) in [
        (r#""App\Http""#, "App\\Http"),
        ("\"a\nb\tc\"", "a\nb\tc"),
        (r#""\ud83d""#, "\u{FFFD}"),
        (r#""\ude42x""#, "\u{FFFD}x"),
        (r#""\ud83d\n""#, "\u{FFFD}\n"),
        (r#""\u12""#, "\\u12"),
        (r#""\u12zz""#, "\\u12zz"),
        (r#""\ü""#, "\\ü"),
    ] {
        assert_eq!(value_of(text), Some(json!(expected)), "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Json::parse(&nested(MAX_DEPTH)).is_ok());
    assert!(Json::parse(&nested(MAX_DEPTH + 1)).is_err());
    assert!(Json::parse(&nested(100_000)).is_err());
}

#[test]
fn members_are_found_whatever_stands_before_them() {
    let object =
        Json::parse(r#"{ "a":"}\"]", "b" : {"c":[1,{"d":2}]}, "\u0065" : null, "f":3 }"#).unwrap();
    assert_eq!(
        object.get("b").map(Json::text),
        Some(r#"{"c":[1,{"d":2}]}"#)
    );
    assert_eq!(object.get("e"), None);
    assert_eq!(object.get("f").and_then(Json::as_f64), Some(3.0));
    let keys: Vec<_> = object.members().map(|(key, _)| key.into_owned()).collect();
    assert_eq!(keys, ["a", "b", "e", "f"]);
    assert_eq!(Json::parse("[1]").unwrap().members().count(), 0);
    assert_eq!(Json::parse("{}").unwrap().items().count(), 0);
}

#[test]
fn errors_name_the_path_and_what_was_expected() {
    struct Person;
    impl FromJson for Person {
        fn from_json(reader: &mut Reader<'_>) -> Self {
            reader.field::<String>("name");
            reader.optional::<Vec<f64>>("sizes");
            Self
        }
    }
    let problem = |text| from_text::<Vec<Person>>(text).err().unwrap();
    assert_eq!(
        problem(r#"[{"name":"a"},{}]"#),
        "[1].name must be a string, but is missing"
    );
    assert_eq!(
        problem(r#"[{"name":1}]"#),
        "[0].name must be a string, but is the number 1"
    );
    assert_eq!(
        problem(r#"[{"name":"a","sizes":[1,"2"]}]"#),
        "[0].sizes[1] must be a number, but is the string \"2\""
    );
    assert_eq!(
        problem("{}"),
        "the value must be an array, but is an object"
    );
}

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_document_is_read_as_by_a_full_parser(document in documents(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&document) } else { serde_json::to_string(&document) };
        let text = text.unwrap();
        prop_assert_eq!(value_of(&text), value_of(&document.to_string()));
        let read = value_of(&text).unwrap();
        // Integral floats become integers, as JavaScript has no others.
        prop_assert_eq!(read.to_string().replace(".0", ""), document.to_string().replace(".0", ""));
    }

    #[test]
    fn what_is_refused_by_a_full_parser_is_refused(document in documents(), at in any::<prop::sample::Index>(), byte in "[ -~]") {
        let mut text = document.to_string();
        let at = (0..=at.index(text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        text.insert_str(at, &byte);
        let strict: Result<Value, _> = serde_json::from_str(&text);
        // Beyond the grammar of strings and the range of numbers, both agree.
        let in_range = !strict.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        if !text.contains('\\') && in_range {
            prop_assert_eq!(Json::parse(&text).is_ok(), strict.is_ok(), "{}", text);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:\\\\u0-9a-f \n-]{0,40}") {
        if let Ok(json) = Json::parse(&text) {
            json.to_value();
        }
    }
}

#[test]
fn names_are_those_of_the_declarations() {
    fn check<T: Names + serde::Serialize>() {
        for variant in T::VARIANTS {
            let declared = serde_json::to_value(variant).unwrap();
            assert_eq!(declared, variant.json_name());
        }
    }
    check::<crate::message::StopReason>();
    check::<crate::error::ErrorCode>();
    check::<crate::event::AgentEndReason>();
    check::<crate::model::ThinkingLevel>();
}

#[test]
fn members_keep_their_order_however_many_there_are() {
    for count in [1, 24, 25, 26, 1000] {
        // Each once, in an order that is none.
        let keys: Vec<String> = (0..count).map(|n| (n * 617 % count).to_string()).collect();
        let mut map = Map::new();
        for (place, key) in keys.iter().enumerate() {
            assert_eq!(map.insert(key.clone(), Value::from(place)), None);
        }
        for (place, key) in keys.iter().enumerate() {
            let doubled = Value::from(place * 2);
            assert_eq!(map.insert(key.clone(), doubled.clone()), Some(place.into()));
            assert_eq!(map.get(key), Some(&doubled));
        }
        assert!(map.keys().eq(&keys));
        assert!(!map.contains_key("none"));
        let mut rest = keys;
        while !rest.is_empty() {
            let key = rest.remove(rest.len() / 2);
            assert!(map.shift_remove(&key).is_some());
            assert!(!map.contains_key(&key));
            assert!(rest.first().is_none_or(|first| map.contains_key(first)));
        }
        assert!(map.is_empty());
    }
}
