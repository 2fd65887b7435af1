//! Ids of tool calls within one request.

use std::borrow::Cow;

use crate::model::ToolCallIdFormat;

/// The most characters of an id in the standard format.
pub(super) const MAX_LENGTH: usize = 64;
/// How many characters make an id different.
const DIGITS: usize = 9;

/// Gives every call an id of its own, within the rules of the target.
///
/// The same calls in the same order always get the same ids.
#[derive(Debug)]
pub(crate) struct IdRegistry {
    format: Option<ToolCallIdFormat>,
    /// Sorted.
    used: Vec<String>,
}

impl IdRegistry {
    /// A registry without ids. Without a format any text but the empty one is an id.
    pub(crate) fn new(format: Option<ToolCallIdFormat>) -> Self {
        Self {
            format,
            used: Vec::new(),
        }
    }

    /// The id in this request for the next call, whose id in the transcript is `id`: that one if it
    /// may be used, else one made from it.
    pub(crate) fn assign<'a>(&mut self, id: &'a str) -> Cow<'a, str> {
        if self.is_valid(id) && self.claim(id) {
            return Cow::Borrowed(id);
        }
        let mut attempt = 0;
        loop {
            let made = self.make(id, attempt);
            if self.claim(&made) {
                return Cow::Owned(made);
            }
            attempt += 1;
        }
    }

    /// Whether the id was free. Now it is not.
    pub(crate) fn claim(&mut self, id: &str) -> bool {
        match self.used.binary_search_by(|used| used.as_str().cmp(id)) {
            Ok(_) => false,
            Err(place) => {
                self.used.insert(place, id.to_owned());
                true
            }
        }
    }

    fn is_valid(&self, id: &str) -> bool {
        match self.format {
            None => !id.is_empty(),
            Some(ToolCallIdFormat::Standard) => is_word(id),
            Some(ToolCallIdFormat::NineAlphanumeric) => {
                id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
        }
    }

    /// An id in the target's format, different for different ids and attempts but for collisions.
    fn make(&self, id: &str, attempt: u32) -> String {
        let digits = digits(id, attempt);
        match self.format {
            Some(ToolCallIdFormat::NineAlphanumeric) => return digits,
            None => return [id, "_", &digits].concat(),
            Some(ToolCallIdFormat::Standard) => {}
        }
        let stem = readable(id, MAX_LENGTH - digits.len() - 1);
        let stem = if stem.is_empty() { "call" } else { &stem };
        [stem, "_", &digits].concat()
    }
}

/// Whether a text is within the standard format.
#[inline(never)]
pub(super) fn is_word(text: &str) -> bool {
    (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(is_standard)
}

/// So many bytes of a text, in standard characters.
pub(super) fn readable(text: &str, length: usize) -> String {
    let readable = |byte: u8| if is_standard(byte) { byte as char } else { '_' };
    text.bytes().take(length).map(readable).collect()
}

/// Whether an id is one that a registry without a format has made from `id`.
pub(crate) fn is_made_from(id: &str, made: &str) -> bool {
    let digits = made.strip_prefix(id).and_then(|it| it.strip_prefix('_'));
    digits.is_some_and(|digits| digits.len() == DIGITS)
}

pub(super) fn is_standard(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Nine letters or digits that depend on every byte of `id` and on `attempt` (FNV-1a).
fn digits(id: &str, attempt: u32) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in id.bytes().chain(attempt.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // The low bits of the product are the weak ones.
    hash ^= hash >> 32;
    (0..DIGITS)
        .map(|_| {
            let digit = (hash % 36) as u32;
            hash /= 36;
            char::from_digit(digit, 36).unwrap_or('0')
        })
        .collect()
}
