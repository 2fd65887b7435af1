use std::fmt::Write as _;

use super::*;
use crate::protocol::Api;
use crate::protocol::testing::{self, cut, error_event};

/// What the events of one response come to, one line a part.
fn read(events: &[&str]) -> Vec<String> {
    testing::read(Api::Proxy, events).iter().map(line).collect()
}

fn line(part: &StreamPart) -> String {
    match part {
        StreamPart::ResponseId(id) => format!("id {id}"),
        StreamPart::Cost(cost) => format!("cost {}", cost.total),
        StreamPart::Origin(origin) => format!("from {}", origin.model),
        StreamPart::Text(text) => format!("text {text}"),
        StreamPart::Thinking(text) => format!("thinking {text}"),
        StreamPart::TextSignature(data) => format!("text signature {data}"),
        StreamPart::ThinkingSignature(data) => format!("thinking signature {data}"),
        StreamPart::RedactedThinking(data) => format!("redacted {data}"),
        StreamPart::BlockEnd => "end".to_owned(),
        StreamPart::ToolCallStart { key, id, name } => format!("call {key} {id} {name}"),
        StreamPart::ToolCallDelta { key, json } => format!("call {key} {json}"),
        StreamPart::ToolCallSignature { key, signature } => {
            format!("call {key} signature {signature}")
        }
        StreamPart::ToolCallEnd { key } => format!("call {key} end"),
        StreamPart::Image { data, mime_type } => format!("image {mime_type} {data}"),
        StreamPart::Usage(usage) => {
            let mut line = "usage".to_owned();
            for count in [
                usage.input,
                usage.output,
                usage.cache_read,
                usage.cache_write,
            ] {
                write!(line, " {}", count.unwrap_or(f64::NAN)).unwrap();
            }
            line
        }
        StreamPart::Finish(reason) => format!("finish {reason:?}"),
        StreamPart::Error(error) => {
            let retry = if error.retryable {
                "retryable"
            } else {
                "final"
            };
            format!("{:?} {retry}: {}", error.code, error.message)
        }
    }
}

const DONE: &str = r#"{"type":"done","reason":"stop"}"#;
const TEXT: &str = r#"{"type":"text_start","contentIndex":0}"#;
const CALL: &str = r#"{"type":"toolcall_start","contentIndex":0,"id":"a","toolName":"f"}"#;

