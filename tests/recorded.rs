//! Recorded streams of every wire, however the network cuts them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stderr)]

mod support;

use std::sync::Mutex;

use serde_json::{Value, json};
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, Message, StopReason, UserContent, UserMessage,
};
use sluice_agent::model::{Model, RequestOptions};
use sluice_agent::protocol::{Api, Context, StreamPart};
use support::decode;
use support::fold::fold;
use support::recorded::{Recording, recordings};
use support::wire::{check_request, completion, end_marker, frame};

/// Each cut decodes the whole body, so cutting a long one everywhere is quadratic. Longer ones are
/// cut at every place after their middle has been taken out, and as a whole at every 997th place.
/// With CR and CRLF, cuts elsewhere than at line ends would only repeat those with LF.
const CUT_EVERYWHERE: usize = 20_000;
const KEPT_IN_FRONT: usize = 2_000;
const KEPT_BEHIND: usize = 4;
const STRIDE: usize = 997;

fn framed(api: Api, recording: &Recording, line_end: &str) -> Vec<u8> {
    let lines = recording.lines.iter().map(String::as_str);
    lines
        .chain(end_marker(api))
        .map(|line| frame(api, line, line_end))
        .collect::<String>()
        .into_bytes()
}

fn whole(api: Api, body: &[u8]) -> Vec<StreamPart> {
    decode(api.decoder(), [body])
}

/// Every recording of every wire.
fn all_recordings() -> impl Iterator<Item = (Api, Recording)> + Send {
    let of = |api: Api| recordings(api.name()).into_iter().map(move |it| (api, it));
    Api::ALL.into_iter().flat_map(of)
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
    for (api, recording) in all_recordings() {
        let mut message = summary(&fold(api, &whole(api, &framed(api, &recording, "\n"))));
        forget_unchecked_arguments(&mut message, &recording.expected);
        for (member, expected) in recording.expected.as_object().expect("an object") {
            assert_eq!(&message[member], expected, "{member} of {}", recording.name);
        }
    }
}

/// Where an expected call has no arguments, those that were read are not checked.
fn forget_unchecked_arguments(message: &mut Value, expected: &Value) {
    let calls = message["toolCalls"].as_array_mut().expect("calls");
    let expected = expected["toolCalls"].as_array();
    for (call, expected) in calls.iter_mut().zip(expected.into_iter().flatten()) {
        if expected.get("args").is_none() {
            call.as_object_mut().expect("a call").remove("args");
        }
    }
}

#[test]
fn counts_of_thinking_beside_the_completion_are_output() {
    let api = Api::OpenAiCompletions;
    for recording in recordings(api.name()) {
        let last = recording.lines.last().expect("lines");
        let last: Value = serde_json::from_str(last).expect("JSON");
        let Some(total) = last["usage"]["total_tokens"].as_f64() else {
            continue;
        };
        let usage = fold(api, &whole(api, &framed(api, &recording, "\n"))).usage;
        let sum = usage.input + usage.output + usage.cache_read + usage.cache_write;
        assert_eq!(sum, total, "{}", recording.name);
    }
}

#[test]
fn line_ends_and_cuts_change_nothing() {
    // Thousands of cuts each: shared among the cores.
    let waiting = Mutex::new(all_recordings());
    let next = || waiting.lock().expect("a lock").next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                while let Some((api, recording)) = next() {
                    check_line_ends_and_cuts(api, recording);
                }
            });
        }
    });
}

#[test]
fn what_a_payload_begins_with_may_differ_from_the_one_before() {
    for (api, mut recording) in all_recordings() {
        let expected = whole(api, &framed(api, &recording, "\n"));
        for line in recording.lines.iter_mut().step_by(2) {
            line.insert(1, ' ');
        }
        let read = whole(api, &framed(api, &recording, "\n"));
        assert_eq!(read, expected, "{}", recording.name);
    }
}

fn check_line_ends_and_cuts(api: Api, mut recording: Recording) {
    for line_end in ["\n", "\r\n", "\r"] {
        let body = framed(api, &recording, line_end);
        assert_eq!(
            whole(api, &body),
            whole(api, &framed(api, &recording, "\n")),
            "{}",
            recording.name
        );
        check_cuts(api, &recording.name, &body, [1].into_iter());
    }
    let body = framed(api, &recording, "\n");
    if body.len() > CUT_EVERYWHERE {
        check_cuts(api, &recording.name, &body, (1..body.len()).step_by(STRIDE));
        take_out_the_middle(&mut recording);
    }
    let body = framed(api, &recording, "\n");
    check_cuts(api, &recording.name, &body, 1..body.len());
    for line_end in ["\r\n", "\r"] {
        let body = framed(api, &recording, line_end);
        let at_line_end = |cut: &usize| body[cut - 1..=*cut].iter().any(|b| b"\r\n".contains(b));
        check_cuts(
            api,
            &recording.name,
            &body,
            (1..body.len()).filter(at_line_end),
        );
    }
}

fn check_cuts(api: Api, name: &str, body: &[u8], cuts: impl Iterator<Item = usize>) {
    let expected = whole(api, body);
    assert_eq!(
        decode(api.decoder(), body.chunks(1)),
        expected,
        "{name} byte by byte"
    );
    for cut in cuts {
        let (head, tail) = body.split_at(cut);
        assert_eq!(
            decode(api.decoder(), [head, tail]),
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
    for (api, recording) in all_recordings() {
        let events: Vec<Value> = recording
            .lines
            .iter()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let fails = recording.expected["stopReason"] == "error";
        for kept in 0..=events.len() {
            let message = fold(api, &whole(api, &cut_after(api, &recording, kept)));
            // A stream may hold several responses: the last one counts.
            let known = events[..kept].iter().rev();
            let complete = known.map(|event| completion(api, event)).find_map(|it| it);
            let what = format!("{} at {kept}", recording.name);
            match (complete, fails) {
                (Some(true), false) => assert_ne!(message.stop_reason, StopReason::Error, "{what}"),
                // A failure may be no better the next time.
                (Some(true), true) => {
                    assert!(!message.error.expect("an error").retryable, "{what}")
                }
                _ => {
                    assert_eq!(message.stop_reason, StopReason::Error, "{what}");
                    let error = message.error.expect("an error");
                    assert!(error.retryable || fails, "{what}");
                }
            }
        }
    }
}

fn cut_after(api: Api, recording: &Recording, lines: usize) -> Vec<u8> {
    let kept = recording.lines.iter().take(lines);
    kept.map(|line| frame(api, line, "\n"))
        .collect::<String>()
        .into_bytes()
}

#[test]
fn after_a_cut_anywhere_the_next_request_is_valid() {
    let user = |text: &str| {
        Message::User(UserMessage {
            content: UserContent::Text(text.into()),
            timestamp: 0.0,
        })
    };
    for (api, recording) in all_recordings() {
        let model = Model {
            id: "m".into(),
            api: api.name().into(),
            ..Model::default()
        };
        for kept in 0..=recording.lines.len() {
            let cut = fold(api, &whole(api, &cut_after(api, &recording, kept)));
            for stop_reason in [cut.stop_reason, StopReason::Aborted, StopReason::Length] {
                let turn = AssistantMessage {
                    stop_reason,
                    ..cut.clone()
                };
                let mut context = Context {
                    messages: vec![user("first"), Message::Assistant(turn), user("go on")],
                    ..Context::default()
                };
                let request = api.encode(&model, &mut context, &mut RequestOptions::default());
                check_request(api, &request.expect("a request").body);
            }
        }
    }
}
