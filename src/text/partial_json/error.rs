//! Why argument text is not a value.
//!
//! Owns the error of the parser: what is wrong and where. Refuses to carry any of the text itself, which is
//! the caller's to show.
//!
//! ```
//! use sluice_agent::text::partial_json::{JsonErrorKind, parse_arguments};
//!
//! let error = parse_arguments(r#"{"path": "/tmp/x"#).unwrap_err();
//! assert_eq!(error.kind, JsonErrorKind::Truncated);
//! assert_eq!(error.to_string(), "the JSON text ends too early (at byte 16)");
//! ```

use crate::text::number;

/// Why the text is not a JSON object, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct JsonError {
    /// Bytes from the start of the text to the place of the error. For an object that was encoded twice it
    /// counts within the decoded inner text.
    pub offset: usize,
    /// What is wrong there.
    pub kind: JsonErrorKind,
}

/// What is wrong with the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// The text ends before the value does.
    Truncated,
    /// A character stands where JSON does not allow it.
    UnexpectedCharacter,
    /// A number breaks the grammar, such as `01`, `1.` or `-`. The offset is that of its first character.
    InvalidNumber,
    /// A number is too large for an `f64`. The offset is that of its first character.
    NumberOutOfRange,
    /// More containers are open than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,
    /// The text holds a value that is not an object.
    NotAnObject,
    /// Something follows the complete value.
    TrailingCharacters,
}

impl JsonError {
    /// What is wrong, in words.
    pub fn text(&self) -> String {
        let text = match self.kind {
            JsonErrorKind::Truncated => "the JSON text ends too early",
            JsonErrorKind::UnexpectedCharacter => "unexpected character in the JSON text",
            JsonErrorKind::InvalidNumber => "invalid number in the JSON text",
            JsonErrorKind::NumberOutOfRange => "number out of range in the JSON text",
            JsonErrorKind::TooDeep => "the JSON text is nested too deeply",
            JsonErrorKind::NotAnObject => "the JSON text is not an object",
            JsonErrorKind::TrailingCharacters => "unexpected text after the JSON object",
        };
        [text, " (at byte ", &number::decimal(self.offset), ")"].concat()
    }
}
