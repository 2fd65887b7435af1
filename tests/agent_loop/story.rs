//! Events in one line each.

use serde_json::Value;
use sluice_agent::event::{AgentEvent, AssistantMessageEvent};
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, Message, UserContent, UserContentBlock,
};

/// The type of an event, of its message or of the update that it carries.
pub fn label(event: &AgentEvent) -> &'static str {
    use AssistantMessageEvent as E;
    let of_message = |message: &Message, names: [&'static str; 3]| match message {
        Message::User(_) => names[0],
        Message::Assistant(_) => names[1],
        Message::ToolResult(_) => names[2],
    };
    match event {
        AgentEvent::AgentStart(_) => "agent_start",
        AgentEvent::AgentEnd(_) => "agent_end",
        AgentEvent::TurnStart(_) => "turn_start",
        AgentEvent::TurnEnd(_) => "turn_end",
        AgentEvent::MessageStart(start) => of_message(
            &start.message,
            ["user start", "assistant start", "result start"],
        ),
        AgentEvent::MessageEnd(end) => {
            of_message(&end.message, ["user end", "assistant end", "result end"])
        }
        AgentEvent::MessageUpdate(update) => match update.assistant_message_event {
            E::TextStart(_) => "text_start",
            E::TextDelta(_) => "text_delta",
            E::TextEnd(_) => "text_end",
            E::ThinkingStart(_) => "thinking_start",
            E::ThinkingDelta(_) => "thinking_delta",
            E::ThinkingEnd(_) => "thinking_end",
            E::ToolCallStart(_) => "toolcall_start",
            E::ToolCallDelta(_) => "toolcall_delta",
            E::ToolCallEnd(_) => "toolcall_end",
            E::ImageEnd(_) => "image_end",
            E::Start(_) | E::Done(_) | E::Error(_) => "not an update",
        },
        AgentEvent::ToolExecutionStart(_) => "tool start",
        AgentEvent::ToolExecutionUpdate(_) => "tool update",
        AgentEvent::ToolExecutionEnd(_) => "tool end",
        AgentEvent::ToolApprovalRequest(_) => "tool approval",
        AgentEvent::AutoRetryStart(_) => "retry start",
        AgentEvent::AutoRetryEnd(_) => "retry end",
    }
}

/// The events of a run, messages by their end only and without their updates.
pub fn story(events: &[AgentEvent]) -> Vec<String> {
    let line = |event: &AgentEvent| match event {
        AgentEvent::MessageStart(_) | AgentEvent::MessageUpdate(_) => None,
        AgentEvent::MessageEnd(end) => Some(message(&end.message)),
        AgentEvent::AgentEnd(end) => {
            let reason = serde_json::to_value(end.reason).unwrap();
            Some(format!("agent_end {}", reason.as_str().unwrap()))
        }
        AgentEvent::ToolExecutionStart(event) => Some(format!("start {}", event.tool_call_id)),
        AgentEvent::ToolExecutionUpdate(event) => {
            let said = said(&event.partial_result);
            Some(format!("update {} {said}", event.tool_call_id))
        }
        AgentEvent::ToolExecutionEnd(event) => {
            let failed = if event.is_error { "failed " } else { "" };
            let said = said(&event.result);
            Some(format!("end {} {failed}{said}", event.tool_call_id))
        }
        AgentEvent::ToolApprovalRequest(event) => {
            Some(format!("ask {} {}", event.tool_call_id, event.args))
        }
        AgentEvent::AutoRetryStart(event) => Some(format!(
            "retry {} of {} in {}: {}",
            event.attempt, event.max_attempts, event.delay_ms, event.error_message
        )),
        AgentEvent::AutoRetryEnd(event) => {
            let verdict = if event.success { "good" } else { "failed" };
            let error = event.final_error.iter().map(|error| format!(": {error}"));
            Some(format!(
                "retry {} {verdict}{}",
                event.attempt,
                error.collect::<String>()
            ))
        }
        event => Some(label(event).to_owned()),
    };
    events.iter().filter_map(line).collect()
}

/// The events of the assistant messages of a run.
pub fn updates(events: &[AgentEvent]) -> Vec<String> {
    let line = |event: &AgentEvent| {
        let AgentEvent::MessageUpdate(update) = event else {
            return None;
        };
        let value = serde_json::to_value(&update.assistant_message_event).unwrap();
        let delta = value.get("delta").or_else(|| value.get("content"));
        let delta = delta.map_or(String::new(), |delta| format!(" {delta}"));
        Some(format!("{} {}{delta}", label(event), value["contentIndex"]))
    };
    events.iter().filter_map(line).collect()
}

/// A message in one line.
pub fn message(message: &Message) -> String {
    match message {
        Message::User(user) => match &user.content {
            UserContent::Text(text) => format!("user {text}"),
            UserContent::Blocks(blocks) => format!("user {}", texts(blocks)),
        },
        Message::Assistant(message) => assistant(message),
        Message::ToolResult(result) => format!("result {}", result.tool_call_id),
    }
}

fn assistant(message: &AssistantMessage) -> String {
    let block = |block: &AssistantContentBlock| match block {
        AssistantContentBlock::Text(text) => text.text.clone(),
        AssistantContentBlock::Thinking(thinking) => format!("({})", thinking.thinking),
        AssistantContentBlock::ToolCall(call) => format!(
            "{}#{}{}",
            call.name,
            call.id,
            Value::Object(call.arguments.clone())
        ),
        AssistantContentBlock::Image(_) => "image".to_owned(),
    };
    let blocks: Vec<String> = message.content.iter().map(block).collect();
    let reason = serde_json::to_value(message.stop_reason).unwrap();
    let code = message.error.as_ref().map(|error| {
        let code = serde_json::to_value(error.code).unwrap();
        format!(" {}", code.as_str().unwrap())
    });
    format!(
        "assistant {}{}: {}",
        reason.as_str().unwrap(),
        code.filter(|code| code != " aborted").unwrap_or_default(),
        blocks.join(" | ")
    )
}

/// The text of a tool's result.
pub fn said(result: &Value) -> String {
    let content: Vec<UserContentBlock> =
        serde_json::from_value(result["content"].clone()).unwrap_or_default();
    texts(&content)
}

fn texts(blocks: &[UserContentBlock]) -> String {
    let text = |block: &UserContentBlock| match block {
        UserContentBlock::Text(text) => text.text.clone(),
        UserContentBlock::Image(_) => "image".to_owned(),
    };
    blocks.iter().map(text).collect::<Vec<_>>().join(" ")
}
