//! The exported class `Agent`: its state, its events and its transcript.
//!
//! The files `agent_*.rs` have the rest of its methods: what the app sets, what waits, and runs.

use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use crate::js::core::Core;
use crate::js::given::{check_message, read_messages};
use crate::js::options::Owner;
use crate::js::run_control::RunControl;
use crate::js::{error, value};

/// An agent: a conversation, its model and tools, and the run that is under way.
///
/// `prompt` and `continue` resolve when the run has settled, listeners included. They reject only
/// on misuse; failures of providers and tools end the run through events and the last message.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Agent {
    pub(super) core: Rc<Core>,
}

/// A run goes on without its agent, but nobody can approve of a call then.
impl Drop for Agent {
    fn drop(&mut self) {
        self.core.approvals.close();
    }
}

#[wasm_bindgen]
impl Agent {
    /// Makes an agent.
    ///
    /// Throws an error that names the option when one is not what it must be.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "AgentOptions")] options: JsValue,
    ) -> Result<Agent, JsValue> {
        let agent = Self {
            core: Rc::new(Core::new(&options, Owner::Agent, &JsValue::UNDEFINED)?),
        };
        let initial = value::get(&options, "initialState");
        if !initial.is_undefined() {
            agent.set_initial_state(&initial)?;
        }
        Ok(agent)
    }

    /// The live state. Arrays and sets in it are replaced when they change, never changed in place.
    #[wasm_bindgen(getter, unchecked_return_type = "AgentState")]
    pub fn state(&self) -> JsValue {
        self.core.channel.view()
    }

    /// The signal of the run that is under way.
    #[wasm_bindgen(getter)]
    pub fn signal(&self) -> Option<AbortSignal> {
        self.current().map(|run| run.signal())
    }

    /// Calls `listener` with every event, and returns the function that ends it.
    ///
    /// Listeners run in order. A promise that one returns is awaited before anything else happens.
    /// What one throws goes to `reportError` and touches neither the run nor the other listeners.
    #[wasm_bindgen(unchecked_return_type = "() => void")]
    pub fn subscribe(
        &self,
        #[wasm_bindgen(unchecked_param_type = "AgentListener")] listener: JsValue,
    ) -> Result<Function, JsValue> {
        let listener: Function = listener
            .dyn_into()
            .map_err(|found| error::invalid("listener", "a function", &found))?;
        Ok(self.core.channel.subscribe(&listener))
    }

    /// The same events as an async iterator, from now on until the iterator is left.
    #[wasm_bindgen(unchecked_return_type = "AsyncIterableIterator<AgentEvent>")]
    pub fn events(&self) -> JsValue {
        self.core.channel.events().into()
    }

    /// Aborts the run, if one is under way, and forgets messages, queues and error. Model, tools
    /// and system prompt stay.
    pub fn reset(&self) {
        if let Some(run) = self.current() {
            run.is_kept.set(false);
            run.abort(&JsValue::UNDEFINED, &self.core.channel);
        }
        self.clear_all_queues();
        self.core.state.forget_taken();
        self.clear_messages();
        self.core.approvals.clear();
        self.core.state.set("streamMessage", &JsValue::NULL);
        self.core.state.set("error", &JsValue::UNDEFINED);
    }

    /// Replaces the transcript by a copy of this array.
    #[wasm_bindgen(js_name = replaceMessages)]
    pub fn replace_messages(
        &self,
        #[wasm_bindgen(unchecked_param_type = "AgentMessage[]")] messages: JsValue,
    ) -> Result<(), JsValue> {
        self.core
            .state
            .set("messages", &*read_messages(&messages, "messages")?);
        Ok(())
    }

    /// Adds a message to the end of the transcript.
    #[wasm_bindgen(js_name = appendMessage)]
    pub fn append_message(
        &self,
        #[wasm_bindgen(unchecked_param_type = "AgentMessage")] message: JsValue,
    ) -> Result<(), JsValue> {
        self.core
            .state
            .append("messages", &check_message(&message, "message")?);
        Ok(())
    }

    /// Takes the last message off the transcript and returns it.
    #[wasm_bindgen(js_name = popMessage, unchecked_return_type = "AgentMessage | undefined")]
    pub fn pop_message(&self) -> JsValue {
        let mut messages = self.core.state.messages();
        let last = messages.pop();
        self.core.state.set_messages(&messages);
        last.unwrap_or(JsValue::UNDEFINED)
    }

    /// Empties the transcript.
    #[wasm_bindgen(js_name = clearMessages)]
    pub fn clear_messages(&self) {
        self.core.state.set_messages(&[]);
    }
}

impl Agent {
    /// The run that is under way.
    pub(super) fn current(&self) -> Option<RunControl> {
        self.core.run.borrow().clone()
    }
}
