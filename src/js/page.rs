//! The page's own objects as the loop carries them: handles, never copies.

use js_sys::Array;
use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{self, Serialize, Serializer};
use wasm_bindgen::JsValue;

use crate::event::{AgentEvent, Page};
use crate::js::value;
use crate::text::json::Names;

/// A value of the page. Its identity survives the way through the loop.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Handle(pub(super) JsValue);

/// Handles of the elements of an array.
pub(super) fn handles(array: &JsValue) -> Vec<Handle> {
    value::items(array).into_iter().map(Handle).collect()
}

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

/// A handle is no data: events of a page are made by [`event_to_js`], and nothing serializes them.
impl Serialize for Handle {
    fn serialize<S: Serializer>(&self, _serializer: S) -> Result<S::Ok, S::Error> {
        Err(ser::Error::custom(NO_DATA))
    }
}

impl<'de> Deserialize<'de> for Handle {
    fn deserialize<D: Deserializer<'de>>(_deserializer: D) -> Result<Self, D::Error> {
        Err(de::Error::custom(NO_DATA))
    }
}

const NO_DATA: &str = "an object of the page cannot be serialized";

/// An event as the listeners get it.
pub(super) fn event_to_js(event: &AgentEvent<JsPage>) -> JsValue {
    match event {
        AgentEvent::AgentStart(_) => value::event("agent_start", &[]),
        AgentEvent::AgentEnd(event) => value::event(
            "agent_end",
            &[
                ("messages", &array(&event.messages)),
                ("reason", &event.reason.json_name().into()),
            ],
        ),
        AgentEvent::TurnStart(_) => value::event("turn_start", &[]),
        AgentEvent::TurnEnd(event) => value::event(
            "turn_end",
            &[
                ("message", &event.message.0),
                ("toolResults", &array(&event.tool_results)),
            ],
        ),
        AgentEvent::MessageStart(event) => {
            value::event("message_start", &[("message", &event.message.0)])
        }
        // The script that grows messages makes these.
        AgentEvent::MessageUpdate(event) => value::event(
            "message_update",
            &[
                ("message", &event.message.0),
                ("assistantMessageEvent", &event.assistant_message_event.0),
            ],
        ),
        AgentEvent::MessageEnd(event) => {
            value::event("message_end", &[("message", &event.message.0)])
        }
        AgentEvent::ToolExecutionStart(event) => tool_event(
            "tool_execution_start",
            &event.tool_call_id,
            &event.tool_name,
            &[("args", &event.args.0)],
        ),
        AgentEvent::ToolExecutionUpdate(event) => tool_event(
            "tool_execution_update",
            &event.tool_call_id,
            &event.tool_name,
            &[
                ("args", &event.args.0),
                ("partialResult", &event.partial_result.0),
            ],
        ),
        AgentEvent::ToolExecutionEnd(event) => tool_event(
            "tool_execution_end",
            &event.tool_call_id,
            &event.tool_name,
            &[
                ("result", &event.result.0),
                ("isError", &event.is_error.into()),
                ("durationMs", &value::number(event.duration_ms)),
            ],
        ),
        AgentEvent::ToolApprovalRequest(event) => tool_event(
            "tool_approval_request",
            &event.tool_call_id,
            &event.tool_name,
            &[("args", &event.args.0)],
        ),
        AgentEvent::AutoRetryStart(event) => value::event(
            "auto_retry_start",
            &[
                ("attempt", &event.attempt.into()),
                ("maxAttempts", &event.max_attempts.into()),
                ("delayMs", &event.delay_ms.into()),
                ("errorMessage", &event.error_message.as_str().into()),
            ],
        ),
        AgentEvent::AutoRetryEnd(event) => {
            let error = event.final_error.as_deref();
            value::event(
                "auto_retry_end",
                &[
                    ("success", &event.success.into()),
                    ("attempt", &event.attempt.into()),
                    (
                        "finalError",
                        &error.map_or(JsValue::UNDEFINED, JsValue::from),
                    ),
                ],
            )
        }
    }
}

/// An event about the call of a tool.
fn tool_event(kind: &str, id: &str, name: &str, rest: &[(&str, &JsValue)]) -> JsValue {
    let event = value::event(
        kind,
        &[("toolCallId", &id.into()), ("toolName", &name.into())],
    );
    value::extend(&event, rest);
    event
}

fn array(handles: &[Handle]) -> Array {
    handles.iter().map(|handle| &handle.0).collect()
}
