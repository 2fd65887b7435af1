//! The grammar of JSON, in one pass and without recursion.

use super::MAX_DEPTH;
use crate::text::scan::position_of_either;

/// Whether the text is one JSON value, white space around it allowed.
///
/// # Errors
/// The offset at which it is not.
pub(super) fn check(text: &str) -> Result<(), usize> {
    let mut checker = Checker {
        bytes: text.as_bytes(),
        at: 0,
        objects: 0,
        depth: 0,
    };
    checker.document().ok_or(checker.at)
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

struct Checker<'a> {
    bytes: &'a [u8],
    at: usize,
    /// One bit per open container, the innermost lowest: set for an object.
    objects: u128,
    depth: usize,
}

impl Checker<'_> {
    fn document(&mut self) -> Option<()> {
        loop {
            if self.value()? {
                continue;
            }
            // A value is complete: what closes behind it, until a comma asks for the next.
            loop {
                self.skip_space();
                let Some(byte) = self.peek() else {
                    return (self.depth == 0).then_some(());
                };
                let in_object = self.objects & 1 == 1;
                match byte {
                    _ if self.depth == 0 => return None,
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

    fn key(&mut self) -> Option<()> {
        self.skip_space();
        self.string()?;
        self.skip_space();
        self.literal(":")
    }

    fn string(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at = end_of_string(self.bytes, self.at + 1)?;
        Some(())
    }

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
