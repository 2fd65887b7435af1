//! JSON Schema for tool arguments: checks what a model sent and coerces what it got almost right.
//!
//! Owns the validation of drafts 2020-12 and 7 (a document may mix them; `$schema` of draft 7 or
//! older only makes `$ref` hide its siblings, as that draft has it), `nullable` of OpenAPI, the
//! usual coercions, and messages a model can act on.
//!
//! Refuses to fetch anything, to generate code, and to pretend: a keyword that would restrict a
//! value but is not enforced is listed by [`Schema::unsupported`]. `format`, `contentEncoding` and
//! other annotations are ignored, as the standard allows. Regular expressions are the host's: see
//! [`PatternMatcher`].
//!
//! ```
//! use serde_json::json;
//! use sluice_agent::schema::{PatternMatcher, Schema};
//!
//! struct NoPatterns;
//! impl PatternMatcher for NoPatterns {
//!     fn is_match(&self, _pattern: &str, _text: &str) -> Option<bool> {
//!         None
//!     }
//! }
//!
//! let schema = Schema::compile(&json!({
//!     "type": "object",
//!     "properties": { "city": { "type": "string" }, "days": { "type": "integer", "maximum": 7 } },
//!     "required": ["city"],
//! }))?;
//!
//! let coerced = schema.check(json!({ "city": "Paris", "days": "3" }), &NoPatterns);
//! assert_eq!(coerced, Ok(json!({ "city": "Paris", "days": 3 })));
//!
//! let mismatches = schema.check(json!({ "days": "soon" }), &NoPatterns).unwrap_err();
//! let lines: Vec<_> = mismatches.iter().map(ToString::to_string).collect();
//! assert_eq!(lines, [
//!     r#"days: expected integer, got string "soon""#,
//!     r#"missing required property "city""#,
//! ]);
//! # Ok::<(), sluice_agent::schema::SchemaError>(())
//! ```
//!
//! Inside, the schema stays the JSON it is. `compile` resolves its references once; `check` (with
//! `keywords`, `union` and `unevaluated`) interprets it; `coerce` changes a value where the
//! interpreter says no; `report` words the mismatches.

mod check;
mod coerce;
mod compile;
mod keywords;
mod report;
mod unevaluated;
mod union;
mod value;

pub(crate) use value::at_pointer;

#[cfg(test)]
mod suite;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::text::contains;

use check::Checker;
use compile::Compiler;
pub use report::Mismatch;
use report::Report;

/// How many mismatches are reported at most.
const MAX_MISMATCHES: usize = 10;

/// The regular expressions of `pattern` and `patternProperties`.
///
/// JSON Schema means ECMAScript's, unanchored and with Unicode semantics. In the browser that is
/// `RegExp`, which needs no code in the module.
pub trait PatternMatcher {
    /// Whether `pattern` matches somewhere in `text`; `None` if the pattern is not a valid one.
    /// An invalid pattern restricts nothing.
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool>;
}

/// Why a value cannot be used as a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum SchemaError {
    /// The value is neither an object nor a boolean.
    NotASchema,
    /// A `$ref` or `$dynamicRef` names nothing in the document. Nothing is fetched.
    UnresolvedReference {
        /// JSON pointer of the keyword, e.g. `#/properties/a/$ref`.
        path: String,
        /// The reference, resolved against its base URI.
        reference: String,
    },
    /// The document nests too deeply.
    TooDeep,
}

impl SchemaError {
    /// What is wrong, in words.
    pub fn text(&self) -> String {
        match self {
            Self::NotASchema => "a JSON Schema must be an object or a boolean".to_owned(),
            Self::UnresolvedReference { path, reference } => {
                ["cannot resolve the reference \"", reference, "\" at ", path].concat()
            }
            Self::TooDeep => "the JSON Schema nests too deeply".to_owned(),
        }
    }
}

/// A schema, ready to check values.
#[derive(Debug, Clone)]
pub struct Schema {
    root: Value,
    ref_alone: bool,
    unsupported: Vec<String>,
    patterns: Vec<(String, String)>,
}

impl Schema {
    /// Prepares a schema; done once, when tools are set.
    pub fn compile(schema: &Value) -> Result<Schema, SchemaError> {
        let draft = schema.get("$schema").and_then(Value::as_str).unwrap_or("");
        let ref_alone = contains(draft, "json-schema.org/draft-0");
        let mut compiler = Compiler::new(schema, ref_alone);
        let root = compiler.run()?;
        Ok(Schema {
            root,
            ref_alone,
            unsupported: compiler.unsupported,
            patterns: compiler.patterns,
        })
    }

    /// JSON pointers (`#/properties/a/type`) of the keywords that restrict values by the standard
    /// and do not here: because the keyword is not implemented, or because its value is malformed.
    pub fn unsupported(&self) -> &[String] {
        &self.unsupported
    }

    /// Adds to [`Schema::unsupported`] the patterns that `matcher` finds invalid.
    pub fn find_invalid_patterns(&mut self, matcher: &dyn PatternMatcher) {
        for (path, pattern) in &self.patterns {
            if matcher.is_match(pattern, "").is_none() {
                self.unsupported.push(["#", path].concat());
            }
        }
        self.patterns.clear();
    }

    /// Whether the value is valid as it is, without coercion.
    pub fn is_valid(&self, value: &Value, matcher: &dyn PatternMatcher) -> bool {
        self.checker(matcher).run(value, &mut Report::new(0))
    }

    /// Returns the value if it is valid; otherwise its coerced form if that is valid; otherwise the
    /// mismatches that coercion leaves, ten at most.
    ///
    /// Coercions: the JSON text of a number, boolean, object or array; a number or boolean where a
    /// string is wanted; a single item where an array is wanted; `null` for a property that may be
    /// omitted, which is then omitted. What is valid is never changed. Of a union, the first
    /// alternative that accepts the value with coercion is taken.
    pub fn check(
        &self,
        value: Value,
        matcher: &dyn PatternMatcher,
    ) -> Result<Value, Vec<Mismatch>> {
        let plain = self.checker(matcher);
        if plain.run(&value, &mut Report::new(0)) {
            return Ok(value);
        }
        let mut value = value;
        let mut report = Report::new(MAX_MISMATCHES);
        if plain.is_exhausted() {
            report.fail_exhausted();
            return Err(report.list);
        }
        self.checker(matcher).coerce(&self.root, &mut value);
        if self.checker(matcher).run(&value, &mut report) {
            return Ok(value);
        }
        Err(report.list)
    }

    fn checker<'a>(&'a self, matcher: &'a dyn PatternMatcher) -> Checker<'a> {
        Checker::new(&self.root, self.ref_alone, matcher)
    }
}
