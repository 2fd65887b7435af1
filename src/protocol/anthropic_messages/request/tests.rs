use serde_json::{Value, json};

use super::*;
use crate::error::ErrorCode;
use crate::model::{ThinkingLevel, ToolDefinition};
use crate::protocol::testing::{self, context, hello, said, sent, user};
use crate::text::json::from_text;

fn model(extra: Value) -> Model {
    testing::model(Api::AnthropicMessages, extra)
}

/// What the model `m` said on this wire.
fn model_said(content: Value) -> Value {
    testing::turn(Api::AnthropicMessages, "stop", content)
}

fn call(id: &str) -> Value {
    json!({ "type": "toolCall", "id": id, "name": "f", "arguments": { "q": 1 } })
}

fn result(id: &str, text: &str) -> Value {
    testing::result(id, said(text))
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn thought(thinking: &str, signature: Option<&str>) -> Value {
    json!({ "type": "thinking", "thinking": thinking, "thinkingSignature": signature })
}

fn no_cache() -> RequestOptions {
    RequestOptions {
        cache_retention: CacheRetention::None,
        ..RequestOptions::default()
    }
}

/// The messages of a request, without marks.
fn messages(messages: Value) -> Value {
    sent(&model(json!({})), &context(messages), &no_cache())["messages"].take()
}

#[test]
fn a_request_holds_what_the_api_documents_and_nothing_else() {
    let body = sent(&model(json!({})), &hello(), &no_cache());
    let expected = json!({
        "model": "m",
        "max_tokens": 8192,
        "stream": true,
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Hello" }] }],
    });
    assert_eq!(body, expected);

    let options = RequestOptions {
        temperature: Some(0.5),
        max_tokens: Some(100.9),
        tool_choice: Some(from_text("\"required\"").unwrap()),
        session_id: Some("s".into()),
        ..RequestOptions::default()
    };
    let tool = |name: &str, description: &str, parameters| ToolDefinition {
        name: name.into(),
        description: description.into(),
        parameters,
    };
    let context = Context {
        system_prompt: "Be kind.".into(),
        tools: vec![
            tool(
                "f",
                "Does f.",
                json!({ "properties": { "q": { "type": "integer" } } }),
            ),
            tool("g", "", Value::Null),
        ],
        ..hello()
    };
    let mark = json!({ "type": "ephemeral" });
    let expected = json!({
        "model": "m",
        "max_tokens": 100,
        "stream": true,
        "temperature": 0.5,
        "tools": [
            {
                "name": "f",
                "description": "Does f.",
                "input_schema": { "type": "object", "properties": { "q": { "type": "integer" } } },
            },
            {
                "name": "g",
                "input_schema": { "type": "object", "properties": {} },
                "cache_control": mark,
            },
        ],
        "tool_choice": { "type": "any" },
        "system": [{ "type": "text", "text": "Be kind.", "cache_control": mark }],
        "messages": [{
            "role": "user",
            "content": [{ "type": "text", "text": "Hello", "cache_control": mark }],
        }],
    });
    assert_eq!(sent(&model(json!({})), &context, &options), expected);
}

#[test]
fn a_page_may_call_the_api_with_its_key_and_headers() {
    let headers = |options: &RequestOptions| {
        let model = model(json!({ "headers": { "anthropic-beta": "x", "X-App": "a" } }));
        encode(&model, &hello(), options).unwrap().headers
    };
    let options = RequestOptions {
        api_key: Some("sk-ant".into()),
        headers: Some(vec![("x-app".into(), "b".into())]),
        ..RequestOptions::default()
    };
    let expected = [
        ("content-type", "application/json"),
        ("accept", "text/event-stream"),
        ("anthropic-version", "2023-06-01"),
        ("anthropic-dangerous-direct-browser-access", "true"),
        ("x-api-key", "sk-ant"),
        ("anthropic-beta", "x"),
        ("x-app", "b"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(headers(&options), expected);
    let without_key = headers(&RequestOptions::default());
    assert!(without_key.iter().all(|(name, _)| name != "x-api-key"));
}

#[test]
fn the_url_is_made_from_any_way_to_write_the_base() {
    let table = [
        (None, "https://api.anthropic.com/v1/messages"),
        (
            Some("https://api.anthropic.com/"),
            "https://api.anthropic.com/v1/messages",
        ),
        (
            Some("https://api.anthropic.com/v1"),
            "https://api.anthropic.com/v1/messages",
        ),
        (
            Some("https://api.anthropic.com/v1/"),
            "https://api.anthropic.com/v1/messages",
        ),
        (Some("https://host/v1/messages"), "https://host/v1/messages"),
        (
            Some("https://host/anthropic"),
            "https://host/anthropic/v1/messages",
        ),
        (
            Some("https://host/v1?k=/v1"),
            "https://host/v1/messages?k=/v1",
        ),
        (Some("https://host?k=/v1"), "https://host/v1/messages?k=/v1"),
    ];
    for (base, url) in table {
        let model = model(json!({ "baseUrl": base }));
        let request = encode(&model, &hello(), &RequestOptions::default()).unwrap();
        assert_eq!(request.url, url, "{base:?}");
    }
}

#[test]
fn an_output_limit_is_always_sent() {
    let table = [
        ("m", json!(null), None, 8192),
        ("claude-3-haiku-20240307", json!(null), None, 4096),
        ("claude-opus-4-20250514", json!(null), None, 32_000),
        ("claude-opus-5", json!(null), None, 32_000),
        ("claude-opus-5", json!(64_000), None, 64_000),
        ("claude-opus-5", json!(64_000), Some(10.0), 10),
        ("m", json!(null), Some(0.0), 8192),
        ("m", json!(null), Some(f64::NAN), 8192),
    ];
    for (id, own, max_tokens, limit) in table {
        let options = RequestOptions {
            max_tokens,
            ..RequestOptions::default()
        };
        let body = sent(
            &model(json!({ "id": id, "maxTokens": own })),
            &hello(),
            &options,
        );
        assert_eq!(body["max_tokens"], limit, "{id} {own} {max_tokens:?}");
    }
}

#[test]
fn thinking_leaves_no_room_for_a_temperature_or_a_forced_call() {
    let tools = vec![ToolDefinition {
        name: "f".into(),
        ..ToolDefinition::default()
    }];
    let context = Context { tools, ..hello() };
    let free = json!({ "type": "tool", "name": "f" });
    let table = [
        (
            "claude-sonnet-4-5",
            ThinkingLevel::High,
            json!({ "name": "f" }),
            None,
            None,
        ),
        (
            "claude-sonnet-4-5",
            ThinkingLevel::High,
            json!("required"),
            None,
            None,
        ),
        (
            "claude-sonnet-4-5",
            ThinkingLevel::High,
            json!("none"),
            None,
            Some(json!({ "type": "none" })),
        ),
        (
            "claude-sonnet-4-5",
            ThinkingLevel::High,
            json!("auto"),
            None,
            Some(json!({ "type": "auto" })),
        ),
        (
            "claude-sonnet-4-5",
            ThinkingLevel::Off,
            json!({ "name": "f" }),
            Some(0.0),
            Some(free.clone()),
        ),
        // A temperature is refused by these whether they think or not.
        (
            "claude-opus-4-7",
            ThinkingLevel::Off,
            json!({ "name": "f" }),
            None,
            Some(free.clone()),
        ),
        (
            "claude-opus-5",
            ThinkingLevel::Off,
            json!({ "name": "f" }),
            None,
            Some(free),
        ),
        // And these always think.
        (
            "claude-opus-5-5",
            ThinkingLevel::Off,
            json!({ "name": "f" }),
            None,
            None,
        ),
    ];
    for (id, reasoning, choice, temperature, expected) in table {
        let options = RequestOptions {
            reasoning,
            temperature: Some(0.0),
            tool_choice: Some(from_text(&choice.to_string()).unwrap()),
            ..no_cache()
        };
        let body = sent(&model(json!({ "id": id })), &context, &options);
        let what = format!("{id} at {reasoning:?} with {choice}");
        assert_eq!(
            body.get("temperature").and_then(Value::as_f64),
            temperature,
            "{what}"
        );
        assert_eq!(body.get("tool_choice"), expected.as_ref(), "{what}");
        let without_tools = sent(&model(json!({ "id": id })), &hello(), &options);
        assert_eq!(without_tools.get("tool_choice"), None, "{what}");
    }
}

#[test]
fn a_schema_is_that_of_an_object_as_the_api_takes_it() {
    let table = [
        (json!(null), json!({ "type": "object", "properties": {} })),
        (json!({}), json!({ "type": "object", "properties": {} })),
        (
            json!({ "type": "object", "properties": { "a": { "anyOf": [true] } }, "required": ["a"] }),
            json!({ "type": "object", "properties": { "a": { "anyOf": [true] } }, "required": ["a"] }),
        ),
        (
            json!({ "anyOf": [], "oneOf": [], "allOf": [], "description": "x" }),
            json!({ "type": "object", "description": "x", "properties": {} }),
        ),
    ];
    for (parameters, expected) in table {
        let tools = vec![ToolDefinition {
            parameters,
            ..ToolDefinition::default()
        }];
        let body = sent(
            &model(json!({})),
            &Context { tools, ..hello() },
            &no_cache(),
        );
        assert_eq!(body["tools"][0]["input_schema"], expected);
    }
}

#[test]
fn one_side_speaks_in_one_message_and_results_come_first() {
    let history = json!([
        user("one"),
        user("two"),
        model_said(json!([text("Let me look."), call("a"), call("b")])),
        result("b", "B"),
        result("a", "A"),
        user("and"),
        model_said(json!([text("half")])),
        model_said(json!([text("whole")])),
        user("go on"),
    ]);
    let expected = json!([
        { "role": "user", "content": [text("one"), text("two")] },
        { "role": "assistant", "content": [
            text("Let me look."),
            { "type": "tool_use", "id": "a", "name": "f", "input": { "q": 1 } },
            { "type": "tool_use", "id": "b", "name": "f", "input": { "q": 1 } },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "a", "content": [text("A")] },
            { "type": "tool_result", "tool_use_id": "b", "content": [text("B")] },
            text("and"),
        ] },
        { "role": "assistant", "content": [text("half"), text("whole")] },
        { "role": "user", "content": [text("go on")] },
    ]);
    assert_eq!(messages(history), expected);
}

#[test]
fn nothing_is_sent_that_the_api_refuses() {
    let failed = json!({
        "role": "toolResult", "toolCallId": "a", "toolName": "f", "isError": true, "content": [],
    });
    let table = [
        (
            "blank text",
            json!([
                model_said(json!([text(""), text(" \n"), call("a")])),
                failed,
                user("  ")
            ]),
            json!([
                { "role": "user", "content": [text("(the beginning is missing)")] },
                { "role": "assistant", "content": [
                    { "type": "tool_use", "id": "a", "name": "f", "input": { "q": 1 } },
                ] },
                { "role": "user", "content": [{
                    "type": "tool_result", "tool_use_id": "a", "content": [text("(no output)")],
                    "is_error": true,
                }] },
            ]),
        ),
        (
            "an image of the model's own",
            json!([
                user("draw"),
                model_said(json!([{ "type": "image", "data": "AA==", "mimeType": "image/png" }])),
                user("more"),
            ]),
            json!([
                { "role": "user", "content": [text("draw")] },
                { "role": "assistant", "content": [text("(image)")] },
                { "role": "user", "content": [text("more")] },
            ]),
        ),
        (
            "a call that nobody answered, with an id and a name of another provider's",
            json!([
                user("x"),
                {
                    "role": "assistant", "stopReason": "toolUse",
                    "content": [{ "type": "toolCall", "id": "call|1", "name": "a.b", "arguments": {} }],
                },
            ]),
            json!([
                { "role": "user", "content": [text("x")] },
                { "role": "assistant", "content": [
                    { "type": "tool_use", "id": "call_1_yk81kcwfi", "name": "a_b", "input": {} },
                ] },
                { "role": "user", "content": [{
                    "type": "tool_result", "tool_use_id": "call_1_yk81kcwfi", "is_error": true,
                    "content": [text("No result: the call was not completed.")],
                }] },
            ]),
        ),
    ];
    for (what, history, expected) in table {
        assert_eq!(messages(history), expected, "{what}");
    }
}

#[test]
fn thinking_goes_back_as_it_came_and_only_to_its_own_model() {
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "S" });
    let withheld = json!({ "type": "thinking", "thinking": "", "signature": "S" });
    let redacted = json!({ "type": "redacted_thinking", "data": "E" });
    let secret =
        json!({ "type": "thinking", "thinking": "", "thinkingSignature": "E", "redacted": true });
    let said = |block: &Value| model_said(json!([block, text("yes")]));
    let with = |turn: Value, name: &str, value: &str| {
        let mut turn = turn;
        turn[name] = json!(value);
        turn
    };
    let signed = thought("hm", Some("S"));
    let table = [
        ("signed", said(&signed), Some(&thinking)),
        ("withheld", said(&thought("", Some("S"))), Some(&withheld)),
        ("redacted", said(&secret), Some(&redacted)),
        ("unsigned", said(&thought("hm", None)), None),
        ("an empty signature", said(&thought("hm", Some(""))), None),
        ("of another model", with(said(&signed), "model", "n"), None),
        (
            "of another provider",
            with(said(&signed), "provider", "p"),
            None,
        ),
        (
            "of another wire",
            with(said(&signed), "api", "openai-completions"),
            None,
        ),
        (
            "of an aborted turn",
            with(said(&signed), "stopReason", "aborted"),
            Some(&thinking),
        ),
        (
            "whose calls were taken out",
            with(said(&signed), "stopReason", "toolUse"),
            None,
        ),
    ];
    for (what, turn, expected) in table {
        let mut content = vec![text("yes")];
        content.splice(0..0, expected.cloned());
        let sent = messages(json!([user("x"), turn, user("y")]));
        assert_eq!(sent[1]["content"], json!(content), "{what}");
    }
    // Thinking that comes between calls stays there.
    let turn = model_said(json!([
        signed,
        call("a"),
        thought("so", Some("T")),
        call("b")
    ]));
    let sent = messages(json!([user("x"), turn, result("a", "A"), result("b", "B")]));
    let kinds = sent[1]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| &block["type"]);
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        ["thinking", "tool_use", "thinking", "tool_use"]
    );
}

