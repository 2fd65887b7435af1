//! Tool calls that wait for the app's yes or no.

use std::rc::Rc;

use serde_json::json;
use sluice_agent::agent::approval::Approval;
use sluice_agent::agent::host::{InterruptMode, ToolExecutionMode};
use sluice_agent::agent::run::OpenCalls;
use sluice_agent::assemble::AssembledCall;
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, Message, StopReason, ToolCall,
};

use crate::host::FakeHost;
use crate::script::{Act, Does, FakeTool, Point, asking_tool, calls, says, tool, user};

fn tools() -> Vec<FakeTool> {
    vec![
        asking_tool("ask", Does::Echo),
        asking_tool("ask_too", Does::Echo),
        tool("free", Does::Answer(1.0, "free")),
    ]
}

fn host(called: &[(&str, &str)]) -> FakeHost {
    FakeHost::new([calls(called), says("Done.")], tools())
}

/// The app decides on the first call that it is asked about, this much later.
fn decide_after(host: &FakeHost, ms: f64, id: &'static str, decision: Approval) {
    let act = move |host: &FakeHost| {
        let (approvals, decision) = (host.approvals.clone(), decision.clone());
        host.clock
            .after(ms, move || assert!(approvals.decide(id, decision)));
    };
    host.plan(Point::Event("tool approval"), 0, Act::Do(Rc::new(act)));
}

fn denied(text: &str) -> Approval {
    Approval::Denied(text.to_owned())
}

/// The story of the first turn's tools.
fn batch(story: &[String]) -> Vec<&str> {
    let lines = story.iter().map(String::as_str);
    lines
        .skip_while(|line| !line.starts_with("start "))
        .take_while(|line| *line != "turn_end")
        .collect()
}

#[test]
fn a_call_runs_when_it_is_approved_and_is_answered_when_it_is_denied() {
    for (decision, end, ran) in [
        (Approval::Approved, "end a {}", 1),
        (denied("Not on Sundays."), "end a failed Not on Sundays.", 0),
    ] {
        let host = host(&[("ask", "a")]);
        decide_after(&host, 5000.0, "a", decision);
        let story = host.run(&["Go"]);
        assert_eq!(batch(&story), ["start a", "ask a {}", end, "result a"]);
        assert_eq!(host.log.borrow().len(), ran);
        assert_eq!(
            host.clock.now(),
            5000.0,
            "the tool's limit does not count the wait"
        );
        assert_eq!(story.last().unwrap(), "agent_end done");
    }
}

#[test]
fn several_calls_wait_at_once_while_others_run() {
    let host = host(&[("ask", "a"), ("free", "b"), ("ask_too", "c")]).at(
        Point::Event("tool end"),
        0,
        Act::Do(Rc::new(|host: &FakeHost| {
            host.decide("c", Approval::Approved);
            host.decide("a", Approval::Denied("No.".to_owned()));
        })),
    );
    assert_eq!(
        batch(&host.run(&["Go"])),
        [
            "start a",
            "start b",
            "start c",
            "ask a {}",
            "ask c {}",
            "end b free",
            "end a failed No.",
            "end c {}",
            "result a",
            "result b",
            "result c",
        ]
    );
}

#[test]
fn one_after_the_other_each_call_asks_when_its_turn_comes() {
    let decide = |id: &'static str| {
        Act::Do(Rc::new(move |host: &FakeHost| {
            host.decide(id, Approval::Approved)
        }))
    };
    let host = host(&[("ask", "a"), ("ask_too", "b")])
        .with_rules(|rules| rules.tool_execution = ToolExecutionMode::Sequential)
        .at(Point::Event("tool approval"), 0, decide("a"))
        .at(Point::Event("tool approval"), 1, decide("b"));
    assert_eq!(
        batch(&host.run(&["Go"])),
        [
            "start a", "ask a {}", "end a {}", "start b", "ask b {}", "end b {}", "result a",
            "result b",
        ]
    );
}

