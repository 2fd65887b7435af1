use serde_json::{Value, json};

use super::*;
use crate::error::ErrorCode;
use crate::model::{NamedTool, ThinkingLevel, ToolChoice, ToolChoiceMode, ToolDefinition};
use crate::protocol::testing::{self, context, hello, image, result, said, sent, user};

fn model(extra: Value) -> Model {
    testing::model(Api::OpenAiResponses, extra)
}

fn local() -> Model {
    model(json!({ "baseUrl": "http://localhost:1234/v1", "reasoning": true }))
}

/// The items for a conversation to which "go on" is added.
fn input(mut messages: Vec<Value>) -> Vec<Value> {
    messages.push(user("go on"));
    let context = context(Value::Array(messages));
    let mut body = sent(&local(), &context, &RequestOptions::default());
    let mut items: Vec<Value> = serde_json::from_value(body["input"].take()).unwrap();
    assert_eq!(items.pop(), Some(user("go on")));
    items
}

/// A turn that the model `m` made over this protocol.
fn turn(content: Value) -> Value {
    testing::turn(Api::OpenAiResponses, "stop", content)
}

fn text(text: &str, signature: Value) -> Value {
    json!({ "type": "text", "text": text, "textSignature": signature })
}

fn thinking(id: &str) -> Value {
    json!({
        "type": "thinking", "thinking": "let me see",
        "thinkingSignature": reasoning(id).to_string(),
    })
}

fn reasoning(id: &str) -> Value {
    json!({
        "type": "reasoning", "id": id,
        "summary": [{ "type": "summary_text", "text": "let me see" }],
        "encrypted_content": format!("of {id}"),
    })
}

fn call(id: &str, signature: Value) -> Value {
    json!({
        "type": "toolCall", "id": id, "name": "f", "arguments": { "q": 1 },
        "thoughtSignature": signature,
    })
}

fn image_part() -> Value {
    json!({
        "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AA==",
    })
}

fn message(text: &str) -> Value {
    json!({
        "type": "message", "role": "assistant",
        "content": [{ "type": "output_text", "text": text, "annotations": [] }],
    })
}

fn message_with_id(text: &str, id: &str) -> Value {
    let mut item = message(text);
    item["id"] = json!(id);
    item["status"] = json!("completed");
    item
}

fn function_call(id: &str, call_id: &str) -> Value {
    let mut item = json!({
        "type": "function_call", "call_id": call_id, "name": "f", "arguments": "{\"q\":1}",
    });
    if !id.is_empty() {
        item["id"] = json!(id);
    }
    item
}

fn output(call_id: &str, output: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": call_id, "output": output })
}

fn everything() -> RequestOptions {
    RequestOptions {
        api_key: Some("key".into()),
        reasoning: ThinkingLevel::High,
        session_id: Some("s".into()),
        cache_retention: CacheRetention::Long,
        max_tokens: Some(9.5),
        temperature: Some(0.5),
        ..RequestOptions::default()
    }
}