#[test]
fn a_cut_in_the_middle_of_thinking_leaves_nothing_to_send() {
    let mut cut = model_said(json!([thought("abc", None)]));
    cut["stopReason"] = json!("error");
    let expected = json!([{ "role": "user", "content": [text("x"), text("go on")] }]);
    assert_eq!(messages(json!([user("x"), cut, user("go on")])), expected);
}

#[test]
fn a_budget_waits_for_a_turn_that_it_can_begin_with() {
    let other = json!({ "role": "assistant", "stopReason": "toolUse", "content": [call("a")] });
    let mut own = model_said(json!([thought("hm", Some("S")), call("a")]));
    own["model"] = json!("claude-sonnet-4-5");
    let mut later = own.clone();
    later["content"] = json!([call("b")]);
    let table = [
        ("a prompt", json!([user("x")]), true),
        (
            "its own turn",
            json!([user("x"), own, result("a", "A")]),
            true,
        ),
        (
            "its own turn, further on",
            json!([user("x"), own, result("a", "A"), later, result("b", "B")]),
            true,
        ),
        (
            "another model's turn",
            json!([user("x"), other, result("a", "A")]),
            false,
        ),
        (
            "a prompt behind another model's turn",
            json!([
                user("x"),
                other,
                result("a", "A"),
                model_said(json!([text("ok")])),
                user("y")
            ]),
            true,
        ),
    ];
    for (what, history, thinks) in table {
        let options = RequestOptions {
            reasoning: ThinkingLevel::High,
            ..RequestOptions::default()
        };
        let model = model(json!({ "id": "claude-sonnet-4-5" }));
        let body = sent(&model, &context(history), &options);
        assert_eq!(body.get("thinking").is_some(), thinks, "{what}");
    }
}

