use super::*;
use crate::protocol::testing::{self, cut, error_event, frame};
use crate::protocol::{Api, Decoder, UsageUpdate};

/// What came of a response.
#[derive(Debug, Default, PartialEq)]
struct Told {
    id: String,
    text: String,
    thinking: String,
    calls: Vec<(String, String, String)>,
    usage: UsageUpdate,
    stop: Option<StopReason>,
    error: Option<Failure>,
}

fn fold(parts: Vec<StreamPart>) -> Told {
    let mut told = Told::default();
    for part in parts {
        assert!(
            told.stop.is_none() && told.error.is_none(),
            "{part:?} behind the end"
        );
        match part {
            StreamPart::ResponseId(id) => told.id.push_str(&id),
            StreamPart::Text(text) => told.text.push_str(&text),
            StreamPart::Thinking(text) => told.thinking.push_str(&text),
            StreamPart::ToolCallStart { id, name, .. } => {
                told.calls.push((id, name, String::new()));
            }
            StreamPart::ToolCallDelta { key, json } => {
                told.calls[key as usize].2.push_str(&json);
            }
            StreamPart::Usage(usage) => told.usage = usage,
            StreamPart::Finish(stop) => told.stop = Some(stop),
            StreamPart::Error(error) => told.error = Some(error),
            _ => {}
        }
    }
    told
}

/// Reads payloads, and then the end of the body.
fn read<S: AsRef<str>>(payloads: &[S]) -> Told {
    fold(parts_of(payloads))
}

/// The same, part by part.
fn parts_of<S: AsRef<str>>(payloads: &[S]) -> Vec<StreamPart> {
    testing::read(Api::OpenAiCompletions, payloads)
}

fn read_body(body: &str) -> Told {
    fold(testing::read_body(Api::OpenAiCompletions, body))
}

const DONE: &str = "[DONE]";

fn delta(delta: &str) -> String {
    [
        r#"{"choices":[{"index":0,"delta":"#,
        delta,
        r#","finish_reason":null}]}"#,
    ]
    .concat()
}

fn text(text: &str) -> String {
    delta(&serde_json::json!({ "content": text }).to_string())
}

fn fin(reason: &str) -> String {
    serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
        .to_string()
}

fn code(told: &Told) -> Option<(ErrorCode, bool)> {
    told.error
        .as_ref()
        .map(|error| (error.code, error.retryable))
}

fn message(told: &Told) -> &str {
    told.error.as_ref().map_or("", |error| &error.message)
}

#[test]
fn an_answer_is_complete_with_a_reason_or_with_the_marker() {
    let table: [(&str, Vec<String>, Option<StopReason>); 6] = [
        (
            "reason and marker",
            vec![text("a"), fin("stop"), DONE.into()],
            Some(StopReason::Stop),
        ),
        (
            "reason, then the body ends",
            vec![text("a"), fin("stop")],
            Some(StopReason::Stop),
        ),
        (
            "marker without a reason",
            vec![text("a"), DONE.into()],
            Some(StopReason::Stop),
        ),
        ("neither", vec![text("a")], None),
        ("nothing", vec![], None),
        ("a marker behind nothing", vec![DONE.into()], None),
    ];
    for (what, frames, stop) in table {
        let told = read(&frames);
        assert_eq!(told.stop, stop, "{what}");
        if stop.is_none() {
            assert_eq!(code(&told), Some((ErrorCode::Truncated, true)), "{what}");
            assert_eq!(told.text, if what == "neither" { "a" } else { "" });
        }
    }
}

