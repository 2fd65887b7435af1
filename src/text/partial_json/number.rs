//! The grammar of JSON numbers.
//!
//! Owns the verdict on number text that has been read to its end. Refuses to convert it: the text goes on as it
//! is, since JavaScript has its own numbers. Private to the parser, so its example is a call: `check("1.")` is
//! an error.

use super::error::JsonErrorKind;

/// Whether a byte can be part of a number. More lenient than the grammar, which [`check`] knows.
pub(super) fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Checks the text of a whole number.
pub(super) fn check(text: &str) -> Result<(), JsonErrorKind> {
    if !follows_grammar(text) {
        return Err(JsonErrorKind::InvalidNumber);
    }
    // Without an exponent it takes more than 308 digits to leave the range.
    let small = text.len() <= 300 && !text.contains(['e', 'E']);
    if small || crate::text::number::parse(text).is_finite() {
        Ok(())
    } else {
        Err(JsonErrorKind::NumberOutOfRange)
    }
}

fn follows_grammar(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = split(unsigned, &['e', 'E']);
    let (integer, fraction) = split(mantissa, &['.']);
    let exponent = exponent.map(|digits| digits.strip_prefix(['+', '-']).unwrap_or(digits));
    is_digits(integer)
        && (integer.len() == 1 || !integer.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent.is_none_or(is_digits)
}

/// The text before and, if there is one, after the first separator.
fn split<'a>(text: &'a str, separators: &[char]) -> (&'a str, Option<&'a str>) {
    match text.split_once(separators) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
