//! Messages that an app hands in: texts, messages and lists of them.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::js::page::Handle;
use crate::js::{error, value};

/// The messages of a prompt.
pub(super) fn read_prompt(input: &JsValue, images: &JsValue) -> Result<Vec<Handle>, JsValue> {
    let messages = if input.is_string() {
        vec![user_message(input, images)?]
    } else if !images.is_undefined() {
        return Err(error::invalid("images", "given only with a text", images));
    } else if Array::is_array(input) {
        read_messages(input, "prompt")?
    } else {
        vec![check_message(input.clone(), "prompt")?]
    };
    if messages.is_empty() {
        return Err(error::misuse(
            "invalid_argument",
            "prompt needs at least one message.",
        ));
    }
    Ok(messages.into_iter().map(Handle).collect())
}

pub(super) fn user_message(text: &JsValue, images: &JsValue) -> Result<JsValue, JsValue> {
    let content = Array::of1(&value::object(&[("type", &"text".into()), ("text", text)]));
    if !images.is_undefined() {
        crate::js::result::check_content(images).map_err(|problem| {
            error::misuse("invalid_argument", &format!("images: got {problem}."))
        })?;
        for image in value::items(images) {
            content.push(&image);
        }
    }
    Ok(value::object(&[
        ("role", &"user".into()),
        ("content", &content),
        ("timestamp", &js_sys::Date::now().into()),
    ]))
}

/// A message, or a text as the message of a user.
pub(super) fn read_message(message: &JsValue, what: &str) -> Result<JsValue, JsValue> {
    if message.is_string() {
        return user_message(message, &JsValue::UNDEFINED);
    }
    check_message(message.clone(), what)
}

/// Every message has a role; what else it has is checked when a model gets to read it.
pub(super) fn check_message(message: JsValue, what: &str) -> Result<JsValue, JsValue> {
    if value::is_plain_object(&message) && value::get(&message, "role").is_string() {
        return Ok(message);
    }
    Err(error::invalid(
        what,
        "a message: an object with a role",
        &message,
    ))
}

pub(super) fn read_messages(messages: &JsValue, what: &str) -> Result<Vec<JsValue>, JsValue> {
    if !Array::is_array(messages) {
        return Err(error::invalid(what, "an array of messages", messages));
    }
    let check = |(index, message)| check_message(message, &format!("{what}[{index}]"));
    value::items(messages)
        .into_iter()
        .enumerate()
        .map(check)
        .collect()
}
