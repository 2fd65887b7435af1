//! Parts of a response → operations that make the message grow.
//!
//! The assembler decides what the message is: which block a part belongs to, when blocks begin and
//! end, what the stop reason means. It says so in a [`Batch`]: one text and a list of small
//! operations, made per network chunk, from which whoever shows the message (in a browser the
//! script beside the wasm module) builds one immutable snapshot per operation. The assembler itself
//! keeps only what later decisions need: the tool calls and the counts.

mod batch;
mod block;
mod price;

pub use batch::{Batch, Op, Operation, PathStep};

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::message::{Message, StopReason, Usage, UsageCost};
use crate::model::ModelCost;
use crate::protocol::history::IdRegistry;
use crate::protocol::{StreamPart, UsageUpdate};
use crate::text::partial_json::{PartialJson, parse_arguments};
use block::{Block, BlockKind, replay};
use price::price;

/// A tool call as the model made it.
#[derive(Debug, Clone, PartialEq)]
pub struct AssembledCall {
    /// Its id: the provider's, or one made here; unique within the message and what came before.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Index of its block in the message.
    pub block: u32,
    /// The JSON text of its arguments, as far as it arrived.
    pub json: String,
}

/// What is known when a response is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// Why the message ended.
    pub stop_reason: StopReason,
    /// What failed, when the stop reason is `error` or `aborted`.
    pub error: Option<Failure>,
    /// Tokens and cost.
    pub usage: Usage,
    /// The provider's id of the response.
    pub response_id: Option<String>,
    /// The tool calls of the message, in the order of their blocks.
    pub calls: Vec<AssembledCall>,
}

struct PendingCall {
    key: u32,
    call: AssembledCall,
    parser: PartialJson,
}

/// Grows one assistant message.
pub struct Assembler {
    blocks: Vec<Block>,
    /// How the blocks stood when the current batch began.
    committed: Vec<Block>,
    calls: Vec<PendingCall>,
    batch: Batch,
    id_stem: String,
    ids: IdRegistry,
    usage: UsageUpdate,
    cost: Option<UsageCost>,
    response_id: Option<String>,
    finish: Option<StopReason>,
    error: Option<Failure>,
}

impl Assembler {
    /// An empty message. `id_prefix` begins the ids of calls to which the provider gave none; it
    /// must differ from message to message.
    pub fn new(id_prefix: &str) -> Self {
        Self {
            blocks: Vec::new(),
            committed: Vec::new(),
            calls: Vec::new(),
            batch: Batch::default(),
            id_stem: ["call_", id_prefix].concat(),
            ids: IdRegistry::new(None),
            usage: UsageUpdate::default(),
            cost: None,
            response_id: None,
            finish: None,
            error: None,
        }
    }

    /// These messages came before: no call gets an id of theirs. Some hosts count calls from 0 in
    /// every response.
    pub fn follow(&mut self, messages: &[Message]) {
        for message in messages {
            if let Message::Assistant(message) = message {
                for call in message.tool_calls() {
                    self.ids.claim(&call.id);
                }
            }
        }
    }

    /// Takes in one part. Parts behind an error are ignored.
    pub fn apply(&mut self, part: StreamPart) {
        if self.error.is_some() {
            return;
        }
        match part {
            StreamPart::Text(text) => self.grow(BlockKind::Text, &text),
            StreamPart::Thinking(text) => self.grow(BlockKind::Thinking, &text),
            StreamPart::TextSignature(signature) => self.sign(BlockKind::Text, &signature),
            StreamPart::ThinkingSignature(signature) => self.sign(BlockKind::Thinking, &signature),
            StreamPart::RedactedThinking(data) => {
                self.end_open_block();
                let block = self.open_block(BlockKind::Thinking);
                self.batch.push(Op::Redacted, block, &[]);
                self.batch.push(Op::ThinkingSignature, block, &[&data]);
                self.end_open_block();
            }
            StreamPart::BlockEnd => self.end_open_block(),
            StreamPart::ToolCallStart { key, id, name } => self.start_call(key, id, name),
            StreamPart::ToolCallDelta { key, json } => self.grow_call(key, &json),
            StreamPart::ToolCallSignature { key, signature } => {
                if let Some(pending) = self.calls.iter().find(|pending| pending.key == key) {
                    self.batch
                        .push(Op::ToolCallSignature, pending.call.block, &[&signature]);
                }
            }
            StreamPart::ToolCallEnd { key } => self.end_call(key),
            StreamPart::Image { data, mime_type } => {
                self.end_open_block();
                let block = self.add_block(BlockKind::Image, false);
                self.batch.push(Op::Image, block, &[&data, &mime_type]);
            }
            StreamPart::Usage(update) => self.count(update),
            StreamPart::Cost(cost) => self.cost = Some(cost),
            // The message begins with it.
            StreamPart::Origin(_) => {}
            StreamPart::ResponseId(id) => self.response_id = Some(id),
            StreamPart::Finish(reason) => self.finish = Some(reason),
            StreamPart::Error(error) => self.error = Some(error),
        }
    }

