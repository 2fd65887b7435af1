//! The operations of a batch → snapshots of the message and its events, as the page makes them.

use serde_json::Value;
use sluice_agent::agent::host::{Head, Tail};
use sluice_agent::assemble::{Op, Operation};
use sluice_agent::event::{
    AssistantMessageEvent as Event, ImageEndEvent, TextDeltaEvent, TextEndEvent, TextStartEvent,
    ThinkingDeltaEvent, ThinkingEndEvent, ThinkingStartEvent, ToolCallDeltaEvent, ToolCallEndEvent,
    ToolCallStartEvent,
};
use sluice_agent::message::{
    AssistantContentBlock as Block, AssistantMessage, ImageContent, TextContent, ThinkingContent,
    ToolCall,
};
use sluice_agent::text::partial_json::{PathOp, ValueBuilder};

/// One message that is being shown.
#[derive(Default)]
pub struct Mirror {
    pub message: AssistantMessage,
    arguments: Vec<Arguments>,
}

/// The arguments of the block at the same index.
#[derive(Default)]
struct Arguments {
    builder: ValueBuilder,
    in_string: bool,
}

/// The text of a batch, taken string by string.
pub struct Strings<'a>(pub &'a str);

impl<'a> Strings<'a> {
    fn take(&mut self, units: u32) -> &'a str {
        let mut rest = units as usize;
        let end = self
            .0
            .char_indices()
            .find(|(_, character)| {
                let done = rest == 0;
                rest -= character.len_utf16().min(rest);
                done
            })
            .map_or(self.0.len(), |(end, _)| end);
        let (string, after) = self.0.split_at(end);
        assert_eq!(string.encode_utf16().count(), units as usize);
        self.0 = after;
        string
    }
}

impl Mirror {
    pub fn start(head: Head) -> Self {
        let message = AssistantMessage {
            api: head.api,
            provider: head.provider,
            model: head.model,
            timestamp: head.timestamp,
            ..AssistantMessage::default()
        };
        Self {
            message,
            arguments: Vec::new(),
        }
    }

    pub fn end(self, tail: &Tail) -> AssistantMessage {
        let ending = tail.ending.clone();
        AssistantMessage {
            stop_reason: ending.stop_reason,
            error_message: ending.error.as_ref().map(|error| error.message.clone()),
            error: ending.error.map(|error| *error),
            usage: ending.usage,
            response_id: ending.response_id,
            duration_ms: Some(tail.duration_ms),
            ..self.message
        }
    }

    /// Carries out one operation. Signatures make no event.
    pub fn apply(&mut self, operation: &Operation<'_>, strings: &mut Strings<'_>) -> Option<Event> {
        let texts: Vec<&str> = operation
            .lengths
            .iter()
            .map(|length| strings.take(*length))
            .collect();
        let text = |index: usize| texts[index].to_owned();
        let content_index = operation.block;
        match operation.op {
            Op::TextStart => self.open(content_index, Block::Text(TextContent::default())),
            Op::ThinkingStart => {
                self.open(content_index, Block::Thinking(ThinkingContent::default()));
            }
            Op::ToolCallStart => {
                let call = ToolCall {
                    id: text(0),
                    name: text(1),
                    ..ToolCall::default()
                };
                self.open(content_index, Block::ToolCall(call));
            }
            Op::Image => {
                let image = ImageContent {
                    data: text(0),
                    mime_type: text(1),
                };
                self.open(content_index, Block::Image(image));
            }
            Op::ToolCallDelta | Op::ToolCallEnd => self.walk(operation, strings),
            _ => {}
        }
        match (operation.op, self.block(content_index)) {
            (Op::TextDelta, Block::Text(block)) => block.text.push_str(texts[0]),
            (Op::ThinkingDelta, Block::Thinking(block)) => block.thinking.push_str(texts[0]),
            (Op::TextSignature, Block::Text(block)) => block.text_signature = Some(text(0)),
            (Op::ThinkingSignature, Block::Thinking(block)) => {
                block.thinking_signature = Some(text(0));
            }
            (Op::Redacted, Block::Thinking(block)) => block.redacted = Some(true),
            (Op::ToolCallSignature, Block::ToolCall(block)) => {
                block.thought_signature = Some(text(0));
            }
            _ => {}
        }
        self.event(operation.op, content_index, texts.first().copied())
    }

