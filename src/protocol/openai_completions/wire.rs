//! The JSON of a chat-completions response, as far as it is read.
//!
//! Owns where things stand in a payload: it is gone through once, front to back, what is unknown or
//! `null` is skipped, and what has another type than most hosts give it (content in typed parts,
//! arguments as an object) is read all the same. Refuses to interpret: what the members mean is the
//! business of `stream.rs`.
//!
//! Sources: OpenAI API reference, "The chat completion chunk object"; Mistral API, "Chat
//! Completion" (content in typed parts); OpenRouter, "Reasoning tokens" (`reasoning`,
//! `reasoning_details`) and "Image generation" (`images`); DeepSeek API, "Create Chat Completion"
//! (`reasoning_content`, `prompt_cache_hit_tokens`); Gemini API, "Thought signatures"
//! (`extra_content` of calls on the compatible endpoint); Groq's library, `ChatCompletionChunk`
//! (`x_groq`).

use std::borrow::Cow;

use crate::text::json::{Json, Pull};

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
    pub(super) index: Option<u32>,
    pub(super) delta: Option<Delta<'a>>,
    /// In place of `delta` where a whole completion comes at once.
    pub(super) message: Option<Delta<'a>>,
    pub(super) finish_reason: Option<Cow<'a, str>>,
    /// Moonshot's place for it.
    pub(super) usage: Option<Json<'a>>,
    /// The upstream of a router failed.
    has_error: bool,
}

#[derive(Debug, Default)]
pub(super) struct Delta<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) refusal: Cow<'a, str>,
    /// Hosts that fill several of the fields for it say the same in each.
    pub(super) thinking: Cow<'a, str>,
    /// The same thinking with what providers sign or encrypt.
    pub(super) details: Option<Json<'a>>,
    pub(super) images: Option<Json<'a>>,
    pub(super) tool_calls: Vec<CallDelta<'a>>,
}

#[derive(Debug, Default)]
pub(super) struct CallDelta<'a> {
    pub(super) index: Option<u32>,
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) arguments: Cow<'a, str>,
    pub(super) signature: Cow<'a, str>,
}

/// A value that says something.
fn json<'a>(pull: &mut Pull<'a>) -> Option<Option<Json<'a>>> {
    pull.json()
        .map(|json| Some(json).filter(|json| !json.is_null()))
}

/// A string; anything else is an empty one.
fn string<'a>(pull: &mut Pull<'a>) -> Option<Cow<'a, str>> {
    if pull.is_string() {
        pull.string()
    } else {
        pull.json().map(|_| Cow::default())
    }
}

fn index(pull: &mut Pull<'_>) -> Option<Option<u32>> {
    pull.json()
        .map(|json| json.as_f64().map(|index| index as u32))
}

impl<'a> Chunk<'a> {
    /// Reads a payload; `None` if it is not JSON.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut pull = Pull::new(text);
        let mut chunk = Self::default();
        if !pull.is_object() {
            chunk.is_broken = true;
            pull.json()?;
            return pull.end().map(|()| chunk);
        }
        let (mut has_error, mut is_known) = (false, false);
        pull.object(|pull, key| {
            match key {
                "id" => chunk.id = json(pull)?,
                "choices" if pull.is_array() => {
                    is_known = true;
                    pull.array(|pull| {
                        chunk.is_broken |= !pull.is_object();
                        chunk.choices.push(Choice::read(pull)?);
                        Some(())
                    })?;
                }
                "choices" => chunk.is_broken |= json(pull)?.is_some(),
                "usage" => {
                    chunk.usage = json(pull)?;
                    is_known |= chunk.usage.is_some();
                }
                "x_groq" => {
                    chunk.x_groq = json(pull)?;
                    // Why the stream was stopped early.
                    has_error |= chunk
                        .x_groq
                        .is_some_and(|extra| extra.get("error").is_some());
                }
                "error" => has_error |= json(pull)?.is_some(),
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        let has_failed = has_error || chunk.choices.iter().any(|choice| choice.has_error);
        chunk.is_usual = is_known && !chunk.is_broken && !has_failed;
        pull.end().map(|()| chunk)
    }
}

impl<'a> Choice<'a> {
    fn read(pull: &mut Pull<'a>) -> Option<Self> {
        let mut choice = Self::default();
        if !pull.is_object() {
            pull.json()?;
            return Some(choice);
        }
        pull.object(|pull, key| {
            match key {
                "index" => choice.index = index(pull)?,
                "delta" => choice.delta = Delta::read(pull)?,
                "message" => choice.message = Delta::read(pull)?,
                "finish_reason" => choice.finish_reason = json(pull)?.and_then(Json::as_str),
                "usage" => choice.usage = json(pull)?,
                "error" => choice.has_error = json(pull)?.is_some(),
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        Some(choice)
    }
}

impl<'a> Delta<'a> {
    fn read(pull: &mut Pull<'a>) -> Option<Option<Self>> {
        let mut delta = Self::default();
        if !pull.is_object() {
            return pull.json().map(|_| None);
        }
        pull.object(|pull, key| {
            match key {
                "content" if pull.is_array() => delta.read_parts(pull.json()?),
                "content" => delta.text = string(pull)?,
                "refusal" => delta.refusal = string(pull)?,
                "reasoning_content" | "reasoning" | "reasoning_text" => {
                    let thinking = string(pull)?;
                    delta.think(thinking);
                }
                "reasoning_details" => delta.details = json(pull)?,
                "images" => delta.images = json(pull)?,
                "tool_calls" if pull.is_array() => pull.array(|pull| {
                    delta.tool_calls.push(CallDelta::read(pull)?);
                    Some(())
                })?,
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        Some(Some(delta))
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
    fn read(pull: &mut Pull<'a>) -> Option<Self> {
        let mut call = Self::default();
        if !pull.is_object() {
            pull.json()?;
            return Some(call);
        }
        pull.object(|pull, key| {
            match key {
                "index" => call.index = index(pull)?,
                "id" => call.id = string(pull)?,
                "extra_content" => {
                    let google = pull.json()?.get("google");
                    let signature =
                        google.and_then(|google| google.get("thought_signature")?.as_str());
                    call.signature = signature.unwrap_or_default();
                }
                "function" if pull.is_object() => pull.object(|pull, key| {
                    match key {
                        "name" => call.name = string(pull)?,
                        "arguments" => call.arguments = arguments(pull)?,
                        _ => drop(pull.json()?),
                    }
                    Some(())
                })?,
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        Some(call)
    }
}

/// The JSON text of arguments. Some hosts send the object itself.
fn arguments<'a>(pull: &mut Pull<'a>) -> Option<Cow<'a, str>> {
    if pull.is_string() {
        return pull.string();
    }
    Some(json(pull)?.map_or_else(Cow::default, |json| Cow::Borrowed(json.text())))
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
        text.push_str(&inner.as_str().unwrap_or_default());
    }
}
