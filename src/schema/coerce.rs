//! Coercion: what models commonly get almost right, made right.
//!
//! The schema is walked along with the value, and wherever the value is not valid as it is, the
//! smallest change of type that the schema asks for is tried. A part that is valid is never
//! changed. Whether the result is valid is for the caller to check.

use serde_json::{Map, Value};

use crate::text::json::Json;

use super::check::{Checker, item_schema, list};
use super::value::{ARRAY, NULL, STRING, types_of};

impl Checker<'_> {
    /// Changes `value` towards `schema`.
    pub(super) fn coerce(&self, schema: &Value, value: &mut Value) {
        let Value::Object(keywords) = schema else {
            return;
        };
        if self.is_valid(schema, value) || !self.enter() {
            return;
        }
        self.coerce_by(schema, keywords, value);
        self.leave();
    }

    fn coerce_by(&self, schema: &Value, keywords: &Map<String, Value>, value: &mut Value) {
        if let Some(target) = self.target(keywords, "$ref") {
            self.coerce(target, value);
            if self.is_ref_alone() {
                return;
            }
        } else {
            self.convert(schema, value);
        }
        match value {
            Value::Object(members) => self.coerce_members(keywords, members),
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if let Some(schema) = item_schema(keywords, index) {
                        self.coerce(schema, item);
                    }
                }
            }
            _ => {}
        }
        for branch in list(keywords.get("allOf")) {
            self.coerce(branch, value);
        }
        for union in ["anyOf", "oneOf"] {
            self.coerce_union(list(keywords.get(union)), value);
        }
        if let Some(condition) = keywords.get("if") {
            let branch = if self.is_valid(condition, value) {
                "then"
            } else {
                "else"
            };
            if let Some(schema) = keywords.get(branch) {
                self.coerce(schema, value);
            }
        }
    }

    /// Converts the value itself, if it has none of the types the schema wants.
    fn convert(&self, schema: &Value, value: &mut Value) {
        let wanted = self.types(schema);
        if wanted & types_of(value) != 0 {
            return;
        }
        let converted = match value {
            // The text of a number, a boolean, an object or an array is its JSON.
            Value::String(text) => Json::parse(text)
                .ok()
                .map(Json::to_value)
                .filter(|parsed| wanted & types_of(parsed) & !NULL != 0),
            Value::Number(number) if wanted & STRING != 0 => {
                let text = number.to_string();
                Some(Value::from(text.strip_suffix(".0").unwrap_or(&text)))
            }
            Value::Bool(_) if wanted & STRING != 0 => Some(Value::from(value.to_string())),
            _ => None,
        };
        if let Some(converted) = converted {
            *value = converted;
        } else if wanted & ARRAY != 0 && !value.is_null() {
            let mut wrapped = Value::Array(vec![value.clone()]);
            self.coerce(schema, &mut wrapped);
            if self.is_valid(schema, &wrapped) {
                *value = wrapped;
            }
        }
    }

    fn coerce_members(&self, keywords: &Map<String, Value>, members: &mut Map<String, Value>) {
        let required = list(keywords.get("required"));
        for (name, mut member) in std::mem::take(members) {
            let mut is_omitted = false;
            for schema in self.member_schemas(keywords, &name) {
                self.coerce(schema, &mut member);
                is_omitted |= member.is_null()
                    && !self.is_valid(schema, &member)
                    && !self.is_exhausted()
                    && !required
                        .iter()
                        .any(|required| required.as_str() == Some(&name));
            }
            if !is_omitted {
                members.insert(name, member);
            }
        }
    }

    /// Takes the first branch that accepts the value with coercion. If none does, a branch that is
    /// the only plausible one may coerce what it can, so that the report names what is left.
    fn coerce_union(&self, branches: &[Value], value: &mut Value) {
        if branches.iter().any(|branch| self.is_valid(branch, value)) {
            return;
        }
        let meant = match self.plausible(branches, value).as_slice() {
            [branch] => Some(*branch),
            _ => None,
        };
        let mut partial = None;
        for branch in branches {
            let mut candidate = value.clone();
            self.coerce(branch, &mut candidate);
            if self.is_valid(branch, &candidate) {
                *value = candidate;
                return;
            }
            if meant.is_some_and(|meant| std::ptr::eq(meant, branch)) {
                partial = Some(candidate);
            }
        }
        if let Some(partial) = partial {
            *value = partial;
        }
    }
}
