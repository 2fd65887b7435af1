//! Frames of a chat-completions response → parts.
//!
//! Owns the reading of one response, the order of its parts and the verdict on how it ended.
//! Refuses to read bytes ([`crate::text::sse`]) and to run or complete anything: arguments are
//! passed on as text.
//!
//! A response is complete with `[DONE]`, or when the body ends after a finish reason. The verdict
//! waits for one of the two, because hosts send usage, and some even text, after the finish reason.
//! Some hosts send no reason: then `[DONE]` alone completes it, unless a call is half.

use std::borrow::Cow;

use super::details::Details;
use super::usage::UsageCounter;
use super::wire::{Chunk, Delta};
use crate::error::{ErrorCode, Failure};
use crate::message::StopReason;
use crate::protocol::StreamPart;
use crate::protocol::decoder::{Read, Wire};
use crate::protocol::failure;
use crate::protocol::tool_calls::ToolCallTracker;
use crate::text::find;
use crate::text::json::Json;

#[cfg(test)]
mod tests;

/// Reads the frames of one chat-completions response.
#[derive(Debug, Default)]
pub(in crate::protocol) struct StreamDecoder {
    calls: ToolCallTracker,
    details: Details,
    usage: UsageCounter,
    has_id: bool,
    /// How the latest chunk began, up to its choices: mostly they all begin so.
    head: String,
    /// Text, thinking or a call has arrived.
    answered: bool,
    /// What the finish reason means.
    verdict: Option<Result<StopReason, Failure>>,
}

impl Wire for StreamDecoder {
    fn read(
        &mut self,
        event: &str,
        data: &str,
        parts: &mut Vec<StreamPart>,
    ) -> Result<Read, Failure> {
        match (event, data) {
            ("error", _) => Err(failure::in_error_event(data)),
            (_, "[DONE]") => self.close(true, parts),
            _ => self.on_payload(data, parts),
        }
    }

    fn read_whole(&mut self, body: &str, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        if self.on_payload(body, parts)? == Read::Unreadable {
            return Ok(Read::Unreadable);
        }
        if !self.answered && self.verdict.is_none() {
            let what = "the response is no chat completion";
            return Err(failure::bad_response(what).retryable(false));
        }
        self.close(true, parts)
    }

    fn end(&mut self, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        self.close(false, parts)
    }

    fn is_complete(&self) -> bool {
        self.verdict.is_some()
    }
}

impl StreamDecoder {
    fn on_payload(&mut self, data: &str, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        match Chunk::read(data, &self.head) {
            Some(chunk) if chunk.is_usual => {
                if let Some(head) = chunk.head.filter(|head| *head != self.head) {
                    head.clone_into(&mut self.head);
                }
                self.on_chunk(chunk, parts);
            }
            Some(chunk) => self.on_unusual(data, chunk, parts)?,
            None => return Ok(Read::Unreadable),
        }
        Ok(Read::More)
    }

    /// A payload that reports a failure, or that is no chunk at all.
    fn on_unusual(
        &mut self,
        data: &str,
        chunk: Chunk<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let payload = Json::parse(data).ok();
        let get = |name| payload.and_then(|payload| payload.get(name));
        let mut error = payload.and_then(failure::in_payload);
        for choice in get("choices").into_iter().flat_map(Json::items) {
            error = error.or_else(|| failure::in_payload(choice));
        }
        let error = error.or_else(|| failure::in_payload(get("x_groq")?));
        if let Some(error) = error {
            // The chunk that reports a failure may count the tokens used until then.
            self.count(&chunk, parts);
            return Err(error);
        }
        if chunk.is_broken {
            return Err(failure::bad_response(
                "a chunk of the response is unreadable",
            ));
        }
        self.on_chunk(chunk, parts);
        Ok(())
    }

    fn on_chunk(&mut self, chunk: Chunk<'_>, parts: &mut Vec<StreamPart>) {
        if !self.has_id
            && let Some(id) = chunk.id.and_then(Json::as_str).filter(|id| !id.is_empty())
        {
            self.has_id = true;
            parts.push(StreamPart::ResponseId(id.into_owned()));
        }
        self.count(&chunk, parts);
        for choice in chunk.choices {
            if choice.index.is_some_and(|index| index > 0) {
                continue;
            }
            // A message behind deltas repeats them.
            if !(choice.is_message && self.answered) {
                self.on_delta(choice.delta, parts);
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.verdict = Some(verdict(&reason));
            }
        }
    }

