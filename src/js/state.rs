//! The agent's state as the page sees it: one live object, kept by the events of the run.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::js::live::{follow, live_view, new_state};
use crate::js::value;
use crate::model::ThinkingLevel;

/// What stands behind `agent.state`.
#[derive(Debug, Clone)]
pub(super) struct State {
    record: JsValue,
    view: JsValue,
}

impl State {
    pub(super) fn new() -> Self {
        let record = new_state();
        let view = live_view(&record);
        Self { record, view }
    }

    /// What the agent writes.
    pub(super) fn record(&self) -> &JsValue {
        &self.record
    }

    /// What the page sees.
    pub(super) fn view(&self) -> JsValue {
        self.view.clone()
    }

    pub(super) fn get(&self, key: &str) -> JsValue {
        value::get(&self.record, key)
    }

    pub(super) fn set(&self, key: &str, value: &JsValue) {
        value::set(&self.record, key, value);
    }

    pub(super) fn messages(&self) -> Vec<JsValue> {
        value::items(&self.get("messages"))
    }

    pub(super) fn set_messages(&self, messages: &[JsValue]) {
        self.set("messages", &messages.iter().collect::<Array>());
    }

    pub(super) fn append(&self, message: &JsValue) {
        let messages: Array = self.messages().iter().collect();
        messages.push(message);
        self.set("messages", &messages);
    }

    pub(super) fn system_prompt(&self) -> String {
        self.get("systemPrompt").as_string().unwrap_or_default()
    }

    pub(super) fn thinking_level(&self) -> ThinkingLevel {
        crate::js::transcript::read(&self.get("thinkingLevel")).unwrap_or_default()
    }

    pub(super) fn begin_run(&self) {
        self.set("isStreaming", &true.into());
        self.set("error", &JsValue::UNDEFINED);
    }

    /// Follows the run. `is_kept` is false for a run whose conversation was thrown away.
    pub(super) fn follow(&self, event: &JsValue, is_kept: bool) {
        follow(&self.record, event, is_kept);
    }
}
