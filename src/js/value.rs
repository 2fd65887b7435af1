//! Reading the page's objects: never throws, whatever getters and proxies do.
//!
//! These calls stand in hundreds of places, so they are kept out of line.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::text::json::JsonWriter;

#[wasm_bindgen(module = "/src/js/values.js")]
extern "C" {
    /// A property; `undefined` when there is none or reading it throws.
    pub(super) fn get(object: &JsValue, key: &str) -> JsValue;

    /// Whether it is an object that is not an array.
    #[wasm_bindgen(js_name = isPlainObject)]
    pub(super) fn is_plain_object(value: &JsValue) -> bool;

    /// The headers of a response as a plain object.
    #[wasm_bindgen(js_name = headersOf)]
    pub(super) fn headers_of(response: &JsValue) -> JsValue;

    /// The page's own `fetch`.
    #[wasm_bindgen(js_name = pageFetch)]
    pub(super) fn page_fetch() -> JsValue;

    /// What a value is, for a message: its type, and the value where it is short.
    pub(super) fn kind(value: &JsValue) -> String;
}

/// A string property.
#[inline(never)]
pub(super) fn get_string(object: &JsValue, key: &str) -> Option<String> {
    get(object, key).as_string()
}

/// The elements of an array.
#[inline(never)]
pub(super) fn items(array: &JsValue) -> Vec<JsValue> {
    let length = get(array, "length").as_f64().unwrap_or_default() as u32;
    (0..length)
        .map(|index| Reflect::get_u32(array, index).unwrap_or(JsValue::UNDEFINED))
        .collect()
}

/// An array of our own with the same elements.
#[inline(never)]
pub(super) fn copied(array: &JsValue) -> Array {
    items(array).iter().collect()
}

/// Sets a property of an object of our own.
#[inline(never)]
pub(super) fn set(object: &JsValue, key: &str, value: &JsValue) {
    // Fails only on frozen objects, and ours are not.
    let _ = Reflect::set(object, &JsValue::from_str(key), value);
}

/// An object with these properties; those that are `undefined` are left out.
#[inline(never)]
pub(super) fn object(properties: &[(&str, &JsValue)]) -> JsValue {
    let object = Object::new().into();
    extend(&object, properties);
    object
}

/// Adds these properties to an object of our own; those that are `undefined` are left out.
#[inline(never)]
pub(super) fn extend(object: &JsValue, properties: &[(&str, &JsValue)]) {
    for (key, value) in properties {
        if !value.is_undefined() {
            set(object, key, value);
        }
    }
}

/// An event of this type with these properties.
#[inline(never)]
pub(super) fn event(kind: &str, properties: &[(&str, &JsValue)]) -> JsValue {
    let event = object(&[("type", &kind.into())]);
    extend(&event, properties);
    event
}

/// A number, or `undefined`.
pub(super) fn number(number: Option<f64>) -> JsValue {
    number.map_or(JsValue::UNDEFINED, JsValue::from)
}

/// The value that JSON of our own is.
#[inline(never)]
pub(super) fn parsed(json: JsonWriter) -> JsValue {
    js_sys::JSON::parse(&json.into_text()).unwrap_or(JsValue::UNDEFINED)
}

/// The value as a function.
#[inline(never)]
pub(super) fn as_function(value: JsValue) -> Option<Function> {
    value.dyn_into().ok()
}

/// Calls a function of the page and waits for its result, promise or not. Throwing and rejecting
/// are the same.
#[inline(never)]
pub(super) fn call(function: &Function, this: &JsValue, arguments: &[&JsValue]) -> Settling {
    let list = Array::new();
    for argument in arguments {
        list.push(argument);
    }
    settled(function.apply(this, &list))
}

/// Waits for what a call gave, which may be a promise.
#[inline(never)]
pub(super) fn settled(result: Result<JsValue, JsValue>) -> Settling {
    match result {
        Ok(value) => settle(value),
        Err(thrown) => Settling::Settled(Err(thrown)),
    }
}

/// Waits for a value that may be a promise.
#[inline(never)]
pub(super) fn settle(value: JsValue) -> Settling {
    if (value.is_object() || value.is_function()) && get(&value, "then").is_function() {
        Settling::Waiting(JsFuture::from(Promise::resolve(&value)))
    } else {
        Settling::Settled(Ok(value))
    }
}

/// A value that may be a promise, on its way. One type for all that is awaited of a page: every
/// asynchronous function would be a type of its own, with its own code to poll and to drop it.
#[derive(Debug)]
pub(super) enum Settling {
    Settled(Result<JsValue, JsValue>),
    Waiting(JsFuture),
}

impl Future for Settling {
    type Output = Result<JsValue, JsValue>;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Settled(result) => Poll::Ready(std::mem::replace(result, Ok(JsValue::UNDEFINED))),
            Self::Waiting(promise) => Pin::new(promise).poll(context),
        }
    }
}
