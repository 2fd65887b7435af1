//! The exported class `Agent`.

use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use crate::agent::approval::Approval;
use crate::agent::queue::Queue;
use crate::agent::run::run;
use crate::js::core::Core;
use crate::js::given::{self, check_message, read_message, read_messages, read_model, read_prompt};
use crate::js::host::{Kind, PageHost};
use crate::js::options::Owner;
use crate::js::page::{Handle, handles};
use crate::js::run_control::RunControl;
use crate::js::{error, open_calls, task, value};
use crate::model::ThinkingLevel;

/// An agent: a conversation, its model and tools, and the run that is under way.
///
/// `prompt` and `continue` resolve when the run has settled, listeners included. They reject only
/// on misuse; failures of providers and tools end the run through events and the last message.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Agent {
    core: Rc<Core>,
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

    /// Starts a run with a message: a text (with images), a message, or several.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn prompt(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | AgentMessage | AgentMessage[]")]
        input: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "ImageContent[]")] images: JsValue,
    ) -> Promise {
        let messages = read_prompt(&input, &images);
        self.start(messages.map(|messages| handles(&messages)), "prompt()")
    }

    /// Goes on from the transcript as it is. When it ends with an answer, one delivery of waiting
    /// steering messages is taken, else one of follow-ups; with neither, this rejects.
    #[wasm_bindgen(js_name = "continue", unchecked_return_type = "Promise<void>")]
    pub fn continue_(&self) -> Promise {
        let messages = self.waiting_messages();
        self.start(messages, "continue()")
    }

    /// Drops a failed or aborted answer from the end of the transcript and goes on without it.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn retry(&self) -> Promise {
        let ready = self
            .check_ready("retry()")
            .and_then(|()| self.drop_failed_answer());
        self.start(ready.map(|()| Vec::new()), "retry()")
    }

    /// Queues a message that the model gets as soon as possible, while it works.
    pub fn steer(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | AgentMessage")] message: JsValue,
    ) -> Result<(), JsValue> {
        let message = read_message(&message, "message")?;
        self.core.steering.borrow_mut().push(Handle(message));
        self.core.approvals.steer();
        Ok(())
    }

    /// Queues a message that the model gets when it would stop.
    #[wasm_bindgen(js_name = followUp)]
    pub fn follow_up(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | AgentMessage")] message: JsValue,
    ) -> Result<(), JsValue> {
        let message = read_message(&message, "message")?;
        self.core.follow_ups.borrow_mut().push(Handle(message));
        Ok(())
    }

    /// Forgets the steering messages that wait.
    #[wasm_bindgen(js_name = clearSteeringQueue)]
    pub fn clear_steering_queue(&self) {
        self.core.steering.borrow_mut().clear();
    }

    /// Forgets the follow-up messages that wait.
    #[wasm_bindgen(js_name = clearFollowUpQueue)]
    pub fn clear_follow_up_queue(&self) {
        self.core.follow_ups.borrow_mut().clear();
    }

    /// Forgets all messages that wait.
    #[wasm_bindgen(js_name = clearAllQueues)]
    pub fn clear_all_queues(&self) {
        self.clear_steering_queue();
        self.clear_follow_up_queue();
    }

    /// Whether any message waits.
    #[wasm_bindgen(js_name = hasQueuedMessages)]
    pub fn has_queued_messages(&self) -> bool {
        !self.core.steering.borrow().is_empty() || !self.core.follow_ups.borrow().is_empty()
    }

    /// The messages that wait, oldest first.
    #[wasm_bindgen(js_name = peekQueuedMessages, unchecked_return_type = "QueuedMessages")]
    pub fn peek_queued_messages(&self) -> JsValue {
        let list = |queue: &std::cell::RefCell<Queue<Handle>>| -> Array {
            queue
                .borrow()
                .peek()
                .into_iter()
                .map(|message| message.0)
                .collect()
        };
        value::object(&[
            ("steering", &list(&self.core.steering)),
            ("followUp", &list(&self.core.follow_ups)),
        ])
    }

    /// Lets a tool call run that waits for approval (`tool_approval_request`).
    ///
    /// Throws when no such call waits.
    #[wasm_bindgen(js_name = approveToolCall)]
    pub fn approve_tool_call(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
    ) -> Result<(), JsValue> {
        self.decide("approveToolCall()", &id, Approval::Approved)
    }

    /// Keeps a tool call from running that waits for approval. The model reads the reason.
    ///
    /// Throws when no such call waits.
    #[wasm_bindgen(js_name = denyToolCall)]
    pub fn deny_tool_call(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "string | null")] reason: JsValue,
    ) -> Result<(), JsValue> {
        let text = match reason.as_string() {
            Some(reason) => ["The user denied this tool call: ", &reason].concat(),
            None => "The user denied this tool call.".to_owned(),
        };
        self.decide("denyToolCall()", &id, Approval::Denied(text))
    }

    /// The ids of the tool calls that wait for approval, oldest first.
    #[wasm_bindgen(getter, js_name = pendingApprovals)]
    pub fn pending_approvals(&self) -> Vec<String> {
        self.core.approvals.pending()
    }

    /// Aborts the run, if one is under way. It settles promptly, with reason `aborted`; tools get
    /// the reason with their signal.
    pub fn abort(&self, #[wasm_bindgen(unchecked_optional_param_type = "any")] reason: JsValue) {
        if let Some(run) = self.current() {
            run.abort(&reason, &self.core.channel);
        }
    }

    /// Resolves when no run is under way.
    #[wasm_bindgen(js_name = waitForIdle, unchecked_return_type = "Promise<void>")]
    pub fn wait_for_idle(&self) -> Promise {
        let core = self.core.clone();
        task::promise(async move {
            loop {
                let run = core.run.borrow().clone();
                match run {
                    Some(run) => run.settled().await,
                    None => return Ok(JsValue::UNDEFINED),
                }
            }
        })
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
        self.core.steering.borrow_mut().mode = mode;
        Ok(())
    }

    /// Sets how many follow-up messages one delivery takes.
    #[wasm_bindgen(js_name = setFollowUpMode)]
    pub fn set_follow_up_mode(
        &self,
        #[wasm_bindgen(unchecked_param_type = "QueueMode")] mode: JsValue,
    ) -> Result<(), JsValue> {
        let mode = given::data(&mode, "followUpMode")?;
        self.core.follow_ups.borrow_mut().mode = mode;
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
        self.core.state.append(&check_message(&message, "message")?);
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
    fn current(&self) -> Option<RunControl> {
        self.core.run.borrow().clone()
    }

    fn decide(&self, method: &str, id: &JsValue, decision: Approval) -> Result<(), JsValue> {
        let Some(id) = id.as_string() else {
            return Err(error::invalid("id", "the id of a tool call", id));
        };
        let id = id.as_str();
        if self.core.approvals.decide(id, decision) {
            return Ok(());
        }
        let pending = self.core.approvals.pending();
        let waiting = if pending.is_empty() {
            "none".to_owned()
        } else {
            pending.join(", ")
        };
        let message = [
            method,
            ": no tool call \"",
            id,
            "\" waits for approval. Waiting: ",
            &waiting,
            ".",
        ];
        Err(error::misuse("invalid_argument", &message.concat()))
    }

    fn set_initial_state(&self, initial: &JsValue) -> Result<(), JsValue> {
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

    /// Whether a run can be started.
    fn check_ready(&self, method: &str) -> Result<(), JsValue> {
        if !value::is_plain_object(&self.core.state.get("model")) {
            return Err(error::misuse(
                "invalid_argument",
                "The agent has no model. Give initialState.model, or call setModel({ id, api }).",
            ));
        }
        if self.core.run.borrow().is_none() {
            return Ok(());
        }
        let message = [
            "The agent is busy: ",
            method,
            " cannot start a run while one is under way. Queue the message with steer() or followUp(), or await waitForIdle() first.",
        ];
        Err(error::misuse("busy", &message.concat()))
    }

    /// Starts a run. Returns a promise that resolves when it has settled.
    fn start(&self, messages: Result<Vec<Handle>, JsValue>, method: &str) -> Promise {
        match self
            .check_ready(method)
            .and(messages)
            .and_then(|messages| self.launch(messages))
        {
            Ok(promise) => promise,
            Err(error) => Promise::reject(&error),
        }
    }

    fn launch(&self, mut messages: Vec<Handle>) -> Result<Promise, JsValue> {
        let (control, settle) = RunControl::new()?;
        // Messages that an earlier run left in the queue come before what is new.
        let mut waiting = self.core.steering.borrow_mut().take();
        waiting.append(&mut messages);
        let open = open_calls::find(&self.core);
        self.core.state.forget_taken();
        let waiting = self.core.state.take(waiting);
        *self.core.run.borrow_mut() = Some(control.clone());
        self.core.state.begin_run();
        self.core.channel.open(&control.signal());
        let core = self.core.clone();
        Ok(task::promise(async move {
            let host = PageHost::new(core.clone(), control.clone(), Kind::Run);
            run(&host, &control.abort, waiting, open).await;
            core.run.borrow_mut().take();
            core.channel.close();
            drop(settle);
            Ok(JsValue::UNDEFINED)
        }))
    }

    /// What `continue()` begins with.
    fn waiting_messages(&self) -> Result<Vec<Handle>, JsValue> {
        self.check_ready("continue()")?;
        if open_calls::find(&self.core).is_some() {
            return Ok(Vec::new());
        }
        let last = self.core.state.messages().pop();
        let role = last
            .as_ref()
            .and_then(|message| value::get_string(message, "role"));
        match role.as_deref() {
            None if last.is_none() => Err(error::misuse(
                "nothing_to_continue",
                "There are no messages to continue from. Call prompt().",
            )),
            Some("assistant") => {
                if !self.core.steering.borrow().is_empty() {
                    // Starting the run takes it.
                    return Ok(Vec::new());
                }
                let follow_ups = self.core.follow_ups.borrow_mut().take();
                if follow_ups.is_empty() {
                    return Err(error::misuse(
                        "nothing_to_continue",
                        "The conversation ends with an answer and no message waits. Call prompt(), or retry() after a failure.",
                    ));
                }
                Ok(follow_ups)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn drop_failed_answer(&self) -> Result<(), JsValue> {
        let mut messages = self.core.state.messages();
        let is_result =
            |message: &JsValue| value::get_string(message, "role").as_deref() == Some("toolResult");
        let answer = messages.iter().rposition(|message| !is_result(message));
        let failed = answer.filter(|&index| {
            let stop_reason = messages
                .get(index)
                .and_then(|message| value::get_string(message, "stopReason"));
            matches!(stop_reason.as_deref(), Some("error" | "aborted"))
        });
        match failed {
            Some(index) => {
                messages.truncate(index);
                let last = messages.last();
                if last
                    .and_then(|last| value::get_string(last, "role"))
                    .as_deref()
                    == Some("assistant")
                {
                    return Err(error::misuse(
                        "nothing_to_continue",
                        "What failed came behind a complete answer: there is nothing to make again. Call prompt().",
                    ));
                }
            }
            // The transcript ends with what a model can answer: going on is trying again.
            None if messages.last().is_some_and(|message| {
                value::get_string(message, "role").as_deref() != Some("assistant")
            }) =>
            {
                return Ok(());
            }
            None => {
                return Err(error::misuse(
                    "nothing_to_continue",
                    "There is no failed or aborted answer at the end of the conversation to retry.",
                ));
            }
        }
        if messages.is_empty() {
            return Err(error::misuse(
                "nothing_to_continue",
                "There is no message to retry with. Call prompt().",
            ));
        }
        self.core.state.set_messages(&messages);
        Ok(())
    }
}
