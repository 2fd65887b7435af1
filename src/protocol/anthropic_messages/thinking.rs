//! Which model thinks how.
//!
//! Owns the way from a thinking level to the fields of a request: a budget of tokens, or an effort
//! with which the model decides by itself, and what a model refuses beside it. Models are told apart
//! by the version in their id; a model that is none of Anthropic's gets budgets, if it thinks at all.
//!
//! Sources: Anthropic docs, "Thinking", "Extended thinking", "Effort" and the migration guides of
//! Claude Opus 4.7, Opus 5 and Opus 5.5.

use crate::model::{Model, RequestOptions, ThinkingLevel};
use crate::text::json::JsonWriter;
use crate::text::{find, number};

#[cfg(test)]
mod tests;

/// The least budget.
const MIN_BUDGET: f64 = 1024.0;
/// The part of the output limit that thinking may take: the rest is for the answer.
const MAX_SHARE: f64 = 0.75;

/// What a request says of thinking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Thinking {
    /// Nothing.
    Silent,
    /// The model shall not, though it would by itself.
    Disabled,
    /// It may use this many tokens.
    Budget(f64),
    /// It decides by itself, with this effort; whether it has to be asked for what it thought.
    Adaptive(&'static str, bool),
}

/// A version of Claude: 405 is 4.5, 0 is some other model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version(u32);

impl Version {
    /// `claude-3-7-sonnet-20250219`, `claude-opus-4-6`, `anthropic.claude-sonnet-5-v1:0`.
    pub(super) fn of(id: &str) -> Self {
        let Some(name) = find(id, "claude").and_then(|at| id.get(at..)) else {
            return Self(0);
        };
        // Longer numbers are dates.
        let mut numbers = name
            .split(['-', '.', '@', ':', '_', '/'])
            .map(|word| number::index(word).filter(|number| *number < 100))
            .skip_while(Option::is_none);
        match numbers.next().flatten() {
            Some(major) => {
                let minor = numbers.next().flatten().unwrap_or_default();
                Self((major * 100 + minor) as u32)
            }
            None if is_of(name, &["mythos", "fable"]) => Self(500),
            None => Self(0),
        }
    }

    /// Tokens of an answer where neither the app nor the model sets a limit; one has to be sent.
    /// No version allows less.
    pub(super) fn default_limit(self) -> f64 {
        match self.0 {
            1..305 => 4_096.0,
            0 | 305..307 => 8_192.0,
            _ => 32_000.0,
        }
    }

    /// Whether any temperature but the default one is refused, whether the model thinks or not.
    pub(super) fn refuses_temperature(self) -> bool {
        self.0 >= 407
    }
}

impl Thinking {
    /// What to say to a model. `limit` is the output limit; `goes_on` says that the turn in hand
    /// began without thinking, so that it cannot be asked for now.
    pub(super) fn choose(
        model: &Model,
        options: &RequestOptions,
        limit: f64,
        goes_on: bool,
    ) -> Self {
        let version = Version::of(&model.id);
        if !model.reasoning.unwrap_or(version.0 >= 307) {
            return Self::Silent;
        }
        let level = options.reasoning;
        let compat = model.compat.as_ref();
        let is_adaptive = compat.and_then(|compat| compat.supports_reasoning_effort);
        let (name, budget, effort) = match level {
            ThinkingLevel::Off => ("off", 0.0, "low"),
            ThinkingLevel::Minimal => ("minimal", 1024.0, "low"),
            ThinkingLevel::Low => ("low", 4096.0, "low"),
            ThinkingLevel::Medium => ("medium", 8192.0, "medium"),
            ThinkingLevel::High => ("high", 16384.0, "high"),
            ThinkingLevel::Xhigh => ("xhigh", 24576.0, xhigh(version)),
        };
        if is_adaptive.unwrap_or(version.0 >= 406) {
            return match level {
                ThinkingLevel::Off if version.0 < 500 => Self::Silent,
                ThinkingLevel::Off if can_be_disabled(&model.id, version) => Self::Disabled,
                // The others of these cannot do without.
                _ => Self::Adaptive(effort, version.0 >= 407),
            };
        }
        if level == ThinkingLevel::Off || goes_on {
            return Self::Silent;
        }
        let mut budgets = options.thinking_budgets.iter().flatten();
        let asked = budgets.find(|(level, _)| level == name);
        let asked = asked.map_or(budget, |(_, budget)| *budget);
        let budget = asked.max(MIN_BUDGET).min(limit * MAX_SHARE).trunc();
        if budget < MIN_BUDGET {
            Self::Silent
        } else {
            Self::Budget(budget)
        }
    }

    /// Whether the model thinks: then it cannot be forced to call a tool, or take a temperature.
    pub(super) fn is_on(self) -> bool {
        matches!(self, Self::Budget(_) | Self::Adaptive(..))
    }

    pub(super) fn write(self, json: &mut JsonWriter) {
        let kind = match self {
            Self::Silent => return,
            Self::Disabled => "disabled",
            Self::Budget(_) => "enabled",
            Self::Adaptive(..) => "adaptive",
        };
        json.key("thinking").object(|json| {
            json.key("type").string(kind);
            if let Self::Budget(tokens) = self {
                json.key("budget_tokens").number(tokens);
            }
            if let Self::Adaptive(_, true) = self {
                json.key("display").string("summarized");
            }
        });
        if let Self::Adaptive(effort, _) = self {
            json.key("output_config").object(|json| {
                json.key("effort").string(effort);
            });
        }
    }
}

fn xhigh(version: Version) -> &'static str {
    match version.0 {
        407.. => "xhigh",
        406 => "max",
        _ => "high",
    }
}

/// Of the models that think unless told otherwise, those that can be told.
fn can_be_disabled(id: &str, version: Version) -> bool {
    match version.0 {
        500 => is_of(id, &["opus", "sonnet"]),
        505 => is_of(id, &["haiku"]),
        _ => false,
    }
}

fn is_of(id: &str, families: &[&str]) -> bool {
    families.iter().any(|family| find(id, family).is_some())
}
