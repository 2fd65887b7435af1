//! Follows the pieces of tool calls on wires that identify them loosely.
//!
//! Owns one decision: to which call a piece belongs, when hosts leave out, repeat or change the
//! index, the id and the name, or send arguments twice. A call is held back until its name and its
//! id are known; it goes without an id as soon as waiting for one is pointless: its arguments are
//! complete, another call begins, or the response ends. Refuses to read the arguments: it only
//! looks for the end of their JSON text.
//!
//! How a piece finds its call:
//!
//! - by its index, where there is one; a new id together with a name, or a second complete text of
//!   arguments together with a name, begins another call at the same index;
//! - else by its id; an unknown id begins a call;
//! - else by its name: the same name continues a call that is unfinished, and begins one otherwise;
//! - else it continues the call before it. Pieces of one chunk are of different calls, in the order
//!   in which the calls began.

use std::borrow::Cow;

use crate::protocol::StreamPart;

#[cfg(test)]
mod tests;

/// What a frame says of one call. What it does not say is empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallPiece<'a> {
    /// The host's number of the call.
    pub(crate) index: Option<u32>,
    /// The host's id of the call.
    pub(crate) id: Cow<'a, str>,
    /// The name of the tool.
    pub(crate) name: Cow<'a, str>,
    /// More of the arguments' JSON text, or all of it.
    pub(crate) arguments: Cow<'a, str>,
    /// Opaque data that belongs to the call.
    pub(crate) signature: Cow<'a, str>,
}

/// A call that has arguments or an id but never got a name, so nobody can run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamelessCall;

/// The calls of one response.
#[derive(Debug, Default)]
pub(crate) struct ToolCallTracker {
    calls: Vec<Call>,
    started: u32,
    chunk: u32,
    /// The first of the calls that began in the latest chunk in which any began.
    batch: usize,
}

#[derive(Debug, Default)]
struct Call {
    index: Option<u32>,
    id: String,
    name: String,
    /// Until it has been passed on.
    signature: String,
    json: String,
    /// How much of `json` has been passed on.
    sent: usize,
    end: JsonEnd,
    /// Its number, once it has been passed on.
    key: Option<u32>,
    ended: bool,
    /// The chunk that spoke of it last.
    chunk: u32,
}

impl ToolCallTracker {
    /// Reads the pieces of one chunk.
    pub(crate) fn chunk(&mut self, pieces: &[CallPiece<'_>], parts: &mut Vec<StreamPart>) {
        self.chunk += 1;
        let several = pieces.len() > 1;
        for (position, piece) in pieces.iter().enumerate() {
            let place = self.place(piece, several.then_some(position));
            let place = place.unwrap_or_else(|| self.begin(piece.index, parts));
            let chunk = self.chunk;
            if let Some(call) = self.calls.get_mut(place) {
                call.chunk = chunk;
                call.learn(piece);
                if !call.id.is_empty() || call.end.complete {
                    call.start(&mut self.started, parts);
                }
                call.flush(false, parts);
            }
        }
    }

    /// Ends the calls whose arguments are complete: something else has begun.
    pub(crate) fn end_complete(&mut self, parts: &mut Vec<StreamPart>) {
        for call in self.calls.iter_mut().filter(|call| call.end.complete) {
            call.start(&mut self.started, parts);
            call.close(parts);
        }
    }

    /// Whether the arguments of every call are complete.
    pub(crate) fn are_complete(&self) -> bool {
        self.calls.iter().all(|call| call.end.complete)
    }

    /// The response has ended: passes on what was held back and ends every call.
    ///
    /// # Errors
    /// When a call has no name.
    pub(crate) fn finish(&mut self, parts: &mut Vec<StreamPart>) -> Result<(), NamelessCall> {
        for call in &mut self.calls {
            if !call.name.is_empty() {
                call.start(&mut self.started, parts);
                call.close(parts);
            } else if !call.id.is_empty() || !call.json.is_empty() {
                return Err(NamelessCall);
            }
        }
        Ok(())
    }

    /// Opens a place for a call that begins. The calls before it wait no longer for an id.
    fn begin(&mut self, index: Option<u32>, parts: &mut Vec<StreamPart>) -> usize {
        let place = self.calls.len();
        if self
            .calls
            .last()
            .is_none_or(|call| call.chunk != self.chunk)
        {
            self.batch = place;
        }
        for call in &mut self.calls {
            call.start(&mut self.started, parts);
            if call.end.complete || (index.is_some() && call.index == index) {
                call.close(parts);
            } else {
                call.flush(false, parts);
            }
        }
        self.calls.push(Call {
            index,
            ..Call::default()
        });
        place
    }

    /// The call that a piece continues; none if it begins one. `position` is its place in a chunk
    /// of several pieces.
    fn place(&self, piece: &CallPiece<'_>, position: Option<usize>) -> Option<usize> {
        if let Some(index) = piece.index {
            self.by_index(index, piece)
        } else if !piece.id.is_empty() {
            self.by_id(piece)
        } else if !piece.name.is_empty() {
            self.by_name(piece)
        } else {
            let last = self.calls.len().checked_sub(1)?;
            Some(position.map_or(last, |position| last.min(self.batch + position)))
        }
    }

    fn by_index(&self, index: u32, piece: &CallPiece<'_>) -> Option<usize> {
        let known = self
            .calls
            .iter()
            .rposition(|call| call.index == Some(index));
        let Some(place) = known else {
            // The host names the index late.
            let last = self.calls.last()?;
            let anonymous = piece.id.is_empty() && piece.name.is_empty();
            let same = !piece.id.is_empty() && piece.id == last.id;
            let late = last.index.is_none() && last.chunk != self.chunk && (anonymous || same);
            return late.then_some(self.calls.len() - 1);
        };
        let call = self.calls.get(place)?;
        let other_id = !piece.id.is_empty() && !call.id.is_empty() && piece.id != call.id;
        let another = if other_id {
            // Some servers make a new id for every piece: then the name is missing.
            !piece.name.is_empty() || call.end.complete
        } else {
            call.is_followed_by(piece)
        };
        (!another).then_some(place)
    }

    fn by_id(&self, piece: &CallPiece<'_>) -> Option<usize> {
        if let Some(place) = self.calls.iter().rposition(|call| call.id == piece.id) {
            let call = self.calls.get(place)?;
            let another =
                (call.chunk == self.chunk && !piece.name.is_empty()) || call.is_followed_by(piece);
            return (!another).then_some(place);
        }
        let last = self.calls.last()?;
        let late = last.id.is_empty()
            && (!last.end.complete || piece.arguments.is_empty())
            && last.chunk != self.chunk
            && (piece.name.is_empty() || piece.name == last.name);
        late.then_some(self.calls.len() - 1)
    }

    fn by_name(&self, piece: &CallPiece<'_>) -> Option<usize> {
        let last = self.calls.last()?;
        let same = if last.name.is_empty() {
            true
        } else if last.name != piece.name {
            false
        } else if last.end.complete && !piece.arguments.is_empty() {
            // Where calls have ids, one without an id repeats what was said; elsewhere equal calls
            // are two calls.
            !last.id.is_empty() && !last.is_followed_by(piece)
        } else {
            true
        };
        (same && last.chunk != self.chunk).then_some(self.calls.len() - 1)
    }
}

impl Call {
    /// Whether a piece with a name holds the arguments of another call, as this one has all of its own.
    fn is_followed_by(&self, piece: &CallPiece<'_>) -> bool {
        let placeholder = self.is_placeholder() && !piece.id.is_empty() && piece.id == self.id;
        self.end.complete
            && !placeholder
            && !piece.name.is_empty()
            && !piece.arguments.is_empty()
            && piece.arguments.trim() != self.json.trim()
    }

