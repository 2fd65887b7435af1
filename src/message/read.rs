//! Messages from the page's JSON, as far as a provider is told of them.

use serde_json::Value;

use super::{
    AssistantContentBlock, AssistantMessage, ImageContent, Message, StopReason, TextContent,
    ThinkingContent, ToolCall, ToolResultMessage, Usage, UsageCost, UserContent, UserContentBlock,
    UserMessage,
};
use crate::text::json::{FromJson, Json, Unfit, read_names};

impl FromJson for TextContent {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            text: json.field("text")?,
            text_signature: json.optional("textSignature")?,
        })
    }
}

impl FromJson for ThinkingContent {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            thinking: json.or_default("thinking")?,
            thinking_signature: json.optional("thinkingSignature")?,
            redacted: json.optional("redacted")?,
        })
    }
}

impl FromJson for ImageContent {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            data: json.field("data")?,
            mime_type: json.field("mimeType")?,
        })
    }
}

impl FromJson for ToolCall {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            id: json.or_default("id")?,
            name: json.field("name")?,
            arguments: json.or_default("arguments")?,
            thought_signature: json.optional("thoughtSignature")?,
        })
    }
}

impl FromJson for UserContentBlock {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        match json.field::<String>("type")?.as_str() {
            "text" => TextContent::from_json(json).map(Self::Text),
            "image" => ImageContent::from_json(json).map(Self::Image),
            _ => Err(Unfit::new(
                Some(json),
                "a block of type \"text\" or \"image\"",
            )),
        }
    }
}

impl FromJson for AssistantContentBlock {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        match json.field::<String>("type")?.as_str() {
            "text" => TextContent::from_json(json).map(Self::Text),
            "thinking" => ThinkingContent::from_json(json).map(Self::Thinking),
            "toolCall" => ToolCall::from_json(json).map(Self::ToolCall),
            "image" => ImageContent::from_json(json).map(Self::Image),
            _ => Err(Unfit::new(
                Some(json),
                "a block of type \"text\", \"thinking\", \"toolCall\" or \"image\"",
            )),
        }
    }
}

impl FromJson for UserContent {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        match json.as_str() {
            Some(text) => Ok(Self::Text(text.into_owned())),
            None => Vec::from_json(json).map(Self::Blocks),
        }
    }
}

read_names!(StopReason, "\"stop\", \"length\", \"toolUse\", \"error\" or \"aborted\"", {
    "stop" => Stop,
    "length" => Length,
    "toolUse" => ToolUse,
    "error" => Error,
    "aborted" => Aborted,
});

impl FromJson for Usage {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            input: json.or_default("input")?,
            output: json.or_default("output")?,
            cache_read: json.or_default("cacheRead")?,
            cache_write: json.or_default("cacheWrite")?,
            total_tokens: json.or_default("totalTokens")?,
            // Prices are applied to what a call reports, never read back.
            cost: UsageCost::default(),
        })
    }
}

/// Reads what a provider can be told: of an assistant message the content, where it came from and
/// how it ended.
impl FromJson for Message {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        let timestamp = json.or_default("timestamp")?;
        match json.field::<String>("role")?.as_str() {
            "user" => Ok(Self::User(UserMessage {
                content: json.field("content")?,
                timestamp,
            })),
            "assistant" => Ok(Self::Assistant(AssistantMessage {
                content: json.field("content")?,
                api: json.or_default("api")?,
                provider: json.or_default("provider")?,
                model: json.or_default("model")?,
                response_id: json.optional("responseId")?,
                stop_reason: json.or_default("stopReason")?,
                timestamp,
                ..AssistantMessage::default()
            })),
            "toolResult" => Ok(Self::ToolResult(ToolResultMessage {
                tool_call_id: json.field("toolCallId")?,
                tool_name: json.or_default("toolName")?,
                content: json.field("content")?,
                details: Value::Null,
                is_error: json.or_default("isError")?,
                timestamp,
                duration_ms: None,
            })),
            _ => Err(Unfit::new(
                Some(json),
                "a message of role \"user\", \"assistant\" or \"toolResult\"",
            )),
        }
    }
}
