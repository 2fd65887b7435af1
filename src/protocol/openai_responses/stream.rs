//! Events of a Responses stream → parts.
//!
//! Owns the reading of one response, the order of its parts and the verdict on how it ended.
//! Refuses to read bytes ([`crate::text::sse`]) and to follow single items (`items.rs`).
//!
//! A response ends with `response.completed`, `response.incomplete` or `response.failed`. Frames
//! behind the end are ignored, unless another response begins: streams of a provider's own loop, and
//! recorded sessions, hold several.

use super::items::Items;
use super::wire::{Event, Kind, text};
use crate::error::{ErrorCode, Failure};
use crate::message::StopReason;
use crate::protocol::count::count;
use crate::protocol::decoder::{Read, Wire};
use crate::protocol::{StreamPart, UsageUpdate, failure};
use crate::text::json::Json;

#[cfg(test)]
mod tests;

/// Reads the events of one response.
#[derive(Debug, Default)]
pub(in crate::protocol) struct StreamDecoder {
    items: Items,
    has_id: bool,
    /// The end was seen, and no other response has begun.
    is_closed: bool,
}

impl Wire for StreamDecoder {
    fn read(
        &mut self,
        event: &str,
        data: &str,
        parts: &mut Vec<StreamPart>,
    ) -> Result<Read, Failure> {
        let was_closed = self.is_closed;
        let read = match Event::read(data) {
            _ if event == "error" => Err(failure::in_error_event(data)),
            Some(read) => self.on_event(read, event, data, parts),
            None if data == "[DONE]" => Ok(()),
            None => match in_payload(data) {
                Some(error) => Err(error),
                None if was_closed => Ok(()),
                None => return Ok(Read::Unreadable),
            },
        };
        match read {
            Err(error) if !was_closed => Err(error),
            _ => Ok(Read::More),
        }
    }

    fn read_whole(&mut self, body: &str, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        if let Some(error) = in_payload(body) {
            return Err(error);
        }
        let response = Json::parse(body).ok();
        match response.filter(|response| response.get("output").is_some_and(Json::is_array)) {
            Some(response) => self.close(None, response, parts)?,
            None => {
                return Err(failure::bad_response(
                    "the response is not of this protocol",
                ));
            }
        }
        Ok(Read::More)
    }

    fn end(&mut self, _: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        if self.is_closed {
            Ok(Read::More)
        } else {
            Err(failure::truncated())
        }
    }

    fn is_complete(&self) -> bool {
        self.is_closed
    }

    /// The counts are in the terminal event, and another response comes at once or not at all.
    fn grace_ms(&self) -> f64 {
        300.0
    }
}

impl StreamDecoder {
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
                "error" => Err(failure::in_error_event(data)),
                _ => in_payload(data).map_or(Ok(()), Err),
            };
        };
        match name {
            "created" => {
                let response = event.response.ok_or_else(unreadable)?;
                self.begin_response(response, parts);
            }
            _ if self.is_closed => {}
            "completed" | "incomplete" | "failed" | "cancelled" | "done" => {
                let response = event.response.ok_or_else(unreadable)?;
                return self.close(Some(name), response, parts);
            }
            "error" => return Err(failure::in_error_event(data)),
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
        if std::mem::take(&mut self.is_closed) {
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
    fn close(
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
        self.is_closed = true;
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
    failure::bad_response("an event of the response is unreadable")
}

/// The failure that a payload outside the protocol reports, if it reports one.
fn in_payload(data: &str) -> Option<Failure> {
    failure::in_payload(Json::parse(data).ok()?)
}