    fn open(&mut self, index: u32, block: Block) {
        assert_eq!(index as usize, self.message.content.len());
        self.message.content.push(block);
        self.arguments.push(Arguments::default());
    }

    fn block(&mut self, index: u32) -> &mut Block {
        &mut self.message.content[index as usize]
    }

    /// The steps within the arguments of a call.
    fn walk(&mut self, operation: &Operation<'_>, strings: &mut Strings<'_>) {
        let arguments = &mut self.arguments[operation.block as usize];
        let mut path = operation.path.iter().copied();
        while let Some(step) = path.next() {
            let text = if (2..=5).contains(&step) {
                strings.take(path.next().expect("a length"))
            } else {
                ""
            };
            if arguments.in_string && step != 4 {
                arguments.builder.apply(PathOp::EndString);
            }
            arguments.in_string = matches!(step, 3 | 4);
            arguments.builder.apply(match step {
                0 => PathOp::OpenObject,
                1 => PathOp::OpenArray,
                2 => PathOp::Key(text),
                3 => PathOp::StartString(text),
                4 => PathOp::AppendString(text),
                5 => PathOp::Number(text),
                6 => PathOp::True,
                7 => PathOp::False,
                8 => PathOp::Null,
                9 => PathOp::Close,
                10 => PathOp::Reset,
                _ => panic!("step {step}"),
            });
        }
        let view = arguments.builder.view();
        if let (Block::ToolCall(call), Value::Object(view)) = (self.block(operation.block), view) {
            call.arguments = view;
        }
    }

    fn event(&mut self, op: Op, content_index: u32, delta: Option<&str>) -> Option<Event> {
        let partial = self.message.clone();
        let delta = delta.unwrap_or_default().to_owned();
        let block = self.block(content_index).clone();
        Some(match (op, block) {
            (Op::TextStart, _) => Event::TextStart(TextStartEvent {
                content_index,
                partial,
            }),
            (Op::TextDelta, _) => Event::TextDelta(TextDeltaEvent {
                content_index,
                delta,
                partial,
            }),
            (Op::TextEnd, Block::Text(block)) => Event::TextEnd(TextEndEvent {
                content_index,
                content: block.text,
                partial,
            }),
            (Op::ThinkingStart, _) => Event::ThinkingStart(ThinkingStartEvent {
                content_index,
                partial,
            }),
            (Op::ThinkingDelta, _) => Event::ThinkingDelta(ThinkingDeltaEvent {
                content_index,
                delta,
                partial,
            }),
            (Op::ThinkingEnd, Block::Thinking(block)) => Event::ThinkingEnd(ThinkingEndEvent {
                content_index,
                content: block.thinking,
                partial,
            }),
            (Op::ToolCallStart, _) => Event::ToolCallStart(ToolCallStartEvent {
                content_index,
                partial,
            }),
            (Op::ToolCallDelta, _) => Event::ToolCallDelta(ToolCallDeltaEvent {
                content_index,
                delta,
                partial,
            }),
            (Op::ToolCallEnd, Block::ToolCall(tool_call)) => Event::ToolCallEnd(ToolCallEndEvent {
                content_index,
                tool_call,
                partial,
            }),
            (Op::Image, Block::Image(content)) => Event::ImageEnd(ImageEndEvent {
                content_index,
                content,
                partial,
            }),
            (
                Op::TextSignature | Op::ThinkingSignature | Op::Redacted | Op::ToolCallSignature,
                _,
            ) => {
                return None;
            }
            (op, block) => panic!("{op:?} on {block:?}"),
        })
    }
}
