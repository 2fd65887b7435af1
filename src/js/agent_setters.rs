//! What of an [`Agent`] the app sets: the model and what goes with it, and how it works.

use wasm_bindgen::prelude::*;

use crate::js::agent::Agent;
use crate::js::given::{self, read_model};
use crate::js::{error, value};
use crate::model::ThinkingLevel;

#[wasm_bindgen]
impl Agent {
    /// Sets the system prompt of the next model call.
    #[wasm_bindgen(js_name = setSystemPrompt)]
    pub fn set_system_prompt(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] prompt: JsValue,
    ) -> Result<(), JsValue> {
        if !prompt.is_string() {
            return Err(error::invalid("systemPrompt", "a string", &prompt));
        }
        self.core.state.set("systemPrompt", &prompt);
        Ok(())
    }

    /// Sets the model of the next model call.
    #[wasm_bindgen(js_name = setModel)]
    pub fn set_model(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Model")] model: JsValue,
    ) -> Result<(), JsValue> {
        read_model(&model)?;
        self.core.state.set("model", &model);
        Ok(())
    }

    /// Sets how much the model thinks, from the next model call on.
    #[wasm_bindgen(js_name = setThinkingLevel)]
    pub fn set_thinking_level(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ThinkingLevel")] level: JsValue,
    ) -> Result<(), JsValue> {
        given::data::<ThinkingLevel>(&level, "thinkingLevel")?;
        self.core.state.set("thinkingLevel", &level);
        Ok(())
    }

    /// Sets the tools of the next model call. The array is kept as it is.
    #[wasm_bindgen(js_name = setTools)]
    pub fn set_tools(
        &self,
        #[wasm_bindgen(unchecked_param_type = "AnyTool[]")] tools: JsValue,
    ) -> Result<(), JsValue> {
        self.core.set_tools(&tools, false)?;
        self.core.state.set("tools", &tools);
        Ok(())
    }

    /// Sets how many steering messages one delivery takes.
    #[wasm_bindgen(js_name = setSteeringMode)]
    pub fn set_steering_mode(
        &self,
        #[wasm_bindgen(unchecked_param_type = "QueueMode")] mode: JsValue,
    ) -> Result<(), JsValue> {
        let mode = given::data(&mode, "steeringMode")?;
        self.core.steering.mode.set(mode);
        Ok(())
    }

    /// Sets how many follow-up messages one delivery takes.
    #[wasm_bindgen(js_name = setFollowUpMode)]
    pub fn set_follow_up_mode(
        &self,
        #[wasm_bindgen(unchecked_param_type = "QueueMode")] mode: JsValue,
    ) -> Result<(), JsValue> {
        let mode = given::data(&mode, "followUpMode")?;
        self.core.follow_ups.mode.set(mode);
        Ok(())
    }

    /// Sets whether a steering message interrupts a batch of tool calls.
    #[wasm_bindgen(js_name = setInterruptMode)]
    pub fn set_interrupt_mode(
        &self,
        #[wasm_bindgen(unchecked_param_type = "InterruptMode")] mode: JsValue,
    ) -> Result<(), JsValue> {
        let mode = given::data(&mode, "interruptMode")?;
        self.core.interrupt_mode.set(mode);
        Ok(())
    }
}

impl Agent {
    /// Sets what `initialState` has.
    pub(super) fn set_initial_state(&self, initial: &JsValue) -> Result<(), JsValue> {
        given::check_initial_state(initial)?;
        let given = |key| Some(value::get(initial, key)).filter(|found| !found.is_undefined());
        if let Some(prompt) = given("systemPrompt") {
            self.set_system_prompt(prompt)?;
        }
        if let Some(model) = given("model") {
            self.set_model(model)?;
        }
        if let Some(level) = given("thinkingLevel") {
            self.set_thinking_level(level)?;
        }
        if let Some(tools) = given("tools") {
            self.set_tools(tools)?;
        }
        if let Some(messages) = given("messages") {
            given::read_messages(&messages, "initialState.messages")?;
            self.core.state.set("messages", &messages);
        }
        for id in value::items(&value::get(initial, "pendingApprovals")) {
            let id = id.as_string().unwrap_or_default();
            self.core.approvals.request(&id);
        }
        Ok(())
    }
}
