//! `reasoning_details`: thinking in the form in which routers pass on what providers sign or encrypt.
//!
//! Owns both directions: a detail that arrives becomes a block of thinking, whose opaque signature is
//! the JSON of all members but the text, and such blocks become details again. So the transcript has
//! every text once, and a detail goes back as it came. Refuses to understand what the members mean.
//!
//! Source: OpenRouter, "Reasoning tokens" (`reasoning_details`, "Preserving reasoning blocks").

use crate::message::ThinkingContent;
use crate::protocol::StreamPart;
use crate::protocol::history::{self, AssistantPart};
use crate::text::json::{Json, JsonWriter};

#[cfg(test)]
mod tests;

/// The detail that is arriving: its members but the text, as JSON.
#[derive(Debug, Default)]
pub(super) struct Details(Vec<(String, String)>);

impl Details {
    /// Reads the details of one chunk. Whether they hold text.
    #[inline(never)]
    pub(super) fn read(&mut self, details: Json<'_>, parts: &mut Vec<StreamPart>) -> bool {
        let mut has_text = false;
        for detail in details.items() {
            let text = detail.get("text").or(detail.get("summary"));
            let text = text.and_then(Json::as_str).unwrap_or_default();
            let has = |name| detail.get(name).is_some_and(|value| !value.is_null());
            if text.is_empty() && !has("signature") && !has("data") {
                continue;
            }
            // What is encrypted comes whole; text comes in pieces of the same type and index.
            if has("data") || !self.is_continued_by(detail) {
                self.close(parts);
            }
            for (name, value) in detail.members() {
                if !matches!(&*name, "text" | "summary") && !value.is_null() {
                    self.set(&name, value.text());
                }
            }
            if !text.is_empty() {
                has_text = true;
                parts.push(StreamPart::Thinking(text.into_owned()));
            }
        }
        has_text
    }

    /// Something else begins, or the answer is complete: signs the block.
    pub(super) fn close(&mut self, parts: &mut Vec<StreamPart>) {
        if self.is_empty() {
            return;
        }
        let is_encrypted = self.member("data").is_some();
        let mut json = JsonWriter::default();
        json.object(|json| {
            for (name, value) in self.0.drain(..) {
                json.key(&name).raw(&value);
            }
        });
        if is_encrypted {
            parts.push(StreamPart::RedactedThinking(json.into_text()));
        } else {
            parts.push(StreamPart::ThinkingSignature(json.into_text()));
            parts.push(StreamPart::BlockEnd);
        }
    }

    /// Whether no detail is arriving.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn is_continued_by(&self, detail: Json<'_>) -> bool {
        let is_same = |name| self.member(name) == detail.get(name).map(Json::text);
        is_same("type") && is_same("index") && self.member("data").is_none()
    }

    fn member(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn set(&mut self, name: &str, value: &str) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) if known == value => {}
            Some((_, known)) => value.clone_into(known),
            None => self.0.push((name.to_owned(), value.to_owned())),
        }
    }
}

/// Whether a block was a detail and goes back as one.
pub(super) fn is_detail(block: &ThinkingContent) -> bool {
    members(block).is_some()
}

/// The details of a turn as JSON, if it has any.
pub(super) fn of_turn(parts: &[AssistantPart<'_>]) -> Option<String> {
    let mut json = JsonWriter::default();
    let mut found = false;
    json.array(|json| {
        for part in parts {
            if let AssistantPart::Thinking(block) = part
                && let Some(detail) = members(block)
            {
                found = true;
                write(block, detail, parts, json);
            }
        }
    });
    found.then(|| json.into_text())
}

/// The members that the signature of a block holds; none if the block is no detail.
fn members(block: &ThinkingContent) -> Option<Json<'_>> {
    let signature = history::signature(block.thinking_signature.as_deref())?;
    Json::parse(signature)
        .ok()
        .filter(|json| json.get("type").is_some())
}

fn write(
    block: &ThinkingContent,
    detail: Json<'_>,
    parts: &[AssistantPart<'_>],
    json: &mut JsonWriter,
) {
    let is_summary = detail.get("type").and_then(Json::as_str).as_deref() == Some(SUMMARY);
    json.object(|json| {
        for (name, value) in detail.members() {
            // Gemini's are those of the calls, which may have other ids in this request.
            let id = value.as_str().filter(|_| name == "id");
            match id.and_then(|id| call_id(&id, parts)) {
                Some(id) => json.key(&name).string(id),
                None => json.key(&name).raw(value.text()),
            };
        }
        if !block.thinking.is_empty() {
            let key = if is_summary { "summary" } else { "text" };
            json.key(key).string(&block.thinking);
        }
    });
}

/// The id that a call has in this request. In the transcript it may have another one than the host gave it.
fn call_id<'t>(id: &str, parts: &'t [AssistantPart<'_>]) -> Option<&'t str> {
    parts.iter().find_map(|part| match part {
        AssistantPart::Call(part)
            if part.call.id == id || history::is_made_from(id, &part.call.id) =>
        {
            Some(&*part.id)
        }
        _ => None,
    })
}

const SUMMARY: &str = "reasoning.summary";
