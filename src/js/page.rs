//! The page's own objects as the loop carries them: handles, never copies.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use wasm_bindgen::JsValue;

use crate::event::{AgentEvent, Page};

/// A value of the page. Its identity survives the way through the loop.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Handle(pub(super) JsValue);

/// A page in a browser.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JsPage;

impl Page for JsPage {
    type Message = Handle;
    type Assistant = Handle;
    type ToolCall = Handle;
    type Update = Handle;
    type Value = Handle;
}

impl Serialize for Handle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_wasm_bindgen::preserve::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Handle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_wasm_bindgen::preserve::deserialize(deserializer).map(Self)
    }
}

/// A Rust value as a plain JavaScript one: objects and numbers, never `Map` or `BigInt`.
pub(super) fn to_js(value: &impl Serialize) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    // Our types have string keys and no numbers beyond f64, so nothing in them can be refused.
    value.serialize(&serializer).unwrap_or(JsValue::UNDEFINED)
}

/// An event as the listeners get it.
pub(super) fn event_to_js(event: &AgentEvent<JsPage>) -> JsValue {
    to_js(event)
}
