//! Bytes of a server-sent event stream → frames.
//!
//! Owns the wire format: characters and line ends cut anywhere, the byte order mark, comments, fields, the last
//! event of a body that ends without a blank line. Refuses to read the payload, to reconnect (`id` and `retry`
//! are ignored) and to fail: bytes that are not UTF-8 become U+FFFD, and only a line or event beyond the limit
//! stops the decoder.
//!
//! Three things differ from the HTML standard, because servers of models differ from it:
//!
//! - an event that the end of the body cuts off is delivered if it has data;
//! - a field `error` is data of an event named `error`, and what came before it in the event is dropped
//!   (llama.cpp reported failures so);
//! - an event's data that begins with a colon is a comment that a gateway has wrapped, and is skipped: no JSON
//!   text begins so.
//!
//! ```
//! use sluice_agent::text::sse::SseDecoder;
//!
//! let mut decoder = SseDecoder::new();
//! let mut seen = Vec::new();
//! for chunk in ["event: greeting\r\nda", "ta: hello\r\n\r\n: ping\n\ndata: bye"] {
//!     decoder.push(chunk.as_bytes());
//!     while let Some(frame) = decoder.next_frame() {
//!         seen.push(format!("{}/{}", frame.event, frame.data));
//!     }
//! }
//! assert_eq!(seen, ["greeting/hello"]);
//! decoder.finish();
//! assert_eq!(decoder.next_frame().unwrap().data, "bye");
//! ```

use std::ops::Range;

use super::scan::{lossy, position_of_either};

#[cfg(test)]
mod tests;

/// The most bytes that a line, and the data of an event, may have unless [`SseDecoder::with_limit`] says otherwise.
pub const DEFAULT_LIMIT: usize = 32 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event of the stream, borrowed from the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The value of the `event` field; empty if the server names none.
    pub event: &'a str,
    /// The values of the `data` fields, joined by line feeds.
    pub data: &'a str,
    /// Whether the event was ended by a blank line. The last one of a body may lack it, and then it may
    /// also have been cut.
    pub is_whole: bool,
}

/// Decodes one response body: [`push`](Self::push) each chunk and take frames until there are none, then
/// [`finish`](Self::finish) and take what is left.
///
/// The cost is linear in the bytes pushed. An event with one data line that came in one chunk is lent as a slice of
/// the buffer; others are copied once.
#[derive(Debug)]
pub struct SseDecoder {
    buffer: Vec<u8>,
    /// Where the line begins that is being read; everything before it has been used.
    line: usize,
    /// How far that line is known to hold no line end.
    scanned: usize,
    event: String,
    data: Data,
    /// Data of several lines, or of one line that had to leave the buffer.
    joined: Vec<u8>,
    /// Data that was not UTF-8, with U+FFFD in it.
    repaired: String,
    limit: usize,
    at_start: bool,
    /// The last line ended with CR, so an LF that follows belongs to it.
    after_cr: bool,
    /// The event has been lent and makes room for the next one.
    dispatched: bool,
    finished: bool,
    /// The event was ended by the end of the body.
    is_tail: bool,
    overflowed: bool,
}

/// Where the data of the current event is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Data {
    None,
    /// One line, still in the buffer.
    InBuffer(Range<usize>),
    Joined,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }
}

