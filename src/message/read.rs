//! Messages from the page's JSON, as far as a provider is told of them.

use serde_json::Value;

use super::{
    AssistantContentBlock, AssistantMessage, ImageContent, Message, StopReason, TextContent,
    ThinkingContent, ToolCall, ToolResultMessage, Usage, UsageCost, UserContent, UserContentBlock,
    UserMessage,
};
use crate::text::json::{FromJson, Reader, read_names};

impl FromJson for TextContent {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            text: reader.field("text"),
            text_signature: reader.optional("textSignature"),
        }
    }
}

impl FromJson for ThinkingContent {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            thinking: reader.or_default("thinking"),
            thinking_signature: reader.optional("thinkingSignature"),
            redacted: reader.optional("redacted"),
        }
    }
}

impl FromJson for ImageContent {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            data: reader.field("data"),
            mime_type: reader.field("mimeType"),
        }
    }
}

impl FromJson for ToolCall {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            id: reader.or_default("id"),
            name: reader.field("name"),
            arguments: reader.or_default("arguments"),
            thought_signature: reader.optional("thoughtSignature"),
        }
    }
}

impl FromJson for UserContentBlock {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        match reader.field::<String>("type").as_str() {
            "text" => Self::Text(FromJson::from_json(reader)),
            "image" => Self::Image(FromJson::from_json(reader)),
            _ => Self::Text(reader.expected("a block of type \"text\" or \"image\"")),
        }
    }
}

impl FromJson for AssistantContentBlock {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        match reader.field::<String>("type").as_str() {
            "text" => Self::Text(FromJson::from_json(reader)),
            "thinking" => Self::Thinking(FromJson::from_json(reader)),
            "toolCall" => Self::ToolCall(FromJson::from_json(reader)),
            "image" => Self::Image(FromJson::from_json(reader)),
            _ => Self::Text(
                reader
                    .expected("a block of type \"text\", \"thinking\", \"toolCall\" or \"image\""),
            ),
        }
    }
}

impl FromJson for UserContent {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        if reader.json().is_string() {
            Self::Text(reader.string())
        } else {
            Self::Blocks(FromJson::from_json(reader))
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
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            input: reader.or_default("input"),
            output: reader.or_default("output"),
            cache_read: reader.or_default("cacheRead"),
            cache_write: reader.or_default("cacheWrite"),
            total_tokens: reader.or_default("totalTokens"),
            // Prices are applied to what a call reports, never read back.
            cost: UsageCost::default(),
        }
    }
}

/// Reads what a provider can be told: of an assistant message the content, where it came from and
/// how it ended.
impl FromJson for Message {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        let timestamp = reader.or_default("timestamp");
        match reader.field::<String>("role").as_str() {
            "user" => Self::User(UserMessage {
                content: reader.field("content"),
                timestamp,
            }),
            "assistant" => Self::Assistant(AssistantMessage {
                content: reader.field("content"),
                api: reader.or_default("api"),
                provider: reader.or_default("provider"),
                model: reader.or_default("model"),
                response_id: reader.optional("responseId"),
                stop_reason: reader.or_default("stopReason"),
                timestamp,
                ..AssistantMessage::default()
            }),
            "toolResult" => Self::ToolResult(ToolResultMessage {
                tool_call_id: reader.field("toolCallId"),
                tool_name: reader.or_default("toolName"),
                content: reader.field("content"),
                details: Value::Null,
                is_error: reader.or_default("isError"),
                timestamp,
                duration_ms: None,
            }),
            _ => Self::Assistant(
                reader.expected("a message of role \"user\", \"assistant\" or \"toolResult\""),
            ),
        }
    }
}
