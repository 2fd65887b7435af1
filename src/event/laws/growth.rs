//! How one assistant message grows.

#![allow(
    clippy::disallowed_macros,
    reason = "the checker serves tests, and nothing of it ships"
)]

use serde_json::Value;

use super::{Verdict, ensure, grows, same_json};
use crate::error::ErrorCode;
use crate::event::{AssistantMessageEvent, Page};
use crate::message::{AssistantContentBlock as Block, AssistantMessage, StopReason, ToolCall};
use crate::text::partial_json::parse_arguments;

/// One message between its start and its end.
#[derive(Debug)]
pub(super) struct Growth<'a> {
    shown: &'a AssistantMessage,
    blocks: Vec<Progress>,
}

/// What is known of one block.
#[derive(Debug, Default)]
struct Progress {
    open: bool,
    /// All deltas so far.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Text,
    Thinking,
    ToolCall,
    Image,
}

fn kind(block: &Block) -> BlockKind {
    match block {
        Block::Text(_) => BlockKind::Text,
        Block::Thinking(_) => BlockKind::Thinking,
        Block::ToolCall(_) => BlockKind::ToolCall,
        Block::Image(_) => BlockKind::Image,
    }
}

impl<'a> Growth<'a> {
    /// A message begins.
    pub(super) fn new(message: &'a AssistantMessage) -> Result<Self, String> {
        ensure(
            message.content.is_empty(),
            || "the message has content before it has grown",
        )?;
        Ok(Self {
            shown: message,
            blocks: Vec::new(),
        })
    }

