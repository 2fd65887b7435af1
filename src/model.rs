//! Which model to call, and how: the model description, thinking levels and request options.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::text::json::{FromJson, Reader, read_names};

/// Values by name, in the order in which they were given.
pub type Named<T> = Vec<(String, T)>;

fn named<T: Serialize, S: Serializer>(
    values: &Option<Named<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().flatten().map(|(name, value)| (name, value)))
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// Text.
    Text,
    /// Images.
    Image,
}

/// A model and where to reach it. Only `id` and `api` are required.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The id that the provider knows it by.
    pub id: String,
    /// The wire protocol, or any name when the app brings its own `streamFn`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Api"))]
    pub api: String,
    /// The provider's name, given to `getApiKey`; by default the protocol's own provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Root of the provider's API, for example `https://api.openai.com/v1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the model thinks before it answers and can be told how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// What the model can read; text and images when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<InputKind>>,
    /// Prices, for the cost in `usage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<ModelCost>,
    /// Tokens that input and output may have together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<f64>,
    /// Tokens that one answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<f64>,
    /// HTTP headers added to every request.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, string>"))]
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "named")]
    pub headers: Option<Named<String>>,
    /// Switches for hosts that differ from the protocol's own provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compat: Option<Compat>,
}

/// How a host differs from the protocol's own provider; most of it is about OpenAI's protocols.
///
/// Every switch that is absent is chosen by the host in `baseUrl`; an unknown host gets the plain
/// protocol and nothing else. On the Responses protocol `supportsReasoningEffort`,
/// `supportsDeveloperRole` and `supportsStore` count.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Compat {
    /// Name of the field that limits the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens_field: Option<MaxTokensField>,
    /// Whether the host takes `reasoning_effort`; on `anthropic-messages`, whether the model thinks
    /// as much as `effort` says in place of within a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_reasoning_effort: Option<bool>,
    /// Whether the host takes the `developer` role for the system prompt of a thinking model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_developer_role: Option<bool>,
    /// Whether the host takes `store: false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_store: Option<bool>,
    /// Whether the host takes `stream_options: {"include_usage": true}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports_usage_in_streaming: Option<bool>,
    /// The message field in which the host wants a tool-calling turn's thinking back, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_field: Option<ReasoningField>,
    /// What the host accepts as a tool call id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id_format: Option<ToolCallIdFormat>,
    /// Whether a tool message must carry the tool's `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_tool_result_name: Option<bool>,
    /// Whether the host refuses a user message right behind tool messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_assistant_after_tool_result: Option<bool>,
}

/// The field of a chat-completions request that limits the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_tokens`, which nearly every host reads.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's thinking models require.
    MaxCompletionTokens,
}

/// The message field that carries thinking on the chat-completions wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// Thinking is not sent back.
    None,
    /// `reasoning_content` (DeepSeek, Moonshot).
    ReasoningContent,
    /// `reasoning` (OpenRouter).
    Reasoning,
    /// In `content`, as a part of the type `thinking` (Mistral).
    Content,
}

/// What a host accepts as a tool call id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ToolCallIdFormat {
    /// At most 64 characters of `[A-Za-z0-9_-]`.
    Standard,
    /// Exactly nine letters or digits (Mistral).
    NineAlphanumeric,
}

/// How much a model should think.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(untagged)]
pub enum ToolChoice {
    /// One of the general rules.
    Mode(ToolChoiceMode),
    /// This tool.
    Tool(NamedTool),
}

/// The general rules of [`ToolChoice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct NamedTool {
    /// The tool's name.
    pub name: String,
}

/// What goes with a request beside the conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestOptions {
    /// The provider's key. Never part of an event, an error or a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// HTTP headers, over those of the model.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "named")]
    pub headers: Option<Named<String>>,
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
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "named")]
    pub thinking_budgets: Option<Named<f64>>,
    /// The app's backend, when that makes the call in place of the page.
    #[serde(skip)]
    pub proxy: Option<Proxy>,
}

/// A backend of the app that makes model calls and holds the keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxy {
    /// Its root, for example `https://app.example.com`.
    pub url: String,
    /// By what it knows its user. Never part of an event, an error or a log.
    pub auth_token: Option<String>,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

impl FromJson for Model {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            id: reader.field("id"),
            api: reader.field("api"),
            provider: reader.optional("provider"),
            base_url: reader.optional("baseUrl"),
            name: reader.optional("name"),
            reasoning: reader.optional("reasoning"),
            input: reader.optional("input"),
            cost: reader.optional("cost"),
            context_window: reader.optional("contextWindow"),
            max_tokens: reader.optional("maxTokens"),
            headers: reader.optional("headers"),
            compat: reader.optional("compat"),
        }
    }
}

impl FromJson for ModelCost {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            input: reader.or_default("input"),
            output: reader.or_default("output"),
            cache_read: reader.or_default("cacheRead"),
            cache_write: reader.or_default("cacheWrite"),
        }
    }
}

impl FromJson for Compat {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            max_tokens_field: reader.optional("maxTokensField"),
            supports_reasoning_effort: reader.optional("supportsReasoningEffort"),
            supports_developer_role: reader.optional("supportsDeveloperRole"),
            supports_store: reader.optional("supportsStore"),
            supports_usage_in_streaming: reader.optional("supportsUsageInStreaming"),
            reasoning_field: reader.optional("reasoningField"),
            tool_call_id_format: reader.optional("toolCallIdFormat"),
            requires_tool_result_name: reader.optional("requiresToolResultName"),
            requires_assistant_after_tool_result: reader
                .optional("requiresAssistantAfterToolResult"),
        }
    }
}

impl FromJson for ToolChoice {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        match reader.optional("name") {
            Some(name) => Self::Tool(NamedTool { name }),
            None => Self::Mode(FromJson::from_json(reader)),
        }
    }
}

read_names!(InputKind, "\"text\" or \"image\"", { "text" => Text, "image" => Image });
read_names!(MaxTokensField, "\"max_tokens\" or \"max_completion_tokens\"", {
    "max_tokens" => MaxTokens,
    "max_completion_tokens" => MaxCompletionTokens,
});
read_names!(ReasoningField, "\"none\", \"reasoning_content\", \"reasoning\" or \"content\"", {
    "none" => None,
    "reasoning_content" => ReasoningContent,
    "reasoning" => Reasoning,
    "content" => Content,
});
read_names!(ToolCallIdFormat, "\"standard\" or \"nine_alphanumeric\"", {
    "standard" => Standard,
    "nine_alphanumeric" => NineAlphanumeric,
});
read_names!(ThinkingLevel, "\"off\", \"minimal\", \"low\", \"medium\", \"high\" or \"xhigh\"", {
    "off" => Off,
    "minimal" => Minimal,
    "low" => Low,
    "medium" => Medium,
    "high" => High,
    "xhigh" => Xhigh,
});
read_names!(CacheRetention, "\"none\", \"short\" or \"long\"", { "none" => None, "short" => Short, "long" => Long });
read_names!(ToolChoiceMode, "\"auto\", \"none\", \"required\" or { name }", {
    "auto" => Auto,
    "none" => None,
    "required" => Required,
});
