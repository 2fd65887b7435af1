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

/// A value that says something.
fn json<'a>(pull: &mut Pull<'a>) -> Option<Option<Json<'a>>> {
    pull.json()
        .map(|json| Some(json).filter(|json| !json.is_null()))
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
        let (mut is_known, mut has_error) = (false, false);
        pull.object(|pull, key| {
            match key {
                "candidates" if pull.is_array() => {
                    is_known = true;
                    pull.array(|pull| chunk.read_candidate(pull))?;
                }
                "candidates" => chunk.is_broken |= json(pull)?.is_some(),
                "promptFeedback" => chunk.prompt_feedback = json(pull)?,
                "usageMetadata" => chunk.usage = json(pull)?,
                "responseId" => chunk.id = json(pull)?,
                "error" => has_error = json(pull)?.is_some(),
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        is_known |= chunk.usage.is_some() || chunk.prompt_feedback.is_some();
        chunk.is_usual = is_known && !chunk.is_broken && !has_error;
        pull.end().map(|()| chunk)
    }

    fn read_candidate(&mut self, pull: &mut Pull<'a>) -> Option<()> {
        if !pull.is_object() {
            self.is_broken = true;
            return pull.json().map(drop);
        }
        let (mut parts, mut finish_reason, mut is_other) = (Vec::new(), None, false);
        pull.object(|pull, key| {
            match key {
                "content" if pull.is_object() => pull.object(|pull, key| {
                    match key {
                        "parts" if pull.is_array() => pull.array(|pull| {
                            parts.push(self.read_part(pull)?);
                            Some(())
                        })?,
                        "parts" => self.is_broken |= json(pull)?.is_some(),
                        _ => drop(pull.json()?),
                    }
                    Some(())
                })?,
                "content" => self.is_broken |= json(pull)?.is_some(),
                "finishReason" => finish_reason = json(pull)?.and_then(Json::as_str),
                "index" => {
                    is_other = json(pull)?
                        .and_then(Json::as_f64)
                        .is_some_and(|at| at > 0.0)
                }
                _ => drop(pull.json()?),
            }
            Some(())
        })?;
        if !is_other {
            self.parts = parts;
            self.finish_reason = finish_reason;
        }
        Some(())
    }

    fn read_part(&mut self, pull: &mut Pull<'a>) -> Option<Part<'a>> {
        let mut part = Part::default();
        if !pull.is_object() {
            self.is_broken = true;
            pull.json()?;
            return Some(part);
        }
        pull.object(|pull, key| {
            let value = json(pull)?;
            match key {
                "text" => part.text = value,
                "thought" => part.is_thought = value.and_then(Json::as_bool) == Some(true),
                "thoughtSignature" => part.signature = value,
                "functionCall" => part.call = value,
                "inlineData" => part.data = value,
                _ => {}
            }
            Some(())
        })?;
        self.is_broken |= part.text.is_some_and(|text| !text.is_string())
            || part.call.is_some_and(|call| !call.is_object())
            || part.data.is_some_and(|data| !data.is_object());
        Some(part)
    }
}
