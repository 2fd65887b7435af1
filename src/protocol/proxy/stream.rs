//! Events of a backend → parts.
//!
//! Owns the reading of one response: the blocks by their `contentIndex`, and the verdict on how it
//! ended. Refuses to guess: an event that contradicts those before it fails the response.
//!
//! A response is complete with `done` or `error`. One block of text or thinking grows at a time; the
//! start of another block closes it, and what comes for it later goes into a block of its own.

use super::wire::{Event, Member};
use crate::error::{ErrorInfo, Failure};
use crate::message::StopReason;
use crate::protocol::count::count;
use crate::protocol::decoder::{Read, Wire};
use crate::protocol::failure;
use crate::protocol::{StreamPart, UsageUpdate, billed};
use crate::text::json::{Json, from_text};

#[cfg(test)]
mod tests;

/// Reads the events of one response.
#[derive(Debug, Default)]
pub(in crate::protocol) struct StreamDecoder {
    /// All that began, sorted by index.
    blocks: Vec<Block>,
    /// The block of text or thinking that the latest parts belong to.
    current: Option<u32>,
    calls: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Call,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    index: u32,
    kind: Kind,
    /// Of a call: its number.
    key: u32,
    is_open: bool,
    is_empty: bool,
}

impl Wire for StreamDecoder {
    fn read(
        &mut self,
        event: &str,
        data: &str,
        parts: &mut Vec<StreamPart>,
    ) -> Result<Read, Failure> {
        match Event::read(data) {
            Some(event) => self.on_event(data, &event, parts),
            None if event == "error" => Err(named(failure::said(data))),
            None => Ok(Read::Unreadable),
        }
    }

    /// The body is an error, or nothing that a backend sends.
    fn read_whole(&mut self, body: &str, _: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        let reported = Json::parse(body).ok().and_then(failure::in_payload);
        Err(reported.map_or_else(
            || bad_response("the response is no event stream").retryable(false),
            named,
        ))
    }

    fn end(&mut self, _: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        Err(named(failure::truncated()))
    }

    fn named(&self, failure: Failure) -> Failure {
        named(failure)
    }
}

