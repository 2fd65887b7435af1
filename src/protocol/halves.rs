//! Characters whose two halves arrive in two frames.
//!
//! A server that cuts an answer by UTF-16 code units writes `"\ud83d"` into one frame and `"\ude42"`
//! into the next; read by itself, each is half of a character, which is U+FFFD. Owns the half that
//! waits for the other one, in text, thinking and arguments on every wire: frames are searched for
//! halves, and parts for what became of them. Refuses to wait for long: a half without the other is
//! U+FFFD as soon as its block goes on without it, or ends.

use super::StreamPart;
use crate::text::position_of_either;

#[cfg(test)]
mod tests;

/// What a half is by itself.
const LOST: &str = "\u{FFFD}";

/// The half that ended the latest delta, taken off it.
#[derive(Debug, Default)]
pub(super) struct Halves(Option<(Block, u16)>);

/// What a delta belongs to; calls are told apart by their key.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Block {
    Text,
    Thinking,
    Call(u32),
}

impl Halves {
    /// Joins halves in the parts behind the first `from`, which are what a frame with this data says.
    pub(super) fn join(&mut self, data: &str, from: usize, parts: &mut Vec<StreamPart>) {
        let (low, high) = at_edges(data);
        if high.is_some() || self.0.is_some() {
            for part in parts.split_off(from) {
                self.pass(part, low, high, parts);
            }
        }
    }

    fn pass(
        &mut self,
        mut part: StreamPart,
        low: Option<u16>,
        high: Option<u16>,
        parts: &mut Vec<StreamPart>,
    ) {
        // They come between the deltas of a block.
        if matches!(part, StreamPart::Usage(_) | StreamPart::ResponseId(_)) {
            return parts.push(part);
        }
        let held = self.0.take();
        let Some((block, text)) = delta(&mut part) else {
            parts.extend(held.map(lost));
            return parts.push(part);
        };
        if let Some((before, first)) = held {
            let rest = text.strip_prefix(LOST).filter(|_| block == before);
            match (rest, low) {
                (Some(rest), Some(second)) => *text = [&*joined(first, second), rest].concat(),
                _ => parts.push(lost((before, first))),
            }
        }
        if let Some(unit) = high
            && let Some(kept) = text.strip_suffix(LOST)
        {
            text.truncate(kept.len());
            self.0 = Some((block, unit));
        }
        parts.push(part);
    }
}

/// The block that a part adds to, and what it adds.
fn delta(part: &mut StreamPart) -> Option<(Block, &mut String)> {
    match part {
        StreamPart::Text(text) => Some((Block::Text, text)),
        StreamPart::Thinking(text) => Some((Block::Thinking, text)),
        StreamPart::ToolCallDelta { key, json } => Some((Block::Call(*key), json)),
        _ => None,
    }
}

/// The delta of a half that stays one.
fn lost((block, _): (Block, u16)) -> StreamPart {
    let text = LOST.to_owned();
    match block {
        Block::Text => StreamPart::Text(text),
        Block::Thinking => StreamPart::Thinking(text),
        Block::Call(key) => StreamPart::ToolCallDelta { key, json: text },
    }
}

/// The character of a first and a second half.
fn joined(first: u16, second: u16) -> String {
    let bits = u32::from(first & 0x3FF) << 10 | u32::from(second & 0x3FF);
    char::from_u32(0x1_0000 + bits)
        .map(String::from)
        .unwrap_or_default()
}

/// The half with which a string in this JSON text begins, and the half with which one ends.
fn at_edges(json: &str) -> (Option<u16>, Option<u16>) {
    let bytes = json.as_bytes();
    let (mut low, mut high) = (None, None);
    let mut rest = 0;
    let next = |from: usize| position_of_either(bytes.get(from..)?, b'\\', b'\\');
    while let Some(skipped) = next(rest) {
        let start = rest + skipped;
        let is_first = start > 0 && bytes.get(start - 1) == Some(&b'"');
        let is_last = bytes.get(start + 6) == Some(&b'"');
        match unit(json.get(start + 1..start + 6)) {
            Some(unit @ 0xD800..=0xDBFF) if is_last => high = Some(unit),
            Some(unit @ 0xDC00..=0xDFFF) if is_first => low = Some(unit),
            _ => {}
        }
        // Behind the letter, which may be a backslash.
        rest = start + 2;
    }
    (low, high)
}

/// The code unit of an escape without its backslash.
fn unit(escape: Option<&str>) -> Option<u16> {
    let mut digits = escape?.strip_prefix('u')?.chars();
    digits.try_fold(0, |unit, digit| {
        Some(unit << 4 | digit.to_digit(16)? as u16)
    })
}
