//! Messages that an app hands in: texts, messages and lists of them.

use js_sys::Array;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/js/values.js")]
extern "C" {
    /// The messages of a prompt: a text (with images), a message or several.
    #[wasm_bindgen(catch, js_name = readPrompt)]
    pub(super) fn read_prompt(input: &JsValue, images: &JsValue) -> Result<Array, JsValue>;

    /// A message, or a text as the message of a user.
    #[wasm_bindgen(catch, js_name = readMessage)]
    pub(super) fn read_message(message: &JsValue, what: &str) -> Result<JsValue, JsValue>;

    /// Every message has a role; what else it has is checked when a model gets to read it.
    #[wasm_bindgen(catch, js_name = checkMessage)]
    pub(super) fn check_message(message: &JsValue, what: &str) -> Result<JsValue, JsValue>;

    /// A copy of a list of messages.
    #[wasm_bindgen(catch, js_name = readMessages)]
    pub(super) fn read_messages(messages: &JsValue, what: &str) -> Result<Array, JsValue>;
}
