//! The events of one model call: how its message grows.

use serde::{Deserialize, Serialize};

use super::{Native, Page};
use crate::message::{ImageContent, StopReason};
use crate::tagged::tagged_union;

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
