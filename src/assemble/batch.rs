//! The operations of one network chunk, in the form in which they cross into JavaScript.
//!
//! A batch is one text and a list of `u32` words. An operation is a head word (the kind in the low
//! 8 bits, the block's index above), then the lengths of its strings in UTF-16 units; the strings
//! themselves follow each other in the text. Operations on tool-call arguments also hold a word
//! count and that many words of path steps, each a kind and, for steps with a string, its length.

use crate::text::partial_json::{ArgumentSink, PathOp};

/// Kinds of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Op {
    /// A text block begins.
    TextStart = 1,
    /// A text block grows by one string.
    TextDelta = 2,
    /// A text block ends.
    TextEnd = 3,
    /// A thinking block begins.
    ThinkingStart = 4,
    /// A thinking block grows by one string.
    ThinkingDelta = 5,
    /// A thinking block ends.
    ThinkingEnd = 6,
    /// A tool call begins; strings: id, name.
    ToolCallStart = 7,
    /// The arguments grow; string: their JSON text; then path steps.
    ToolCallDelta = 8,
    /// A tool call ends; string: empty; then path steps.
    ToolCallEnd = 9,
    /// A whole image; strings: data, MIME type.
    Image = 10,
    /// Sets the signature of a text block.
    TextSignature = 11,
    /// Sets the signature of a thinking block.
    ThinkingSignature = 12,
    /// Marks a thinking block as redacted.
    Redacted = 13,
    /// Sets the signature of a tool call.
    ToolCallSignature = 14,
}

/// Kinds of steps within the arguments of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum PathStep {
    /// Opens an object.
    OpenObject = 0,
    /// Opens an array.
    OpenArray = 1,
    /// The key of the next value.
    Key = 2,
    /// A string begins with this text.
    StartString = 3,
    /// The string grows.
    AppendString = 4,
    /// A number, as its JSON text.
    Number = 5,
    /// `true`.
    True = 6,
    /// `false`.
    False = 7,
    /// `null`.
    Null = 8,
    /// Closes the innermost container.
    Close = 9,
    /// Starts over with nothing.
    Reset = 10,
}

impl Op {
    const ALL: [Self; 14] = [
        Self::TextStart,
        Self::TextDelta,
        Self::TextEnd,
        Self::ThinkingStart,
        Self::ThinkingDelta,
        Self::ThinkingEnd,
        Self::ToolCallStart,
        Self::ToolCallDelta,
        Self::ToolCallEnd,
        Self::Image,
        Self::TextSignature,
        Self::ThinkingSignature,
        Self::Redacted,
        Self::ToolCallSignature,
    ];

    fn from_word(word: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|op| *op as u32 == word & 0xff)
    }

    /// How many strings the operation has.
    pub fn strings(self) -> usize {
        match self {
            Self::TextStart
            | Self::TextEnd
            | Self::ThinkingStart
            | Self::ThinkingEnd
            | Self::Redacted => 0,
            Self::TextDelta
            | Self::ThinkingDelta
            | Self::ToolCallDelta
            | Self::ToolCallEnd
            | Self::TextSignature
            | Self::ThinkingSignature
            | Self::ToolCallSignature => 1,
            Self::ToolCallStart | Self::Image => 2,
        }
    }

    /// Whether path steps follow the strings.
    pub fn has_path(self) -> bool {
        matches!(self, Self::ToolCallDelta | Self::ToolCallEnd)
    }
}

/// One operation, found in the words of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation<'a> {
    /// Where it begins in the words.
    pub word: usize,
    /// What it does.
    pub op: Op,
    /// To which block.
    pub block: u32,
    /// The lengths of its strings, in UTF-16 units.
    pub lengths: &'a [u32],
    /// Its path steps.
    pub path: &'a [u32],
}

/// What one network chunk did to the message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    text: String,
    words: Vec<u32>,
}

impl Batch {
    /// All strings of all operations, one behind the other.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The operations.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The operations, one by one.
    pub fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        let mut word = 0;
        std::iter::from_fn(move || {
            let head = *self.words.get(word)?;
            let op = Op::from_word(head)?;
            let strings = word + 1;
            let mut end = strings + op.strings();
            let lengths = self.words.get(strings..end)?;
            let mut path: &[u32] = &[];
            if op.has_path() {
                let count = *self.words.get(end)? as usize;
                path = self.words.get(end + 1..end + 1 + count)?;
                end += 1 + count;
            }
            let operation = Operation {
                word,
                op,
                block: head >> 8,
                lengths,
                path,
            };
            word = end;
            Some(operation)
        })
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.words.clear();
    }

    pub(super) fn push(&mut self, op: Op, block: u32, strings: &[&str]) {
        debug_assert_eq!(op.strings(), strings.len());
        self.words.push(op as u32 | (block << 8));
        for string in strings {
            self.push_string(string);
        }
    }

    /// An operation with path steps, which `steps` writes to the sink it is given.
    pub(super) fn push_path(
        &mut self,
        op: Op,
        block: u32,
        string: &str,
        steps: impl FnOnce(&mut PathWriter<'_>),
    ) {
        self.push(op, block, &[string]);
        let count = self.words.len();
        self.words.push(0);
        steps(&mut PathWriter(self));
        let written = (self.words.len() - count - 1) as u32;
        if let Some(word) = self.words.get_mut(count) {
            *word = written;
        }
    }

    fn push_string(&mut self, string: &str) {
        self.text.push_str(string);
        self.words.push(utf16_length(string));
    }
}

/// Writes path steps into a batch.
pub(super) struct PathWriter<'a>(&'a mut Batch);

impl ArgumentSink for PathWriter<'_> {
    fn apply(&mut self, op: PathOp<'_>) {
        let (step, string) = match op {
            PathOp::OpenObject => (PathStep::OpenObject, None),
            PathOp::OpenArray => (PathStep::OpenArray, None),
            PathOp::Key(key) => (PathStep::Key, Some(key)),
            PathOp::StartString(text) => (PathStep::StartString, Some(text)),
            PathOp::AppendString(text) => (PathStep::AppendString, Some(text)),
            PathOp::Number(text) => (PathStep::Number, Some(text)),
            PathOp::True => (PathStep::True, None),
            PathOp::False => (PathStep::False, None),
            PathOp::Null => (PathStep::Null, None),
            PathOp::Close => (PathStep::Close, None),
            PathOp::Reset => (PathStep::Reset, None),
            // Whoever shows the message sees no difference between an open and a closed string.
            PathOp::EndString => return,
        };
        self.0.words.push(step as u32);
        if let Some(string) = string {
            self.0.push_string(string);
        }
    }
}

fn utf16_length(text: &str) -> u32 {
    let length = if text.is_ascii() {
        text.len()
    } else {
        text.encode_utf16().count()
    };
    length as u32
}
