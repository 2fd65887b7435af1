//! The app's own source of responses: `AssistantMessageEvent`s of any async iterable, as parts.
//!
//! Whatever such a source does with its `partial` objects does not matter: the message is assembled
//! anew from deltas, so that its snapshots obey the same laws as those of a built-in protocol.

use js_sys::{Function, Reflect, Symbol};
use wasm_bindgen::prelude::*;

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::js::{error, task, transcript, value};
use crate::message::{StopReason, Usage};
use crate::protocol::{StreamPart, UsageUpdate};
use crate::text::json::{FromJson, Reader, to_text};

/// A response that the app's `streamFn` makes. Dropping it tells the source to stop.
#[derive(Debug)]
pub(super) struct AppStream {
    source: JsValue,
    iterator: JsValue,
    /// By content index: what the block's deltas came to so far.
    blocks: Vec<(u32, Block)>,
    calls: u32,
    is_over: bool,
}

#[derive(Debug)]
enum Block {
    Text { is_empty: bool },
    Thinking { is_empty: bool },
    Call { key: u32, is_empty: bool },
}

fn failed(problem: impl Into<String>) -> Failure {
    ErrorInfo::new(ErrorCode::StreamFn, problem)
}

impl AppStream {
    /// Takes up the value that `streamFn` returned.
    pub(super) fn open(source: JsValue) -> Result<Self, Failure> {
        let make = Reflect::get(&source, &Symbol::async_iterator())
            .ok()
            .and_then(value::as_function)
            .ok_or_else(|| {
                failed(format!(
                    "streamFn returned {} in place of an async iterable of AssistantMessageEvents.",
                    value::kind(&source)
                ))
            })?;
        let iterator = make
            .call0(&source)
            .map_err(|thrown| failed(thrown_by_source(&thrown)))?;
        Ok(Self {
            source,
            iterator,
            blocks: Vec::new(),
            calls: 0,
            is_over: false,
        })
    }

    /// Appends what the source says next; false at its end.
    pub(super) async fn next(&mut self, parts: &mut Vec<StreamPart>) -> Result<bool, Failure> {
        let next = self
            .method("next")
            .ok_or_else(|| failed("The iterator of streamFn has no next method."))?;
        let step = value::call(&next, &self.iterator, &[])
            .await
            .map_err(|thrown| failed(thrown_by_source(&thrown)))?;
        if !value::get(&step, "done").is_truthy() {
            self.read(&value::get(&step, "value"), parts)?;
            return Ok(!self.is_over);
        }
        self.is_over = true;
        // A source may end without `done` when it has a result to ask for.
        let result = value::as_function(value::get(&self.source, "result"));
        let Some(result) = result else {
            return Err(failed(
                "The stream of streamFn ended without a done or error event.",
            ));
        };
        let message = value::call(&result, &self.source, &[])
            .await
            .map_err(|thrown| failed(thrown_by_source(&thrown)))?;
        self.finish(&message, parts)?;
        Ok(false)
    }

    fn method(&self, name: &str) -> Option<Function> {
        value::as_function(value::get(&self.iterator, name))
    }

