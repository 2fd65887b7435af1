//! The validator: interprets the keywords of a schema against a value.
//!
//! Every keyword acts on one type of value (or on all), so the interpreter dispatches on the type
//! first and on the keyword's name second. A keyword whose own value is malformed accepts
//! everything; `compile` has reported it.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::PatternMatcher;
use super::keywords::check_number;
use super::report::{At, Report};
use super::value::{at_pointer, equal, parse_types, types_of};

/// How deep schemas may nest while one value is checked. A value of the JSON parser's own limit,
/// 128 levels, leaves four schemas for each level.
const MAX_DEPTH: u32 = 512;
/// How many schemas one check may visit: ends what would take exponential time.
const MAX_STEPS: u32 = 1_000_000;

/// One check of one value; holds the budget that bounds it.
pub(super) struct Checker<'a> {
    root: &'a Value,
    ref_alone: bool,
    pub(super) matcher: &'a dyn PatternMatcher,
    depth: Cell<u32>,
    steps: Cell<u32>,
}

/// A keyword and the schema object it stands in.
pub(super) struct Keyword<'a> {
    pub(super) name: &'a str,
    pub(super) argument: &'a Value,
    pub(super) schema: &'a Map<String, Value>,
}

impl<'a> Checker<'a> {
    /// `ref_alone`: a `$ref` hides the keywords beside it, as draft 7 has it.
    pub(super) fn new(root: &'a Value, ref_alone: bool, matcher: &'a dyn PatternMatcher) -> Self {
        Checker {
            root,
            ref_alone,
            matcher,
            depth: Cell::new(0),
            steps: Cell::new(MAX_STEPS),
        }
    }

    /// Whether the budget ran out; the verdicts given since then mean nothing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// Enters one level, unless the budget forbids it. Each success needs its `leave`.
    pub(super) fn enter(&self) -> bool {
        if self.depth.get() >= MAX_DEPTH {
            self.steps.set(0);
        }
        let allowed = self.spend(1);
        if allowed {
            self.depth.set(self.depth.get() + 1);
        }
        allowed
    }

    pub(super) fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    pub(super) fn spend(&self, steps: usize) -> bool {
        let rest = (self.steps.get() as usize).saturating_sub(steps);
        self.steps.set(rest as u32);
        rest > 0
    }

    /// Checks a whole value against the root schema.
    pub(super) fn run(&self, value: &Value, out: &mut Report) -> bool {
        let valid = self.visit(self.root, value, &At::Root, out);
        if self.is_exhausted() {
            return out.fail_exhausted();
        }
        valid
    }

