//! The keywords that act on one type of value: numbers, strings, arrays, objects.

use serde_json::{Map, Number, Value};

use super::check::{Checker, Keyword, entries, is_true, item_schema, list};
use super::report::{At, Report};
use super::value::{equal, is_multiple};

impl Checker<'_> {
    pub(super) fn check_string(
        &self,
        keyword: &Keyword<'_>,
        text: &str,
        value: &Value,
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        match keyword.name {
            "minLength" | "maxLength" => {
                check_size(keyword, text.chars().count(), " characters", value, at, out)
            }
            "pattern" => {
                let pattern = keyword.argument.as_str();
                pattern.and_then(|pattern| self.matcher.is_match(pattern, text)) != Some(false)
                    || out.fail(
                        at,
                        "must match the pattern ",
                        pattern.map(Value::from).as_ref(),
                        "",
                        Some(value),
                    )
            }
            _ => true,
        }
    }

    pub(super) fn check_array(
        &self,
        keyword: &Keyword<'_>,
        items: &[Value],
        value: &Value,
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        let Keyword {
            name,
            argument,
            schema,
        } = *keyword;
        match name {
            "minItems" | "maxItems" => check_size(keyword, items.len(), " items", value, at, out),
            "uniqueItems" if is_true(Some(argument)) => {
                self.is_unique(items)
                    || out.fail(at, "must not repeat items", None, "", Some(value))
            }
            "contains" => self.check_contains(keyword, items, value, at, out),
            // `items` speaks for all three keywords where it is present.
            "prefixItems" if schema.contains_key("items") => true,
            "items" | "prefixItems" | "unevaluatedItems" => {
                let mut valid = true;
                for (index, item) in items.iter().enumerate() {
                    let item_schema = match name {
                        "unevaluatedItems" => {
                            Some(argument).filter(|_| !self.is_item_evaluated(schema, value, index))
                        }
                        _ => item_schema(schema, index),
                    };
                    valid &= item_schema
                        .is_none_or(|schema| self.visit(schema, item, &At::Index(at, index), out));
                    if !valid && out.is_full() {
                        break;
                    }
                }
                valid
            }
            _ => true,
        }
    }

    fn check_contains(
        &self,
        keyword: &Keyword<'_>,
        items: &[Value],
        value: &Value,
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        let found = items
            .iter()
            .filter(|item| self.is_valid(keyword.argument, item))
            .count() as f64;
        let bound = |name| keyword.schema.get(name).and_then(Value::as_f64);
        if found < bound("minContains").unwrap_or(1.0) {
            return out.fail(
                at,
                "must contain more items that match ",
                Some(keyword.argument),
                "",
                Some(value),
            );
        }
        bound("maxContains").is_none_or(|max| found <= max)
            || out.fail(
                at,
                "must contain fewer items that match ",
                Some(keyword.argument),
                "",
                Some(value),
            )
    }

    fn is_unique(&self, items: &[Value]) -> bool {
        let mut rest = items;
        while let [first, others @ ..] = rest {
            // A comparison is cheap beside a visit.
            if !self.spend(others.len() / 64) || others.iter().any(|other| equal(first, other)) {
                return false;
            }
            rest = others;
        }
        true
    }

    pub(super) fn check_object(
        &self,
        keyword: &Keyword<'_>,
        members: &Map<String, Value>,
        value: &Value,
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        let argument = keyword.argument;
        match keyword.name {
            "required" => check_required(argument, members, at, out),
            "minProperties" | "maxProperties" => {
                check_size(keyword, members.len(), " properties", value, at, out)
            }
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                let mut valid = true;
                for (name, dependency) in entries(Some(argument)) {
                    valid &= !members.contains_key(name)
                        || match dependency {
                            Value::Array(_) => check_required(dependency, members, at, out),
                            schema => self.visit(schema, value, at, out),
                        };
                }
                valid
            }
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames" => {
                let mut valid = true;
                for (name, member) in members {
                    valid &=
                        self.check_member(keyword, value, (name, member), &At::Key(at, name), out);
                    if !valid && out.is_full() {
                        break;
                    }
                }
                valid
            }
            _ => true,
        }
    }

    fn check_member(
        &self,
        keyword: &Keyword<'_>,
        value: &Value,
        (name, member): (&str, &Value),
        at: &At<'_>,
        out: &mut Report,
    ) -> bool {
        let Keyword {
            argument, schema, ..
        } = *keyword;
        match keyword.name {
            "properties" => argument
                .get(name)
                .is_none_or(|schema| self.visit(schema, member, at, out)),
            "patternProperties" => {
                let mut valid = true;
                for (pattern, schema) in entries(Some(argument)) {
                    valid &= self.matcher.is_match(pattern, name) != Some(true)
                        || self.visit(schema, member, at, out);
                }
                valid
            }
            "propertyNames" => self.visit(argument, &Value::from(name), at, out),
            "additionalProperties" => {
                self.is_declared(schema, name) || self.visit(argument, member, at, out)
            }
            _ => {
                self.is_member_evaluated(schema, value, name)
                    || self.visit(argument, member, at, out)
            }
        }
    }
}

pub(super) fn check_number(
    keyword: &Keyword<'_>,
    number: &Number,
    value: &Value,
    at: &At<'_>,
    out: &mut Report,
) -> bool {
    let Keyword {
        name,
        argument,
        schema,
    } = *keyword;
    let (Value::Number(bound), Some(limit), Some(float)) =
        (argument, argument.as_f64(), number.as_f64())
    else {
        return true;
    };
    // OpenAPI 3.0 and draft 4: `exclusiveMinimum: true` modifies `minimum`.
    let is_exclusive = |name| is_true(schema.get(name));
    let (valid, rule) = match name {
        "minimum" if is_exclusive("exclusiveMinimum") => (float > limit, "must be > "),
        "maximum" if is_exclusive("exclusiveMaximum") => (float < limit, "must be < "),
        "minimum" => (float >= limit, "must be >= "),
        "maximum" => (float <= limit, "must be <= "),
        "exclusiveMinimum" => (float > limit, "must be > "),
        "exclusiveMaximum" => (float < limit, "must be < "),
        "multipleOf" => (is_multiple(number, bound), "must be a multiple of "),
        _ => return true,
    };
    valid || out.fail(at, rule, Some(argument), "", Some(value))
}

fn check_size(
    keyword: &Keyword<'_>,
    size: usize,
    unit: &str,
    value: &Value,
    at: &At<'_>,
    out: &mut Report,
) -> bool {
    let Some(limit) = keyword.argument.as_f64() else {
        return true;
    };
    let (valid, rule) = if keyword.name.starts_with("min") {
        (size as f64 >= limit, "must have at least ")
    } else {
        (size as f64 <= limit, "must have at most ")
    };
    valid || out.fail(at, rule, Some(keyword.argument), unit, Some(value))
}

fn check_required(
    names: &Value,
    members: &Map<String, Value>,
    at: &At<'_>,
    out: &mut Report,
) -> bool {
    let mut valid = true;
    for name in list(Some(names)) {
        if name
            .as_str()
            .is_some_and(|name| !members.contains_key(name))
        {
            valid = out.fail(at, "missing required property ", Some(name), "", None);
        }
    }
    valid
}
