//! The JSON of a streamed Messages response, as far as it is read.
//!
//! Owns where things stand in an event: it is gone through once, front to back, and what is unknown
//! is skipped. Whole blocks and messages stay the text they are. Refuses to interpret: what the
//! members mean is the business of `stream.rs`.
//!
//! Source: Anthropic API, "Streaming messages".

use std::borrow::Cow;

use crate::text::json::{Json, Pull};

/// One event, with the members of its delta beside its own: none has a name that the other has, but
/// for the type.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) index: Option<u32>,
    /// What begins: `message` or `content_block`.
    pub(super) begins: Option<Json<'a>>,
    pub(super) usage: Option<Json<'a>>,
    /// Whether there is more of a block, or of the message itself.
    pub(super) has_delta: bool,
    /// The type of the delta.
    pub(super) delta: Cow<'a, str>,
    /// Text, thinking, JSON text or a signature, by the type.
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) stop_reason: Option<Cow<'a, str>>,
    pub(super) stop_details: Option<Json<'a>>,
}

impl<'a> Event<'a> {
    /// Reads a payload; `None` if it is not JSON.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut pull = Pull::new(text);
        let mut event = Self::default();
        if pull.is_object() {
            event.read_members(false, &mut pull)?;
        } else {
            pull.json()?;
        }
        pull.end().map(|()| event)
    }

    /// Reads the members of the event, or of its delta. They share a reader because its code is the
    /// larger part of this module.
    fn read_members(&mut self, is_delta: bool, pull: &mut Pull<'a>) -> Option<()> {
        pull.object(|pull, key| {
            match (is_delta, key) {
                (false, "type") => self.kind = string(pull)?.unwrap_or_default(),
                (false, "index") => self.index = pull.json()?.as_f64().map(|index| index as u32),
                (false, "delta") if pull.is_object() => {
                    self.has_delta = true;
                    self.read_members(true, pull)?;
                }
                (false, "message" | "content_block") => {
                    self.begins = Some(pull.json()?).filter(|json| json.is_object());
                }
                (false, "usage") => self.usage = Some(pull.json()?),
                (true, "type") => self.delta = string(pull)?.unwrap_or_default(),
                (true, "text" | "thinking" | "partial_json" | "signature") => {
                    self.text = string(pull)?;
                }
                (true, "stop_reason") => self.stop_reason = string(pull)?,
                (true, "stop_details") => self.stop_details = Some(pull.json()?),
                _ => drop(pull.json()?),
            }
            Some(())
        })
    }
}

/// A string; nothing if it is anything else.
fn string<'a>(pull: &mut Pull<'a>) -> Option<Option<Cow<'a, str>>> {
    if pull.is_string() {
        pull.string().map(Some)
    } else {
        pull.json().map(|_| None)
    }
}
