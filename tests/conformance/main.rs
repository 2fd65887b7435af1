//! One list of scenarios, run for every wire.
//!
//! A wire says in frames what a scenario is on it, or why it cannot be said. What comes of the frames
//! is the same for all.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    unreachable_pub,
    reason = "all of this is a test"
)]

mod anthropic_messages;
mod google_generative_ai;
mod hosts;
mod openai_completions;
mod openai_responses;
mod outcome;
mod proxy;
mod scenario;
#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use sluice_agent::error::ErrorCode::{BadResponse, Overloaded, Refused, Truncated};
use sluice_agent::message::StopReason;

use outcome::{Outcome, next_request, read, read_whole_body, read_with_cuts};
use scenario::{Answer, Scenario, Wire};

const WIRES: [Wire; 5] = [
    openai_completions::WIRE,
    openai_responses::WIRE,
    anthropic_messages::WIRE,
    google_generative_ai::WIRE,
    proxy::WIRE,
];

/// Everything that a wire cannot express. A skip that is not here fails, and so does one that is
/// here and does not happen.
const SKIPS: [(&str, Scenario, &str); 5] = [
    (
        "openai-completions",
        Scenario::ImageOut,
        "a chat completion holds no images",
    ),
    (
        "anthropic-messages",
        Scenario::ImageOut,
        "the API's models make no images",
    ),
    (
        "anthropic-messages",
        Scenario::CallWithoutId,
        "every tool_use block has an id",
    ),
    (
        "google-generative-ai",
        Scenario::InterleavedCalls,
        "a call has no name or number by which a later part could continue it",
    ),
    (
        "proxy",
        Scenario::CallWithoutId,
        "a backend of Sluice makes the id",
    ),
];

/// The frames of a scenario, for each wire that can express it.
fn frames(scenario: Scenario) -> impl Iterator<Item = (Wire, Vec<String>)> {
    WIRES
        .into_iter()
        .filter_map(move |wire| match (wire.answer)(scenario) {
            Answer::Frames(frames) => Some((wire, frames)),
            Answer::Skip(_) => None,
        })
}

