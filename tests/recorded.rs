//! Recorded chat-completions streams, however the network cuts them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stderr)]

mod support;

use serde_json::{Value, json};
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, Message, StopReason, UserContent, UserMessage,
};
use sluice_agent::model::{Model, RequestOptions};
use sluice_agent::protocol::{Api, Context, StreamPart};
use support::fold::fold;
use support::recorded::{Recording, recordings};
use support::{chat_request, decode};

const API: Api = Api::OpenAiCompletions;

/// Each cut decodes the whole body, so cutting a long one everywhere is quadratic. Longer ones are
/// cut at every place after their middle has been taken out, and as a whole at every 997th place.
/// With CR and CRLF, cuts elsewhere than at line ends would only repeat those with LF.
const CUT_EVERYWHERE: usize = 20_000;
const KEPT_IN_FRONT: usize = 2_000;
const KEPT_BEHIND: usize = 4;
const STRIDE: usize = 997;

fn framed(recording: &Recording, line_end: &str) -> Vec<u8> {
    let mut body = String::new();
    for line in recording.lines.iter().map(String::as_str).chain(["[DONE]"]) {
        body.push_str(&["data: ", line, line_end, line_end].concat());
    }
    body.into_bytes()
}

fn whole(body: &[u8]) -> Vec<StreamPart> {
    decode(API.decoder(), [body])
}

fn summary(message: &AssistantMessage) -> Value {
    let (mut text, mut thinking, mut calls) = (String::new(), String::new(), Vec::new());
    for block in &message.content {
        match block {
            AssistantContentBlock::Text(block) => text.push_str(&block.text),
            AssistantContentBlock::Thinking(block) => thinking.push_str(&block.thinking),
            AssistantContentBlock::ToolCall(call) => {
                calls.push(json!({ "name": call.name, "args": call.arguments }));
            }
            AssistantContentBlock::Image(_) => {}
        }
    }
    let usage = message.usage;
    json!({
        "api": message.api,
        "text": text,
        "thinking": thinking,
        "toolCalls": calls,
        "stopReason": message.stop_reason,
        "usage": {
            "input": usage.input as u64,
            "output": usage.output as u64,
            "cacheRead": usage.cache_read as u64,
            "cacheWrite": usage.cache_write as u64,
        },
    })
}

#[test]
fn every_stream_means_what_is_expected_of_it() {
    for recording in recordings(API.name()) {
        let message = summary(&fold(&whole(&framed(&recording, "\n"))));
        for (member, expected) in recording.expected.as_object().expect("an object") {
            assert_eq!(&message[member], expected, "{member} of {}", recording.name);
        }
    }
}

#[test]
fn counts_of_thinking_beside_the_completion_are_output() {
    for recording in recordings(API.name()) {
        let last = recording.lines.last().expect("lines");
        let last: Value = serde_json::from_str(last).expect("JSON");
        let Some(total) = last["usage"]["total_tokens"].as_f64() else {
            continue;
        };
        let usage = fold(&whole(&framed(&recording, "\n"))).usage;
        let sum = usage.input + usage.output + usage.cache_read + usage.cache_write;
        assert_eq!(sum, total, "{}", recording.name);
    }
}

#[test]
fn line_ends_and_cuts_change_nothing() {
    for mut recording in recordings(API.name()) {
        for line_end in ["\n", "\r\n", "\r"] {
            let body = framed(&recording, line_end);
            assert_eq!(
                whole(&body),
                whole(&framed(&recording, "\n")),
                "{}",
                recording.name
            );
            check_cuts(&recording.name, &body, [1].into_iter());
        }
        let body = framed(&recording, "\n");
        if body.len() > CUT_EVERYWHERE {
            check_cuts(&recording.name, &body, (1..body.len()).step_by(STRIDE));
            take_out_the_middle(&mut recording);
        }
        let body = framed(&recording, "\n");
        check_cuts(&recording.name, &body, 1..body.len());
        for line_end in ["\r\n", "\r"] {
            let body = framed(&recording, line_end);
            let at_line_end =
                |cut: &usize| body[cut - 1..=*cut].iter().any(|b| b"\r\n".contains(b));
            check_cuts(&recording.name, &body, (1..body.len()).filter(at_line_end));
        }
    }
}

fn check_cuts(name: &str, body: &[u8], cuts: impl Iterator<Item = usize>) {
    let expected = whole(body);
    assert_eq!(
        decode(API.decoder(), body.chunks(1)),
        expected,
        "{name} byte by byte"
    );
    for cut in cuts {
        let (head, tail) = body.split_at(cut);
        assert_eq!(
            decode(API.decoder(), [head, tail]),
            expected,
            "{name} cut at {cut}"
        );
    }
}

fn take_out_the_middle(recording: &mut Recording) {
    let mut kept = 0;
    let in_front = |line: &String| {
        kept += line.len();
        kept < KEPT_IN_FRONT
    };
    let mut lines: Vec<String> = recording
        .lines
        .iter()
        .cloned()
        .take_while(in_front)
        .collect();
    lines.extend_from_slice(&recording.lines[recording.lines.len() - KEPT_BEHIND..]);
    recording.lines = lines;
}

#[test]
fn only_the_whole_stream_is_a_success() {
    for recording in recordings(API.name()) {
        let finishing = recording
            .lines
            .iter()
            .position(|line| {
                let chunk: Value = serde_json::from_str(line).expect("JSON");
                chunk["choices"][0]["finish_reason"].is_string()
            })
            .expect("a finish reason");
        for kept in 0..=recording.lines.len() {
            let message = fold(&whole(&cut_after(&recording, kept)));
            if kept > finishing {
                assert_ne!(
                    message.stop_reason,
                    StopReason::Error,
                    "{} at {kept}",
                    recording.name
                );
            } else {
                let error = message.error.expect("an error");
                assert!(error.retryable, "{} at {kept}", recording.name);
                assert_eq!(message.stop_reason, StopReason::Error);
            }
        }
    }
}

fn cut_after(recording: &Recording, lines: usize) -> Vec<u8> {
    let kept = recording.lines.iter().take(lines);
    kept.map(|line| ["data: ", line, "\n\n"].concat())
        .collect::<String>()
        .into_bytes()
}

#[test]
fn after_a_cut_anywhere_the_next_request_is_valid() {
    let model = Model {
        id: "m".into(),
        api: API.name().into(),
        ..Model::default()
    };
    let user = |text: &str| {
        Message::User(UserMessage {
            content: UserContent::Text(text.into()),
            timestamp: 0.0,
        })
    };
    for recording in recordings(API.name()) {
        for kept in 0..=recording.lines.len() {
            let cut = fold(&whole(&cut_after(&recording, kept)));
            for stop_reason in [cut.stop_reason, StopReason::Aborted, StopReason::Length] {
                let turn = AssistantMessage {
                    stop_reason,
                    ..cut.clone()
                };
                let context = Context {
                    messages: vec![user("first"), Message::Assistant(turn), user("go on")],
                    ..Context::default()
                };
                let request = API.encode(&model, &context, &RequestOptions::default());
                chat_request::check(&request.expect("a request").body);
            }
        }
    }
}
