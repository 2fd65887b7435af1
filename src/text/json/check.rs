//! The grammar of JSON, in one pass and without recursion.
//!
//! The module is compiled for size; the small steps are inlined all the same, since every byte of a
//! response goes through them.

use super::MAX_DEPTH;
use crate::text::scan::position_of_either;

/// Whether the text is one JSON value, white space around it allowed.
///
/// # Errors
/// The offset at which it is not.
pub(super) fn check(text: &str) -> Result<(), usize> {
    let mut checker = Checker::new(text);
    let is_whole = checker.skip_value().is_some() && checker.is_at_end();
    if is_whole { Ok(()) } else { Err(checker.at) }
}

/// The index behind the closing quote of the string whose inside begins at `at`.
pub(super) fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += position_of_either(bytes.get(at..)?, b'"', b'\\')?;
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

#[derive(Debug)]
pub(super) struct Checker<'a> {
    bytes: &'a [u8],
    at: usize,
    /// One bit per open container, the innermost lowest: set for an object.
    objects: u128,
    depth: usize,
}

impl<'a> Checker<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 0,
            objects: 0,
            depth: 0,
        }
    }

    /// Where it is.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes on at another place in the same container, in front of an element.
    pub(super) fn go_on_at(&mut self, at: usize) {
        self.at = at;
        self.skip_space();
    }

    /// The first byte of the next value.
    #[inline(always)]
    pub(super) fn peek_value(&mut self) -> Option<u8> {
        self.skip_space();
        self.peek()
    }

    /// Whether nothing but white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek_value().is_none()
    }

    /// Goes into a container. False if it is empty, and then it is behind it.
    pub(super) fn enter(&mut self, open: u8, close: u8) -> Option<bool> {
        if self.peek_value()? != open {
            return None;
        }
        self.open(u128::from(open == b'{'))?;
        let is_empty = self.peek()? == close;
        if is_empty {
            self.close();
        } else {
            self.skip_space();
        }
        Some(!is_empty)
    }

    /// Behind a value in a container: whether another one follows. If not, it is behind the container.
    #[inline(always)]
    pub(super) fn more(&mut self, close: u8) -> Option<bool> {
        let byte = self.peek_value()?;
        if byte == b',' {
            self.at += 1;
            self.skip_space();
            return Some(true);
        }
        (byte == close).then(|| self.close())?;
        Some(false)
    }

    /// Goes behind the colon of a member.
    #[inline(always)]
    pub(super) fn colon(&mut self) -> Option<()> {
        self.skip_space();
        self.literal(":")
    }

    /// Goes behind a string. Where it starts, and whether it has escapes.
    #[inline(always)]
    pub(super) fn string_here(&mut self) -> Option<(usize, bool)> {
        let start = self.at;
        if self.peek()? != b'"' {
            return None;
        }
        let rest = self.bytes.get(start + 1..)?;
        let first = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        let has_escapes = rest.get(first) == Some(&b'\\');
        self.at = if has_escapes {
            end_of_string(self.bytes, start + 1 + first)?
        } else {
            start + first + 2
        };
        Some((start, has_escapes))
    }

    /// Goes behind the next value, whatever it is. Where it starts.
    pub(super) fn skip_value(&mut self) -> Option<usize> {
        self.skip_space();
        let start = self.at;
        let outside = self.depth;
        loop {
            if self.value()? {
                continue;
            }
            // A value is complete: what closes behind it, until a comma asks for the next.
            loop {
                if self.depth == outside {
                    return Some(start);
                }
                self.skip_space();
                let in_object = self.objects & 1 == 1;
                match self.peek()? {
                    b',' => {
                        self.at += 1;
                        if in_object {
                            self.key()?;
                        }
                        break;
                    }
                    b'}' if in_object => self.close(),
                    b']' if !in_object => self.close(),
                    _ => return None,
                }
            }
        }
    }

    /// Reads a scalar or an empty container, or opens a container (then true: a value must follow).
    fn value(&mut self) -> Option<bool> {
        self.skip_space();
        match self.peek()? {
            b'"' => self.string()?,
            b'{' => {
                self.open(1)?;
                if self.peek()? != b'}' {
                    self.key()?;
                    return Some(true);
                }
                self.close();
            }
            b'[' => {
                self.open(0)?;
                if self.peek()? != b']' {
                    return Some(true);
                }
                self.close();
            }
            b't' => self.literal("true")?,
            b'f' => self.literal("false")?,
            b'n' => self.literal("null")?,
            _ => self.number()?,
        }
        Some(false)
    }

    fn open(&mut self, object: u128) -> Option<()> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.objects = self.objects << 1 | object;
        self.at += 1;
        self.skip_space();
        Some(())
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
        self.at += 1;
    }

    #[inline(always)]
    fn key(&mut self) -> Option<()> {
        self.skip_space();
        self.string()?;
        self.colon()
    }

    #[inline(always)]
    fn string(&mut self) -> Option<()> {
        self.string_here().map(drop)
    }

    #[inline(always)]
    fn literal(&mut self, text: &str) -> Option<()> {
        self.bytes
            .get(self.at..)?
            .starts_with(text.as_bytes())
            .then(|| self.at += text.len())
    }

    fn number(&mut self) -> Option<()> {
        if self.peek()? == b'-' {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        (count > 0).then_some(())
    }

    #[inline(always)]
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}
