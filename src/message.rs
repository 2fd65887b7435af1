//! The vocabulary of a conversation: messages, their content blocks, token usage and stop reasons.
//!
//! These types are the wire-independent form. They own what a message *is*; how one is sent to a
//! provider belongs to [`crate::protocol`], and what a page adds to a message (custom roles, extra
//! fields, live objects) stays with the page: the loop carries such messages as opaque handles.
//!
//! What is always there is required in TypeScript; natively, tests may leave it out.
//!
//! ```
//! use sluice_agent::message::{Message, UserMessage};
//! let message: Message = serde_json::from_str(r#"{"role":"user","content":"Hi","timestamp":0}"#)?;
//! assert!(matches!(message, Message::User(UserMessage { .. })));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod read;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ErrorInfo;
use crate::tagged::tagged_union;

/// Text written by a user, a model or a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "text", rename_all = "camelCase")]
pub struct TextContent {
    /// The text itself.
    pub text: String,
    /// Opaque data by which the provider recognises this block when it is sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_signature: Option<String>,
}

/// What a model thought before it answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "thinking", rename_all = "camelCase")]
pub struct ThinkingContent {
    /// The readable part; empty when the provider withholds it.
    pub thinking: String,
    /// Opaque data that lets the same model take this thinking up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
    /// True when the provider encrypted the thinking; the payload is in the signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<bool>,
}

/// An image, inline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "image", rename_all = "camelCase")]
pub struct ImageContent {
    /// The bytes in base64, without a `data:` prefix.
    pub data: String,
    /// MIME type, for example `image/png`.
    pub mime_type: String,
}

/// A model's request that the page run a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "type", rename = "toolCall", rename_all = "camelCase")]
pub struct ToolCall {
    /// Identifies the call within its message; the result carries it as `toolCallId`.
    pub id: String,
    /// The tool's name; as the model wrote it where there is no such tool.
    pub name: String,
    /// The arguments. While the message streams: the best-effort parse of what has arrived.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, any>"))]
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub arguments: Map<String, Value>,
    /// Opaque data that belongs to this call and goes back to the provider with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
}

tagged_union! {
    /// A block of what a user or a tool says.
    #[serde(rename_all = "camelCase")]
    pub enum UserContentBlock by "type" {
        /// Text.
        Text(TextContent),
        /// An image.
        Image(ImageContent),
    }
}

tagged_union! {
    /// A block of what a model says.
    #[serde(rename_all = "camelCase")]
    pub enum AssistantContentBlock by "type" {
        /// Text for the reader.
        Text(TextContent),
        /// Thinking.
        Thinking(ThinkingContent),
        /// A tool call.
        ToolCall(ToolCall),
        /// An image the model made.
        Image(ImageContent),
    }
}

/// Content of a user message: plain text, or blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(untagged)]
pub enum UserContent {
    /// Plain text.
    Text(String),
    /// Text and images in order.
    Blocks(Vec<UserContentBlock>),
}

/// What a person (or the app in their name) says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "role", rename = "user", rename_all = "camelCase")]
pub struct UserMessage {
    /// Text, or text and images.
    pub content: UserContent,
    /// When it was made, in milliseconds since 1970.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub timestamp: f64,
}

/// US dollars, by the model's prices per million tokens; zero where no price is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(not(target_arch = "wasm32"), serde(default))]
pub struct UsageCost {
    /// Input tokens outside the cache.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Input tokens read from the cache.
    pub cache_read: f64,
    /// Input tokens written to the cache.
    pub cache_write: f64,
    /// The sum of the four.
    pub total: f64,
}

/// Tokens that one model call used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(not(target_arch = "wasm32"), serde(default))]
pub struct Usage {
    /// Input tokens, without those read from or written to a cache.
    pub input: f64,
    /// Output tokens, thinking included.
    pub output: f64,
    /// Input tokens read from a cache.
    pub cache_read: f64,
    /// Input tokens written to a cache.
    pub cache_write: f64,
    /// The sum of the four.
    pub total_tokens: f64,
    /// What they cost.
    pub cost: UsageCost,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The answer is complete.
    #[default]
    Stop,
    /// The output limit cut the answer.
    Length,
    /// The model waits for the results of tools.
    ToolUse,
    /// The call failed; `error` and `errorMessage` say why.
    Error,
    /// The app aborted the call.
    Aborted,
}

/// What a model says in one call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "role", rename = "assistant", rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Blocks in the order in which they began.
    pub content: Vec<AssistantContentBlock>,
    /// The wire protocol that carried the call.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Api"))]
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub api: String,
    /// The provider's name.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub provider: String,
    /// The model's id as it was requested.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub model: String,
    /// The provider's id of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// Tokens used; zeros until the provider reports them.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub usage: Usage,
    /// Why the message ended; `stop` while it streams.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub stop_reason: StopReason,
    /// A sentence for people when the call failed or was aborted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The same for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorInfo>,
    /// When the call began, in milliseconds since 1970.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub timestamp: f64,
    /// From the request to the end of the response, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}

/// What a tool answered to one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(tag = "role", rename = "toolResult", rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The id of the call.
    pub tool_call_id: String,
    /// The name of the tool.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub tool_name: String,
    /// What the model gets to read.
    pub content: Vec<UserContentBlock>,
    /// What the page keeps for itself: any value, never sent to a model.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "any", optional))]
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
    /// True when the tool failed or did not run.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub is_error: bool,
    /// When the result was made, in milliseconds since 1970.
    #[cfg_attr(not(target_arch = "wasm32"), serde(default))]
    pub timestamp: f64,
    /// How long the tool ran, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}

tagged_union! {
    /// A message that a model can be sent.
    #[serde(rename_all = "camelCase")]
    pub enum Message by "role" {
        /// From the user.
        User(UserMessage),
        /// From a model.
        Assistant(AssistantMessage),
        /// From a tool.
        ToolResult(ToolResultMessage),
    }
}

impl From<AssistantMessage> for Message {
    fn from(message: AssistantMessage) -> Self {
        Self::Assistant(message)
    }
}

impl AssistantMessage {
    /// The tool calls of this message, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            AssistantContentBlock::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}
