//! The scenarios as a backend passes them on.

use serde_json::{Value, json};
use sluice_agent::model::Model;
use sluice_agent::protocol::Api;

use crate::scenario::{Answer, Scenario, Wire, cut_characters};

pub const WIRE: Wire = Wire {
    api: Api::Proxy,
    model,
    answer,
    completes: |frame| frame.contains(r#""type":"done""#),
    replayed: &[
        r#""thinking":"Hm.","thinkingSignature":"sig-thinking""#,
        r#""thoughtSignature":"sig-call""#,
    ],
    hands_over_all: true,
};

fn model() -> Model {
    Model {
        id: "m".into(),
        api: "anthropic-messages".into(),
        provider: Some("anthropic".into()),
        ..Model::default()
    }
}

fn frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn block(kind: &str, index: u32) -> String {
    frame(&json!({ "type": kind, "contentIndex": index }))
}

fn delta(kind: &str, index: u32, delta: &str) -> String {
    let kind = [kind, "_delta"].concat();
    frame(&json!({ "type": kind, "contentIndex": index, "delta": delta }))
}

/// A block of text or thinking with these pieces.
fn written(kind: &str, index: u32, pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![block(&[kind, "_start"].concat(), index)];
    frames.extend(pieces.iter().map(|piece| delta(kind, index, piece)));
    frames.push(block(&[kind, "_end"].concat(), index));
    frames
}

fn begin(index: u32, id: &str, name: &str) -> String {
    frame(&json!({ "type": "toolcall_start", "contentIndex": index, "id": id, "toolName": name }))
}

/// A whole call with these pieces.
fn call(index: u32, id: &str, name: &str, pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![begin(index, id, name)];
    frames.extend(pieces.iter().map(|piece| delta("toolcall", index, piece)));
    frames.push(block("toolcall_end", index));
    frames
}

fn done(reason: &str) -> Vec<String> {
    vec![frame(&json!({ "type": "done", "reason": reason }))]
}

fn error(code: &str, retryable: bool) -> Vec<String> {
    vec![frame(&json!({
        "type": "error", "reason": "error", "errorMessage": "No.",
        "error": { "code": code, "message": "No.", "retryable": retryable },
    }))]
}

fn answer(scenario: Scenario) -> Answer {
    let start = vec![frame(&json!({ "type": "start" }))];
    let frames = match scenario {
        Scenario::PlainText => {
            let usage = json!({ "input": 9, "output": 2, "cacheRead": 0, "cacheWrite": 0 });
            let end = frame(&json!({ "type": "done", "reason": "stop", "usage": usage }));
            [written("text", 0, &["Hello, ", "世界!"]), vec![end]].concat()
        }
        Scenario::NoUsage => [written("text", 0, &["Hello"]), done("stop")].concat(),
        Scenario::ThinkingThenText => [
            written("thinking", 0, &["Two ", "and two."]),
            written("text", 1, &["Fo", "ur."]),
            done("stop"),
        ]
        .concat(),
        Scenario::OneCall => [
            written("text", 0, &["I ask."]),
            call(
                1,
                "call_1",
                "f",
                &[r#"{"city":"Pa"#, r#"ris","days":[1"#, ",2]}"],
            ),
            done("toolUse"),
        ]
        .concat(),
        Scenario::ParallelCalls => [
            call(0, "call_1", "f", &[r#"{"x":1}"#]),
            call(1, "call_2", "g", &[r#"{"y":2}"#]),
            done("toolUse"),
        ]
        .concat(),
        Scenario::InterleavedCalls => [
            vec![
                begin(0, "call_1", "f"),
                begin(1, "call_2", "g"),
                delta("toolcall", 1, r#"{"y":"#),
                delta("toolcall", 0, r#"{"x":"#),
                delta("toolcall", 1, "2}"),
                delta("toolcall", 0, "1}"),
                block("toolcall_end", 1),
                block("toolcall_end", 0),
            ],
            done("toolUse"),
        ]
        .concat(),
        Scenario::CallWithoutId => return Answer::Skip("a backend of Sluice makes the id"),
        Scenario::CallWithoutArguments => [call(0, "call_1", "f", &[]), done("toolUse")].concat(),
        Scenario::UnknownEvent => [
            vec![
                block("video_start", 0),
                frame(&json!({ "type": "novelty" })),
            ],
            written("text", 1, &["Hello"]),
            done("stop"),
        ]
        .concat(),
        Scenario::ErrorFirst => error("overloaded", true),
        Scenario::ErrorBehindCall => [
            call(0, "call_1", "f", &[r#"{"q":1}"#]),
            error("overloaded", true),
        ]
        .concat(),
        Scenario::ErrorInsideCall => [
            vec![begin(0, "call_1", "f"), delta("toolcall", 0, r#"{"q":"ha"#)],
            error("overloaded", true),
        ]
        .concat(),
        Scenario::MalformedFrame => [
            written("text", 0, &["half"]),
            vec!["data: {\"type\":\"text_st\n\n".to_owned()],
            done("stop"),
        ]
        .concat(),
        Scenario::ErrorBody => {
            let body = json!({ "error": { "message": "Overloaded", "code": 503 } });
            return Answer::Frames(vec![body.to_string()]);
        }
        Scenario::Refusal => [written("text", 0, &["I"]), error("refused", false)].concat(),
        Scenario::LengthInsideCall => {
            [call(0, "call_1", "f", &[r#"{"p":"ha"#]), done("length")].concat()
        }
        Scenario::ThinkingReplay => {
            let signed = |kind: &str, index: u32, signature: &str| {
                frame(
                    &json!({ "type": kind, "contentIndex": index, "contentSignature": signature }),
                )
            };
            [
                vec![
                    block("thinking_start", 0),
                    delta("thinking", 0, "Hm."),
                    signed("thinking_end", 0, "sig-thinking"),
                    begin(1, "call_1", "f"),
                    delta("toolcall", 1, r#"{"q":1}"#),
                    signed("toolcall_end", 1, "sig-call"),
                ],
                done("toolUse"),
            ]
            .concat()
        }
        Scenario::CutCharacters => cut_characters(&[
            written("thinking", 0, &["a⟪", "⟫b"]),
            written("text", 1, &["a⟪", "⟫b"]),
            call(
                2,
                "call_1",
                "f",
                &[r#"{"q":"a⟪"#, r#"⟫b","p":"\ud83d"#, r#"\ude42"}"#],
            ),
            done("toolUse"),
        ]),
        Scenario::ImageOut => {
            let content = json!({ "type": "image", "data": "AA==", "mimeType": "image/png" });
            let image = json!({ "type": "image_end", "contentIndex": 0, "content": content });
            [vec![frame(&image)], done("stop")].concat()
        }
    };
    Answer::Frames([start, frames].concat())
}