    fn on_delta(&mut self, delta: Delta<'_>, parts: &mut Vec<StreamPart>) {
        let mut thinking = delta.thinking;
        if let Some(details) = delta.details.filter(|details| details.text() != "[]") {
            self.calls.end_complete(parts);
            if self.details.read(details, parts) {
                thinking = Cow::default();
            }
            self.answered |= !self.details.is_empty();
        }
        self.push_block(thinking, StreamPart::Thinking, parts);
        if !delta.text.is_empty() || !delta.refusal.is_empty() {
            self.details.close(parts);
        }
        self.push_block(delta.text, StreamPart::Text, parts);
        self.push_block(delta.refusal, StreamPart::Text, parts);
        if let Some(images) = delta.images {
            self.details.close(parts);
            self.answered |= push_images(images, parts);
        }
        if !delta.tool_calls.is_empty() {
            self.answered = true;
            self.details.close(parts);
            self.calls.chunk(&delta.tool_calls, parts);
        }
    }

    fn push_block(
        &mut self,
        text: Cow<'_, str>,
        part: fn(String) -> StreamPart,
        parts: &mut Vec<StreamPart>,
    ) {
        if !text.is_empty() {
            self.answered = true;
            self.calls.end_complete(parts);
            parts.push(part(text.into_owned()));
        }
    }

    fn count(&mut self, chunk: &Chunk<'_>, parts: &mut Vec<StreamPart>) {
        parts.extend(self.usage.read(chunk).map(StreamPart::Usage));
    }

    fn close(&mut self, marked: bool, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        let stop = match self.verdict.take() {
            Some(verdict) => verdict?,
            // Nobody says why the answer ends, so what is half may have been cut.
            None if marked && self.answered && self.calls.are_complete() => StopReason::Stop,
            None => return Err(failure::truncated()),
        };
        self.details.close(parts);
        match self.calls.finish(parts) {
            Ok(()) => Ok(Read::Ended(stop)),
            Err(_) => Err(failure::bad_response(
                "the response holds a tool call without a name",
            )),
        }
    }
}

/// Passes on the images, and says whether there were any. Those whose bytes are not in their URL
/// cannot be kept.
#[inline(never)]
fn push_images(images: Json<'_>, parts: &mut Vec<StreamPart>) -> bool {
    let before = parts.len();
    for image in images.items() {
        let url = image.get("image_url").and_then(|image| image.get("url"));
        let url = url.and_then(Json::as_str).unwrap_or_default();
        if let Some(at) = find(&url, BASE64)
            && let Some(mime_type) = url.get(..at).and_then(|url| url.strip_prefix("data:"))
        {
            parts.push(StreamPart::Image {
                data: url.get(at + BASE64.len()..).unwrap_or_default().to_owned(),
                mime_type: mime_type.to_owned(),
            });
        }
    }
    parts.len() > before
}

/// Stands between the type and the bytes in a URL of data.
const BASE64: &str = ";base64,";

/// What a finish reason means. OpenAI documents `stop`, `length`, `tool_calls`, `function_call` and
/// `content_filter`; Mistral adds `model_length` and `error`, DeepSeek
/// `insufficient_system_resource`, vLLM `abort`; gateways pass on the words of other protocols.
fn verdict(reason: &str) -> Result<StopReason, Failure> {
    let known = reason.to_ascii_lowercase();
    let (code, what, retryable) = match known.as_str() {
        "stop" | "end_turn" | "stop_sequence" | "eos" => return Ok(StopReason::Stop),
        "length" | "max_tokens" | "model_length" => return Ok(StopReason::Length),
        "tool_calls" | "tool_use" | "function_call" => return Ok(StopReason::ToolUse),
        "content_filter" | "sensitive" | "safety" => (
            ErrorCode::Refused,
            "a content filter stopped the answer",
            false,
        ),
        "error"
        | "abort"
        | "aborted"
        | "cancelled"
        | "network_error"
        | "insufficient_system_resource" => (
            ErrorCode::Overloaded,
            "the provider gave up in the middle of the answer",
            true,
        ),
        _ => (
            ErrorCode::BadResponse,
            "the answer ended for an unknown reason",
            false,
        ),
    };
    Err(failure::named(code, what, "finish_reason ", reason).retryable(retryable))
}
