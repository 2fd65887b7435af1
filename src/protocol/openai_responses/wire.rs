//! The JSON of one event of a Responses stream, as far as it is read.
//!
//! Owns where things stand in a payload: it is gone through once, front to back; items and
//! responses are left as the text they are. Refuses to interpret: what the members mean is the
//! business of `stream.rs`.
//!
//! Source: OpenAI API reference, "Streaming events".

use std::borrow::Cow;

use crate::text::json::{Json, Pull};

/// One `data:` payload. What it does not have, or has in another type, is absent.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    /// `type`.
    pub(super) kind: Cow<'a, str>,
    /// The item's place in the output: unlike its id, the same in every event of the item.
    pub(super) output_index: Option<u32>,
    /// Which part of the item: of its content (even) or of its summary (odd).
    pub(super) part: u32,
    pub(super) delta: Option<Cow<'a, str>>,
    /// The whole of what deltas hold pieces of.
    pub(super) whole: Option<Cow<'a, str>>,
    pub(super) item: Option<Json<'a>>,
    pub(super) response: Option<Json<'a>>,
}

/// What an item or an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Reasoning,
    Function,
    /// A call whose input is plain text.
    Custom,
    Image,
    /// Whatever the provider does by itself.
    Hosted,
}

impl Kind {
    /// The kind of an item, by its `type`.
    pub(super) fn of(item: Json<'_>) -> Self {
        match item.get("type").and_then(Json::as_str).as_deref() {
            Some("message") => Self::Message,
            Some("reasoning") => Self::Reasoning,
            Some("function_call") => Self::Function,
            Some("custom_tool_call") => Self::Custom,
            Some("image_generation_call") => Self::Image,
            _ => Self::Hosted,
        }
    }

    /// The kind of item that grows by events about `subject`. Hosts have several names for
    /// thinking: `reasoning_summary_text`, `reasoning_text`, `reasoning`.
    pub(super) fn of_subject(subject: &str) -> Option<Self> {
        match subject {
            "output_text" | "refusal" => Some(Self::Message),
            "function_call_arguments" => Some(Self::Function),
            "custom_tool_call_input" => Some(Self::Custom),
            _ if subject.starts_with("reasoning") => Some(Self::Reasoning),
            _ => None,
        }
    }

    pub(super) fn is_call(self) -> bool {
        matches!(self, Self::Function | Self::Custom)
    }
}

impl<'a> Event<'a> {
    /// Reads a payload; `None` if it is not a JSON object.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut pull = Pull::new(text);
        let mut event = Self::default();
        if !pull.is_object() {
            return None;
        }
        pull.object(|pull, key| {
            match key {
                "type" => event.kind = string(pull)?.unwrap_or_default(),
                "delta" => event.delta = string(pull)?,
                "output_index" => event.output_index = index(pull)?,
                "content_index" => event.part = index(pull)?.unwrap_or_default() << 1,
                "summary_index" => event.part = index(pull)?.unwrap_or_default() << 1 | 1,
                "text" | "refusal" | "arguments" | "input" => event.whole = string(pull)?,
                "item" => event.item = object(pull)?,
                "response" => event.response = object(pull)?,
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        pull.end().map(|()| event)
    }
}

fn string<'a>(pull: &mut Pull<'a>) -> Option<Option<Cow<'a, str>>> {
    if pull.is_string() {
        pull.string().map(Some)
    } else {
        pull.json().map(|_| None)
    }
}

fn index(pull: &mut Pull<'_>) -> Option<Option<u32>> {
    pull.json()
        .map(|json| json.as_f64().map(|index| index as u32))
}

fn object<'a>(pull: &mut Pull<'a>) -> Option<Option<Json<'a>>> {
    pull.json()
        .map(|json| Some(json).filter(|json| json.is_object()))
}

/// A member that is text; empty if it is no such thing.
pub(super) fn text<'a>(json: Json<'a>, name: &str) -> Cow<'a, str> {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}
