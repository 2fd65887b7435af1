//! The JSON of a Gemini response, as far as it is read.
//!
//! Owns where things stand in a payload: it is gone through once, front to back, and what is unknown
//! or `null` is skipped. Refuses to interpret: what the members mean is the business of `stream.rs`.
//!
//! Source: Gemini API reference, "GenerateContentResponse" and "Content".

use std::borrow::Cow;

use crate::text::json::{Json, Pull};

/// One `data:` payload, or a whole response.
#[derive(Debug, Default)]
pub(super) struct Chunk<'a> {
    pub(super) id: Option<Json<'a>>,
    /// Of the first candidate; nobody asks for more.
    pub(super) parts: Vec<Part<'a>>,
    pub(super) finish_reason: Option<Cow<'a, str>>,
    pub(super) prompt_feedback: Option<Json<'a>>,
    pub(super) usage: Option<Json<'a>>,
    /// Whether the payload looks like a chunk and not like a failure.
    pub(super) is_usual: bool,
    /// Whether a member that has one type in every chunk has another.
    pub(super) is_broken: bool,
    has_error: bool,
    /// Whether the candidate that is read is not the first.
    is_other: bool,
}

/// A piece of content. One of `text`, `call` and `data` is there; if none is, it is of a kind that
/// Google runs or reads itself.
#[derive(Debug, Default)]
pub(super) struct Part<'a> {
    pub(super) text: Option<Json<'a>>,
    /// Whether the text is thinking.
    pub(super) is_thought: bool,
    pub(super) signature: Option<Json<'a>>,
    pub(super) call: Option<Json<'a>>,
    pub(super) data: Option<Json<'a>>,
}

/// Which object is read.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Chunk,
    Candidate,
    Content,
    Part,
}

// One function reads the objects of all levels, because the reader is compiled for each caller.
impl<'a> Chunk<'a> {
    /// Reads a payload; `None` if it is not JSON.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut pull = Pull::new(text);
        let mut chunk = Self {
            is_broken: !pull.is_object(),
            ..Self::default()
        };
        chunk.read_object(Level::Chunk, &mut pull)?;
        chunk.is_usual &= !chunk.is_broken && !chunk.has_error;
        pull.end().map(|()| chunk)
    }

    fn read_object(&mut self, level: Level, pull: &mut Pull<'a>) -> Option<()> {
        if !pull.is_object() {
            return self.expect_null(pull);
        }
        pull.object(|pull, key| match (level, key) {
            (Level::Chunk, "candidates") => {
                self.is_usual = true;
                self.read_array(Level::Candidate, pull)
            }
            (Level::Candidate, "content") => self.read_object(Level::Content, pull),
            (Level::Content, "parts") => self.read_array(Level::Part, pull),
            _ => {
                let value = pull.json()?;
                if !value.is_null() {
                    self.take(level, key, value);
                }
                Some(())
            }
        })
    }

    fn read_array(&mut self, level: Level, pull: &mut Pull<'a>) -> Option<()> {
        if !pull.is_array() {
            return self.expect_null(pull);
        }
        pull.array(|pull| {
            self.is_broken |= !pull.is_object();
            if level == Level::Part {
                self.parts.push(Part::default());
                return self.read_object(level, pull);
            }
            let (parts, finish_reason) = (self.parts.len(), self.finish_reason.take());
            self.is_other = false;
            self.read_object(level, pull)?;
            if self.is_other {
                self.parts.truncate(parts);
                self.finish_reason = finish_reason;
            }
            Some(())
        })
    }

    fn expect_null(&mut self, pull: &mut Pull<'a>) -> Option<()> {
        self.is_broken |= !pull.json()?.is_null();
        Some(())
    }

    /// A member that says something.
    fn take(&mut self, level: Level, key: &str, value: Json<'a>) {
        let has_type = match (level, key, self.parts.last_mut()) {
            (Level::Chunk, "promptFeedback", _) => {
                self.is_usual = true;
                self.prompt_feedback = Some(value);
                true
            }
            (Level::Chunk, "usageMetadata", _) => {
                self.is_usual = true;
                self.usage = Some(value);
                true
            }
            (Level::Chunk, "responseId", _) => {
                self.id = Some(value);
                true
            }
            (Level::Chunk, "error", _) => {
                self.has_error = true;
                true
            }
            (Level::Candidate, "finishReason", _) => {
                self.finish_reason = value.as_str();
                self.finish_reason.is_some()
            }
            (Level::Candidate, "index", _) => {
                self.is_other = value.text() != "0";
                true
            }
            (Level::Part, "text", Some(part)) => {
                part.text = Some(value);
                value.is_string()
            }
            (Level::Part, "thought", Some(part)) => {
                part.is_thought = value.as_bool() == Some(true);
                true
            }
            (Level::Part, "thoughtSignature", Some(part)) => {
                part.signature = Some(value);
                true
            }
            (Level::Part, "functionCall", Some(part)) => {
                part.call = Some(value);
                value.is_object()
            }
            (Level::Part, "inlineData", Some(part)) => {
                part.data = Some(value);
                value.is_object()
            }
            _ => true,
        };
        self.is_broken |= !has_type;
    }
}
