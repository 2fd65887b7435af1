//! What tools return, made into results: `{content, details}`.

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use crate::js::value;

/// A result that is one text.
#[inline(never)]
pub(super) fn text_result(text: &str) -> JsValue {
    value::object(&[
        ("content", &text_content(text)),
        ("details", &Object::new()),
    ])
}

/// Content that is one text.
#[inline(never)]
pub(super) fn text_content(text: &str) -> JsValue {
    let block = value::object(&[("type", &"text".into()), ("text", &text.into())]);
    Array::of1(&block).into()
}

/// A tool's return value as a result. Nothing becomes an empty result and a string a text; an
/// object must have content that a message can hold, and is kept as it is.
///
/// # Errors
/// What is wrong with the value.
#[inline(never)]
pub(super) fn tool_result(returned: &JsValue) -> Result<JsValue, String> {
    if returned.is_undefined() || returned.is_null() {
        return Ok(value::object(&[
            ("content", &Array::new()),
            ("details", &Object::new()),
        ]));
    }
    if let Some(text) = returned.as_string() {
        return Ok(text_result(&text));
    }
    let content = value::get(returned, "content");
    if content.is_string() {
        return Ok(value::object(&[
            (
                "content",
                &text_content(&content.as_string().unwrap_or_default()),
            ),
            ("details", &value::get(returned, "details")),
            ("isError", &value::get(returned, "isError")),
            ("terminate", &value::get(returned, "terminate")),
        ]));
    }
    check_content(&content).map_err(|problem| format!("The tool returned {problem}. It must return {{ content: [{{ type: \"text\", text }}, …], details }}."))?;
    Ok(returned.clone())
}

/// Whether this is content of a tool result.
///
/// # Errors
/// What is wrong with it.
#[inline(never)]
pub(super) fn check_content(content: &JsValue) -> Result<(), String> {
    if !Array::is_array(content) {
        return Err(format!(
            "content that is {} in place of an array",
            value::kind(content)
        ));
    }
    for (index, block) in value::items(content).into_iter().enumerate() {
        let has_string = |key: &str| value::get(&block, key).is_string();
        let is_block = match value::get_string(&block, "type").as_deref() {
            Some("text") => has_string("text"),
            Some("image") => has_string("data") && has_string("mimeType"),
            _ => false,
        };
        if !is_block {
            return Err(format!(
                "content[{index}] that is neither {{ type: \"text\", text }} nor {{ type: \"image\", data, mimeType }}"
            ));
        }
    }
    Ok(())
}
