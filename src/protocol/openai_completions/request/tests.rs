use serde_json::{Value, json};

use super::body::NO_THINKING;
use super::*;
use crate::error::ErrorCode;
use crate::message::Message;
use crate::model::{Compat, Named, ThinkingLevel, ToolDefinition};
use crate::protocol::testing::{self, context, hello, image, result, said, sent, turn};
use crate::text::json::from_text;

/// The model `m` of a host that nobody knows.
fn model(extra: Value) -> Model {
    let model = testing::model(Api::OpenAiCompletions, extra);
    let local = || "http://localhost/v1".to_owned();
    Model {
        base_url: Some(model.base_url.clone().unwrap_or_else(local)),
        ..model
    }
}

fn messages(model: &Model, messages: Value) -> Value {
    sent(model, &context(messages), &RequestOptions::default())["messages"].take()
}

/// Two calls of one turn, made by the model `m`.
fn two_calls() -> Value {
    let content = json!([
        { "type": "thinking", "thinking": "let me look" },
        { "type": "toolCall", "id": "a", "name": "f", "arguments": { "q": 1 } },
        { "type": "toolCall", "id": "b", "name": "g", "arguments": {} },
    ]);
    turn(Api::OpenAiCompletions, "toolUse", content)
}

fn image_part() -> Value {
    json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA==" } })
}

#[test]
fn an_unknown_host_gets_the_base_fields_and_nothing_else() {
    let options = RequestOptions {
        reasoning: ThinkingLevel::High,
        session_id: Some("s".into()),
        ..RequestOptions::default()
    };
    let context = Context {
        system_prompt: "Be kind.".into(),
        ..hello()
    };
    let body = sent(&model(json!({ "reasoning": true })), &context, &options);
    let expected = json!({
        "model": "m",
        "messages": [
            { "role": "system", "content": "Be kind." },
            { "role": "user", "content": "Hello" },
        ],
        "stream": true,
    });
    assert_eq!(body, expected);
}

#[test]
fn openai_gets_what_it_documents() {
    let options = RequestOptions {
        reasoning: ThinkingLevel::Low,
        session_id: Some("s".into()),
        max_tokens: Some(100.0),
        temperature: Some(0.5),
        ..RequestOptions::default()
    };
    let model = Model {
        base_url: None,
        ..model(json!({ "reasoning": true }))
    };
    let context = Context {
        system_prompt: "Be kind.".into(),
        ..hello()
    };
    let expected = json!({
        "model": "m",
        "messages": [
            { "role": "developer", "content": "Be kind." },
            { "role": "user", "content": "Hello" },
        ],
        "stream": true,
        "stream_options": { "include_usage": true },
        "temperature": 0.5,
        "max_completion_tokens": 100,
        "reasoning_effort": "low",
        "store": false,
        "prompt_cache_key": "s",
    });
    assert_eq!(sent(&model, &context, &options), expected);
}

#[test]
fn tools_and_the_choice_among_them_are_sent_together() {
    let tool = ToolDefinition {
        name: "f".into(),
        description: "Does f.".into(),
        parameters: json!({ "type": "object", "properties": { "q": { "type": "integer" } } }),
    };
    let bare = ToolDefinition {
        name: "g".into(),
        ..ToolDefinition::default()
    };
    let context = Context {
        tools: vec![tool.clone(), bare],
        ..hello()
    };
    for (choice, wire) in [
        (json!("auto"), json!("auto")),
        (json!("required"), json!("required")),
        (
            json!({ "name": "f" }),
            json!({ "type": "function", "function": { "name": "f" } }),
        ),
    ] {
        let options = RequestOptions {
            tool_choice: Some(from_text(&choice.to_string()).unwrap()),
            ..RequestOptions::default()
        };
        let body = sent(&model(json!({})), &context, &options);
        assert_eq!(body["tool_choice"], wire);
        let expected = json!([
            { "type": "function", "function": { "name": "f", "description": "Does f.", "parameters": tool.parameters } },
            { "type": "function", "function": { "name": "g", "parameters": { "type": "object", "properties": {} } } },
        ]);
        assert_eq!(body["tools"], expected);
        let body = sent(&model(json!({})), &hello(), &options);
        assert_eq!(
            (body.get("tools"), body.get("tool_choice")),
            (None, None),
            "neither without tools"
        );
    }
}

