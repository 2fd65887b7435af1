//! The items of one response, as they grow.
//!
//! Owns which item an event is about, what of it has been passed on, and what it leaves behind for
//! the next request. Refuses to run or complete anything, and to show what the provider does by
//! itself: hosted tools are passed over.
//!
//! - Items are told apart by their place in the output: some hosts give an item another id in every
//!   event.
//! - What was streamed counts. Of the whole text in a later event, what is missing counts, if what
//!   was streamed is its beginning; and so do items that only the terminal event names.
//! - A reasoning item is signed when the next item begins, and only if that one is sent back too: a
//!   reasoning item without the item it led to is refused ("provided without its required
//!   following item").

use super::replay;
use super::wire::{Event, Kind, text};
use crate::error::Failure;
use crate::protocol::StreamPart;
use crate::protocol::failure::bad_response;
use crate::text::json::{Json, JsonWriter};

/// Stands between the parts of one item's thinking.
const PARAGRAPH: &str = "\n\n";
/// The plain text of a custom call becomes the one argument `input`.
const CUSTOM_LEAD: &str = r#"{"input":""#;

#[derive(Debug, Default)]
pub(super) struct Items {
    /// In the order in which they began.
    items: Vec<Item>,
    /// The highest place in the output so far.
    highest: Option<u32>,
    /// How many calls have been passed on.
    calls: u32,
    /// The item whose text or thinking was passed on last, while its block is open.
    speaker: Option<usize>,
    /// Signature of a reasoning item that is complete, until the next item begins.
    thought: Option<String>,
}

#[derive(Debug)]
struct Item {
    kind: Kind,
    /// Its place in the output.
    index: Option<u32>,
    /// The number of the call, once it has been passed on.
    key: Option<u32>,
    /// The part of it from which something was passed on last.
    part: Option<u32>,
    /// What was passed on of that part.
    said: String,
    ended: bool,
}

impl Items {
    /// Another response begins. The numbers of calls go on.
    pub(super) fn forget(&mut self) {
        self.items.clear();
        self.highest = None;
    }

    /// An item begins.
    pub(super) fn add(&mut self, item: Json<'_>, index: Option<u32>, parts: &mut Vec<StreamPart>) {
        let kind = Kind::of(item);
        let place = self.begin(kind, index, parts);
        if kind.is_call() {
            self.start_call(place, item, parts);
        }
    }

    /// All of an item is there.
    ///
    /// # Errors
    /// When it is a call without a name.
    pub(super) fn done(
        &mut self,
        item: Json<'_>,
        index: Option<u32>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let kind = Kind::of(item);
        let known = self.find(kind, index).filter(|place| {
            let is_open = |item: &Item| !item.ended;
            index.is_some() || self.items.get(*place).is_some_and(is_open)
        });
        let place = match known {
            Some(place) => place,
            None => self.begin(kind, index, parts),
        };
        self.complete(place, item, parts)
    }

    /// Opens a place for an item, and says what is known now of the thinking before it.
    fn begin(&mut self, kind: Kind, index: Option<u32>, parts: &mut Vec<StreamPart>) -> usize {
        let is_sent_back = !matches!(kind, Kind::Hosted | Kind::Image);
        let thought = self.thought.take().filter(|_| is_sent_back);
        if let Some(signature) = thought {
            parts.push(StreamPart::ThinkingSignature(signature));
            parts.push(StreamPart::BlockEnd);
        } else if self.speaker.is_some() {
            parts.push(StreamPart::BlockEnd);
        }
        self.speaker = None;
        self.highest = self.highest.max(index);
        self.items.push(Item {
            kind,
            index,
            key: None,
            part: None,
            said: String::new(),
            ended: kind == Kind::Hosted,
        });
        self.items.len() - 1
    }

