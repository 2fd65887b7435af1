use serde_json::{Value, json};

use super::*;
use crate::assemble::Assembler;
use crate::error::ErrorCode;
use crate::protocol::Api;
use crate::protocol::testing::{self, frame};
use crate::text::sse::Frame;

/// What came of a response.
#[derive(Debug, Default, PartialEq)]
struct Told {
    id: String,
    /// Every block: `text`, `thinking!signature`, `redacted:data`; calls are `name#id(json)`.
    blocks: Vec<String>,
    /// The calls that were said to be whole.
    whole_calls: Vec<u32>,
    usage: UsageUpdate,
    stop: Option<StopReason>,
    error: Option<Failure>,
}

impl Told {
    fn code(&self) -> Option<(ErrorCode, bool)> {
        let error = self.error.as_ref()?;
        Some((error.code, error.retryable))
    }

    fn message(&self) -> &str {
        self.error.as_ref().map_or("", |error| &error.message)
    }
}

/// Puts the parts together by the rules of [`StreamPart`].
fn fold(parts: Vec<StreamPart>) -> Told {
    let mut told = Told::default();
    let mut open: Option<&str> = None;
    let mut calls: Vec<usize> = Vec::new();
    for part in parts {
        assert!(
            told.stop.is_none() && told.error.is_none(),
            "{part:?} behind the end"
        );
        let (kind, text) = match part {
            StreamPart::Text(text) => ("text", text),
            StreamPart::Thinking(text) => ("thinking", text),
            StreamPart::ThinkingSignature(signature) => ("thinking", ["!", &signature].concat()),
            StreamPart::RedactedThinking(data) => {
                open = None;
                told.blocks.push(["redacted:", &data].concat());
                continue;
            }
            StreamPart::BlockEnd => {
                assert!(open.is_some(), "the end of nothing");
                open = None;
                continue;
            }
            StreamPart::ToolCallStart { key, id, name } => {
                assert_eq!(key as usize, calls.len(), "keys ascend from 0");
                open = None;
                calls.push(told.blocks.len());
                told.blocks.push([&name, "#", &id, "("].concat());
                continue;
            }
            StreamPart::ToolCallDelta { key, json } => {
                assert!(!told.whole_calls.contains(&key), "{json} behind the end");
                told.blocks[calls[key as usize]].push_str(&json);
                continue;
            }
            StreamPart::ToolCallEnd { key } => {
                told.whole_calls.push(key);
                told.blocks[calls[key as usize]].push(')');
                continue;
            }
            StreamPart::ResponseId(id) => {
                told.id.push_str(&id);
                continue;
            }
            StreamPart::Usage(usage) => {
                let known = &mut told.usage;
                known.input = usage.input.or(known.input);
                known.output = usage.output.or(known.output);
                known.cache_read = usage.cache_read.or(known.cache_read);
                known.cache_write = usage.cache_write.or(known.cache_write);
                continue;
            }
            StreamPart::Finish(stop) => {
                told.stop = Some(stop);
                continue;
            }
            StreamPart::Error(error) => {
                told.error = Some(error);
                continue;
            }
            other => panic!("{other:?}"),
        };
        if open != Some(kind) {
            told.blocks.push([kind, ":"].concat());
            open = Some(kind);
        }
        told.blocks.last_mut().unwrap().push_str(&text);
    }
    told
}

fn read_frames<'a>(frames: impl IntoIterator<Item = (&'a str, &'a str, bool)>) -> Told {
    let mut decoder = Api::AnthropicMessages.decoder();
    let mut parts = Vec::new();
    for (event, data, is_whole) in frames {
        let frame = Frame {
            event,
            data,
            is_whole,
        };
        decoder.on_frame(frame, &mut parts);
    }
    testing::end(decoder, &mut parts);
    fold(parts)
}

/// Reads events as the API names them, and then the end of the body.
fn read(events: &[Value]) -> Told {
    let frames: Vec<(String, String)> = events
        .iter()
        .map(|event| {
            let name = event["type"].as_str().unwrap_or_default();
            (name.to_owned(), event.to_string())
        })
        .collect();
    read_frames(
        frames
            .iter()
            .map(|(name, data)| (name.as_str(), data.as_str(), true)),
    )
}

fn begin() -> Value {
    json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "stop_reason": null, "usage": { "input_tokens": 9, "output_tokens": 1 },
    } })
}

