//! What the app's hooks decide, and what becomes of hooks that fail or never settle.

use std::rc::Rc;

use serde_json::Value;
use sluice_agent::agent::host::{BeforeToolCall, FinishTurn};

use crate::host::FakeHost;
use crate::script::{Act, Does, Point, calls, says, tool};

fn host() -> FakeHost {
    FakeHost::new(
        [calls(&[("look", "a")]), says("Done."), says("More.")],
        vec![tool("look", Does::Echo), tool("enough", Does::Terminate)],
    )
}

/// What `finishTurn` decides, turn by turn; as usual afterwards.
fn finishing(host: FakeHost, verdicts: &'static [FinishTurn]) -> FakeHost {
    let count = std::cell::Cell::new(0);
    host.finish.replace(Some(Rc::new(move |_| {
        count.set(count.get() + 1);
        verdicts.get(count.get() - 1).copied().unwrap_or_default()
    })));
    host
}

/// The last event, and how many requests were made.
fn outcome(host: &FakeHost, prompt: &str) -> (String, usize) {
    let story = host.run(&[prompt]);
    (story.last().unwrap().clone(), host.requests.borrow().len())
}

#[test]
fn finish_turn_ends_a_run_that_would_go_on() {
    let host = finishing(host(), &[FinishTurn::End]);
    host.follow_up("Later");
    assert_eq!(outcome(&host, "Go"), ("agent_end terminated".to_owned(), 1));
    assert_eq!(host.follow_ups.borrow().waiting.len(), 1, "it still waits");
    // The next run goes on from there.
    assert_eq!(outcome(&host, "And?").0, "agent_end done");

    // Where nothing was left to do, the run is done.
    let host = finishing(self::host(), &[FinishTurn::AsUsual, FinishTurn::End]);
    assert_eq!(outcome(&host, "Go"), ("agent_end done".to_owned(), 2));
}

#[test]
fn finish_turn_goes_on_where_tools_asked_to_stop() {
    let responses = || [calls(&[("enough", "a")]), says("Done.")];
    let tools = || vec![tool("enough", Does::Terminate)];
    let host = FakeHost::new(responses(), tools());
    assert_eq!(outcome(&host, "Go"), ("agent_end terminated".to_owned(), 1));
    let host = finishing(FakeHost::new(responses(), tools()), &[FinishTurn::Continue]);
    assert_eq!(outcome(&host, "Go"), ("agent_end done".to_owned(), 2));
}

#[test]
fn behind_an_answer_there_is_nothing_to_go_on_with_unless_something_is_queued() {
    let go_on = &[FinishTurn::AsUsual, FinishTurn::Continue];
    let nothing = finishing(host(), go_on);
    assert_eq!(outcome(&nothing, "Go"), ("agent_end done".to_owned(), 2));
    let queued = finishing(host(), go_on);
    queued.plan(Point::FinishTurn, 1, Act::Steer("Go on"));
    assert_eq!(outcome(&queued, "Go"), ("agent_end done".to_owned(), 3));
}

#[test]
fn finish_turn_cannot_go_beyond_the_limit_of_turns() {
    let host = FakeHost::new(
        [calls(&[("enough", "a")]), says("Done.")],
        vec![tool("enough", Does::Terminate)],
    );
    let host = finishing(host, &[FinishTurn::Continue]).with_rules(|rules| rules.max_turns = 1);
    assert_eq!(outcome(&host, "Go"), ("agent_end max_turns".to_owned(), 1));
}

#[test]
fn a_finish_turn_that_fails_is_reported_by_a_turn_of_its_own() {
    let host = host().at(Point::FinishTurn, 0, Act::Fail("No hook."));
    let story = host.run(&["Go"]);
    assert_eq!(
        story[7..],
        [
            "turn_end",
            "turn_start",
            "assistant error stream_fn: ",
            "turn_end",
            "agent_end error",
        ]
    );
    assert_eq!(host.requests.borrow().len(), 1);
}

#[test]
fn before_tool_call_ends_the_run_behind_its_call() {
    for (verdict, end) in [
        (Ok(Value::Null), "end a null"),
        (Err("Not today.".to_owned()), "end a failed Not today."),
    ] {
        let host = host();
        let before = move |_: &str, _| BeforeToolCall {
            verdict: verdict.clone(),
            terminate: true,
        };
        host.before.replace(Some(Rc::new(before)));
        let story = host.run(&["Go"]);
        assert_eq!(story[5], end);
        assert_eq!(story.last().unwrap(), "agent_end terminated");
    }
}

/// Hooks of a request, and what they are called in errors.
const OF_REQUESTS: [(Point, &str); 3] = [
    (
        Point::PrepareCall,
        "What prepares a request (prepareRequest, transformContext, convertToLlm, getApiKey, streamFn)",
    ),
    (Point::OnPayload, "onPayload"),
    (Point::OnResponse, "onResponse"),
];

/// Hooks of a tool call.
const OF_CALLS: [(Point, &str); 3] = [
    (Point::BeforeTool, "beforeToolCall"),
    (Point::NeedsApproval, "needsApproval"),
    (Point::AfterTool, "afterToolCall"),
];

#[test]
fn a_hook_that_never_settles_ends_in_an_error_at_the_limit() {
    let limited = || host().with_rules(|rules| rules.hook_timeout_ms = Some(2500.0));
    for (point, name) in OF_REQUESTS {
        let host = limited().at(point, 0, Act::Hang);
        let story = host.run(&["Go"]);
        assert_eq!(story[3], "assistant error stream_fn: ", "{point:?}");
        let transcript = host.transcript.borrow();
        let sluice_agent::message::Message::Assistant(last) = &transcript[1] else {
            panic!("no answer");
        };
        let text = format!("{name} did not settle within 2.5 s (hookTimeoutMs).");
        assert_eq!(last.error_message.as_deref(), Some(text.as_str()));
        assert_eq!(host.clock.now(), 2500.0);
    }
    for (point, name) in OF_CALLS {
        let host = limited().at(point, 0, Act::Hang);
        let story = host.run(&["Go"]);
        let text = format!("end a failed {name} did not settle within 2.5 s (hookTimeoutMs).");
        assert_eq!(story[5], text, "{point:?}");
        assert_eq!(story.last().unwrap(), "agent_end done", "the run goes on");
    }
    let host = limited().at(Point::FinishTurn, 0, Act::Hang);
    assert_eq!(host.run(&["Go"]).last().unwrap(), "agent_end error");
}

#[test]
fn an_abort_ends_every_hook_that_never_settles() {
    let hooks = OF_REQUESTS.iter().chain(&OF_CALLS).map(|(point, _)| *point);
    for point in hooks.chain([Point::FinishTurn]) {
        let host = host().at(point, 0, Act::Hang);
        let story = host.run_and_abort("Go", 100.0);
        assert_eq!(story.last().unwrap(), "agent_end aborted", "{point:?}");
    }
}

#[test]
fn an_abort_counts_over_a_finish_turn_that_fails_with_it() {
    let host = FakeHost::new([says("Hello")], vec![])
        .at(Point::FinishTurn, 0, Act::Abort)
        .at(Point::FinishTurn, 0, Act::Fail("No hook."));
    let story = host.run(&["Hi"]);
    assert_eq!(
        story[3..],
        ["assistant stop: Hello", "turn_end", "agent_end aborted"]
    );
}
