//! The scenarios as chat completions.

use serde_json::{Value, json};
use sluice_agent::model::{Compat, Model, ReasoningField};
use sluice_agent::protocol::Api;

use crate::scenario::{Answer, Scenario, Wire, cut_characters};

pub const WIRE: Wire = Wire {
    api: Api::OpenAiCompletions,
    model,
    answer,
    completes: |frame| frame.contains(r#""finish_reason":""#),
    replayed: &[r#""reasoning_content":"Hm.""#],
    hands_over_all: false,
};

fn model() -> Model {
    Model {
        id: "m".into(),
        api: "openai-completions".into(),
        provider: Some("openai".into()),
        compat: Some(Compat {
            reasoning_field: Some(ReasoningField::ReasoningContent),
            ..Compat::default()
        }),
        ..Model::default()
    }
}

fn frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn delta(delta: Value) -> String {
    frame(&json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }))
}

fn text(text: &str) -> String {
    delta(json!({ "content": text }))
}

fn thinking(text: &str) -> String {
    delta(json!({ "reasoning_content": text }))
}

fn begin(index: u32, id: &str, name: &str) -> String {
    delta(json!({ "tool_calls": [{
        "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": "" },
    }] }))
}

fn piece(index: u32, arguments: &str) -> String {
    delta(json!({ "tool_calls": [{ "index": index, "function": { "arguments": arguments } }] }))
}

fn finish(reason: &str) -> String {
    frame(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
}

fn usage() -> String {
    frame(&json!({ "choices": [], "usage": { "prompt_tokens": 9, "completion_tokens": 2 } }))
}

fn error() -> Value {
    json!({ "error": { "message": "Overloaded", "type": "server_error", "code": 503 } })
}

const DONE: &str = "data: [DONE]\n\n";

fn answer(scenario: Scenario) -> Answer {
    let mut frames = match scenario {
        Scenario::PlainText => vec![text("Hello, "), text("世界!"), finish("stop"), usage()],
        Scenario::NoUsage => vec![text("Hello"), finish("stop")],
        Scenario::ThinkingThenText => vec![
            thinking("Two "),
            thinking("and two."),
            text("Fo"),
            text("ur."),
            finish("stop"),
        ],
        Scenario::OneCall => vec![
            text("I ask."),
            begin(0, "call_1", "f"),
            piece(0, r#"{"city":"Pa"#),
            piece(0, r#"ris","days":[1"#),
            piece(0, ",2]}"),
            finish("tool_calls"),
        ],
        Scenario::ParallelCalls => vec![
            begin(0, "call_1", "f"),
            piece(0, r#"{"x":1}"#),
            begin(1, "call_2", "g"),
            piece(1, r#"{"y":2}"#),
            finish("tool_calls"),
        ],
        Scenario::InterleavedCalls => vec![
            begin(0, "call_1", "f"),
            begin(1, "call_2", "g"),
            piece(1, r#"{"y":"#),
            piece(0, r#"{"x":"#),
            piece(1, "2}"),
            piece(0, "1}"),
            finish("tool_calls"),
        ],
        Scenario::CallWithoutId => vec![
            delta(
                json!({ "tool_calls": [{ "function": { "name": "f", "arguments": r#"{"q":1}"# } }] }),
            ),
            finish("stop"),
        ],
        Scenario::CallWithoutArguments => vec![begin(0, "call_1", "f"), finish("tool_calls")],
        Scenario::UnknownEvent => vec![
            "event: novelty\ndata: {\"object\":\"novelty\",\"value\":1}\n\n".to_owned(),
            text("Hello"),
            frame(&json!({ "choices": [{ "index": 0, "delta": { "novelty": [1] } }] })),
            finish("stop"),
        ],
        Scenario::ErrorFirst => vec![frame(&error())],
        Scenario::ErrorBehindCall => vec![
            begin(0, "call_1", "f"),
            piece(0, r#"{"q":1}"#),
            frame(&error()),
        ],
        Scenario::ErrorInsideCall => vec![
            begin(0, "call_1", "f"),
            piece(0, r#"{"q":"ha"#),
            frame(&error()),
        ],
        Scenario::MalformedFrame => vec![
            text("half"),
            "data: {\"choices\":[{\"de\n\n".to_owned(),
            finish("stop"),
        ],
        Scenario::ErrorBody => return Answer::Frames(vec![error().to_string()]),
        Scenario::Refusal => vec![text("I"), finish("content_filter")],
        Scenario::LengthInsideCall => vec![
            begin(0, "call_1", "f"),
            piece(0, r#"{"p":"ha"#),
            finish("length"),
        ],
        Scenario::ThinkingReplay => vec![
            thinking("Hm."),
            begin(0, "call_1", "f"),
            piece(0, r#"{"q":1}"#),
            finish("tool_calls"),
        ],
        Scenario::CutCharacters => cut_characters(&[
            vec![thinking("a⟪"), thinking("⟫b"), text("a⟪"), text("⟫b")],
            vec![begin(0, "call_1", "f"), piece(0, r#"{"q":"a⟪"#)],
            vec![piece(0, r#"⟫b","p":"\ud83d"#), piece(0, r#"\ude42"}"#)],
            vec![finish("tool_calls")],
        ]),
        Scenario::ImageOut => return Answer::Skip("a chat completion holds no images"),
    };
    frames.push(DONE.to_owned());
    Answer::Frames(frames)
}
