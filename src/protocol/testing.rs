//! What the tests of all wires need: frames for a decoder, and conversations for a request.

use serde_json::{Value, json};

use super::{Api, Context, Decoder, StreamPart};
use crate::model::{Model, RequestOptions};
use crate::text::json::from_text;
use crate::text::sse::Frame;

/// An event without a name.
pub(super) fn frame(data: &str) -> Frame<'_> {
    Frame {
        event: "",
        data,
        is_whole: true,
    }
}

/// An event that the end of the body cut.
pub(super) fn cut(data: &str) -> Frame<'_> {
    Frame {
        is_whole: false,
        ..frame(data)
    }
}

/// An event with the name `error`.
pub(super) fn error_event(data: &str) -> Frame<'_> {
    Frame {
        event: "error",
        ..frame(data)
    }
}

/// What a response says: its payloads, and the end of its body.
pub(super) fn read<S: AsRef<str>>(api: Api, payloads: &[S]) -> Vec<StreamPart> {
    let mut decoder = api.decoder();
    let mut parts = Vec::new();
    for payload in payloads {
        decoder.on_frame(frame(payload.as_ref()), &mut parts);
    }
    end(decoder, &mut parts);
    parts
}

/// What a body says that is one document.
pub(super) fn read_body(api: Api, body: &str) -> Vec<StreamPart> {
    let mut decoder = api.decoder();
    let mut parts = Vec::new();
    decoder.on_whole_body(body, &mut parts);
    end(decoder, &mut parts);
    parts
}

/// Ends the body: whatever came, it is known how the answer ended.
pub(super) fn end(mut decoder: Decoder, parts: &mut Vec<StreamPart>) {
    decoder.finish(parts);
    assert!(decoder.is_complete());
    let ends = |part: &&StreamPart| matches!(part, StreamPart::Finish(_) | StreamPart::Error(_));
    assert!(parts.last().is_some_and(|part| ends(&part)), "{parts:?}");
}

/// The model `m`, and what else there is to say of it.
pub(super) fn model(api: Api, extra: Value) -> Model {
    let mut model = json!({ "id": "m", "api": api.name() });
    for (name, value) in extra.as_object().unwrap() {
        model[name] = value.clone();
    }
    from_text(&model.to_string()).unwrap()
}

pub(super) fn context(messages: Value) -> Context {
    Context {
        messages: from_text(&messages.to_string()).unwrap(),
        ..Context::default()
    }
}

pub(super) fn hello() -> Context {
    context(json!([user("Hello")]))
}

/// The body of a request.
pub(super) fn sent(model: &Model, context: &Context, options: &RequestOptions) -> Value {
    let api = Api::of(model, options).unwrap();
    let (mut context, mut options) = (context.clone(), options.clone());
    let request = api.encode(model, &mut context, &mut options);
    serde_json::from_str(&request.unwrap().body).unwrap()
}

pub(super) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// What the model `m` of the protocol's own provider said.
pub(super) fn turn(api: Api, stop_reason: &str, content: Value) -> Value {
    json!({
        "role": "assistant", "api": api.name(), "provider": api.default_provider(), "model": "m",
        "stopReason": stop_reason, "content": content,
    })
}

pub(super) fn result(id: &str, content: Value) -> Value {
    json!({ "role": "toolResult", "toolCallId": id, "toolName": "f", "content": content })
}

/// Content that is one text.
pub(super) fn said(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

pub(super) fn image() -> Value {
    json!({ "type": "image", "data": "AA==", "mimeType": "image/png" })
}
