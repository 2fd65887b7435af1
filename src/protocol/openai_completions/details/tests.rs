use serde_json::{Value, json};

use crate::assemble::Assembler;
use crate::message::{AssistantContentBlock, AssistantMessage, Message, StopReason};
use crate::model::{Model, RequestOptions};
use crate::protocol::openai_completions::encode;
use crate::protocol::testing::read;
use crate::protocol::{Api, Context, StreamPart};
use crate::text::json::from_text;

const ROUTER: &str = "https://openrouter.ai/api/v1";

fn chunk(delta: &Value) -> String {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }).to_string()
}

/// A delta of details, with the same text in the older field, as OpenRouter sends it.
fn details(details: Value) -> String {
    let text = details[0].get("text").or(details[0].get("summary"));
    chunk(&json!({ "content": "", "reasoning": text, "reasoning_details": details }))
}

fn call(id: &str) -> String {
    chunk(
        &json!({ "tool_calls": [{ "index": 0, "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } }] }),
    )
}

/// The message that a response makes: blocks of thinking and calls.
fn message(payloads: &[String]) -> AssistantMessage {
    let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned();
    let parts = read(Api::OpenAiCompletions, &[payloads, &[end]].concat());
    let mut content: Vec<Value> = Vec::new();
    let mut open = None;
    let thinking = |content: &mut Vec<Value>| {
        content.push(json!({ "type": "thinking", "thinking": "" }));
        content.len() - 1
    };
    for part in &parts {
        match part {
            StreamPart::Thinking(text) => {
                let at = *open.get_or_insert_with(|| thinking(&mut content));
                let known = content[at]["thinking"].as_str().unwrap().to_owned();
                content[at]["thinking"] = json!(known + text);
            }
            StreamPart::ThinkingSignature(signature) => {
                let at = *open.get_or_insert_with(|| thinking(&mut content));
                content[at]["thinkingSignature"] = json!(signature);
            }
            StreamPart::RedactedThinking(data) => {
                let at = thinking(&mut content);
                content[at]["thinkingSignature"] = json!(data);
                content[at]["redacted"] = json!(true);
                open = None;
            }
            StreamPart::BlockEnd => open = None,
            StreamPart::Text(text) => {
                open = None;
                content.push(json!({ "type": "text", "text": text }));
            }
            StreamPart::ToolCallStart { id, name, .. } => {
                open = None;
                content
                    .push(json!({ "type": "toolCall", "id": id, "name": name, "arguments": {} }));
            }
            _ => {}
        }
    }
    let calls = content.iter().any(|block| block["type"] == "toolCall");
    let message = json!({
        "role": "assistant", "content": content, "stopReason": if calls { "toolUse" } else { "stop" },
        "api": "openai-completions", "provider": "openai", "model": "m",
    });
    match from_text(&message.to_string()).unwrap() {
        Message::Assistant(message) => message,
        other => panic!("{other:?}"),
    }
}

/// The assistant's message of the next request to a model.
fn replayed(messages: Vec<AssistantMessage>, model: &Value) -> Vec<Value> {
    let model: Model = from_text(&model.to_string()).unwrap();
    let user = json!({ "role": "user", "content": "go" });
    let mut all: Vec<Message> = vec![from_text(&user.to_string()).unwrap()];
    for message in messages {
        let results: Vec<Value> = message
            .tool_calls()
            .map(|call| json!({ "role": "toolResult", "toolCallId": call.id, "toolName": "f", "content": [] }))
            .collect();
        all.push(Message::Assistant(message));
        all.extend(
            results
                .iter()
                .map(|it| from_text::<Message>(&it.to_string()).unwrap()),
        );
    }
    all.push(from_text(&user.to_string()).unwrap());
    let context = Context {
        messages: all,
        ..Context::default()
    };
    let request = encode(&model, &context, &RequestOptions::default()).unwrap();
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let messages = body["messages"].as_array().unwrap().clone();
    let is_assistant = |message: &Value| message["role"] == "assistant";
    messages.into_iter().filter(is_assistant).collect()
}

fn router() -> Value {
    json!({ "id": "m", "api": "openai-completions", "baseUrl": ROUTER })
}

#[test]
fn what_was_signed_or_encrypted_goes_back_as_it_came() {
    let table: [(&str, Vec<String>, Value); 5] = [
        (
            "Anthropic: text in pieces, then its signature",
            vec![
                details(
                    json!([{ "type": "reasoning.text", "text": "I will ", "format": "anthropic-claude-v1", "index": 0 }]),
                ),
                details(
                    json!([{ "type": "reasoning.text", "text": "look.", "format": "anthropic-claude-v1", "index": 0 }]),
                ),
                details(
                    json!([{ "type": "reasoning.text", "signature": "SIG", "format": "anthropic-claude-v1", "index": 0 }]),
                ),
                call("toolu_1"),
            ],
            json!([{ "type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0, "signature": "SIG", "text": "I will look." }]),
        ),
        (
            "OpenAI: a summary, then what is encrypted, of the same index",
            vec![
                details(
                    json!([{ "type": "reasoning.summary", "summary": "**Look", "format": "openai-responses-v1", "index": 0 }]),
                ),
                details(
                    json!([{ "type": "reasoning.summary", "summary": "ing**", "format": "openai-responses-v1", "index": 0 }]),
                ),
                details(
                    json!([{ "type": "reasoning.encrypted", "data": "gAAA", "format": "openai-responses-v1", "id": "rs_1", "index": 0 }]),
                ),
                call("call_1"),
            ],
            json!([
                { "type": "reasoning.summary", "format": "openai-responses-v1", "index": 0, "summary": "**Looking**" },
                { "type": "reasoning.encrypted", "data": "gAAA", "format": "openai-responses-v1", "id": "rs_1", "index": 0 },
            ]),
        ),
        (
            "Gemini: the signature of a call, beside it",
            vec![
                details(
                    json!([{ "type": "reasoning.text", "text": "Hm.", "format": "google-gemini-v1", "index": 0 }]),
                ),
                chunk(&json!({
                    "reasoning_details": [{ "type": "reasoning.encrypted", "data": "EQ==", "id": "tool_0_f", "format": "google-gemini-v1", "index": 0 }],
                    "tool_calls": [{ "index": 0, "id": "tool_0_f", "function": { "name": "f", "arguments": "{}" } }],
                })),
            ],
            json!([
                { "type": "reasoning.text", "format": "google-gemini-v1", "index": 0, "text": "Hm." },
                { "type": "reasoning.encrypted", "data": "EQ==", "id": "tool_0_f", "format": "google-gemini-v1", "index": 0 },
            ]),
        ),
        (
            "several details in one chunk, members nobody knows, nothing where nothing is",
            vec![
                details(json!([
                    { "type": "reasoning.text", "text": "a", "id": null, "signature": null, "index": 0, "of_tomorrow": { "x": [1.50] } },
                    { "type": "reasoning.text", "text": "b", "index": 1 },
                    { "type": "reasoning.text", "text": "", "index": 2 },
                ])),
                call("c"),
            ],
            json!([
                { "type": "reasoning.text", "index": 0, "of_tomorrow": { "x": [1.5] }, "text": "a" },
                { "type": "reasoning.text", "index": 1, "text": "b" },
            ]),
        ),
        (
            "a signature without any text",
            vec![
                details(
                    json!([{ "type": "reasoning.text", "text": "", "signature": "S", "index": 0 }]),
                ),
                call("c"),
            ],
            json!([{ "type": "reasoning.text", "signature": "S", "index": 0 }]),
        ),
    ];
    for (what, payloads, expected) in table {
        let sent = replayed(vec![message(&payloads)], &router());
        assert_eq!(sent[0]["reasoning_details"], expected, "{what}");
        assert_eq!(sent[0].get("reasoning"), None, "{what}: once");
        assert_eq!(sent[0]["tool_calls"].as_array().unwrap().len(), 1, "{what}");
        let other = json!({ "id": "another", "api": "openai-completions", "baseUrl": ROUTER });
        let sent = replayed(vec![message(&payloads)], &other);
        assert_eq!(
            sent[0].get("reasoning_details"),
            None,
            "{what}: to another model"
        );
    }
}

#[test]
fn the_signature_of_a_call_follows_the_call_to_its_new_id() {
    let turn = || {
        message(&[
            details(
                json!([{ "type": "reasoning.encrypted", "data": "E", "id": "tool_0_f", "index": 0 }]),
            ),
            call("tool_0_f"),
        ])
    };
    // The assembler has seen the id before.
    let mut renamed = turn();
    if let Some(AssistantContentBlock::ToolCall(call)) = renamed.content.last_mut() {
        let mut assembler = Assembler::new("x");
        assembler.follow(&[Message::Assistant(turn())]);
        assembler.apply(StreamPart::ToolCallStart {
            key: 0,
            id: call.id.clone(),
            name: call.name.clone(),
        });
        call.id = assembler.finish(None).calls[0].id.clone();
        assert_ne!(call.id, "tool_0_f");
    }
    let sent = replayed(vec![turn(), turn(), renamed], &router());
    assert_eq!(sent.len(), 3);
    for turn in &sent {
        let id = &turn["tool_calls"][0]["id"];
        assert_eq!(&turn["reasoning_details"][0]["id"], id);
    }
    let id = |turn: usize| sent[turn]["tool_calls"][0]["id"].clone();
    assert_ne!(id(0), id(1));
}

#[test]
fn details_of_text_alone_go_back_too_and_plain_thinking_does_not() {
    let signed = message(&[
        details(json!([{ "type": "reasoning.text", "text": "a", "signature": "S", "index": 0 }])),
        chunk(&json!({ "content": "Done." })),
    ]);
    let plain = message(&[
        chunk(&json!({ "reasoning": "a" })),
        chunk(&json!({ "content": "Done." })),
    ]);
    let sent = replayed(vec![signed, plain], &router());
    assert_eq!(sent[0]["reasoning_details"][0]["signature"], "S");
    assert_eq!(sent[1], json!({ "role": "assistant", "content": "Done." }));
}

#[test]
fn a_host_that_never_sent_details_gets_none() {
    let mut plain = message(&[chunk(&json!({ "reasoning": "a" })), call("c")]);
    let foreign = ["", "opaque", "{}", "17", "{\"id\":1}"];
    for signature in foreign {
        for block in &mut plain.content {
            if let AssistantContentBlock::Thinking(block) = block {
                block.thinking_signature = Some(signature.into());
            }
        }
        let sent = replayed(vec![plain.clone()], &router());
        assert_eq!(sent[0].get("reasoning_details"), None, "{signature}");
        assert_eq!(sent[0]["reasoning"], "a", "{signature}");
    }
}

#[test]
fn an_answer_that_is_cut_within_a_detail_does_not_sign_it() {
    let text = details(json!([{ "type": "reasoning.text", "text": "a", "index": 0 }]));
    let parts = read(Api::OpenAiCompletions, &[text]);
    assert!(matches!(
        parts.as_slice(),
        [StreamPart::Thinking(_), StreamPart::Error(_)]
    ));
}

#[test]
fn every_detail_is_a_block_of_the_message() {
    let payloads = [
        details(json!([{ "type": "reasoning.text", "text": "a", "signature": "S", "index": 0 }])),
        details(json!([{ "type": "reasoning.encrypted", "data": "E", "index": 1 }])),
        chunk(&json!({ "content": "t" })),
    ];
    let mut assembler = Assembler::new("x");
    let done = "[DONE]".to_owned();
    let parts = read(
        Api::OpenAiCompletions,
        &[payloads.as_slice(), &[done]].concat(),
    );
    for part in parts {
        assembler.apply(part);
    }
    let operations: Vec<String> = assembler
        .batch()
        .operations()
        .map(|operation| format!("{:?} {}", operation.op, operation.block))
        .collect();
    assert_eq!(
        operations,
        [
            "ThinkingStart 0",
            "ThinkingDelta 0",
            "ThinkingSignature 0",
            "ThinkingEnd 0",
            "ThinkingStart 1",
            "Redacted 1",
            "ThinkingSignature 1",
            "ThinkingEnd 1",
            "TextStart 2",
            "TextDelta 2",
        ]
    );
    assembler.close();
    assert_eq!(assembler.finish(None).stop_reason, StopReason::Stop);
}
