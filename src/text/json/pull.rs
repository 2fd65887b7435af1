//! JSON read in one pass, front to back, for what comes thousands of times a second.

use std::borrow::Cow;

use super::check::Checker;
use super::{Json, unescaped};

/// Reads a text once: what is not wanted is checked and skipped. Everything is `None` where the text
/// breaks the grammar.
///
/// ```
/// use sluice_agent::text::json::Pull;
///
/// let mut pull = Pull::new(r#"{"id":"x","choices":[{"index":0}]}"#);
/// let mut id = None;
/// let end = pull.object(|pull, key| {
///     match key {
///         "id" => id = Some(pull.string()?),
///         _ => drop(pull.json()?),
///     }
///     Some(())
/// });
/// assert_eq!(end.and_then(|()| pull.end()), Some(()));
/// assert_eq!(id.as_deref(), Some("x"));
/// ```
#[derive(Debug)]
pub struct Pull<'a> {
    text: &'a str,
    checker: Checker<'a>,
}

impl<'a> Pull<'a> {
    /// Begins at the front.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            checker: Checker::new(text),
        }
    }

    /// Whether the next value is an object.
    pub fn is_object(&mut self) -> bool {
        self.next_is(b'{')
    }

    /// Whether the next value is an array.
    pub fn is_array(&mut self) -> bool {
        self.next_is(b'[')
    }

    /// Whether the next value is a string.
    pub fn is_string(&mut self) -> bool {
        self.next_is(b'"')
    }

    /// Reads an object: `member` is called with every key and has to read the value.
    pub fn object(&mut self, mut member: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        if !self.checker.enter(b'{', b'}')? {
            return Some(());
        }
        loop {
            let key = self.string()?;
            self.checker.colon()?;
            member(self, &key)?;
            if !self.checker.more(b'}')? {
                return Some(());
            }
        }
    }

    /// Reads an array: `item` is called for every element and has to read it.
    pub fn array(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if !self.checker.enter(b'[', b']')? {
            return Some(());
        }
        loop {
            item(self)?;
            if !self.checker.more(b']')? {
                return Some(());
            }
        }
    }

    /// Reads a string. Copied only if it has escapes.
    pub fn string(&mut self) -> Option<Cow<'a, str>> {
        let (start, has_escapes) = self.checker.string_here()?;
        let body = self.text.get(start + 1..self.checker.at() - 1)?;
        Some(if has_escapes {
            unescaped(body)
        } else {
            Cow::Borrowed(body)
        })
    }

    /// Reads any value, to be looked into later.
    pub fn json(&mut self) -> Option<Json<'a>> {
        let start = self.checker.skip_value()?;
        self.text.get(start..self.checker.at()).map(Json)
    }

    /// Nothing but white space may be left.
    pub fn end(&mut self) -> Option<()> {
        self.checker.is_at_end().then_some(())
    }

    #[inline(always)]
    fn next_is(&mut self, byte: u8) -> bool {
        self.checker.peek_value() == Some(byte)
    }
}
