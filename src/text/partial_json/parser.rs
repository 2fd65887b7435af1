//! The state machine that turns pieces of argument text into operations.
//!
//! Owns where in the grammar the text stands: a stack of open containers, one state, and the text of a key or
//! number that is not complete. Refuses to recurse and to keep the text: a string value goes out as it comes in.
//!
//! ```
//! use sluice_agent::text::partial_json::{PartialJson, ValueBuilder};
//!
//! let mut parser = PartialJson::new();
//! let mut arguments = ValueBuilder::new();
//! parser.push(r#"{"tags":["a","b"]}"#, &mut arguments);
//! assert!(parser.is_complete());
//! assert!(parser.finish(&mut arguments).is_ok());
//! ```

use super::error::{JsonError, JsonErrorKind};
use super::number;
use super::ops::{ArgumentSink, PathOp};
use super::state::{Container, Literal, Role, Root, State};
use crate::text::escape::Escape;
use crate::text::scan::position_of_either;

/// How many containers may be open at once. Arguments that people write stay far below it; the bound keeps
/// hostile text from overflowing the stack of whoever walks the value.
pub const MAX_DEPTH: usize = 100;

/// Reads argument text piece by piece; see the [module](super) for what it accepts.
#[derive(Debug, Default)]
pub struct PartialJson {
    state: State,
    stack: Vec<Container>,
    root: Root,
    escape: Escape,
    /// A key, number or root string as far as it is known; of a string value only what is not emitted yet.
    text: String,
    /// The string value that is being read has been started in the sink.
    started: bool,
    /// A backslash outside strings, waiting for its letter.
    backslash: bool,
    /// The text is what a root string held, so another root string is not unwrapped.
    nested: bool,
    /// Bytes of all earlier pieces.
    consumed: usize,
    error: Option<JsonError>,
}

impl PartialJson {
    /// A parser that has read nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the root value is closed. [`finish`](Self::finish) still decides whether it is good.
    pub fn is_complete(&self) -> bool {
        self.state == State::Done && self.error.is_none()
    }

    /// Whether nothing but white space has been read.
    pub fn is_empty(&self) -> bool {
        self.state == State::Root && !self.backslash && self.error.is_none()
    }

    /// Reads the next piece of the text. After an error it reads nothing more, and the view stays as it is.
    pub fn push(&mut self, delta: &str, sink: &mut dyn ArgumentSink) {
        let mut cursor = 0;
        while self.error.is_none()
            && let Some(rest) = delta.get(cursor..)
            && let Some(&byte) = rest.as_bytes().first()
        {
            let step = match self.state {
                State::String(role) => Ok(self.read_string(rest, role, sink)),
                State::Number { start } => self.read_number(rest, start, sink),
                State::Literal(literal, read) => self.read_literal(byte, literal, read, sink),
                _ => self.read_structure(byte, self.consumed + cursor, sink),
            };
            match step {
                Ok(used) => cursor += used,
                Err(kind) => self.fail(self.consumed + cursor, kind),
            }
        }
        if self.state == State::String(Role::Value) {
            self.emit_string("", sink);
        }
        self.consumed += delta.len();
    }

    /// The text has ended.
    ///
    /// # Errors
    ///
    /// The text is not one complete object; the first error counts.
    pub fn finish(&mut self, sink: &mut dyn ArgumentSink) -> Result<(), JsonError> {
        if self.is_complete() && !self.backslash && self.root == Root::Text {
            let text = std::mem::take(&mut self.text);
            *self = Self {
                nested: true,
                ..Self::default()
            };
            sink.apply(PathOp::Reset);
            self.push(&text, sink);
        }
        if self.backslash || !matches!(self.state, State::Root | State::Done) {
            self.fail(self.consumed, JsonErrorKind::Truncated);
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.root == Root::Empty {
            sink.apply(PathOp::OpenObject);
            sink.apply(PathOp::Close);
        }
        self.root = Root::Object;
        self.state = State::Done;
        Ok(())
    }

    /// Bytes of text that wait to be complete.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.text.capacity()
    }

