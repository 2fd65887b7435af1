//! Errors across the boundary: ours become real `Error`s with a `code`, the page's become text.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/js/values.js")]
extern "C" {
    /// A call that cannot be right. `code` is one of `SluiceErrorCode` in `types.ts`.
    pub(super) fn misuse(code: &str, message: &str) -> JsValue;

    /// An argument or option that is not what it must be.
    pub(super) fn invalid(what: &str, expected: &str, found: &JsValue) -> JsValue;

    /// What the page threw, as text: an error's message, a string, or what is known of it.
    pub(super) fn describe(thrown: &JsValue) -> String;
}
