//! What waits in an [`Agent`]: messages for the model, and tool calls for a yes or no.

use wasm_bindgen::prelude::*;

use crate::agent::approval::Approval;
use crate::js::agent::Agent;
use crate::js::given::read_message;
use crate::js::{error, value};

#[wasm_bindgen]
impl Agent {
    /// Queues a message that the model gets as soon as possible, while it works.
    pub fn steer(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | AgentMessage")] message: JsValue,
    ) -> Result<(), JsValue> {
        let message = read_message(&message, "message")?;
        self.core.steering.push(&message);
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
        self.core.follow_ups.push(&message);
        Ok(())
    }

    /// Forgets the steering messages that wait.
    #[wasm_bindgen(js_name = clearSteeringQueue)]
    pub fn clear_steering_queue(&self) {
        self.core.steering.clear();
    }

    /// Forgets the follow-up messages that wait.
    #[wasm_bindgen(js_name = clearFollowUpQueue)]
    pub fn clear_follow_up_queue(&self) {
        self.core.follow_ups.clear();
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
        !self.core.steering.is_empty() || !self.core.follow_ups.is_empty()
    }

    /// The messages that wait, oldest first.
    #[wasm_bindgen(js_name = peekQueuedMessages, unchecked_return_type = "QueuedMessages")]
    pub fn peek_queued_messages(&self) -> JsValue {
        value::object(&[
            ("steering", &self.core.steering.peek()),
            ("followUp", &self.core.follow_ups.peek()),
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
}

impl Agent {
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
}
