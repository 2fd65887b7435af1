//! The JSON of a chat-completions response, as far as it is read.
//!
//! Owns the shapes that nearly every chunk has, so that one pass of the JSON parser is enough for
//! it; unknown members are skipped. Chunks of other shapes (content in typed parts, arguments as an
//! object, numbers where text belongs) fail to parse, and [`into_usual_shape`] rewrites them.
//! Refuses to interpret: what the members mean is the business of `stream.rs`.
//!
//! Sources: OpenAI API reference, "The chat completion chunk object"; Mistral API, "Chat
//! Completion" (content in typed parts); OpenRouter, "Reasoning tokens" (`reasoning`,
//! `reasoning_details`); DeepSeek API, "Create Chat Completion" (`reasoning_content`,
//! `prompt_cache_hit_tokens`).

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// One `data:` payload, or a whole completion.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    pub(super) id: Option<&'a str>,
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    pub(super) usage: Option<Box<WireUsage>>,
    pub(super) x_groq: Option<GroqExtra>,
    /// Present: the payload reports a failure.
    pub(super) error: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    pub(super) index: Option<u32>,
    pub(super) delta: Option<Delta>,
    /// In place of `delta` where a whole completion comes at once.
    pub(super) message: Option<Box<Delta>>,
    pub(super) finish_reason: Option<&'a str>,
    /// Moonshot's place for it.
    pub(super) usage: Option<Box<WireUsage>>,
    /// Present: the upstream of a router failed.
    pub(super) error: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    pub(super) content: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) reasoning_content: Option<String>,
    pub(super) reasoning: Option<String>,
    pub(super) reasoning_text: Option<String>,
    pub(super) reasoning_details: Option<Vec<ReasoningDetail>>,
    pub(super) tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReasoningDetail {
    pub(super) text: Option<String>,
    pub(super) summary: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallDelta {
    pub(super) index: Option<u32>,
    pub(super) id: Option<String>,
    pub(super) function: Option<FunctionDelta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionDelta {
    pub(super) name: Option<String>,
    pub(super) arguments: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GroqExtra {
    pub(super) usage: Option<Box<WireUsage>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WireUsage {
    pub(super) prompt_tokens: Option<f64>,
    pub(super) completion_tokens: Option<f64>,
    pub(super) total_tokens: Option<f64>,
    pub(super) prompt_tokens_details: Option<PromptDetails>,
    pub(super) completion_tokens_details: Option<CompletionDetails>,
    /// DeepSeek.
    pub(super) prompt_cache_hit_tokens: Option<f64>,
    /// Moonshot.
    pub(super) cached_tokens: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptDetails {
    pub(super) cached_tokens: Option<f64>,
    /// OpenRouter.
    pub(super) cache_write_tokens: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CompletionDetails {
    pub(super) reasoning_tokens: Option<f64>,
}

/// Rewrites a payload that is JSON but not of the usual shape: typed content parts become text and
/// thinking, arguments become text, and members of a type that cannot be read are left out.
pub(super) fn into_usual_shape(payload: &mut Value) {
    let Some(chunk) = payload.as_object_mut() else {
        return;
    };
    // Borrowed text has no escapes; an id or a reason that has some is not worth a second form.
    keep(chunk, "id", |id| id.as_str().is_some_and(is_plain));
    keep(chunk, "usage", Value::is_object);
    keep(chunk, "x_groq", Value::is_object);
    let choices = chunk.get_mut("choices").and_then(Value::as_array_mut);
    for choice in choices
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        keep(choice, "index", Value::is_u64);
        keep(choice, "usage", Value::is_object);
        keep(choice, "finish_reason", |reason| {
            reason.as_str().is_some_and(is_plain)
        });
        for name in ["delta", "message"] {
            keep(choice, name, Value::is_object);
            if let Some(delta) = choice.get_mut(name).and_then(Value::as_object_mut) {
                rewrite_delta(delta);
            }
        }
    }
}

fn rewrite_delta(delta: &mut Map<String, Value>) {
    if let Some(Value::Array(content)) = delta.get("content") {
        let (mut text, mut thinking) = (String::new(), String::new());
        for part in content {
            match part.get("thinking") {
                Some(inner) => push_text(inner, &mut thinking),
                None => push_text(part, &mut text),
            }
        }
        delta.insert("content".to_owned(), Value::String(text));
        if !thinking.is_empty() {
            delta.insert("reasoning_content".to_owned(), Value::String(thinking));
        }
    }
    for name in [
        "content",
        "refusal",
        "reasoning_content",
        "reasoning",
        "reasoning_text",
    ] {
        keep(delta, name, Value::is_string);
    }
    keep(delta, "reasoning_details", Value::is_array);
    keep(delta, "tool_calls", Value::is_array);
    let calls = delta.get_mut("tool_calls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
        keep(call, "index", Value::is_u64);
        keep(call, "id", Value::is_string);
        if let Some(function) = call.get_mut("function").and_then(Value::as_object_mut) {
            keep(function, "name", Value::is_string);
            if let Some(arguments) = function.get_mut("arguments")
                && (arguments.is_object() || arguments.is_array())
            {
                *arguments = Value::String(arguments.to_string());
            }
        }
    }
}

/// Appends the text of a content part, of a list of them, or of a plain string.
fn push_text(part: &Value, text: &mut String) {
    match part {
        Value::String(plain) => text.push_str(plain),
        Value::Array(parts) => parts.iter().for_each(|part| push_text(part, text)),
        Value::Object(members) => {
            let inner = members.get("text").or_else(|| members.get("refusal"));
            text.push_str(inner.and_then(Value::as_str).unwrap_or_default());
        }
        _ => {}
    }
}

fn keep(members: &mut Map<String, Value>, name: &str, is_readable: impl Fn(&Value) -> bool) {
    if members.get(name).is_some_and(|value| !is_readable(value)) {
        members.remove(name);
    }
}

/// Whether JSON writes the text without escapes.
fn is_plain(text: &str) -> bool {
    !text
        .bytes()
        .any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
}
