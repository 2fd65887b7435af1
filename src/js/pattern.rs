//! Regular expressions of schemas, matched by the browser's own engine.

use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::*;

use crate::js::value;
use crate::schema::PatternMatcher;

/// Matches with `RegExp`: with Unicode semantics, or without where the pattern is only valid so.
#[derive(Debug)]
pub(super) struct RegExpMatcher;

impl PatternMatcher for RegExpMatcher {
    fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        let expression = compile(pattern, "u").or_else(|| compile(pattern, ""))?;
        let test = value::as_function(value::get(&expression, "test"))?;
        test.call1(&expression, &text.into()).ok()?.as_bool()
    }
}

fn compile(pattern: &str, flags: &str) -> Option<JsValue> {
    let constructor = value::as_function(value::get(&js_sys::global(), "RegExp"))?;
    Reflect::construct(&constructor, &Array::of2(&pattern.into(), &flags.into())).ok()
}
