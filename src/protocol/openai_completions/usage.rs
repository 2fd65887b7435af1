//! Token counts of chat completions, in the many places where hosts put them.
//!
//! Owns the merge: counts are cumulative, so a later count replaces an earlier one; a count that is
//! missing, or zero, leaves the earlier one. Refuses to know prices.

use super::wire::Chunk;
use crate::protocol::UsageUpdate;
use crate::text::json::Json;

/// What has been reported so far, in the wire's own terms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct UsageCounter {
    prompt: f64,
    completion: f64,
    total: f64,
    reasoning: f64,
    cached: f64,
    written: f64,
}

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

    fn add(&mut self, usage: Json<'_>) {
        let count = |json: Option<Json<'_>>| json.and_then(Json::as_f64);
        for (key, value) in usage.members() {
            match &*key {
                "prompt_tokens" => take(&mut self.prompt, value.as_f64()),
                "completion_tokens" => take(&mut self.completion, value.as_f64()),
                "total_tokens" => take(&mut self.total, value.as_f64()),
                // DeepSeek, and Moonshot.
                "prompt_cache_hit_tokens" | "cached_tokens" => {
                    take(&mut self.cached, value.as_f64())
                }
                "prompt_tokens_details" => {
                    take(&mut self.cached, count(value.get("cached_tokens")));
                    // OpenRouter.
                    take(&mut self.written, count(value.get("cache_write_tokens")));
                }
                "completion_tokens_details" => {
                    take(&mut self.reasoning, count(value.get("reasoning_tokens")))
                }
                _ => {}
            }
        }
    }

    fn update(&self) -> UsageUpdate {
        UsageUpdate {
            input: Some((self.prompt - self.cached - self.written).max(0.0)),
            output: Some(self.completion + self.thinking_beside()),
            cache_read: Some(self.cached),
            cache_write: Some(self.written),
        }
    }

    /// Thinking that the host counts beside the completion and not in it, as xAI does. The total
    /// tells, also where a host (Google) does not name the count.
    fn thinking_beside(&self) -> f64 {
        let beside = self.total - self.prompt - self.completion;
        if self.reasoning > 0.0 {
            if beside >= self.reasoning {
                self.reasoning
            } else {
                0.0
            }
        } else if self.cached + self.written > 0.0 {
            // Where cached tokens are not part of the prompt, they are what the total has more.
            0.0
        } else {
            beside.max(0.0)
        }
    }
}

fn take(known: &mut f64, reported: Option<f64>) {
    if let Some(count) = reported
        && count > 0.0
    {
        *known = count;
    }
}
