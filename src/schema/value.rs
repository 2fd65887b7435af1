//! JSON values as JSON Schema sees them: types, equality, divisibility.

use serde_json::{Number, Value};

use crate::text::number;

/// A set of the seven JSON Schema types. An integral number is both `INTEGER` and `NUMBER`.
pub(super) type Types = u8;

pub(super) const NULL: Types = 1;
pub(super) const BOOLEAN: Types = 2;
pub(super) const INTEGER: Types = 4;
pub(super) const NUMBER: Types = 8;
pub(super) const STRING: Types = 16;
pub(super) const ARRAY: Types = 32;
pub(super) const OBJECT: Types = 64;
pub(super) const ANY: Types = 127;

const NAMES: [(&str, Types); 7] = [
    ("string", STRING),
    ("integer", INTEGER),
    ("number", NUMBER),
    ("boolean", BOOLEAN),
    ("array", ARRAY),
    ("object", OBJECT),
    ("null", NULL),
];

/// The types `value` belongs to.
pub(super) fn types_of(value: &Value) -> Types {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::Number(number) if is_integral(number) => INTEGER | NUMBER,
        Value::Number(_) => NUMBER,
        Value::String(_) => STRING,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
    }
}

/// What the value of a `type` keyword allows; `None` if it is not one the standard knows.
pub(super) fn parse_types(keyword: &Value) -> Option<Types> {
    match keyword {
        Value::String(name) => NAMES
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, types)| *types),
        Value::Array(list) => list
            .iter()
            .try_fold(0, |all, item| Some(all | parse_types(item)?)),
        _ => None,
    }
}

/// The names of a set: `"integer or null"`.
pub(super) fn type_names(types: Types) -> String {
    let mut text = String::new();
    for (name, bit) in NAMES {
        if types & bit != 0 {
            if !text.is_empty() {
                text.push_str(" or ");
            }
            text.push_str(name);
        }
    }
    text
}

/// True for 3 and 3.0.
pub(super) fn is_integral(number: &Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// JSON Schema equality: numbers by their mathematical value, objects without order.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            a.as_f64() == b.as_f64()
        }
        (Value::Number(a), Value::Number(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| equal(a, b)))
        }
        _ => false,
    }
}

/// Whether `number` is a multiple of `divisor`. A quotient of two doubles counts as an integer
/// when it is one within the rounding error of the operands: 0.0075 is a multiple of 0.0001.
pub(super) fn is_multiple(number: &Number, divisor: &Number) -> bool {
    if let (Some(number), Some(divisor)) = (number.as_i64(), divisor.as_i64()) {
        return number.checked_rem(divisor).is_none_or(|rest| rest == 0);
    }
    let (Some(number), Some(divisor)) = (number.as_f64(), divisor.as_f64()) else {
        return true;
    };
    let quotient = number / divisor;
    (quotient - quotient.round_ties_even()).abs() <= quotient.abs() * 2.0 * f64::EPSILON
        && quotient.is_finite()
}

/// The tokens of a JSON pointer, unescaped.
pub(super) fn tokens(pointer: &str) -> impl Iterator<Item = String> {
    let mut pieces = pointer.split('/');
    // Before the first slash stands nothing.
    pieces.next();
    pieces.map(|token| {
        let mut text = String::new();
        for (index, piece) in token.split('~').enumerate() {
            // Behind a tilde stands the digit that says what it escapes.
            text.push_str(match (index, piece.as_bytes().first()) {
                (0, _) => "",
                (_, Some(b'1')) => "/",
                _ => "~",
            });
            text.push_str(piece.get(usize::from(index > 0)..).unwrap_or_default());
        }
        text
    })
}

/// What a JSON pointer points to.
pub(crate) fn at_pointer<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    let mut found = root;
    for token in tokens(pointer) {
        found = match found {
            Value::Object(members) => members.get(&token)?,
            Value::Array(items) => items.get(number::index(&token)?)?,
            _ => return None,
        };
    }
    Some(found)
}
