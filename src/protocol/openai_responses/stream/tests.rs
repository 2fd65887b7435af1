use serde_json::{Value, json};

use super::*;
use crate::error::ErrorInfo;
use crate::protocol::Api;
use crate::protocol::testing::{self, cut, error_event, frame};

/// Reads events, and then the end of the body.
fn read(events: &[Value]) -> Vec<StreamPart> {
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    testing::read(Api::OpenAiResponses, &events)
}

fn read_body(body: &str) -> Vec<StreamPart> {
    testing::read_body(Api::OpenAiResponses, body)
}

fn added(index: u32, item: Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

fn done(index: u32, item: Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": index, "item": item })
}

fn delta(subject: &str, index: u32, delta: &str) -> Value {
    let kind = ["response.", subject, ".delta"].concat();
    json!({ "type": kind, "output_index": index, "content_index": 0, "delta": delta })
}

fn ended(status: &str, output: Value) -> Value {
    let kind = ["response.", status].concat();
    json!({ "type": kind, "response": { "status": status, "output": output } })
}

fn completed() -> Value {
    ended("completed", json!([]))
}

fn message(text: &str) -> Value {
    json!({
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": text, "annotations": [] }],
    })
}

fn reasoning(id: &str, summary: &[&str]) -> Value {
    let summary: Vec<Value> = summary
        .iter()
        .map(|text| json!({ "type": "summary_text", "text": text }))
        .collect();
    json!({ "type": "reasoning", "id": id, "summary": summary, "encrypted_content": "gAAA" })
}

fn call(arguments: &str) -> Value {
    json!({
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f",
        "arguments": arguments,
    })
}

fn text(text: &str) -> StreamPart {
    StreamPart::Text(text.into())
}

fn thinking(text: &str) -> StreamPart {
    StreamPart::Thinking(text.into())
}

fn start(key: u32, id: &str) -> StreamPart {
    let (id, name) = (id.into(), "f".into());
    StreamPart::ToolCallStart { key, id, name }
}

fn arguments(json: &str) -> StreamPart {
    let json = json.into();
    StreamPart::ToolCallDelta { key: 0, json }
}

fn call_signature(signature: &str) -> StreamPart {
    let signature = signature.into();
    StreamPart::ToolCallSignature { key: 0, signature }
}

const CALL_END: StreamPart = StreamPart::ToolCallEnd { key: 0 };
const STOP: StreamPart = StreamPart::Finish(StopReason::Stop);

fn text_signature() -> StreamPart {
    StreamPart::TextSignature(r#"{"id":"msg_1"}"#.into())
}

fn thinking_signature(id: &str, summary: &str) -> StreamPart {
    StreamPart::ThinkingSignature(
        [
            r#"{"type":"reasoning","id":""#,
            id,
            r#"","summary":"#,
            summary,
            r#","encrypted_content":"gAAA"}"#,
        ]
        .concat(),
    )
}

fn error(parts: &[StreamPart]) -> &ErrorInfo {
    match parts.last() {
        Some(StreamPart::Error(error)) => error,
        other => panic!("an error, not {other:?}"),
    }
}

#[test]
fn text_comes_once_however_often_it_is_said() {
    let whole_text = json!({
        "type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "okay",
    });
    let part_done = json!({
        "type": "response.content_part.done", "output_index": 0, "content_index": 0,
        "part": { "type": "output_text", "text": "okay" },
    });
    let begin = added(0, json!({ "type": "message", "content": [] }));
    let end = ended("completed", json!([message("okay")]));
    let deltas = |texts: &[&str]| -> Vec<Value> {
        let deltas = texts.iter().map(|text| delta("output_text", 0, text));
        deltas.collect()
    };
    let table = [
        (
            [
                deltas(&["ok", "ay"]),
                vec![whole_text.clone(), part_done, done(0, message("okay"))],
            ]
            .concat(),
            vec![text("ok"), text("ay")],
        ),
        // Deltas are lost, or never sent.
        (
            [
                deltas(&["ok"]),
                vec![whole_text.clone(), done(0, message("okay"))],
            ]
            .concat(),
            vec![text("ok"), text("ay")],
        ),
        (
            vec![whole_text, done(0, message("okay"))],
            vec![text("okay")],
        ),
        (vec![done(0, message("okay"))], vec![text("okay")]),
        (vec![], vec![text("okay")]),
        // What was streamed is no beginning of it.
        (
            [deltas(&["OK"]), vec![done(0, message("okay"))]].concat(),
            vec![text("OK")],
        ),
    ];
    for (events, expected) in table {
        for begin in [vec![begin.clone()], vec![]] {
            let events = [begin, events.clone(), vec![end.clone()]].concat();
            let behind = vec![text_signature(), StreamPart::BlockEnd, STOP];
            assert_eq!(
                read(&events),
                [expected.clone(), behind].concat(),
                "{events:?}"
            );
        }
    }
}

#[test]
fn a_call_is_put_together_from_whatever_the_host_sends_of_it() {
    let begin = || added(0, call(""));
    let pieces = || {
        let piece = |json: &str| {
            json!({
                "type": "response.function_call_arguments.delta", "item_id": "fc_1",
                "output_index": 0, "delta": json,
            })
        };
        vec![piece("{\"q\":"), piece("1}")]
    };
    let whole = || {
        json!({
            "type": "response.function_call_arguments.done", "output_index": 0,
            "arguments": "{\"q\":1}",
        })
    };
    let streamed = vec![arguments("{\"q\":"), arguments("1}")];
    let at_once = vec![arguments("{\"q\":1}")];
    let table = [
        (
            [vec![begin()], pieces(), vec![done(0, call("{\"q\":1}"))]].concat(),
            &streamed,
        ),
        // The closing item has none.
        (vec![begin(), whole(), done(0, call("{}"))], &at_once),
        (vec![begin(), done(0, call("{\"q\":1}"))], &at_once),
        (vec![done(0, call("{\"q\":1}"))], &at_once),
        // The name comes last.
        (
            [
                vec![added(0, json!({ "type": "function_call", "id": "fc_1" }))],
                pieces(),
                vec![done(0, call("{\"q\":1}"))],
            ]
            .concat(),
            &at_once,
        ),
        // The item is done twice.
        (
            vec![done(0, call("{\"q\":1}")), done(0, call("{\"q\":1}"))],
            &at_once,
        ),
        // Only the terminal event has it.
        (vec![], &at_once),
    ];
    for (events, expected) in table {
        let end = ended("completed", json!([call("{\"q\":1}")]));
        let events = [events, vec![end]].concat();
        let front = vec![start(0, "call_1")];
        let behind = vec![call_signature(r#"{"id":"fc_1"}"#), CALL_END, STOP];
        let expected = [front, expected.clone(), behind].concat();
        assert_eq!(read(&events), expected, "{events:?}");
    }
}

#[test]
fn a_call_without_an_item_id_has_none_invented() {
    let mut item = call("{}");
    item.as_object_mut().unwrap().remove("id");
    let expected = [
        start(0, "call_1"),
        arguments("{}"),
        call_signature("{}"),
        CALL_END,
        STOP,
    ];
    assert_eq!(read(&[done(0, item), completed()]), expected);
}

#[test]
fn arguments_that_are_an_object_are_read_all_the_same() {
    let mut item = call("");
    item["arguments"] = json!({ "q": 1 });
    let parts = read(&[done(0, item), completed()]);
    assert_eq!(parts[1], arguments("{\"q\":1}"));
}

#[test]
fn a_call_without_a_name_is_an_error() {
    let item = json!({ "type": "function_call", "call_id": "c", "arguments": "{}" });
    for events in [
        vec![added(0, item.clone()), done(0, item.clone())],
        vec![ended("completed", json!([item]))],
    ] {
        let parts = read(&events);
        let error = error(&parts);
        assert_eq!(error.code, ErrorCode::BadResponse);
        assert!(
            error.message.contains("without a name"),
            "{}",
            error.message
        );
    }
}

#[test]
fn a_call_of_which_only_the_name_came_does_not_run_without_arguments() {
    let parts = read(&[added(0, call("")), completed()]);
    assert_eq!(error(&parts).code, ErrorCode::BadResponse);
    let cut = json!({
        "type": "response.incomplete",
        "response": { "incomplete_details": { "reason": "max_output_tokens" } },
    });
    let length = StreamPart::Finish(StopReason::Length);
    let parts = read(&[added(0, call("")), cut]);
    assert_eq!(parts, [start(0, "call_1"), CALL_END, length]);
    // Without a closing event for the item, what has streamed is what there is.
    let piece = delta("function_call_arguments", 0, "{}");
    let parts = read(&[added(0, call("")), piece, completed()]);
    assert_eq!(parts, [start(0, "call_1"), arguments("{}"), CALL_END, STOP]);
}

#[test]
fn calls_that_stream_side_by_side_are_told_apart_by_their_place() {
    let piece = |index, json| delta("function_call_arguments", index, json);
    let item = |id: &str, arguments: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": arguments });
    let parts = read(&[
        added(0, item("a", "")),
        added(1, item("b", "")),
        piece(0, "{\"x\":"),
        piece(1, "{\"y\":"),
        piece(0, "1}"),
        piece(1, "2}"),
        done(1, item("b", "{\"y\":2}")),
        done(0, item("a", "{\"x\":1}")),
        completed(),
    ]);
    let json_of = |wanted: u32| -> String {
        let deltas = parts.iter().filter_map(|part| match part {
            StreamPart::ToolCallDelta { key, json } if *key == wanted => Some(json.as_str()),
            _ => None,
        });
        deltas.collect()
    };
    assert_eq!(
        (json_of(0), json_of(1)),
        ("{\"x\":1}".into(), "{\"y\":2}".into())
    );
}

#[test]
fn places_may_come_in_any_order() {
    let parts = read(&[
        added(3, call("")),
        added(1, json!({ "type": "message" })),
        delta("function_call_arguments", 3, "{\"q\":"),
        delta("output_text", 1, "a"),
        delta("function_call_arguments", 3, "1}"),
        done(1, message("a")),
        done(3, call("{\"q\":1}")),
        completed(),
    ]);
    let expected = [
        start(0, "call_1"),
        arguments("{\"q\":"),
        text("a"),
        arguments("1}"),
        text_signature(),
        StreamPart::BlockEnd,
        call_signature(r#"{"id":"fc_1"}"#),
        CALL_END,
        STOP,
    ];
    assert_eq!(parts, expected);
}

#[test]
fn without_places_an_event_is_about_the_latest_item_of_its_kind() {
    let without_place = |mut event: Value| {
        event.as_object_mut().unwrap().remove("output_index");
        event
    };
    let piece = |json| delta("function_call_arguments", 0, json);
    let events = [
        added(0, json!({ "type": "message" })),
        delta("output_text", 0, "hi"),
        done(0, message("hi")),
        added(1, call("")),
        piece("{\"a\":"),
        piece("1}"),
        done(1, call("{\"a\":1}")),
        done(2, call("{\"a\":2}")),
        done(3, call("{\"a\":3}")),
        completed(),
    ];
    let parts = read(&events.map(without_place));
    let expected = [
        text("hi"),
        text_signature(),
        StreamPart::BlockEnd,
        start(0, "call_1"),
        arguments("{\"a\":"),
        arguments("1}"),
        call_signature(r#"{"id":"fc_1"}"#),
        CALL_END,
    ];
    assert_eq!(parts[..8], expected);
    let calls = parts
        .iter()
        .filter(|part| matches!(part, StreamPart::ToolCallEnd { .. }));
    assert_eq!(calls.count(), 3);
}

#[test]
fn the_text_of_a_custom_call_is_its_one_argument() {
    let item = |input: &str| {
        json!({
            "type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "f",
            "input": input,
        })
    };
    let input = "say \"hi\"\n\u{1}🙂\\";
    let piece = |text| delta("custom_tool_call_input", 0, text);
    let streamed = [
        added(0, item("")),
        piece("say \"h"),
        piece("i\"\n\u{1}🙂\\"),
        done(0, item(input)),
        completed(),
    ];
    let table = [
        (streamed.to_vec(), input),
        (vec![done(0, item(input)), completed()], input),
        (
            vec![added(0, item("")), piece("SEL"), piece("ECT"), completed()],
            "SELECT",
        ),
        (vec![done(0, item("")), completed()], ""),
    ];
    for (events, expected) in table {
        let parts = read(&events);
        let json: String = parts
            .iter()
            .filter_map(|part| match part {
                StreamPart::ToolCallDelta { json, .. } => Some(json.as_str()),
                _ => None,
            })
            .collect();
        let arguments: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(arguments, json!({ "input": expected }));
        assert_eq!(parts.last(), Some(&STOP));
    }
    let signature = call_signature(r#"{"type":"custom_tool_call","id":"ctc_1"}"#);
    assert!(read(&streamed).contains(&signature));
}

#[test]
fn thinking_is_signed_when_it_is_known_what_it_led_to() {
    let summary = |index: u32, part: u32, text: &str| {
        json!({
            "type": "response.reasoning_summary_text.delta", "output_index": index,
            "summary_index": part, "delta": text,
        })
    };
    let two = r#"[{"type":"summary_text","text":"a b"},{"type":"summary_text","text":"c"}]"#;
    let parts = read(&[
        added(
            0,
            json!({ "type": "reasoning", "id": "rs_1", "summary": [] }),
        ),
        summary(0, 0, "a"),
        summary(0, 0, " b"),
        summary(0, 1, "c"),
        done(0, reasoning("rs_1", &["a b", "c"])),
        done(1, reasoning("rs_2", &[])),
        added(2, json!({ "type": "message" })),
        delta("output_text", 2, "hi"),
        done(2, message("hi")),
        completed(),
    ]);
    let expected = [
        thinking("a"),
        thinking(" b"),
        thinking("\n\nc"),
        thinking_signature("rs_1", two),
        StreamPart::BlockEnd,
        thinking_signature("rs_2", "[]"),
        StreamPart::BlockEnd,
        text("hi"),
        text_signature(),
        StreamPart::BlockEnd,
        STOP,
    ];
    assert_eq!(parts, expected);
}

#[test]
fn thinking_that_led_to_a_hosted_tool_is_shown_and_not_signed() {
    let hosted = |kind: &str| {
        let item = json!({ "type": kind, "id": "x_1", "name": "f", "call_id": "c" });
        read(&[
            done(0, reasoning("rs_1", &["look it up"])),
            added(1, item.clone()),
            done(1, item),
            done(2, reasoning("rs_2", &[])),
            done(3, message("found")),
            completed(),
        ])
    };
    let expected = [
        thinking("look it up"),
        StreamPart::BlockEnd,
        thinking_signature("rs_2", "[]"),
        StreamPart::BlockEnd,
        text("found"),
        text_signature(),
        StreamPart::BlockEnd,
        STOP,
    ];
    let kinds = [
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "image_generation_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "tool_search_call",
        "tool_search_output",
        "program",
        "tomorrow",
    ];
    for kind in kinds {
        assert_eq!(hosted(kind), expected, "{kind}");
    }
}

#[test]
fn thinking_without_encrypted_content_is_shown_and_not_signed() {
    let raw = json!({
        "type": "reasoning", "id": "rs_1", "summary": [],
        "content": [{ "type": "reasoning_text", "text": "raw" }],
    });
    let streamed = delta("reasoning_text", 0, "raw");
    for events in [vec![streamed, done(0, raw.clone())], vec![done(0, raw)]] {
        let events = [events, vec![done(1, message("hi")), completed()]].concat();
        let expected = [
            thinking("raw"),
            StreamPart::BlockEnd,
            text("hi"),
            text_signature(),
            StreamPart::BlockEnd,
            STOP,
        ];
        assert_eq!(read(&events), expected);
    }
}

#[test]
fn the_phase_of_a_message_is_kept_and_what_was_cut_is_not_signed() {
    let mut item = message("hi");
    item["phase"] = json!("commentary");
    let signature = r#"{"id":"msg_1","phase":"commentary"}"#;
    let parts = read(&[done(0, item.clone()), completed()]);
    assert_eq!(parts[1], StreamPart::TextSignature(signature.into()));
    item["status"] = json!("incomplete");
    let parts = read(&[done(0, item), completed()]);
    assert_eq!(parts, [text("hi"), StreamPart::BlockEnd, STOP]);
}

#[test]
fn a_refusal_is_text() {
    let refused = json!({
        "type": "message", "content": [{ "type": "refusal", "refusal": "I cannot." }],
    });
    for events in [
        vec![delta("refusal", 0, "I cannot."), done(0, refused.clone())],
        vec![done(0, refused)],
    ] {
        let parts = read(&[events, vec![completed()]].concat());
        assert_eq!(parts[0], text("I cannot."));
        assert_eq!(parts.last(), Some(&STOP));
        assert!(
            !parts[1..]
                .iter()
                .any(|part| matches!(part, StreamPart::Text(_)))
        );
    }
}

#[test]
fn an_image_comes_whole_and_once() {
    let image = |format: Value| json!({ "type": "image_generation_call", "result": "AAAA", "output_format": format });
    for (format, mime_type) in [(Value::Null, "image/png"), (json!("webp"), "image/webp")] {
        let item = image(format);
        let end = ended("completed", json!([item.clone()]));
        let begin = added(0, json!({ "type": "image_generation_call" }));
        let expected = StreamPart::Image {
            data: "AAAA".into(),
            mime_type: mime_type.into(),
        };
        let parts = read(&[begin, done(0, item), end]);
        assert_eq!(parts, [expected, STOP]);
    }
}

#[test]
fn how_a_response_ends_is_told_by_its_status() {
    use ErrorCode::*;
    let table = [
        (json!({ "status": "completed" }), Ok(StopReason::Stop)),
        (json!({ "status": "in_progress" }), Ok(StopReason::Stop)),
        (json!({}), Ok(StopReason::Stop)),
        (
            json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" } }),
            Ok(StopReason::Length),
        ),
        (
            json!({ "status": "incomplete", "incomplete_details": { "reason": "content_filter" } }),
            Err((Refused, false)),
        ),
        (
            json!({ "status": "incomplete", "incomplete_details": { "reason": "whatever" } }),
            Err((BadResponse, false)),
        ),
        (json!({ "status": "incomplete" }), Err((BadResponse, false))),
        (json!({ "status": "cancelled" }), Err((Overloaded, true))),
        (json!({ "status": "whatever" }), Err((BadResponse, false))),
        (
            json!({ "status": "failed", "error": { "code": "server_error", "message": "x" } }),
            Err((Overloaded, true)),
        ),
        (
            json!({ "status": "failed", "error": null }),
            Err((BadResponse, true)),
        ),
    ];
    for (response, expected) in table {
        let event = json!({ "type": "response.completed", "response": response });
        let parts = read(&[delta("output_text", 0, "abc"), event.clone()]);
        assert_eq!(parts[0], text("abc"));
        match expected {
            Ok(stop) => assert_eq!(parts.last(), Some(&StreamPart::Finish(stop)), "{event}"),
            Err(expected) => {
                let error = error(&parts);
                assert_eq!((error.code, error.retryable), expected, "{event}");
                if response["status"] == "whatever"
                    || response["incomplete_details"]["reason"] == "whatever"
                {
                    assert!(error.message.contains("whatever"), "{}", error.message);
                }
            }
        }
    }
}

#[test]
fn the_event_says_how_it_ends_where_the_response_does_not() {
    let end = |kind: &str| {
        let event = json!({
            "type": kind,
            "response": { "incomplete_details": { "reason": "max_output_tokens" } },
        });
        read(&[event])
    };
    assert_eq!(end("response.completed"), [STOP]);
    assert_eq!(end("response.done"), [STOP]);
    assert_eq!(
        end("response.incomplete"),
        [StreamPart::Finish(StopReason::Length)]
    );
    assert!(error(&end("response.failed")).retryable);
}

#[test]
fn only_a_terminal_event_makes_an_answer_complete() {
    let response = json!({ "type": "response.created", "response": { "id": "r" } });
    let whole = [
        response,
        added(0, call("")),
        delta("function_call_arguments", 0, "{}"),
        done(0, call("{}")),
    ];
    for kept in 0..=whole.len() {
        let parts = read(&whole[..kept]);
        let error = error(&parts);
        assert_eq!((error.code, error.retryable), (ErrorCode::Truncated, true));
    }
    let mut decoder = Api::OpenAiResponses.decoder();
    let mut parts = Vec::new();
    decoder.on_frame(frame("[DONE]"), &mut parts);
    assert!(!decoder.is_done(), "other wires end with it");
}

#[test]
fn errors_in_the_stream_end_it_wherever_they_come() {
    use ErrorCode::*;
    let table = [
        (
            json!({ "type": "error", "message": "x" }),
            BadResponse,
            true,
        ),
        (
            json!({ "type": "error", "error": { "message": "x", "type": "server_error" } }),
            Overloaded,
            true,
        ),
        (
            json!({ "type": "error", "code": "rate_limit_exceeded", "message": "x", "param": null }),
            RateLimit,
            true,
        ),
        (
            json!({ "type": "error", "error": { "message": "x", "code": "insufficient_quota" } }),
            RateLimit,
            false,
        ),
        (
            json!({ "error": { "message": "x", "code": 503 } }),
            Overloaded,
            true,
        ),
        (
            json!({ "error": { "message": "x", "code": "invalid_api_key" } }),
            Auth,
            false,
        ),
        (
            json!([{ "error": { "message": "x", "code": 500 } }]),
            Http,
            true,
        ),
        (
            ended_with(json!({ "code": "context_length_exceeded", "message": "x" })),
            ContextOverflow,
            false,
        ),
        (
            ended_with(json!({ "code": "invalid_prompt", "message": "x" })),
            Refused,
            false,
        ),
        (
            ended_with(json!({ "code": "cyber_policy", "message": "x" })),
            Refused,
            false,
        ),
        (
            ended_with(json!({ "code": "image_content_policy_violation", "message": "x" })),
            Refused,
            false,
        ),
        (
            ended_with(json!({ "code": "failed_to_download_image", "message": "x" })),
            InvalidRequest,
            false,
        ),
        (
            ended_with(json!({ "code": "vector_store_timeout", "message": "x" })),
            Timeout,
            true,
        ),
        (
            ended_with(json!({ "code": "server_error", "message": "x" })),
            Overloaded,
            true,
        ),
    ];
    let before: [&[Value]; 3] = [
        &[],
        &[delta("output_text", 0, "a")],
        // A complete call: nothing runs it, as the turn has failed.
        &[added(0, call("")), done(0, call("{}"))],
    ];
    for (event, code, retryable) in table {
        for before in before {
            let parts = read(&[before, &[event.clone(), completed()]].concat());
            let error = error(&parts);
            assert_eq!((error.code, error.retryable), (code, retryable), "{event}");
            assert_eq!(error.message, "x");
        }
    }
}

fn ended_with(error: Value) -> Value {
    json!({ "type": "response.failed", "response": { "status": "failed", "error": error } })
}

#[test]
fn an_event_named_error_is_one_whatever_its_data_is() {
    for data in ["boom", "{\"message\":\"boom\"}", "\"boom\""] {
        let mut decoder = Api::OpenAiResponses.decoder();
        let mut parts = Vec::new();
        decoder.on_frame(error_event(data), &mut parts);
        assert_eq!(error(&parts).message, "boom");
    }
}

#[test]
fn what_is_unknown_is_skipped() {
    let parts = read(&[
        json!({ "type": "response.output_text.annotation.added", "annotation": {} }),
        json!({ "type": "response.queued", "response": {} }),
        json!({ "type": "response.mcp_call_arguments.delta", "output_index": 0, "delta": "{}" }),
        json!({ "type": "response.code_interpreter_call_code.delta", "delta": "1+1" }),
        json!({ "type": "response.tomorrow", "delta": {} }),
        json!({ "type": "tomorrow" }),
        json!({ "type": "keepalive", "sequence_number": 3 }),
        json!({}),
        delta("output_text", 0, "a"),
        completed(),
    ]);
    assert_eq!(parts, [text("a"), STOP]);
    let mut decoder = Api::OpenAiResponses.decoder();
    let mut parts = Vec::new();
    for data in [": PROCESSING", "", "  "] {
        decoder.on_frame(frame(data), &mut parts);
    }
    assert!(parts.is_empty() && !decoder.is_done());
}

#[test]
fn a_known_event_that_cannot_be_read_is_an_error() {
    let table = [
        r#"{"type":"response.comp"#,
        "{\"type\":\"response.comp\n{\"type\":\"error\",\"message\":\"boom\"}",
        r#"{"type":"response.output_text.delta","output_index":0}"#,
        r#"{"type":"response.output_text.delta","output_index":0,"delta":{"text":"a"}}"#,
        r#"{"type":"response.output_item.added","output_index":0}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":"x"}"#,
        r#"{"type":"response.completed"}"#,
        r#"{"type":"response.created","response":null}"#,
        "17",
        "\"text\"",
    ];
    for data in table {
        let mut decoder = Api::OpenAiResponses.decoder();
        let mut parts = Vec::new();
        decoder.on_frame(frame(data), &mut parts);
        let error = error(&parts);
        assert_eq!(
            (error.code, error.retryable),
            (ErrorCode::BadResponse, true),
            "{data}"
        );
    }
    let mut decoder = Api::OpenAiResponses.decoder();
    let mut parts = Vec::new();
    decoder.on_frame(cut(r#"{"type":"response.comp"#), &mut parts);
    decoder.finish(&mut parts);
    assert_eq!(error(&parts).code, ErrorCode::Truncated);
}

#[test]
fn tokens_are_counted_without_those_of_the_cache() {
    let table = [
        (
            json!({ "input_tokens": 5, "output_tokens": 3 }),
            (Some(5.0), Some(3.0), None, None),
        ),
        (
            json!({
                "input_tokens": 2006, "output_tokens": 300,
                "input_tokens_details": { "cached_tokens": 1920 },
                "output_tokens_details": { "reasoning_tokens": 64 },
            }),
            (Some(86.0), Some(300.0), Some(1920.0), None),
        ),
        (
            json!({
                "input_tokens": 100, "output_tokens": 1,
                "input_tokens_details": { "cached_tokens": 20, "cache_write_tokens": 30 },
            }),
            (Some(50.0), Some(1.0), Some(20.0), Some(30.0)),
        ),
        (
            json!({ "input_tokens": 10, "input_tokens_details": { "cached_tokens": 12 } }),
            (Some(0.0), None, Some(12.0), None),
        ),
    ];
    for (usage, (input, output, cache_read, cache_write)) in table {
        let response = json!({ "status": "completed", "usage": usage });
        let parts = read(&[json!({ "type": "response.completed", "response": response })]);
        let update = UsageUpdate {
            input,
            output,
            cache_read,
            cache_write,
        };
        assert_eq!(parts, [StreamPart::Usage(update), STOP]);
    }
    let without = json!({ "status": "completed", "usage": null });
    let parts = read(&[json!({ "type": "response.completed", "response": without })]);
    assert_eq!(parts, [STOP]);
    let cut = json!({
        "status": "failed", "error": { "message": "x" },
        "usage": { "input_tokens": 5, "output_tokens": 3 },
    });
    let parts = read(&[json!({ "type": "response.failed", "response": cut })]);
    assert!(matches!(
        parts[..],
        [StreamPart::Usage(_), StreamPart::Error(_)]
    ));
}

#[test]
fn ids_that_change_from_event_to_event_change_nothing() {
    let rotating = |mut event: Value, id: &str| {
        event["item_id"] = json!(id);
        event
    };
    let mut last = message("ab");
    last["id"] = json!("x3");
    let parts = read(&[
        added(0, json!({ "type": "message", "id": "x0" })),
        rotating(delta("output_text", 0, "a"), "x1"),
        rotating(delta("output_text", 0, "b"), "x2"),
        done(0, last),
        ended("completed", json!([message("ab")])),
    ]);
    let signature = StreamPart::TextSignature(r#"{"id":"x3"}"#.into());
    let expected = [text("a"), text("b"), signature, StreamPart::BlockEnd, STOP];
    assert_eq!(parts, expected);
}

#[test]
fn what_is_behind_the_end_counts_only_if_another_response_begins() {
    let created = |id: &str| json!({ "type": "response.created", "response": { "id": id } });
    let behind = [
        delta("output_text", 0, "late"),
        json!({ "type": "error", "message": "late" }),
        json!("late"),
    ];
    let first = vec![done(0, call("{}")), completed()];
    let alone = read(&first);
    assert_eq!(read(&[&first[..], &behind].concat()), alone);
    let second = [created("b"), done(0, call("{}")), completed()];
    let parts = read(&[&first[..], &second].concat());
    assert!(parts.contains(&StreamPart::ResponseId("b".into())));
    assert!(parts.contains(&start(1, "call_1")), "keys go on: {parts:?}");
}

#[test]
fn a_whole_body_is_read_as_the_answer_or_as_the_error_that_it_is() {
    let response = json!({
        "id": "resp_1", "object": "response", "status": "completed", "error": null,
        "output": [
            reasoning("rs_1", &["a", "b"]),
            { "type": "web_search_call", "id": "ws_1" },
            reasoning("rs_2", &[]),
            message("hi"),
            call("{\"q\":1}"),
        ],
        "usage": { "input_tokens": 5, "output_tokens": 3 },
    });
    let parts = read_body(&["\n\n", &response.to_string()].concat());
    let usage = UsageUpdate {
        input: Some(5.0),
        output: Some(3.0),
        ..UsageUpdate::default()
    };
    let expected = [
        StreamPart::ResponseId("resp_1".into()),
        StreamPart::Usage(usage),
        thinking("a"),
        thinking("\n\nb"),
        StreamPart::BlockEnd,
        thinking_signature("rs_2", "[]"),
        StreamPart::BlockEnd,
        text("hi"),
        text_signature(),
        StreamPart::BlockEnd,
        start(0, "call_1"),
        arguments("{\"q\":1}"),
        call_signature(r#"{"id":"fc_1"}"#),
        CALL_END,
        STOP,
    ];
    assert_eq!(parts, expected);
    use ErrorCode::*;
    let table = [
        (
            r#"{"error":{"message":"x","type":"server_error"}}"#,
            Overloaded,
        ),
        (
            r#"{"status":"failed","output":[],"error":{"code":"rate_limit_exceeded"}}"#,
            RateLimit,
        ),
        (r#"{"status":"queued","output":[]}"#, BadResponse),
        (r#"{"status":"in_progress","output":[]}"#, BadResponse),
        (r#"{"object":"list","data":[]}"#, BadResponse),
        ("<!doctype html>", BadResponse),
        ("[]", BadResponse),
        ("", BadResponse),
    ];
    for (body, code) in table {
        assert_eq!(error(&read_body(body)).code, code, "{body}");
    }
}

#[test]
fn reading_takes_time_in_proportion() {
    let item = |index: u32| done(index, call("{}"));
    let many: Vec<Value> = (0..20_000).map(item).collect();
    let outputs: Vec<Value> = (0..20_000).map(|_| call("{}")).collect();
    let end = ended("completed", Value::Array(outputs));
    let deltas = (0..20_000).map(|_| delta("output_text", 20_000, "some text"));
    let events: Vec<Value> = many.into_iter().chain(deltas).chain([end]).collect();
    let began = std::time::Instant::now();
    let parts = read(&events);
    assert_eq!(parts.last(), Some(&STOP));
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
}