    /// Whether the response failed: nothing more is worth reading.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// What has been decided since the last [`Assembler::commit`].
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// The first `words` words of the batch were shown; the rest, if any, never will be. Forgets
    /// the batch, and every block that was not shown.
    pub fn commit(&mut self, words: usize) {
        if words < self.batch.words().len() {
            self.blocks.clone_from(&self.committed);
            for operation in self
                .batch
                .operations()
                .take_while(|operation| operation.word < words)
            {
                replay(&mut self.blocks, operation);
            }
            let shown = self.blocks.len() as u32;
            self.calls.retain(|pending| pending.call.block < shown);
        }
        self.committed.clone_from(&self.blocks);
        self.batch.clear();
    }

    /// The response failed or was aborted. The first error is kept, except that an abort counts
    /// over a failure that nobody has been told of yet.
    pub fn fail(&mut self, error: Failure) {
        if error.code == ErrorCode::Aborted {
            self.error = Some(error);
        } else {
            self.error.get_or_insert(error);
        }
    }

    /// Closes every block that is still open, in order, as operations of the batch.
    pub fn close(&mut self) {
        let open: Vec<(u32, BlockKind)> = (0u32..)
            .zip(&self.blocks)
            .filter(|(_, block)| block.open)
            .map(|(index, block)| (index, block.kind))
            .collect();
        for (index, kind) in open {
            self.end_block(index, kind);
        }
    }

    /// What the message came to. `cost` is the price of the model.
    pub fn finish(self, cost: Option<ModelCost>) -> Ending {
        let has_calls = !self.calls.is_empty();
        let error = self.error.or_else(|| failure(self.finish));
        let stop_reason = match (&error, self.finish) {
            (Some(error), _) if error.code == ErrorCode::Aborted => StopReason::Aborted,
            (Some(_), _) => StopReason::Error,
            (None, Some(StopReason::Length)) => StopReason::Length,
            (None, _) if has_calls => StopReason::ToolUse,
            (None, _) => StopReason::Stop,
        };
        Ending {
            stop_reason,
            error,
            usage: price(self.usage, cost, self.cost),
            response_id: self.response_id,
            calls: self.calls.into_iter().map(|pending| pending.call).collect(),
        }
    }

    fn add_block(&mut self, kind: BlockKind, open: bool) -> u32 {
        let index = self.blocks.len() as u32;
        self.blocks.push(Block { kind, open });
        index
    }

    /// The open block of this kind if it is the last one that is not a tool call; else a new one.
    fn open_block(&mut self, kind: BlockKind) -> u32 {
        if let Some((index, open_kind)) = self.open_text() {
            if open_kind == kind {
                return index;
            }
            self.end_block(index, open_kind);
        }
        let index = self.add_block(kind, true);
        let op = if kind == BlockKind::Text {
            Op::TextStart
        } else {
            Op::ThinkingStart
        };
        self.batch.push(op, index, &[]);
        index
    }

    /// The one text or thinking block that may be open.
    fn open_text(&self) -> Option<(u32, BlockKind)> {
        let is_open = |block: &Block| block.open && block.kind != BlockKind::ToolCall;
        let index = self.blocks.iter().rposition(is_open)?;
        Some((index as u32, self.blocks.get(index)?.kind))
    }

    fn end_open_block(&mut self) {
        if let Some((index, kind)) = self.open_text() {
            self.end_block(index, kind);
        }
    }

