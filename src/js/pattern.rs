//! Regular expressions of schemas, matched by the browser's own engine.

use wasm_bindgen::prelude::*;

use crate::schema::PatternMatcher;

#[wasm_bindgen(module = "/src/js/values.js")]
extern "C" {
    fn matches(pattern: &str, text: &str) -> Option<bool>;
}

/// Matches with `RegExp`: with Unicode semantics, or without where the pattern is only valid so.
#[derive(Debug)]
pub(super) struct RegExpMatcher;

impl PatternMatcher for RegExpMatcher {
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        matches(pattern, text)
    }
}
