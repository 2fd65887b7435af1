//! The event protocol: everything that happens in a run, as one ordered stream of typed events.
//!
//! Events nest on four levels: agent run › turn › message › tool. [`AgentEvent`] is that stream;
//! [`AssistantMessageEvent`] is the finer stream of one model call, which `message_update` carries.
//! [`laws`] states what holds for every stream and checks it.
//!
//! Both are generic over the [`Page`] whose values they carry: in a browser the page's own objects
//! pass through untouched, natively ([`Native`]) they are Rust types. The TypeScript types are made
//! from these structs, so the two cannot drift apart.

pub mod laws;

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{AssistantMessage, ImageContent, Message, StopReason, ToolCall};
use crate::tagged::tagged_union;
use crate::text::json::read_names;

/// A value that events can carry.
pub trait Carried: Debug + Clone + PartialEq + Serialize + DeserializeOwned + 'static {}
impl<T: Debug + Clone + PartialEq + Serialize + DeserializeOwned + 'static> Carried for T {}

/// Whose values the events carry.
pub trait Page: Debug + Clone + PartialEq + 'static {
    /// A transcript message of any role, custom roles included.
    type Message: Carried;
    /// An assistant message, complete or so far.
    type Assistant: Carried + Into<Self::Message>;
    /// A tool call block.
    type ToolCall: Carried;
    /// What `message_update` carries.
    type Update: Carried;
    /// Any other value: arguments and results of tools.
    type Value: Carried;
}

/// The page of native code: plain Rust types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Native;

impl Page for Native {
    type Message = Message;
    type Assistant = AssistantMessage;
    type ToolCall = ToolCall;
    type Update = AssistantMessageEvent<Self>;
    type Value = Value;
}

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

/// `start`: the response begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "start", rename_all = "camelCase", bound = "")]
pub struct StartEvent<P: Page> {
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `text_start`: a text block begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "text_start",
    rename_all = "camelCase",
    bound = ""
)]
pub struct TextStartEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `text_delta`: a text block grew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "text_delta",
    rename_all = "camelCase",
    bound = ""
)]
pub struct TextDeltaEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// What was added.
    pub delta: String,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `text_end`: a text block is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "text_end",
    rename_all = "camelCase",
    bound = ""
)]
pub struct TextEndEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// The whole text of the block.
    pub content: String,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `thinking_start`: a thinking block begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "thinking_start",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ThinkingStartEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `thinking_delta`: a thinking block grew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "thinking_delta",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ThinkingDeltaEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// What was added.
    pub delta: String,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `thinking_end`: a thinking block is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "thinking_end",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ThinkingEndEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// The whole text of the block.
    pub content: String,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `toolcall_start`: a tool call block begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "toolcall_start",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ToolCallStartEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `toolcall_delta`: a tool call block grew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "toolcall_delta",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ToolCallDeltaEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// JSON text of the arguments that arrived.
    pub delta: String,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `toolcall_end`: a tool call block is complete, or was cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "toolcall_end",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ToolCallEndEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// The block.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "ToolCall"))]
    pub tool_call: P::ToolCall,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `image_end`: an image arrived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(
    tag = "type",
    rename = "image_end",
    rename_all = "camelCase",
    bound = ""
)]
pub struct ImageEndEvent<P: Page> {
    /// Index of the block in `partial.content`.
    pub content_index: u32,
    /// The image.
    pub content: ImageContent,
    /// The message so far.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub partial: P::Assistant,
}

/// `done`: the response is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "done", rename_all = "camelCase", bound = "")]
pub struct DoneEvent<P: Page> {
    /// Why the model stopped.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "\"stop\" | \"length\" | \"toolUse\"")
    )]
    pub reason: StopReason,
    /// The message.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub message: P::Assistant,
}

/// `error`: the call failed or was aborted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "error", rename_all = "camelCase", bound = "")]
pub struct ErrorEvent<P: Page> {
    /// Which of the two.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "\"error\" | \"aborted\""))]
    pub reason: StopReason,
    /// The message with what had arrived; its `error` says what failed.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "AssistantMessage"))]
    pub error: P::Assistant,
}

tagged_union! {
    /// Everything that happens in one model call.
    #[serde(rename_all = "snake_case")]
    pub enum AssistantMessageEvent<P = Native> by "type" {
        /// The response begins.
        Start(StartEvent<P>),
        /// A text block begins.
        TextStart(TextStartEvent<P>),
        /// A text block grew.
        TextDelta(TextDeltaEvent<P>),
        /// A text block is complete.
        TextEnd(TextEndEvent<P>),
        /// A thinking block begins.
        ThinkingStart(ThinkingStartEvent<P>),
        /// A thinking block grew.
        ThinkingDelta(ThinkingDeltaEvent<P>),
        /// A thinking block is complete.
        ThinkingEnd(ThinkingEndEvent<P>),
        /// A tool call begins.
        #[serde(rename = "toolcall_start")]
        ToolCallStart(ToolCallStartEvent<P>),
        /// The arguments of a tool call grew.
        #[serde(rename = "toolcall_delta")]
        ToolCallDelta(ToolCallDeltaEvent<P>),
        /// A tool call is complete, or was cut.
        #[serde(rename = "toolcall_end")]
        ToolCallEnd(ToolCallEndEvent<P>),
        /// An image arrived.
        ImageEnd(ImageEndEvent<P>),
        /// The response is complete.
        Done(DoneEvent<P>),
        /// The call failed or was aborted.
        Error(ErrorEvent<P>),
    }
}

impl<P: Page> AssistantMessageEvent<P> {
    /// The message so far, in every event of a block and in `start`.
    pub fn partial(&self) -> Option<&P::Assistant> {
        match self {
            Self::Start(event) => Some(&event.partial),
            Self::TextStart(event) => Some(&event.partial),
            Self::TextDelta(event) => Some(&event.partial),
            Self::TextEnd(event) => Some(&event.partial),
            Self::ThinkingStart(event) => Some(&event.partial),
            Self::ThinkingDelta(event) => Some(&event.partial),
            Self::ThinkingEnd(event) => Some(&event.partial),
            Self::ToolCallStart(event) => Some(&event.partial),
            Self::ToolCallDelta(event) => Some(&event.partial),
            Self::ToolCallEnd(event) => Some(&event.partial),
            Self::ImageEnd(event) => Some(&event.partial),
            Self::Done(_) | Self::Error(_) => None,
        }
    }
}

read_names!(AgentEndReason, "the reason of an end", {
    "done" => Done,
    "error" => Error,
    "aborted" => Aborted,
    "terminated" => Terminated,
    "max_turns" => MaxTurns,
});
