//! Which model to call, and how: the model description, thinking levels and request options.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default)]
pub struct ModelCost {
    /// Input tokens outside the cache.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub input: f64,
    /// Output tokens.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub output: f64,
    /// Input tokens read from the cache.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub cache_read: f64,
    /// Input tokens written to the cache.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub cache_write: f64,
}

/// What a model can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// Text.
    Text,
    /// Images.
    Image,
}

/// A model and where to reach it. Only `id` and `api` are required.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The id that the provider knows it by.
    pub id: String,
    /// The wire protocol, or any name when the app brings its own `streamFn`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Api"))]
    pub api: String,
    /// The provider's name, given to `getApiKey`; by default the protocol's own provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Root of the provider's API, for example `https://api.openai.com/v1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the model thinks before it answers and can be told how much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// What the model can read; text and images when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<InputKind>>,
    /// Prices, for the cost in `usage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<ModelCost>,
    /// Tokens that input and output may have together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<f64>,
    /// Tokens that one answer may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<f64>,
    /// HTTP headers added to every request.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, string>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// Switches for hosts that differ from the protocol's own provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compat: Option<Compat>,
}

/// How a host of the chat-completions protocol differs from OpenAI's own.
///
/// Every switch that is absent is chosen by the host in `baseUrl`; an unknown host gets the plain
/// protocol and nothing else.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Compat {
    /// Name of the field that limits the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens_field: Option<MaxTokensField>,
    /// Whether the host takes `reasoning_effort`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports_reasoning_effort: Option<bool>,
    /// Whether the host takes the `developer` role for the system prompt of a thinking model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports_developer_role: Option<bool>,
    /// Whether the host takes `store: false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports_store: Option<bool>,
    /// Whether the host takes `stream_options: {"include_usage": true}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports_usage_in_streaming: Option<bool>,
    /// The message field in which the host wants a tool-calling turn's thinking back, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_field: Option<ReasoningField>,
    /// What the host accepts as a tool call id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id_format: Option<ToolCallIdFormat>,
    /// Whether a tool message must carry the tool's `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_tool_result_name: Option<bool>,
    /// Whether the host refuses a user message right behind tool messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_assistant_after_tool_result: Option<bool>,
}

/// The field of a chat-completions request that limits the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_tokens`, which nearly every host reads.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's thinking models require.
    MaxCompletionTokens,
}

/// The message field that carries thinking on the chat-completions wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// Thinking is not sent back.
    None,
    /// `reasoning_content` (DeepSeek, Moonshot).
    ReasoningContent,
    /// `reasoning` (OpenRouter).
    Reasoning,
}

/// What a host accepts as a tool call id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ToolCallIdFormat {
    /// At most 64 characters of `[A-Za-z0-9_-]`.
    Standard,
    /// Exactly nine letters or digits (Mistral).
    NineAlphanumeric,
}

/// How much a model should think.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// Not at all, or as little as the model allows.
    #[default]
    Off,
    /// The least that is more than nothing.
    Minimal,
    /// A little.
    Low,
    /// The usual amount.
    Medium,
    /// Much.
    High,
    /// As much as the model offers.
    Xhigh,
}

/// How long the provider may keep a prompt cached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum CacheRetention {
    /// No caching asked for.
    None,
    /// The provider's usual time.
    #[default]
    Short,
    /// The longest the provider offers.
    Long,
}

/// Whether and which tool the model has to call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(untagged)]
pub enum ToolChoice {
    /// One of the general rules.
    Mode(ToolChoiceMode),
    /// This tool.
    Tool(NamedTool),
}

/// The general rules of [`ToolChoice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum ToolChoiceMode {
    /// The model decides.
    Auto,
    /// No tool may be called.
    None,
    /// Some tool must be called.
    Required,
}

/// The one tool of a [`ToolChoice`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct NamedTool {
    /// The tool's name.
    pub name: String,
}

/// What goes with a request beside the conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestOptions {
    /// The provider's key. Never part of an event, an error or a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// HTTP headers, over those of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// How much to think.
    pub reasoning: ThinkingLevel,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Limit of the output in tokens, over that of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<f64>,
    /// Whether and which tool the model has to call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Prompt caching.
    pub cache_retention: CacheRetention,
    /// Identifies the conversation to providers that cache by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Thinking tokens per level, for protocols that take budgets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_budgets: Option<BTreeMap<String, f64>>,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its arguments.
    #[serde(default)]
    pub parameters: Value,
}
