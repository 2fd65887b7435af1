//! Errors across the boundary: ours become real `Error`s with a `code`, the page's become text.

use wasm_bindgen::prelude::*;

use crate::js::value;

#[wasm_bindgen(module = "/src/js/values.js")]
extern "C" {
    /// A call that cannot be right. `code` is one of `SluiceErrorCode` in `types.ts`.
    pub(super) fn misuse(code: &str, message: &str) -> JsValue;

    /// What the page threw, as text: an error's message, a string, or what is known of it.
    pub(super) fn describe(thrown: &JsValue) -> String;
}

/// An argument or option that is not what it must be.
#[inline(never)]
pub(super) fn invalid(what: &str, expected: &str, found: &JsValue) -> JsValue {
    let found = value::kind(found);
    misuse(
        "invalid_argument",
        &[what, " must be ", expected, ", but is ", &found, "."].concat(),
    )
}
