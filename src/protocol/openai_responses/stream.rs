//! Events of a Responses stream → parts.
//!
//! Owns the reading of one response, the order of its parts and the verdict on how it ended.
//! Refuses to read bytes ([`crate::text::sse`]) and to follow single items (`items.rs`).
//!
//! A response ends with `response.completed`, `response.incomplete` or `response.failed`. Frames
//! behind the end are ignored, unless another response begins: streams of a provider's own loop, and
//! recorded sessions, hold several.

use super::bad_response;
use super::items::Items;
use super::wire::{Event, Kind, text};
use crate::error::{ErrorCode, Failure};
use crate::message::StopReason;
use crate::protocol::count::count;
use crate::protocol::{StreamPart, UsageUpdate, failure};
use crate::text::json::Json;
use crate::text::sse::Frame;

#[cfg(test)]
mod tests;

/// Reads the events of one response.
#[derive(Debug, Default)]
pub struct StreamDecoder {
    items: Items,
    has_id: bool,
    state: State,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    Reading,
    /// The end was seen.
    Closed,
    Failed,
}

impl StreamDecoder {
    /// Reads one frame and appends what it says to `parts`.
    pub fn on_frame(&mut self, frame: Frame<'_>, parts: &mut Vec<StreamPart>) {
        let data = frame.data.trim();
        let is_over = self.state == State::Closed;
        if self.state == State::Failed || data.is_empty() || data.starts_with(':') {
            return;
        }
        let read = if frame.event == "error" {
            Err(reported(data))
        } else {
            match Event::read(data) {
                Some(event) => self.on_event(event, frame.event, data, parts),
                None if data == "[DONE]" => Ok(()),
                // The last event of a body that was cut is cut too: the end of the body says so.
                None if !frame.is_whole => Ok(()),
                None => Err(in_payload(data)
                    .unwrap_or_else(|| bad_response("the response holds malformed JSON"))),
            }
        };
        if let Err(error) = read
            && !is_over
        {
            self.fail(error, parts);
        }
    }

    /// Reads a body that is one JSON document in place of a stream: a whole response, or an error.
    pub fn on_whole_body(&mut self, body: &str, parts: &mut Vec<StreamPart>) {
        if self.state != State::Reading {
            return;
        }
        let response = Json::parse(body.trim()).ok();
        let output = response.filter(|response| response.get("output").is_some_and(Json::is_array));
        let read = match (in_payload(body), output) {
            (Some(error), _) => Err(error),
            (None, Some(response)) => self.end(None, response, parts),
            (None, None) => Err(bad_response("the response is not of this protocol")),
        };
        if let Err(error) = read {
            self.fail(error, parts);
        }
    }

    /// The body has ended: a `truncated` error unless the terminal event was seen.
    pub fn finish(&mut self, parts: &mut Vec<StreamPart>) {
        if self.state == State::Reading {
            self.fail(failure::truncated(), parts);
        }
    }

    /// Whether the response failed: nothing more is worth reading.
    pub fn is_done(&self) -> bool {
        self.state == State::Failed
    }

    /// Whether the end was seen, a terminal event or a failure, and no other response has begun.
    pub fn is_complete(&self) -> bool {
        self.state != State::Reading
    }

    fn fail(&mut self, error: Failure, parts: &mut Vec<StreamPart>) {
        self.state = State::Failed;
        parts.push(StreamPart::Error(error));
    }

    fn on_event(
        &mut self,
        mut event: Event<'_>,
        frame_event: &str,
        data: &str,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let kind = std::mem::take(&mut event.kind);
        let kind = if kind.is_empty() { frame_event } else { &kind };
        let Some(name) = kind.strip_prefix("response.") else {
            // Gateways report failures in an envelope of their own.
            return match kind {
                "error" => Err(reported(data)),
                _ => in_payload(data).map_or(Ok(()), Err),
            };
        };
        match name {
            "created" => {
                let response = event.response.ok_or_else(unreadable)?;
                self.begin_response(response, parts);
            }
            _ if self.state == State::Closed => {}
            "completed" | "incomplete" | "failed" | "cancelled" | "done" => {
                let response = event.response.ok_or_else(unreadable)?;
                return self.end(Some(name), response, parts);
            }
            "error" => return Err(reported(data)),
            "output_item.added" => self.items.add(
                event.item.ok_or_else(unreadable)?,
                event.output_index,
                parts,
            ),
            "output_item.done" => {
                let item = event.item.ok_or_else(unreadable)?;
                return self.items.done(item, event.output_index, parts);
            }
            _ => return self.on_growth(name, &event, parts),
        }
        Ok(())
    }

