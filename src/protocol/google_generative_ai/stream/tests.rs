use serde_json::{Value, json};

use super::*;
use crate::protocol::testing::{self, cut, frame};
use crate::protocol::{Api, UsageUpdate};

/// The parts of a response: of its payloads, and of the end of its body.
fn read(payloads: &[Value]) -> Vec<StreamPart> {
    let payloads: Vec<String> = payloads.iter().map(Value::to_string).collect();
    testing::read(Api::GoogleGenerativeAi, &payloads)
}

fn read_body(body: &str) -> Vec<StreamPart> {
    testing::read_body(Api::GoogleGenerativeAi, body)
}

fn chunk(parts: Value) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] })
}

fn fin(reason: &str) -> Value {
    json!({ "candidates": [{ "finishReason": reason }] })
}

fn text(text: &str) -> StreamPart {
    StreamPart::Text(text.into())
}

fn start(key: u32, id: &str, name: &str) -> StreamPart {
    StreamPart::ToolCallStart {
        key,
        id: id.into(),
        name: name.into(),
    }
}

fn delta(key: u32, json: &str) -> StreamPart {
    StreamPart::ToolCallDelta {
        key,
        json: json.into(),
    }
}

fn end(key: u32) -> StreamPart {
    StreamPart::ToolCallEnd { key }
}

fn stop() -> StreamPart {
    StreamPart::Finish(StopReason::Stop)
}

fn error(parts: &[StreamPart]) -> &Failure {
    match parts.last() {
        Some(StreamPart::Error(error)) => error,
        other => panic!("{other:?} is no error"),
    }
}

fn code(parts: &[StreamPart]) -> (ErrorCode, bool) {
    let error = error(parts);
    (error.code, error.retryable)
}

#[test]
fn an_answer_is_complete_with_a_reason_and_without_one_it_is_cut() {
    let said = chunk(json!([{ "text": "a" }]));
    assert_eq!(read(&[said.clone(), fin("STOP")]), [text("a"), stop()]);
    for payloads in [vec![], vec![said.clone()], vec![said, fin("")]] {
        let parts = read(&payloads);
        assert_eq!(code(&parts), (ErrorCode::Truncated, true), "{payloads:?}");
    }
}