    fn end_block(&mut self, index: u32, kind: BlockKind) {
        if let Some(block) = self.blocks.get_mut(index as usize) {
            block.open = false;
        }
        match kind {
            BlockKind::Text => self.batch.push(Op::TextEnd, index, &[]),
            BlockKind::Thinking => self.batch.push(Op::ThinkingEnd, index, &[]),
            BlockKind::ToolCall => self.batch.push_path(Op::ToolCallEnd, index, "", |_| {}),
            BlockKind::Image => {}
        }
    }

    fn grow(&mut self, kind: BlockKind, text: &str) {
        if text.is_empty() {
            return;
        }
        let block = self.open_block(kind);
        let op = if kind == BlockKind::Text {
            Op::TextDelta
        } else {
            Op::ThinkingDelta
        };
        self.batch.push(op, block, &[text]);
    }

    fn sign(&mut self, kind: BlockKind, signature: &str) {
        let block = self.open_block(kind);
        let op = if kind == BlockKind::Text {
            Op::TextSignature
        } else {
            Op::ThinkingSignature
        };
        self.batch.push(op, block, &[signature]);
    }

    fn start_call(&mut self, key: u32, id: String, name: String) {
        self.end_open_block();
        // Ids pair calls with results, so no two calls share one.
        let id = if id.is_empty() { &self.id_stem } else { &id };
        let id = self.ids.assign(id).into_owned();
        let block = self.add_block(BlockKind::ToolCall, true);
        self.batch.push(Op::ToolCallStart, block, &[&id, &name]);
        let call = AssembledCall {
            id,
            name,
            block,
            json: String::new(),
        };
        self.calls.push(PendingCall {
            key,
            call,
            parser: PartialJson::new(),
        });
    }

    fn grow_call(&mut self, key: u32, json: &str) {
        if json.is_empty() {
            return;
        }
        let Some(pending) = open_call(&mut self.calls, &self.blocks, key) else {
            return;
        };
        pending.call.json.push_str(json);
        let parser = &mut pending.parser;
        self.batch
            .push_path(Op::ToolCallDelta, pending.call.block, json, |sink| {
                parser.push(json, sink)
            });
    }

    fn end_call(&mut self, key: u32) {
        let Some(pending) = open_call(&mut self.calls, &self.blocks, key) else {
            return;
        };
        let block = pending.call.block;
        let parser = &mut pending.parser;
        // An error is kept for the moment when the call would run; the view stays as it is.
        self.batch.push_path(Op::ToolCallEnd, block, "", |sink| {
            let _ = parser.finish(sink);
        });
        if let Some(block) = self.blocks.get_mut(block as usize) {
            block.open = false;
        }
    }

    fn count(&mut self, update: UsageUpdate) {
        let UsageUpdate {
            input,
            output,
            cache_read,
            cache_write,
        } = update;
        self.usage.input = input.or(self.usage.input);
        self.usage.output = output.or(self.usage.output);
        self.usage.cache_read = cache_read.or(self.usage.cache_read);
        self.usage.cache_write = cache_write.or(self.usage.cache_write);
    }
}

/// The call of this key while it may grow: what comes behind its end is not part of it.
fn open_call<'a>(
    calls: &'a mut [PendingCall],
    blocks: &[Block],
    key: u32,
) -> Option<&'a mut PendingCall> {
    let is_open = |block: u32| blocks.get(block as usize).is_some_and(|block| block.open);
    calls
        .iter_mut()
        .find(|pending| pending.key == key && is_open(pending.call.block))
}

/// What is wrong with a response that ends so and names no error.
fn failure(finish: Option<StopReason>) -> Option<Failure> {
    match finish {
        Some(StopReason::Stop | StopReason::Length | StopReason::ToolUse) => None,
        Some(StopReason::Error | StopReason::Aborted) => Some(ErrorInfo::new(
            ErrorCode::BadResponse,
            "The response failed and does not say why.",
        )),
        None => Some(ErrorInfo::new(
            ErrorCode::Truncated,
            "The response ended before it was complete.",
        )),
    }
}

impl AssembledCall {
    /// The arguments to run the tool with: only complete JSON yields any.
    ///
    /// # Errors
    /// When the text is not one complete JSON object.
    pub fn arguments(&self) -> Result<serde_json::Value, crate::text::partial_json::JsonError> {
        parse_arguments(&self.json)
    }
}

#[cfg(test)]
mod tests;
