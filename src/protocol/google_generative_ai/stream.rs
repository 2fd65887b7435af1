//! Frames of a Gemini response → parts.
//!
//! Owns the reading of one response, the order of its parts and the verdict on how it ended.
//! Refuses to read bytes ([`crate::text::sse`]) and to run or complete anything: arguments that the
//! end of the response cuts stay cut.
//!
//! There is no sentinel: a response is complete when the body ends behind a `finishReason`.
//!
//! Sources: Gemini API reference, "GenerateContentResponse"; Gemini API, "Thought signatures": a
//! signature belongs to the part that carries it, and that part may be an empty text.

use super::arguments::Arguments;
use super::usage::UsageCounter;
use super::wire::{Chunk, Part};
use crate::error::{ErrorCode, Failure};
use crate::message::StopReason;
use crate::protocol::StreamPart;
use crate::protocol::decoder::{Read, Wire};
use crate::protocol::failure;
use crate::text::json::Json;

#[cfg(test)]
mod tests;

/// Reads the frames of one Gemini response.
#[derive(Debug, Default)]
pub(in crate::protocol) struct StreamDecoder {
    usage: UsageCounter,
    has_id: bool,
    /// Calls that have begun.
    calls: u32,
    /// The arguments of the last call, while more of them may come.
    arguments: Option<Arguments>,
    /// The kind of the text block that is open: thinking or not.
    open: Option<bool>,
    /// What the finish reason means.
    verdict: Option<Result<StopReason, Failure>>,
    /// Something of an answer has arrived.
    answered: bool,
}

impl Wire for StreamDecoder {
    fn read(&mut self, _: &str, data: &str, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        match data {
            "[DONE]" => Ok(Read::More),
            _ => self.on_payload(data, parts),
        }
    }

    /// The body is a response, a list of them, as without `alt=sse`, or an error.
    fn read_whole(&mut self, body: &str, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        if self.on_payload(body, parts)? == Read::Unreadable {
            return Ok(Read::Unreadable);
        }
        if !self.answered && self.verdict.is_none() {
            let what = "the response is no answer of the model";
            return Err(failure::bad_response(what).retryable(false));
        }
        self.end(parts)
    }

    fn end(&mut self, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        let verdict = self.verdict.take();
        let stop = verdict.unwrap_or_else(|| Err(failure::truncated()))?;
        // A call that the limit cut stays half, so that nobody can take it for a whole one.
        if stop == StopReason::Stop {
            self.end_call(String::new(), parts);
        }
        Ok(Read::Ended(stop))
    }

    fn is_complete(&self) -> bool {
        self.verdict.is_some()
    }
}

