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

use crate::protocol::tool_calls::CallPiece;
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
    /// Whether it has an error, or the upstream of a router had one.
    has_error: bool,
    /// What stands before the choices, if it is of no interest: the next chunk of a stream begins so too.
    pub(super) head: Option<&'a str>,
}

#[derive(Debug, Default)]
pub(super) struct Choice<'a> {
    pub(super) index: Option<u32>,
    pub(super) delta: Delta<'a>,
    /// Whether the delta is a whole message, as where a completion comes at once.
    pub(super) is_message: bool,
    has_delta: bool,
    pub(super) finish_reason: Option<Cow<'a, str>>,
    /// Moonshot's place for it.
    pub(super) usage: Option<Json<'a>>,
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
    pub(super) tool_calls: Vec<CallPiece<'a>>,
}

/// Which object is read.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Level {
    Chunk,
    Choice,
    Delta,
    Call,
    Function,
}

// One function reads the objects of all levels, because the reader is compiled for each caller.
impl<'a> Chunk<'a> {
    /// Reads a payload; `None` if it is not JSON. What stands before the choices is not read again if it is `known`, the
    /// head of a chunk before.
    pub(super) fn read(text: &'a str, known: &str) -> Option<Self> {
        let mut pull = Pull::new(text);
        pull.skip_known(known);
        let mut chunk = Self {
            is_broken: !pull.is_object(),
            ..Self::default()
        };
        chunk.read_object(Level::Chunk, &mut pull)?;
        chunk.is_usual &= !chunk.is_broken && !chunk.has_error;
        pull.end().map(|()| chunk)
    }

    /// Reads an object; what is none is passed over.
    fn read_object(&mut self, level: Level, pull: &mut Pull<'a>) -> Option<()> {
        if !pull.is_object() {
            return pull.json().map(drop);
        }
        pull.object(|pull, key| {
            match (level, key) {
                (Level::Chunk, "choices") if pull.is_array() => {
                    self.head = self.head(pull.read());
                    self.is_usual = true;
                    return pull.array(|pull| {
                        self.is_broken |= !pull.is_object();
                        self.choices.push(Choice::default());
                        self.read_object(Level::Choice, pull)
                    });
                }
                (Level::Choice, "delta" | "message")
                    if pull.is_object() && self.begins_delta(key == "message") =>
                {
                    return self.read_object(Level::Delta, pull);
                }
                (Level::Delta, "tool_calls") if pull.is_array() => {
                    return pull.array(|pull| {
                        if let Some(choice) = self.choices.last_mut() {
                            choice.delta.tool_calls.push(CallPiece::default());
                        }
                        self.read_object(Level::Call, pull)
                    });
                }
                (Level::Call, "function") => return self.read_object(Level::Function, pull),
                _ => {}
            }
            let value = pull.json()?;
            if !value.is_null() {
                self.take(level, key, value);
            }
            Some(())
        })
    }

    /// The text before the key of the choices, where all before it can be left unread in the next chunk.
    fn head(&self, read: &'a str) -> Option<&'a str> {
        let is_of_interest = self.usage.is_some()
            || self.x_groq.is_some()
            || self.has_error
            || !self.choices.is_empty();
        if is_of_interest {
            return None;
        }
        let key = read.trim_ascii_end().strip_suffix(':')?;
        key.trim_ascii_end().strip_suffix("\"choices\"")
    }

    /// Whether the delta, or the message, of a choice is to be read: a message beside a delta is not.
    fn begins_delta(&mut self, is_message: bool) -> bool {
        let Some(choice) = self.choices.last_mut() else {
            return false;
        };
        if is_message && choice.has_delta {
            return false;
        }
        choice.delta = Delta::default();
        choice.has_delta = true;
        choice.is_message = is_message;
        true
    }

    /// A member that says something.
    fn take(&mut self, level: Level, key: &str, value: Json<'a>) {
        match (level, key) {
            (Level::Chunk, "id") => self.id = Some(value),
            (Level::Chunk, "choices") => self.is_broken = true,
            (Level::Chunk, "usage") => {
                self.usage = Some(value);
                self.is_usual = true;
            }
            (Level::Chunk, "x_groq") => {
                self.x_groq = Some(value);
                // Why the stream was stopped early.
                self.has_error |= value.get("error").is_some();
            }
            (Level::Chunk | Level::Choice, "error") => self.has_error = true,
            _ => {
                if let Some(choice) = self.choices.last_mut() {
                    choice.take(level, key, value);
                }
            }
        }
    }
}

impl<'a> Choice<'a> {
    fn take(&mut self, level: Level, key: &str, value: Json<'a>) {
        let delta = &mut self.delta;
        match (level, key, delta.tool_calls.last_mut()) {
            (Level::Choice, "index", _) => self.index = index(value),
            (Level::Choice, "finish_reason", _) => self.finish_reason = value.as_str(),
            (Level::Choice, "usage", _) => self.usage = Some(value),
            (Level::Delta, "content", _) if value.is_array() => delta.read_parts(value),
            (Level::Delta, "content", _) => delta.text = string(value),
            (Level::Delta, "refusal", _) => delta.refusal = string(value),
            (Level::Delta, "reasoning_content" | "reasoning" | "reasoning_text", _)
                if delta.thinking.is_empty() =>
            {
                delta.thinking = string(value);
            }
            (Level::Delta, "reasoning_details", _) => delta.details = Some(value),
            (Level::Delta, "images", _) => delta.images = Some(value),
            (Level::Call, "index", Some(call)) => call.index = index(value),
            (Level::Call, "id", Some(call)) => call.id = string(value),
            (Level::Call, "extra_content", Some(call)) => {
                let google = value.get("google");
                let signature = google.and_then(|google| google.get("thought_signature"));
                call.signature = signature.map(string).unwrap_or_default();
            }
            (Level::Function, "name", Some(call)) => call.name = string(value),
            // Some hosts send the object itself.
            (Level::Function, "arguments", Some(call)) => {
                let text = value.as_str();
                call.arguments = text.unwrap_or(Cow::Borrowed(value.text()));
            }
            _ => {}
        }
    }
}

impl<'a> Delta<'a> {
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

/// A string; anything else is an empty one.
fn string(value: Json<'_>) -> Cow<'_, str> {
    value.as_str().unwrap_or_default()
}

fn index(value: Json<'_>) -> Option<u32> {
    value.as_f64().map(|index| index as u32)
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