    fn read(&mut self, event: &JsValue, parts: &mut Vec<StreamPart>) -> Result<(), Failure> {
        let kind = value::get_string(event, "type").unwrap_or_default();
        match kind.as_str() {
            "text_start" | "thinking_start" | "toolcall_start" => {
                self.block(event, &kind, parts)?;
            }
            "text_delta" | "thinking_delta" | "toolcall_delta" => {
                let delta = value::get_string(event, "delta").unwrap_or_default();
                self.block(event, &kind, parts)?.grow(delta, parts);
            }
            "text_end" | "thinking_end" => {
                let content = value::get_string(event, "content").unwrap_or_default();
                let block = self.block(event, &kind, parts)?;
                if block.is_empty() {
                    block.grow(content, parts);
                }
                self.sign(event, parts);
                parts.push(StreamPart::BlockEnd);
            }
            "toolcall_end" => {
                let arguments = value::get(&value::get(event, "toolCall"), "arguments");
                let block = self.block(event, &kind, parts)?;
                if block.is_empty() {
                    let json: Result<serde_json::Value, String> = transcript::read(&arguments);
                    block.grow(to_text(&json.map_err(failed)?), parts);
                }
                if let Block::Call { key, .. } = block {
                    parts.push(StreamPart::ToolCallEnd { key: *key });
                }
            }
            "image_end" => {
                let content = value::get(event, "content");
                parts.push(StreamPart::Image {
                    data: value::get_string(&content, "data").unwrap_or_default(),
                    mime_type: value::get_string(&content, "mimeType").unwrap_or_default(),
                });
            }
            "done" => {
                self.is_over = true;
                self.finish(&value::get(event, "message"), parts)?;
            }
            "error" => {
                self.is_over = true;
                self.finish(&value::get(event, "error"), parts)?;
            }
            // `start`, and events of a later version.
            _ => {}
        }
        Ok(())
    }

    /// The block of an event; begins it where the source did not.
    fn block(
        &mut self,
        event: &JsValue,
        kind: &str,
        parts: &mut Vec<StreamPart>,
    ) -> Result<&mut Block, Failure> {
        let index = value::get(event, "contentIndex")
            .as_f64()
            .ok_or_else(|| failed(format!("The {kind} event of streamFn has no contentIndex.")))?
            as u32;
        let known = self.blocks.iter().position(|(known, _)| *known == index);
        let place = known.unwrap_or(self.blocks.len());
        if known.is_none() {
            let block = self.begin(event, kind, index, parts);
            self.blocks.push((index, block));
        }
        let block = self.blocks.get_mut(place).map(|(_, block)| block);
        block.ok_or_else(|| failed("A block of streamFn was lost."))
    }

    fn begin(
        &mut self,
        event: &JsValue,
        kind: &str,
        index: u32,
        parts: &mut Vec<StreamPart>,
    ) -> Block {
        if kind.starts_with("text") {
            parts.push(StreamPart::BlockEnd);
            return Block::Text { is_empty: true };
        }
        if kind.starts_with("thinking") {
            parts.push(StreamPart::BlockEnd);
            return Block::Thinking { is_empty: true };
        }
        let key = self.calls;
        self.calls += 1;
        let call = match value::get(event, "toolCall") {
            call if call.is_object() => call,
            _ => nth_block(&value::get(event, "partial"), index),
        };
        parts.push(StreamPart::ToolCallStart {
            key,
            id: value::get_string(&call, "id").unwrap_or_default(),
            name: value::get_string(&call, "name").unwrap_or_default(),
        });
        Block::Call {
            key,
            is_empty: true,
        }
    }

    /// Signatures come with the block at its end.
    fn sign(&self, event: &JsValue, parts: &mut Vec<StreamPart>) {
        let index = value::get(event, "contentIndex")
            .as_f64()
            .unwrap_or_default() as u32;
        let block = nth_block(&value::get(event, "partial"), index);
        if let Some(signature) = value::get_string(&block, "textSignature") {
            parts.push(StreamPart::TextSignature(signature));
        }
        if let Some(signature) = value::get_string(&block, "thinkingSignature") {
            parts.push(StreamPart::ThinkingSignature(signature));
        }
    }