fn block(index: u32, content_block: Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": content_block })
}

fn delta(index: u32, kind: &str, member: &str, text: &str) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": { "type": kind, member: text } })
}

fn stop(index: u32) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn text(index: u32) -> Value {
    block(index, json!({ "type": "text", "text": "" }))
}

fn more(index: u32, more: &str) -> Value {
    delta(index, "text_delta", "text", more)
}

fn thinking(index: u32) -> Value {
    block(
        index,
        json!({ "type": "thinking", "thinking": "", "signature": "" }),
    )
}

fn thought(index: u32, more: &str) -> Value {
    delta(index, "thinking_delta", "thinking", more)
}

fn signature(index: u32, signature: &str) -> Value {
    delta(index, "signature_delta", "signature", signature)
}

fn call(index: u32, id: &str) -> Value {
    block(
        index,
        json!({ "type": "tool_use", "id": id, "name": "f", "input": {} }),
    )
}

fn input(index: u32, json: &str) -> Value {
    delta(index, "input_json_delta", "partial_json", json)
}

fn because(reason: Value) -> Value {
    json!({
        "type": "message_delta",
        "delta": { "stop_reason": reason, "stop_sequence": null },
        "usage": { "output_tokens": 12 },
    })
}

fn end() -> Value {
    json!({ "type": "message_stop" })
}

/// A message of these events that ends well.
fn message(events: Vec<Value>) -> Told {
    let mut all = vec![begin()];
    all.extend(events);
    all.extend([because(json!("end_turn")), end()]);
    let told = read(&all);
    assert_eq!(told.stop, Some(StopReason::Stop), "{told:?}");
    told
}

#[test]
fn a_message_is_what_its_blocks_are() {
    let table: Vec<(&str, Vec<Value>, Vec<&str>)> = vec![
        ("nothing", vec![], vec![]),
        (
            "text",
            vec![text(0), more(0, "Hel"), more(0, ""), more(0, "lo"), stop(0)],
            vec!["text:Hello"],
        ),
        (
            "blocks of one kind stay apart",
            vec![
                text(0),
                more(0, "a"),
                stop(0),
                text(1),
                more(1, "b"),
                stop(1),
            ],
            vec!["text:a", "text:b"],
        ),
        (
            "thinking, signed",
            vec![
                thinking(0),
                thought(0, "h"),
                thought(0, "m"),
                signature(0, "S"),
                stop(0),
                text(1),
                more(1, "a"),
                stop(1),
            ],
            vec!["thinking:hm!S", "text:a"],
        ),
        (
            "thinking that is withheld",
            vec![
                thinking(0),
                signature(0, "S"),
                stop(0),
                call(1, "c"),
                stop(1),
            ],
            vec!["thinking:!S", "f#c({})"],
        ),
        (
            "thinking without a signature",
            vec![thinking(0), thought(0, "hm"), signature(0, ""), stop(0)],
            vec!["thinking:hm"],
        ),
        (
            "thinking that is encrypted",
            vec![
                block(0, json!({ "type": "redacted_thinking", "data": "E" })),
                stop(0),
                call(1, "c"),
                stop(1),
            ],
            vec!["redacted:E", "f#c({})"],
        ),
        (
            "a gap in the indices",
            vec![
                thinking(0),
                thought(0, "hm"),
                stop(0),
                call(2, "c"),
                input(2, "{}"),
                stop(2),
            ],
            vec!["thinking:hm", "f#c({})"],
        ),
        (
            "a call without arguments",
            vec![call(0, "c"), input(0, ""), stop(0)],
            vec!["f#c({})"],
        ),
        (
            "calls side by side",
            vec![
                call(0, "a"),
                input(0, "{\"q\""),
                call(1, "b"),
                input(1, "{\"r\""),
                input(0, ":1}"),
                input(1, ":2}"),
                stop(1),
                stop(0),
            ],
            vec!["f#a({\"q\":1})", "f#b({\"r\":2})"],
        ),
        (
            "text around a call that is still open",
            vec![
                text(0),
                more(0, "a"),
                call(1, "c"),
                more(0, "b"),
                input(1, "{}"),
                stop(0),
                stop(1),
            ],
            vec!["text:a", "f#c({})", "text:b"],
        ),
        (
            "text blocks that alternate",
            vec![
                text(0),
                text(1),
                more(0, "a"),
                more(1, "b"),
                more(0, "c"),
                stop(0),
                stop(1),
            ],
            vec!["text:a", "text:b", "text:c"],
        ),
        (
            "torn thinking is not what was signed",
            vec![
                thinking(0),
                thought(0, "a"),
                call(1, "c"),
                thought(0, "b"),
                signature(0, "S"),
                stop(0),
                stop(1),
            ],
            vec!["thinking:a", "f#c({})", "thinking:b"],
        ),
        (
            "an index that is used again",
            vec![
                call(0, "a"),
                input(0, "{}"),
                call(0, "b"),
                input(0, "[]"),
                stop(0),
            ],
            vec!["f#a({})", "f#b([])"],
        ),
        (
            "no ends of blocks",
            vec![text(0), more(0, "a"), call(1, "c"), input(1, "{}")],
            vec!["text:a", "f#c({})"],
        ),
    ];
    for (what, events, blocks) in table {
        assert_eq!(message(events).blocks, blocks, "{what}");
    }
}

