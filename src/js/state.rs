//! The agent's state as the page sees it: one live object, kept by the events of the run.

use js_sys::{Array, Set};
use wasm_bindgen::prelude::*;

use crate::event::{AgentEndEvent, AgentEvent, MessageEndEvent};
use crate::js::live::live_view;
use crate::js::page::{Handle, JsPage};
use crate::js::value;

/// What stands behind `agent.state`. Arrays and sets in it are replaced when they change, never
/// changed, so that a page can compare them.
#[derive(Debug, Clone)]
pub(super) struct State {
    record: JsValue,
    view: JsValue,
}

impl State {
    pub(super) fn new() -> Self {
        let record = value::object(&[
            ("systemPrompt", &"".into()),
            ("model", &JsValue::NULL),
            ("thinkingLevel", &"off".into()),
            ("tools", &Array::new()),
            ("messages", &Array::new()),
            ("isStreaming", &false.into()),
            ("streamMessage", &JsValue::NULL),
            ("pendingToolCalls", &Set::new(&JsValue::UNDEFINED)),
        ]);
        value::set(&record, "error", &JsValue::UNDEFINED);
        let view = live_view(&record);
        // Behind the view: a session is to have what the page does not see yet.
        value::set(&record, "taken", &Array::new());
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

    pub(super) fn append(&self, message: &JsValue) {
        let messages: Array = self.messages().iter().collect();
        messages.push(message);
        self.set("messages", &messages);
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
    pub(super) fn follow(&self, event: &AgentEvent<JsPage>, is_kept: bool) {
        match event {
            AgentEvent::MessageEnd(MessageEndEvent {
                message: Handle(message),
            }) if is_kept => self.append(message),
            AgentEvent::TurnEnd(turn) if is_kept => {
                let text = value::get(&turn.message.0, "errorMessage");
                if !text.is_undefined() {
                    self.set("error", &text);
                }
            }
            AgentEvent::ToolExecutionStart(start) => self.pending(&start.tool_call_id, true),
            AgentEvent::ToolExecutionEnd(end) => self.pending(&end.tool_call_id, false),
            AgentEvent::AgentEnd(AgentEndEvent { .. }) => self.end_run(),
            _ => {}
        }
    }

    fn end_run(&self) {
        self.set("isStreaming", &false.into());
        self.set("streamMessage", &JsValue::NULL);
        self.set("pendingToolCalls", &Set::new(&JsValue::UNDEFINED));
    }

    fn pending(&self, id: &str, is_pending: bool) {
        let pending = Set::new(&self.get("pendingToolCalls"));
        if is_pending {
            pending.add(&id.into());
        } else {
            pending.delete(&id.into());
        }
        self.set("pendingToolCalls", &pending);
    }
}
