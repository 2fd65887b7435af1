//! What a source says that a response cost.
//!
//! An app's own source, or its backend, may know prices that the model description does not have.

use crate::message::UsageCost;
use crate::text::json::Json;

/// The `cost` of a `usage` object, in US dollars; `None` where it says nothing, or only zeros.
pub(crate) fn billed(usage: Json<'_>) -> Option<UsageCost> {
    let cost = usage.get("cost")?;
    let dollars = |name| {
        let number = cost.get(name).and_then(Json::as_f64);
        number
            .filter(|number| number.is_finite() && *number > 0.0)
            .unwrap_or_default()
    };
    let parts = ["input", "output", "cacheRead", "cacheWrite"].map(dollars);
    let [input, output, cache_read, cache_write] = parts;
    let total = match dollars("total") {
        0.0 => parts.iter().sum(),
        total => total,
    };
    (total > 0.0).then_some(UsageCost {
        input,
        output,
        cache_read,
        cache_write,
        total,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_counts_where_it_is_more_than_nothing() {
        for (text, expected) in [
            (
                r#"{"cost":{"input":0.5,"output":1,"total":1.5}}"#,
                Some((0.5, 1.5)),
            ),
            (r#"{"cost":{"input":0.5,"output":1}}"#, Some((0.5, 1.5))),
            (r#"{"cost":{"total":2}}"#, Some((0.0, 2.0))),
            (
                r#"{"cost":{"input":-1,"total":1e400,"output":0.25}}"#,
                Some((0.0, 0.25)),
            ),
            (r#"{"cost":{"input":0,"total":0}}"#, None),
            (r#"{"cost":{}}"#, None),
            (r#"{"cost":"1"}"#, None),
            (r#"{"input":5}"#, None),
        ] {
            let usage = Json::parse(text).unwrap();
            let cost = billed(usage).map(|cost| (cost.input, cost.total));
            assert_eq!(cost, expected, "{text}");
        }
    }
}