#[test]
fn every_kind_of_block_is_read() {
    let cases: [(&str, &[&str], &[&str]); 9] = [
        (
            "thinking, text and their signatures",
            &[
                r#"{"type":"start"}"#,
                r#"{"type":"thinking_start","contentIndex":0}"#,
                r#"{"type":"thinking_delta","contentIndex":0,"delta":"hm"}"#,
                r#"{"type":"thinking_end","contentIndex":0,"contentSignature":"S1"}"#,
                r#"{"type":"text_start","contentIndex":1}"#,
                r#"{"type":"text_delta","contentIndex":1,"delta":"a\n"}"#,
                r#"{"type":"text_delta","contentIndex":1,"delta":"b"}"#,
                r#"{"type":"text_end","contentIndex":1,"content":"a\nb","contentSignature":"S2"}"#,
            ],
            &[
                "thinking hm",
                "thinking signature S1",
                "end",
                "text a\n",
                "text b",
                "text signature S2",
                "end",
            ],
        ),
        (
            "calls whose deltas alternate, with a signature",
            &[
                CALL,
                r#"{"type":"toolcall_start","contentIndex":1,"id":"b","toolName":"g"}"#,
                r#"{"type":"toolcall_delta","contentIndex":1,"delta":"{\"y\":"}"#,
                r#"{"type":"toolcall_delta","contentIndex":0,"delta":"{}"}"#,
                r#"{"type":"toolcall_delta","contentIndex":1,"delta":"2}"}"#,
                r#"{"type":"toolcall_end","contentIndex":0,"contentSignature":"S"}"#,
                r#"{"type":"toolcall_end","contentIndex":1}"#,
            ],
            &[
                "call 0 a f",
                "call 1 b g",
                r#"call 1 {"y":"#,
                "call 0 {}",
                "call 1 2}",
                "call 0 signature S",
                "call 0 end",
                "call 1 end",
            ],
        ),
        (
            "a call that its end tells as a whole",
            &[
                CALL,
                r#"{"type":"toolcall_end","contentIndex":0,"toolCall":{"arguments":{"q":1},"thoughtSignature":"S"}}"#,
            ],
            &[
                "call 0 a f",
                r#"call 0 {"q":1}"#,
                "call 0 signature S",
                "call 0 end",
            ],
        ),
        (
            "a call whose end repeats what its deltas said",
            &[
                CALL,
                r#"{"type":"toolcall_delta","contentIndex":0,"delta":"{\"q\":1}"}"#,
                r#"{"type":"toolcall_end","contentIndex":0,"toolCall":{"arguments":{"q":1}}}"#,
            ],
            &["call 0 a f", r#"call 0 {"q":1}"#, "call 0 end"],
        ),
        (
            "encrypted thinking, and thinking with nothing to read",
            &[
                r#"{"type":"thinking_start","contentIndex":0}"#,
                r#"{"type":"thinking_end","contentIndex":0,"redacted":true,"contentSignature":"X"}"#,
                r#"{"type":"thinking_start","contentIndex":1}"#,
                r#"{"type":"thinking_end","contentIndex":1,"contentSignature":"Y"}"#,
            ],
            &["redacted X", "end", "thinking signature Y", "end"],
        ),
        (
            "text that only its end tells",
            &[
                TEXT,
                r#"{"type":"text_end","contentIndex":0,"content":"all"}"#,
            ],
            &["text all", "end"],
        ),
        (
            "two blocks that nothing ends",
            &[
                TEXT,
                r#"{"type":"text_delta","contentIndex":0,"delta":"a"}"#,
                r#"{"type":"text_start","contentIndex":1}"#,
                r#"{"type":"text_delta","contentIndex":1,"delta":"b"}"#,
            ],
            &["text a", "end", "text b"],
        ),
        (
            "a block that ends behind the start of another: its signature has no place",
            &[
                r#"{"type":"thinking_start","contentIndex":0}"#,
                r#"{"type":"thinking_delta","contentIndex":0,"delta":"hm"}"#,
                r#"{"type":"text_start","contentIndex":1}"#,
                r#"{"type":"text_delta","contentIndex":1,"delta":"a"}"#,
                r#"{"type":"thinking_end","contentIndex":0,"contentSignature":"reasoning"}"#,
                r#"{"type":"text_end","contentIndex":1}"#,
            ],
            &["thinking hm", "end", "text a", "end"],
        ),
        (
            "an image, and events of a later version",
            &[
                r#"{"type":"image_end","contentIndex":0,"content":{"type":"image","data":"AA==","mimeType":"image/png"}}"#,
                r#"{"type":"video_end","contentIndex":1,"delta":7}"#,
                r#"{"type":"text_pause"}"#,
                r#"{"type":"ping"}"#,
            ],
            &["image image/png AA=="],
        ),
    ];
    for (what, events, expected) in cases {
        let events: Vec<&str> = events.iter().copied().chain([DONE]).collect();
        let mut expected: Vec<&str> = expected.to_vec();
        expected.push("finish Stop");
        assert_eq!(read(&events), expected, "{what}");
    }
}

#[test]
fn only_a_known_reason_is_an_end() {
    let cases = [
        ("stop", "finish Stop"),
        ("length", "finish Length"),
        ("toolUse", "finish ToolUse"),
        (
            "whatever",
            "BadResponse final: proxy: the answer ended for an unknown reason (\"whatever\")",
        ),
        (
            "error",
            "BadResponse final: proxy: the answer ended for an unknown reason (\"error\")",
        ),
        (
            "",
            "BadResponse final: proxy: the answer ended for an unknown reason (\"\")",
        ),
    ];
    for (reason, expected) in cases {
        let done = format!(r#"{{"type":"done","reason":"{reason}"}}"#);
        assert_eq!(read(&[&done]), [expected], "{reason}");
    }
}

#[test]
fn events_that_contradict_each_other_fail_the_response() {
    let nowhere = "BadResponse retryable: proxy: an event belongs to no open block of its kind";
    let cases: [(&str, &[&str], &str); 14] = [
        (
            "a delta of a block that did not start",
            &[r#"{"type":"text_delta","contentIndex":0,"delta":"a"}"#],
            nowhere,
        ),
        (
            "a delta of another kind",
            &[
                TEXT,
                r#"{"type":"thinking_delta","contentIndex":0,"delta":"a"}"#,
            ],
            nowhere,
        ),
        (
            "an end of another kind",
            &[CALL, r#"{"type":"text_end","contentIndex":0}"#],
            nowhere,
        ),
        (
            "a second end",
            &[
                TEXT,
                r#"{"type":"text_end","contentIndex":0}"#,
                r#"{"type":"text_end","contentIndex":0}"#,
            ],
            nowhere,
        ),
        (
            "a delta behind the end",
            &[
                CALL,
                r#"{"type":"toolcall_end","contentIndex":0}"#,
                r#"{"type":"toolcall_delta","contentIndex":0,"delta":"{}"}"#,
            ],
            nowhere,
        ),
        (
            "a second start",
            &[TEXT, CALL],
            "BadResponse retryable: proxy: a block begins twice",
        ),
        (
            "no index",
            &[r#"{"type":"text_start"}"#],
            "BadResponse retryable: proxy: an event has no contentIndex",
        ),
        (
            "a negative index",
            &[r#"{"type":"text_start","contentIndex":-1}"#],
            "BadResponse retryable: proxy: an event has no contentIndex",
        ),
        (
            "a delta that is no string",
            &[TEXT, r#"{"type":"text_delta","contentIndex":0,"delta":{}}"#],
            "BadResponse retryable: proxy: a delta is no string",
        ),
        (
            "a call without a name",
            &[r#"{"type":"toolcall_start","contentIndex":0,"id":"a","toolName":""}"#],
            "BadResponse retryable: proxy: a tool call has no name",
        ),
        (
            "an image without data",
            &[r#"{"type":"image_end","contentIndex":0}"#],
            "BadResponse retryable: proxy: an image has no data",
        ),
        (
            "done within a call",
            &[CALL, r#"{"type":"done","reason":"toolUse"}"#],
            "BadResponse retryable: proxy: the answer is done within a tool call",
        ),
        (
            "an event without a type",
            &[r#"{"contentIndex":0}"#],
            "BadResponse retryable: proxy: an event has no type",
        ),
        (
            "malformed JSON",
            &[r#"{"type":"text_st"#],
            "BadResponse retryable: proxy: the response holds malformed JSON",
        ),
    ];
    for (what, events, expected) in cases {
        let parts = read(events);
        assert_eq!(parts.last().map(String::as_str), Some(expected), "{what}");
        let failures = parts.iter().filter(|part| part.contains("BadResponse"));
        assert_eq!(failures.count(), 1, "{what}");
    }
}

#[test]
fn a_failure_keeps_its_kind() {
    let cases = [
        (
            r#"{"type":"error","reason":"error","errorMessage":"x","error":{"code":"rate_limit","message":"openai-completions: 429 Slow down","status":429,"retryAfterMs":3000,"retryable":true}}"#,
            "RateLimit retryable: openai-completions: 429 Slow down",
        ),
        (
            r#"{"type":"error","reason":"error","errorMessage":"No such model","error":{"code":"invalid_request","retryable":false}}"#,
            "InvalidRequest final: No such model",
        ),
        (
            r#"{"type":"error","reason":"error","error":{"code":"auth","message":"bad key sk-abcdefghijklmnop","retryable":false}}"#,
            "Auth final: bad key [key]",
        ),
        (
            r#"{"type":"error","reason":"error","errorMessage":"prompt is too long: 9 > 8"}"#,
            "ContextOverflow final: proxy: prompt is too long: 9 > 8",
        ),
        (
            r#"{"type":"error","reason":"error","errorMessage":"Overloaded","error":{"code":"of a later version"}}"#,
            "Overloaded retryable: proxy: Overloaded",
        ),
        (
            r#"{"type":"error","reason":"aborted","errorMessage":"Stopped by the user."}"#,
            "Aborted final: Stopped by the user.",
        ),
        (
            r#"{"type":"error","reason":"aborted"}"#,
            "Aborted final: The request was aborted.",
        ),
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            "Overloaded retryable: proxy: Overloaded",
        ),
        (
            r#"{"error":{"message":"No","type":"authentication_error"}}"#,
            "Auth final: proxy: No",
        ),
        (
            r#"{"type":"error"}"#,
            "BadResponse retryable: proxy: the provider reported an error",
        ),
    ];
    for (event, expected) in cases {
        assert_eq!(read(&[event, DONE]), [expected], "{event}");
    }
}

#[test]
fn counts_and_the_id_come_with_the_end_of_either_kind() {
    let totals = r#""responseId":"r1","usage":{"input":9,"output":2,"cacheRead":4,"cacheWrite":0,"totalTokens":15,"cost":{"total":1}}"#;
    let done = format!(r#"{{"type":"done","reason":"stop",{totals}}}"#);
    assert_eq!(
        read(&[&done]),
        ["id r1", "cost 1", "usage 9 2 4 0", "finish Stop"]
    );
    let error = format!(r#"{{"type":"error","reason":"error","errorMessage":"no",{totals}}}"#);
    let parts = read(&[&error]);
    assert_eq!(
        parts,
        [
            "id r1",
            "cost 1",
            "usage 9 2 4 0",
            "BadResponse retryable: proxy: no"
        ]
    );
}

#[test]
fn an_answer_without_its_end_is_cut() {
    let truncated = "Truncated retryable: proxy: the response ended before the answer was complete";
    let events = [
        r#"{"type":"start"}"#,
        CALL,
        r#"{"type":"toolcall_delta","contentIndex":0,"delta":"{}"}"#,
        r#"{"type":"toolcall_end","contentIndex":0}"#,
    ];
    for kept in 0..=events.len() {
        let parts = read(&events[..kept]);
        assert_eq!(parts.last().map(String::as_str), Some(truncated), "{kept}");
    }
    let mut decoder = Api::Proxy.decoder();
    let mut parts = Vec::new();
    decoder.on_frame(cut(r#"{"type":"do"#), &mut parts);
    assert_eq!(parts, []);
    decoder.finish(&mut parts);
    assert_eq!(parts.iter().map(line).collect::<Vec<_>>(), [truncated]);
}

#[test]
fn a_body_that_is_no_stream_is_a_failure() {
    let cases = [
        (
            r#"{"error":{"message":"No credit","code":"insufficient_quota"}}"#,
            "RateLimit final: proxy: No credit",
        ),
        (
            r#"{"ok":true}"#,
            "BadResponse final: proxy: the response is no event stream",
        ),
        (
            "[1",
            "BadResponse final: proxy: the response is no event stream",
        ),
    ];
    for (body, expected) in cases {
        let parts = testing::read_body(Api::Proxy, body);
        assert_eq!(
            parts.iter().map(line).collect::<Vec<_>>(),
            [expected],
            "{body}"
        );
    }
}

#[test]
fn what_an_error_field_of_the_stream_says_is_the_failure() {
    let mut decoder = Api::Proxy.decoder();
    let mut parts = Vec::new();
    decoder.on_frame(error_event("boom"), &mut parts);
    let lines: Vec<_> = parts.iter().map(line).collect();
    assert_eq!(lines, ["BadResponse retryable: proxy: boom"]);
}