impl SseDecoder {
    /// A decoder with the [`DEFAULT_LIMIT`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A decoder that stops at a line or at data of an event of more than `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            line: 0,
            scanned: 0,
            event: String::new(),
            data: Data::None,
            joined: Vec::new(),
            repaired: String::new(),
            limit,
            at_start: true,
            after_cr: false,
            dispatched: false,
            finished: false,
            is_tail: false,
            overflowed: false,
        }
    }

    /// Takes the next chunk of the body. Take all frames before the next call: the decoder keeps what it has not
    /// read. After [`finish`](Self::finish) or an overflow the chunk is ignored.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.finished || self.overflowed {
            return;
        }
        self.clear_dispatched();
        self.keep_data();
        let unread = self.buffer.len() - self.line;
        // Moving no more than has been used keeps the sum of all moves linear.
        if unread <= self.line {
            self.buffer.drain(..self.line);
            self.scanned -= self.line;
            self.line = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The body has ended: what is left of it counts as its last line and event.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// Whether a line or an event went beyond the limit. The decoder has dropped it then and reads nothing more.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// The next event that is complete.
    pub fn next_frame(&mut self) -> Option<Frame<'_>> {
        self.clear_dispatched();
        if self.skip_byte_order_mark() && self.advance() {
            self.dispatched = true;
            self.frame()
        } else {
            None
        }
    }

    /// Reads lines until an event is complete. False if the bytes do not suffice.
    fn advance(&mut self) -> bool {
        while let Some(line) = self.next_line() {
            if line.len() > self.limit {
                self.overflow();
            } else if !line.is_empty() {
                self.read_field(line);
            } else if self.data == Data::None {
                self.event.clear();
            } else {
                return true;
            }
        }
        if self.buffer.len() - self.line > self.limit {
            self.overflow();
        }
        self.finished && self.read_tail()
    }

    /// Ends the body. True if that completes an event.
    fn read_tail(&mut self) -> bool {
        self.is_tail = true;
        let tail = self.line..self.buffer.len();
        self.line = tail.end;
        self.scanned = tail.end;
        if !tail.is_empty() {
            self.read_field(tail);
        }
        match &self.data {
            Data::None => false,
            Data::InBuffer(range) => !range.is_empty(),
            Data::Joined => !self.joined.is_empty(),
        }
    }

    /// The bytes of the next line that has an end, without that end.
    fn next_line(&mut self) -> Option<Range<usize>> {
        if self.after_cr && self.line < self.buffer.len() {
            self.after_cr = false;
            if self.buffer.get(self.line) == Some(&b'\n') {
                self.line += 1;
                self.scanned = self.line;
            }
        }
        let unscanned = self.buffer.get(self.scanned..)?;
        let Some(length) = position_of_either(unscanned, b'\n', b'\r') else {
            self.scanned = self.buffer.len();
            return None;
        };
        let line = self.line..self.scanned + length;
        self.after_cr = self.buffer.get(line.end) == Some(&b'\r');
        self.line = line.end + 1;
        self.scanned = self.line;
        Some(line)
    }

    fn read_field(&mut self, line: Range<usize>) {
        let Some(bytes) = self.buffer.get(line.clone()) else {
            return;
        };
        let colon = bytes.iter().position(|byte| *byte == b':');
        let name = bytes
            .get(..colon.unwrap_or(bytes.len()))
            .unwrap_or_default();
        let after_colon = colon
            .and_then(|colon| bytes.get(colon + 1..))
            .unwrap_or_default();
        let value = after_colon.strip_prefix(b" ").unwrap_or(after_colon);
        let range = line.end - value.len()..line.end;
        match name {
            b"data" => self.add_data(range),
            b"event" => {
                self.event.clear();
                self.event.push_str(&lossy(value));
            }
            b"error" => {
                self.event.clear();
                self.event.push_str("error");
                self.data = Data::None;
                self.add_data(range);
            }
            _ => {}
        }
    }

    fn add_data(&mut self, line: Range<usize>) {
        let value = self.buffer.get(line.clone()).unwrap_or_default();
        if self.data == Data::None {
            if !value.trim_ascii_start().starts_with(b":") {
                self.data = Data::InBuffer(line);
            }
            return;
        }
        self.keep_data();
        if self.joined.len() + 1 + line.len() > self.limit {
            return self.overflow();
        }
        self.joined.push(b'\n');
        self.joined
            .extend_from_slice(self.buffer.get(line).unwrap_or_default());
    }

    /// Copies data that is a slice of the buffer, so that the buffer may change or the data may grow.
    fn keep_data(&mut self) {
        if let Data::InBuffer(range) = &self.data {
            self.joined.clear();
            self.joined
                .extend_from_slice(self.buffer.get(range.clone()).unwrap_or_default());
            self.data = Data::Joined;
        }
    }

    fn frame(&mut self) -> Option<Frame<'_>> {
        let bytes = match &self.data {
            Data::None => return None,
            Data::InBuffer(range) => self.buffer.get(range.clone())?,
            Data::Joined => &self.joined,
        };
        let data = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => {
                self.repaired = lossy(bytes);
                &self.repaired
            }
        };
        Some(Frame {
            event: &self.event,
            data,
            is_whole: !self.is_tail,
        })
    }

    fn clear_dispatched(&mut self) {
        if self.dispatched {
            self.dispatched = false;
            self.event.clear();
            self.data = Data::None;
        }
    }

    /// False while the first bytes may still become a byte order mark.
    fn skip_byte_order_mark(&mut self) -> bool {
        if self.at_start {
            if self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.line = BYTE_ORDER_MARK.len();
                self.scanned = self.line;
            } else if BYTE_ORDER_MARK.starts_with(&self.buffer) && !self.finished {
                return false;
            }
            self.at_start = false;
        }
        true
    }

    /// Drops everything, memory included.
    fn overflow(&mut self) {
        *self = Self {
            overflowed: true,
            ..Self::with_limit(self.limit)
        };
    }
}
