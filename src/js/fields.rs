//! The fields of one object that the page gave, each checked.
//!
//! Like JSON ([`crate::text::json::FromJson`]), an object is read to its end; the first field that is
//! not what it must be is noted and thrown then. Reading `undefined` finds no field.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use crate::js::{error, transcript, value};
use crate::text::json::FromJson;
use crate::text::number;

/// An object that is being read.
pub(super) struct Fields<'a> {
    object: &'a JsValue,
    /// What stands before a field's name in errors.
    place: String,
    problem: Option<JsValue>,
}

impl<'a> Fields<'a> {
    /// The fields of `object`, called `place` and the field's name in errors.
    pub(super) fn new(object: &'a JsValue, place: String) -> Self {
        Self {
            object,
            place,
            problem: None,
        }
    }

    /// The end of the reading.
    ///
    /// # Errors
    /// The first error that was noted.
    pub(super) fn finish(self) -> Result<(), JsValue> {
        self.problem.map_or(Ok(()), Err)
    }

    /// What a field is called in errors.
    pub(super) fn path(&self, key: &str) -> String {
        [&self.place, key].concat()
    }

    /// A field that is there.
    #[inline(never)]
    pub(super) fn given(&self, key: &str) -> Option<JsValue> {
        let found = value::get(self.object, key);
        (!found.is_undefined()).then_some(found)
    }

    /// An object with some of the fields, as they are.
    pub(super) fn pick(&self, keys: &[&str]) -> JsValue {
        let picked = value::object(&[]);
        for key in keys {
            if let Some(found) = self.given(key) {
                value::set(&picked, key, &found);
            }
        }
        picked
    }

    /// Notes an error.
    #[inline(never)]
    pub(super) fn note(&mut self, problem: JsValue) {
        self.problem.get_or_insert(problem);
    }

    /// Notes that a field is not what it must be.
    #[inline(never)]
    pub(super) fn expected(&mut self, key: &str, expected: &str, found: &JsValue) {
        let problem = error::invalid(&self.path(key), expected, found);
        self.note(problem);
    }

    #[inline(never)]
    pub(super) fn function(&mut self, key: &str) -> Option<Function> {
        let found = self.given(key)?;
        if found.is_function() {
            return Some(found.unchecked_into());
        }
        self.expected(key, "a function", &found);
        None
    }

    #[inline(never)]
    pub(super) fn string(&mut self, key: &str) -> Option<String> {
        let found = self.given(key)?;
        let text = found.as_string();
        if text.is_none() {
            self.expected(key, "a string", &found);
        }
        text
    }

    #[inline(never)]
    pub(super) fn number(&mut self, key: &str, least: u32) -> Option<f64> {
        let found = self.given(key)?;
        match found.as_f64() {
            Some(number) if number.is_finite() && number >= f64::from(least) => Some(number),
            _ => {
                let expected = ["a number of at least ", &number::decimal(least as usize)].concat();
                self.expected(key, &expected, &found);
                None
            }
        }
    }

    /// A field that is read by its JSON.
    pub(super) fn data<T: FromJson>(&mut self, key: &str, expected: &str) -> Option<T> {
        let found = self.given(key)?;
        let data = transcript::read(&found);
        if data.is_err() {
            self.expected(key, expected, &found);
        }
        data.ok()
    }
}
