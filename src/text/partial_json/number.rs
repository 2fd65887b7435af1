//! The grammar of JSON numbers.
//!
//! Owns the verdict on number text that has been read to its end. Refuses to convert it: the text goes on as it
//! is, since JavaScript has its own numbers. Private to the parser, so its example is a call: `check("1.")` is
//! an error.

use super::error::JsonErrorKind;
use crate::text::json::is_valid;

/// Whether a byte can be part of a number. More lenient than the grammar, which [`check`] knows.
pub(super) fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Checks the text of a whole number.
pub(super) fn check(text: &str) -> Result<(), JsonErrorKind> {
    // No other value is made of the bytes of numbers.
    if !is_valid(text) {
        return Err(JsonErrorKind::InvalidNumber);
    }
    // Without an exponent it takes more than 308 digits to leave the range.
    let small = text.len() <= 300 && !text.bytes().any(|byte| matches!(byte, b'e' | b'E'));
    if small || crate::text::number::parse(text).is_finite() {
        Ok(())
    } else {
        Err(JsonErrorKind::NumberOutOfRange)
    }
}