#[test]
fn a_host_gets_the_fields_that_it_reads() {
    let context = Context {
        system_prompt: "Be kind.".into(),
        ..hello()
    };
    let base = |role: &str, limit: u32| {
        json!({
            "model": "m",
            "input": [{ "role": role, "content": "Be kind." }, user("Hello")],
            "stream": true,
            "temperature": 0.5,
            "max_output_tokens": limit,
        })
    };
    let with = |mut body: Value, more: Value| {
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    let stateless = json!({ "store": false, "include": ["reasoning.encrypted_content"] });
    let openai = with(
        with(base("developer", 16), stateless.clone()),
        json!({ "reasoning": { "effort": "high", "summary": "auto" } }),
    );
    let cached = json!({ "prompt_cache_key": "s", "prompt_cache_retention": "24h" });
    let xai = json!({ "prompt_cache_key": "s" });
    let table = [
        ("http://localhost:1234/v1", base("system", 9)),
        ("https://api.openai.com/v1", with(openai.clone(), cached)),
        ("https://me.openai.azure.com/openai/v1", openai),
        (
            "https://api.x.ai/v1",
            with(with(base("system", 9), stateless), xai),
        ),
        (
            "https://api.groq.com/openai/v1",
            with(
                base("system", 9),
                json!({ "reasoning": { "effort": "high" } }),
            ),
        ),
    ];
    for (base_url, expected) in table {
        let model = model(json!({ "baseUrl": base_url, "reasoning": true }));
        assert_eq!(
            sent(&model, &context, &everything()),
            expected,
            "{base_url}"
        );
    }
}

#[test]
fn a_model_that_does_not_think_is_not_asked_for_thinking() {
    let body = sent(&model(json!({})), &hello(), &everything());
    let expected = json!({
        "model": "m",
        "input": [user("Hello")],
        "stream": true,
        "temperature": 0.5,
        "max_output_tokens": 16,
        "store": false,
        "prompt_cache_key": "s",
        "prompt_cache_retention": "24h",
    });
    assert_eq!(body, expected);
}

#[test]
fn a_level_becomes_the_word_that_the_host_has_for_it() {
    use ThinkingLevel::*;
    let table = [
        ("https://api.openai.com/v1", Off, Value::Null),
        (
            "https://api.openai.com/v1",
            Minimal,
            json!({ "effort": "minimal", "summary": "auto" }),
        ),
        (
            "https://api.openai.com/v1",
            Xhigh,
            json!({ "effort": "xhigh", "summary": "auto" }),
        ),
        (
            "https://api.groq.com/openai/v1",
            Minimal,
            json!({ "effort": "low" }),
        ),
        (
            "https://api.groq.com/openai/v1",
            Xhigh,
            json!({ "effort": "high" }),
        ),
        ("https://api.x.ai/v1", High, Value::Null),
    ];
    for (base_url, level, expected) in table {
        let model = model(json!({ "baseUrl": base_url, "reasoning": true }));
        let options = RequestOptions {
            reasoning: level,
            ..RequestOptions::default()
        };
        let body = sent(&model, &hello(), &options);
        assert_eq!(body["reasoning"], expected, "{base_url} {level:?}");
    }
}

#[test]
fn caching_can_be_left_out_and_a_long_key_is_cut() {
    let options = |cache_retention| RequestOptions {
        session_id: Some("é".repeat(70)),
        cache_retention,
        ..RequestOptions::default()
    };
    let table = [
        (CacheRetention::None, Value::Null, Value::Null),
        (CacheRetention::Short, json!("é".repeat(64)), Value::Null),
        (CacheRetention::Long, json!("é".repeat(64)), json!("24h")),
    ];
    for (retention, key, time) in table {
        let body = sent(&model(json!({})), &hello(), &options(retention));
        assert_eq!(body["prompt_cache_key"], key);
        assert_eq!(body["prompt_cache_retention"], time);
    }
}

#[test]
fn the_key_goes_where_the_host_reads_it_and_a_query_stays() {
    let azure = "https://me.openai.azure.com/openai/v1?api-version=preview";
    let table = [
        (
            json!({}),
            "https://api.openai.com/v1/responses",
            ("authorization", "Bearer key"),
        ),
        (
            json!({ "baseUrl": azure }),
            "https://me.openai.azure.com/openai/v1/responses?api-version=preview",
            ("api-key", "key"),
        ),
    ];
    for (extra, url, (name, value)) in table {
        let request = encode(&model(extra), &hello(), &everything()).unwrap();
        assert_eq!(request.url, url);
        assert!(request.headers.contains(&(name.into(), value.into())));
        let keys = request
            .headers
            .iter()
            .filter(|(_, value)| value.contains("key"));
        assert_eq!(keys.count(), 1);
    }
}

#[test]
fn tools_are_flat_and_never_strict() {
    let tool = |name: &str, description: &str, parameters: Value| ToolDefinition {
        name: name.into(),
        description: description.into(),
        parameters,
    };
    let schema = json!({ "type": "object", "properties": { "q": { "type": "number" } } });
    let context = Context {
        tools: vec![
            tool("f", "Does it.", schema.clone()),
            tool("g", "", Value::Null),
        ],
        ..hello()
    };
    let choices = [
        (None, Value::Null),
        (Some(ToolChoice::Mode(ToolChoiceMode::Auto)), json!("auto")),
        (Some(ToolChoice::Mode(ToolChoiceMode::None)), json!("none")),
        (
            Some(ToolChoice::Mode(ToolChoiceMode::Required)),
            json!("required"),
        ),
        (
            Some(ToolChoice::Tool(NamedTool { name: "f".into() })),
            json!({ "type": "function", "name": "f" }),
        ),
    ];
    for (tool_choice, expected) in choices {
        let options = RequestOptions {
            tool_choice,
            ..RequestOptions::default()
        };
        let body = sent(&local(), &context, &options);
        assert_eq!(
            body["tools"],
            json!([
                {
                    "type": "function", "name": "f", "description": "Does it.",
                    "parameters": schema, "strict": false,
                },
                {
                    "type": "function", "name": "g",
                    "parameters": { "type": "object", "properties": {} }, "strict": false,
                },
            ])
        );
        assert_eq!(body["tool_choice"], expected);
        let without = sent(&local(), &hello(), &options);
        assert_eq!(
            (&without["tools"], &without["tool_choice"]),
            (&Value::Null, &Value::Null)
        );
    }
}

#[test]
fn images_go_where_they_were() {
    let messages = vec![
        json!({ "role": "user", "content": [said("look")[0], image()] }),
        turn(json!([
            call("a", Value::Null),
            call("b", Value::Null),
            call("c", Value::Null)
        ])),
        result("b", json!([image()])),
        result("a", json!([said("see")[0], image(), said("there")[0]])),
        result("c", json!([said("one")[0], said("two")[0]])),
    ];
    let text_part = |text| json!({ "type": "input_text", "text": text });
    let expected = [
        json!({ "role": "user", "content": [text_part("look"), image_part()] }),
        function_call("", "a"),
        function_call("", "b"),
        function_call("", "c"),
        json!({
            "type": "function_call_output", "call_id": "a",
            "output": [text_part("see"), image_part(), text_part("there")],
        }),
        json!({ "type": "function_call_output", "call_id": "b", "output": [image_part()] }),
        output("c", "one\ntwo"),
    ];
    assert_eq!(input(messages), expected);
    let own = turn(json!([image()]));
    assert_eq!(input(vec![own]), [message("(image)")]);
}

#[test]
fn thinking_goes_back_in_front_of_what_it_led_to() {
    let fc = || json!(r#"{"id":"fc_1"}"#);
    let msg = || json!(r#"{"id":"msg_1"}"#);
    let turns = [
        // Two in a row, each as it was, and a second call of the same thinking.
        (
            json!([
                thinking("rs_1"),
                thinking("rs_2"),
                call("a", fc()),
                call("b", json!(r#"{"id":"fc_2"}"#))
            ]),
            vec![
                reasoning("rs_1"),
                reasoning("rs_2"),
                function_call("fc_1", "a"),
                function_call("fc_2", "b"),
                output("a", "1"),
                output("b", "2"),
            ],
        ),
        (
            json!([thinking("rs_1"), text("hi", msg()), call("a", fc())]),
            vec![
                reasoning("rs_1"),
                message_with_id("hi", "msg_1"),
                function_call("fc_1", "a"),
                output("a", "1"),
            ],
        ),
        // At the end it led to nothing.
        (
            json!([text("hi", msg()), thinking("rs_1")]),
            vec![message("hi")],
        ),
        // What it led to was cut, so it is not signed.
        (
            json!([thinking("rs_1"), text("hi", Value::Null), call("a", fc())]),
            vec![message("hi"), function_call("", "a"), output("a", "1")],
        ),
        // Thinking in between was lost.
        (
            json!([thinking("rs_1"), { "type": "thinking", "thinking": "?" }, text("hi", msg())]),
            vec![message("hi")],
        ),
        // No thinking, no ids.
        (
            json!([text("hi", msg()), call("a", fc())]),
            vec![message("hi"), function_call("", "a"), output("a", "1")],
        ),
        (json!([thinking("rs_1")]), vec![]),
    ];
    for (content, expected) in turns {
        let messages = vec![
            turn(content.clone()),
            result("a", said("1")),
            result("b", said("2")),
        ];
        assert_eq!(input(messages), expected, "{content}");
    }
}

#[test]
fn signatures_of_another_model_or_of_no_known_form_are_not_sent() {
    let content = json!([
        thinking("rs_1"),
        text("hi", json!(r#"{"id":"msg_1","phase":"commentary"}"#)),
        call("a", json!(r#"{"id":"fc_1"}"#)),
    ]);
    let plain = [
        message("hi"),
        function_call("", "a"),
        output("a", "(no output)"),
    ];
    for (name, value) in [
        ("model", "n"),
        ("provider", "azure"),
        ("api", "openai-completions"),
    ] {
        let mut turn = turn(content.clone());
        turn[name] = json!(value);
        assert_eq!(input(vec![turn, result("a", json!([]))]), plain, "{name}");
    }
    for signature in ["", "msg_1", "{", "[]", "7", "null"] {
        let content = json!([
            { "type": "thinking", "thinking": "x", "thinkingSignature": signature },
            text("hi", json!(signature)),
            call("a", json!(signature)),
        ]);
        assert_eq!(
            input(vec![turn(content), result("a", json!([]))]),
            plain,
            "{signature}"
        );
    }
}

#[test]
fn ids_that_the_api_refuses_are_left_out() {
    let long = ["msg_", &"x".repeat(61)].concat();
    for id in ["x1", "fc_1", "msg.1", "", &long] {
        let signature = json!({ "id": id }).to_string();
        let content = json!([thinking("rs_1"), text("hi", json!(signature))]);
        assert_eq!(
            input(vec![turn(content)]),
            [reasoning("rs_1"), message("hi")],
            "{id}"
        );
    }
    let mut nameless = reasoning("");
    nameless.as_object_mut().unwrap().remove("id");
    let content = json!([thinking("capture-id-3"), text("hi", json!("{}"))]);
    nameless["encrypted_content"] = json!("of capture-id-3");
    assert_eq!(input(vec![turn(content)]), [nameless, message("hi")]);
}

#[test]
fn no_item_is_sent_twice_under_one_id() {
    let content = json!([thinking("rs_1"), text("hi", json!(r#"{"id":"msg_1"}"#))]);
    let messages = vec![turn(content.clone()), user("again"), turn(content.clone())];
    let expected = [
        reasoning("rs_1"),
        message_with_id("hi", "msg_1"),
        user("again"),
        message("hi"),
    ];
    assert_eq!(input(messages), expected);
    let again = json!([thinking("rs_2"), text("hi", json!(r#"{"id":"msg_1"}"#))]);
    let messages = vec![turn(content), user("again"), turn(again)];
    let expected = [
        reasoning("rs_1"),
        message_with_id("hi", "msg_1"),
        user("again"),
        reasoning("rs_2"),
        message("hi"),
    ];
    assert_eq!(input(messages), expected);
}

#[test]
fn thinking_at_the_end_of_a_turn_does_not_go_into_the_next() {
    let first = json!([text("a", Value::Null), thinking("rs_1")]);
    let second = json!([text("b", json!(r#"{"id":"msg_2"}"#))]);
    let third = json!([thinking("rs_3"), text("c", json!(r#"{"id":"msg_3"}"#))]);
    let fourth = json!([text("d", json!(r#"{"id":"msg_4"}"#))]);
    let messages = [first, second, third, fourth].map(turn).to_vec();
    let expected = [
        message("a"),
        message("b"),
        reasoning("rs_3"),
        message_with_id("c", "msg_3"),
        message("d"),
    ];
    assert_eq!(input(messages), expected);
}

#[test]
fn a_phase_goes_back_with_and_without_an_id() {
    let signed = |id: &str, phase: &str| json!({ "id": id, "phase": phase }).to_string();
    let content = json!([
        text("first", json!(signed("msg_1", "commentary"))),
        thinking("rs_1"),
        text("last", json!(signed("msg_2", "final_answer"))),
    ]);
    let mut first = message("first");
    first["phase"] = json!("commentary");
    let mut last = message_with_id("last", "msg_2");
    last["phase"] = json!("final_answer");
    assert_eq!(input(vec![turn(content)]), [first, reasoning("rs_1"), last]);
}

#[test]
fn a_custom_call_goes_back_as_one_and_to_another_model_as_a_function_call() {
    let content = |arguments: Value| {
        json!([{
            "type": "toolCall", "id": "a", "name": "f", "arguments": arguments,
            "thoughtSignature": r#"{"type":"custom_tool_call","id":"ctc_1"}"#,
        }])
    };
    let custom = json!({
        "type": "custom_tool_call", "call_id": "a", "name": "f", "input": "SELECT 1",
    });
    let custom_output = json!({
        "type": "custom_tool_call_output", "call_id": "a", "output": "ok",
    });
    let own = turn(content(json!({ "input": "SELECT 1" })));
    let answer = || result("a", said("ok"));
    assert_eq!(input(vec![own.clone(), answer()]), [custom, custom_output]);
    let function = |arguments: &str| {
        let mut call = function_call("", "a");
        call["arguments"] = json!(arguments);
        [call, output("a", "ok")]
    };
    let mut other = own;
    other["model"] = json!("n");
    assert_eq!(
        input(vec![other, answer()]),
        function(r#"{"input":"SELECT 1"}"#)
    );
    // The page has changed the arguments.
    let edited = turn(content(json!({ "query": 1 })));
    assert_eq!(input(vec![edited, answer()]), function(r#"{"query":1}"#));
}

#[test]
fn ids_and_names_of_other_providers_are_made_acceptable_on_both_sides() {
    let id = ["toolu_|+/", &"x".repeat(440)].concat();
    let mut turn = turn(json!([call(&id, Value::Null)]));
    turn["api"] = json!("anthropic-messages");
    turn["content"][0]["name"] = json!("a.b");
    let items = input(vec![turn, result(&id, said("ok"))]);
    let call_id = items[0]["call_id"].as_str().unwrap();
    assert!((1..=64).contains(&call_id.len()));
    assert_eq!(items[0]["name"], "a_b");
    assert_eq!(items[1], output(call_id, "ok"));
}

#[test]
fn a_call_that_was_not_answered_is_answered_and_one_of_a_failed_turn_is_left_out() {
    let mut failed = turn(json!([
        thinking("rs_1"),
        text("hi", Value::Null),
        call("a", Value::Null)
    ]));
    assert_eq!(
        input(vec![failed.clone()]),
        [
            message("hi"),
            function_call("", "a"),
            output("a", history::MISSING_RESULT)
        ]
    );
    failed["stopReason"] = json!("error");
    assert_eq!(input(vec![failed]), [message("hi")]);
}

#[test]
fn what_cannot_be_sent_is_refused_with_a_reason() {
    let table = [
        (
            json!([]),
            "the conversation is empty: add a user message (roles of your own need convertToLlm, a system prompt goes into systemPrompt)",
        ),
        (json!([user(" ")]), "the conversation is empty"),
        (
            json!([user("a"), turn(json!([text("b", Value::Null)]))]),
            "ends with the model's answer",
        ),
    ];
    for (messages, reason) in table {
        let error = encode(&local(), &context(messages), &RequestOptions::default()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        assert!(error.message.contains(reason), "{}", error.message);
    }
}