    /// Notes an error, of which the first counts.
    fn fail(&mut self, offset: usize, kind: JsonErrorKind) {
        self.error.get_or_insert(JsonError { offset, kind });
    }

    /// Reads one byte outside strings, numbers and literals.
    fn read_structure(
        &mut self,
        byte: u8,
        at: usize,
        sink: &mut dyn ArgumentSink,
    ) -> Result<usize, JsonErrorKind> {
        if self.backslash {
            self.backslash = false;
            if !matches!(byte, b'n' | b'r' | b't') {
                self.fail(at - 1, self.unexpected());
            }
            return Ok(1);
        }
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => return Ok(1),
            b'\\' => {
                self.backslash = true;
                return Ok(1);
            }
            _ => {}
        }
        match (self.state, byte) {
            (State::Root, _) => self.begin_root(byte, sink)?,
            (State::FirstKeyOrClose | State::Key, b'"') => self.begin_string(Role::Key),
            (State::FirstKeyOrClose, b'}') | (State::FirstValueOrClose, b']') => self.close(sink),
            (State::CommaOrClose, _) => self.read_separator(byte, sink)?,
            (State::Colon, b':') => self.state = State::Value,
            (State::FirstValueOrClose | State::Value, _) => self.begin_value(byte, at, sink)?,
            _ => return Err(self.unexpected()),
        }
        Ok(1)
    }

    fn unexpected(&self) -> JsonErrorKind {
        if self.state == State::Done {
            JsonErrorKind::TrailingCharacters
        } else {
            JsonErrorKind::UnexpectedCharacter
        }
    }

    fn begin_root(&mut self, byte: u8, sink: &mut dyn ArgumentSink) -> Result<(), JsonErrorKind> {
        match byte {
            b'{' => {
                self.root = Root::Object;
                self.open(Container::Object, sink)
            }
            b'"' if !self.nested => {
                self.root = Root::Text;
                self.begin_string(Role::Root);
                Ok(())
            }
            b'n' => {
                self.state = State::Literal(Literal::Null, 1);
                Ok(())
            }
            b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' => Err(JsonErrorKind::NotAnObject),
            _ => Err(JsonErrorKind::UnexpectedCharacter),
        }
    }

    fn begin_value(
        &mut self,
        byte: u8,
        at: usize,
        sink: &mut dyn ArgumentSink,
    ) -> Result<(), JsonErrorKind> {
        match byte {
            b'{' => self.open(Container::Object, sink)?,
            b'[' => self.open(Container::Array, sink)?,
            b'"' => self.begin_string(Role::Value),
            b't' => self.state = State::Literal(Literal::True, 1),
            b'f' => self.state = State::Literal(Literal::False, 1),
            b'n' => self.state = State::Literal(Literal::Null, 1),
            b'-' | b'0'..=b'9' => {
                self.text.clear();
                self.text.push(char::from(byte));
                self.state = State::Number { start: at };
            }
            _ => return Err(JsonErrorKind::UnexpectedCharacter),
        }
        Ok(())
    }

    fn open(
        &mut self,
        container: Container,
        sink: &mut dyn ArgumentSink,
    ) -> Result<(), JsonErrorKind> {
        if self.stack.len() == MAX_DEPTH {
            return Err(JsonErrorKind::TooDeep);
        }
        self.stack.push(container);
        let (state, op) = match container {
            Container::Object => (State::FirstKeyOrClose, PathOp::OpenObject),
            Container::Array => (State::FirstValueOrClose, PathOp::OpenArray),
        };
        self.state = state;
        sink.apply(op);
        Ok(())
    }

    fn read_separator(
        &mut self,
        byte: u8,
        sink: &mut dyn ArgumentSink,
    ) -> Result<(), JsonErrorKind> {
        match (byte, self.stack.last()) {
            (b',', Some(Container::Object)) => self.state = State::Key,
            (b',', Some(Container::Array)) => self.state = State::Value,
            (b'}', Some(Container::Object)) | (b']', Some(Container::Array)) => self.close(sink),
            _ => return Err(JsonErrorKind::UnexpectedCharacter),
        }
        Ok(())
    }

    fn close(&mut self, sink: &mut dyn ArgumentSink) {
        self.stack.pop();
        sink.apply(PathOp::Close);
        self.end_value();
    }

    fn end_value(&mut self) {
        self.state = if self.stack.is_empty() {
            State::Done
        } else {
            State::CommaOrClose
        };
    }

    fn begin_string(&mut self, role: Role) {
        self.text.clear();
        self.started = false;
        self.state = State::String(role);
    }

    /// Reads one byte of an escape, or up to the next quote or backslash. Answers how many bytes it took.
    fn read_string(&mut self, rest: &str, role: Role, sink: &mut dyn ArgumentSink) -> usize {
        let bytes = rest.as_bytes();
        let Some(&first) = bytes.first() else {
            return 0;
        };
        if self.escape.is_open() {
            return usize::from(self.escape.read(first, &mut self.text));
        }
        if first != b'\\' {
            self.escape.settle(&mut self.text);
        }
        let end = position_of_either(bytes, b'"', b'\\').unwrap_or(bytes.len());
        let run = rest.get(..end).unwrap_or_default();
        match bytes.get(end) {
            Some(b'"') => {
                self.end_string(run, role, sink);
                end + 1
            }
            Some(_) => {
                self.text.push_str(run);
                self.escape.begin();
                end + 1
            }
            None => {
                self.extend_string(run, role, sink);
                end
            }
        }
    }

    /// The piece of text ends within the string.
    fn extend_string(&mut self, run: &str, role: Role, sink: &mut dyn ArgumentSink) {
        if role == Role::Value {
            self.emit_string(run, sink);
        } else {
            self.text.push_str(run);
        }
    }

    fn end_string(&mut self, run: &str, role: Role, sink: &mut dyn ArgumentSink) {
        match role {
            Role::Value => {
                self.emit_string(run, sink);
                sink.apply(PathOp::EndString);
                self.end_value();
            }
            Role::Key => {
                self.text.push_str(run);
                sink.apply(PathOp::Key(&self.text));
                self.state = State::Colon;
            }
            Role::Root => {
                self.text.push_str(run);
                self.state = State::Done;
            }
        }
    }

    /// Emits what is known of a string value. Without an escape that is a slice of the piece itself.
    fn emit_string(&mut self, run: &str, sink: &mut dyn ArgumentSink) {
        let part = if self.text.is_empty() {
            run
        } else {
            self.text.push_str(run);
            &self.text
        };
        if !self.started {
            sink.apply(PathOp::StartString(part));
        } else if !part.is_empty() {
            sink.apply(PathOp::AppendString(part));
        }
        self.started = true;
        self.text.clear();
    }

    /// Reads number text; the byte behind it is left for the structure.
    fn read_number(
        &mut self,
        rest: &str,
        start: usize,
        sink: &mut dyn ArgumentSink,
    ) -> Result<usize, JsonErrorKind> {
        let length = rest
            .bytes()
            .take_while(|byte| number::is_number_byte(*byte))
            .count();
        self.text.push_str(rest.get(..length).unwrap_or_default());
        if length < rest.len() {
            match number::check(&self.text) {
                Ok(()) => sink.apply(PathOp::Number(&self.text)),
                Err(kind) => self.fail(start, kind),
            }
            self.text.clear();
            self.end_value();
        }
        Ok(length)
    }

    fn read_literal(
        &mut self,
        byte: u8,
        literal: Literal,
        read: usize,
        sink: &mut dyn ArgumentSink,
    ) -> Result<usize, JsonErrorKind> {
        if literal.text().get(read) != Some(&byte) {
            return Err(JsonErrorKind::UnexpectedCharacter);
        }
        if read + 1 < literal.text().len() {
            self.state = State::Literal(literal, read + 1);
            return Ok(1);
        }
        if !self.stack.is_empty() {
            sink.apply(literal.op());
        }
        self.end_value();
        Ok(1)
    }
}