#[test]
fn the_output_limit_goes_into_the_field_of_the_host() {
    for (base_url, own, asked, field, limit) in [
        ("http://localhost/v1", None, Some(10.0), "max_tokens", 10),
        ("http://localhost/v1", Some(20.0), None, "max_tokens", 20),
        (
            "http://localhost/v1",
            Some(20.0),
            Some(10.9),
            "max_tokens",
            10,
        ),
        (
            "https://api.groq.com/openai/v1",
            None,
            Some(10.0),
            "max_completion_tokens",
            10,
        ),
    ] {
        let model = model(json!({ "baseUrl": base_url, "maxTokens": own }));
        let options = RequestOptions {
            max_tokens: asked,
            ..RequestOptions::default()
        };
        assert_eq!(sent(&model, &hello(), &options)[field], limit);
    }
    let options = RequestOptions {
        max_tokens: Some(0.0),
        temperature: Some(f64::NAN),
        ..RequestOptions::default()
    };
    let body = sent(&model(json!({})), &hello(), &options);
    assert_eq!(
        (body.get("max_tokens"), body.get("temperature")),
        (None, None)
    );
}

#[test]
fn thinking_is_asked_for_in_words_that_the_host_knows() {
    let table = [
        (
            "https://api.openai.com/v1",
            true,
            ThinkingLevel::Xhigh,
            Some("xhigh"),
        ),
        (
            "https://api.openai.com/v1",
            true,
            ThinkingLevel::Minimal,
            Some("minimal"),
        ),
        ("https://api.openai.com/v1", true, ThinkingLevel::Off, None),
        (
            "https://api.openai.com/v1",
            false,
            ThinkingLevel::High,
            None,
        ),
        (
            "https://api.groq.com/openai/v1",
            true,
            ThinkingLevel::Xhigh,
            Some("high"),
        ),
        (
            "https://api.groq.com/openai/v1",
            true,
            ThinkingLevel::Minimal,
            Some("low"),
        ),
        ("https://api.mistral.ai/v1", true, ThinkingLevel::High, None),
    ];
    for (base_url, reasoning, level, word) in table {
        let model = model(json!({ "baseUrl": base_url, "reasoning": reasoning }));
        let options = RequestOptions {
            reasoning: level,
            ..RequestOptions::default()
        };
        let body = sent(&model, &hello(), &options);
        assert_eq!(
            body.get("reasoning_effort").and_then(Value::as_str),
            word,
            "{base_url} {level:?}"
        );
    }
}

