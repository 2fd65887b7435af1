//! Rust → JSON text, piece by piece.
//!
//! Requests are long lists of these calls, so they are kept out of line.

use serde_json::{Map, Value};

use crate::text::number;

/// Writes JSON text. Commas are its business; that every object's members have keys and every value
/// its place is the caller's.
///
/// ```
/// use sluice_agent::text::json::JsonWriter;
///
/// let mut json = JsonWriter::default();
/// json.object(|json| {
///     json.key("model").string("m");
///     json.key("tags").array(|json| {
///         json.string("a").number(0.5);
///     });
/// });
/// assert_eq!(json.into_text(), r#"{"model":"m","tags":["a",0.5]}"#);
/// ```
#[derive(Debug, Default)]
pub struct JsonWriter {
    text: String,
}

impl JsonWriter {
    /// The text so far.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Writes an object; `members` writes its members.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) -> &mut Self {
        self.open('{');
        members(self);
        self.close('}')
    }

    /// Writes an array; `items` writes its elements.
    pub fn array(&mut self, items: impl FnOnce(&mut Self)) -> &mut Self {
        self.open('[');
        items(self);
        self.close(']')
    }

    /// Writes the key of the next value.
    #[inline(never)]
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.string(key);
        self.text.push(':');
        self
    }

    /// Writes a string.
    #[inline(never)]
    pub fn string(&mut self, string: &str) -> &mut Self {
        self.strings(&[string])
    }

    /// Writes several strings as one.
    #[inline(never)]
    pub fn strings(&mut self, strings: &[&str]) -> &mut Self {
        self.open('"');
        for string in strings {
            escape(string, &mut self.text);
        }
        self.text.push('"');
        self
    }

    /// Writes a number; one that JSON cannot hold as `null`.
    #[inline(never)]
    pub fn number(&mut self, number: f64) -> &mut Self {
        self.raw(&number::format(number))
    }

    /// Writes a boolean.
    pub fn boolean(&mut self, boolean: bool) -> &mut Self {
        self.raw(if boolean { "true" } else { "false" })
    }

    /// Writes text that is JSON already.
    #[inline(never)]
    pub fn raw(&mut self, json: &str) -> &mut Self {
        self.separate();
        self.text.push_str(json);
        self
    }

    /// Writes a tree.
    pub fn value(&mut self, value: &Value) -> &mut Self {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(boolean) => self.boolean(*boolean),
            Value::Number(number) => self.number(number.as_f64().unwrap_or_default()),
            Value::String(string) => self.string(string),
            Value::Array(items) => self.array(|json| {
                for item in items {
                    json.value(item);
                }
            }),
            Value::Object(members) => self.map(members),
        }
    }

    /// Writes the tree of an object.
    #[inline(never)]
    pub fn map(&mut self, members: &Map<String, Value>) -> &mut Self {
        self.object(|json| {
            for (key, value) in members {
                json.key(key).value(value);
            }
        })
    }

    #[inline(never)]
    fn open(&mut self, bracket: char) {
        self.separate();
        self.text.push(bracket);
    }

    #[inline(never)]
    fn close(&mut self, bracket: char) -> &mut Self {
        self.text.push(bracket);
        self
    }

    /// No value ends in one of these, and what is opened or named needs no comma.
    fn separate(&mut self) {
        if !self.text.is_empty() && !matches!(self.text.as_bytes().last(), Some(b'{' | b'[' | b':'))
        {
            self.text.push(',');
        }
    }
}

/// The JSON text of a tree.
#[inline(never)]
pub fn to_text(value: &Value) -> String {
    let mut json = JsonWriter::default();
    json.value(value);
    json.into_text()
}

#[inline(never)]
fn escape(string: &str, text: &mut String) {
    let mut rest = string;
    while let Some(at) = rest
        .bytes()
        .position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
    {
        let (plain, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
        text.push_str(plain);
        let special = behind.bytes().next().unwrap_or_default();
        match special {
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(special));
            }
            _ => {
                text.push_str("\\u00");
                for digit in [special >> 4, special & 15] {
                    text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
                }
            }
        }
        rest = behind.get(1..).unwrap_or_default();
    }
    text.push_str(rest);
}
