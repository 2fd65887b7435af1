//! What the tokens of a response cost.

use crate::message::{Usage, UsageCost};
use crate::model::ModelCost;
use crate::protocol::UsageUpdate;

/// Usage and cost: what the source says that it was, else by the model's prices. Counts that the provider did not give are zero, and none is ever less.
pub(super) fn price(
    counts: UsageUpdate,
    prices: Option<ModelCost>,
    billed: Option<UsageCost>,
) -> Usage {
    let [input, output, cache_read, cache_write] = [
        counts.input,
        counts.output,
        counts.cache_read,
        counts.cache_write,
    ]
    .map(|count| count.unwrap_or(0.0).max(0.0));
    let ModelCost {
        input: per_input,
        output: per_output,
        cache_read: per_read,
        cache_write: per_write,
    } = prices.unwrap_or_default();
    let dollars = |tokens: f64, per_million: f64| tokens * per_million / 1_000_000.0;
    let mut cost = UsageCost {
        input: dollars(input, per_input),
        output: dollars(output, per_output),
        cache_read: dollars(cache_read, per_read),
        cache_write: dollars(cache_write, per_write),
        total: 0.0,
    };
    cost.total = cost.input + cost.output + cost.cache_read + cost.cache_write;
    Usage {
        input,
        output,
        cache_read,
        cache_write,
        total_tokens: input + output + cache_read + cache_write,
        cost: billed.unwrap_or(cost),
    }
}