    /// The message grows.
    pub(super) fn take<P>(&mut self, event: &'a AssistantMessageEvent<P>) -> Verdict
    where
        P: Page<Assistant = AssistantMessage, ToolCall = ToolCall>,
    {
        use AssistantMessageEvent as E;
        let Some(next) = event.partial() else {
            return Err("done and error are not updates of a message".to_owned());
        };
        match event {
            E::Start(_) => Err("start is not an update of a message".to_owned()),
            E::TextStart(e) => self.start(e.content_index, BlockKind::Text, next),
            E::ThinkingStart(e) => self.start(e.content_index, BlockKind::Thinking, next),
            E::ToolCallStart(e) => self.start(e.content_index, BlockKind::ToolCall, next),
            E::TextDelta(e) => self.grow(e.content_index, BlockKind::Text, &e.delta, next),
            E::ThinkingDelta(e) => self.grow(e.content_index, BlockKind::Thinking, &e.delta, next),
            E::ToolCallDelta(e) => self.grow(e.content_index, BlockKind::ToolCall, &e.delta, next),
            E::TextEnd(e) => {
                self.close(e.content_index, BlockKind::Text, next)?;
                self.says(e.content_index, &e.content)
            }
            E::ThinkingEnd(e) => {
                self.close(e.content_index, BlockKind::Thinking, next)?;
                self.says(e.content_index, &e.content)
            }
            E::ToolCallEnd(e) => {
                self.close(e.content_index, BlockKind::ToolCall, next)?;
                let block = next.content.get(e.content_index as usize);
                ensure(
                    matches!(block, Some(Block::ToolCall(call)) if *call == e.tool_call),
                    || "toolCall is not the block of the message",
                )?;
                self.arguments(e.content_index, &e.tool_call)
            }
            E::ImageEnd(e) => {
                self.start(e.content_index, BlockKind::Image, next)?;
                let block = next.content.get(e.content_index as usize);
                ensure(
                    matches!(block, Some(Block::Image(image)) if *image == e.content),
                    || "content is not the block of the message",
                )
            }
            E::Done(_) | E::Error(_) => Ok(()),
        }
    }

    /// The message is complete.
    pub(super) fn end(&self, message: &AssistantMessage) -> Verdict {
        if let Some(index) = self.blocks.iter().position(|block| block.open) {
            return Err(format!("block {index} has no end"));
        }
        same_head(self.shown, message)?;
        same_blocks(&self.shown.content, &message.content, None)?;
        ensure(
            message.content.len() == self.blocks.len(),
            || "the complete message has other blocks than the last update",
        )?;
        ending(message)
    }

    fn start(&mut self, index: u32, kind_of: BlockKind, next: &'a AssistantMessage) -> Verdict {
        let index = index as usize;
        ensure(index == self.blocks.len(), || {
            format!(
                "block {index} starts where block {} should",
                self.blocks.len()
            )
        })?;
        let Some(block) = next.content.get(index) else {
            return Err(format!("the message has no block {index}"));
        };
        ensure(kind(block) == kind_of, || {
            format!("block {index} is of another kind")
        })?;
        let empty = match block {
            Block::Text(text) => text.text.is_empty(),
            Block::Thinking(thinking) => thinking.thinking.is_empty(),
            Block::ToolCall(call) => call.arguments.is_empty(),
            Block::Image(_) => true,
        };
        ensure(empty, || format!("block {index} has content at its start"))?;
        self.blocks.push(Progress {
            open: kind_of != BlockKind::Image,
            text: String::new(),
        });
        self.show(index, next)
    }

    fn grow(
        &mut self,
        index: u32,
        kind_of: BlockKind,
        delta: &str,
        next: &'a AssistantMessage,
    ) -> Verdict {
        let index = index as usize;
        let (before, after) = self.touch(index, kind_of, next)?;
        match (before, after) {
            (Block::Text(before), Block::Text(after)) => {
                appended(index, &before.text, delta, &after.text)?;
            }
            (Block::Thinking(before), Block::Thinking(after)) => {
                appended(index, &before.thinking, delta, &after.thinking)?;
            }
            _ => {}
        }
        if let Some(progress) = self.blocks.get_mut(index) {
            progress.text.push_str(delta);
        }
        self.show(index, next)
    }

    fn close(&mut self, index: u32, kind_of: BlockKind, next: &'a AssistantMessage) -> Verdict {
        let index = index as usize;
        let (before, after) = self.touch(index, kind_of, next)?;
        if kind_of != BlockKind::ToolCall {
            ensure(same_up_to_signature(before, after), || {
                format!("block {index} changes at its end")
            })?;
        }
        if let Some(progress) = self.blocks.get_mut(index) {
            progress.open = false;
        }
        self.show(index, next)
    }

    /// An open block before and after an event of its own.
    fn touch(
        &self,
        index: usize,
        kind_of: BlockKind,
        next: &'a AssistantMessage,
    ) -> Result<(&'a Block, &'a Block), String> {
        let Some(progress) = self.blocks.get(index) else {
            return Err(format!("block {index} has not started"));
        };
        ensure(progress.open, || format!("block {index} has ended before"))?;
        let (Some(before), Some(after)) = (self.shown.content.get(index), next.content.get(index))
        else {
            return Err(format!("the message has no block {index}"));
        };
        ensure(kind(before) == kind_of && kind(after) == kind_of, || {
            format!("block {index} is of another kind")
        })?;
        if let (Block::ToolCall(before), Block::ToolCall(after)) = (before, after) {
            let call = |call: &ToolCall| (call.id.clone(), call.name.clone());
            ensure(call(before) == call(after), || {
                format!("the tool call of block {index} changes its id or its name")
            })?;
            ensure(grows(&arguments(before), &arguments(after)), || {
                format!("the arguments of block {index} do not only grow")
            })?;
        }
        Ok((before, after))
    }

    /// What is left to check when `next` takes the place of what was shown: all but one block.
    fn show(&mut self, touched: usize, next: &'a AssistantMessage) -> Verdict {
        same_head(self.shown, next)?;
        same_blocks(&self.shown.content, &next.content, Some(touched))?;
        ensure(
            next.content.len() == self.blocks.len(),
            || "the message has a block that has not started",
        )?;
        self.shown = next;
        Ok(())
    }

    fn says(&self, index: u32, content: &str) -> Verdict {
        let deltas = self.blocks.get(index as usize);
        ensure(deltas.is_some_and(|block| block.text == content), || {
            format!("the deltas of block {index} do not make up its content")
        })
    }

    fn arguments(&self, index: u32, call: &ToolCall) -> Verdict {
        let deltas = self.blocks.get(index as usize);
        // Text that is cut or broken has no value to agree with.
        let Some(Ok(value)) = deltas.map(|block| parse_arguments(&block.text)) else {
            return Ok(());
        };
        ensure(same_json(&value, &arguments(call)), || {
            format!("the deltas of block {index} do not make up its arguments")
        })
    }
}

fn arguments(call: &ToolCall) -> Value {
    Value::Object(call.arguments.clone())
}

fn appended(index: usize, before: &str, delta: &str, after: &str) -> Verdict {
    ensure(after.strip_prefix(before) == Some(delta), || {
        format!("the delta of block {index} is not what was added")
    })
}

fn same_head(before: &AssistantMessage, after: &AssistantMessage) -> Verdict {
    let names = |message: &AssistantMessage| {
        [&message.api, &message.provider, &message.model].map(String::clone)
    };
    ensure(
        names(before) == names(after) && before.timestamp == after.timestamp,
        || "the message changes its model or its time",
    )
}

/// Blocks that no event speaks of stay what they were.
fn same_blocks(before: &[Block], after: &[Block], touched: Option<usize>) -> Verdict {
    for (index, block) in before.iter().enumerate() {
        if touched == Some(index) {
            continue;
        }
        let same = after
            .get(index)
            .is_some_and(|next| same_up_to_signature(block, next));
        ensure(same, || format!("block {index} changes without an event"))?;
    }
    Ok(())
}

/// A signature, and the mark of withheld thinking, may be added: they have no events of their own.
fn same_up_to_signature(before: &Block, after: &Block) -> bool {
    let mut before = before.clone();
    match (&mut before, after) {
        (Block::Text(before), Block::Text(after)) => {
            before.text_signature.clone_from(&after.text_signature);
        }
        (Block::Thinking(before), Block::Thinking(after)) => {
            before
                .thinking_signature
                .clone_from(&after.thinking_signature);
            before.redacted = after.redacted;
        }
        (Block::ToolCall(before), Block::ToolCall(after)) => {
            before
                .thought_signature
                .clone_from(&after.thought_signature);
        }
        _ => {}
    }
    before == *after
}

/// The stop reason says what the message is.
fn ending(message: &AssistantMessage) -> Verdict {
    let calls: Vec<&ToolCall> = message.tool_calls().collect();
    for (index, call) in calls.iter().enumerate() {
        let earlier = calls.iter().take(index).any(|other| other.id == call.id);
        ensure(!earlier && !call.id.is_empty(), || {
            format!("tool call {index} has no id of its own")
        })?;
    }
    let failed = matches!(message.stop_reason, StopReason::Error | StopReason::Aborted);
    ensure(
        failed == message.error.is_some() && failed == message.error_message.is_some(),
        || "a failed message says what failed, and no other does",
    )?;
    let aborted = message
        .error
        .as_ref()
        .is_some_and(|error| error.code == ErrorCode::Aborted);
    ensure(
        aborted == (message.stop_reason == StopReason::Aborted),
        || "the error and the stop reason disagree about an abort",
    )?;
    match message.stop_reason {
        StopReason::Stop => ensure(
            calls.is_empty(),
            || "a message with tool calls stops for them",
        ),
        StopReason::ToolUse => ensure(
            !calls.is_empty(),
            || "a message without tool calls does not stop for them",
        ),
        StopReason::Length | StopReason::Error | StopReason::Aborted => Ok(()),
    }
}
