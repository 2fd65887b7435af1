//! The events of a run: all four levels, from `agent_start` to `agent_end`.

use serde::{Deserialize, Serialize};

use super::{Native, Page};
use crate::tagged::tagged_union;
use crate::text::json::read_names;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum AgentEndReason {
    /// The model had nothing more to do.
    Done,
    /// A model call failed; the last assistant message says why.
    Error,
    /// The app aborted the run.
    Aborted,
    /// Every tool of the last batch, or `finishTurn`, asked to stop.
    Terminated,
    /// The limit of turns was reached.
    MaxTurns,
}

/// `agent_start`: a run begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "agent_start", rename_all = "camelCase")]
pub struct AgentStartEvent {}

/// `agent_end`: the run is over; nothing comes behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "agent_end",
    rename_all = "camelCase",
    bound = ""
)]
pub struct AgentEndEvent<P: Page> {
    /// All messages that the run added, in order.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AgentMessage[]"))]
    pub messages: Vec<P::Message>,
    /// Why it ended.
    pub reason: AgentEndReason,
}

/// `turn_start`: a turn begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "turn_start", rename_all = "camelCase")]
pub struct TurnStartEvent {}

/// `turn_end`: one model call and the tools it asked for are done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "turn_end",
    rename_all = "camelCase",
    bound = ""
)]
pub struct TurnEndEvent<P: Page> {
    /// The assistant message of the turn.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub message: P::Assistant,
    /// The results of its tool calls, in the order of the calls.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "ToolResultMessage[]"))]
    pub tool_results: Vec<P::Message>,
}

/// `message_start`: a message of any role enters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "message_start",
    rename_all = "camelCase",
    bound = ""
)]
pub struct MessageStartEvent<P: Page> {
    /// The message; an assistant message is still empty.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AgentMessage"))]
    pub message: P::Message,
}

/// `message_update`: the assistant message grew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "message_update",
    rename_all = "camelCase",
    bound = ""
)]
pub struct MessageUpdateEvent<P: Page> {
    /// The message so far: the same object as `assistantMessageEvent.partial`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub message: P::Assistant,
    /// What just happened to it.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessageUpdate"))]
    pub assistant_message_event: P::Update,
}

/// `message_end`: the message is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "message_end",
    rename_all = "camelCase",
    bound = ""
)]
pub struct MessageEndEvent<P: Page> {
    /// The message.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AgentMessage"))]
    pub message: P::Message,
}

/// `tool_execution_start`: a tool call is taken up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "tool_execution_start",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ToolExecutionStartEvent<P: Page> {
    /// The id of the call.
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The arguments as the model wrote them.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, any>"))]
    pub args: P::Value,
}

/// `tool_execution_update`: a running tool reports progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "tool_execution_update",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ToolExecutionUpdateEvent<P: Page> {
    /// The id of the call.
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The arguments as the model wrote them.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, any>"))]
    pub args: P::Value,
    /// What the tool passed to `onUpdate`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AgentToolResult"))]
    pub partial_result: P::Value,
}

/// `tool_execution_end`: a tool call is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "tool_execution_end",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ToolExecutionEndEvent<P: Page> {
    /// The id of the call.
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The result: `content` for the model, `details` for the page.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AgentToolResult"))]
    pub result: P::Value,
    /// True when the tool failed or did not run.
    pub is_error: bool,
    /// How long the tool ran, in milliseconds; absent when it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}

/// `tool_approval_request`: a tool call waits for the app's yes or no.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "tool_approval_request",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ToolApprovalRequestEvent<P: Page> {
    /// The id of the call: what `approveToolCall` and `denyToolCall` are told.
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The arguments that the tool would get.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, any>"))]
    pub args: P::Value,
}

/// `auto_retry_start`: a model call failed and will be made again. The failed message, and what
/// answered its calls, have left the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "auto_retry_start", rename_all = "camelCase")]
pub struct AutoRetryStartEvent {
    /// Which retry of this call it is, counted from 1.
    pub attempt: u32,
    /// How many retries there are at most.
    pub max_attempts: u32,
    /// How long the run waits before it, in milliseconds. Offline, it also waits for the network.
    pub delay_ms: f64,
    /// What failed.
    pub error_message: String,
}

/// `auto_retry_end`: that retry is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "auto_retry_end", rename_all = "camelCase")]
pub struct AutoRetryEndEvent {
    /// Whether the model answered.
    pub success: bool,
    /// Which retry it was.
    pub attempt: u32,
    /// Why the run gives up; absent on success, and when another retry follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_error: Option<String>,
}

tagged_union! {
    /// Everything that happens in a run.
    #[serde(rename_all = "snake_case")]
    pub enum AgentEvent<P = Native> by "type" {
        /// A run begins.
        AgentStart(AgentStartEvent),
        /// The run is over.
        AgentEnd(AgentEndEvent<P>),
        /// A turn begins.
        TurnStart(TurnStartEvent),
        /// The turn is over.
        TurnEnd(TurnEndEvent<P>),
        /// A message enters.
        MessageStart(MessageStartEvent<P>),
        /// The assistant message grew.
        MessageUpdate(MessageUpdateEvent<P>),
        /// The message is complete.
        MessageEnd(MessageEndEvent<P>),
        /// A tool call is taken up.
        ToolExecutionStart(ToolExecutionStartEvent<P>),
        /// A running tool reports progress.
        ToolExecutionUpdate(ToolExecutionUpdateEvent<P>),
        /// A tool call is answered.
        ToolExecutionEnd(ToolExecutionEndEvent<P>),
        /// A tool call waits for the app's yes or no.
        ToolApprovalRequest(ToolApprovalRequestEvent<P>),
        /// A failed model call will be made again.
        AutoRetryStart(AutoRetryStartEvent),
        /// That retry is over.
        AutoRetryEnd(AutoRetryEndEvent),
    }
}

read_names!(AgentEndReason, "the reason of an end", {
    "done" => Done,
    "error" => Error,
    "aborted" => Aborted,
    "terminated" => Terminated,
    "max_turns" => MaxTurns,
});
