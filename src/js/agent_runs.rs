//! Runs of an [`Agent`]: how they begin, are aborted and waited for.

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use crate::agent::run::run;
use crate::js::agent::Agent;
use crate::js::given::read_prompt;
use crate::js::host::{Kind, PageHost};
use crate::js::page::{Handle, handles};
use crate::js::run_control::RunControl;
use crate::js::{error, open_calls, task, value};

#[wasm_bindgen]
impl Agent {
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
                    None => return JsValue::UNDEFINED,
                }
            }
        })
    }
}

impl Agent {
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
        let mut waiting = self.core.steering.take();
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
            JsValue::UNDEFINED
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
                if !self.core.steering.is_empty() {
                    // Starting the run takes it.
                    return Ok(Vec::new());
                }
                let follow_ups = self.core.follow_ups.take();
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
