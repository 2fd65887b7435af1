//! JSON text, read in place.
//!
//! [`Json`] is a value that stays the text it is: it is checked once, as a whole, and then looked
//! into without a copy. [`FromJson`] makes Rust types of it, with errors that name the path. This is
//! how everything is read that comes from a provider or a page: a parser generated per type costs
//! several times the size of all this in the shipped module, and a tree of values several times its
//! time per delta.
//!
//! It reads what JSON allows and, within strings, what providers write all the same: raw control
//! characters, and escapes that JSON does not know (they keep their backslash). Half of a surrogate
//! pair becomes U+FFFD. Nothing here recurses deeper than [`MAX_DEPTH`].
//!
//! ```
//! use sluice_agent::text::json::Json;
//!
//! let chunk = Json::parse(r#"{"choices":[{"delta":{"content":"Hi"}}]}"#)?;
//! let choice = chunk.get("choices").and_then(|choices| choices.items().next());
//! let text = choice.and_then(|choice| choice.get("delta")?.get("content")?.as_str());
//! assert_eq!(text.as_deref(), Some("Hi"));
//! # Ok::<(), sluice_agent::text::json::SyntaxError>(())
//! ```

mod check;
mod pull;
mod read;
mod write;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::escape::Escape;
use super::number;
use super::partial_json::number_value;
use super::scan::position_of_either;

pub use pull::Pull;
pub(crate) use read::read_names;
pub use read::{FromJson, Names, Reader, from_text};
pub use write::{JsonWriter, to_text};

/// Containers that may be open at once.
pub const MAX_DEPTH: usize = 128;

/// The text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is not JSON, or nested deeper than {MAX_DEPTH} levels (at byte {offset})")]
pub struct SyntaxError {
    /// Bytes from the start of the text to the place of the error.
    pub offset: usize,
}

/// Whether the text is one JSON value.
pub(super) fn is_valid(text: &str) -> bool {
    check::check(text).is_ok()
}

/// One valid JSON value, as its text without white space around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

impl<'a> Json<'a> {
    /// Takes a text that is one JSON value.
    ///
    /// # Errors
    /// Where the text breaks the grammar.
    #[inline(never)]
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        check::check(text).map_err(|offset| SyntaxError { offset })?;
        Ok(Self(text.trim_ascii()))
    }

    /// The text itself.
    pub fn text(self) -> &'a str {
        self.0
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.first() == Some(b'{')
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        self.first() == Some(b'[')
    }

    /// Whether it is a string.
    pub fn is_string(self) -> bool {
        self.first() == Some(b'"')
    }

    /// The boolean that it is.
    pub fn as_bool(self) -> Option<bool> {
        match self.0 {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The number that it is, as `JSON.parse` reads it.
    #[inline(never)]
    pub fn as_f64(self) -> Option<f64> {
        self.is_number().then(|| number::parse(self.0))
    }

    /// The string that it is. Copied only if it has escapes.
    #[inline(never)]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        if !self.is_string() {
            return None;
        }
        Some(unescaped(self.0.get(1..self.0.len() - 1)?))
    }

    /// The members of an object, in order; none of anything else.
    pub fn members(self) -> Members<'a> {
        Members(self.inside(b'{'))
    }

    /// The elements of an array, in order; none of anything else.
    pub fn items(self) -> Items<'a> {
        Items(self.inside(b'['))
    }

    /// A member of an object that is there and not `null`.
    #[inline(never)]
    pub fn get(self, key: &str) -> Option<Json<'a>> {
        for (name, value) in self.members() {
            if name == key {
                return Some(value).filter(|value| !value.is_null());
            }
        }
        None
    }

    /// A copy as a tree.
    #[inline(never)]
    pub fn to_value(self) -> Value {
        match self.0.as_bytes().first() {
            Some(b'{') => Value::Object(self.to_map()),
            Some(b'[') => Value::Array(self.items().map(Self::to_value).collect()),
            Some(b'"') => Value::String(self.as_str().unwrap_or_default().into_owned()),
            Some(b't') => Value::Bool(true),
            Some(b'f') => Value::Bool(false),
            Some(b'n') | None => Value::Null,
            Some(_) => number_value(self.0),
        }
    }

    /// A copy of an object; empty for anything else.
    #[inline(never)]
    pub fn to_map(self) -> Map<String, Value> {
        // Collecting would sort first.
        let mut map = Map::new();
        for (key, value) in self.members() {
            map.insert(key.into_owned(), value.to_value());
        }
        map
    }

    /// What is behind the bracket of a container; nothing for any other value.
    fn inside(self, bracket: u8) -> &'a str {
        if self.first() == Some(bracket) {
            self.0.get(1..).unwrap_or_default()
        } else {
            ""
        }
    }

    fn first(self) -> Option<u8> {
        self.0.as_bytes().first().copied()
    }

    fn is_number(self) -> bool {
        matches!(self.first(), Some(b'-' | b'0'..=b'9'))
    }
}

/// The members of an object.
#[derive(Debug, Clone)]
pub struct Members<'a>(&'a str);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Json<'a>);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, behind) = take_value(self.0)?;
        let (value, behind) = take_value(behind)?;
        self.0 = behind;
        Some((key.as_str()?, value))
    }
}

/// The elements of an array.
#[derive(Debug, Clone)]
pub struct Items<'a>(&'a str);

impl<'a> Iterator for Items<'a> {
    type Item = Json<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        let (item, behind) = take_value(self.0)?;
        self.0 = behind;
        Some(item)
    }
}

/// The next value of a container's valid inside, and what is behind it.
#[inline(never)]
fn take_value(text: &str) -> Option<(Json<'_>, &str)> {
    // By bytes: this is where most of a delta's time goes, and characters cost more.
    let bytes = text.as_bytes();
    let mut start = 0;
    while let Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') = bytes.get(start) {
        start += 1;
    }
    let end = start + length_of_value(bytes.get(start..)?)?;
    Some((Json(text.get(start..end)?), text.get(end..)?))
}

/// The length of the value that the valid text begins with; `None` at the end of a container.
fn length_of_value(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        b'"' => Some(check::end_of_string(bytes, 1)?),
        b'{' | b'[' => length_of_container(bytes),
        b'}' | b']' => None,
        _ => {
            let is_end =
                |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
            Some(bytes.iter().position(is_end).unwrap_or(bytes.len()))
        }
    }
}

fn length_of_container(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = check::end_of_string(bytes, at + 1)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Some(at + 1),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// What the inside of a string literal stands for.
#[inline(never)]
fn unescaped(body: &str) -> Cow<'_, str> {
    let Some(first) = position_of_either(body.as_bytes(), b'\\', b'\\') else {
        return Cow::Borrowed(body);
    };
    let mut text = String::with_capacity(body.len());
    let mut escape = Escape::default();
    let mut rest = body;
    let mut plain = first;
    loop {
        let (before, behind) = rest.split_at_checked(plain).unwrap_or((rest, ""));
        if !before.is_empty() {
            escape.settle(&mut text);
            text.push_str(before);
        }
        if behind.is_empty() {
            // A quote ends what is open: it belongs to no escape that could be open here.
            if escape.is_open() {
                escape.read(b'"', &mut text);
            }
            escape.settle(&mut text);
            return Cow::Owned(text);
        }
        escape.begin();
        let taken = behind
            .bytes()
            .skip(1)
            .take_while(|byte| escape.is_open() && escape.read(*byte, &mut text))
            .count();
        rest = behind.get(1 + taken..).unwrap_or_default();
        plain = position_of_either(rest.as_bytes(), b'\\', b'\\').unwrap_or(rest.len());
    }
}
