//! The JSON of a chat-completions response, as far as it is read.
//!
//! Owns where things stand in a payload: each object is gone through once, what is unknown or `null`
//! is skipped, and what has another type than most hosts give it (content in typed parts, arguments
//! as an object) is read all the same. Refuses to interpret: what the members mean is the business
//! of `stream.rs`.
//!
//! Sources: OpenAI API reference, "The chat completion chunk object"; Mistral API, "Chat
//! Completion" (content in typed parts); OpenRouter, "Reasoning tokens" (`reasoning`,
//! `reasoning_details`); DeepSeek API, "Create Chat Completion" (`reasoning_content`,
//! `prompt_cache_hit_tokens`).

use std::borrow::Cow;

use crate::text::json::Json;

/// One `data:` payload, or a whole completion.
#[derive(Debug, Default)]
pub(super) struct Chunk<'a> {
    pub(super) id: Option<Json<'a>>,
    pub(super) choices: Vec<Choice<'a>>,
    pub(super) usage: Option<Json<'a>>,
    /// Groq's place for it.
    pub(super) x_groq: Option<Json<'a>>,
    /// Whether the payload looks like a chunk and not like a failure.
    pub(super) is_usual: bool,
    /// Whether a member that every chunk has is no such thing.
    pub(super) is_broken: bool,
}

#[derive(Debug, Default)]
pub(super) struct Choice<'a> {
    pub(super) json: Option<Json<'a>>,
    pub(super) index: Option<u32>,
    pub(super) delta: Option<Json<'a>>,
    /// In place of `delta` where a whole completion comes at once.
    pub(super) message: Option<Json<'a>>,
    pub(super) finish_reason: Option<Cow<'a, str>>,
    /// Moonshot's place for it.
    pub(super) usage: Option<Json<'a>>,
    /// The upstream of a router failed.
    pub(super) has_error: bool,
}

#[derive(Debug, Default)]
pub(super) struct Delta<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) refusal: Cow<'a, str>,
    /// Hosts that fill several of the fields for it say the same in each.
    pub(super) thinking: Cow<'a, str>,
    pub(super) tool_calls: Vec<CallDelta<'a>>,
}

#[derive(Debug, Default)]
pub(super) struct CallDelta<'a> {
    pub(super) index: Option<u32>,
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) arguments: Cow<'a, str>,
}

/// The members of an object that say something.
fn members<'a>(json: Json<'a>) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> {
    json.members().filter(|(_, value)| !value.is_null())
}

fn index(json: Json<'_>) -> Option<u32> {
    json.as_f64().map(|index| index as u32)
}

fn string(json: Json<'_>) -> Cow<'_, str> {
    json.as_str().unwrap_or_default()
}

impl<'a> Chunk<'a> {
    pub(super) fn read(json: Json<'a>) -> Self {
        let mut chunk = Self::default();
        let (mut has_error, mut is_known) = (false, false);
        for (key, value) in members(json) {
            match &*key {
                "id" => chunk.id = Some(value),
                "choices" => {
                    is_known = true;
                    chunk.is_broken = !value.is_array() || !value.items().all(Json::is_object);
                    chunk.choices = value.items().map(Choice::read).collect();
                }
                "usage" => {
                    is_known = true;
                    chunk.usage = Some(value);
                }
                "x_groq" => chunk.x_groq = Some(value),
                "error" => has_error = true,
                _ => {}
            }
        }
        chunk.is_usual = !chunk.is_broken
            && is_known
            && !has_error
            && !chunk.choices.iter().any(|choice| choice.has_error);
        chunk
    }
}

impl<'a> Choice<'a> {
    fn read(json: Json<'a>) -> Self {
        let mut choice = Self {
            json: Some(json),
            ..Self::default()
        };
        for (key, value) in members(json) {
            match &*key {
                "index" => choice.index = index(value),
                "delta" => choice.delta = Some(value),
                "message" => choice.message = Some(value),
                "finish_reason" => choice.finish_reason = value.as_str(),
                "usage" => choice.usage = Some(value),
                "error" => choice.has_error = true,
                _ => {}
            }
        }
        choice
    }
}

impl<'a> Delta<'a> {
    pub(super) fn read(json: Json<'a>) -> Self {
        let mut delta = Self::default();
        for (key, value) in members(json) {
            match &*key {
                "content" if value.is_array() => delta.read_parts(value),
                "content" => delta.text = string(value),
                "refusal" => delta.refusal = string(value),
                "reasoning_content" | "reasoning" | "reasoning_text" => delta.think(string(value)),
                "reasoning_details" => {
                    let texts = value
                        .items()
                        .filter_map(|detail| detail.get("text").or(detail.get("summary")));
                    delta.think(texts.map(string).collect::<String>().into());
                }
                "tool_calls" => delta.tool_calls = value.items().map(CallDelta::read).collect(),
                _ => {}
            }
        }
        delta
    }

    fn think(&mut self, thinking: Cow<'a, str>) {
        if self.thinking.is_empty() {
            self.thinking = thinking;
        }
    }

    /// Content in typed parts.
    fn read_parts(&mut self, content: Json<'a>) {
        for part in content.items() {
            match part.get("thinking") {
                Some(inner) => push_text(inner, self.thinking.to_mut()),
                None => push_text(part, self.text.to_mut()),
            }
        }
    }
}

impl<'a> CallDelta<'a> {
    fn read(json: Json<'a>) -> Self {
        let mut call = Self::default();
        for (key, value) in members(json) {
            match &*key {
                "index" => call.index = index(value),
                "id" => call.id = string(value),
                "function" => call.read_function(value),
                _ => {}
            }
        }
        call
    }

    fn read_function(&mut self, json: Json<'a>) {
        for (key, value) in members(json) {
            match &*key {
                "name" => self.name = string(value),
                "arguments" if value.is_string() => self.arguments = string(value),
                // Some hosts send the object itself.
                "arguments" => self.arguments = Cow::Borrowed(value.text()),
                _ => {}
            }
        }
    }
}

/// Appends the text of a content part, of a list of them, or of a plain string.
fn push_text(part: Json<'_>, text: &mut String) {
    if part.is_array() {
        part.items().for_each(|part| push_text(part, text));
    } else {
        let inner = part
            .get("text")
            .or_else(|| part.get("refusal"))
            .unwrap_or(part);
        text.push_str(&string(inner));
    }
}