    /// An event that holds a piece of an item (`delta`) or the whole of one of its parts (`done`).
    fn on_growth(
        &mut self,
        name: &str,
        event: &Event<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let (subject, verb) = name.rsplit_once('.').unwrap_or_default();
        let is_whole = verb == "done";
        let Some(kind) = Kind::of_subject(subject).filter(|_| is_whole || verb == "delta") else {
            return Ok(());
        };
        let text = if is_whole {
            event.whole.as_deref().unwrap_or_default()
        } else {
            event.delta.as_deref().ok_or_else(unreadable)?
        };
        self.items.grow(kind, event, text, is_whole, parts);
        Ok(())
    }

    fn begin_response(&mut self, response: Json<'_>, parts: &mut Vec<StreamPart>) {
        if self.state == State::Closed {
            self.state = State::Reading;
            self.items.forget();
            self.has_id = false;
        }
        self.identify(response, parts);
    }

    fn identify(&mut self, response: Json<'_>, parts: &mut Vec<StreamPart>) {
        let id = text(response, "id");
        if !self.has_id && !id.is_empty() {
            self.has_id = true;
            parts.push(StreamPart::ResponseId(id.into_owned()));
        }
    }

    /// The response has ended. `word` is the name of the event that says so, if it was an event.
    fn end(
        &mut self,
        word: Option<&str>,
        response: Json<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        self.identify(response, parts);
        parts.extend(usage(response).map(StreamPart::Usage));
        let stop = verdict(word, response)?;
        self.items
            .settle(response, stop == StopReason::Length, parts)?;
        self.state = State::Closed;
        parts.push(StreamPart::Finish(stop));
        Ok(())
    }
}

/// Tokens. `input_tokens` counts cached ones too, `output_tokens` thinking.
fn usage(response: Json<'_>) -> Option<UsageUpdate> {
    let usage = response.get("usage")?;
    let details = usage.get("input_tokens_details");
    let detail = |name: &str| count(details.and_then(|details| details.get(name)));
    let (read, written) = (detail("cached_tokens"), detail("cache_write_tokens"));
    let cached = read.unwrap_or_default() + written.unwrap_or_default();
    Some(UsageUpdate {
        input: count(usage.get("input_tokens")).map(|input| (input - cached).max(0.0)),
        output: count(usage.get("output_tokens")),
        cache_read: read,
        cache_write: written,
    })
}

/// What the end of a response means ("The response object": `status`, `incomplete_details`).
fn verdict(word: Option<&str>, response: Json<'_>) -> Result<StopReason, Failure> {
    let status = text(response, "status");
    let status = match (&*status, word) {
        // Not every host changes the status before it sends the terminal event.
        ("" | "in_progress" | "queued", Some(word)) => word,
        ("", None) => "completed",
        (status, _) => status,
    };
    let reason = response.get("incomplete_details");
    let reason = reason
        .map(|details| text(details, "reason"))
        .unwrap_or_default();
    let reason = if status == "incomplete" {
        &*reason
    } else {
        status
    };
    let (code, what, retryable) = match reason {
        "completed" | "done" => return Ok(StopReason::Stop),
        "max_output_tokens" | "max_tokens" | "length" => return Ok(StopReason::Length),
        "failed" => return Err(failure::reported(response)),
        "content_filter" => (
            ErrorCode::Refused,
            "a content filter stopped the answer",
            false,
        ),
        "cancelled" => (
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
    Err(failure::named(code, what, "", reason).retryable(retryable))
}

fn unreadable() -> Failure {
    bad_response("an event of the response is unreadable")
}

/// The failure that a payload outside the protocol reports, if it reports one.
fn in_payload(data: &str) -> Option<Failure> {
    failure::in_payload(Json::parse(data).ok()?)
}

/// What an `error` event says, flat or nested, whatever its data looks like.
fn reported(data: &str) -> Failure {
    match Json::parse(data) {
        Ok(json) => failure::reported(json),
        Err(_) => failure::said(data),
    }
}