impl StreamDecoder {
    fn on_payload(&mut self, data: &str, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        if data.starts_with('[')
            && let Ok(list) = Json::parse(data)
        {
            for item in list.items() {
                self.on_payload(item.text(), parts)?;
            }
            return Ok(Read::More);
        }
        match Chunk::read(data) {
            Some(chunk) if chunk.is_usual => self.on_chunk(chunk, parts)?,
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
        if let Some(error) = payload.and_then(failure::in_payload) {
            self.count(&chunk, parts);
            return Err(error);
        }
        if chunk.is_broken {
            return Err(failure::bad_response(
                "a chunk of the response is unreadable",
            ));
        }
        self.on_chunk(chunk, parts)
    }

    fn on_chunk(&mut self, chunk: Chunk<'_>, parts: &mut Vec<StreamPart>) -> Result<(), Failure> {
        if !self.has_id
            && let Some(id) = text_of(chunk.id)
        {
            self.has_id = true;
            parts.push(StreamPart::ResponseId(id));
        }
        self.count(&chunk, parts);
        let feedback = chunk.prompt_feedback;
        if let Some(reason) = feedback.and_then(|feedback| feedback.get("blockReason")?.as_str()) {
            let what = "the prompt was blocked";
            return Err(failure::named(
                ErrorCode::Refused,
                what,
                "blockReason ",
                &reason,
            ));
        }
        for part in chunk.parts {
            self.on_part(part, parts)?;
        }
        if let Some(reason) = chunk.finish_reason.filter(|reason| !reason.is_empty()) {
            self.verdict = Some(verdict(&reason));
        }
        Ok(())
    }

    fn count(&mut self, chunk: &Chunk<'_>, parts: &mut Vec<StreamPart>) {
        let update = chunk.usage.and_then(|usage| self.usage.read(usage));
        parts.extend(update.map(StreamPart::Usage));
    }

    fn on_part(&mut self, part: Part<'_>, parts: &mut Vec<StreamPart>) -> Result<(), Failure> {
        let signature = text_of(part.signature);
        if let Some(call) = part.call {
            self.on_call(call, signature, parts)
        } else if let Some(data) = part.data {
            // What the model draws while it thinks is no part of the answer.
            if !part.is_thought {
                self.on_image(data, parts);
            }
            Ok(())
        } else {
            self.on_text(text_of(part.text), part.is_thought, signature, parts);
            Ok(())
        }
    }

    fn on_text(
        &mut self,
        text: Option<String>,
        is_thought: bool,
        signature: Option<String>,
        parts: &mut Vec<StreamPart>,
    ) {
        if let Some(text) = text {
            self.answered = true;
            self.open = Some(is_thought);
            parts.push(if is_thought {
                StreamPart::Thinking(text)
            } else {
                StreamPart::Text(text)
            });
        }
        let Some(signature) = signature else {
            return;
        };
        if self.open.is_some_and(|open| open != is_thought) {
            parts.push(StreamPart::BlockEnd);
        }
        // An empty text that signs no text is kept as thinking that nobody can read: a block of text
        // would have to show something.
        parts.push(if self.open == Some(false) && !is_thought {
            StreamPart::TextSignature(signature)
        } else {
            StreamPart::ThinkingSignature(signature)
        });
        // Behind a signature another part begins.
        parts.push(StreamPart::BlockEnd);
        self.open = None;
    }

    fn on_image(&mut self, data: Json<'_>, parts: &mut Vec<StreamPart>) {
        let mime_type = text_of(data.get("mimeType")).unwrap_or_default();
        if let Some(data) = text_of(data.get("data"))
            && mime_type.starts_with("image/")
        {
            self.answered = true;
            self.open = None;
            parts.push(StreamPart::Image { data, mime_type });
        }
    }

    /// A whole call, or a piece of one: the first names the tool, and each but the last says that it
    /// will continue.
    fn on_call(
        &mut self,
        call: Json<'_>,
        signature: Option<String>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let goes_on = call.get("willContinue").and_then(Json::as_bool) == Some(true);
        let (whole, pieces) = (call.get("args"), call.get("partialArgs"));
        // Before its arguments stream, a call may have none.
        let whole = whole.filter(|whole| !goes_on || whole.members().next().is_some());
        if let Some(name) = text_of(call.get("name")) {
            let id = text_of(call.get("id")).unwrap_or_default();
            self.begin_call(id, name, parts);
        }
        let Some(arguments) = &mut self.arguments else {
            return match (whole, pieces) {
                // What closes a call that is closed.
                (None, None) => Ok(()),
                _ => Err(failure::bad_response(
                    "the response holds a tool call without a name",
                )),
            };
        };
        let key = self.calls.saturating_sub(1);
        parts.extend(signature.map(|signature| StreamPart::ToolCallSignature { key, signature }));
        let mut json = String::new();
        let written = whole.map_or(Some(()), |whole| arguments.write_whole(whole, &mut json));
        let written = written.and_then(|()| match pieces {
            Some(pieces) if !pieces.is_array() => None,
            pieces => {
                let mut pieces = pieces.into_iter().flat_map(Json::items);
                pieces.try_for_each(|piece| arguments.write_piece(piece, &mut json))
            }
        });
        if written.is_none() {
            let what = "the arguments of a tool call are unreadable";
            return Err(failure::bad_response(what));
        }
        if goes_on {
            push_arguments(key, json, parts);
        } else {
            self.end_call(json, parts);
        }
        Ok(())
    }

    fn begin_call(&mut self, id: String, name: String, parts: &mut Vec<StreamPart>) {
        // Nobody may have said that the call before it is complete.
        self.end_call(String::new(), parts);
        let key = self.calls;
        self.calls += 1;
        self.answered = true;
        self.open = None;
        self.arguments = Some(Arguments::default());
        parts.push(StreamPart::ToolCallStart { key, id, name });
    }

    /// Ends the call that is open, if one is; `json` is the last of its arguments.
    fn end_call(&mut self, mut json: String, parts: &mut Vec<StreamPart>) {
        if let Some(mut arguments) = self.arguments.take() {
            let key = self.calls.saturating_sub(1);
            arguments.finish(&mut json);
            push_arguments(key, json, parts);
            parts.push(StreamPart::ToolCallEnd { key });
        }
    }
}

fn push_arguments(key: u32, json: String, parts: &mut Vec<StreamPart>) {
    if !json.is_empty() {
        parts.push(StreamPart::ToolCallDelta { key, json });
    }
}

/// A string that is not empty.
fn text_of(json: Option<Json<'_>>) -> Option<String> {
    let text = json.and_then(Json::as_str)?;
    (!text.is_empty()).then(|| text.into_owned())
}

/// Finish reasons of answers that a filter stopped (Gemini API reference, "FinishReason").
const BLOCKED: &str = "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR \
    IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION";
/// Those of the model's making: another answer may be better.
const FAILED: &str = "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL \
    MALFORMED_RESPONSE OTHER NO_IMAGE IMAGE_OTHER";

/// What a finish reason means.
fn verdict(reason: &str) -> Result<StopReason, Failure> {
    let is_one_of = |words: &str| words.split(' ').any(|word| word == reason);
    // The latter is what gateways make of calls.
    let (code, what) = if is_one_of("STOP FUNCTION_CALL") {
        return Ok(StopReason::Stop);
    } else if reason == "MAX_TOKENS" {
        return Ok(StopReason::Length);
    } else if is_one_of(BLOCKED) {
        (ErrorCode::Refused, "the answer was blocked")
    } else if is_one_of(FAILED) {
        (
            ErrorCode::BadResponse,
            "the model failed in the middle of the answer",
        )
    } else if reason == "MISSING_THOUGHT_SIGNATURE" {
        (
            ErrorCode::InvalidRequest,
            "the conversation lacks a signature",
        )
    } else {
        (
            ErrorCode::BadResponse,
            "the answer ended for an unknown reason",
        )
    };
    let retryable = is_one_of(FAILED);
    Err(failure::named(code, what, "finishReason ", reason).retryable(retryable))
}