#[test]
fn a_prefix_stays_the_same_from_turn_to_turn_but_for_the_marks() {
    let history = [
        user("one"),
        model_said(json!([thought("hm", Some("S")), text("look"), call("a")])),
        result("a", "A"),
        model_said(json!([text("done")])),
        user("two"),
        model_said(json!([call("b")])),
        result("b", "B"),
        user("steered"),
    ];
    let request = |kept: usize, retention| {
        let context = Context {
            system_prompt: "Be kind.".into(),
            tools: vec![ToolDefinition {
                name: "f".into(),
                ..ToolDefinition::default()
            }],
            ..context(json!(history[..kept]))
        };
        let options = RequestOptions {
            cache_retention: retention,
            ..RequestOptions::default()
        };
        encode(&model(json!({})), &context, &options).unwrap().body
    };
    for (retention, mark) in [
        (
            CacheRetention::Short,
            r#","cache_control":{"type":"ephemeral"}"#,
        ),
        (
            CacheRetention::Long,
            r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
        ),
    ] {
        let mut before = String::new();
        for (kept, marks) in [(1, 3), (3, 4), (5, 4), (7, 4), (8, 4)] {
            let body = request(kept, retention);
            assert_eq!(body.matches(mark).count(), marks, "{kept}");
            let plain = body.replace(mark, "");
            assert_eq!(plain, request(kept, CacheRetention::None), "{kept}");
            // The brackets that close the conversation are no part of it.
            let prefix = before.trim_end_matches(['}', ']']);
            assert!(plain.starts_with(prefix), "{kept}: {plain} after {prefix}");
            before = plain;
        }
    }
}

