//! How the hosts of the chat-completions protocol differ.
//!
//! Owns the table from the host in `baseUrl` to [`Switches`]; every switch that `model.compat`
//! names wins over it. Refuses to be generous: a host that is not in the table gets the fields that
//! every host reads, and an extra stands in the table only if the host documents it. `docs/protocols.md`
//! has the table for people.
//!
//! Sources: OpenAI API reference, "Create chat completion"; OpenRouter, "Reasoning tokens"; DeepSeek,
//! "Thinking mode"; Mistral, "Reasoning"; Gemini API, "OpenAI compatibility" and "Thought signatures"; the API references of
//! Groq, Cerebras, Mistral, Moonshot, xAI, Together and Fireworks.

use crate::model::{Compat, MaxTokensField, Model, ReasoningField, ToolCallIdFormat};
use crate::protocol::history::images;
use crate::protocol::openai::{AZURE, is_at};

#[cfg(test)]
mod tests;

/// What a host accepts and needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switches {
    pub(super) max_tokens_field: MaxTokensField,
    pub(super) reasoning_effort: bool,
    /// Whether it takes `minimal` and `xhigh` too, and not only `low`, `medium` and `high`.
    pub(super) all_efforts: bool,
    /// Whether the effort goes into `reasoning: { effort }`.
    pub(super) effort_in_object: bool,
    pub(super) developer_role: bool,
    pub(super) store: bool,
    pub(super) stream_usage: bool,
    pub(super) reasoning_field: ReasoningField,
    pub(super) id_format: ToolCallIdFormat,
    pub(super) result_name: bool,
    /// The types of images that the host is known to read, where it is known to refuse others.
    pub(super) image_types: Option<&'static [&'static str]>,
    pub(super) assistant_after_results: bool,
    /// Whether the host is Google, where models may insist on signed calls.
    pub(super) signs_calls: bool,
    /// Whether the host takes `prompt_cache_key`.
    pub(super) cache_key: bool,
    /// Whether the key goes into the header `api-key` and not into `authorization`.
    pub(super) key_in_own_header: bool,
}

/// What every host accepts.
const PLAIN: Switches = Switches {
    max_tokens_field: MaxTokensField::MaxTokens,
    reasoning_effort: false,
    all_efforts: false,
    effort_in_object: false,
    developer_role: false,
    store: false,
    stream_usage: false,
    reasoning_field: ReasoningField::None,
    id_format: ToolCallIdFormat::Standard,
    result_name: false,
    image_types: None,
    assistant_after_results: false,
    signs_calls: false,
    cache_key: false,
    key_in_own_header: false,
};

impl Switches {
    /// The switches for a model at `base_url`.
    pub(super) fn resolve(base_url: &str, model: &Model) -> Self {
        let known = HOSTS.iter().find(|(domains, _)| is_at(base_url, domains));
        let mut switches = known.map_or(PLAIN, |(_, switches)| *switches);
        if let Some(compat) = &model.compat {
            switches.apply(compat);
        }
        switches
    }

    fn apply(&mut self, compat: &Compat) {
        set(&mut self.max_tokens_field, compat.max_tokens_field);
        set(&mut self.reasoning_effort, compat.supports_reasoning_effort);
        set(&mut self.developer_role, compat.supports_developer_role);
        set(&mut self.store, compat.supports_store);
        set(&mut self.stream_usage, compat.supports_usage_in_streaming);
        set(&mut self.reasoning_field, compat.reasoning_field);
        set(&mut self.id_format, compat.tool_call_id_format);
        set(&mut self.result_name, compat.requires_tool_result_name);
        set(
            &mut self.assistant_after_results,
            compat.requires_assistant_after_tool_result,
        );
    }
}

fn set<T: Copy>(switch: &mut T, choice: Option<T>) {
    if let Some(choice) = choice {
        *switch = choice;
    }
}

/// Domains, and what their hosts accept.
const HOSTS: &[(&[&str], Switches)] = &[
    (&["api.openai.com"], OPENAI),
    (
        AZURE,
        Switches {
            store: false,
            cache_key: false,
            key_in_own_header: true,
            ..OPENAI
        },
    ),
    (
        &["groq.com", "cerebras.ai"],
        Switches {
            max_tokens_field: MaxTokensField::MaxCompletionTokens,
            reasoning_effort: true,
            stream_usage: true,
            ..PLAIN
        },
    ),
    (
        &["openrouter.ai"],
        Switches {
            reasoning_effort: true,
            all_efforts: true,
            effort_in_object: true,
            stream_usage: true,
            reasoning_field: ReasoningField::Reasoning,
            ..PLAIN
        },
    ),
    (
        &["deepseek.com"],
        Switches {
            reasoning_effort: true,
            all_efforts: true,
            stream_usage: true,
            reasoning_field: ReasoningField::ReasoningContent,
            ..PLAIN
        },
    ),
    (
        &["moonshot.ai", "moonshot.cn", "kimi.com"],
        Switches {
            stream_usage: true,
            reasoning_field: ReasoningField::ReasoningContent,
            ..PLAIN
        },
    ),
    (
        &["mistral.ai"],
        Switches {
            id_format: ToolCallIdFormat::NineAlphanumeric,
            result_name: true,
            assistant_after_results: true,
            reasoning_field: ReasoningField::Content,
            ..PLAIN
        },
    ),
    (
        &["fireworks.ai"],
        Switches {
            reasoning_effort: true,
            stream_usage: true,
            ..PLAIN
        },
    ),
    (
        &["generativelanguage.googleapis.com"],
        Switches {
            reasoning_effort: true,
            stream_usage: true,
            signs_calls: true,
            image_types: Some(images::GOOGLE),
            ..PLAIN
        },
    ),
    (
        // Some of xAI's thinking models refuse an effort.
        &["x.ai", "together.xyz", "together.ai"],
        Switches {
            stream_usage: true,
            ..PLAIN
        },
    ),
];

const OPENAI: Switches = Switches {
    max_tokens_field: MaxTokensField::MaxCompletionTokens,
    reasoning_effort: true,
    all_efforts: true,
    developer_role: true,
    store: true,
    image_types: Some(images::COMMON),
    stream_usage: true,
    cache_key: true,
    ..PLAIN
};
