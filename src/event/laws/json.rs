//! How JSON values that stream in may change.

use serde_json::Value;

/// Whether `next` shows all that `previous` shows: objects keep their keys with values that grow,
/// arrays keep their items with a last one that grows, strings get longer at the end, all else
/// stays equal. Numbers are compared as JavaScript compares them.
pub fn grows(previous: &Value, next: &Value) -> bool {
    match (previous, next) {
        (Value::Object(a), Value::Object(b)) => a
            .iter()
            .all(|(key, value)| b.get(key).is_some_and(|after| grows(value, after))),
        (Value::Array(a), Value::Array(b)) => {
            let Some((last, settled)) = a.split_last() else {
                return true;
            };
            b.len() >= a.len()
                && settled.iter().zip(b).all(|(a, b)| same_json(a, b))
                && b.get(settled.len()).is_some_and(|after| grows(last, after))
        }
        (Value::String(a), Value::String(b)) => b.starts_with(a.as_str()),
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => previous == next,
    }
}

/// Whether two values are the same to JavaScript, in which `3` and `3.0` are one number.
pub fn same_json(a: &Value, b: &Value) -> bool {
    grows(a, b) && grows(b, a)
}