#[test]
fn the_marker_alone_completes_no_call_that_is_half() {
    let call = |arguments: &str| {
        let function = serde_json::json!({ "name": "f", "arguments": arguments });
        let call = serde_json::json!({ "index": 0, "id": "a", "function": function });
        delta(&serde_json::json!({ "tool_calls": [call] }).to_string())
    };
    for (arguments, is_whole) in [
        (r#"{"q":1}"#, true),
        ("{}", true),
        (r#"{"q":1"#, false),
        (r#"{"q":"a}"#, false),
        ("", false),
    ] {
        let told = read(&[text("I look."), call(arguments), DONE.into()]);
        let stop = is_whole.then_some(StopReason::Stop);
        assert_eq!(told.stop, stop, "{arguments}");
        let cut = (!is_whole).then_some((ErrorCode::Truncated, true));
        assert_eq!(code(&told), cut, "{arguments}");
        assert_eq!(told.text, "I look.");
        // With a reason, the call is the model's own, whatever it is.
        let told = read(&[call(arguments), fin("tool_calls"), DONE.into()]);
        assert_eq!(told.stop, Some(StopReason::ToolUse), "{arguments}");
    }
}

#[test]
fn reading_ends_with_the_marker_and_the_verdict_is_known_before() {
    let mut decoder = Api::OpenAiCompletions.decoder();
    let mut parts = Vec::new();
    let mut see = |decoder: &mut Decoder, data: &str| {
        decoder.on_frame(frame(data), &mut parts);
        (decoder.is_complete(), decoder.is_done())
    };
    assert_eq!(see(&mut decoder, &text("a")), (false, false));
    assert_eq!(see(&mut decoder, &fin("stop")), (true, false));
    assert_eq!(see(&mut decoder, DONE), (true, true));
    assert_eq!(see(&mut decoder, &text("late")), (true, true));
    assert_eq!(fold(parts).text, "a");
}

#[test]
fn finish_reasons_mean_what_their_hosts_say() {
    let failed = |code, retryable| Err((code, retryable));
    let table = [
        ("stop", Ok(StopReason::Stop)),
        ("STOP", Ok(StopReason::Stop)),
        ("end_turn", Ok(StopReason::Stop)),
        ("length", Ok(StopReason::Length)),
        ("model_length", Ok(StopReason::Length)),
        ("tool_calls", Ok(StopReason::ToolUse)),
        ("function_call", Ok(StopReason::ToolUse)),
        ("content_filter", failed(ErrorCode::Refused, false)),
        ("error", failed(ErrorCode::Overloaded, true)),
        ("abort", failed(ErrorCode::Overloaded, true)),
        (
            "insufficient_system_resource",
            failed(ErrorCode::Overloaded, true),
        ),
        ("whatever", failed(ErrorCode::BadResponse, false)),
    ];
    for (reason, expected) in table {
        let told = read(&[text("a"), fin(reason), DONE.into()]);
        assert_eq!(told.text, "a", "{reason}: what arrived is kept");
        match expected {
            Ok(stop) => assert_eq!(told.stop, Some(stop), "{reason}"),
            Err(failure) => {
                assert_eq!(code(&told), Some(failure), "{reason}");
                assert!(message(&told).contains(reason), "{reason} is named");
            }
        }
    }
    let told = read(&[text("a"), fin("")]);
    assert_eq!(
        code(&told),
        Some((ErrorCode::Truncated, true)),
        "an empty reason is none"
    );
}

#[test]
fn what_rides_on_the_chunk_with_the_reason_is_read() {
    let call =
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}"#;
    let last = r#"{"choices":[{"index":0,"delta":{"content":"t","tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}]}"#;
    let told = read(&[delta(call), last.into()]);
    assert_eq!(told.calls, [("a".into(), "f".into(), r#"{"x":1}"#.into())]);
    assert_eq!(
        (told.text.as_str(), told.stop),
        ("t", Some(StopReason::ToolUse))
    );
}

#[test]
fn calls_are_read_in_odd_shapes() {
    let table = [
        (
            "null arguments",
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":null}}"#,
            "",
        ),
        (
            "an object",
            r#"{"index":0,"id":"a","function":{"name":"f","arguments":{"q":1}}}"#,
            r#"{"q":1}"#,
        ),
        (
            "an index that is text",
            r#"{"index":"0","id":"a","function":{"name":"f","arguments":"{}"}}"#,
            "{}",
        ),
        (
            "a null index",
            r#"{"index":null,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}"#,
            "{}",
        ),
        (
            "no arguments",
            r#"{"index":0,"id":"a","function":{"name":"f"}}"#,
            "",
        ),
    ];
    for (what, call, arguments) in table {
        let told = read(&[
            delta(&[r#"{"content":null,"tool_calls":["#, call, "]}"].concat()),
            fin("stop"),
        ]);
        assert_eq!(
            told.calls,
            [("a".into(), "f".into(), arguments.into())],
            "{what}"
        );
        assert_eq!(told.stop, Some(StopReason::Stop), "{what}");
    }
}

#[test]
fn a_call_without_a_name_is_a_bad_response() {
    let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}"#;
    let told = read(&[delta(call), fin("tool_calls"), DONE.into()]);
    assert_eq!(code(&told), Some((ErrorCode::BadResponse, true)));
}

#[test]
fn thinking_is_found_in_every_field() {
    let table = [
        (r#"{"reasoning_content":"r"}"#, "r"),
        (r#"{"reasoning":"r","content":""}"#, "r"),
        (r#"{"reasoning_text":"r"}"#, "r"),
        (r#"{"reasoning":"r","reasoning_content":"r"}"#, "r"),
        (
            r#"{"reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r"}]}"#,
            "r",
        ),
        (
            r#"{"reasoning_details":[{"type":"reasoning.summary","summary":"r"}]}"#,
            "r",
        ),
        (
            r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"E"}]}"#,
            "",
        ),
        (
            r#"{"reasoning":"r","reasoning_details":[{"type":"reasoning.encrypted","data":"E"}]}"#,
            "r",
        ),
        (r#"{"reasoning":"r","reasoning_details":[]}"#, "r"),
        (r#"{"reasoning":"r","reasoning_details":null}"#, "r"),
        (r#"{"reasoning":"r","reasoning_details":[17,{}]}"#, "r"),
        (
            r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"r"}]}]}"#,
            "r",
        ),
        (
            r#"{"content":[{"type":"thinking","thinking":"r"},{"type":"text","text":""}]}"#,
            "r",
        ),
    ];
    for (chunk, thinking) in table {
        let told = read(&[delta(chunk), text("t"), fin("stop")]);
        assert_eq!(
            (told.thinking.as_str(), told.text.as_str()),
            (thinking, "t"),
            "{chunk}"
        );
        assert_eq!(told.stop, Some(StopReason::Stop), "{chunk}");
    }
}

#[test]
fn typed_parts_refusals_and_tags_are_text() {
    let parts = r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"reference","reference_ids":[1]}]}"#;
    let refusal = r#"{"content":null,"refusal":"I cannot"}"#;
    for (chunk, expected) in [(parts, "ab"), (refusal, "I cannot")] {
        let told = read(&[delta(chunk), fin("stop")]);
        assert_eq!(
            (told.text.as_str(), told.stop),
            (expected, Some(StopReason::Stop))
        );
    }
    let told = read(&[text("<th"), text("ink>a</thi"), text("nk>b"), fin("stop")]);
    assert_eq!(told.text, "<think>a</think>b", "tags are left alone");
}

#[test]
fn chunks_without_an_answer_are_skipped() {
    let table = [
        r#"{"choices":[],"prompt_filter_results":[]}"#,
        r#"{"choices":null}"#,
        r#"{"object":"chat.completion.chunk"}"#,
        r#"{"choices":[{"index":0,"delta":null}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"another choice"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"role":"assistant"}}],"error":null}"#,
        r#"{"choices":[{"index":0,"delta":{}}],"error":""}"#,
        ": OPENROUTER PROCESSING",
        "",
    ];
    for chunk in table {
        let told = read(&[chunk.to_owned(), text("a"), fin("stop"), DONE.into()]);
        assert_eq!(
            (told.text.as_str(), told.stop),
            ("a", Some(StopReason::Stop)),
            "{chunk}"
        );
    }
}

#[test]
fn thinking_alone_is_an_answer_only_with_a_reason() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let thinking = delta(r#"{"reasoning":"r"}"#);
    let told = read(&[thinking.clone(), usage.into()]);
    assert_eq!(code(&told), Some((ErrorCode::Truncated, true)));
    let told = read(&[thinking, usage.into(), fin("stop")]);
    assert_eq!(
        (told.thinking.as_str(), told.stop),
        ("r", Some(StopReason::Stop))
    );
}

#[test]
fn broken_payloads_are_failures_that_keep_what_arrived() {
    let table = [
        r#"{"choices":[{"de"#,
        r#"{"id":"a","obdata: {"choices":[{"index":0,"delta":{"content":"I"}}]}"#,
        "{\"type\":\"response.comp\n{\"type\":\"error\",\"message\":\"boom\"}",
        r#""text""#,
        "17",
        r#"{"choices":"x"}"#,
        r#"{"choices":[17]}"#,
        "<!doctype html><title>Sign in</title>",
    ];
    for payload in table {
        let told = read(&[text("half"), payload.into(), fin("stop"), DONE.into()]);
        assert_eq!(
            code(&told),
            Some((ErrorCode::BadResponse, true)),
            "{payload}"
        );
        assert_eq!(told.text, "half", "{payload}");
    }
}

#[test]
fn failures_inside_the_stream_are_told_by_their_kind() {
    let table = [
        (
            r#"{"error":{"message":"overloaded","type":"server_error"}}"#,
            "overloaded",
            ErrorCode::Overloaded,
            true,
        ),
        (
            r#"{"error":{"message":"slow down","code":429}}"#,
            "slow down",
            ErrorCode::RateLimit,
            true,
        ),
        (
            r#"{"error":{"message":"no key","type":"authentication_error"}}"#,
            "no key",
            ErrorCode::Auth,
            false,
        ),
        (
            r#"{"error":{"message":"bad field","type":"invalid_request_error"}}"#,
            "bad field",
            ErrorCode::InvalidRequest,
            false,
        ),
        (
            r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#,
            "too long",
            ErrorCode::ContextOverflow,
            false,
        ),
        (r#"{"error":"boom"}"#, "boom", ErrorCode::BadResponse, true),
        (
            r#"{"type":"error","message":"boom"}"#,
            "boom",
            ErrorCode::BadResponse,
            true,
        ),
        (
            r#"{"object":"error","message":"boom","type":"BadRequestError","code":400}"#,
            "boom",
            ErrorCode::InvalidRequest,
            false,
        ),
        (
            r#"[{"error":{"code":503,"message":"boom","status":"UNAVAILABLE"}}]"#,
            "boom",
            ErrorCode::Overloaded,
            true,
        ),
        (
            r#"{"id":"g","error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#,
            "Provider disconnected",
            ErrorCode::Overloaded,
            true,
        ),
        (
            r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"upstream"}}]}"#,
            "upstream",
            ErrorCode::Overloaded,
            true,
        ),
    ];
    let half_call =
        delta(r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}"#);
    for (payload, words, kind, retryable) in table {
        for before in [vec![], vec![text("a")], vec![text("a"), half_call.clone()]] {
            let frames = [before.clone(), vec![payload.into(), DONE.into()]].concat();
            let told = read(&frames);
            assert_eq!(code(&told), Some((kind, retryable)), "{payload}");
            assert!(
                message(&told).contains(words),
                "{payload}: {}",
                message(&told)
            );
            assert!(!message(&told).contains('{'), "{}", message(&told));
            assert_eq!(told.text, if before.is_empty() { "" } else { "a" });
        }
    }
}

