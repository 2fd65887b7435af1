//! What a failed check says: the path of a mismatch and its one-line message.

use std::fmt;

use serde_json::Value;

use crate::text::json::to_text;
use crate::text::number;

use super::value::{Types, type_names};

/// The longest excerpt of a value that a message quotes, in characters.
const EXCERPT: usize = 60;

/// One reason why a value does not fit its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Where in the value: `""` for the whole value, else e.g. `items[2].name`.
    pub path: String,
    /// What is wrong there, e.g. `expected integer, got string "abc"`.
    pub message: String,
}

impl Mismatch {
    /// Both in one line.
    pub fn text(&self) -> String {
        let colon = if self.path.is_empty() { "" } else { ": " };
        [&*self.path, colon, &self.message].concat()
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// A place in the checked value, as a list that lives on the stack of the check.
pub(super) enum At<'a> {
    Root,
    Key(&'a At<'a>, &'a str),
    Index(&'a At<'a>, usize),
}

impl At<'_> {
    fn render(&self, path: &mut String) {
        match self {
            At::Root => {}
            At::Index(parent, index) => {
                parent.render(path);
                path.push('[');
                path.push_str(&number::decimal(*index));
                path.push(']');
            }
            At::Key(parent, key) => {
                parent.render(path);
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_$-".contains(&byte);
                if key.is_empty() || !key.bytes().all(is_plain) {
                    path.push_str(&to_text(&Value::from(vec![*key])));
                    return;
                }
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
        }
    }
}

/// Collects up to `limit` mismatches. With the limit 0 only the verdict is wanted, and no
/// message is built.
pub(super) struct Report {
    pub(super) list: Vec<Mismatch>,
    limit: usize,
}

impl Report {
    pub(super) fn new(limit: usize) -> Self {
        Report {
            list: Vec::new(),
            limit,
        }
    }

    /// A report for one alternative of several: its first mismatch is enough.
    pub(super) fn of_alternative(&self) -> Self {
        Report::new(self.limit.min(1))
    }

    /// True when a check may stop at its first failure.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// Records a mismatch and returns `false`, the verdict. The message is `rule`, then `argument`
    /// of the keyword, then `unit`, then what the value is.
    pub(super) fn fail(
        &mut self,
        at: &At<'_>,
        rule: &str,
        argument: Option<&Value>,
        unit: &str,
        got: Option<&Value>,
    ) -> bool {
        if self.is_full() {
            return false;
        }
        let mut message = String::from(rule);
        if let Some(argument) = argument {
            message.push_str(&excerpt(argument));
        }
        message.push_str(unit);
        if let Some(got) = got {
            message.push_str(", got ");
            message.push_str(kind(got));
            message.push_str(&excerpt(got));
        }
        let mut path = String::new();
        at.render(&mut path);
        self.list.push(Mismatch { path, message });
        false
    }

    /// Records that the check was given up, which makes every other finding void.
    pub(super) fn fail_exhausted(&mut self) -> bool {
        self.list.clear();
        self.fail(
            &At::Root,
            "the check was given up: too deep or too large",
            None,
            "",
            None,
        )
    }

    /// Records that the value has none of the `expected` types.
    pub(super) fn fail_type(&mut self, at: &At<'_>, expected: Types, got: &Value) -> bool {
        if self.is_full() {
            return false;
        }
        self.fail(at, "expected ", None, &type_names(expected), Some(got))
    }

    /// Records that no alternative fits, with the first mismatch of each.
    pub(super) fn fail_alternatives(
        &mut self,
        at: &At<'_>,
        reasons: &[Mismatch],
        got: &Value,
    ) -> bool {
        let mut rule = String::from("fits no alternative");
        for (index, reason) in reasons.iter().take(4).enumerate() {
            rule.push_str(if index == 0 { ": " } else { "; or " });
            rule.push_str(&reason.text());
        }
        self.fail(at, &rule, None, "", reasons.is_empty().then_some(got))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "",
        Value::Bool(_) => "boolean ",
        Value::Number(_) => "number ",
        Value::String(_) => "string ",
        Value::Array(_) => "array ",
        Value::Object(_) => "object ",
    }
}

fn excerpt(value: &Value) -> String {
    let mut text = to_text(value);
    if let Some((end, _)) = text.char_indices().nth(EXCERPT) {
        text.truncate(end);
        text.push('…');
    }
    text
}
