//! Parts → the message, in the simplest way that is right.

use serde_json::{Map, Value};
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, StopReason, TextContent, ThinkingContent, ToolCall,
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
    for part in parts {
        match part {
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
            StreamPart::ThinkingSignature(signature) => {
                let signature = Some(signature.clone());
                match message.content.last_mut() {
                    Some(AssistantContentBlock::Thinking(block)) => {
                        block.thinking_signature = signature;
                    }
                    _ => message
                        .content
                        .push(AssistantContentBlock::Thinking(ThinkingContent {
                            thinking_signature: signature,
                            ..ThinkingContent::default()
                        })),
                }
            }
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
