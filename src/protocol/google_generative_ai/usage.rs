//! Token counts of a Gemini response.
//!
//! Owns the merge: counts are cumulative, so a later count replaces an earlier one, and one that is
//! missing leaves it. Refuses to know prices.
//!
//! Source: Gemini API reference, "UsageMetadata": the prompt includes what a cache held, and
//! thinking is counted beside the candidates.

use crate::protocol::UsageUpdate;
use crate::text::json::Json;

/// What has been reported so far, in the wire's own terms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct UsageCounter {
    prompt: f64,
    cached: f64,
    tool_use: f64,
    candidates: f64,
    thoughts: f64,
}

impl UsageCounter {
    /// Reads the counts of one chunk. The counts so far, if they have changed.
    pub(super) fn read(&mut self, usage: Json<'_>) -> Option<UsageUpdate> {
        let before = *self;
        for (key, value) in usage.members() {
            let count = match &*key {
                "promptTokenCount" => &mut self.prompt,
                "cachedContentTokenCount" => &mut self.cached,
                "toolUsePromptTokenCount" => &mut self.tool_use,
                "candidatesTokenCount" => &mut self.candidates,
                "thoughtsTokenCount" => &mut self.thoughts,
                _ => continue,
            };
            *count = value.as_f64().unwrap_or(*count);
        }
        (*self != before).then(|| UsageUpdate {
            input: Some((self.prompt - self.cached).max(0.0) + self.tool_use),
            output: Some(self.candidates + self.thoughts),
            cache_read: Some(self.cached),
            cache_write: None,
        })
    }
}
