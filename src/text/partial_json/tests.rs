use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Records the operations, adjacent pieces of one string joined, and builds the view by the side.
#[derive(Default)]
struct Recorder {
    ops: Vec<String>,
    string: Option<String>,
    count: usize,
    builder: ValueBuilder,
}

impl ArgumentSink for Recorder {
    fn apply(&mut self, op: PathOp<'_>) {
        self.count += 1;
        self.builder.apply(op);
        match op {
            PathOp::StartString(part) => self.string = Some(part.to_owned()),
            PathOp::AppendString(part) => self.string.as_mut().unwrap().push_str(part),
            PathOp::EndString => self
                .ops
                .push(format!("String({:?})", self.string.take().unwrap())),
            _ => self.ops.push(format!("{op:?}")),
        }
    }
}

fn view(text: &str) -> Value {
    let mut builder = ValueBuilder::new();
    PartialJson::new().push(text, &mut builder);
    builder.view()
}

/// The operations and the verdict for a text that comes in these pieces.
fn read<'a>(
    pieces: impl IntoIterator<Item = &'a str>,
) -> (Vec<String>, Value, Result<(), JsonError>) {
    let mut parser = PartialJson::new();
    let mut recorder = Recorder::default();
    for piece in pieces {
        parser.push(piece, &mut recorder);
    }
    let verdict = parser.finish(&mut recorder);
    (recorder.ops, recorder.builder.view(), verdict)
}

fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.split("").filter(|piece| !piece.is_empty())
}

/// Whether `later` shows all that `earlier` shows: objects keep their keys with values that grow, arrays keep their
/// elements with a last one that grows, strings get longer at the end, all else stays equal.
fn grows(earlier: &Value, later: &Value) -> bool {
    match (earlier, later) {
        (Value::Object(a), Value::Object(b)) => a
            .iter()
            .all(|(key, value)| b.get(key).is_some_and(|after| grows(value, after))),
        (Value::Array(a), Value::Array(b)) => {
            let Some((last, settled)) = a.split_last() else {
                return true;
            };
            b.starts_with(settled) && b.get(settled.len()).is_some_and(|after| grows(last, after))
        }
        (Value::String(a), Value::String(b)) => b.starts_with(a.as_str()),
        _ => earlier == later,
    }
}

/// Every prefix is read the same whole, in pieces and grown from the prefix before, and the view grows into the last.
fn assert_steady(text: &str) {
    let whole = read([text]);
    assert_eq!(read(characters(text)), whole, "{text:?} by characters");
    for (cut, _) in text.char_indices() {
        let (head, tail) = text.split_at(cut);
        assert_eq!(read([head, tail]), whole, "{head:?} + {tail:?}");
    }
    let mut parser = PartialJson::new();
    let mut builder = ValueBuilder::new();
    let mut earlier = builder.view();
    let mut end = 0;
    for character in characters(text) {
        parser.push(character, &mut builder);
        end += character.len();
        let later = builder.view();
        assert_eq!(view(&text[..end]), later, "prefix {:?}", &text[..end]);
        assert!(
            grows(&earlier, &later),
            "{earlier} to {later} at {:?}",
            &text[..end]
        );
        earlier = later;
    }
    if parser.finish(&mut builder).is_ok() {
        assert_eq!(builder.view(), parse_arguments(text).unwrap());
        assert!(grows(&earlier, &builder.view()));
    }
}

