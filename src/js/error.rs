//! Errors across the boundary: ours become real `Error`s with a `code`, the page's become text.

use js_sys::{Error, Reflect};
use wasm_bindgen::prelude::*;

use crate::js::value;

/// A call that cannot be right. `code` is one of `SluiceErrorCode` in `types.ts`.
#[inline(never)]
pub(super) fn misuse(code: &str, message: &str) -> JsValue {
    let error = Error::new(message);
    error.set_name("SluiceError");
    let _ = Reflect::set(&error, &"code".into(), &code.into());
    error.into()
}

/// An argument or option that is not what it must be.
#[inline(never)]
pub(super) fn invalid(what: &str, expected: &str, found: &JsValue) -> JsValue {
    misuse(
        "invalid_argument",
        &format!("{what} must be {expected}, but is {}.", value::kind(found)),
    )
}

/// What the page threw, as text: an error's message, a string, or what is known of it.
#[inline(never)]
pub(super) fn describe(thrown: &JsValue) -> String {
    if let Some(text) = thrown.as_string() {
        return text;
    }
    match value::get_string(thrown, "message") {
        Some(message) if !message.is_empty() => message,
        _ => match value::get_string(thrown, "name") {
            Some(name) if thrown.is_object() => name,
            _ => format!("{} was thrown", value::kind(thrown)),
        },
    }
}