    fn find(&self, kind: Kind, index: Option<u32>) -> Option<usize> {
        // Nothing to look for in a long list.
        if index > self.highest {
            return None;
        }
        let is_it = |item: &Item| item.kind == kind && (index.is_none() || item.index == index);
        self.items.iter().rposition(is_it)
    }

    /// Passes a call on, if it has a name and has not been passed on.
    fn start_call(&mut self, place: usize, item: Json<'_>, parts: &mut Vec<StreamPart>) {
        let name = text(item, "name");
        if let Some(call) = self.items.get_mut(place)
            && call.key.is_none()
            && !name.is_empty()
        {
            call.key = Some(self.calls);
            parts.push(StreamPart::ToolCallStart {
                key: self.calls,
                id: text(item, "call_id").into_owned(),
                name: name.into_owned(),
            });
            self.calls += 1;
        }
    }

    /// More of an item; with `whole`, all of one of its parts: then what is missing of it.
    pub(super) fn grow(
        &mut self,
        kind: Kind,
        event: &Event<'_>,
        text: &str,
        whole: bool,
        parts: &mut Vec<StreamPart>,
    ) {
        let place = match self.find(kind, event.output_index) {
            Some(place) => place,
            // Nobody knows its name yet.
            None if kind.is_call() => return,
            None => self.begin(kind, event.output_index, parts),
        };
        self.speak(place, event.part, text, whole, parts);
    }

    fn speak(
        &mut self,
        place: usize,
        part: u32,
        text: &str,
        whole: bool,
        parts: &mut Vec<StreamPart>,
    ) {
        let Some(item) = self.items.get_mut(place) else {
            return;
        };
        let is_same = item.part == Some(part);
        let text = match whole {
            true if is_same => text.strip_prefix(&*item.said).unwrap_or_default(),
            true if item.part > Some(part) => "",
            _ => text,
        };
        if text.is_empty() || item.ended || (item.kind.is_call() && item.key.is_none()) {
            return;
        }
        let is_first = item.part.replace(part).is_none();
        if !is_same {
            item.said.clear();
        }
        item.said.push_str(text);
        let key = item.key.unwrap_or_default();
        let lead = match item.kind {
            Kind::Custom if is_first => CUSTOM_LEAD,
            Kind::Reasoning if !is_first && !is_same => PARAGRAPH,
            _ => "",
        };
        if !item.kind.is_call() {
            self.speaker = Some(place);
        }
        parts.push(match item.kind {
            Kind::Message => StreamPart::Text(text.to_owned()),
            Kind::Function => call_delta(key, text),
            Kind::Custom => call_delta(key, &[lead, &escaped(text)].concat()),
            _ => StreamPart::Thinking([lead, text].concat()),
        });
    }

    fn complete(
        &mut self,
        place: usize,
        item: Json<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let Some(Item {
            kind, ended: false, ..
        }) = self.items.get(place)
        else {
            return Ok(());
        };
        match *kind {
            Kind::Function | Kind::Custom => return self.complete_call(place, item, parts),
            Kind::Image => image(item, parts),
            Kind::Message => {
                self.complete_parts(place, item.get("content"), 0, parts);
                if self.speaker.take_if(|speaker| *speaker == place).is_some() {
                    let signature = replay::of_item(item, Kind::Message);
                    parts.extend(signature.map(StreamPart::TextSignature));
                    parts.push(StreamPart::BlockEnd);
                }
            }
            _ => {
                self.complete_parts(place, item.get("summary"), 1, parts);
                self.complete_parts(place, item.get("content"), 0, parts);
                self.thought = replay::of_reasoning(item);
            }
        }
        self.end_item(place);
        Ok(())
    }

    /// Passes on what is missing of an item's content (`from` 0) or summary (`from` 1).
    fn complete_parts(
        &mut self,
        place: usize,
        all: Option<Json<'_>>,
        from: u32,
        parts: &mut Vec<StreamPart>,
    ) {
        let mut number = from;
        for part in all.into_iter().flat_map(Json::items) {
            let said = part.get("text").or_else(|| part.get("refusal"));
            let said = said.and_then(Json::as_str).unwrap_or_default();
            self.speak(place, number, &said, true, parts);
            number += 2;
        }
    }