#[test]
fn every_host_gets_the_extras_that_it_documents_and_no_other() {
    let context = Context {
        system_prompt: "Be kind.".into(),
        tools: vec![ToolDefinition {
            name: "f".into(),
            ..ToolDefinition::default()
        }],
        ..hello()
    };
    let options = RequestOptions {
        reasoning: ThinkingLevel::High,
        session_id: Some("s".into()),
        max_tokens: Some(9.0),
        ..RequestOptions::default()
    };
    let usage = json!({ "stream_options": { "include_usage": true } });
    let with = |more: Value| {
        let mut extras = usage.clone();
        extras
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        extras
    };
    let effort = || with(json!({ "reasoning_effort": "high", "max_tokens": 9 }));
    let completion = || with(json!({ "reasoning_effort": "high", "max_completion_tokens": 9 }));
    let plain = || json!({ "max_tokens": 9 });
    let counted = || with(plain());
    let table = [
        (
            "https://api.openai.com/v1",
            with(
                json!({ "reasoning_effort": "high", "max_completion_tokens": 9, "store": false, "prompt_cache_key": "s" }),
            ),
        ),
        ("https://me.openai.azure.com/openai/v1", completion()),
        ("https://api.groq.com/openai/v1", completion()),
        ("https://api.cerebras.ai/v1", completion()),
        (
            "https://openrouter.ai/api/v1",
            with(json!({ "reasoning": { "effort": "high" }, "max_tokens": 9 })),
        ),
        ("https://api.deepseek.com", effort()),
        ("https://api.fireworks.ai/inference/v1", effort()),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            effort(),
        ),
        ("https://api.moonshot.ai/v1", counted()),
        ("https://api.x.ai/v1", counted()),
        ("https://api.together.xyz/v1", counted()),
        ("https://api.mistral.ai/v1", plain()),
        ("http://localhost:11434/v1", plain()),
        ("http://localhost:1234/v1", plain()),
        ("http://127.0.0.1:8080/v1", plain()),
        ("http://gpu-server:8000/v1", plain()),
        ("https://llm.example.com/v1", plain()),
        ("/api/llm", plain()),
    ];
    for (base_url, extras) in table {
        let model = model(json!({ "baseUrl": base_url, "reasoning": true }));
        let mut body = sent(&model, &context, &options);
        let body = body.as_object_mut().unwrap();
        for base in ["model", "messages", "stream", "tools"] {
            assert!(body.remove(base).is_some(), "{base_url}: {base}");
        }
        assert_eq!(json!(body), extras, "{base_url}");
    }
}

#[test]
fn users_send_text_and_images() {
    let blocks =
        json!([{ "role": "user", "content": [{ "type": "text", "text": "see" }, image()] }]);
    let expected =
        json!([{ "role": "user", "content": [{ "type": "text", "text": "see" }, image_part()] }]);
    assert_eq!(messages(&model(json!({})), blocks.clone()), expected);
    let expected = json!([{ "role": "user", "content": [
        { "type": "text", "text": "see" },
        { "type": "text", "text": history::OMITTED_IMAGE },
    ] }]);
    assert_eq!(
        messages(&model(json!({ "input": ["text"] })), blocks),
        expected
    );
}

#[test]
fn a_turn_of_calls_has_no_content_and_its_results_follow_in_order() {
    let history = json!([
        { "role": "user", "content": "go" },
        two_calls(),
        result("b", said("2")),
        result("a", said("1")),
    ]);
    let expected = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{\"q\":1}" } },
            { "id": "b", "type": "function", "function": { "name": "g", "arguments": "{}" } },
        ] },
        { "role": "tool", "content": "1", "tool_call_id": "a" },
        { "role": "tool", "content": "2", "tool_call_id": "b" },
    ]);
    assert_eq!(messages(&model(json!({})), history), expected);
}

#[test]
fn images_of_results_follow_the_last_result_as_one_user_message() {
    let history = json!([
        two_calls(),
        result("a", json!([image()])),
        result("b", json!([{ "type": "text", "text": "two" }, { "type": "text", "text": "lines" }, image()])),
        { "role": "user", "content": "and?" },
    ]);
    let sent = messages(&model(json!({})), history.clone());
    let expected = json!([
        { "role": "tool", "content": "(see attached image)", "tool_call_id": "a" },
        { "role": "tool", "content": "two\nlines", "tool_call_id": "b" },
        { "role": "user", "content": [image_part(), image_part()] },
        { "role": "user", "content": "and?" },
    ]);
    assert_eq!(json!(sent.as_array().unwrap()[1..]), expected);

    let blind = messages(&model(json!({ "input": ["text"] })), history);
    assert_eq!(blind[1]["content"], history::OMITTED_IMAGE);
    assert_eq!(blind.as_array().unwrap().len(), 4, "no message of images");
}