    fn finish(&mut self, message: &JsValue, parts: &mut Vec<StreamPart>) -> Result<(), Failure> {
        let told: FinalMessage = transcript::read(&value::object(&[
            ("stopReason", &value::get(message, "stopReason")),
            ("usage", &value::get(message, "usage")),
            ("responseId", &value::get(message, "responseId")),
            ("errorMessage", &value::get(message, "errorMessage")),
            ("error", &value::get(message, "error")),
        ]))
        .map_err(|problem| {
            failed(format!(
                "The final message of streamFn is not an AssistantMessage: {problem}."
            ))
        })?;
        if self.blocks.is_empty()
            && matches!(
                told.stop_reason,
                StopReason::Stop | StopReason::ToolUse | StopReason::Length
            )
        {
            self.read_content(&value::get(message, "content"), parts)?;
        }
        if let Some(id) = told.response_id {
            parts.push(StreamPart::ResponseId(id));
        }
        let Usage {
            input,
            output,
            cache_read,
            cache_write,
            ..
        } = told.usage;
        parts.push(StreamPart::Usage(UsageUpdate {
            input: Some(input),
            output: Some(output),
            cache_read: Some(cache_read),
            cache_write: Some(cache_write),
        }));
        let text = told.error_message;
        parts.push(match told.stop_reason {
            StopReason::Error => StreamPart::Error(told.error.unwrap_or_else(|| {
                failed(text.unwrap_or_else(|| {
                    "The stream of streamFn failed without a message.".to_owned()
                }))
            })),
            StopReason::Aborted => {
                let mut failure = ErrorInfo::aborted();
                if let Some(text) = text {
                    failure.message = text;
                }
                StreamPart::Error(failure)
            }
            reason => StreamPart::Finish(reason),
        });
        Ok(())
    }

    /// A source that gave only a final message: its blocks are all there is.
    fn read_content(
        &mut self,
        content: &JsValue,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), Failure> {
        for (index, block) in value::items(content).into_iter().enumerate() {
            let kind = match value::get_string(&block, "type").as_deref() {
                Some("text") => "text_end",
                Some("thinking") => "thinking_end",
                Some("toolCall") => "toolcall_end",
                Some("image") => "image_end",
                _ => continue,
            };
            let text = match kind {
                "text_end" => value::get(&block, "text"),
                "thinking_end" => value::get(&block, "thinking"),
                _ => block.clone(),
            };
            let message = value::object(&[("content", content)]);
            self.read(
                &value::object(&[
                    ("type", &kind.into()),
                    ("contentIndex", &(index as u32).into()),
                    ("content", &text),
                    ("toolCall", &block),
                    ("partial", &message),
                ]),
                parts,
            )?;
        }
        Ok(())
    }
}

/// What counts of a final message.
struct FinalMessage {
    stop_reason: StopReason,
    usage: Usage,
    response_id: Option<String>,
    error_message: Option<String>,
    error: Option<Failure>,
}

impl FromJson for FinalMessage {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            stop_reason: reader.field("stopReason"),
            usage: reader.or_default("usage"),
            response_id: reader.optional("responseId"),
            error_message: reader.optional("errorMessage"),
            error: reader.optional("error"),
        }
    }
}

impl Block {
    fn is_empty(&self) -> bool {
        match self {
            Self::Text { is_empty } | Self::Thinking { is_empty } | Self::Call { is_empty, .. } => {
                *is_empty
            }
        }
    }

    fn grow(&mut self, delta: String, parts: &mut Vec<StreamPart>) {
        match self {
            Self::Text { is_empty } => {
                *is_empty = false;
                parts.push(StreamPart::Text(delta));
            }
            Self::Thinking { is_empty } => {
                *is_empty = false;
                parts.push(StreamPart::Thinking(delta));
            }
            Self::Call { key, is_empty } => {
                *is_empty = false;
                parts.push(StreamPart::ToolCallDelta {
                    key: *key,
                    json: delta,
                });
            }
        }
    }
}

fn nth_block(message: &JsValue, index: u32) -> JsValue {
    Reflect::get_u32(&value::get(message, "content"), index).unwrap_or(JsValue::UNDEFINED)
}

fn thrown_by_source(thrown: &JsValue) -> String {
    format!("streamFn failed: {}.", error::describe(thrown))
}

impl Drop for AppStream {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if let Some(stop) = self.method("return")
            && let Ok(stopped) = stop.call0(&self.iterator)
        {
            task::spawn(async move {
                // The source is free to fail at being stopped.
                let _ = value::settle(stopped).await;
            });
        }
    }
}
