//! The agent's state as the page sees it: one live object, kept by the events of the run.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::js::live::{Channel, follow};
use crate::js::page::Handle;
use crate::js::value;

/// What stands behind `agent.state`. It is the page's, behind the channel.
#[derive(Debug, Clone)]
pub(super) struct State(Channel);

impl State {
    pub(super) fn new(channel: &Channel) -> Self {
        Self(channel.clone())
    }

    pub(super) fn get(&self, key: &str) -> JsValue {
        self.0.get(key)
    }

    pub(super) fn set(&self, key: &str, value: &JsValue) {
        self.0.set(key, value);
    }

    pub(super) fn messages(&self) -> Vec<JsValue> {
        value::items(&self.get("messages"))
    }

    pub(super) fn set_messages(&self, messages: &[JsValue]) {
        self.set_list("messages", messages);
    }

    pub(super) fn set_list(&self, key: &str, items: &[JsValue]) {
        self.set(key, &items.iter().collect::<Array>());
    }

    /// Notes messages that a run has taken: they will be in the transcript, and are in no queue.
    pub(super) fn take(&self, messages: Vec<Handle>) -> Vec<Handle> {
        let taken: Array = self.get("taken").unchecked_into();
        for message in &messages {
            taken.push(&message.0);
        }
        messages
    }

    /// Nothing is on its way into the transcript.
    pub(super) fn forget_taken(&self) {
        self.set("taken", &Array::new());
    }

    /// Adds a message to a list.
    pub(super) fn append(&self, key: &str, message: &JsValue) {
        let messages: Array = self.get(key).unchecked_into();
        self.set(key, &messages.concat(&Array::of1(message)));
    }

    /// Takes messages away, wherever they stand by now.
    pub(super) fn forget(&self, gone: &[Handle]) {
        let mut messages = self.messages();
        messages.retain(|message| !gone.iter().any(|gone| gone.0 == *message));
        self.set_messages(&messages);
        self.set("error", &JsValue::UNDEFINED);
    }

    pub(super) fn begin_run(&self) {
        self.set("isStreaming", &true.into());
        self.set("error", &JsValue::UNDEFINED);
    }

    /// Follows the run. `is_kept` is false for a run whose conversation was thrown away.
    pub(super) fn follow(&self, event: &JsValue, is_kept: bool) {
        follow(&self.0.record(), event, is_kept);
    }
}
