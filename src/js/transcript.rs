//! The page's messages as Rust types, when a request is made of them.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::js::error;
use crate::message::Message;
use crate::text::json::{FromJson, from_text};

#[wasm_bindgen(module = "/src/js/values.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = toLines)]
    fn to_lines(messages: &Array) -> Result<String, JsValue>;

    #[wasm_bindgen(catch, js_name = toJson)]
    fn to_json(value: &JsValue) -> Result<String, JsValue>;
}

/// Reads messages for a provider.
///
/// # Errors
/// Which message is not one, and why.
pub(super) fn read_messages(messages: &Array) -> Result<Vec<Message>, Failure> {
    let invalid = |message: String| ErrorInfo::new(ErrorCode::InvalidRequest, message);
    let lines = to_lines(messages).map_err(|thrown| invalid(error::describe(&thrown)))?;
    let mut read = Vec::new();
    for (index, line) in lines.split_terminator('\n').enumerate() {
        let message = from_text(line).map_err(|problem| {
            invalid(format!("messages[{index}] is not a message: {problem}."))
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