#[test]
fn a_host_that_wants_it_gets_an_answer_between_results_and_a_user_message() {
    let mistral = model(json!({ "baseUrl": "https://api.mistral.ai/v1" }));
    let history = json!([
        two_calls(),
        result("a", json!([image()])),
        result("b", said("2"))
    ]);
    let sent = messages(&mistral, history);
    let roles: Vec<&str> = sent
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["assistant", "tool", "tool", "assistant", "user"]);
    assert_eq!(sent[1]["name"], "f");
    for id in [&sent[1]["tool_call_id"], &sent[2]["tool_call_id"]] {
        assert_eq!(id.as_str().unwrap().len(), 9);
    }
    assert_eq!(sent[0]["tool_calls"][0]["id"], sent[1]["tool_call_id"]);
}

#[test]
fn thinking_goes_back_only_beside_calls_and_only_where_the_host_wants_it() {
    let history = json!([
        { "role": "user", "content": "go" },
        two_calls(),
        result("a", said("1")),
        result("b", said("2")),
        {
            "role": "assistant", "api": "openai-completions", "provider": "openai", "model": "m",
            "content": [{ "type": "thinking", "thinking": "so" }, { "type": "text", "text": "Done." }],
        },
        { "role": "user", "content": "thanks" },
    ]);
    for (field, name) in [
        ("none", None),
        ("reasoning_content", Some("reasoning_content")),
        ("reasoning", Some("reasoning")),
    ] {
        let sent = messages(
            &model(json!({ "compat": { "reasoningField": field } })),
            history.clone(),
        );
        for other in ["reasoning_content", "reasoning"] {
            let expected = (name == Some(other)).then(|| json!("let me look"));
            assert_eq!(sent[1].get(other), expected.as_ref(), "{field}");
            assert_eq!(sent[4].get(other), None, "{field}: not beside text alone");
        }
    }
    // Thinking of another model is not there; a host that insists gets a stand-in, never "".
    for (reasoning, expected) in [
        (json!(true), json!(NO_THINKING)),
        (json!(null), json!(NO_THINKING)),
        (json!(false), json!(null)),
    ] {
        let other = json!({
            "id": "other", "reasoning": reasoning, "compat": { "reasoningField": "reasoning_content" },
        });
        let sent = messages(&model(other), history.clone());
        assert_eq!(sent[1]["reasoning_content"], expected, "{reasoning}");
    }
}

#[test]
fn mistral_gets_the_thinking_of_every_turn_in_typed_parts_of_the_content() {
    let turn = |model: &str, content: Value| {
        json!({
            "role": "assistant", "api": "openai-completions", "provider": "openai", "model": model,
            "stopReason": "stop", "content": content,
        })
    };
    let thought = json!({ "type": "thinking", "thinking": "so" });
    let text = json!({ "type": "text", "text": "Done." });
    let sent_thought =
        json!({ "type": "thinking", "thinking": [{ "type": "text", "text": "so" }] });
    let call = two_calls()["content"][1].clone();
    let table = [
        (
            "text",
            "m",
            json!([thought, text]),
            Some(json!([sent_thought, text])),
        ),
        (
            "in between",
            "m",
            json!([text, thought, text]),
            Some(json!([text, sent_thought, text])),
        ),
        (
            "a call",
            "m",
            json!([thought, call]),
            Some(json!([sent_thought])),
        ),
        ("no thinking", "m", json!([text]), Some(json!("Done."))),
        (
            "of another model",
            "other",
            json!([thought, text]),
            Some(json!("Done.")),
        ),
        (
            "a call of another model",
            "other",
            json!([thought, call]),
            None,
        ),
    ];
    for (what, made_by, content, expected) in table {
        let history = json!([turn(made_by, content), { "role": "user", "content": "go on" }]);
        let sent = messages(
            &model(json!({ "baseUrl": "https://api.mistral.ai/v1" })),
            history,
        );
        assert_eq!(sent[0].get("content"), expected.as_ref(), "{what}");
        for field in ["reasoning", "reasoning_content"] {
            assert_eq!(sent[0].get(field), None, "{what}");
        }
    }
}

