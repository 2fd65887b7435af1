//! The page's messages as Rust types, when a request is made of them.

use js_sys::Array;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use crate::error::{ErrorCode, ErrorInfo};
use crate::js::error;
use crate::message::Message;

#[wasm_bindgen(module = "/src/js/transcript.js")]
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
pub(super) fn read_messages(messages: &Array) -> Result<Vec<Message>, ErrorInfo> {
    let invalid = |message: String| ErrorInfo::new(ErrorCode::InvalidRequest, message);
    let lines = to_lines(messages).map_err(|thrown| invalid(error::describe(&thrown)))?;
    lines
        .lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line)
                .map_err(|error| invalid(format!("messages[{index}] is not a message: {error}")))
        })
        .collect()
}

/// Reads any value by its JSON.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read<T: DeserializeOwned>(value: &JsValue) -> Result<T, String> {
    let json = to_json(value).map_err(|thrown| error::describe(&thrown))?;
    serde_json::from_str(&json).map_err(|error| {
        // Line and column would be those of a text that the caller never saw.
        let text = error.to_string();
        text.split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned()
    })
}