#[test]
fn a_decision_in_the_listener_that_is_asked_counts() {
    let host = host(&[("ask", "a")]).at(
        Point::Event("tool approval"),
        0,
        Act::Do(Rc::new(|host: &FakeHost| {
            host.decide("a", Approval::Approved)
        })),
    );
    assert_eq!(batch(&host.run(&["Go"]))[2], "end a {}");
}

#[test]
fn the_app_is_asked_about_the_arguments_that_the_tool_would_get() {
    let host = host(&[("ask", "a")]).at(
        Point::Event("tool approval"),
        0,
        Act::Do(Rc::new(|host: &FakeHost| {
            host.decide("a", Approval::Approved)
        })),
    );
    let replace = |_: &str, _| Ok(json!({"path": "other"})).into();
    host.before.replace(Some(Rc::new(replace)));
    let story = host.run(&["Go"]);
    assert_eq!(
        batch(&story)[1..3],
        ["ask a {\"path\":\"other\"}", "end a {\"path\":\"other\"}"]
    );
}

#[test]
fn a_call_that_a_hook_blocks_is_not_asked_about() {
    let host = host(&[("ask", "a")]);
    let block = |_: &str, _| Err("Never.".to_owned()).into();
    host.before.replace(Some(Rc::new(block)));
    assert_eq!(
        batch(&host.run(&["Go"])),
        ["start a", "end a failed Never.", "result a"]
    );
}

#[test]
fn a_question_that_fails_keeps_the_tool_from_running() {
    let host = host(&[("ask", "a")]).at(Point::NeedsApproval, 0, Act::Fail("No idea."));
    assert_eq!(
        batch(&host.run(&["Go"])),
        ["start a", "end a failed No idea.", "result a"]
    );
    assert_eq!(*host.log.borrow(), Vec::<String>::new());
}

#[test]
fn a_steering_message_in_place_of_a_decision_skips_the_call() {
    let steer = Act::Steer("Do something else.");
    let host = host(&[("ask", "a"), ("free", "b")]).at(Point::Event("tool end"), 0, steer.clone());
    let story = host.run(&["Go"]);
    assert_eq!(
        batch(&story),
        [
            "start a",
            "start b",
            "ask a {}",
            "end b free",
            "end a failed Skipped due to queued user message.",
            "result a",
            "result b",
        ]
    );
    assert_eq!(story[story.len() - 4], "user Do something else.");

    // Where steering waits for the batch, the decision is still asked for.
    let host = self::host(&[("ask", "a"), ("free", "b")])
        .with_rules(|rules| rules.interrupt_mode = InterruptMode::Wait)
        .at(Point::Event("tool end"), 0, steer)
        .at(
            Point::Event("tool end"),
            0,
            Act::Do(Rc::new(|host: &FakeHost| {
                host.decide("a", Approval::Approved)
            })),
        );
    assert_eq!(batch(&host.run(&["Go"]))[4], "end a {}");
}

#[test]
fn a_steering_message_before_the_question_makes_it_needless() {
    for point in [Point::BeforeTool, Point::NeedsApproval] {
        let host = host(&[("ask", "a")]).at(point, 0, Act::Steer("Do something else."));
        assert_eq!(
            batch(&host.run(&["Go"])),
            [
                "start a",
                "end a failed Skipped due to queued user message.",
                "result a",
            ],
            "{point:?}"
        );
    }
}

#[test]
fn an_abort_ends_the_wait_for_a_decision() {
    let host = host(&[("ask", "a"), ("ask_too", "b")]);
    let story = host.run_and_abort("Go", 100.0);
    assert_eq!(
        story[4..],
        [
            "start a",
            "start b",
            "ask a {}",
            "ask b {}",
            "end a failed Aborted before the tool ran.",
            "end b failed Aborted before the tool ran.",
            "result a",
            "result b",
            "turn_end",
            "agent_end aborted",
        ]
    );
    // A decision that comes too late changes nothing.
    host.decide("a", Approval::Approved);
    assert_eq!(host.run(&["Again"]).last().unwrap(), "agent_end done");
}

