//! The scenarios as OpenAI's Responses API sends them.

use serde_json::{Value, json};
use sluice_agent::model::Model;
use sluice_agent::protocol::Api;

use crate::scenario::{Answer, Scenario, Wire, cut_characters};

pub const WIRE: Wire = Wire {
    api: Api::OpenAiResponses,
    model,
    answer,
    completes: |frame| {
        frame.contains(r#""type":"response.completed""#)
            || frame.contains(r#""type":"response.incomplete""#)
    },
    replayed: &[r#""encrypted_content":"gAAA""#, r#""id":"rs_1""#],
    hands_over_all: false,
};

fn model() -> Model {
    Model {
        id: "gpt-5".into(),
        api: "openai-responses".into(),
        provider: Some("openai".into()),
        reasoning: Some(true),
        ..Model::default()
    }
}

fn frame(event: &Value) -> String {
    format!(
        "event: {}\ndata: {event}\n\n",
        event["type"].as_str().expect("a type")
    )
}

fn added(index: u32, item: &Value) -> String {
    let kind = "response.output_item.added";
    frame(&json!({ "type": kind, "output_index": index, "item": item }))
}

fn item_done(index: u32, item: &Value) -> String {
    let kind = "response.output_item.done";
    frame(&json!({ "type": kind, "output_index": index, "item": item }))
}

fn delta(subject: &str, index: u32, delta: &str) -> String {
    let kind = ["response.", subject, ".delta"].concat();
    frame(&json!({
        "type": kind, "output_index": index, "content_index": 0, "summary_index": 0, "delta": delta,
    }))
}

fn text(index: u32, pieces: &[&str]) -> Vec<String> {
    let item = |content: Value| json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": content });
    let whole = json!([{ "type": "output_text", "text": pieces.concat(), "annotations": [] }]);
    let mut frames = vec![added(index, &item(json!([])))];
    frames.extend(
        pieces
            .iter()
            .map(|piece| delta("output_text", index, piece)),
    );
    frames.push(item_done(index, &item(whole)));
    frames
}

fn thinking(pieces: &[&str]) -> Vec<String> {
    let begun = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
    let mut whole = begun.clone();
    whole["summary"] = json!([{ "type": "summary_text", "text": pieces.concat() }]);
    whole["encrypted_content"] = "gAAA".into();
    let mut frames = vec![added(0, &begun)];
    let pieces = pieces.iter();
    frames.extend(pieces.map(|piece| delta("reasoning_summary_text", 0, piece)));
    frames.push(item_done(0, &whole));
    frames
}

fn call_item(id: Option<&str>, name: &str, arguments: &str) -> Value {
    let mut item = json!({
        "type": "function_call", "id": "fc_1", "name": name, "arguments": arguments,
    });
    if let Some(id) = id {
        item["call_id"] = id.into();
    }
    item
}

fn begin(index: u32, id: &str, name: &str) -> String {
    added(index, &call_item(Some(id), name, ""))
}

fn piece(index: u32, json: &str) -> String {
    delta("function_call_arguments", index, json)
}

fn call(index: u32, id: &str, name: &str, pieces: &[&str]) -> Vec<String> {
    let mut frames = vec![begin(index, id, name)];
    frames.extend(pieces.iter().map(|json| piece(index, json)));
    let whole = call_item(Some(id), name, &pieces.concat());
    frames.push(item_done(index, &whole));
    frames
}

fn ended(status: &str, rest: Value) -> Vec<String> {
    let kind = ["response.", status].concat();
    let mut response = json!({ "id": "resp_1", "status": status, "output": [] });
    for (member, value) in rest.as_object().into_iter().flatten() {
        response[member] = value.clone();
    }
    vec![frame(&json!({ "type": kind, "response": response }))]
}

fn completed() -> Vec<String> {
    ended("completed", json!({}))
}

fn incomplete(reason: &str) -> Vec<String> {
    ended(
        "incomplete",
        json!({ "incomplete_details": { "reason": reason } }),
    )
}

fn error() -> Vec<String> {
    let error = json!({ "code": "server_error", "message": "Overloaded" });
    ended("failed", json!({ "error": error }))
}

fn answer(scenario: Scenario) -> Answer {
    let created = json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress" } });
    let start = vec![frame(&created)];
    let frames = match scenario {
        Scenario::PlainText => {
            let usage = json!({ "input_tokens": 9, "output_tokens": 2, "total_tokens": 11 });
            let end = ended("completed", json!({ "usage": usage }));
            [text(0, &["Hello, ", "世界!"]), end].concat()
        }
        Scenario::NoUsage => [text(0, &["Hello"]), completed()].concat(),
        Scenario::ThinkingThenText => [
            thinking(&["Two ", "and two."]),
            text(1, &["Fo", "ur."]),
            completed(),
        ]
        .concat(),
        Scenario::OneCall => [
            text(0, &["I ask."]),
            call(
                1,
                "call_1",
                "f",
                &[r#"{"city":"Pa"#, r#"ris","days":[1"#, ",2]}"],
            ),
            completed(),
        ]
        .concat(),
        Scenario::ParallelCalls => [
            call(0, "call_1", "f", &[r#"{"x":1}"#]),
            call(1, "call_2", "g", &[r#"{"y":2}"#]),
            completed(),
        ]
        .concat(),
        Scenario::InterleavedCalls => [
            vec![
                begin(0, "call_1", "f"),
                begin(1, "call_2", "g"),
                piece(1, r#"{"y":"#),
                piece(0, r#"{"x":"#),
                piece(1, "2}"),
                piece(0, "1}"),
                item_done(1, &call_item(Some("call_2"), "g", r#"{"y":2}"#)),
                item_done(0, &call_item(Some("call_1"), "f", r#"{"x":1}"#)),
            ],
            completed(),
        ]
        .concat(),
        Scenario::CallWithoutId => {
            let item = call_item(None, "f", r#"{"q":1}"#);
            [
                vec![added(0, &call_item(None, "f", "")), item_done(0, &item)],
                completed(),
            ]
            .concat()
        }
        Scenario::CallWithoutArguments => [call(0, "call_1", "f", &[]), completed()].concat(),
        Scenario::UnknownEvent => [
            vec![frame(
                &json!({ "type": "response.novelty", "output_index": 0 }),
            )],
            text(0, &["Hello"]),
            vec![added(1, &json!({ "type": "novelty", "id": "n_1" }))],
            completed(),
        ]
        .concat(),
        Scenario::ErrorFirst => error(),
        Scenario::ErrorBehindCall => [call(0, "call_1", "f", &[r#"{"q":1}"#]), error()].concat(),
        Scenario::ErrorInsideCall => [
            vec![begin(0, "call_1", "f"), piece(0, r#"{"q":"ha"#)],
            error(),
        ]
        .concat(),
        Scenario::MalformedFrame => [
            text(0, &["half"]),
            vec!["event: response.output_text.delta\ndata: {\"type\":\"resp\n\n".to_owned()],
            completed(),
        ]
        .concat(),
        Scenario::ErrorBody => {
            let body = json!({ "error": { "message": "Overloaded", "code": 503 } });
            return Answer::Frames(vec![body.to_string()]);
        }
        Scenario::Refusal => [text(0, &["I"]), incomplete("content_filter")].concat(),
        Scenario::LengthInsideCall => [
            vec![begin(0, "call_1", "f"), piece(0, r#"{"p":"ha"#)],
            incomplete("max_output_tokens"),
        ]
        .concat(),
        Scenario::ThinkingReplay => [
            thinking(&["Hm."]),
            call(1, "call_1", "f", &[r#"{"q":1}"#]),
            completed(),
        ]
        .concat(),
        Scenario::CutCharacters => cut_characters(&[
            thinking(&["a⟪", "⟫b"]),
            text(1, &["a⟪", "⟫b"]),
            call(
                2,
                "call_1",
                "f",
                &[r#"{"q":"a⟪"#, r#"⟫b","p":"\ud83d"#, r#"\ude42"}"#],
            ),
            completed(),
        ]),
        Scenario::ImageOut => {
            let item = json!({
                "type": "image_generation_call", "id": "ig_1", "status": "completed",
                "output_format": "png", "result": "AA==",
            });
            [vec![added(0, &item), item_done(0, &item)], completed()].concat()
        }
    };
    Answer::Frames([start, frames].concat())
}
