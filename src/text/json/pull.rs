//! JSON read in one pass, front to back, for what comes thousands of times a second.

use std::borrow::Cow;

use super::check::Checker;
use super::{Json, unescaped};
use crate::text::scan::starts_with;

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
    /// Where the first object goes on.
    known: Option<usize>,
}

impl<'a> Pull<'a> {
    /// Begins at the front.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            checker: Checker::new(text),
            known: None,
        }
    }

    /// Passes over the first members of the object that the text is, if they are these: `known` is a text from the
    /// object's bracket to the key of a member, read before.
    ///
    /// ```
    /// use sluice_agent::text::json::Pull;
    ///
    /// let mut pull = Pull::new(r#"{"id":"x","text":"Hi"}"#);
    /// assert!(pull.skip_known(r#"{"id":"x","#));
    /// let mut keys = Vec::new();
    /// pull.object(|pull, key| {
    ///     keys.push(key.to_owned());
    ///     pull.json().map(drop)
    /// });
    /// assert_eq!(keys, ["text"]);
    /// ```
    pub fn skip_known(&mut self, known: &str) -> bool {
        let is_known = !known.is_empty() && starts_with(self.text.as_bytes(), known.as_bytes());
        self.known = is_known.then_some(known.len());
        is_known
    }

    /// What has been read.
    pub fn read(&self) -> &'a str {
        self.text.get(..self.checker.at()).unwrap_or_default()
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
        if let Some(at) = self.known.take() {
            self.checker.go_on_at(at);
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