    fn complete_call(
        &mut self,
        place: usize,
        item: Json<'_>,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        self.start_call(place, item, parts);
        let Some(&Item {
            kind,
            key: Some(key),
            ..
        }) = self.items.get(place)
        else {
            return Err(bad_response(
                "the response holds a tool call without a name",
            ));
        };
        let arguments = match item.get("arguments") {
            _ if kind == Kind::Custom => text(item, "input"),
            // Some hosts send the object itself.
            Some(object) if object.is_object() => object.text().into(),
            _ => text(item, "arguments"),
        };
        self.speak(place, 0, &arguments, true, parts);
        if let Some(signature) = replay::of_item(item, kind) {
            parts.push(StreamPart::ToolCallSignature { key, signature });
        }
        self.end_call(place, parts);
        Ok(())
    }

    fn end_call(&mut self, place: usize, parts: &mut Vec<StreamPart>) {
        if let Some(item) = self.items.get(place)
            && let Some(key) = item.key.filter(|_| !item.ended)
        {
            if item.kind == Kind::Custom {
                let lead = if item.part.is_none() { CUSTOM_LEAD } else { "" };
                parts.push(call_delta(key, &[lead, "\"}"].concat()));
            }
            parts.push(StreamPart::ToolCallEnd { key });
        }
        self.end_item(place);
    }

    fn end_item(&mut self, place: usize) {
        if let Some(item) = self.items.get_mut(place) {
            item.ended = true;
        }
    }

    /// Completes what the whole output has and the stream has not. The items of one kind are in the
    /// same order on both sides; ids and places need not be the same.
    ///
    /// # Errors
    /// When there is a call without a name, or, in an answer that is not cut, one of which nothing
    /// came but its name: it would run without its arguments.
    pub(super) fn settle(
        &mut self,
        response: Json<'_>,
        is_cut: bool,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        let mut seen = [0_usize; 6];
        for item in response.get("output").into_iter().flat_map(Json::items) {
            let kind = Kind::of(item);
            let from = seen.get(kind as usize).copied().unwrap_or_default();
            let streamed = self.items.iter().skip(from).position(|it| it.kind == kind);
            let place = match streamed {
                Some(behind) => from + behind,
                None => self.begin(kind, None, parts),
            };
            if let Some(from) = seen.get_mut(kind as usize) {
                *from = place + 1;
            }
            self.complete(place, item, parts)?;
        }
        let is_bare =
            |item: &Item| item.kind.is_call() && !item.ended && item.part.is_none() && !is_cut;
        if self.items.iter().any(is_bare) {
            return Err(bad_response(
                "the response holds a tool call without its arguments",
            ));
        }
        for place in 0..self.items.len() {
            self.end_call(place, parts);
        }
        self.thought = None;
        self.speaker = None;
        Ok(())
    }
}

fn call_delta(key: u32, json: &str) -> StreamPart {
    StreamPart::ToolCallDelta {
        key,
        json: json.to_owned(),
    }
}

/// Text as it stands inside a JSON string.
fn escaped(text: &str) -> String {
    let mut json = JsonWriter::default();
    json.string(text);
    let json = json.into_text();
    json.get(1..json.len() - 1).unwrap_or_default().to_owned()
}

/// The image that the provider's own tool has made.
fn image(item: Json<'_>, parts: &mut Vec<StreamPart>) {
    let data = text(item, "result");
    if !data.is_empty() {
        let format = text(item, "output_format");
        let format = if format.is_empty() { "png" } else { &format };
        parts.push(StreamPart::Image {
            data: data.into_owned(),
            mime_type: ["image/", format].concat(),
        });
    }
}
