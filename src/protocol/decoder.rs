//! Reads the frames of one response, whatever its wire.
//!
//! Owns what holds on every wire: what is no payload, that an event which the end of the body cut is
//! not what failed, and that nothing counts behind the end. Refuses to know what a payload says:
//! that is the business of a [`Wire`].

use super::StreamPart;
use super::failure;
use super::halves::Halves;
use crate::error::Failure;
use crate::message::StopReason;
use crate::text::sse::Frame;

/// Reads the frames of one response.
// Not `Debug`: behind the pointer, that of every wire would be in the module.
pub struct Decoder {
    wire: Box<dyn Wire>,
    halves: Halves,
    done: bool,
}

/// What reading has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// More may come.
    More,
    /// The payload is not JSON, or not what every payload is.
    Unreadable,
    /// The answer is complete.
    Ended(StopReason),
}

/// One protocol. A failure is the last thing that it says.
pub(super) trait Wire {
    /// Reads a payload and appends what it says to `parts`. `event` is its name, if it has one.
    fn read(
        &mut self,
        event: &str,
        data: &str,
        parts: &mut Vec<StreamPart>,
    ) -> Result<Read, Failure>;

    /// Reads a body that is one JSON document in place of a stream.
    fn read_whole(&mut self, body: &str, parts: &mut Vec<StreamPart>) -> Result<Read, Failure>;

    /// The body has ended.
    fn end(&mut self, parts: &mut Vec<StreamPart>) -> Result<Read, Failure>;

    /// Whether the answer stands should the body end now.
    fn is_complete(&self) -> bool {
        false
    }

    /// How long a complete answer waits for what may follow it, in milliseconds: token counts come
    /// late.
    fn grace_ms(&self) -> f64 {
        5000.0
    }

    /// A failure that is found here, by the name of who is to blame, where the caller gives none.
    fn named(&self, failure: Failure) -> Failure {
        failure
    }
}

impl Decoder {
    pub(super) fn new(wire: impl Wire + 'static) -> Self {
        Self {
            wire: Box::new(wire),
            halves: Halves::default(),
            done: false,
        }
    }

    /// Reads one frame and appends what it says to `parts`. Frames behind the end are ignored.
    pub fn on_frame(&mut self, frame: Frame<'_>, parts: &mut Vec<StreamPart>) {
        let data = frame.data.trim();
        // Some gateways make a payload of a comment. An error is one without a word, too.
        let says_nothing = data.is_empty() || data.starts_with(':');
        if self.done || (says_nothing && frame.event != "error") {
            return;
        }
        let from = parts.len();
        let read = self.wire.read(frame.event, data, parts);
        // The last event of a body that was cut is cut too: the end of the body says so.
        self.settle(read, frame.is_whole, parts);
        self.halves.join(data, from, parts);
    }

    /// Reads a successful response whose body is one JSON document in place of a stream, as some
    /// proxies send it: a whole answer, or an error. Takes the place of all other calls.
    pub fn on_whole_body(&mut self, body: &str, parts: &mut Vec<StreamPart>) {
        if !self.done {
            let read = self.wire.read_whole(body.trim(), parts);
            self.settle(read, true, parts);
        }
    }

    /// The body has ended: appends what was held back, and a `truncated` error unless the
    /// protocol's own terminal marker was seen.
    pub fn finish(&mut self, parts: &mut Vec<StreamPart>) {
        if !self.done {
            let from = parts.len();
            let ended = self.wire.end(parts);
            self.settle(ended, true, parts);
            self.halves.join("", from, parts);
        }
    }

    fn settle(&mut self, read: Result<Read, Failure>, is_whole: bool, parts: &mut Vec<StreamPart>) {
        parts.push(match read {
            Ok(Read::Ended(stop)) => StreamPart::Finish(stop),
            Ok(Read::Unreadable) if is_whole => {
                let error = failure::bad_response("the response holds malformed JSON");
                StreamPart::Error(self.wire.named(error))
            }
            Ok(Read::More | Read::Unreadable) => return,
            Err(error) => StreamPart::Error(error),
        });
        self.done = true;
    }

    /// Whether the terminal marker or a failure was seen: nothing more is worth reading.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Whether enough was seen for [`Decoder::finish`] to say how the answer ended. Reading goes on
    /// (token counts may follow), but a connection that breaks or falls silent now does no harm.
    pub fn is_complete(&self) -> bool {
        self.done || self.wire.is_complete()
    }

    /// How long a complete answer waits for what may follow it, in milliseconds.
    pub fn grace_ms(&self) -> f64 {
        self.wire.grace_ms()
    }
}
