//! A value built by operations.
//!
//! Owns the native mirror of what the page builds from the same operations, and the number rule. Refuses to
//! judge: a sequence that no parser emits is ignored, never a panic.
//!
//! Numbers follow `JSON.parse`: each takes the value of the nearest `f64`. One without a fraction is kept as an
//! integer where 64 bits hold it, so `3` and `3.0` both print as `3`, and 9007199254740993 reads as
//! 9007199254740992. Only `-0` stays a float, since no integer has its sign.
//!
//! ```
//! use sluice_agent::text::partial_json::{PathOp, ValueBuilder};
//!
//! let mut builder = ValueBuilder::new();
//! for op in [PathOp::OpenObject, PathOp::Key("q"), PathOp::StartString("ne")] {
//!     builder.apply(op);
//! }
//! assert_eq!(builder.view().to_string(), r#"{"q":"ne"}"#);
//! builder.apply(PathOp::AppendString("ws"));
//! assert_eq!(builder.view().to_string(), r#"{"q":"news"}"#);
//! ```

use serde_json::{Map, Number, Value};

use super::ops::{ArgumentSink, PathOp};

/// Builds a [`Value`] from operations; it can be looked at between any two of them.
#[derive(Debug, Default)]
pub struct ValueBuilder {
    root: Option<Value>,
    open: Vec<Open>,
    /// The string value that has begun and not ended.
    string: Option<String>,
}

/// A container that has been opened and not closed.
#[derive(Debug, Clone)]
enum Open {
    Object {
        members: Map<String, Value>,
        key: Option<String>,
    },
    Array(Vec<Value>),
}

impl Open {
    fn place(&mut self, value: Value) {
        match self {
            Self::Object { members, key } => {
                if let Some(key) = key.take() {
                    members.insert(key, value);
                }
            }
            Self::Array(items) => items.push(value),
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Object { members, .. } => Value::Object(members),
            Self::Array(items) => Value::Array(items),
        }
    }
}

impl ValueBuilder {
    /// A builder whose view is an empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Carries out one operation.
    pub fn apply(&mut self, op: PathOp<'_>) {
        match op {
            PathOp::OpenObject => self.open.push(Open::Object {
                members: Map::new(),
                key: None,
            }),
            PathOp::OpenArray => self.open.push(Open::Array(Vec::new())),
            PathOp::Key(name) => {
                if let Some(Open::Object { key, .. }) = self.open.last_mut() {
                    *key = Some(name.to_owned());
                }
            }
            PathOp::StartString(part) => self.string = Some(part.to_owned()),
            PathOp::AppendString(part) => {
                if let Some(string) = &mut self.string {
                    string.push_str(part);
                }
            }
            PathOp::EndString => {
                if let Some(string) = self.string.take() {
                    self.place(Value::String(string));
                }
            }
            PathOp::Number(text) => self.place(number_value(text)),
            PathOp::True => self.place(Value::Bool(true)),
            PathOp::False => self.place(Value::Bool(false)),
            PathOp::Null => self.place(Value::Null),
            PathOp::Close => {
                if let Some(container) = self.open.pop() {
                    self.place(container.into_value());
                }
            }
            PathOp::Reset => *self = Self::default(),
        }
    }

    /// What is known so far, open containers and strings included.
    pub fn view(&self) -> Value {
        let open = self.open.iter().rev().cloned();
        let string = self.string.clone().map(Value::String);
        nest(open, string)
            .or_else(|| self.root.clone())
            .unwrap_or_else(empty)
    }

    /// The same value as [`view`](Self::view), without a copy.
    pub fn into_value(self) -> Value {
        let string = self.string.map(Value::String);
        nest(self.open.into_iter().rev(), string)
            .or(self.root)
            .unwrap_or_else(empty)
    }

    fn place(&mut self, value: Value) {
        match self.open.last_mut() {
            Some(container) => container.place(value),
            None => self.root = Some(value),
        }
    }
}

impl ArgumentSink for ValueBuilder {
    fn apply(&mut self, op: PathOp<'_>) {
        Self::apply(self, op);
    }
}

/// Puts each container, innermost first, into the one around it.
fn nest(open: impl Iterator<Item = Open>, innermost: Option<Value>) -> Option<Value> {
    open.fold(innermost, |inner, mut container| {
        if let Some(value) = inner {
            container.place(value);
        }
        Some(container.into_value())
    })
}

fn empty() -> Value {
    Value::Object(Map::new())
}

/// Reads number text as `JSON.parse` does.
pub(in crate::text) fn number_value(text: &str) -> Value {
    let nearest = crate::text::number::parse(text);
    if nearest.fract() != 0.0 || (nearest == 0.0 && nearest.is_sign_negative()) {
        return Number::from_f64(nearest).map_or(Value::Null, Value::Number);
    }
    const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
    const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;
    if (-TWO_POW_63..TWO_POW_63).contains(&nearest) {
        Value::from(nearest as i64)
    } else if (0.0..TWO_POW_64).contains(&nearest) {
        Value::from(nearest as u64)
    } else {
        Number::from_f64(nearest).map_or(Value::Null, Value::Number)
    }
}
