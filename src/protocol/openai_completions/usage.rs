//! Token counts of chat completions, in the many places where hosts put them.
//!
//! Owns the merge: counts are cumulative, so a later count replaces an earlier one; a count that is
//! missing, or zero, leaves the earlier one. Refuses to know prices.

use super::wire::{Chunk, WireUsage};
use crate::protocol::UsageUpdate;

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
        let choices = chunk.choices.iter().flatten();
        for usage in choices.filter_map(|choice| choice.usage.as_deref()) {
            self.add(usage);
        }
        let groq = chunk
            .x_groq
            .as_ref()
            .and_then(|extra| extra.usage.as_deref());
        for usage in [groq, chunk.usage.as_deref()].into_iter().flatten() {
            self.add(usage);
        }
        (*self != before).then(|| self.update())
    }

    fn add(&mut self, usage: &WireUsage) {
        let prompt_details = usage.prompt_tokens_details.as_ref();
        let completion_details = usage.completion_tokens_details.as_ref();
        let cached = prompt_details.and_then(|details| details.cached_tokens);
        let hit = usage.prompt_cache_hit_tokens.or(usage.cached_tokens);
        take(&mut self.prompt, usage.prompt_tokens);
        take(&mut self.completion, usage.completion_tokens);
        take(&mut self.total, usage.total_tokens);
        take(
            &mut self.cached,
            cached.filter(|count| *count > 0.0).or(hit),
        );
        take(
            &mut self.written,
            prompt_details.and_then(|details| details.cache_write_tokens),
        );
        take(
            &mut self.reasoning,
            completion_details.and_then(|details| details.reasoning_tokens),
        );
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
