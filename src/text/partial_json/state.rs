//! Where in the JSON grammar the text stands.
//!
//! Owns the names of the parser's states. Refuses to move between them, which is the parser's work. Private to
//! the parser, so its example is a place: after `{"a"` the state is `Colon`.

use super::ops::PathOp;

/// A container that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Object,
    Array,
}

/// What the grammar allows next.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Root,
    FirstKeyOrClose,
    Key,
    Colon,
    FirstValueOrClose,
    Value,
    CommaOrClose,
    Done,
    String(Role),
    /// In a number whose first byte stands at `start`.
    Number {
        start: usize,
    },
    /// In a word of which so many letters have been read.
    Literal(Literal, usize),
}

/// What a string is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
    Root,
}

/// What the root turned out to be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// An object, whose operations are out.
    Object,
    /// A string, which may hold an object.
    Text,
    /// Nothing, or `null`: an empty object, of which no operation is out.
    #[default]
    Empty,
}

/// The values that are words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Literal {
    True,
    False,
    Null,
}

impl Literal {
    /// The letters.
    pub(super) fn text(self) -> &'static [u8] {
        match self {
            Self::True => b"true",
            Self::False => b"false",
            Self::Null => b"null",
        }
    }

    /// The operation it stands for.
    pub(super) fn op(self) -> PathOp<'static> {
        match self {
            Self::True => PathOp::True,
            Self::False => PathOp::False,
            Self::Null => PathOp::Null,
        }
    }
}
