//! Frames of a Messages response → parts.
//!
//! Owns the reading of one response: which block a delta belongs to, and the verdict on how the
//! response ended. Refuses to read bytes ([`crate::text::sse`]) and to run or complete anything:
//! arguments are passed on as text.
//!
//! A response is complete with `message_stop` and nothing else: what ends before it was cut. Blocks
//! are kept by their index, which may jump. The API sends one block at a time; where a host lets
//! them alternate, calls go on side by side, and text or thinking that another block interrupts goes
//! on as a block of its own, without a signature, since a part of thinking is not what was signed.
//!
//! Sources: Anthropic API, "Streaming messages", "Handling stop reasons", "Errors".

use super::ending::verdict;
use super::wire::Event;
use crate::error::Failure;
use crate::message::StopReason;
use crate::protocol::count::count;
use crate::protocol::decoder::{Read, Wire};
use crate::protocol::failure;
use crate::protocol::{StreamPart, UsageUpdate};
use crate::text::json::Json;

#[cfg(test)]
mod tests;

/// Blocks that may be open at once. Every event of a block looks for it among them.
const MAX_OPEN: usize = 256;

/// Reads the frames of one Messages response.
#[derive(Debug, Default)]
pub(in crate::protocol) struct StreamDecoder {
    /// The blocks that have begun and not ended.
    open: Vec<Block>,
    /// The block whose text or thinking the message is growing by.
    live: Option<u32>,
    /// Calls so far.
    calls: u32,
    has_id: bool,
    /// What the stop reason means.
    verdict: Option<Result<StopReason, Failure>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Call,
    /// Tools that the provider runs, their results, and what is not known.
    Other,
}

#[derive(Debug)]
struct Block {
    index: u32,
    kind: Kind,
    /// The number of a call.
    key: u32,
    /// Something of it was passed on.
    has_begun: bool,
    /// Something else was passed on between its parts.
    is_torn: bool,
    /// The arguments of a call as they stand at its start: an empty object, or all of them from
    /// hosts that do not stream. They count if no others follow.
    input: String,
}

impl Wire for StreamDecoder {
    fn read(
        &mut self,
        event: &str,
        data: &str,
        parts: &mut Vec<StreamPart>,
    ) -> Result<Read, Failure> {
        // Some gateways end every stream as chat completions end.
        if data == "[DONE]" {
            return Ok(Read::More);
        }
        if event == "error" {
            return Err(failure::in_error_event(data));
        }
        let Some(mut read) = Event::read(data) else {
            return Ok(if is_known(event) {
                Read::Unreadable
            } else {
                Read::More
            });
        };
        // Some proxies name an event in one of the two places only.
        let kind = std::mem::take(&mut read.kind);
        let name = if kind.is_empty() { event } else { &kind };
        match name {
            "message_stop" => return self.close(parts),
            "error" => return Err(failure::in_error_event(data)),
            "" => {
                let error = Json::parse(data).ok().and_then(failure::in_payload);
                return error.map_or(Ok(Read::More), Err);
            }
            _ => {}
        }
        match self.on_event(name, &mut read, parts) {
            Some(()) => Ok(Read::More),
            None => {
                let what = ["the response holds an unreadable ", name].concat();
                Err(failure::bad_response(&what))
            }
        }
    }

    fn read_whole(&mut self, body: &str, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        let json = Json::parse(body).ok();
        let message = json.filter(|json| json.get("content").is_some_and(Json::is_array));
        let Some(message) = message else {
            let no_message =
                || failure::bad_response("the response is no message").retryable(false);
            return Err(json
                .and_then(failure::in_payload)
                .unwrap_or_else(no_message));
        };
        match self.on_message(message, parts) {
            Some(()) => self.close(parts),
            None => Err(failure::bad_response("the response is unreadable")),
        }
    }

    fn end(&mut self, _: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        Err(failure::truncated())
    }
}

