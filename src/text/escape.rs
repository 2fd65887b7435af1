//! Escape sequences of JSON strings, read one byte at a time.
//!
//! Owns what has been read of an escape that does not stand for a character yet: a backslash, some hex digits,
//! a high surrogate that waits for its partner. Refuses nothing: an escape that JSON does not know keeps its
//! backslash, and a lone surrogate becomes U+FFFD. Private to the parser, so its example is a call:
//! after `begin()`, `read(b'n', &mut text)` adds a line feed to `text`.

/// An escape sequence that may still be growing.
#[derive(Debug, Default)]
pub(super) struct Escape {
    stage: Stage,
    /// Hex digits of `\uXXXX` as written, kept because a repair puts them back.
    digits: String,
    /// A high surrogate that has been read and waits for the low one.
    high: Option<u16>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Between escapes.
    #[default]
    Outside,
    /// After the backslash.
    Backslash,
    /// After `\u`.
    Hex,
}

impl Escape {
    /// Whether the next byte of the string belongs to an escape.
    pub(super) fn is_open(&self) -> bool {
        self.stage != Stage::Outside
    }

    /// A backslash has been read.
    pub(super) fn begin(&mut self) {
        self.stage = Stage::Backslash;
    }

    /// A waiting high surrogate gets no partner.
    pub(super) fn settle(&mut self, text: &mut String) {
        if self.high.take().is_some() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// Reads one byte of an open escape, adding to `text` what it stands for. False if the byte does not
    /// belong to the escape; the escape is over then and the byte is ordinary.
    pub(super) fn read(&mut self, byte: u8, text: &mut String) -> bool {
        match self.stage {
            Stage::Outside => false,
            Stage::Backslash => self.read_letter(byte, text),
            Stage::Hex => self.read_digit(byte, text),
        }
    }

    fn read_letter(&mut self, byte: u8, text: &mut String) -> bool {
        if byte == b'u' {
            self.stage = Stage::Hex;
            self.digits.clear();
            return true;
        }
        self.stage = Stage::Outside;
        self.settle(text);
        let decoded = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => {
                text.push('\\');
                return false;
            }
        };
        text.push(decoded);
        true
    }

    fn read_digit(&mut self, byte: u8, text: &mut String) -> bool {
        if !byte.is_ascii_hexdigit() {
            self.stage = Stage::Outside;
            self.settle(text);
            text.push_str("\\u");
            text.push_str(&self.digits);
            return false;
        }
        self.digits.push(char::from(byte));
        if self.digits.len() == 4 {
            self.stage = Stage::Outside;
            self.end_unit(text);
        }
        true
    }

    /// A whole UTF-16 code unit has been read.
    fn end_unit(&mut self, text: &mut String) {
        let digits = self.digits.chars().filter_map(|digit| digit.to_digit(16));
        let unit = digits.fold(0, |unit, digit| unit << 4 | digit as u16);
        match unit {
            0xD800..=0xDBFF => {
                self.settle(text);
                self.high = Some(unit);
            }
            0xDC00..=0xDFFF => {
                let pair = [self.high.take().unwrap_or(unit), unit];
                let decoded = char::decode_utf16(pair).next().and_then(Result::ok);
                text.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => {
                self.settle(text);
                text.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
    }
}
