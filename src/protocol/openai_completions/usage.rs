//! Token counts of chat completions, in the many places where hosts put them.
//!
//! Owns the merge: counts are cumulative, so a later count replaces an earlier one; a count that is
//! missing, or zero, leaves the earlier one. Refuses to know prices.

use super::wire::Chunk;
use crate::protocol::UsageUpdate;
use crate::protocol::count::count;
use crate::text::json::Json;

/// Where hosts put counts: the member, the member within it, and which count it is.
const PLACES: [(&str, &str, usize); 8] = [
    ("prompt_tokens", "", 0),
    ("completion_tokens", "", 1),
    ("total_tokens", "", 2),
    ("completion_tokens_details", "reasoning_tokens", 3),
    // DeepSeek, Moonshot, and the others.
    ("prompt_cache_hit_tokens", "", 4),
    ("cached_tokens", "", 4),
    ("prompt_tokens_details", "cached_tokens", 4),
    // OpenRouter.
    ("prompt_tokens_details", "cache_write_tokens", 5),
];

/// What has been reported so far, in the wire's own terms; [`PLACES`] has the order.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct UsageCounter([f64; 6]);

impl UsageCounter {
    /// Reads the counts of one chunk. The counts so far, if they have changed.
    pub(super) fn read(&mut self, chunk: &Chunk<'_>) -> Option<UsageUpdate> {
        let before = *self;
        let choices = chunk.choices.iter().filter_map(|choice| choice.usage);
        let groq = chunk.x_groq.and_then(|extra| extra.get("usage"));
        for usage in choices.chain(groq).chain(chunk.usage) {
            self.add(usage);
        }
        (*self != before).then(|| self.update())
    }

    #[inline(never)]
    fn add(&mut self, usage: Json<'_>) {
        for (member, inner, place) in PLACES {
            let value = usage.get(member);
            let value = match inner {
                "" => value,
                _ => value.and_then(|details| details.get(inner)),
            };
            if let Some(reported) = count(value).filter(|count| *count > 0.0)
                && let Some(known) = self.0.get_mut(place)
            {
                *known = reported;
            }
        }
    }

    fn update(&self) -> UsageUpdate {
        let [prompt, completion, total, reasoning, cached, written] = self.0;
        // Thinking that the host counts beside the completion and not in it, as xAI does. The total
        // tells, also where a host (Google) does not name the count.
        let beside = total - prompt - completion;
        let thinking = if reasoning > 0.0 {
            if beside >= reasoning { reasoning } else { 0.0 }
        } else if cached + written > 0.0 {
            // Where cached tokens are not part of the prompt, they are what the total has more.
            0.0
        } else {
            beside.max(0.0)
        };
        UsageUpdate {
            input: Some((prompt - cached - written).max(0.0)),
            output: Some(completion + thinking),
            cache_read: Some(cached),
            cache_write: Some(written),
        }
    }
}