#[test]
fn marks_stand_on_the_last_blocks_of_the_last_two_messages_of_the_user() {
    let context = context(json!([
        user("one"),
        model_said(json!([text("hi")])),
        { "role": "user", "content": [text("two"), { "type": "image", "data": "AA==", "mimeType": "image/png" }] },
        model_said(json!([text("look"), call("a"), call("b")])),
        result("a", "A"),
        result("b", "B"),
    ]));
    let body = sent(&model(json!({})), &context, &RequestOptions::default());
    let mut marked = Vec::new();
    for (place, message) in body["messages"].as_array().unwrap().iter().enumerate() {
        for (block_place, block) in message["content"].as_array().unwrap().iter().enumerate() {
            if block.get("cache_control").is_some() {
                marked.push((place, block_place));
            }
        }
    }
    assert_eq!(marked, [(2, 1), (4, 1)]);
}

#[test]
fn what_cannot_be_sent_is_refused_with_a_reason() {
    let answer = model_said(json!([text("full")]));
    let table = [
        (json!([]), "the conversation is empty"),
        (json!([user(" ")]), "the conversation is empty"),
        (json!([result("a", "A")]), "the conversation is empty"),
        (json!([user("x"), answer]), "add a user message"),
    ];
    for (history, words) in table {
        let context = Context {
            system_prompt: "Be kind.".into(),
            ..context(history)
        };
        let error = encode(&model(json!({})), &context, &RequestOptions::default()).unwrap_err();
        assert_eq!(
            (error.code, error.retryable),
            (ErrorCode::InvalidRequest, false)
        );
        assert!(error.message.contains(words), "{}", error.message);
    }
}
