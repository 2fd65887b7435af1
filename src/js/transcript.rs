//! The page's messages as Rust types, when a request is made of them.

use js_sys::{Array, JsString};
use wasm_bindgen::prelude::*;

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::js::error;
use crate::message::Message;
use crate::text::json::{FromJson, from_text};
use crate::text::number;

#[wasm_bindgen(module = "/src/js/values.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = toLines)]
    fn to_lines(messages: &Array, held: &Held) -> Result<String, JsValue>;

    /// Long data that goes around the module, from messages to the body of a request.
    #[derive(Clone, Debug)]
    pub(super) type Held;

    #[wasm_bindgen(constructor)]
    pub(super) fn new() -> Held;

    /// The body of a request as it is to be sent.
    #[wasm_bindgen(method)]
    pub(super) fn fill(this: &Held, body: &str) -> JsString;

    /// The same as the value that it is.
    #[wasm_bindgen(method)]
    pub(super) fn payload(this: &Held, body: &str) -> JsValue;

    /// A payload of the app's as a body.
    #[wasm_bindgen(method, catch, js_name = bodyOf)]
    pub(super) fn body_of(this: &Held, payload: &JsValue) -> Result<Option<String>, JsValue>;

    #[wasm_bindgen(catch, js_name = toJson)]
    fn to_json(value: &JsValue) -> Result<String, JsValue>;
}

/// Reads messages for a provider.
///
/// # Errors
/// Which message is not one, and why.
pub(super) fn read_messages(messages: &Array, held: &Held) -> Result<Vec<Message>, Failure> {
    let invalid = |message: String| ErrorInfo::new(ErrorCode::InvalidRequest, message);
    let lines = to_lines(messages, held).map_err(|thrown| invalid(error::describe(&thrown)))?;
    let mut read = Vec::new();
    for (index, line) in lines.split_terminator('\n').enumerate() {
        let message = from_text(line).map_err(|problem| {
            let index = number::decimal(index);
            invalid(["messages[", &index, "] is not a message: ", &problem, "."].concat())
        })?;
        read.push(message);
    }
    Ok(read)
}

/// Reads any value by its JSON.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read<T: FromJson>(value: &JsValue) -> Result<T, String> {
    from_text(&json_text(value)?)
}

#[inline(never)]
fn json_text(value: &JsValue) -> Result<String, String> {
    to_json(value).map_err(|thrown| error::describe(&thrown))
}