#[test]
fn an_error_event_is_a_failure_whatever_it_holds() {
    let table = [
        (
            r#"{"code":500,"message":"boom","type":"server_error"}"#,
            "boom",
        ),
        (r#"{"error":{"message":"boom"}}"#, "boom"),
        ("boom, in plain words", "boom"),
        ("", "reported an error"),
    ];
    for (data, words) in table {
        let mut decoder = Api::OpenAiCompletions.decoder();
        let mut parts = Vec::new();
        decoder.on_frame(error_event(data), &mut parts);
        assert!(decoder.is_done());
        let told = fold(parts);
        assert!(message(&told).contains(words), "{data}: {}", message(&told));
        assert!(told.error.is_some_and(|error| error.retryable), "{data}");
    }
}

#[test]
fn the_id_of_the_response_is_told_once() {
    let chunk = r#"{"id":"r1","choices":[{"delta":{"content":"a"}}]}"#;
    let told = read(&[r#"{"id":"","choices":[]}"#, chunk, chunk, DONE]);
    assert_eq!((told.id.as_str(), told.text.as_str()), ("r1", "aa"));
}

#[test]
fn what_stands_before_the_choices_is_read_whenever_it_says_something() {
    let chunk = |before: &str, delta: &str| {
        [
            r#"{"model":"m","#,
            before,
            r#""choices":[{"delta":"#,
            delta,
            "}]}",
        ]
        .concat()
    };
    let hello = |before: &str| chunk(before, r#"{"content":"a"}"#);
    let usage = r#""usage":{"prompt_tokens":3,"completion_tokens":2},"#;
    let error = r#""error":{"message":"Overloaded"},"#;
    let end = [fin("stop"), DONE.to_owned()];
    for (name, payloads, input, failed) in [
        (
            "the same",
            vec![hello(""), hello(""), hello("")],
            None,
            false,
        ),
        (
            "an id that is new in each",
            vec![hello(r#""id":"x","#), hello(r#""id":"y","#), hello("")],
            None,
            false,
        ),
        (
            "usage in the second",
            vec![hello(""), hello(usage), hello("")],
            Some(3.0),
            false,
        ),
        (
            "usage in each",
            vec![hello(usage), hello(usage), hello(usage)],
            Some(3.0),
            false,
        ),
        (
            "usage behind null",
            vec![
                hello(r#""usage":null,"#),
                hello(r#""usage":null,"#),
                hello(usage),
            ],
            Some(3.0),
            false,
        ),
        (
            "white space",
            vec![hello(" \n"), hello(" \n"), [" ", &hello(usage)].concat()],
            Some(3.0),
            false,
        ),
        (
            "white space in front of a key where there was none",
            vec![
                hello("").replace(r#""model":"m","#, ""),
                hello("").replace(r#""model":"m","#, " "),
                hello(" "),
            ],
            None,
            false,
        ),
        (
            "a failure in the third",
            vec![hello(""), hello(""), hello(error)],
            None,
            true,
        ),
        (
            "the key with an escape",
            vec![
                hello(""),
                hello("").replace("choices", "c\\u0068oices"),
                hello(""),
            ],
            None,
            false,
        ),
    ] {
        let told = read(&[&payloads[..], &end[..]].concat());
        assert_eq!(told.text, if failed { "aa" } else { "aaa" }, "{name}");
        assert_eq!(told.usage.input, input, "{name}");
        assert_eq!(told.error.is_some(), failed, "{name}");
    }
    // A head without choices behind it is no JSON any more.
    let head = hello("").split_once(r#""choices""#).unwrap().0.to_owned();
    for cut in ["}", "", r#""choices"}"#, r#""choices":[]"#] {
        let told = read(&[hello(""), [&head, cut].concat()]);
        assert_eq!(told.text, "a", "{cut}");
        assert!(told.error.is_some(), "{cut}");
    }
}

#[test]
fn a_whole_completion_is_read_as_one_answer() {
    let whole = r#"{"id":"c","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hi","reasoning_content":"r","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}}]}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#;
    for told in [read_body(&["\n\n\n", whole].concat()), read(&[whole])] {
        assert_eq!((told.text.as_str(), told.thinking.as_str()), ("hi", "r"));
        assert_eq!((told.calls.len(), told.stop), (2, Some(StopReason::Stop)));
        assert_eq!(told.usage.output, Some(2.0));
    }
    let behind = r#"{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"hi"}}]}"#;
    assert_eq!(read(&[text("hi"), behind.into()]).text, "hi", "not twice");
}

#[test]
fn another_whole_body_is_a_clear_failure() {
    let table = [
        (
            r#"{"error":{"message":"overloaded","type":"server_error"}}"#,
            "overloaded",
        ),
        (r#"{"hello":"world"}"#, "no chat completion"),
        (r#"{"choices":[]}"#, "no chat completion"),
        ("", "malformed"),
        ("plain words", "malformed"),
    ];
    for (body, words) in table {
        let told = read_body(body);
        assert!(message(&told).contains(words), "{body}: {}", message(&told));
        assert_eq!(told.stop, None, "{body}");
    }
}

#[test]
fn token_counts_are_found_merged_and_never_negative() {
    let top = |usage: &str| [r#"{"choices":[],"usage":"#, usage, "}"].concat();
    let of = |input: f64, output: f64, read: f64, write: f64| [input, output, read, write];
    let table: [(&str, Vec<String>, [f64; 4]); 15] = [
        (
            "on every chunk: the last one counts",
            vec![top(r#"{"prompt_tokens":0,"completion_tokens":0}"#), top(r#"{"prompt_tokens":9,"completion_tokens":1}"#), top(r#"{"prompt_tokens":9,"completion_tokens":2}"#)],
            of(9.0, 2.0, 0.0, 0.0),
        ),
        (
            "in the choice",
            vec![r#"{"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":9,"completion_tokens":2}}]}"#.into()],
            of(9.0, 2.0, 0.0, 0.0),
        ),
        (
            "in Groq's extra",
            vec![r#"{"choices":[],"x_groq":{"id":"r","usage":{"prompt_tokens":9,"completion_tokens":2}}}"#.into()],
            of(9.0, 2.0, 0.0, 0.0),
        ),
        (
            "beside the last text",
            vec![r#"{"choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#.into()],
            of(9.0, 2.0, 0.0, 0.0),
        ),
        ("zeros do not erase", vec![top(r#"{"prompt_tokens":9,"completion_tokens":2}"#), top(r#"{"prompt_tokens":0,"completion_tokens":0}"#)], of(9.0, 2.0, 0.0, 0.0)),
        ("missing keeps", vec![top(r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}"#), top(r#"{"prompt_tokens":9,"completion_tokens":2}"#)], of(5.0, 2.0, 4.0, 0.0)),
        ("null keeps", vec![top(r#"{"prompt_tokens":9,"completion_tokens":2}"#), r#"{"choices":[],"usage":null}"#.into()], of(9.0, 2.0, 0.0, 0.0)),
        ("cached tokens are part of the prompt", vec![top(r#"{"prompt_tokens":2006,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":1920}}"#)], of(86.0, 3.0, 1920.0, 0.0)),
        ("more cached than asked", vec![top(r#"{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":12}}"#)], of(0.0, 3.0, 12.0, 0.0)),
        ("DeepSeek's cache", vec![top(r#"{"prompt_tokens":10,"completion_tokens":3,"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":6,"prompt_tokens_details":{"cached_tokens":0}}"#)], of(6.0, 3.0, 4.0, 0.0)),
        ("Moonshot's cache", vec![top(r#"{"prompt_tokens":10,"completion_tokens":3,"cached_tokens":4}"#)], of(6.0, 3.0, 4.0, 0.0)),
        ("a cache that was written", vec![top(r#"{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":5}}"#)], of(1.0, 3.0, 4.0, 5.0)),
        ("thinking within the completion", vec![top(r#"{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21,"completion_tokens_details":{"reasoning_tokens":7}}"#)], of(9.0, 12.0, 0.0, 0.0)),
        ("thinking beside the completion", vec![top(r#"{"prompt_tokens":12,"completion_tokens":2,"total_tokens":354,"completion_tokens_details":{"reasoning_tokens":340}}"#)], of(12.0, 342.0, 0.0, 0.0)),
        ("thinking that only the total shows", vec![top(r#"{"prompt_tokens":20,"completion_tokens":198,"total_tokens":623}"#)], of(20.0, 603.0, 0.0, 0.0)),
    ];
    for (what, frames, [input, output, cache_read, cache_write]) in table {
        let frames = [vec![text("a")], frames, vec![fin("stop")]].concat();
        let told = read(&frames);
        let expected = UsageUpdate {
            input: Some(input),
            output: Some(output),
            cache_read: Some(cache_read),
            cache_write: Some(cache_write),
        };
        assert_eq!(told.usage, expected, "{what}");
        assert_eq!(told.stop, Some(StopReason::Stop), "{what}");
    }
}

#[test]
fn counts_behind_the_reason_and_on_a_failure_are_read() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#;
    for reason in ["stop", "content_filter"] {
        let told = read(&[text("a"), fin(reason), usage.into(), DONE.into()]);
        assert_eq!(told.usage.input, Some(9.0), "{reason}");
    }
    let failed = r#"{"choices":[],"error":{"message":"x"},"usage":{"prompt_tokens":9}}"#;
    assert_eq!(read(&[failed]).usage.input, Some(9.0));
}

#[test]
fn an_event_that_the_end_of_the_body_cuts_is_a_cut_response() {
    let mut decoder = Api::OpenAiCompletions.decoder();
    let mut parts = Vec::new();
    let data = r#"{"choices":[{"de"#;
    decoder.on_frame(cut(data), &mut parts);
    assert_eq!(parts, []);
    decoder.finish(&mut parts);
    assert!(matches!(
        parts.as_slice(),
        [StreamPart::Error(error)] if error.code == ErrorCode::Truncated && error.retryable
    ));
}

#[test]
fn images_are_whole_blocks_and_those_without_bytes_are_left_out() {
    let image = |url: &str| {
        delta(&format!(
            r#"{{"content":"","images":[{{"type":"image_url","image_url":{{"url":"{url}"}},"index":0}}]}}"#
        ))
    };
    let table = [
        ("data:image/png;base64,AA==", Some(("AA==", "image/png"))),
        ("https://example.com/a.png", None),
        ("data:image/svg+xml,<svg/>", None),
        ("", None),
    ];
    for (url, expected) in table {
        let parts = parts_of(&[text("a"), image(url), fin("stop")]);
        let expected = expected.map(|(data, mime_type)| StreamPart::Image {
            data: data.into(),
            mime_type: mime_type.into(),
        });
        let said = StreamPart::Text("a".into());
        let finish = StreamPart::Finish(StopReason::Stop);
        let all: Vec<StreamPart> = [Some(said), expected, Some(finish)]
            .into_iter()
            .flatten()
            .collect();
        assert_eq!(parts, all, "{url}");
    }
    let only = parts_of(&[image("data:image/png;base64,AA=="), DONE.into()]);
    assert!(matches!(
        only.as_slice(),
        [
            StreamPart::Image { .. },
            StreamPart::Finish(StopReason::Stop)
        ]
    ));
}

#[test]
fn the_signature_of_a_call_is_told_once_the_call_has_begun() {
    let call = |call: &str| delta(&format!(r#"{{"tool_calls":[{call}]}}"#));
    let table = [
        // As Google sends it: no index, everything at once.
        vec![call(
            r#"{"id":"a","type":"function","extra_content":{"google":{"thought_signature":"S"}},"function":{"name":"f","arguments":"{}"}}"#,
        )],
        vec![
            call(
                r#"{"index":0,"extra_content":{"google":{"thought_signature":"S"}},"function":{"arguments":""}}"#,
            ),
            call(r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#),
        ],
        vec![
            call(r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#),
            call(r#"{"index":0,"extra_content":{"google":{"thought_signature":"S"}}}"#),
        ],
    ];
    for frames in table {
        let parts = parts_of(&[frames.clone(), vec![fin("tool_calls")]].concat());
        let of = |wanted: fn(&StreamPart) -> bool| parts.iter().position(wanted);
        let begun = of(|part| matches!(part, StreamPart::ToolCallStart { .. }));
        let signed = of(
            |part| matches!(part, StreamPart::ToolCallSignature { key: 0, signature } if signature == "S"),
        );
        let ended = of(|part| matches!(part, StreamPart::ToolCallEnd { .. }));
        assert!(begun < signed && signed < ended, "{frames:?}: {parts:?}");
    }
    for none in [
        "null",
        "{}",
        r#"{"google":{}}"#,
        r#"{"google":{"thought_signature":null}}"#,
        "17",
    ] {
        let piece = format!(
            r#"{{"index":0,"id":"a","extra_content":{none},"function":{{"name":"f","arguments":"{{}}"}}}}"#
        );
        let parts = parts_of(&[call(&piece), fin("tool_calls")]);
        let is_signed = |part: &StreamPart| matches!(part, StreamPart::ToolCallSignature { .. });
        assert!(!parts.iter().any(is_signed), "{none}");
    }
}
