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
    // Whether the last block is one of text or thinking that may grow.
    let mut open = false;
    let mut calls: Vec<(u32, usize, String)> = Vec::new();
    for part in parts {
        match part {
            StreamPart::ResponseId(id) => message.response_id = Some(id.clone()),
            // No provider says such things.
            StreamPart::Cost(_) | StreamPart::Origin(_) => {}
            StreamPart::Text(text) => text_block(&mut message, &mut open).text.push_str(text),
            StreamPart::Thinking(text) => {
                thinking_block(&mut message, &mut open)
                    .thinking
                    .push_str(text);
            }
            StreamPart::TextSignature(signature) => {
                text_block(&mut message, &mut open).text_signature = Some(signature.clone());
            }
            StreamPart::ThinkingSignature(signature) => {
                thinking_block(&mut message, &mut open).thinking_signature =
                    Some(signature.clone());
            }
            StreamPart::RedactedThinking(signature) => {
                open = false;
                let block = thinking_block(&mut message, &mut open);
                block.thinking_signature = Some(signature.clone());
                block.redacted = Some(true);
                open = false;
            }
            StreamPart::BlockEnd => open = false,
            StreamPart::Image { data, mime_type } => {
                open = false;
                message
                    .content
                    .push(AssistantContentBlock::Image(ImageContent {
                        data: data.clone(),
                        mime_type: mime_type.clone(),
                    }));
            }
            StreamPart::ToolCallStart { key, id, name } => {
                assert_eq!(*key as usize, calls.len(), "keys ascend from 0");
                let id = if id.is_empty() {
                    format!("made_{key}")
                } else {
                    id.clone()
                };
                open = false;
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
            StreamPart::ToolCallSignature { key, signature } => {
                let (_, block, _) = calls[*key as usize];
                if let AssistantContentBlock::ToolCall(call) = &mut message.content[block] {
                    call.thought_signature = Some(signature.clone());
                }
            }
            StreamPart::ToolCallEnd { .. } => {}
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

fn text_block<'a>(message: &'a mut AssistantMessage, open: &mut bool) -> &'a mut TextContent {
    let is_text = matches!(message.content.last(), Some(AssistantContentBlock::Text(_)));
    if !(*open && is_text) {
        let block = AssistantContentBlock::Text(TextContent::default());
        message.content.push(block);
        *open = true;
    }
    match message.content.last_mut() {
        Some(AssistantContentBlock::Text(block)) => block,
        _ => panic!("a text block"),
    }
}

fn thinking_block<'a>(
    message: &'a mut AssistantMessage,
    open: &mut bool,
) -> &'a mut ThinkingContent {
    let is_thinking = matches!(
        message.content.last(),
        Some(AssistantContentBlock::Thinking(_))
    );
    if !(*open && is_thinking) {
        let block = AssistantContentBlock::Thinking(ThinkingContent::default());
        message.content.push(block);
        *open = true;
    }
    match message.content.last_mut() {
        Some(AssistantContentBlock::Thinking(block)) => block,
        _ => panic!("a thinking block"),
    }
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
