//! Token counts of a Gemini response.
//!
//! Owns the merge: counts are cumulative, so a later count replaces an earlier one, and one that is
//! missing leaves it. Refuses to know prices.
//!
//! Source: Gemini API reference, "UsageMetadata": the prompt includes what a cache held, and
//! thinking is counted beside the candidates.

use crate::protocol::UsageUpdate;
use crate::protocol::count::count;
use crate::text::json::Json;

const NAMES: [&str; 5] = [
    "promptTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
];

/// What has been reported so far: the count of each name.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct UsageCounter([f64; NAMES.len()]);

impl UsageCounter {
    /// Reads the counts of one chunk. The counts so far, if they have changed.
    pub(super) fn read(&mut self, usage: Json<'_>) -> Option<UsageUpdate> {
        let before = *self;
        for (name, known) in NAMES.iter().zip(&mut self.0) {
            *known = count(usage.get(name)).unwrap_or(*known);
        }
        let [prompt, cached, tool_use, candidates, thoughts] = self.0;
        (*self != before).then(|| UsageUpdate {
            input: Some((prompt - cached).max(0.0) + tool_use),
            output: Some(candidates + thoughts),
            cache_read: Some(cached),
            cache_write: None,
        })
    }
}
