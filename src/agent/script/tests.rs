use serde_json::json;

use super::*;
use crate::text::json::from_text;

fn turn(value: Value) -> ScriptTurn {
    from_text(&value.to_string()).unwrap()
}

/// What the frames of a response say, in short.
fn said(response: &ScriptResponse) -> Vec<String> {
    let short = |chunk: &String| {
        let data = chunk.strip_prefix("data: ").unwrap_or(chunk).trim_end();
        let Ok(value) = serde_json::from_str::<Value>(data) else {
            return data.to_owned();
        };
        let choice = &value["choices"][0];
        if value["error"].is_object() || value["usage"].is_object() {
            format!("{}{}", value["error"], value["usage"])
        } else if choice["finish_reason"].is_string() {
            format!("finish {}", choice["finish_reason"])
        } else {
            choice["delta"].to_string()
        }
    };
    response.chunks.iter().map(short).collect()
}

#[test]
fn a_token_is_about_a_word_and_whole_characters() {
    for (text, expected) in [
        ("", &[][..]),
        ("Hello there, you", &["Hello", " there,", " you"]),
        ("a  b\n", &["a", " ", " b", "\n"]),
        ("considerable", &["consider", "able"]),
        ("好好好好好好好好🙂", &["好好好好好好好好", "🙂"]),
        (r#"{"a":1}"#, &[r#"{"a":1}"#]),
    ] {
        assert_eq!(tokens(text).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_turn_is_the_stream_that_a_provider_would_send() {
    let all = turn(json!({
        "thinking": "Let me", "text": "Hi you",
        "toolCalls": [{"id": "a", "name": "f", "arguments": {"q": "x y"}}, {"name": "g"}],
        "usage": {"input": 8, "output": 2, "cacheRead": 1},
    }));
    let response = all.response();
    assert_eq!(
        (response.status, response.content_type),
        (200, "text/event-stream")
    );
    assert_eq!(
        said(&response),
        [
            r#"{"role":"assistant","content":""}"#,
            r#"{"reasoning_content":"Let"}"#,
            r#"{"reasoning_content":" me"}"#,
            r#"{"content":"Hi"}"#,
            r#"{"content":" you"}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":\"x"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":" y\"}"}}]}"#,
            r#"{"tool_calls":[{"index":1,"type":"function","function":{"name":"g","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}"#,
            r#"finish "tool_calls""#,
            r#"null{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":1,"cache_write_tokens":0}}"#,
            "[DONE]",
        ]
    );
    assert_eq!(response, all.response());
}

#[test]
fn how_a_turn_ends() {
    let role = r#"{"role":"assistant","content":""}"#;
    let hi = r#"{"content":"Hi"}"#;
    for (value, expected) in [
        (
            json!({"text": "Hi"}),
            vec![role, hi, r#"finish "stop""#, "[DONE]"],
        ),
        (
            json!({"text": "Hi", "stopReason": "length"}),
            vec![role, hi, r#"finish "length""#, "[DONE]"],
        ),
        (
            json!({"text": "Hi", "stopReason": "toolUse"}),
            vec![role, hi, r#"finish "tool_calls""#, "[DONE]"],
        ),
        (json!({"text": "Hi", "cut": true}), vec![role, hi]),
        (
            json!({"text": "Hi", "error": {"message": "No."}}),
            vec![role, hi, r#"{"message":"No.","type":"server_error"}null"#],
        ),
    ] {
        assert_eq!(said(&turn(value).response()), expected);
    }
}

#[test]
fn an_error_with_a_status_is_the_whole_response() {
    let response = turn(json!({
        "text": "Hi", "error": {"message": "Slow down.", "status": 429, "retryAfterMs": 1500},
    }))
    .response();
    assert_eq!(
        response,
        ScriptResponse {
            status: 429,
            content_type: "application/json",
            retry_after_ms: Some(1500.0),
            chunks: vec![r#"{"error":{"message":"Slow down.","type":"server_error"}}"#.to_owned()],
        }
    );
}

#[test]
fn arguments_in_a_string_are_sent_as_they_are() {
    let response = turn(json!({
        "toolCalls": [{"name": "f", "arguments": r#"{"q":"ha"#}],
    }))
    .response();
    assert_eq!(
        said(&response)[2],
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":\"ha"}}]}"#
    );
}

#[test]
fn a_turn_is_the_same_json_again() {
    for value in [
        json!({}),
        json!({"text": "Hi", "stopReason": "toolUse", "cut": true}),
        json!({"toolCalls": [{"id": "a", "name": "f", "arguments": {"q": 1}}]}),
        json!({"error": {"message": "No.", "status": 500}}),
    ] {
        assert_eq!(serde_json::to_value(turn(value.clone())).unwrap(), value);
    }
}