#[test]
fn what_comes_whole_at_the_start_of_a_block_is_taken_too() {
    let whole_call = || {
        block(
            0,
            json!({ "type": "tool_use", "id": "c", "name": "f", "input": { "q": 1 } }),
        )
    };
    let table = [
        (
            vec![
                block(0, json!({ "type": "text", "text": "a" })),
                more(0, "b"),
                stop(0),
            ],
            "text:ab",
        ),
        (
            vec![
                block(
                    0,
                    json!({ "type": "thinking", "thinking": "hm", "signature": "S" }),
                ),
                stop(0),
            ],
            "thinking:hm!S",
        ),
        (vec![whole_call(), stop(0)], "f#c({\"q\":1})"),
        (
            vec![whole_call(), input(0, "{\"q\":2}"), stop(0)],
            "f#c({\"q\":2})",
        ),
        // Without their start, text and thinking are still what their deltas say.
        (vec![more(3, "a"), more(3, "b")], "text:ab"),
        (vec![thought(3, "hm"), stop(3)], "thinking:hm"),
    ];
    for (events, expected) in table {
        assert_eq!(message(events).blocks, [expected]);
    }
}

#[test]
fn tools_of_the_provider_are_passed_over() {
    let told = message(vec![
        text(0),
        more(0, "Let me see."),
        stop(0),
        block(
            1,
            json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} }),
        ),
        input(1, "{\"query\":"),
        input(1, "\"x\"}"),
        stop(1),
        block(
            2,
            json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [{ "text": "raw" }] }),
        ),
        stop(2),
        block(
            3,
            json!({ "type": "mcp_tool_use", "id": "m", "name": "f", "input": { "q": 1 } }),
        ),
        stop(3),
        text(4),
        json!({ "type": "content_block_delta", "index": 4, "delta": { "type": "citations_delta", "citation": {} } }),
        more(4, "It is so."),
        stop(4),
    ]);
    assert_eq!(told.blocks, ["text:Let me see.", "text:It is so."]);
    assert!(told.whole_calls.is_empty());
}