/// The transcript of a session that ended while calls waited: `a` is answered, `b` and `c` are not.
fn interrupted(host: &FakeHost) -> OpenCalls<AssistantMessage> {
    let call = |id: &str, name: &str| {
        AssistantContentBlock::ToolCall(ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            ..ToolCall::default()
        })
    };
    let message = AssistantMessage {
        content: vec![call("b", "ask"), call("c", "free")],
        stop_reason: StopReason::ToolUse,
        ..AssistantMessage::default()
    };
    let mut transcript = host.transcript.borrow_mut();
    transcript.extend([user("Go"), Message::Assistant(message.clone())]);
    let open = |id: &str, name: &str, block| AssembledCall {
        id: id.to_owned(),
        name: name.to_owned(),
        block,
        json: "{}".to_owned(),
    };
    OpenCalls {
        message,
        calls: vec![open("b", "ask", 0), open("c", "free", 1)],
    }
}

#[test]
fn open_calls_of_an_earlier_run_are_answered_first() {
    let host = FakeHost::new([says("Done.")], tools());
    decide_after(&host, 0.0, "b", Approval::Approved);
    let open = interrupted(&host);
    assert_eq!(
        host.resume(open, &[], None),
        [
            "agent_start",
            "turn_start",
            "start b",
            "start c",
            "ask b {}",
            "end b {}",
            "end c free",
            "result b",
            "result c",
            "turn_end",
            "turn_start",
            "assistant stop: Done.",
            "turn_end",
            "agent_end done",
        ]
    );
}

#[test]
fn nobody_is_asked_about_a_call_that_was_decided_on_before_the_run() {
    for (decision, end) in [
        (Approval::Approved, "end b {}"),
        (denied("No."), "end b failed No."),
    ] {
        let host = FakeHost::new([says("Done.")], tools());
        host.decide("b", decision);
        let open = interrupted(&host);
        assert_eq!(
            batch(&host.resume(open, &[], None)),
            [
                "start b",
                "start c",
                end,
                "end c free",
                "result b",
                "result c"
            ]
        );
        assert_eq!(host.approvals.pending(), Vec::<String>::new());
    }
}

#[test]
fn steering_skips_a_call_that_was_approved_before_the_run() {
    let host = FakeHost::new([says("Done.")], tools()).at(
        Point::NeedsApproval,
        0,
        Act::Steer("Do something else."),
    );
    host.decide("b", Approval::Approved);
    let open = interrupted(&host);
    assert_eq!(
        batch(&host.resume(open, &[], None))[2],
        "end b failed Skipped due to queued user message."
    );
    assert!(!host.approvals.is_requested("b"), "the decision is used up");
}

#[test]
fn a_prompt_comes_before_open_calls_and_none_of_them_runs() {
    let host = FakeHost::new([says("Done.")], tools());
    let open = interrupted(&host);
    assert_eq!(
        host.resume(open, &["Never mind"], None),
        [
            "agent_start",
            "turn_start",
            "start b",
            "end b failed Skipped due to queued user message.",
            "start c",
            "end c failed Skipped due to queued user message.",
            "result b",
            "result c",
            "turn_end",
            "turn_start",
            "user Never mind",
            "assistant stop: Done.",
            "turn_end",
            "agent_end done",
        ]
    );
    assert_eq!(*host.log.borrow(), Vec::<String>::new());
}

#[test]
fn an_abort_of_a_resumed_run_loses_neither_calls_nor_the_prompt() {
    let host = FakeHost::new([says("Done.")], tools());
    let open = interrupted(&host);
    let story = host.resume(open, &[], Some(50.0));
    assert_eq!(story.last().unwrap(), "agent_end aborted");

    let host =
        FakeHost::new([says("Done.")], tools()).at(Point::Event("tool start"), 0, Act::Abort);
    let open = interrupted(&host);
    let story = host.resume(open, &["Never mind"], None);
    assert!(story.contains(&"user Never mind".to_owned()), "{story:#?}");
    assert_eq!(story.last().unwrap(), "agent_end aborted");
}