impl StreamDecoder {
    fn on_event(
        &mut self,
        data: &str,
        event: &Event<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<Read, Failure> {
        let Some(name) = event.text(Member::Type) else {
            let reported = Json::parse(data).ok();
            let reported = reported.and_then(failure::in_payload).map(named);
            return Err(reported.unwrap_or_else(|| bad_response("an event has no type")));
        };
        let (kind, step) = name.split_once('_').unwrap_or((&name, ""));
        let kind = match kind {
            "text" => Kind::Text,
            "thinking" => Kind::Thinking,
            "toolcall" => Kind::Call,
            "image" if step == "end" => {
                self.on_image(event, parts)?;
                return Ok(Read::More);
            }
            "done" => return self.on_done(event, parts).map(Read::Ended),
            "error" => return Err(on_error(data, event, parts)),
            // `start`, and events of a later version.
            _ => return Ok(Read::More),
        };
        match step {
            "start" => self.on_start(kind, event, parts)?,
            "delta" => self.on_delta(kind, event, parts)?,
            "end" => self.on_end(kind, event, parts)?,
            _ => {}
        }
        Ok(Read::More)
    }

    fn on_start(
        &mut self,
        kind: Kind,
        event: &Event<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let index = index(event)?;
        let Err(place) = self.place(index) else {
            return Err(bad_response("a block begins twice"));
        };
        let key = self.calls;
        if kind == Kind::Call {
            let Some(name) = event.string(Member::ToolName) else {
                return Err(bad_response("a tool call has no name"));
            };
            let id = event.string(Member::Id).unwrap_or_default();
            self.calls += 1;
            self.current = None;
            parts.push(StreamPart::ToolCallStart { key, id, name });
        } else {
            self.enter(index, parts);
        }
        let block = Block {
            index,
            kind,
            key,
            is_open: true,
            is_empty: true,
        };
        self.blocks.insert(place, block);
        Ok(())
    }

    fn on_delta(
        &mut self,
        kind: Kind,
        event: &Event<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let block = self.block(kind, event, true)?;
        match event.text(Member::Delta) {
            Some(delta) => self.grow(block, delta.into_owned(), parts),
            None => return Err(bad_response("a delta is no string")),
        }
        Ok(())
    }

    fn on_end(
        &mut self,
        kind: Kind,
        event: &Event<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let block = self.block(kind, event, false)?;
        let mut signature = event.string(Member::ContentSignature);
        if kind == Kind::Call {
            // A backend may tell a call as a whole.
            let call = event.get(Member::ToolCall);
            let arguments = call.and_then(|call| call.get("arguments"));
            if let Some(arguments) = arguments.filter(|_| block.is_empty) {
                self.grow(block, arguments.text().to_owned(), parts);
            }
            let key = block.key;
            let told = || Some(call?.get("thoughtSignature")?.as_str()?.into_owned());
            let told = || told().filter(|signature| !signature.is_empty());
            if let Some(signature) = signature.or_else(told) {
                parts.push(StreamPart::ToolCallSignature { key, signature });
            }
            parts.push(StreamPart::ToolCallEnd { key });
            return Ok(());
        }
        if block.is_empty
            && let Some(content) = event.string(Member::Content)
        {
            self.grow(block, content, parts);
        } else if block.is_empty
            && event.get(Member::Redacted).and_then(Json::as_bool) == Some(true)
        {
            parts.extend(signature.take().map(StreamPart::RedactedThinking));
        }
        if self.current == Some(block.index) {
            parts.extend(signature.map(|signature| match kind {
                Kind::Thinking => StreamPart::ThinkingSignature(signature),
                _ => StreamPart::TextSignature(signature),
            }));
            parts.push(StreamPart::BlockEnd);
            self.current = None;
        }
        Ok(())
    }

    fn on_image(&mut self, event: &Event<'_>, parts: &mut Vec<StreamPart>) -> Result<(), Failure> {
        let member = |name: &str| {
            Some(
                event
                    .get(Member::Content)?
                    .get(name)?
                    .as_str()?
                    .into_owned(),
            )
        };
        let (Some(data), Some(mime_type)) = (member("data"), member("mimeType")) else {
            return Err(bad_response("an image has no data"));
        };
        self.current = None;
        parts.push(StreamPart::Image { data, mime_type });
        Ok(())
    }

    fn on_done(
        &mut self,
        event: &Event<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<StopReason, Failure> {
        push_totals(event, parts);
        if self
            .blocks
            .iter()
            .any(|block| block.is_open && block.kind == Kind::Call)
        {
            return Err(bad_response("the answer is done within a tool call"));
        }
        let reason = event.text(Member::Reason).unwrap_or_default();
        match &*reason {
            "stop" => Ok(StopReason::Stop),
            "length" => Ok(StopReason::Length),
            "toolUse" => Ok(StopReason::ToolUse),
            _ => {
                let reason: String = reason.chars().take(80).collect();
                let message = [
                    "the answer ended for an unknown reason (\"",
                    &failure::clean(&reason),
                    "\")",
                ];
                Err(bad_response(&message.concat()).retryable(false))
            }
        }
    }

    /// Where the block of an index is, or would be.
    fn place(&self, index: u32) -> Result<usize, usize> {
        self.blocks
            .binary_search_by_key(&index, |block| block.index)
    }

    /// The block of an event that is no start, as it was before. `stays_open` is false for its end.
    fn block(&mut self, kind: Kind, event: &Event<'_>, stays_open: bool) -> Result<Block, Failure> {
        let place = self.place(index(event)?).unwrap_or(usize::MAX);
        match self.blocks.get_mut(place) {
            Some(block) if block.kind == kind && block.is_open => {
                let before = *block;
                block.is_open = stays_open;
                block.is_empty = false;
                Ok(before)
            }
            _ => Err(bad_response(
                "an event belongs to no open block of its kind",
            )),
        }
    }

    /// What comes now belongs to this block of text or thinking.
    fn enter(&mut self, index: u32, parts: &mut Vec<StreamPart>) {
        if self.current.is_some_and(|current| current != index) {
            parts.push(StreamPart::BlockEnd);
        }
        self.current = Some(index);
    }

    fn grow(&mut self, block: Block, text: String, parts: &mut Vec<StreamPart>) {
        let part = match block.kind {
            Kind::Text => StreamPart::Text(text),
            Kind::Thinking => StreamPart::Thinking(text),
            Kind::Call => {
                let key = block.key;
                parts.push(StreamPart::ToolCallDelta { key, json: text });
                return;
            }
        };
        self.enter(block.index, parts);
        parts.push(part);
    }
}

fn index(event: &Event<'_>) -> Result<u32, Failure> {
    let index = event.get(Member::ContentIndex).and_then(Json::as_f64);
    match index {
        // Above it, numbers would become equal.
        Some(index) if index >= 0.0 && index < f64::from(u32::MAX) => Ok(index as u32),
        _ => Err(bad_response("an event has no contentIndex")),
    }
}

/// What an `error` event says. `error` is an `ErrorInfo` where Sluice made it; a backend of others
/// says `errorMessage` only, and a gateway in front of it whatever it likes.
fn on_error(data: &str, event: &Event<'_>, parts: &mut Vec<StreamPart>) -> Failure {
    push_totals(event, parts);
    let message = event.string(Member::ErrorMessage);
    if event.text(Member::Reason).as_deref() == Some("aborted") {
        let mut failure = ErrorInfo::aborted();
        if let Some(message) = message {
            failure.message = failure::clean(&message);
        }
        return failure;
    }
    let told = event.get(Member::Error);
    if let Some(mut failure) = told.and_then(|told| from_text::<Failure>(told.text()).ok()) {
        if failure.message.is_empty() {
            failure.message = message.unwrap_or_else(|| "The model call failed.".to_owned());
        }
        failure.message = failure::clean(&failure.message);
        return failure;
    }
    match (message, Json::parse(data)) {
        (Some(message), _) => named(failure::said(&message)),
        (None, Ok(payload)) => named(failure::reported(payload)),
        (None, Err(_)) => named(failure::said("")),
    }
}

/// The counts and the id with which a response ends.
fn push_totals(event: &Event<'_>, parts: &mut Vec<StreamPart>) {
    parts.extend(event.string(Member::ResponseId).map(StreamPart::ResponseId));
    let usage = event.get(Member::Usage);
    parts.extend(usage.and_then(billed).map(StreamPart::Cost));
    parts.extend(usage.map(|usage| {
        let reported = |name| count(usage.get(name));
        StreamPart::Usage(UsageUpdate {
            input: reported("input"),
            output: reported("output"),
            cache_read: reported("cacheRead"),
            cache_write: reported("cacheWrite"),
        })
    }));
}

fn bad_response(what: &str) -> Failure {
    named(failure::bad_response(what))
}

/// A failure of the backend's own. Those of the provider behind it have a name already, so the
/// caller gives none on this wire.
fn named(mut failure: Failure) -> Failure {
    failure.message = ["proxy: ", &failure.message].concat();
    failure
}
