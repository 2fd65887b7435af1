//! What comes of frames: the message, what would run, and the next request.

use serde_json::{Value, json};
use sluice_agent::assemble::{Assembler, Ending};
use sluice_agent::error::ErrorCode;
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, ImageContent, Message, StopReason, TextContent,
    ToolResultMessage, UserContent, UserContentBlock, UserMessage,
};
use sluice_agent::model::{InputKind, Model, Proxy, RequestOptions, ToolDefinition};
use sluice_agent::protocol::{Api, Context, StreamPart};

use crate::scenario::Wire;
use crate::support::decode;
use crate::support::fold::fold;
use crate::support::wire::check_request;

/// A response that is over.
pub struct Outcome {
    pub message: AssistantMessage,
    pub ending: Ending,
}

/// Reads the frames at once.
pub fn read(api: Api, frames: &[String]) -> Outcome {
    let body = frames.concat();
    Outcome::new(api, decode(api.decoder(), [body.as_bytes()]))
}

/// Reads a body that is no stream.
pub fn read_whole_body(api: Api, body: &str) -> Outcome {
    let mut parts = Vec::new();
    api.decoder().on_whole_body(body, &mut parts);
    Outcome::new(api, parts)
}

/// However the frames are cut, the parts are the same.
pub fn read_with_cuts(api: Api, frames: &[String]) {
    let body = frames.concat();
    let whole = decode(api.decoder(), [body.as_bytes()]);
    let bytes = body.as_bytes().chunks(1);
    assert_eq!(decode(api.decoder(), bytes), whole, "{api:?} by bytes");
    for cut in 0..body.len() {
        let (head, tail) = body.as_bytes().split_at(cut);
        assert_eq!(decode(api.decoder(), [head, tail]), whole, "{api:?} {cut}");
    }
}

impl Outcome {
    fn new(api: Api, parts: Vec<StreamPart>) -> Self {
        let message = fold(api, &parts);
        let mut assembler = Assembler::new("made");
        for part in parts {
            assembler.apply(part);
        }
        assembler.close();
        let ending = assembler.finish(None);
        let message = AssistantMessage {
            stop_reason: ending.stop_reason,
            ..message
        };
        Self { message, ending }
    }

    pub fn error(&self) -> Option<(ErrorCode, bool)> {
        let error = self.ending.error.as_ref()?;
        Some((error.code, error.retryable))
    }

    /// The blocks, without what is opaque.
    pub fn blocks(&self) -> Vec<Value> {
        let block = |block: &AssistantContentBlock| match block {
            AssistantContentBlock::Text(block) => json!({ "text": block.text }),
            AssistantContentBlock::Thinking(block) => json!({ "thinking": block.thinking }),
            AssistantContentBlock::ToolCall(call) => {
                json!({ "call": call.name, "arguments": call.arguments })
            }
            AssistantContentBlock::Image(image) => {
                json!({ "image": image.mime_type, "data": image.data })
            }
        };
        self.message.content.iter().map(block).collect()
    }

    /// The calls that an agent would run, with the arguments it would run them with.
    pub fn runs(&self) -> Vec<(String, Value)> {
        if self.ending.stop_reason != StopReason::ToolUse {
            return Vec::new();
        }
        let calls = self.ending.calls.iter();
        calls
            .filter_map(|call| Some((call.name.clone(), call.arguments().ok()?)))
            .collect()
    }
}

/// The body of the request that follows an answer: its calls are answered, the user goes on.
pub fn next_request(wire: Wire, outcome: &Outcome) -> String {
    next_request_of(wire, outcome, &(wire.model)().id)
}

/// The same, to a model with this id.
pub fn next_request_of(wire: Wire, outcome: &Outcome, id: &str) -> String {
    let made_by = (wire.model)();
    let answer = AssistantMessage {
        api: made_by.api.clone(),
        model: made_by.id.clone(),
        provider: made_by.provider.clone().expect("a provider"),
        ..outcome.message.clone()
    };
    let mut messages = vec![user("Hi"), Message::Assistant(answer.clone())];
    for call in answer.tool_calls() {
        messages.push(result(&call.id, &call.name, vec![text_block("18")]));
    }
    if answer.tool_calls().next().is_none() {
        messages.push(user("Go on."));
    }
    let model = Model {
        id: id.to_owned(),
        ..made_by
    };
    request(wire, &model, messages)
}

/// The body of a request with an image of the user's and one of a tool's.
pub fn request_with_images(wire: Wire) -> String {
    let image = |data: &str| {
        UserContentBlock::Image(ImageContent {
            data: data.into(),
            mime_type: "image/png".into(),
        })
    };
    let model = Model {
        input: Some(vec![InputKind::Text, InputKind::Image]),
        ..(wire.model)()
    };
    let call = AssistantContentBlock::ToolCall(sluice_agent::message::ToolCall {
        id: "call_1".into(),
        name: "f".into(),
        ..Default::default()
    });
    let answer = AssistantMessage {
        content: vec![call],
        api: model.api.clone(),
        provider: "another".into(),
        model: model.id.clone(),
        stop_reason: StopReason::ToolUse,
        ..AssistantMessage::default()
    };
    let messages = vec![
        Message::User(UserMessage {
            content: UserContent::Blocks(vec![text_block("Look:"), image("aW1hZ2Ux")]),
            timestamp: 0.0,
        }),
        Message::Assistant(answer),
        result("call_1", "f", vec![image("aW1hZ2Uy")]),
    ];
    request(wire, &model, messages)
}

fn request(wire: Wire, model: &Model, messages: Vec<Message>) -> String {
    let mut context = Context {
        messages,
        tools: ["f", "g"].map(tool).to_vec(),
        ..Context::default()
    };
    let mut options = RequestOptions {
        proxy: (wire.api == Api::Proxy).then(Proxy::default),
        ..RequestOptions::default()
    };
    let request = wire.api.encode(model, &mut context, &mut options);
    let body = request.expect("a request").body;
    check_request(wire.api, &body);
    body
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: "A tool.".into(),
        parameters: json!({ "type": "object", "properties": {} }),
    }
}

fn user(text: &str) -> Message {
    Message::User(UserMessage {
        content: UserContent::Text(text.into()),
        timestamp: 0.0,
    })
}

fn text_block(text: &str) -> UserContentBlock {
    UserContentBlock::Text(TextContent {
        text: text.into(),
        text_signature: None,
    })
}

fn result(id: &str, name: &str, content: Vec<UserContentBlock>) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: name.into(),
        content,
        details: Value::Null,
        is_error: false,
        timestamp: 0.0,
        duration_ms: None,
    })
}
