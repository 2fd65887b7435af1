//! Reading the page's objects: never throws, whatever getters and proxies do.

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A property; `undefined` when there is none or reading it throws.
pub(super) fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
}

/// A string property.
pub(super) fn get_string(object: &JsValue, key: &str) -> Option<String> {
    get(object, key).as_string()
}

/// The elements of an array.
pub(super) fn items(array: &JsValue) -> Vec<JsValue> {
    let length = get(array, "length").as_f64().unwrap_or_default() as u32;
    (0..length)
        .map(|index| Reflect::get_u32(array, index).unwrap_or(JsValue::UNDEFINED))
        .collect()
}

/// Sets a property of an object of our own.
pub(super) fn set(object: &JsValue, key: &str, value: &JsValue) {
    // Fails only on frozen objects, and ours are not.
    let _ = Reflect::set(object, &JsValue::from_str(key), value);
}

/// An object with these properties; those that are `undefined` are left out.
pub(super) fn object(properties: &[(&str, &JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in properties {
        if !value.is_undefined() {
            set(&object, key, value);
        }
    }
    object.into()
}

/// The value as a function.
pub(super) fn as_function(value: JsValue) -> Option<Function> {
    value.dyn_into().ok()
}

/// Whether it is an object that is not an array.
pub(super) fn is_plain_object(value: &JsValue) -> bool {
    value.is_object() && !Array::is_array(value)
}

/// Calls a function of the page and waits for its result, promise or not. Throwing and rejecting
/// are the same.
pub(super) async fn call(
    function: &Function,
    this: &JsValue,
    arguments: &[&JsValue],
) -> Result<JsValue, JsValue> {
    let list = Array::new();
    for argument in arguments {
        list.push(argument);
    }
    settle(function.apply(this, &list)?).await
}

/// Waits for a value that may be a promise.
pub(super) async fn settle(value: JsValue) -> Result<JsValue, JsValue> {
    if (value.is_object() || value.is_function()) && get(&value, "then").is_function() {
        JsFuture::from(Promise::resolve(&value)).await
    } else {
        Ok(value)
    }
}

/// What a JavaScript value is, for a message: its type, and the value where it is short.
pub(super) fn kind(value: &JsValue) -> String {
    if value.is_null() {
        "null".to_owned()
    } else if value.is_undefined() {
        "undefined".to_owned()
    } else if let Some(text) = value.as_string() {
        let shown: String = text.chars().take(40).collect();
        format!("the string {shown:?}")
    } else if let Some(number) = value.as_f64() {
        format!("the number {number}")
    } else if let Some(truth) = value.as_bool() {
        format!("the boolean {truth}")
    } else if Array::is_array(value) {
        "an array".to_owned()
    } else if value.is_function() {
        "a function".to_owned()
    } else if value.is_object() {
        "an object".to_owned()
    } else {
        "a value of another type".to_owned()
    }
}
