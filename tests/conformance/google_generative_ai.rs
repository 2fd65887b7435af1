//! The scenarios as the Gemini API sends them.

use serde_json::{Value, json};
use sluice_agent::model::Model;
use sluice_agent::protocol::Api;

use crate::scenario::{Answer, Scenario, Wire, cut_characters};

pub const WIRE: Wire = Wire {
    api: Api::GoogleGenerativeAi,
    model,
    answer,
    completes: |frame| frame.contains(r#""finishReason""#),
    replayed: &[r#""thoughtSignature":"U2ln""#],
    hands_over_all: false,
};

fn model() -> Model {
    Model {
        id: "gemini-3.1-pro-preview".into(),
        api: "google-generative-ai".into(),
        provider: Some("google".into()),
        ..Model::default()
    }
}

fn frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn parts(parts: Value) -> String {
    frame(
        &json!({ "candidates": [{ "index": 0, "content": { "role": "model", "parts": parts } }] }),
    )
}

fn text(text: &str) -> String {
    parts(json!([{ "text": text }]))
}

fn thinking(text: &str) -> String {
    parts(json!([{ "text": text, "thought": true }]))
}

fn call(id: Option<&str>, name: &str, arguments: Value) -> String {
    let mut call = json!({ "name": name, "args": arguments });
    if let Some(id) = id {
        call["id"] = id.into();
    }
    parts(json!([{ "functionCall": call }]))
}

/// The beginning of a call of `f` whose arguments stream: path, piece, and whether it goes on.
fn streamed_call(pieces: &[(&str, &str, bool)]) -> Vec<String> {
    let mut frames = vec![parts(
        json!([{ "functionCall": { "name": "f", "willContinue": true } }]),
    )];
    frames.extend(pieces.iter().map(|(path, piece, goes_on)| {
        let piece = json!({ "jsonPath": path, "stringValue": piece, "willContinue": goes_on });
        parts(json!([{ "functionCall": { "partialArgs": [piece], "willContinue": true } }]))
    }));
    frames
}

/// A call whose first argument gets no further than `ha`.
fn half_call(path: &str) -> Vec<String> {
    streamed_call(&[(path, "h", true), (path, "a", true)])
}

fn finish(reason: &str) -> String {
    frame(&json!({ "candidates": [{ "index": 0, "finishReason": reason }] }))
}

fn error() -> Value {
    json!({ "error": { "code": 503, "message": "Overloaded", "status": "UNAVAILABLE" } })
}

fn answer(scenario: Scenario) -> Answer {
    let frames = match scenario {
        Scenario::PlainText => {
            let usage =
                json!({ "promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11 });
            let last =
                json!({ "candidates": [{ "finishReason": "STOP" }], "usageMetadata": usage });
            vec![text("Hello, "), text("世界!"), frame(&last)]
        }
        Scenario::NoUsage => vec![text("Hello"), finish("STOP")],
        Scenario::ThinkingThenText => vec![
            thinking("Two "),
            thinking("and two."),
            text("Fo"),
            text("ur."),
            finish("STOP"),
        ],
        Scenario::OneCall => vec![
            text("I ask."),
            call(Some("c1"), "f", json!({ "city": "Paris", "days": [1, 2] })),
            finish("STOP"),
        ],
        Scenario::ParallelCalls => vec![
            call(None, "f", json!({ "x": 1 })),
            call(None, "g", json!({ "y": 2 })),
            finish("STOP"),
        ],
        Scenario::InterleavedCalls => {
            return Answer::Skip(
                "a call has no name or number by which a later part could continue it",
            );
        }
        Scenario::CallWithoutId => vec![call(None, "f", json!({ "q": 1 })), finish("STOP")],
        Scenario::CallWithoutArguments => vec![
            parts(json!([{ "functionCall": { "name": "f" } }])),
            finish("STOP"),
        ],
        Scenario::UnknownEvent => vec![
            frame(&json!({ "modelVersion": "m", "novelty": {} })),
            parts(json!([{ "novelty": { "a": 1 } }])),
            text("Hello"),
            finish("STOP"),
        ],
        Scenario::ErrorFirst => vec![frame(&error())],
        Scenario::ErrorBehindCall => vec![call(None, "f", json!({ "q": 1 })), frame(&error())],
        Scenario::ErrorInsideCall => [half_call("$.q"), vec![frame(&error())]].concat(),
        Scenario::MalformedFrame => vec![
            text("half"),
            "data: {\"candidates\":[{\"con\n\n".to_owned(),
            finish("STOP"),
        ],
        Scenario::ErrorBody => vec![json!([error()]).to_string()],
        Scenario::Refusal => vec![text("I"), finish("SAFETY")],
        Scenario::LengthInsideCall => [half_call("$.p"), vec![finish("MAX_TOKENS")]].concat(),
        Scenario::ThinkingReplay => vec![
            thinking("Hm."),
            parts(json!([{
                "functionCall": { "name": "f", "args": { "q": 1 } }, "thoughtSignature": "U2ln",
            }])),
            finish("STOP"),
        ],
        Scenario::CutCharacters => cut_characters(&[
            vec![thinking("a⟪"), thinking("⟫b"), text("a⟪"), text("⟫b")],
            streamed_call(&[("$.q", "a⟪", true), ("$.q", "⟫b", false)]),
            streamed_call(&[("$.p", "⟪", true), ("$.p", "⟫", false)]).split_off(1),
            vec![parts(json!([{ "functionCall": {} }])), finish("STOP")],
        ]),
        Scenario::ImageOut => vec![
            parts(json!([{ "inlineData": { "mimeType": "image/png", "data": "AA==" } }])),
            finish("STOP"),
        ],
    };
    Answer::Frames(frames)
}