#[test]
fn signatures_of_calls_go_back_to_the_model_that_made_them_and_google_gets_a_stand_in() {
    const GOOGLE: &str = "https://generativelanguage.googleapis.com/v1beta/openai";
    let signed = |model: &str, signature: Option<&str>| {
        let mut turn = two_calls();
        turn["model"] = json!(model);
        if let Some(signature) = signature {
            turn["content"][1]["thoughtSignature"] = json!(signature);
        }
        json!([{ "role": "user", "content": "go" }, turn, result("a", said("1")), result("b", said("2"))])
    };
    let table = [
        (
            "gemini-3-pro",
            GOOGLE,
            signed("gemini-3-pro", Some("S")),
            Some("S"),
        ),
        (
            "gemini-3-pro",
            GOOGLE,
            signed("another", Some("S")),
            Some("skip_thought_signature_validator"),
        ),
        (
            "gemini-3-pro",
            GOOGLE,
            signed("gemini-3-pro", None),
            Some("skip_thought_signature_validator"),
        ),
        ("gemini-2.5-pro", GOOGLE, signed("another", None), None),
        // A proxy that passes them on takes them back; nobody else is told of any.
        (
            "gemini-3-pro",
            "http://localhost/v1",
            signed("gemini-3-pro", Some("S")),
            Some("S"),
        ),
        (
            "gemini-3-pro",
            "http://localhost/v1",
            signed("another", Some("S")),
            None,
        ),
        (
            "gemini-3-pro",
            "http://localhost/v1",
            signed("gemini-3-pro", Some("")),
            None,
        ),
    ];
    for (id, base_url, history, expected) in table {
        let sent = messages(&model(json!({ "id": id, "baseUrl": base_url })), history);
        let calls = &sent[1]["tool_calls"];
        let expected =
            expected.map(|signature| json!({ "google": { "thought_signature": signature } }));
        assert_eq!(
            calls[0].get("extra_content"),
            expected.as_ref(),
            "{id} {base_url}"
        );
        assert_eq!(
            calls[1].get("extra_content"),
            None,
            "only the first of parallel calls"
        );
    }
}