    /// The verdict alone.
    pub(super) fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        self.visit(schema, value, &At::Root, &mut Report::new(0))
    }

    pub(super) fn visit(
        &self,
        schema: &Value,
        value: &Value,
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        if !self.enter() {
            return false;
        }
        let valid = match schema {
            Value::Bool(false) => out.fail(at, "is not allowed here", None, "", None),
            Value::Object(schema) => self.keywords(schema, value, at, out),
            _ => true,
        };
        self.leave();
        valid
    }

    fn keywords(
        &self,
        schema: &Map<String, Value>,
        value: &Value,
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        if value.is_null() && is_nullable(schema) {
            return true;
        }
        if self.ref_alone && schema.contains_key("$ref") {
            return self
                .target(schema, "$ref")
                .is_none_or(|target| self.visit(target, value, at, out));
        }
        // The type goes first: where it is wrong, every other complaint is noise.
        if let Some(types) = schema.get("type").and_then(parse_types)
            && types & types_of(value) == 0
        {
            return out.fail_type(at, types, value);
        }
        let mut valid = true;
        for (name, argument) in schema {
            valid &= self.keyword(
                &Keyword {
                    name,
                    argument,
                    schema,
                },
                value,
                at,
                out,
            );
            if !valid && out.is_full() {
                break;
            }
        }
        valid
    }

    fn keyword(&self, keyword: &Keyword<'_>, value: &Value, at: &At<'_>, out: &mut Report) -> bool {
        let valid = match value {
            Value::Number(number) => check_number(keyword, number, value, at, out),
            Value::String(text) => self.check_string(keyword, text, value, at, out),
            Value::Array(items) => self.check_array(keyword, items, value, at, out),
            Value::Object(members) => self.check_object(keyword, members, value, at, out),
            Value::Null | Value::Bool(_) => true,
        };
        valid && self.check_any(keyword, value, at, out)
    }

    fn check_any(
        &self,
        keyword: &Keyword<'_>,
        value: &Value,
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        let argument = keyword.argument;
        match keyword.name {
            "enum" => {
                argument
                    .as_array()
                    .is_none_or(|list| list.iter().any(|item| equal(item, value)))
                    || out.fail(at, "expected one of ", Some(argument), "", Some(value))
            }
            "const" => {
                equal(argument, value) || out.fail(at, "expected ", Some(argument), "", Some(value))
            }
            "$ref" | "$dynamicRef" => self
                .target(keyword.schema, keyword.name)
                .is_none_or(|target| self.visit(target, value, at, out)),
            "allOf" => {
                let mut valid = true;
                for schema in list(Some(argument)) {
                    valid &= self.visit(schema, value, at, out);
                    if !valid && out.is_full() {
                        break;
                    }
                }
                valid
            }
            "anyOf" | "oneOf" => self.check_choice(keyword, value, at, out),
            "not" => {
                !self.is_valid(argument, value)
                    || out.fail(at, "must not match ", Some(argument), "", Some(value))
            }
            "if" => {
                let branch = if self.is_valid(argument, value) {
                    "then"
                } else {
                    "else"
                };
                let schema = keyword.schema.get(branch);
                schema.is_none_or(|schema| self.visit(schema, value, at, out))
            }
            _ => true,
        }
    }

    /// Whether `properties` or `patternProperties` speaks of this name. An invalid pattern might.
    pub(super) fn is_declared(&self, schema: &Map<String, Value>, name: &str) -> bool {
        schema
            .get("properties")
            .is_some_and(|properties| properties.get(name).is_some())
            || entries(schema.get("patternProperties"))
                .any(|(pattern, _)| self.matcher.is_match(pattern, name) != Some(false))
    }

    /// The schemas that `properties`, `patternProperties` and `additionalProperties` hold for a name.
    pub(super) fn member_schemas<'s>(
        &self,
        schema: &'s Map<String, Value>,
        name: &str,
    ) -> Vec<&'s Value> {
        let mut schemas = Vec::new();
        schemas.extend(
            schema
                .get("properties")
                .and_then(|properties| properties.get(name)),
        );
        for (pattern, schema) in entries(schema.get("patternProperties")) {
            if self.matcher.is_match(pattern, name) == Some(true) {
                schemas.push(schema);
            }
        }
        if schemas.is_empty() && !self.is_declared(schema, name) {
            schemas.extend(schema.get("additionalProperties"));
        }
        schemas
    }

    /// The schema a reference names; `compile` has made it a JSON pointer from the root.
    pub(super) fn target(&self, schema: &Map<String, Value>, keyword: &str) -> Option<&'a Value> {
        at_pointer(self.root, schema.get(keyword)?.as_str()?)
    }

    pub(super) fn is_ref_alone(&self) -> bool {
        self.ref_alone
    }
}

/// The schema that `prefixItems` and `items`, or draft 7's `items` and `additionalItems`, hold for
/// an index.
pub(super) fn item_schema(schema: &Map<String, Value>, index: usize) -> Option<&Value> {
    let (tuple, rest) = match schema.get("items") {
        Some(Value::Array(tuple)) => (tuple.as_slice(), schema.get("additionalItems")),
        rest => (list(schema.get("prefixItems")), rest),
    };
    tuple.get(index).or(rest)
}

pub(super) fn is_nullable(schema: &Map<String, Value>) -> bool {
    is_true(schema.get("nullable"))
}

/// Whether a keyword is there and `true`.
pub(super) fn is_true(value: Option<&Value>) -> bool {
    value.and_then(Value::as_bool) == Some(true)
}

/// The items of an array; nothing for any other value.
pub(super) fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The members of an object; nothing for any other value.
pub(super) fn entries(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}
