//! Parts → the message, in the simplest way that is right.

use serde_json::{Map, Value};
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, ImageContent, StopReason, TextContent,
    ThinkingContent, ToolCall,
};
use sluice_agent::protocol::{Api, StreamPart};
use sluice_agent::text::partial_json::{PartialJson, ValueBuilder};

/// The message that the parts make. Calls without an id get one.
pub fn fold(api: Api, parts: &[StreamPart]) -> AssistantMessage {
    let mut message = AssistantMessage {
        api: api.name().into(),
        provider: api.default_provider().into(),
        model: "m".into(),
        stop_reason: StopReason::Error,
        ..AssistantMessage::default()
    };
    let mut calls: Vec<(u32, usize, String)> = Vec::new();
    let mut is_closed = false;
    for part in parts {
        // Behind an end, text and thinking go into a block of their own.
        if std::mem::take(&mut is_closed) {
            match part {
                StreamPart::Text(_) | StreamPart::TextSignature(_) => message
                    .content
                    .push(AssistantContentBlock::Text(TextContent::default())),
                StreamPart::Thinking(_) | StreamPart::ThinkingSignature(_) => message
                    .content
                    .push(AssistantContentBlock::Thinking(ThinkingContent::default())),
                _ => {}
            }
        }
        match part {
            StreamPart::BlockEnd => is_closed = true,
            StreamPart::TextSignature(signature) => {
                if !matches!(message.content.last(), Some(AssistantContentBlock::Text(_))) {
                    let block = AssistantContentBlock::Text(TextContent::default());
                    message.content.push(block);
                }
                if let Some(AssistantContentBlock::Text(block)) = message.content.last_mut() {
                    block.text_signature = Some(signature.clone());
                }
            }
            StreamPart::ThinkingSignature(signature) => {
                let last = message.content.last();
                if !matches!(last, Some(AssistantContentBlock::Thinking(_))) {
                    let block = AssistantContentBlock::Thinking(ThinkingContent::default());
                    message.content.push(block);
                }
                if let Some(AssistantContentBlock::Thinking(block)) = message.content.last_mut() {
                    block.thinking_signature = Some(signature.clone());
                }
            }
            StreamPart::ToolCallSignature { key, signature } => {
                let (_, block, _) = calls[*key as usize];
                if let AssistantContentBlock::ToolCall(call) = &mut message.content[block] {
                    call.thought_signature = Some(signature.clone());
                }
            }
            StreamPart::Image { data, mime_type } => {
                message
                    .content
                    .push(AssistantContentBlock::Image(ImageContent {
                        data: data.clone(),
                        mime_type: mime_type.clone(),
                    }));
            }
            StreamPart::ResponseId(id) => message.response_id = Some(id.clone()),
            StreamPart::Text(text) => match message.content.last_mut() {
                Some(AssistantContentBlock::Text(block)) => block.text.push_str(text),
                _ => message
                    .content
                    .push(AssistantContentBlock::Text(TextContent {
                        text: text.clone(),
                        text_signature: None,
                    })),
            },
            StreamPart::Thinking(text) => match message.content.last_mut() {
                Some(AssistantContentBlock::Thinking(block)) => block.thinking.push_str(text),
                _ => message
                    .content
                    .push(AssistantContentBlock::Thinking(ThinkingContent {
                        thinking: text.clone(),
                        ..ThinkingContent::default()
                    })),
            },
            StreamPart::ToolCallStart { key, id, name } => {
                assert_eq!(*key as usize, calls.len(), "keys ascend from 0");
                let id = if id.is_empty() {
                    format!("made_{key}")
                } else {
                    id.clone()
                };
                calls.push((*key, message.content.len(), String::new()));
                message
                    .content
                    .push(AssistantContentBlock::ToolCall(ToolCall {
                        id,
                        name: name.clone(),
                        ..ToolCall::default()
                    }));
            }
            StreamPart::ToolCallDelta { key, json } => {
                let call = calls
                    .iter_mut()
                    .find(|call| call.0 == *key)
                    .expect("the call began");
                call.2.push_str(json);
            }
            StreamPart::Usage(update) => {
                let usage = &mut message.usage;
                usage.input = update.input.unwrap_or(usage.input);
                usage.output = update.output.unwrap_or(usage.output);
                usage.cache_read = update.cache_read.unwrap_or(usage.cache_read);
                usage.cache_write = update.cache_write.unwrap_or(usage.cache_write);
            }
            StreamPart::Finish(reason) => message.stop_reason = *reason,
            StreamPart::Error(error) => {
                message.stop_reason = StopReason::Error;
                message.error_message = Some(error.message.clone());
                message.error = Some(error.as_ref().clone());
            }
            _ => {}
        }
    }
    if message.stop_reason == StopReason::Stop && !calls.is_empty() {
        message.stop_reason = StopReason::ToolUse;
    }
    for (_, block, json) in calls {
        if let AssistantContentBlock::ToolCall(call) = &mut message.content[block] {
            call.arguments = view(&json);
        }
    }
    message
}

/// The arguments as far as they are known.
fn view(json: &str) -> Map<String, Value> {
    let mut builder = ValueBuilder::new();
    PartialJson::new().push(json, &mut builder);
    match builder.into_value() {
        Value::Object(arguments) => arguments,
        other => panic!("arguments are an object, not {other}"),
    }
}