/// What comes of a scenario on each wire, in whatever pieces it arrives.
fn outcomes(scenario: Scenario) -> impl Iterator<Item = (&'static str, Outcome)> {
    frames(scenario).map(|(wire, frames)| {
        let outcome = read(wire.api, &frames);
        read_with_cuts(wire.api, &frames);
        next_request(wire, &outcome);
        (wire.api.name(), outcome)
    })
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

fn thinking(text: &str) -> Value {
    json!({ "thinking": text })
}

fn call(name: &str, arguments: Value) -> Value {
    json!({ "call": name, "arguments": arguments })
}

/// The blocks are these, the answer is a success, and these calls run.
fn assert_answer(
    scenario: Scenario,
    stop_reason: StopReason,
    blocks: &[Value],
    ran: &[(&str, Value)],
) {
    for (wire, outcome) in outcomes(scenario) {
        let what = format!("{scenario:?} on {wire}");
        assert_eq!(outcome.error(), None, "{what}");
        assert_eq!(outcome.blocks(), blocks, "{what}");
        assert_eq!(outcome.ending.stop_reason, stop_reason, "{what}");
        let expected = ran
            .iter()
            .map(|(name, args)| ((*name).to_owned(), args.clone()));
        let expected: Vec<_> = expected.collect();
        assert_eq!(outcome.runs(), expected, "{what}");
    }
}

/// The answer failed so, nothing runs, and the blocks that arrived are kept.
fn assert_failure(
    scenario: Scenario,
    error: (sluice_agent::error::ErrorCode, bool),
    blocks: &[Value],
) {
    for (wire, outcome) in outcomes(scenario) {
        let what = format!("{scenario:?} on {wire}");
        assert_eq!(outcome.error(), Some(error), "{what}");
        assert_eq!(outcome.ending.stop_reason, StopReason::Error, "{what}");
        assert_eq!(outcome.blocks(), blocks, "{what}");
        assert_eq!(outcome.runs(), [], "{what}");
    }
}

#[test]
fn what_a_wire_cannot_express_is_known() {
    let mut skipped = Vec::new();
    for wire in WIRES {
        for scenario in Scenario::ALL {
            if let Answer::Skip(why) = (wire.answer)(scenario) {
                eprintln!("SKIPPED: {scenario:?} on {}: {why}", wire.api.name());
                skipped.push((wire.api.name(), scenario, why));
            }
        }
    }
    skipped.sort_unstable_by_key(|skip| format!("{skip:?}"));
    let mut known = SKIPS;
    known.sort_unstable_by_key(|skip| format!("{skip:?}"));
    assert_eq!(skipped, known);
}

#[test]
fn every_protocol_that_is_built_in_has_its_scenarios() {
    use sluice_agent::protocol::Api;
    let tested = WIRES.map(|wire| wire.api);
    for api in Api::ALL.into_iter().chain([Api::Proxy]) {
        assert!(tested.contains(&api), "{api:?}");
    }
}

#[test]
fn plain_text_is_an_answer() {
    let said = [text("Hello, 世界!")];
    assert_answer(Scenario::PlainText, StopReason::Stop, &said, &[]);
    for (wire, outcome) in outcomes(Scenario::PlainText) {
        let usage = outcome.ending.usage;
        assert_eq!((usage.input, usage.output), (9.0, 2.0), "{wire}");
        assert_eq!(usage.total_tokens, 11.0, "{wire}");
    }
}

#[test]
fn an_answer_without_counts_is_an_answer() {
    let said = [text("Hello")];
    assert_answer(Scenario::NoUsage, StopReason::Stop, &said, &[]);
    for (wire, outcome) in outcomes(Scenario::NoUsage) {
        assert_eq!(outcome.ending.usage.total_tokens, 0.0, "{wire}");
    }
}

#[test]
fn counts_that_are_none_count_for_nothing() {
    for (wire, frames) in frames(Scenario::PlainText) {
        for (reported, input) in [
            ("1e400", 0.0),
            ("-9", 0.0),
            ("-1e400", 0.0),
            ("1e300", 0.0),
            ("9.7", 9.0),
            (r#""9""#, 9.0),
            (r#""nine""#, 0.0),
            ("null", 0.0),
            ("[9]", 0.0),
        ] {
            let reporting = |frame: &String| frame.replace(":9,", &format!(":{reported},"));
            let odd: Vec<String> = frames.iter().map(reporting).collect();
            let what = format!("{reported} on {:?}", wire.api);
            assert_ne!(odd, frames, "{what}");
            let outcome = read(wire.api, &odd);
            let usage = outcome.ending.usage;
            assert_eq!(outcome.error(), None, "{what}");
            assert_eq!((usage.input, usage.output), (input, 2.0), "{what}");
            assert_eq!(usage.total_tokens, input + 2.0, "{what}");
        }
    }
}

#[test]
fn thinking_and_text_are_blocks_of_their_own() {
    let said = [thinking("Two and two."), text("Four.")];
    assert_answer(Scenario::ThinkingThenText, StopReason::Stop, &said, &[]);
}

#[test]
fn a_call_runs_with_its_whole_arguments() {
    let arguments = json!({ "city": "Paris", "days": [1, 2] });
    let said = [text("I ask."), call("f", arguments.clone())];
    assert_answer(
        Scenario::OneCall,
        StopReason::ToolUse,
        &said,
        &[("f", arguments)],
    );
}

#[test]
fn calls_side_by_side_keep_their_arguments_apart() {
    let (x, y) = (json!({ "x": 1 }), json!({ "y": 2 }));
    for scenario in [Scenario::ParallelCalls, Scenario::InterleavedCalls] {
        let said = [call("f", x.clone()), call("g", y.clone())];
        let ran = [("f", x.clone()), ("g", y.clone())];
        assert_answer(scenario, StopReason::ToolUse, &said, &ran);
        for (wire, outcome) in outcomes(scenario) {
            let ids: Vec<_> = outcome.ending.calls.iter().map(|call| &call.id).collect();
            assert_ne!(ids[0], ids[1], "{scenario:?} on {wire}");
        }
    }
}

#[test]
fn a_call_without_an_id_gets_one() {
    let arguments = json!({ "q": 1 });
    let said = [call("f", arguments.clone())];
    let ran = [("f", arguments)];
    assert_answer(Scenario::CallWithoutId, StopReason::ToolUse, &said, &ran);
    for (wire, outcome) in outcomes(Scenario::CallWithoutId) {
        assert!(!outcome.ending.calls[0].id.is_empty(), "{wire}");
    }
}

#[test]
fn a_call_without_arguments_runs_with_none() {
    let said = [call("f", json!({}))];
    let ran = [("f", json!({}))];
    assert_answer(
        Scenario::CallWithoutArguments,
        StopReason::ToolUse,
        &said,
        &ran,
    );
}

#[test]
fn an_unknown_event_is_passed_over() {
    let said = [text("Hello")];
    assert_answer(Scenario::UnknownEvent, StopReason::Stop, &said, &[]);
}

#[test]
fn an_answer_that_is_cut_anywhere_is_no_answer_and_runs_nothing() {
    for scenario in Scenario::ALL {
        for (wire, frames) in frames(scenario) {
            let whole = read(wire.api, &frames);
            if whole.error().is_some() || scenario.is_one_body() {
                continue;
            }
            let complete = frames
                .iter()
                .position(|frame| (wire.completes)(frame))
                .expect("an event that completes the answer");
            for kept in 0..=complete {
                let name = wire.api.name();
                let cut = read(wire.api, &frames[..kept]);
                let what = format!("{scenario:?} on {name} cut at {kept}");
                assert_eq!(cut.error(), Some((Truncated, true)), "{what}");
                assert_eq!(cut.runs(), [], "{what}");
                next_request(wire, &cut);
                // In the middle of an event.
                let mut half = frames[..kept].to_vec();
                half.push(frames[kept].chars().take(frames[kept].len() / 2).collect());
                let cut = read(wire.api, &half);
                assert_eq!(cut.error(), Some((Truncated, true)), "{what} and a half");
                assert_eq!(cut.runs(), [], "{what} and a half");
            }
            for kept in complete + 1..=frames.len() {
                let cut = read(wire.api, &frames[..kept]);
                assert_eq!(cut.error(), None, "{scenario:?} on {:?}", wire.api);
                assert_eq!(cut.blocks(), whole.blocks());
            }
        }
    }
}

#[test]
fn a_failure_in_the_stream_is_a_failure_and_runs_nothing() {
    let failure = (Overloaded, true);
    assert_failure(Scenario::ErrorFirst, failure, &[]);
    let whole = [call("f", json!({ "q": 1 }))];
    assert_failure(Scenario::ErrorBehindCall, failure, &whole);
    let half = [call("f", json!({ "q": "ha" }))];
    assert_failure(Scenario::ErrorInsideCall, failure, &half);
}

#[test]
fn what_keeps_a_connection_alive_is_passed_over() {
    for (wire, frames) in frames(Scenario::ThinkingThenText) {
        let whole = read(wire.api, &frames);
        for beat in [
            ": ping\n\n",
            ":\n:\n\n",
            "data:\n\n",
            "data: : OPENROUTER PROCESSING\n\n",
            "event: ping\n\n",
            "retry: 3000\n\n",
        ] {
            let beats = |frame: &String| [beat.to_owned(), frame.clone()];
            let alive: Vec<String> = frames.iter().flat_map(beats).collect();
            let outcome = read(wire.api, &alive);
            let what = format!("{beat:?} on {:?}", wire.api);
            assert_eq!(outcome.error(), None, "{what}");
            assert_eq!(outcome.blocks(), whole.blocks(), "{what}");
        }
    }
}

#[test]
fn an_event_that_another_is_written_into_is_never_passed_over() {
    for (wire, frames) in frames(Scenario::OneCall) {
        let complete = frames.iter().position(|frame| (wire.completes)(frame));
        for broken in 0..complete.expect("an event that completes the answer") {
            let half: String = {
                let frame = &frames[broken];
                let payload = frame.find("data: ").expect("data") + "data: ".len();
                frame.chars().take((payload + frame.len()) / 2).collect()
            };
            for between in ["", "\n"] {
                let mut torn = frames[..broken].to_vec();
                torn.push([&half, between, &frames[broken + 1]].concat());
                torn.extend_from_slice(&frames[broken + 2..]);
                let outcome = read(wire.api, &torn);
                let what = format!("{between:?} behind {half} on {:?}", wire.api);
                assert_eq!(outcome.error(), Some((BadResponse, true)), "{what}");
                assert_eq!(outcome.runs(), [], "{what}");
            }
        }
    }
}

#[test]
fn a_malformed_event_fails_the_answer() {
    let kept = [text("half")];
    assert_failure(Scenario::MalformedFrame, (BadResponse, true), &kept);
}

#[test]
fn an_error_in_place_of_a_stream_is_the_failure_it_says() {
    for (wire, frames) in frames(Scenario::ErrorBody) {
        let outcome = read_whole_body(wire.api, &frames.concat());
        assert_eq!(outcome.error(), Some((Overloaded, true)), "{:?}", wire.api);
        assert_eq!(outcome.blocks(), [] as [Value; 0]);
    }
}

#[test]
fn a_refusal_is_never_a_success() {
    for (wire, outcome) in outcomes(Scenario::Refusal) {
        assert_eq!(outcome.error(), Some((Refused, false)), "{wire}");
        assert_eq!(outcome.ending.stop_reason, StopReason::Error, "{wire}");
    }
}

#[test]
fn a_call_that_the_output_limit_cut_does_not_run() {
    let half = [call("f", json!({ "p": "ha" }))];
    assert_answer(Scenario::LengthInsideCall, StopReason::Length, &half, &[]);
}

#[test]
fn thinking_goes_back_to_the_model_that_thought_and_to_no_other() {
    let arguments = json!({ "q": 1 });
    let said = [thinking("Hm."), call("f", arguments.clone())];
    let ran = [("f", arguments)];
    assert_answer(Scenario::ThinkingReplay, StopReason::ToolUse, &said, &ran);
    for (wire, frames) in frames(Scenario::ThinkingReplay) {
        let outcome = read(wire.api, &frames);
        let body = next_request(wire, &outcome);
        let what = format!("{:?}: {body}", wire.api);
        for replayed in wire.replayed {
            assert!(body.contains(replayed), "{replayed} is missing on {what}");
        }
        if wire.hands_over_all {
            continue;
        }
        let other = outcome::next_request_of(wire, &outcome, "another-model");
        for replayed in wire.replayed {
            assert!(
                !other.contains(replayed),
                "{replayed} goes to another model on {what}"
            );
        }
    }
}

#[test]
fn a_character_that_is_cut_into_halves_stays_whole() {
    let arguments = json!({ "q": "a🙂b", "p": "🙂" });
    let said = [thinking("a🙂b"), text("a🙂b"), call("f", arguments.clone())];
    let ran = [("f", arguments)];
    assert_answer(Scenario::CutCharacters, StopReason::ToolUse, &said, &ran);
}

#[test]
fn images_go_both_ways() {
    for wire in WIRES {
        let body = outcome::request_with_images(wire);
        for image in ["aW1hZ2Ux", "aW1hZ2Uy"] {
            assert!(body.contains(image), "{image} on {:?}: {body}", wire.api);
        }
    }
    let image = [json!({ "image": "image/png", "data": "AA==" })];
    assert_answer(Scenario::ImageOut, StopReason::Stop, &image, &[]);
}