#[test]
fn events_are_known_by_either_name_and_others_are_skipped() {
    let good = [
        begin(),
        text(0),
        more(0, "a"),
        stop(0),
        because(json!("end_turn")),
        end(),
    ];
    let expected = read(&good);
    assert_eq!(expected.id, "msg_1");
    let plain: Vec<String> = good.iter().map(Value::to_string).collect();
    let without_name = read_frames(plain.iter().map(|data| ("", data.as_str(), true)));
    assert_eq!(without_name, expected);
    let renamed = read_frames(plain.iter().map(|data| ("message", data.as_str(), true)));
    assert_eq!(renamed, expected);
    let names: Vec<(String, String)> = good
        .iter()
        .map(|event| {
            let mut event = event.clone();
            let name = event.as_object_mut().unwrap().remove("type").unwrap();
            (name.as_str().unwrap().to_owned(), event.to_string())
        })
        .collect();
    let without_type = read_frames(names.iter().map(|(name, data)| (&**name, &**data, true)));
    assert_eq!(without_type, expected);

    let noise = [
        ("ping", r#"{"type":"ping"}"#),
        ("", r#"{"type":"vendor_event","delta":1}"#),
        ("vendor_event", "not JSON"),
        ("", "{}"),
        ("", ""),
        ("", "[DONE]"),
    ];
    let mut frames: Vec<(&str, &str, bool)> = Vec::new();
    for data in &plain {
        frames.extend(noise.map(|(name, data)| (name, data, true)));
        frames.push(("", data, true));
    }
    assert_eq!(read_frames(frames), expected);
    // Content before the message, or without one.
    let early = read(&[
        text(0),
        more(0, "a"),
        begin(),
        stop(0),
        because(json!("end_turn")),
        end(),
    ]);
    assert_eq!(early, expected);
}

#[test]
fn nothing_but_the_end_of_the_message_makes_it_complete() {
    let all = [
        begin(),
        text(0),
        more(0, "a"),
        stop(0),
        call(1, "c"),
        input(1, "{\"q\":1}"),
        stop(1),
        because(json!("tool_use")),
        end(),
    ];
    for kept in 0..all.len() {
        let told = read(&all[..kept]);
        assert_eq!(told.code(), Some((ErrorCode::Truncated, true)), "{kept}");
    }
    assert_eq!(read(&all).stop, Some(StopReason::ToolUse));
    // A call that was cut is never whole.
    assert!(read(&all[..6]).whole_calls.is_empty());
    // Without a reason nobody knows whether the answer was cut.
    let told = read(&[begin(), text(0), more(0, "a"), because(json!(null)), end()]);
    assert_eq!(told.code(), Some((ErrorCode::Truncated, true)));
    // An event that was cut with the body.
    let told = read_frames([("message_stop", r#"{"type":"message_st"#, false)]);
    assert_eq!(told.code(), Some((ErrorCode::Truncated, true)));
}

#[test]
fn reading_ends_with_the_end_of_the_message() {
    let mut decoder = Api::AnthropicMessages.decoder();
    let mut parts = Vec::new();
    for (event, is_over) in [
        (begin(), false),
        (because(json!("end_turn")), false),
        (end(), true),
        (more(0, "late"), true),
    ] {
        decoder.on_frame(frame(&event.to_string()), &mut parts);
        assert_eq!(
            (decoder.is_complete(), decoder.is_done()),
            (is_over, is_over)
        );
    }
    decoder.finish(&mut parts);
    assert_eq!(fold(parts).blocks, Vec::<String>::new());
}

#[test]
fn stop_reasons_mean_what_the_api_says() {
    let table = [
        ("end_turn", Ok(StopReason::Stop)),
        ("stop_sequence", Ok(StopReason::Stop)),
        ("pause_turn", Ok(StopReason::Stop)),
        ("max_tokens", Ok(StopReason::Length)),
        ("model_context_window_exceeded", Ok(StopReason::Length)),
        ("tool_use", Ok(StopReason::ToolUse)),
        ("refusal", Err(ErrorCode::Refused)),
        ("Tired", Err(ErrorCode::BadResponse)),
    ];
    for (reason, expected) in table {
        let told = read(&[begin(), because(json!(reason)), end()]);
        match expected {
            Ok(stop) => assert_eq!(told.stop, Some(stop), "{reason}"),
            Err(code) => {
                assert_eq!(told.code(), Some((code, false)), "{reason}");
                let quoted = format!("(stop_reason \"{reason}\")");
                assert!(told.message().ends_with(&quoted), "{}", told.message());
            }
        }
    }
    let long = read(&[because(json!("x".repeat(5000))), end()]);
    assert!(long.message().len() < 1000);
}

#[test]
fn a_refusal_says_why_if_the_provider_does() {
    let refusal = |details: Value| {
        let told = read(&[
            begin(),
            json!({ "type": "message_delta", "delta": { "stop_reason": "refusal", "stop_details": details } }),
            end(),
        ]);
        told.message().to_owned()
    };
    assert_eq!(
        refusal(json!({ "type": "refusal", "explanation": "Against\n the policy." })),
        "Against the policy. (stop_reason \"refusal\")"
    );
    for nothing in [json!(null), json!({}), json!({ "explanation": null })] {
        assert_eq!(
            refusal(nothing),
            "the model refused to answer (stop_reason \"refusal\")"
        );
    }
}

#[test]
fn arguments_that_were_cut_are_never_those_of_a_call() {
    let table = [
        // The output limit in the middle of a call, and a server that loses its beginning.
        (
            "{\"path\":\"a.txt\",\"content\":\"ha",
            "max_tokens",
            StopReason::Length,
        ),
        ("q\":1}", "tool_use", StopReason::ToolUse),
    ];
    for (arguments, reason, expected) in table {
        let mut decoder = Api::AnthropicMessages.decoder();
        let mut parts = Vec::new();
        let events = [
            call(0, "c"),
            input(0, arguments),
            stop(0),
            because(json!(reason)),
            end(),
        ];
        for event in events {
            decoder.on_frame(frame(&event.to_string()), &mut parts);
        }
        let mut message = Assembler::new("x");
        parts.into_iter().for_each(|part| message.apply(part));
        let ending = message.finish(None);
        assert_eq!(ending.stop_reason, expected);
        assert!(ending.calls[0].arguments().is_err(), "{arguments}");
    }
}

#[test]
fn an_error_inside_the_stream_ends_it_and_keeps_what_was_said() {
    let error = |kind: &str, message: &str| json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "r" });
    let overflow = "prompt is too long: 210000 tokens > 200000 maximum";
    let table = [
        (
            "overloaded_error",
            "Overloaded",
            ErrorCode::Overloaded,
            true,
        ),
        (
            "api_error",
            "Internal server error",
            ErrorCode::Overloaded,
            true,
        ),
        ("rate_limit_error", "Slow down", ErrorCode::RateLimit, true),
        ("timeout_error", "Too slow", ErrorCode::Timeout, true),
        ("authentication_error", "No", ErrorCode::Auth, false),
        ("permission_error", "No", ErrorCode::Auth, false),
        ("billing_error", "Pay", ErrorCode::RateLimit, false),
        (
            "invalid_request_error",
            "Bad",
            ErrorCode::InvalidRequest,
            false,
        ),
        (
            "not_found_error",
            "No such model",
            ErrorCode::InvalidRequest,
            false,
        ),
        (
            "request_too_large",
            "32 MB",
            ErrorCode::InvalidRequest,
            false,
        ),
        (
            "invalid_request_error",
            overflow,
            ErrorCode::ContextOverflow,
            false,
        ),
    ];
    for (kind, words, code, retryable) in table {
        for before in [
            vec![],
            vec![begin(), text(0), more(0, "Par")],
            vec![
                begin(),
                text(0),
                more(0, "Par"),
                call(1, "c"),
                input(1, "{\"q\":1}"),
            ],
        ] {
            let mut events = before.clone();
            events.extend([error(kind, words), more(0, "late"), end()]);
            let told = read(&events);
            assert_eq!(told.code(), Some((code, retryable)), "{kind}");
            assert_eq!(told.message(), words);
            assert_eq!(told.blocks.is_empty(), before.is_empty());
            assert!(told.whole_calls.is_empty());
        }
    }
}

#[test]
fn errors_are_known_in_whatever_form_they_come() {
    let table = [
        ("error", r#"{"type":"error","error":{"message":"m"}}"#),
        ("error", r#"{"type":"overloaded_error","message":"m"}"#),
        ("error", r#"{"message":"m"}"#),
        ("error", "m"),
        ("error", r#""m""#),
        ("", r#"{"type":"error","error":{"message":"m"}}"#),
        ("", r#"{"type":"error","message":"m"}"#),
        ("", r#"{"error":{"message":"m"}}"#),
        ("", r#"{"error":"m"}"#),
    ];
    for (event, data) in table {
        let told = read_frames([(event, data, true)]);
        assert_eq!(told.message(), "m", "{event} {data}");
    }
}

#[test]
fn a_known_event_without_what_it_promises_is_an_error() {
    let table = [
        "not JSON",
        r#"{"type":"content_block_delta""#,
        r#"{"type":"message_start"}"#,
        r#"{"type":"message_start","message":"x"}"#,
        r#"{"type":"message_start","message":{"content":[{}]}}"#,
        r#"{"type":"message_delta"}"#,
        r#"{"type":"message_delta","delta":[]}"#,
        r#"{"type":"content_block_start","index":0}"#,
        r#"{"type":"content_block_start","content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"text":""}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a"}}"#,
        r#"{"type":"content_block_delta","index":0}"#,
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"text":"a"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":1}}"#,
        r#"{"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
        r#"{"type":"content_block_stop"}"#,
    ];
    for data in table {
        let told = read_frames([("", data, true), ("", r#"{"type":"message_stop"}"#, true)]);
        assert_eq!(told.code(), Some((ErrorCode::BadResponse, true)), "{data}");
    }
    let blocks: Vec<Value> = (0..300).map(text).collect();
    let told = read(&blocks);
    assert_eq!(told.code(), Some((ErrorCode::BadResponse, true)));
}

#[test]
fn counts_are_cumulative_and_what_is_missing_stays() {
    let start =
        |usage: Value| json!({ "type": "message_start", "message": { "id": "m", "usage": usage } });
    let later = |usage: Value| json!({ "type": "message_delta", "delta": {}, "usage": usage });
    let first = json!({
        "input_tokens": 9, "output_tokens": 1,
        "cache_read_input_tokens": 30, "cache_creation_input_tokens": 4,
    });
    let table = [
        (
            first.clone(),
            json!({ "output_tokens": 12 }),
            [9, 12, 30, 4],
        ),
        (
            first.clone(),
            json!({ "input_tokens": 9, "cache_read_input_tokens": 30, "output_tokens": 12 }),
            [9, 12, 30, 4],
        ),
        (
            first.clone(),
            json!({
                "input_tokens": 61, "output_tokens": 12,
                "cache_read_input_tokens": 31, "cache_creation_input_tokens": 5,
            }),
            [61, 12, 31, 5],
        ),
        (
            first,
            json!({ "input_tokens": 0, "cache_read_input_tokens": null, "output_tokens": 0 }),
            [9, 1, 30, 4],
        ),
        (
            json!(null),
            json!({ "input_tokens": 3, "output_tokens": 2 }),
            [3, 2, 0, 0],
        ),
        (json!({}), json!(null), [0, 0, 0, 0]),
    ];
    for (before, after, expected) in table {
        let what = format!("{before} {after}");
        let usage = read(&[start(before), later(after)]).usage;
        let counts = [
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_write,
        ];
        assert_eq!(
            counts.map(Option::unwrap_or_default),
            expected.map(f64::from),
            "{what}"
        );
    }
}

fn read_body(body: &str) -> Told {
    fold(testing::read_body(Api::AnthropicMessages, body))
}

#[test]
fn a_whole_message_in_place_of_a_stream_is_read() {
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant",
        "content": [
            { "type": "thinking", "thinking": "hm", "signature": "S" },
            { "type": "redacted_thinking", "data": "E" },
            { "type": "text", "text": "a" },
            { "type": "text", "text": "b" },
            { "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} },
            { "type": "tool_use", "id": "c", "name": "f", "input": { "q": 1 } },
            { "type": "tool_use", "id": "d", "name": "f", "input": {} },
        ],
        "stop_reason": "tool_use",
        "usage": { "input_tokens": 9, "output_tokens": 12 },
    });
    let told = read_body(&body.to_string());
    assert_eq!(told.id, "msg_1");
    assert_eq!(
        told.blocks,
        [
            "thinking:hm!S",
            "redacted:E",
            "text:a",
            "text:b",
            "f#c({\"q\":1})",
            "f#d({})"
        ]
    );
    assert_eq!(told.stop, Some(StopReason::ToolUse));
    assert_eq!(
        (told.usage.input, told.usage.output),
        (Some(9.0), Some(12.0))
    );
}

#[test]
fn a_body_that_is_no_message_is_an_error() {
    let table = [
        ("", ErrorCode::BadResponse, false, "no message"),
        ("[]", ErrorCode::BadResponse, false, "no message"),
        (
            r#"{"choices":[]}"#,
            ErrorCode::BadResponse,
            false,
            "no message",
        ),
        (
            r#"{"content":[1]}"#,
            ErrorCode::BadResponse,
            true,
            "unreadable",
        ),
        (
            r#"{"content":[{"type":"text","text":"a"}]}"#,
            ErrorCode::Truncated,
            true,
            "ended",
        ),
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            ErrorCode::Overloaded,
            true,
            "Overloaded",
        ),
    ];
    for (body, code, retryable, words) in table {
        let told = read_body(body);
        assert_eq!(told.code(), Some((code, retryable)), "{body}");
        assert!(told.message().contains(words), "{}", told.message());
    }
}