#[test]
fn the_last_event_counts_if_it_is_whole() {
    let last = json!({ "candidates": [{ "content": { "parts": [{ "text": "a" }] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 1 } })
    .to_string();
    for (kept, is_success) in [(last.len(), true), (last.len() / 2, false)] {
        let mut decoder = Api::GoogleGenerativeAi.decoder();
        let mut parts = Vec::new();
        decoder.on_frame(cut(&last[..kept]), &mut parts);
        assert_eq!(decoder.is_complete(), is_success);
        decoder.finish(&mut parts);
        if is_success {
            assert_eq!(parts.len(), 3);
            assert_eq!(parts[2], stop());
        } else {
            assert_eq!(code(&parts), (ErrorCode::Truncated, true));
        }
    }
}

#[test]
fn reading_goes_on_behind_the_reason_until_the_body_ends() {
    let mut decoder = Api::GoogleGenerativeAi.decoder();
    let mut parts = Vec::new();
    decoder.on_frame(frame(&fin("STOP").to_string()), &mut parts);
    assert_eq!((decoder.is_complete(), decoder.is_done()), (true, false));
    let usage = json!({ "usageMetadata": { "promptTokenCount": 3 } }).to_string();
    decoder.on_frame(frame(&usage), &mut parts);
    assert!(matches!(parts[..], [StreamPart::Usage(_)]));
    decoder.finish(&mut parts);
    decoder.finish(&mut parts);
    assert_eq!((parts.len(), decoder.is_done()), (2, true));
}

#[test]
fn finish_reasons_mean_what_google_says() {
    use ErrorCode::*;
    let table = [
        ("STOP", Ok(StopReason::Stop)),
        ("FUNCTION_CALL", Ok(StopReason::Stop)),
        ("MAX_TOKENS", Ok(StopReason::Length)),
        ("SAFETY", Err((Refused, false))),
        ("RECITATION", Err((Refused, false))),
        ("LANGUAGE", Err((Refused, false))),
        ("BLOCKLIST", Err((Refused, false))),
        ("PROHIBITED_CONTENT", Err((Refused, false))),
        ("SPII", Err((Refused, false))),
        ("IMAGE_SAFETY", Err((Refused, false))),
        ("MALFORMED_FUNCTION_CALL", Err((BadResponse, true))),
        ("UNEXPECTED_TOOL_CALL", Err((BadResponse, true))),
        ("MALFORMED_RESPONSE", Err((BadResponse, true))),
        ("OTHER", Err((BadResponse, true))),
        ("NO_IMAGE", Err((BadResponse, true))),
        ("MISSING_THOUGHT_SIGNATURE", Err((InvalidRequest, false))),
        ("TOO_MANY_TOOL_CALLS", Err((BadResponse, false))),
        ("FINISH_REASON_UNSPECIFIED", Err((BadResponse, false))),
        ("stop", Err((BadResponse, false))),
        ("WHATEVER", Err((BadResponse, false))),
    ];
    for (reason, expected) in table {
        let parts = read(&[chunk(json!([{ "text": "a" }])), fin(reason)]);
        assert_eq!(parts[0], text("a"), "{reason}: what arrived is kept");
        match expected {
            Ok(stop) => assert_eq!(parts[1..], [StreamPart::Finish(stop)], "{reason}"),
            Err(expected) => {
                assert_eq!(code(&parts), expected, "{reason}");
                assert!(error(&parts).message.contains(reason), "{reason} is named");
            }
        }
    }
}

#[test]
fn a_reason_may_come_without_content() {
    let payload = json!({ "candidates": [{ "index": 0, "finishReason": "MAX_TOKENS" }] });
    assert_eq!(read(&[payload]), [StreamPart::Finish(StopReason::Length)]);
}

#[test]
fn a_blocked_prompt_is_refused_for_the_reason_that_is_given() {
    for reason in ["PROHIBITED_CONTENT", "SAFETY", "OTHER", "SOMETHING_NEW"] {
        let parts = read(&[json!({
            "promptFeedback": { "blockReason": reason },
            "usageMetadata": { "promptTokenCount": 13 },
        })]);
        let usage = UsageUpdate {
            input: Some(13.0),
            output: Some(0.0),
            cache_read: Some(0.0),
            cache_write: None,
        };
        assert_eq!(parts[0], StreamPart::Usage(usage));
        assert_eq!(code(&parts), (ErrorCode::Refused, false));
        assert!(error(&parts).message.contains(reason), "{reason}");
    }
    let rated = json!({ "promptFeedback": { "safetyRatings": [] } });
    let parts = read(&[rated, chunk(json!([{ "text": "a" }])), fin("STOP")]);
    assert_eq!(parts, [text("a"), stop()], "ratings alone block nothing");
}

#[test]
fn a_signature_stays_with_the_part_that_carries_it() {
    let thinking = |text: &str| StreamPart::Thinking(text.into());
    let signed_thinking = |s: &str| StreamPart::ThinkingSignature(s.into());
    let signed_text = |s: &str| StreamPart::TextSignature(s.into());
    let close = || StreamPart::BlockEnd;
    let table = [
        (
            "on thinking, then on text",
            json!([
                { "text": "t", "thought": true },
                { "text": "u", "thought": true, "thoughtSignature": "A" },
                { "text": "x", "thoughtSignature": "B" },
                { "text": "y" },
            ]),
            vec![
                thinking("t"),
                thinking("u"),
                signed_thinking("A"),
                close(),
                text("x"),
                signed_text("B"),
                close(),
                text("y"),
            ],
        ),
        (
            "on an empty text that ends a text",
            json!([{ "text": "x" }, { "text": "", "thoughtSignature": "A" }]),
            vec![text("x"), signed_text("A"), close()],
        ),
        (
            "on an empty text behind nothing",
            json!([{ "text": "", "thoughtSignature": "A" }]),
            vec![signed_thinking("A"), close()],
        ),
        (
            "on an empty text behind thinking",
            json!([{ "text": "t", "thought": true }, { "text": "", "thoughtSignature": "A" }]),
            vec![thinking("t"), close(), signed_thinking("A"), close()],
        ),
        (
            "on empty thinking behind text",
            json!([{ "text": "x" }, { "text": "", "thought": true, "thoughtSignature": "A" }]),
            vec![text("x"), close(), signed_thinking("A"), close()],
        ),
        (
            "on an empty text behind a signed one",
            json!([{ "text": "x", "thoughtSignature": "A" }, { "text": "", "thoughtSignature": "B" }]),
            vec![
                text("x"),
                signed_text("A"),
                close(),
                signed_thinking("B"),
                close(),
            ],
        ),
        (
            "nowhere",
            json!([{ "text": "", "thoughtSignature": "" }, { "text": "" }]),
            vec![],
        ),
    ];
    for (what, said, mut expected) in table {
        let expected_parts = {
            expected.push(stop());
            expected
        };
        let one = [chunk(said.clone()), fin("STOP")];
        assert_eq!(read(&one), expected_parts, "{what}");
        let parts = said.as_array().unwrap().iter();
        let mut each: Vec<Value> = parts.map(|part| chunk(json!([part]))).collect();
        each.push(fin("STOP"));
        assert_eq!(read(&each), expected_parts, "{what}, in chunks of one");
    }
}

#[test]
fn calls_are_told_apart_however_little_they_say() {
    let f = |args: Value| json!({ "functionCall": { "name": "f", "args": args } });
    let table = [
        (
            "in one chunk, the first signed",
            vec![chunk(json!([
                { "functionCall": { "name": "f", "args": {} }, "thoughtSignature": "S" },
                { "functionCall": { "name": "g", "args": { "a": 1 } } },
            ]))],
            vec![
                start(0, "", "f"),
                StreamPart::ToolCallSignature {
                    key: 0,
                    signature: "S".into(),
                },
                delta(0, "{}"),
                end(0),
                start(1, "", "g"),
                delta(1, r#"{"a":1}"#),
                end(1),
            ],
        ),
        (
            "the same tool in two chunks, and an empty text behind",
            vec![
                chunk(json!([f(json!({ "e": 1 }))])),
                chunk(json!([f(json!({ "e": 2 }))])),
                chunk(json!([{ "text": "" }])),
            ],
            vec![
                start(0, "", "f"),
                delta(0, r#"{"e":1}"#),
                end(0),
                start(1, "", "f"),
                delta(1, r#"{"e":2}"#),
                end(1),
            ],
        ),
        (
            "with ids, also with the same id",
            vec![chunk(json!([
                { "functionCall": { "id": "x", "name": "f", "args": {} } },
                { "functionCall": { "id": "x", "name": "f", "args": {} } },
            ]))],
            vec![
                start(0, "x", "f"),
                delta(0, "{}"),
                end(0),
                start(1, "x", "f"),
                delta(1, "{}"),
                end(1),
            ],
        ),
        (
            "without arguments",
            vec![chunk(
                json!([{ "functionCall": { "name": "f" } }, { "functionCall": { "name": "g", "args": null } }]),
            )],
            vec![
                start(0, "", "f"),
                delta(0, "{}"),
                end(0),
                start(1, "", "g"),
                delta(1, "{}"),
                end(1),
            ],
        ),
    ];
    for (what, mut payloads, mut expected) in table {
        payloads.push(fin("STOP"));
        expected.push(stop());
        assert_eq!(read(&payloads), expected, "{what}");
    }
}

/// The first piece of a call whose arguments stream, and one more.
fn streamed(arguments: Value) -> [Value; 2] {
    [
        chunk(
            json!([{ "functionCall": { "name": "f", "willContinue": true }, "thoughtSignature": "S" }]),
        ),
        chunk(json!([{ "functionCall": { "partialArgs": arguments, "willContinue": true } }])),
    ]
}

#[test]
fn arguments_that_stream_end_with_their_last_piece_the_next_call_or_the_answer() {
    let open = json!([{ "jsonPath": "$.a", "stringValue": "x", "willContinue": true }]);
    let begun = || {
        let signature = "S".into();
        vec![
            start(0, "", "f"),
            StreamPart::ToolCallSignature { key: 0, signature },
            delta(0, r#"{"a":"x"#),
        ]
    };
    let closing = chunk(json!([{ "functionCall": {} }]));
    let other = chunk(json!([{ "functionCall": { "name": "g", "args": {} } }]));
    let ended = vec![delta(0, r#""}"#), end(0)];
    let table = [
        ("the last piece", vec![closing.clone()], ended.clone()),
        ("it twice", vec![closing.clone(), closing], ended.clone()),
        ("the end", vec![], ended.clone()),
        (
            "the next call",
            vec![other],
            [ended, vec![start(1, "", "g"), delta(1, "{}"), end(1)]].concat(),
        ),
    ];
    for (what, more, expected) in table {
        let payloads = [streamed(open.clone()).to_vec(), more, vec![fin("STOP")]].concat();
        let expected = [begun(), expected, vec![stop()]].concat();
        assert_eq!(read(&payloads), expected, "{what}");
    }
}

#[test]
fn a_call_that_the_response_does_not_complete_stays_half() {
    let open = json!([{ "jsonPath": "$.a", "stringValue": "x", "willContinue": true }]);
    for last in [
        None,
        Some("MAX_TOKENS"),
        Some("SAFETY"),
        Some("MALFORMED_FUNCTION_CALL"),
    ] {
        let payloads = [
            streamed(open.clone()).to_vec(),
            last.map(fin).into_iter().collect(),
        ]
        .concat();
        let parts = read(&payloads);
        let json: String = parts
            .iter()
            .filter_map(|part| match part {
                StreamPart::ToolCallDelta { json, .. } => Some(json.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(json, r#"{"a":"x"#, "{last:?}");
        assert!(!parts.contains(&end(0)), "{last:?}");
        assert!(!parts.contains(&stop()), "{last:?}");
    }
}

#[test]
fn images_are_parts_of_the_answer_unless_they_are_thoughts() {
    let image = |mime: &str| json!({ "inlineData": { "mimeType": mime, "data": "AA==" } });
    let mut thought = image("image/png");
    thought["thought"] = json!(true);
    let said = json!([{ "text": "a" }, thought, image("image/png"), image("audio/wav"), { "inlineData": {} }, { "text": "b" }]);
    let drawn = StreamPart::Image {
        data: "AA==".into(),
        mime_type: "image/png".into(),
    };
    let parts = read(&[chunk(said), fin("STOP")]);
    assert_eq!(parts, [text("a"), drawn, text("b"), stop()]);
}

#[test]
fn what_nobody_knows_is_skipped() {
    let payloads = [
        json!({}),
        json!({ "candidates": null, "somethingNew": [1] }),
        json!({ "candidates": [{ "content": null }, ] }),
        json!({ "candidates": [{ "content": { "parts": null } }] }),
        chunk(
            json!([{ "executableCode": { "code": "1" } }, { "codeExecutionResult": {} }, { "newKind": 1 }]),
        ),
        chunk(json!([{ "functionCall": {} }])),
        json!({ "candidates": [
            { "index": 1, "content": { "parts": [{ "text": "other" }] }, "finishReason": "SAFETY" },
        ] }),
        chunk(json!([{ "text": "a" }])),
        fin("STOP"),
    ];
    assert_eq!(read(&payloads), [text("a"), stop()]);
}

#[test]
fn what_is_not_what_it_should_be_is_a_bad_response() {
    let call = |call: Value| chunk(json!([{ "functionCall": call }]));
    let table = [
        json!(1),
        json!("x"),
        json!({ "candidates": {} }),
        json!({ "candidates": [1] }),
        json!({ "candidates": [{ "content": "x" }] }),
        json!({ "candidates": [{ "content": { "parts": {} } }] }),
        chunk(json!(["x"])),
        chunk(json!([{ "text": 1 }])),
        chunk(json!([{ "functionCall": "f" }])),
        chunk(json!([{ "inlineData": "AA==" }])),
        call(json!({ "args": {} })),
        call(json!({ "partialArgs": [] })),
        call(json!({ "name": "f", "args": "{}" })),
        call(json!({ "name": "f", "partialArgs": {} })),
        call(json!({ "name": "f", "partialArgs": [{ "jsonPath": "a", "stringValue": "" }] })),
        call(
            json!({ "name": "f", "args": { "a": 1 }, "partialArgs": [{ "jsonPath": "$.b", "boolValue": true }] }),
        ),
    ];
    for payload in table {
        let parts = read(&[payload.clone(), fin("STOP")]);
        assert_eq!(code(&parts), (ErrorCode::BadResponse, true), "{payload}");
    }
    let mut decoder = Api::GoogleGenerativeAi.decoder();
    let mut parts = Vec::new();
    decoder.on_frame(frame(r#"{"candidates":["#), &mut parts);
    assert_eq!(code(&parts), (ErrorCode::BadResponse, true));
}

#[test]
fn errors_within_the_stream_are_told_apart() {
    use ErrorCode::*;
    let table = [
        (
            503,
            "UNAVAILABLE",
            "The model is overloaded.",
            Overloaded,
            true,
        ),
        (
            500,
            "INTERNAL",
            "An internal error has occurred.",
            Http,
            true,
        ),
        (
            429,
            "RESOURCE_EXHAUSTED",
            "Resource has been exhausted.",
            RateLimit,
            true,
        ),
        (400, "INVALID_ARGUMENT", "bad", InvalidRequest, false),
        (403, "PERMISSION_DENIED", "no", Auth, false),
        (
            400,
            "INVALID_ARGUMENT",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            ContextOverflow,
            false,
        ),
    ];
    let [begun, more] = streamed(json!([]));
    for (status_code, status, message, expected, retryable) in table {
        let error_payload =
            json!({ "error": { "code": status_code, "message": message, "status": status } });
        for payload in [error_payload.clone(), json!([error_payload])] {
            for before in [
                vec![],
                vec![chunk(json!([{ "text": "a" }]))],
                vec![begun.clone(), more.clone()],
            ] {
                let payloads = [before, vec![payload.clone(), fin("STOP")]].concat();
                let parts = read(&payloads);
                assert_eq!(code(&parts), (expected, retryable), "{payload}");
                assert!(error(&parts).message.contains(message));
            }
        }
    }
}

#[test]
fn counts_are_cumulative_and_missing_ones_stay() {
    let of = |input, output, cache_read| {
        Some(UsageUpdate {
            input: Some(input),
            output: Some(output),
            cache_read: Some(cache_read),
            cache_write: None,
        })
    };
    let table = [
        ("nothing", vec![json!({ "trafficType": "ON_DEMAND" })], None),
        (
            "the last counts",
            vec![
                json!({ "promptTokenCount": 10, "candidatesTokenCount": 1 }),
                json!({ "promptTokenCount": 10, "candidatesTokenCount": 3 }),
                json!({ "candidatesTokenCount": 7 }),
            ],
            of(10.0, 7.0, 0.0),
        ),
        (
            "thinking is output",
            vec![
                json!({ "promptTokenCount": 9, "candidatesTokenCount": 23, "thoughtsTokenCount": 185, "totalTokenCount": 217 }),
            ],
            of(9.0, 208.0, 0.0),
        ),
        (
            "what a cache held is part of the prompt",
            vec![
                json!({ "promptTokenCount": 100, "cachedContentTokenCount": 80, "candidatesTokenCount": 1 }),
            ],
            of(20.0, 1.0, 80.0),
        ),
        (
            "more cached than asked",
            vec![json!({ "promptTokenCount": 10, "cachedContentTokenCount": 12 })],
            of(0.0, 0.0, 12.0),
        ),
        (
            "what Google's own tools read",
            vec![
                json!({ "promptTokenCount": 10, "toolUsePromptTokenCount": 5 }),
                json!({ "promptTokenCount": null }),
            ],
            of(15.0, 0.0, 0.0),
        ),
    ];
    for (what, counts, expected) in table {
        let payloads: Vec<Value> = counts
            .into_iter()
            .map(|usage| json!({ "usageMetadata": usage }))
            .chain([fin("STOP")])
            .collect();
        let told = read(&payloads)
            .into_iter()
            .rev()
            .find_map(|part| match part {
                StreamPart::Usage(usage) => Some(usage),
                _ => None,
            });
        assert_eq!(told, expected, "{what}");
    }
}

#[test]
fn the_response_has_one_id() {
    let with = |id: Value| json!({ "responseId": id, "candidates": [] });
    let parts = read(&[
        with(json!("")),
        with(json!("r")),
        with(json!("r")),
        fin("STOP"),
    ]);
    assert_eq!(parts, [StreamPart::ResponseId("r".into()), stop()]);
}

#[test]
fn a_body_that_is_no_stream_is_read_as_a_whole() {
    let said = chunk(json!([{ "text": "a" }]));
    let whole = json!({ "candidates": [{ "content": { "parts": [{ "text": "a" }] }, "finishReason": "STOP" }] });
    for body in [
        whole.to_string(),
        json!([said, fin("STOP")]).to_string(),
        format!("\n{whole}\n"),
    ] {
        assert_eq!(read_body(&body), [text("a"), stop()], "{body}");
    }
    let failed = json!([{ "error": { "code": 503, "message": "busy", "status": "UNAVAILABLE" } }]);
    let table = [
        (json!([said]).to_string(), ErrorCode::Truncated, true),
        (failed.to_string(), ErrorCode::Overloaded, true),
        (failed[0].to_string(), ErrorCode::Overloaded, true),
        ("[]".into(), ErrorCode::BadResponse, false),
        ("{}".into(), ErrorCode::BadResponse, false),
        ("[{".into(), ErrorCode::BadResponse, true),
        ("".into(), ErrorCode::BadResponse, true),
    ];
    for (body, expected, retryable) in table {
        assert_eq!(code(&read_body(&body)), (expected, retryable), "{body}");
    }
}
