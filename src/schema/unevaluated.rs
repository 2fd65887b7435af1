//! `unevaluatedItems` and `unevaluatedProperties`.
//!
//! The standard defines them by annotations that every schema leaves on the value. Those are not
//! collected: only a schema that uses the keywords pays, by asking for each member whether some
//! schema that applies in place has evaluated it.

use serde_json::{Map, Value};

use super::check::{Checker, entries, item_schema, list};

/// A member of the value.
#[derive(Clone, Copy)]
enum Slot<'a> {
    Key(&'a str),
    Index(usize),
}

impl Checker<'_> {
    /// Whether a schema that applies in place, or another keyword of `schema`, has evaluated the
    /// member `name` of `value`.
    pub(super) fn is_member_evaluated(
        &self,
        schema: &Map<String, Value>,
        value: &Value,
        name: &str,
    ) -> bool {
        schema.contains_key("additionalProperties")
            || self.is_declared(schema, name)
            || self.is_evaluated_in_place(schema, value, Slot::Key(name))
    }

    /// The same for the item at `index`.
    pub(super) fn is_item_evaluated(
        &self,
        schema: &Map<String, Value>,
        value: &Value,
        index: usize,
    ) -> bool {
        item_schema(schema, index).is_some()
            || schema.get("contains").is_some_and(|contains| {
                value
                    .get(index)
                    .is_some_and(|item| self.is_valid(contains, item))
            })
            || self.is_evaluated_in_place(schema, value, Slot::Index(index))
    }

    fn is_evaluated_in_place(
        &self,
        schema: &Map<String, Value>,
        value: &Value,
        slot: Slot<'_>,
    ) -> bool {
        let by = |schema: Option<&Value>| {
            schema.is_some_and(|schema| self.is_evaluated_by(schema, value, slot))
        };
        by(self.target(schema, "$ref"))
            || by(self.target(schema, "$dynamicRef"))
            || ["allOf", "anyOf", "oneOf"]
                .iter()
                .filter_map(|keyword| schema.get(*keyword))
                .any(|branches| list(Some(branches)).iter().any(|branch| by(Some(branch))))
            || entries(schema.get("dependentSchemas"))
                .any(|(name, schema)| value.get(name).is_some() && by(Some(schema)))
            || schema.get("if").is_some_and(|condition| {
                if self.is_valid(condition, value) {
                    by(Some(condition)) || by(schema.get("then"))
                } else {
                    by(schema.get("else"))
                }
            })
    }

    /// Whether `schema` accepts the value and evaluates the slot.
    fn is_evaluated_by(&self, schema: &Value, value: &Value, slot: Slot<'_>) -> bool {
        let Value::Object(keywords) = schema else {
            return false;
        };
        if !self.enter() {
            return false;
        }
        let evaluated = match slot {
            Slot::Key(name) => {
                keywords.contains_key("unevaluatedProperties")
                    || self.is_member_evaluated(keywords, value, name)
            }
            Slot::Index(index) => {
                keywords.contains_key("unevaluatedItems")
                    || self.is_item_evaluated(keywords, value, index)
            }
        };
        let evaluated = evaluated && self.is_valid(schema, value);
        self.leave();
        evaluated
    }
}