#[test]
fn what_cannot_be_sent_is_refused_with_a_reason() {
    let answer = json!({ "role": "assistant", "content": [{ "type": "text", "text": "full" }] });
    let table = [
        (json!([]), "empty"),
        (json!([{ "role": "user", "content": " " }]), "empty"),
        (
            json!([{ "role": "user", "content": "x" }, answer]),
            "add a user message",
        ),
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

#[test]
fn the_url_is_made_from_any_way_to_write_the_base() {
    let table = [
        ("https://h.test/v1", "https://h.test/v1/chat/completions"),
        ("https://h.test/v1/", "https://h.test/v1/chat/completions"),
        (
            "https://h.test/v1/chat/completions",
            "https://h.test/v1/chat/completions",
        ),
        (
            "https://h.test/d?api-version=1",
            "https://h.test/d/chat/completions?api-version=1",
        ),
        ("/api", "/api/chat/completions"),
    ];
    for (base, url) in table {
        let request = encode(
            &model(json!({ "baseUrl": base })),
            &hello(),
            &RequestOptions::default(),
        );
        assert_eq!(request.unwrap().url, url);
    }
    let plain = Model {
        id: "m".into(),
        ..Model::default()
    };
    let request = encode(&plain, &hello(), &RequestOptions::default()).unwrap();
    assert_eq!(request.url, "https://api.openai.com/v1/chat/completions");
}

#[test]
fn headers_are_merged_by_name_whatever_its_case() {
    let of = |pairs: &[(&str, &str)]| -> Named<String> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect()
    };
    let model = Model {
        headers: Some(of(&[("X-Title", "app"), ("Accept", "a/b")])),
        ..model(json!({}))
    };
    let options = RequestOptions {
        api_key: Some("key".into()),
        headers: Some(of(&[("x-title", "mine"), ("AUTHORIZATION", "Custom x")])),
        ..RequestOptions::default()
    };
    let headers = encode(&model, &hello(), &options).unwrap().headers;
    let expected = [
        ("content-type", "application/json"),
        ("accept", "a/b"),
        ("authorization", "Custom x"),
        ("x-title", "mine"),
    ];
    assert_eq!(
        headers,
        expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
}

#[test]
fn the_key_goes_where_the_host_looks_for_it() {
    let with_key = RequestOptions {
        api_key: Some("key".into()),
        ..RequestOptions::default()
    };
    let empty = RequestOptions {
        api_key: Some(String::new()),
        ..RequestOptions::default()
    };
    for (base_url, options, expected) in [
        (
            "http://localhost/v1",
            &with_key,
            Some(("authorization", "Bearer key")),
        ),
        (
            "https://r.openai.azure.com/openai/v1",
            &with_key,
            Some(("api-key", "key")),
        ),
        ("http://localhost/v1", &empty, None),
        ("http://localhost/v1", &RequestOptions::default(), None),
    ] {
        let request = encode(&model(json!({ "baseUrl": base_url })), &hello(), options).unwrap();
        let key = request
            .headers
            .get(2)
            .map(|(name, value)| (name.as_str(), value.as_str()));
        assert_eq!(key, expected);
        assert!(!request.body.contains("key"));
    }
}

#[test]
fn invalid_headers_are_refused_without_telling_their_value() {
    for (name, value, words) in [
        ("bad name", "x", "bad name"),
        ("", "x", "not valid"),
        ("x-é", "x", "not valid"),
        ("x-key", "secret\nvalue", "x-key"),
        ("x-key", "secret…", "x-key"),
    ] {
        let headers = Some([(name.to_owned(), value.to_owned())].into());
        let options = RequestOptions {
            headers,
            ..RequestOptions::default()
        };
        let error = encode(&model(json!({})), &hello(), &options).unwrap_err();
        assert!(error.message.contains(words), "{}", error.message);
        assert!(!error.message.contains("secret"), "{}", error.message);
    }
}

#[test]
fn text_of_any_kind_is_valid_json() {
    let odd = "quote \" backslash \\ bell \u{7} line\u{2028} \u{FFFD} 🙂";
    let history = json!([{ "role": "user", "content": odd }]);
    assert_eq!(messages(&model(json!({})), history)[0]["content"], odd);
}

#[test]
fn the_beginning_of_a_growing_conversation_stays_the_same() {
    let history = [
        json!({ "role": "user", "content": "go" }),
        two_calls(),
        result("b", said("2")),
        result("a", said("1")),
        json!({ "role": "user", "content": "more" }),
    ];
    let write = |count: usize| {
        let messages: Vec<Message> = history[..count]
            .iter()
            .map(|message| from_text::<Message>(&message.to_string()).unwrap())
            .collect();
        let context = Context {
            messages,
            ..Context::default()
        };
        encode(&model(json!({})), &context, &RequestOptions::default())
            .unwrap()
            .body
    };
    let (shorter, longer) = (write(4), write(5));
    let end = shorter.find("],\"stream\"").unwrap();
    assert_eq!(longer[..end], shorter[..end]);
}

#[test]
fn compat_of_the_model_is_obeyed() {
    let compat = Compat {
        supports_usage_in_streaming: Some(true),
        ..Compat::default()
    };
    let model = Model {
        compat: Some(compat),
        ..model(json!({}))
    };
    let body = sent(&model, &hello(), &RequestOptions::default());
    assert_eq!(body["stream_options"], json!({ "include_usage": true }));
}