    /// Some gateways begin every call with `{}` and send the true arguments behind it.
    fn is_placeholder(&self) -> bool {
        self.json == "{}" && self.sent == 0
    }

    fn learn(&mut self, piece: &CallPiece<'_>) {
        if self.key.is_none() && self.id.is_empty() {
            self.id.push_str(&piece.id);
        }
        if self.name.is_empty() {
            self.name.push_str(&piece.name);
        }
        if !piece.signature.is_empty() {
            self.signature = piece.signature.clone().into_owned();
        }
        self.index = self.index.or(piece.index);
        if self.ended || piece.arguments.is_empty() {
            return;
        }
        if self.end.complete {
            let text = piece.arguments.trim();
            if text.is_empty() || text == self.json.trim() {
                return;
            }
            if self.is_placeholder() && text.starts_with('{') {
                self.json.clear();
                self.end = JsonEnd::default();
            }
        }
        self.end.read(&piece.arguments);
        self.json.push_str(&piece.arguments);
    }

    /// Passes the call on if it has a name and has not been passed on.
    fn start(&mut self, started: &mut u32, parts: &mut Vec<StreamPart>) {
        if self.key.is_none() && !self.name.is_empty() {
            let key = *started;
            *started += 1;
            self.key = Some(key);
            parts.push(StreamPart::ToolCallStart {
                key,
                id: self.id.clone(),
                name: self.name.clone(),
            });
        }
    }

    fn flush(&mut self, all: bool, parts: &mut Vec<StreamPart>) {
        if let Some(key) = self.key
            && !self.signature.is_empty()
        {
            let signature = std::mem::take(&mut self.signature);
            parts.push(StreamPart::ToolCallSignature { key, signature });
        }
        if !all && self.is_placeholder() {
            return;
        }
        if let (Some(key), Some(json)) = (self.key, self.json.get(self.sent..))
            && !json.is_empty()
        {
            parts.push(StreamPart::ToolCallDelta {
                key,
                json: json.to_owned(),
            });
            self.sent = self.json.len();
        }
    }

    fn close(&mut self, parts: &mut Vec<StreamPart>) {
        self.flush(true, parts);
        if let Some(key) = self.key
            && !self.ended
        {
            self.ended = true;
            parts.push(StreamPart::ToolCallEnd { key });
        }
    }
}

/// Finds the end of one JSON text that streams in; reads every byte once.
#[derive(Debug, Default)]
struct JsonEnd {
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// One object, array or string is there as a whole, and nothing behind it.
    complete: bool,
    spoiled: bool,
}

impl JsonEnd {
    fn read(&mut self, json: &str) {
        for byte in json.bytes() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_string = false;
                        self.complete = self.depth == 0 && !self.spoiled;
                    }
                    _ => {}
                }
            } else if !byte.is_ascii_whitespace() {
                self.spoiled |= self.complete;
                self.complete = false;
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.depth = self.depth.saturating_sub(1);
                        self.complete = self.depth == 0 && !self.spoiled;
                    }
                    _ => {}
                }
            }
        }
    }
}