fn nested_arrays(depth: usize) -> String {
    format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn the_view_shows_what_is_known_and_nothing_else() {
    for (prefix, expected) in [
        ("", json!({})),
        ("{", json!({})),
        (r#"{"k"#, json!({})),
        (r#"{"k":"#, json!({})),
        (r#"{"k":""#, json!({"k":""})),
        (r#"{"k":"str\"#, json!({"k":"str"})),
        (r#"{"k":"str\u00e"#, json!({"k":"str"})),
        (r#"{"k":"str\ud83d"#, json!({"k":"str"})),
        (r#"{"k":"str\ud83d\ude0"#, json!({"k":"str"})),
        (r#"{"k":"str\ud83d\ude00"#, json!({"k":"str😀"})),
        (r#"{"k":"a\nb\"#, json!({"k":"a\nb"})),
        (r#"{"a":[-"#, json!({"a":[]})),
        (r#"{"a":[[-"#, json!({"a":[[]]})),
        (r#"{"a":[12"#, json!({"a":[]})),
        (r#"{"a":[12,"#, json!({"a":[12]})),
        (r#"{"a":[12 "#, json!({"a":[12]})),
        (r#"{"a":tru"#, json!({})),
        (r#"{"a":true"#, json!({"a":true})),
        (r#"{"a":{"b":[{"c":"d"#, json!({"a":{"b":[{"c":"d"}]}})),
        (r#""{\"q\":1}"#, json!({})),
        (r#""{\"q\":1}""#, json!({})),
        ("nul", json!({})),
    ] {
        assert_eq!(view(prefix), expected, "{prefix}");
        assert_steady(prefix);
    }
}

#[test]
fn the_operations_are_those_of_the_contract() {
    let mut parser = PartialJson::new();
    let mut ops = Vec::new();
    struct Log<'a>(&'a mut Vec<String>);
    impl ArgumentSink for Log<'_> {
        fn apply(&mut self, op: PathOp<'_>) {
            self.0.push(format!("{op:?}"));
        }
    }
    let pieces = [
        r#"{"a"#,
        r#"b":"x"#,
        r#"y\n"#,
        "\\",
        r#"tz","n":[1"#,
        "2,true",
        r#",null],"s":""#,
        r#"","#,
    ];
    for piece in pieces {
        parser.push(piece, &mut Log(&mut ops));
    }
    let expected = [
        "OpenObject",
        "Key(\"ab\")",
        "StartString(\"x\")",
        "AppendString(\"y\\n\")",
        "AppendString(\"\\tz\")",
        "EndString",
        "Key(\"n\")",
        "OpenArray",
        "Number(\"12\")",
        "True",
        "Null",
        "Close",
        "Key(\"s\")",
        "StartString(\"\")",
        "EndString",
    ];
    assert_eq!(ops, expected);
}

#[test]
fn faulty_strings_and_white_space_are_repaired() {
    for (text, expected) in [
        (r#"{"p":"App\Http"}"#, json!({"p":"App\\Http"})),
        (r#"{"p":"C:\users\é"}"#, json!({"p":"C:\\users\\é"})),
        (r#"{"p":"\u12"}"#, json!({"p":"\\u12"})),
        (r#"{"p":"\u12\n"}"#, json!({"p":"\\u12\n"})),
        (r#"{"p":"\uABCx"}"#, json!({"p":"\\uABCx"})),
        (r#"{"\p":1}"#, json!({"\\p":1})),
        (r#"{"p":"\ud83d"}"#, json!({"p":"\u{FFFD}"})),
        (
            r#"{"p":"\ud83dx\ude00y"}"#,
            json!({"p":"\u{FFFD}x\u{FFFD}y"}),
        ),
        (r#"{"p":"\ud83d\n"}"#, json!({"p":"\u{FFFD}\n"})),
        (r#"{"p":"\ud83d\q"}"#, json!({"p":"\u{FFFD}\\q"})),
        (r#"{"p":"\ud83d\u12"}"#, json!({"p":"\u{FFFD}\\u12"})),
        (r#"{"p":"\ud83d\ud83d\ude00"}"#, json!({"p":"\u{FFFD}😀"})),
        (r#"{"p":"\ud83d\u0041"}"#, json!({"p":"\u{FFFD}A"})),
        ("{\"t\":\"a\nb\tc\"}", json!({"t":"a\nb\tc"})),
        ("{\"t\":\"a\0b\r\"}", json!({"t":"a\0b\r"})),
        (r#"{"r": \n[1,2]\n}"#, json!({"r":[1,2]})),
        (
            r#"\n{\r\t"r"\n:\n1\n,\n"s"\n:true\n}\n"#,
            json!({"r":1,"s":true}),
        ),
    ] {
        assert_eq!(parse_arguments(text), Ok(expected), "{text}");
        assert_steady(text);
    }
}

#[test]
fn text_that_is_right_is_read_as_it_is() {
    for text in [
        "{\n \"t\": \"a\\\\n b\\n\"\n}",
        "{}",
        " \t\r\n{ } \n",
        r#"{"a":[],"b":{},"":null}"#,
        r#"{"a":[{"b":[[1,-2.5e-3],"x"]},false]}"#,
        r#"{"e":"\"\\\/\b\f\n\r\t\u0041\u00e9\uFFFF\ud83d\uDE00"}"#,
        r#"{"\u0061\n":"好🙂"}"#,
        "{\"del\":\"\u{7f}\u{2028}\u{feff}\"}",
    ] {
        assert_eq!(
            parse_arguments(text),
            Ok(serde_json::from_str(text).unwrap()),
            "{text}"
        );
        assert_steady(text);
    }
}

#[test]
fn nothing_and_null_are_an_empty_object() {
    for text in ["", " \n", r"\n", "null", " null\n", r#""""#, r#"" null ""#] {
        assert_eq!(parse_arguments(text), Ok(json!({})), "{text:?}");
        assert_steady(text);
    }
    assert_eq!(read([""]).0, ["OpenObject", "Close"]);
}

#[test]
fn an_object_that_was_encoded_twice_is_unwrapped_once() {
    let inner = r#"{"q":1,"s":"a\"b\\c\né"}"#;
    let twice = serde_json::to_string(inner).unwrap();
    assert_eq!(parse_arguments(&twice), Ok(json!({"q":1,"s":"a\"b\\c\né"})));
    assert_steady(&twice);
    assert_eq!(
        read([r#""{\"q\":1}""#]).0,
        [
            "Reset",
            "OpenObject",
            "Key(\"q\")",
            "Number(\"1\")",
            "Close"
        ]
    );

    let thrice = serde_json::to_string(&twice).unwrap();
    assert_eq!(
        parse_arguments(&thrice).unwrap_err().kind,
        JsonErrorKind::NotAnObject
    );
    let error = parse_arguments(r#""{\"q\":1""#).unwrap_err();
    assert_eq!(
        error,
        JsonError {
            offset: 6,
            kind: JsonErrorKind::Truncated
        }
    );
    assert_eq!(
        parse_arguments(r#""{\"q\":1}"#).unwrap_err().kind,
        JsonErrorKind::Truncated
    );
}

#[test]
fn faulty_text_is_an_error_with_its_place() {
    use JsonErrorKind::*;
    for (text, offset, kind) in [
        // Cut short.
        ("{", 1, Truncated),
        (r#"{"a":1"#, 6, Truncated),
        (r#"{"a":"b\"#, 8, Truncated),
        ("nul", 3, Truncated),
        (r"{}\", 3, Truncated),
        (r"\", 1, Truncated),
        (r#""{}"\"#, 5, Truncated),
        // Not an object.
        ("[1]", 0, NotAnObject),
        (" 12", 1, NotAnObject),
        ("true", 0, NotAnObject),
        (r#""hello""#, 0, UnexpectedCharacter),
        (r#""[1]""#, 0, NotAnObject),
        // The beginning is missing.
        (r#"q":1}"#, 0, UnexpectedCharacter),
        // Something follows.
        ("{} x", 3, TrailingCharacters),
        ("{}{}", 2, TrailingCharacters),
        (r"{}\x", 2, TrailingCharacters),
        ("null 1", 5, TrailingCharacters),
        // Commas, colons, quotes and brackets.
        (r#"{"a":1,}"#, 7, UnexpectedCharacter),
        (r#"{"a":[1,]}"#, 8, UnexpectedCharacter),
        (r#"{,"a":1}"#, 1, UnexpectedCharacter),
        (r#"{"a":[,1]}"#, 6, UnexpectedCharacter),
        (r#"{"a" 1}"#, 5, UnexpectedCharacter),
        (r#"{"a":1 "b":2}"#, 7, UnexpectedCharacter),
        (r#"{"a":[1}"#, 7, UnexpectedCharacter),
        (r#"{"a":{]}"#, 6, UnexpectedCharacter),
        (r#"{"a":}"#, 5, UnexpectedCharacter),
        (r#"{a:1}"#, 1, UnexpectedCharacter),
        (r#"{'a':1}"#, 1, UnexpectedCharacter),
        (r#"{"a":\x1}"#, 5, UnexpectedCharacter),
        (r#"{"a":\\n1}"#, 5, UnexpectedCharacter),
        ("{\u{a0}}", 1, UnexpectedCharacter),
        ("\u{feff}{}", 0, UnexpectedCharacter),
        // Literals.
        (r#"{"a":tru}"#, 8, UnexpectedCharacter),
        (r#"{"a":truex}"#, 9, UnexpectedCharacter),
        (r#"{"a":NaN}"#, 5, UnexpectedCharacter),
        // Numbers.
        (r#"{"a":01}"#, 5, InvalidNumber),
        (r#"{"a":-01}"#, 5, InvalidNumber),
        (r#"{"a":+1}"#, 5, UnexpectedCharacter),
        (r#"{"a":.5}"#, 5, UnexpectedCharacter),
        (r#"{"a":1.}"#, 5, InvalidNumber),
        (r#"{"a":1.e5}"#, 5, InvalidNumber),
        (r#"{"a":-}"#, 5, InvalidNumber),
        (r#"{"a":-.5}"#, 5, InvalidNumber),
        (r#"{"a":1e}"#, 5, InvalidNumber),
        (r#"{"a":1e+}"#, 5, InvalidNumber),
        (r#"{"a":1-2}"#, 5, InvalidNumber),
        (r#"{"a":1.2.3}"#, 5, InvalidNumber),
        (r#"{"a":1e5e5}"#, 5, InvalidNumber),
        (r#"{"a":1e400}"#, 5, NumberOutOfRange),
        (r#"{"a":-1E999}"#, 5, NumberOutOfRange),
    ] {
        assert_eq!(
            parse_arguments(text),
            Err(JsonError { offset, kind }),
            "{text}"
        );
        assert_steady(text);
    }
}

#[test]
fn after_an_error_the_view_stays() {
    let mut parser = PartialJson::new();
    let mut builder = ValueBuilder::new();
    for piece in [r#"{"a":"b","c":[1,"#, r#"]"#, r#","d":2}"#, "{}"] {
        parser.push(piece, &mut builder);
    }
    let error = JsonError {
        offset: 16,
        kind: JsonErrorKind::UnexpectedCharacter,
    };
    assert!(!parser.is_complete());
    assert_eq!(parser.finish(&mut builder), Err(error));
    assert_eq!(parser.finish(&mut builder), Err(error));
    assert_eq!(builder.view(), json!({"a":"b","c":[1]}));
}

#[test]
fn finishing_twice_changes_nothing() {
    for text in ["", r#"{"a":1}"#, r#""{\"a\":1}""#] {
        let mut parser = PartialJson::new();
        let mut recorder = Recorder::default();
        parser.push(text, &mut recorder);
        assert_eq!(parser.finish(&mut recorder), Ok(()));
        let count = recorder.count;
        assert_eq!(parser.finish(&mut recorder), Ok(()));
        assert_eq!(recorder.count, count);
    }
}

#[test]
fn empty_and_complete_are_known_while_streaming() {
    let mut parser = PartialJson::new();
    let mut builder = ValueBuilder::new();
    for (piece, empty, complete) in [
        ("", true, false),
        (" ", true, false),
        ("{", false, false),
        ("\"a\":[1]", false, false),
        ("}", false, true),
        ("\n", false, true),
        ("x", false, false),
    ] {
        parser.push(piece, &mut builder);
        assert_eq!(
            (parser.is_empty(), parser.is_complete()),
            (empty, complete),
            "{piece:?}"
        );
    }
}

#[test]
fn numbers_follow_json_parse() {
    for (number, printed) in [
        ("0", "0"),
        ("-0", "-0.0"),
        ("-0.0e5", "-0.0"),
        ("3", "3"),
        ("-3", "-3"),
        ("3.0", "3"),
        ("1e3", "1000"),
        ("150e-1", "15"),
        ("0.5", "0.5"),
        ("-2.5e-3", "-0.0025"),
        ("999999999999999", "999999999999999"),
        ("9007199254740991", "9007199254740991"),
        ("9007199254740992", "9007199254740992"),
        ("9007199254740993", "9007199254740992"),
        ("-9007199254740993", "-9007199254740992"),
        ("9223372036854775807", "9223372036854775808"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709551615", "1.8446744073709552e+19"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"),
        ("0.1000000000000000055511151231257827", "0.1"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("1e-999", "0"),
        ("5e-324", "5e-324"),
    ] {
        let value = parse_arguments(&format!("{{\"n\":{number}}}")).unwrap();
        assert_eq!(value["n"].to_string(), printed, "{number}");
        let nearest: f64 = number.parse().unwrap();
        assert_eq!(
            value["n"].as_f64().map(f64::to_bits),
            Some(nearest.to_bits()),
            "{number}"
        );
        assert_steady(&format!("{{\"n\":[{number},{number}]}}"));
    }
    let long = format!("{{\"n\":{}}}", "9".repeat(400));
    assert_eq!(
        parse_arguments(&long).unwrap_err().kind,
        JsonErrorKind::NumberOutOfRange
    );
}

#[test]
fn deep_nesting_is_an_error_not_an_overflow() {
    assert!(parse_arguments(&nested_arrays(MAX_DEPTH - 1)).is_ok());
    let error = parse_arguments(&nested_arrays(MAX_DEPTH)).unwrap_err();
    assert_eq!(
        error,
        JsonError {
            offset: 5 + MAX_DEPTH - 1,
            kind: JsonErrorKind::TooDeep
        }
    );
    assert_eq!(
        parse_arguments(&nested_arrays(20_000)).unwrap_err().kind,
        JsonErrorKind::TooDeep
    );
    assert_eq!(
        parse_arguments(&"[".repeat(20_000)).unwrap_err().kind,
        JsonErrorKind::NotAnObject
    );
    assert_eq!(
        parse_arguments(&r#"{"a":"#.repeat(20_000))
            .unwrap_err()
            .kind,
        JsonErrorKind::TooDeep
    );
}

#[test]
fn proto_is_an_ordinary_key_and_the_last_of_two_keys_wins() {
    let value = parse_arguments(r#"{"__proto__":{"admin":true},"a":1}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"__proto__":{"admin":true},"a":1}"#);
    let value = parse_arguments(r#"{"a":[1],"b":2,"a":{"c":"x"}}"#).unwrap();
    assert_eq!(value, json!({"a":{"c":"x"},"b":2}));
    assert_eq!(view(r#"{"a":1,"a":"x"#), json!({"a":"x"}));
    assert_eq!(view(r#"{"a":1,"a""#), json!({"a":1}));
}

#[test]
fn a_long_string_costs_one_operation_per_piece_and_no_memory() {
    let piece = "0123456789abcdef0123456789abcde\\n";
    for (pieces, prefix) in [
        (4_096, "{\"s\":\""),
        (8_192, "{\"s\":\""),
        (8_192, "{\"deep\":[{\"s\":\""),
    ] {
        let mut parser = PartialJson::new();
        let mut recorder = Recorder::default();
        parser.push(prefix, &mut recorder);
        let before = recorder.count;
        for _ in 0..pieces {
            parser.push(piece, &mut recorder);
            assert!(parser.held() <= 64);
        }
        assert_eq!(recorder.count - before, pieces);
        assert_eq!(recorder.string.as_ref().map(String::len), Some(pieces * 32));
    }
}

#[test]
fn many_small_values_cost_one_operation_each() {
    let mut parser = PartialJson::new();
    let mut recorder = Recorder::default();
    parser.push("{\"a\":[0", &mut recorder);
    for _ in 0..8_192 {
        parser.push(",123456789,true,{\"k\":[]},-1.5e3,", &mut recorder);
        parser.push("0", &mut recorder);
        assert!(parser.held() <= 64);
    }
    parser.push("]}", &mut recorder);
    assert_eq!(parser.finish(&mut recorder), Ok(()));
    assert_eq!(recorder.count, 3 + 1 + 8_192 * 9 + 2);
}

#[test]
fn a_builder_ignores_what_no_parser_emits() {
    let mut builder = ValueBuilder::new();
    for op in [
        PathOp::Close,
        PathOp::EndString,
        PathOp::AppendString("x"),
        PathOp::Key("k"),
    ] {
        builder.apply(op);
    }
    assert_eq!(builder.view(), json!({}));
    for op in [
        PathOp::OpenObject,
        PathOp::True,
        PathOp::OpenArray,
        PathOp::Key("k"),
        PathOp::Number("?"),
    ] {
        builder.apply(op);
    }
    assert_eq!(builder.into_value(), json!({}));
}

fn json_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-z\"\\\\/\n\t\u{0}é好🙂]{0,8}", any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-(1_i64 << 53)..=1 << 53).prop_map(Value::from),
        prop::num::f64::NORMAL
            .prop_filter("integers print otherwise", |n| n.fract() != 0.0)
            .prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-z\\\\\"é]{0,4}", json_value(), 0..5)
        .prop_map(|map| Value::Object(map.into_iter().collect()))
}

/// All beyond ASCII as `\u` escapes, which other encoders write.
fn escaped(text: &str) -> String {
    let mut units = [0; 2];
    let escape = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => c
            .encode_utf16(&mut units)
            .iter()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect(),
    };
    text.chars().map(escape).collect()
}

/// JSON with single characters left out, doubled or replaced, and free mixtures of its tokens.
fn broken() -> impl Strategy<Value = String> {
    let tokens = vec![
        "{", "}", "[", "]", ":", ",", "\"", "a", "\"a\"", "\"a\":", "1", "0", "-", ".", "e",
        "true", "null", " ", "\n", "é",
    ];
    let mixture = prop::collection::vec(prop::sample::select(tokens.clone()), 0..16);
    let edited = (
        arguments(),
        any::<prop::sample::Index>(),
        prop::sample::select(tokens),
        0_usize..2,
    );
    prop_oneof![
        mixture.prop_map(|tokens| format!("{{\"k\":{}}}", tokens.concat())),
        edited.prop_map(|(value, at, token, removed)| {
            let mut characters: Vec<String> = value.to_string().chars().map(String::from).collect();
            let at = at.index(characters.len());
            characters.splice(at..at + removed, [token.to_owned()]);
            characters.concat()
        }),
    ]
}

fn cut<'a>(text: &'a str, sizes: &[usize]) -> Vec<&'a str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    for size in sizes {
        let at = rest
            .char_indices()
            .nth(*size)
            .map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// Equal up to the last digits of a float, which serde_json reads less exactly than the parser.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= a.abs() * 1e-15
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => ours == theirs,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn complete_documents_come_back_as_they_were(value in arguments(), sizes in prop::collection::vec(0_usize..9, 0..40)) {
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let twice = serde_json::to_string(&pretty).unwrap();
        for text in [value.to_string(), escaped(&value.to_string()), pretty, twice] {
            prop_assert_eq!(parse_arguments(&text), Ok(value.clone()), "{}", text);
            prop_assert_eq!(read(cut(&text, &sizes)), read([&text[..]]), "{}", text);
        }
    }

    #[test]
    fn broken_documents_are_accepted_and_refused_as_serde_json_does(text in broken()) {
        let ours = parse_arguments(&text);
        let theirs = serde_json::from_str::<Value>(&text);
        let repaired = text.contains('\\') || text.chars().any(|c| c < ' ');
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => prop_assert!(same(ours, theirs), "{}: {} {}", text, ours, theirs),
            (Err(error), Ok(theirs)) => {
                prop_assert!(!theirs.is_object() || error.kind == JsonErrorKind::TooDeep, "{}: {}", text, error);
            }
            (Ok(_), Err(error)) => prop_assert!(repaired, "{}: {}", text, error),
            (Err(_), Err(_)) => {}
        }
        prop_assert_eq!(read(characters(&text)), read([&text[..]]), "{}", text);
    }

    #[test]
    fn any_text_is_read_without_panic_and_the_same_in_any_cuts(
        text in r#"[{}\[\]:,"\\untrDdd83CcEe01 \-.a\né🙂]{0,40}"#,
        opened in any::<bool>(),
    ) {
        let text = if opened { format!("{{\"k\":\"{text}") } else { text };
        prop_assert_eq!(read(characters(&text)), read([&text[..]]), "{}", text);
    }
}

proptest! {
    // Each case looks at the whole view once per character.
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_prefix_grows_into_the_next(value in arguments()) {
        assert_steady(&value.to_string());
    }
}
