//! JSON numbers ↔ `f64`, exactly as JavaScript does it.
//!
//! In a browser the engine's own conversions are used: correct ones of our own would add some 25 kB
//! of code and tables to the shipped module. Natively the standard library's agree with them.

/// Digits that an `f64` holds exactly, whatever they are.
const EXACT_DIGITS: usize = 15;
/// One more than the largest integer of that many digits.
const EXACT_LIMIT: f64 = 1e15;

/// The number that valid JSON number text stands for.
pub(crate) fn parse(text: &str) -> f64 {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.len() > EXACT_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return engine::parse(text);
    }
    let integer = digits
        .bytes()
        .fold(0.0, |value, digit| value * 10.0 + f64::from(digit - b'0'));
    if digits.len() == text.len() {
        integer
    } else {
        -integer
    }
}

/// The number that a few decimal digits are, and nothing else.
#[inline(never)]
pub(crate) fn index(text: &str) -> Option<usize> {
    if !(1..=9).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = text.bytes().map(|digit| usize::from(digit - b'0'));
    Some(digits.fold(0, |value, digit| value * 10 + digit))
}

/// The digits of a number in a base of at most 36. `to_string` brings along all that formatting knows.
#[inline(never)]
pub(crate) fn in_base(base: u32, number: u64) -> String {
    let mut digits = Vec::new();
    let mut rest = number;
    while rest > 0 || digits.is_empty() {
        let digit = (rest % u64::from(base)) as u32;
        digits.push(char::from_digit(digit, base).unwrap_or('0'));
        rest /= u64::from(base);
    }
    digits.iter().rev().collect()
}

/// A count or an index as text.
pub(crate) fn decimal(number: usize) -> String {
    in_base(10, number as u64)
}

/// The JSON text of a number; `null` for one that JSON cannot hold, as `JSON.stringify` has it.
pub(crate) fn format(number: f64) -> String {
    if !number.is_finite() {
        "null".to_owned()
    } else if number == 0.0 && number.is_sign_negative() {
        // `JSON.stringify` drops the sign, but what was read from `-0` must read as that again.
        "-0".to_owned()
    } else if number.fract() == 0.0 && number.abs() < EXACT_LIMIT {
        let digits = in_base(10, number.abs() as u64);
        if number < 0.0 {
            ["-", &digits].concat()
        } else {
            digits
        }
    } else {
        engine::format(number)
    }
}

#[cfg(target_arch = "wasm32")]
mod engine {
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_name = Number)]
        pub(super) fn parse(text: &str) -> f64;

        #[wasm_bindgen(js_namespace = JSON, js_name = stringify)]
        pub(super) fn format(number: f64) -> String;
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod engine {
    pub(super) fn parse(text: &str) -> f64 {
        text.parse().unwrap_or(f64::NAN)
    }

    pub(super) fn format(number: f64) -> String {
        serde_json::Value::from(number).to_string()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::{format, parse};

    #[test]
    fn numbers_go_both_ways() {
        for (text, number) in [
            ("0", 0.0),
            ("-0", -0.0),
            ("12", 12.0),
            ("-999999999999999", -999_999_999_999_999.0),
            ("1234567890123456789", 1_234_567_890_123_456_789.0),
            ("0.1", 0.1),
            ("1e3", 1000.0),
            ("1e400", f64::INFINITY),
        ] {
            assert_eq!(parse(text).to_bits(), f64::to_bits(number), "{text}");
        }
        for (number, text) in [
            (0.0, "0"),
            (-12.0, "-12"),
            (0.7, "0.7"),
            (f64::NAN, "null"),
            (f64::INFINITY, "null"),
        ] {
            assert_eq!(format(number), text);
        }
    }
}
