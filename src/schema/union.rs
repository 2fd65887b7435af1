//! Unions: which alternative of `anyOf` and `oneOf` a value means.

use serde_json::Value;

use super::check::{Checker, Keyword, is_nullable, list};
use super::report::{At, Report};
use super::value::{ANY, NULL, Types, equal, parse_types, types_of};

/// How many `$ref`s in a row are looked through for the types of a schema.
const MAX_HOPS: usize = 8;

impl Checker<'_> {
    /// `anyOf` and `oneOf`. A branch is tried only if it is plausible, which keeps unions of
    /// recursive types linear and lets the report speak of the one branch that was meant.
    pub(super) fn check_choice(
        &self,
        keyword: &Keyword<'_>,
        value: &Value,
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        let branches = list(Some(keyword.argument));
        let types = branches
            .iter()
            .fold(0, |all, branch| all | self.types(branch));
        if branches.is_empty() {
            return true;
        }
        if types != 0 && types & types_of(value) == 0 {
            return out.fail_type(at, types, value);
        }
        let mut tried = self.plausible(branches, value);
        if let [branch] = tried.as_slice() {
            return self.visit(branch, value, at, out);
        }
        if tried.is_empty() {
            tried.extend(branches);
        }
        let mut reasons = Vec::new();
        let mut accepted = 0;
        for branch in tried {
            let mut first = out.of_alternative();
            if self.visit(branch, value, at, &mut first) {
                accepted += 1;
                if keyword.name == "anyOf" {
                    return true;
                }
            }
            reasons.append(&mut first.list);
        }
        match accepted {
            0 => out.fail_alternatives(at, &reasons, value),
            1 => true,
            _ => out.fail(
                at,
                "must fit exactly one alternative, fits several",
                None,
                "",
                Some(value),
            ),
        }
    }

    /// The types a schema can accept, as far as its own keywords (or those it refers to) tell.
    pub(super) fn types(&self, schema: &Value) -> Types {
        let mut schema = schema;
        let mut types = 0;
        for _ in 0..MAX_HOPS {
            let Value::Object(keywords) = schema else {
                break;
            };
            if is_nullable(keywords) {
                types |= NULL;
            }
            if let Some(target) = self.target(keywords, "$ref") {
                schema = target;
                continue;
            }
            let known = if let Some(keyword) = keywords.get("type") {
                parse_types(keyword)
            } else if let Some(value) = keywords.get("const") {
                Some(types_of(value))
            } else {
                keywords.get("enum").map(|values| {
                    list(Some(values))
                        .iter()
                        .fold(0, |all, value| all | types_of(value))
                })
            };
            return types | known.unwrap_or(ANY);
        }
        if schema.as_bool() == Some(false) {
            types
        } else {
            ANY
        }
    }

    /// The branches of a union that the value's type, and its members with a `const` or `enum`
    /// (the tags of a tagged union), leave possible. Necessary for a match, not sufficient.
    pub(super) fn plausible<'s>(&self, branches: &'s [Value], value: &Value) -> Vec<&'s Value> {
        let mut found = Vec::new();
        for branch in branches {
            if self.types(branch) & types_of(value) != 0 && self.tags_match(branch, value) {
                found.push(branch);
            }
        }
        found
    }

    fn tags_match(&self, branch: &Value, value: &Value) -> bool {
        let target = branch
            .as_object()
            .and_then(|keywords| self.target(keywords, "$ref"));
        let (Some(properties), Value::Object(members)) = (
            target
                .unwrap_or(branch)
                .get("properties")
                .and_then(Value::as_object),
            value,
        ) else {
            return true;
        };
        properties
            .iter()
            .all(|(name, schema)| match members.get(name) {
                None | Some(Value::Null) => true,
                Some(tag) => match (schema.get("const"), schema.get("enum")) {
                    (Some(wanted), _) => equal(wanted, tag),
                    (None, Some(Value::Array(wanted))) => {
                        wanted.iter().any(|wanted| equal(wanted, tag))
                    }
                    _ => true,
                },
            })
    }
}
