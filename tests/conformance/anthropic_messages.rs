//! The scenarios as the Messages API sends them.

use serde_json::{Value, json};
use sluice_agent::model::Model;
use sluice_agent::protocol::Api;

use crate::scenario::{Answer, Scenario, Wire, cut_characters};

pub const WIRE: Wire = Wire {
    api: Api::AnthropicMessages,
    model,
    answer,
    completes: |frame| frame.contains(r#""type":"message_stop""#),
    replayed: &[r#""thinking":"Hm.""#, r#""signature":"c2lnbmF0dXJl""#],
    hands_over_all: false,
};

fn model() -> Model {
    Model {
        id: "claude-sonnet-4-5".into(),
        api: "anthropic-messages".into(),
        provider: Some("anthropic".into()),
        ..Model::default()
    }
}

fn frame(event: &Value) -> String {
    format!(
        "event: {}\ndata: {event}\n\n",
        event["type"].as_str().expect("a type")
    )
}

fn begin(usage: &Value) -> String {
    frame(&json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "stop_reason": null, "usage": usage,
    } }))
}

fn start(index: u32, block: Value) -> String {
    frame(&json!({ "type": "content_block_start", "index": index, "content_block": block }))
}

fn delta(index: u32, kind: &str, text: &str) -> String {
    let member = match kind {
        "input_json_delta" => "partial_json",
        _ => kind.trim_end_matches("_delta"),
    };
    frame(&json!({
        "type": "content_block_delta", "index": index, "delta": { "type": kind, member: text },
    }))
}

fn stop(index: u32) -> String {
    frame(&json!({ "type": "content_block_stop", "index": index }))
}

fn text(index: u32, pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![start(index, json!({ "type": "text", "text": "" }))];
    frames.extend(pieces.iter().map(|piece| delta(index, "text_delta", piece)));
    frames.push(stop(index));
    frames
}

fn thinking(pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![start(
        0,
        json!({ "type": "thinking", "thinking": "", "signature": "" }),
    )];
    frames.extend(pieces.iter().map(|piece| delta(0, "thinking_delta", piece)));
    frames.extend([delta(0, "signature_delta", "c2lnbmF0dXJl"), stop(0)]);
    frames
}

fn begin_call(index: u32, id: &str, name: &str) -> String {
    start(
        index,
        json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
    )
}

fn piece(index: u32, json: &str) -> String {
    delta(index, "input_json_delta", json)
}

fn call(index: u32, id: &str, name: &str, pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![begin_call(index, id, name)];
    frames.extend(pieces.iter().map(|json| piece(index, json)));
    frames.push(stop(index));
    frames
}

fn end(reason: &str) -> Vec<String> {
    vec![
        frame(&json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": {} })),
        frame(&json!({ "type": "message_stop" })),
    ]
}

fn error() -> Value {
    json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } })
}

fn answer(scenario: Scenario) -> Answer {
    let frames = match scenario {
        Scenario::PlainText => {
            let usage = json!({ "output_tokens": 2 });
            let last = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": usage });
            return Answer::Frames(
                [
                    vec![begin(&json!({ "input_tokens": 9, "output_tokens": 1 }))],
                    text(0, &["Hello, ", "世界!"]),
                    vec![frame(&last), frame(&json!({ "type": "message_stop" }))],
                ]
                .concat(),
            );
        }
        Scenario::NoUsage => [text(0, &["Hello"]), end("end_turn")].concat(),
        Scenario::ThinkingThenText => [
            thinking(&["Two ", "and two."]),
            text(1, &["Fo", "ur."]),
            end("end_turn"),
        ]
        .concat(),
        Scenario::OneCall => [
            text(0, &["I ask."]),
            call(
                1,
                "toolu_1",
                "f",
                &["", r#"{"city":"Pa"#, r#"ris","days":[1"#, ",2]}"],
            ),
            end("tool_use"),
        ]
        .concat(),
        Scenario::ParallelCalls => [
            call(0, "toolu_1", "f", &[r#"{"x":1}"#]),
            call(1, "toolu_2", "g", &[r#"{"y":2}"#]),
            end("tool_use"),
        ]
        .concat(),
        Scenario::InterleavedCalls => [
            vec![
                begin_call(0, "toolu_1", "f"),
                begin_call(1, "toolu_2", "g"),
                piece(1, r#"{"y":"#),
                piece(0, r#"{"x":"#),
                piece(1, "2}"),
                piece(0, "1}"),
                stop(1),
                stop(0),
            ],
            end("tool_use"),
        ]
        .concat(),
        Scenario::CallWithoutId => return Answer::Skip("every tool_use block has an id"),
        Scenario::CallWithoutArguments => {
            [call(0, "toolu_1", "f", &[""]), end("tool_use")].concat()
        }
        Scenario::UnknownEvent => [
            vec![
                frame(&json!({ "type": "novelty", "index": 0 })),
                frame(&json!({ "type": "ping" })),
            ],
            text(0, &["Hello"]),
            end("end_turn"),
        ]
        .concat(),
        Scenario::ErrorFirst => vec![frame(&error())],
        Scenario::ErrorBehindCall => [
            call(0, "toolu_1", "f", &[r#"{"q":1}"#]),
            vec![frame(&error())],
        ]
        .concat(),
        Scenario::ErrorInsideCall => vec![
            begin_call(0, "toolu_1", "f"),
            piece(0, r#"{"q":"ha"#),
            frame(&error()),
        ],
        Scenario::MalformedFrame => [
            text(0, &["half"]),
            vec!["event: content_block_start\ndata: {\"type\":\"content_bl\n\n".to_owned()],
            end("end_turn"),
        ]
        .concat(),
        Scenario::ErrorBody => return Answer::Frames(vec![error().to_string()]),
        Scenario::Refusal => [text(0, &["I"]), end("refusal")].concat(),
        Scenario::LengthInsideCall => {
            [call(0, "toolu_1", "f", &[r#"{"p":"ha"#]), end("max_tokens")].concat()
        }
        Scenario::ThinkingReplay => [
            thinking(&["Hm."]),
            call(1, "toolu_1", "f", &[r#"{"q":1}"#]),
            end("tool_use"),
        ]
        .concat(),
        Scenario::CutCharacters => cut_characters(&[
            thinking(&["a⟪", "⟫b"]),
            text(1, &["a⟪", "⟫b"]),
            call(
                2,
                "toolu_1",
                "f",
                &[r#"{"q":"a⟪"#, r#"⟫b","p":"\ud83d"#, r#"\ude42"}"#],
            ),
            end("tool_use"),
        ]),
        Scenario::ImageOut => return Answer::Skip("the API's models make no images"),
    };
    Answer::Frames([vec![begin(&json!({}))], frames].concat())
}