impl StreamDecoder {
    /// Reads an event; `None` if it is one of a known type and lacks what the type promises.
    fn on_event(
        &mut self,
        name: &str,
        event: &mut Event<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Option<()> {
        match name {
            "content_block_delta" => self.on_delta(event, parts)?,
            "content_block_start" => self.on_block(event.index?, event.begins?, parts)?,
            "content_block_stop" => self.end_block(event.index?, parts),
            "message_start" => self.on_message(event.begins?, parts)?,
            "message_delta" if !event.has_delta => return None,
            "message_delta" => {
                parts.extend(event.usage.map(counts));
                if let Some(reason) = &event.stop_reason {
                    self.verdict = Some(verdict(reason, event.stop_details));
                }
            }
            // `ping`, and what is to come.
            _ => {}
        }
        Some(())
    }

    /// A message as far as it is known: empty where it begins to stream.
    fn on_message(&mut self, message: Json<'_>, parts: &mut Vec<StreamPart>) -> Option<()> {
        let id = text_of(message, "id");
        if !self.has_id && !id.is_empty() {
            self.has_id = true;
            parts.push(StreamPart::ResponseId(id));
        }
        parts.extend(message.get("usage").map(counts));
        if let Some(content) = message.get("content") {
            for (index, block) in (0..).zip(content.items()) {
                self.on_block(index, block, parts)?;
                self.end_block(index, parts);
            }
        }
        let reason = text_of(message, "stop_reason");
        if !reason.is_empty() {
            self.verdict = Some(verdict(&reason, message.get("stop_details")));
        }
        Some(())
    }

    /// A block begins. Hosts that do not stream put all of it here.
    fn on_block(&mut self, index: u32, block: Json<'_>, parts: &mut Vec<StreamPart>) -> Option<()> {
        self.end_block(index, parts);
        let kind = match &*text_of(block, "type") {
            "" => return None,
            "text" => Kind::Text,
            "thinking" => Kind::Thinking,
            "tool_use" => Kind::Call,
            "redacted_thinking" => {
                let data = text_of(block, "data");
                if !data.is_empty() {
                    self.live = None;
                    parts.push(StreamPart::RedactedThinking(data));
                }
                Kind::Other
            }
            _ => Kind::Other,
        };
        let place = self.begin(index, kind)?;
        match kind {
            Kind::Text => self.say(place, text_of(block, "text"), parts),
            Kind::Thinking => {
                self.say(place, text_of(block, "thinking"), parts);
                self.sign(place, text_of(block, "signature"), parts);
            }
            Kind::Call => {
                let name = text_of(block, "name");
                let call = self.open.get_mut(place).filter(|_| !name.is_empty())?;
                let input = block.get("input").filter(|input| input.is_object());
                call.input.push_str(input.map_or("{}", Json::text));
                let key = call.key;
                self.calls += 1;
                // It ends the text before it.
                self.live = None;
                let id = text_of(block, "id");
                parts.push(StreamPart::ToolCallStart { key, id, name });
            }
            Kind::Other => {}
        }
        Some(())
    }

    fn on_delta(&mut self, event: &mut Event<'_>, parts: &mut Vec<StreamPart>) -> Option<()> {
        let index = event.index?;
        let kind = match &*event.delta {
            "" => return None,
            "text_delta" => Kind::Text,
            "thinking_delta" | "signature_delta" => Kind::Thinking,
            "input_json_delta" => Kind::Call,
            _ => return Some(()),
        };
        let text = event.text.take()?.into_owned();
        if text.is_empty() {
            return Some(());
        }
        let place = self.open.iter().rposition(|block| block.index == index);
        let place = match place {
            Some(place) => place,
            // Nobody could say whose arguments they are.
            None if kind == Kind::Call => return None,
            None => self.begin(index, kind)?,
        };
        let block = self.open.get_mut(place)?;
        if block.kind != kind {
            return Some(());
        }
        if kind == Kind::Call {
            block.has_begun = true;
            parts.push(StreamPart::ToolCallDelta {
                key: block.key,
                json: text,
            });
        } else if event.delta == "signature_delta" {
            self.sign(place, text, parts);
        } else {
            self.say(place, text, parts);
        }
        Some(())
    }

    fn begin(&mut self, index: u32, kind: Kind) -> Option<usize> {
        if self.open.len() == MAX_OPEN {
            return None;
        }
        self.open.push(Block {
            index,
            kind,
            key: self.calls,
            has_begun: false,
            is_torn: false,
            input: String::new(),
        });
        self.open.len().checked_sub(1)
    }

    /// Passes on text or thinking.
    fn say(&mut self, place: usize, text: String, parts: &mut Vec<StreamPart>) {
        if text.is_empty() || self.enter(place, parts).is_none() {
            return;
        }
        let is_text = self
            .open
            .get(place)
            .is_some_and(|block| block.kind == Kind::Text);
        parts.push(if is_text {
            StreamPart::Text(text)
        } else {
            StreamPart::Thinking(text)
        });
    }

    /// Passes on the signature of thinking that is there in one piece.
    fn sign(&mut self, place: usize, signature: String, parts: &mut Vec<StreamPart>) {
        if !signature.is_empty() && self.enter(place, parts) == Some(true) {
            parts.push(StreamPart::ThinkingSignature(signature));
        }
    }

    /// Makes a block the one that the message grows by. Whether it is all in one piece.
    fn enter(&mut self, place: usize, parts: &mut Vec<StreamPart>) -> Option<bool> {
        let block = self.open.get_mut(place)?;
        let is_live = self.live == Some(block.index);
        if !is_live && self.live.replace(block.index).is_some() {
            parts.push(StreamPart::BlockEnd);
        }
        block.is_torn |= block.has_begun && !is_live;
        block.has_begun = true;
        Some(!block.is_torn)
    }

    fn end_block(&mut self, index: u32, parts: &mut Vec<StreamPart>) {
        let place = self.open.iter().rposition(|block| block.index == index);
        if let Some(block) = place.map(|place| self.open.remove(place)) {
            self.close_block(block, parts);
        }
    }

    fn close_block(&mut self, block: Block, parts: &mut Vec<StreamPart>) {
        if block.kind == Kind::Call {
            let key = block.key;
            if !block.has_begun {
                let json = block.input;
                parts.push(StreamPart::ToolCallDelta { key, json });
            }
            parts.push(StreamPart::ToolCallEnd { key });
        } else if self.live == Some(block.index) {
            self.live = None;
            parts.push(StreamPart::BlockEnd);
        }
    }

    /// The message has ended.
    fn close(&mut self, parts: &mut Vec<StreamPart>) -> Result<Read, Failure> {
        for block in std::mem::take(&mut self.open) {
            self.close_block(block, parts);
        }
        // Without a reason nobody knows whether the answer was cut.
        let verdict = self.verdict.take();
        let stop = verdict.unwrap_or_else(|| Err(failure::truncated()))?;
        Ok(Read::Ended(stop))
    }
}

/// Whether the data of an event of this name has to be JSON.
fn is_known(name: &str) -> bool {
    name.is_empty() || name.starts_with("message") || name.starts_with("content_block")
}

/// A member that is a string; empty if there is none.
pub(super) fn text_of(json: Json<'_>, name: &str) -> String {
    json.get(name)
        .and_then(Json::as_str)
        .unwrap_or_default()
        .into_owned()
}

/// Counts are cumulative and `input_tokens` is without those of the cache. What an event leaves out,
/// or reports as zero, is as it was.
fn counts(usage: Json<'_>) -> StreamPart {
    let reported = |name| count(usage.get(name)).filter(|count| *count > 0.0);
    StreamPart::Usage(UsageUpdate {
        input: reported("input_tokens"),
        output: reported("output_tokens"),
        cache_read: reported("cache_read_input_tokens"),
        cache_write: reported("cache_creation_input_tokens"),
    })
}
