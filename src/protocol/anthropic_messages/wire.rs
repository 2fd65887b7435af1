//! The JSON of a streamed Messages response, as far as it is read.
//!
//! Owns where things stand in an event: it is gone through once, front to back, and what is unknown
//! is skipped. Whole blocks and messages stay the text they are. Refuses to interpret: what the
//! members mean is the business of `stream.rs`.
//!
//! Source: Anthropic API, "Streaming messages".

use std::borrow::Cow;

use crate::text::json::{Json, Pull};

/// One event.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) index: Option<u32>,
    pub(super) delta: Option<Delta<'a>>,
    /// What begins: `message` or `content_block`.
    pub(super) begins: Option<Json<'a>>,
    pub(super) usage: Option<Json<'a>>,
}

/// More of a block, or of the message itself.
#[derive(Debug, Default)]
pub(super) struct Delta<'a> {
    pub(super) kind: Cow<'a, str>,
    /// Text, thinking, JSON text or a signature, by the kind.
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) stop_reason: Option<Cow<'a, str>>,
    pub(super) stop_details: Option<Json<'a>>,
}

/// A string; nothing if it is anything else.
fn string<'a>(pull: &mut Pull<'a>) -> Option<Option<Cow<'a, str>>> {
    if pull.is_string() {
        pull.string().map(Some)
    } else {
        pull.json().map(|_| None)
    }
}

impl<'a> Event<'a> {
    /// Reads a payload; `None` if it is not JSON.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut pull = Pull::new(text);
        let mut event = Self::default();
        if !pull.is_object() {
            pull.json()?;
            return pull.end().map(|()| event);
        }
        pull.object(|pull, key| {
            match key {
                "type" => event.kind = string(pull)?.unwrap_or_default(),
                "index" => event.index = pull.json()?.as_f64().map(|index| index as u32),
                "delta" => event.delta = Delta::read(pull)?,
                "message" | "content_block" => {
                    event.begins = Some(pull.json()?).filter(|json| json.is_object());
                }
                "usage" => event.usage = Some(pull.json()?),
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        pull.end().map(|()| event)
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
                "type" => delta.kind = string(pull)?.unwrap_or_default(),
                "text" | "thinking" | "partial_json" | "signature" => delta.text = string(pull)?,
                "stop_reason" => delta.stop_reason = string(pull)?,
                "stop_details" => delta.stop_details = Some(pull.json()?),
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        Some(Some(delta))
    }
}
