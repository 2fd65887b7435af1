//! Token counts as providers write them.
//!
//! Owns what passes for a count. Refuses everything that would spoil a sum or a price: what is
//! negative, infinite or no number is no count, whoever reports it.

use crate::text::json::Json;

/// The largest integer up to which a number holds every one.
const MAX: f64 = 9_007_199_254_740_991.0;

/// The count that a value is: a whole number of tokens. Some gateways write it as a string.
#[inline(never)]
pub(super) fn count(value: Option<Json<'_>>) -> Option<f64> {
    let value = value?;
    let number = match value.as_str() {
        Some(text) => Json::parse(&text).ok().and_then(Json::as_f64),
        None => value.as_f64(),
    };
    number
        .filter(|number| (0.0..=MAX).contains(number))
        .map(f64::trunc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_a_whole_number_that_can_be_summed() {
        for (text, expected) in [
            ("0", Some(0.0)),
            ("12", Some(12.0)),
            ("1.2e1", Some(12.0)),
            ("12.9", Some(12.0)),
            (r#""12""#, Some(12.0)),
            (r#"" 12 ""#, Some(12.0)),
            ("-1", None),
            (r#""-1""#, None),
            ("1e400", None),
            ("-1e400", None),
            ("1e300", None),
            (r#""1e400""#, None),
            (r#""NaN""#, None),
            (r#""many""#, None),
            (r#""""#, None),
            ("true", None),
            ("[12]", None),
            (r#"{"value":12}"#, None),
            ("null", None),
        ] {
            let value = Json::parse(text).unwrap();
            assert_eq!(count(Some(value)), expected, "{text}");
        }
        assert_eq!(count(None), None);
    }
}
