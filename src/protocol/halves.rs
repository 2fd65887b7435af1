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

const LOST: char = char::REPLACEMENT_CHARACTER;

/// The half that ended the latest delta.
#[derive(Debug, Default)]
pub(super) struct Halves(Option<Half>);

#[derive(Debug)]
struct Half {
    unit: u16,
    /// What was taken off the delta for it: one U+FFFD.
    rest: StreamPart,
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
        if let Some(half) = self.0.take() {
            let pair = low.and_then(|low| char::decode_utf16([half.unit, low]).next()?.ok());
            let goes_on = is_same_block(&half.rest, &part);
            match (pair, delta(&mut part)) {
                (Some(pair), Some(text)) if goes_on && text.starts_with(LOST) => {
                    text.replace_range(..LOST.len_utf8(), pair.encode_utf8(&mut [0; 4]));
                }
                _ => parts.push(half.rest),
            }
        }
        if let Some(unit) = high
            && let Some(text) = delta(&mut part)
            && text.ends_with(LOST)
        {
            text.pop();
            let mut rest = part.clone();
            if let Some(text) = delta(&mut rest) {
                *text = LOST.into();
            }
            self.0 = Some(Half { unit, rest });
        }
        parts.push(part);
    }
}

/// The text that a part adds to a block.
fn delta(part: &mut StreamPart) -> Option<&mut String> {
    match part {
        StreamPart::Text(text) | StreamPart::Thinking(text) => Some(text),
        StreamPart::ToolCallDelta { json, .. } => Some(json),
        _ => None,
    }
}

fn is_same_block(one: &StreamPart, other: &StreamPart) -> bool {
    match (one, other) {
        (StreamPart::Text(_), StreamPart::Text(_))
        | (StreamPart::Thinking(_), StreamPart::Thinking(_)) => true,
        (StreamPart::ToolCallDelta { key, .. }, StreamPart::ToolCallDelta { key: other, .. }) => {
            key == other
        }
        _ => false,
    }
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
