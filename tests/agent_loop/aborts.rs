//! Aborts, at every place where the loop waits or is listened to.

use std::rc::Rc;

use serde_json::json;
use sluice_agent::agent::retry::RetryRules;
use sluice_agent::error::{ErrorCode, ErrorInfo};
use sluice_agent::protocol::StreamPart;

use crate::host::FakeHost;
use crate::script::{
    Act, Does, Point, Response, Step, approve, asking_tool, calls, reply, says, tool, turn,
};
use crate::story::label;

/// Turns with everything in them: a call that fails at first, thinking, text, tools, progress, an
/// approval, a follow-up.
fn world() -> FakeHost {
    let responses = [
        reply(json!({"error": {"message": "Busy.", "status": 503}})),
        reply(json!({
            "thinking": "Hm, well", "text": "Let me see",
            "toolCalls": [
                {"name": "look", "id": "a", "arguments": {"path": "some where"}},
                {"name": "wait", "id": "b", "arguments": {}},
            ],
        })),
        says("Done."),
        says("Bye."),
    ];
    let tools = vec![
        tool("look", Does::Progress(1.0, &["1", "2"])),
        asking_tool("wait", Does::Answer(5.0, "waited")),
    ];
    let host = FakeHost::new(responses, tools).with_rules(|rules| {
        rules.retry = Some(RetryRules {
            base_delay_ms: 10.0,
            ..RetryRules::default()
        });
    });
    host.follow_up("And now?");
    approve_all(&host);
    host
}

/// The app approves of every call in the next run.
fn approve_all(host: &FakeHost) {
    for nth in 0..4 {
        host.plan(
            Point::Event("tool approval"),
            nth,
            Act::Do(Rc::new(approve)),
        );
    }
}

/// The run ended as aborted, and the next one is as good as any.
fn assert_aborted(host: &FakeHost, story: &[String], what: &str) {
    assert_eq!(
        story.last().unwrap(),
        "agent_end aborted",
        "{what}: {story:#?}"
    );
    host.follow_ups.borrow_mut().waiting.clear();
    host.otherwise.replace(Some(says("Good again.")));
    approve_all(host);
    assert_eq!(
        host.run(&["Again"]).last().unwrap(),
        "agent_end done",
        "{what}"
    );
}

const AWAITS: [Point; 13] = [
    Point::PrepareCall,
    Point::OnPayload,
    Point::Send,
    Point::OnResponse,
    Point::Read,
    Point::BeforeTool,
    Point::NeedsApproval,
    Point::Tool,
    Point::AfterTool,
    Point::FinishTurn,
    Point::Online,
    Point::HasSteering,
    Point::HasFollowUps,
];

#[test]
fn an_abort_ends_every_wait() {
    let good = world();
    good.run(&["Go"]);
    for point in AWAITS {
        let visits = good.visits(point);
        assert!(visits > 0, "{point:?}");
        for nth in 0..visits {
            let what = format!("in {point:?} {nth}");
            let host = world().at(point, nth, Act::Abort);
            let story = host.run(&["Go"]);
            assert_aborted(&host, &story, &what);

            let what = format!("while {point:?} {nth} hangs");
            let host = world().at(point, nth, Act::Hang);
            let story = host.run_and_abort("Go", 100.0);
            assert_aborted(&host, &story, &what);
        }
    }
}

#[test]
fn an_abort_ends_the_run_in_any_listener() {
    let good = world();
    good.run(&["Go"]);
    let events = good.events.borrow();
    let labels: Vec<&str> = events.iter().map(label).collect();
    assert_eq!(
        labels
            .iter()
            .filter(|label| **label == "tool update")
            .count(),
        2
    );
    for (index, label) in labels.iter().enumerate() {
        let nth = labels[..index]
            .iter()
            .filter(|other| *other == label)
            .count();
        let host = world().at(Point::Event(label), nth, Act::Abort);
        let story = host.run(&["Go"]);
        let failed_before =
            nth == 0 && ["assistant start", "assistant end", "turn_end"].contains(label);
        if *label == "agent_end" {
            assert_eq!(story.last().unwrap(), "agent_end done");
        } else if failed_before {
            assert_eq!(story.last().unwrap(), "agent_end error");
        } else {
            assert_aborted(&host, &story, &format!("{label} {nth}"));
        }
    }
}

#[test]
fn an_abort_while_a_server_is_silent() {
    let hello = || Step::Give(turn(json!({"text": "Hello"})).response().chunks[..2].concat());
    let parts = || Step::Give(vec![StreamPart::Text("Hello".to_owned())]);
    let page = |body| Response::Http {
        status: 500,
        content_type: "application/json",
        retry_after_ms: None,
        body,
    };
    for (what, response, expected) in [
        (
            "before the first byte",
            Response::body("text/event-stream", vec![Step::Hang]),
            "assistant aborted: ",
        ),
        (
            "behind the first delta",
            Response::body("text/event-stream", vec![hello(), Step::Hang]),
            "assistant aborted: Hello",
        ),
        (
            "in the body of an error",
            page(vec![Step::Hang]),
            "assistant aborted: ",
        ),
        (
            "in a JSON document",
            Response::body(
                "application/json",
                vec![Step::Give("{".to_owned()), Step::Hang],
            ),
            "assistant aborted: ",
        ),
        (
            "in the app's stream",
            Response::App(vec![parts(), Step::Hang]),
            "assistant aborted: Hello",
        ),
        (
            "before the app's stream",
            Response::App(vec![Step::Hang]),
            "assistant aborted: ",
        ),
    ] {
        let host = FakeHost::new([response], vec![]);
        let story = host.run_and_abort("Hi", 50.0);
        assert_eq!(story[3], expected, "{what}");
        assert_aborted(&host, &story, what);
    }
}

#[test]
fn nothing_of_a_burst_is_shown_behind_the_abort() {
    let text = "word ".repeat(1000);
    let script = turn(json!({"text": text, "toolCalls": [{"name": "look", "id": "a"}]}));
    for nth in [0, 1, 500] {
        let host = FakeHost::new([Response::burst(&script)], vec![tool("look", Does::Echo)]).at(
            Point::Event("text_delta"),
            nth,
            Act::Abort,
        );
        let story = host.run(&["Hi"]);
        let shown = if nth == 0 {
            "word".to_owned()
        } else {
            format!("word{}", " word".repeat(nth))
        };
        assert_eq!(
            story[3..],
            [
                &format!("assistant aborted: {shown}"),
                "turn_end",
                "agent_end aborted"
            ]
        );
        assert_aborted(&host, &story, "a burst");
    }
    // A call of which only the beginning was shown is answered.
    let host = FakeHost::new([Response::burst(&script)], vec![tool("look", Does::Echo)]).at(
        Point::Event("toolcall_start"),
        0,
        Act::Abort,
    );
    let story = host.run(&["Hi"]);
    assert_eq!(
        story[4..],
        [
            "start a",
            "end a failed The tool did not run: the response was aborted.",
            "result a",
            "turn_end",
            "agent_end aborted",
        ]
    );
}

#[test]
fn an_abort_counts_over_a_failure_that_comes_with_it() {
    let failing = || json!({"text": "Hello you", "error": {"message": "Boom."}});
    let burst = Response::burst(&turn(failing()));
    let host = FakeHost::new([burst], vec![]).at(Point::Event("text_delta"), 0, Act::Abort);
    let story = host.run(&["Hi"]);
    assert_eq!(story[3], "assistant aborted: Hello");
    assert_aborted(&host, &story, "a failure in the same read");

    // A request rejects with whatever it likes once it is aborted.
    let rejected = ErrorInfo::new(ErrorCode::Network, "Failed to fetch");
    let host =
        FakeHost::new([Response::Unreachable(rejected)], vec![]).at(Point::Send, 0, Act::Abort);
    let story = host.run(&["Hi"]);
    assert_eq!(story[3], "assistant aborted: ");
    assert_aborted(&host, &story, "a request that rejects");

    for point in [Point::PrepareCall, Point::OnPayload, Point::OnResponse] {
        let host = FakeHost::new([says("Hello")], vec![])
            .at(point, 0, Act::Abort)
            .at(point, 0, Act::Fail("No hook."));
        assert_eq!(host.run(&["Hi"])[3], "assistant aborted: ", "{point:?}");
    }
}

#[test]
fn a_complete_answer_in_one_read_is_still_aborted_in_it() {
    let burst = Response::burst(&turn(json!({"text": "Hello you"})));
    let host = FakeHost::new([burst], vec![]).at(Point::Event("text_delta"), 1, Act::Abort);
    assert_eq!(
        host.run(&["Hi"])[3..],
        [
            "assistant aborted: Hello you",
            "turn_end",
            "agent_end aborted"
        ]
    );
}

#[test]
fn what_an_abort_does_to_tools() {
    let answered = || [calls(&[("t", "a")])];
    let ran = "Aborted. The tool was told to stop and may still be running.";
    let not_run = "Aborted before the tool ran.";
    let finished = "Aborted. The tool had finished, but its result was not taken.";
    for (what, does, act, text, log) in [
        (
            "a tool that never ends",
            Does::Hang,
            None,
            ran,
            vec!["run a {}".to_owned(), format!("stop a {ran}")],
        ),
        (
            "a tool that would end later",
            Does::Answer(500.0, "late"),
            None,
            ran,
            vec!["run a {}".to_owned(), format!("stop a {ran}")],
        ),
        (
            "a hook before it",
            Does::Echo,
            Some((Point::BeforeTool, Act::Hang)),
            not_run,
            vec![],
        ),
        (
            "a hook behind it",
            Does::Echo,
            Some((Point::AfterTool, Act::Hang)),
            finished,
            vec!["run a {}".to_owned()],
        ),
        (
            "the answer",
            Does::Echo,
            Some((Point::Event("assistant end"), Act::Abort)),
            not_run,
            vec![],
        ),
        (
            "its start",
            Does::Echo,
            Some((Point::Event("tool start"), Act::Abort)),
            not_run,
            vec![],
        ),
    ] {
        let host = FakeHost::new(answered(), vec![tool("t", does)]);
        let host = match act {
            Some((point, act)) => host.at(point, 0, act),
            None => host,
        };
        let story = host.run_and_abort("Go", 100.0);
        assert_eq!(
            story[4..],
            [
                "start a",
                &format!("end a failed {text}"),
                "result a",
                "turn_end",
                "agent_end aborted"
            ],
            "{what}"
        );
        assert_eq!(*host.log.borrow(), log, "{what}");
        let count = host.events.borrow().len();
        host.clock.run_out();
        assert_eq!(host.events.borrow().len(), count, "{what}");
    }
}

#[test]
fn an_abort_ends_all_calls_of_a_batch() {
    let host = FakeHost::new(
        [calls(&[("hang", "a"), ("fast", "b"), ("hang", "c")])],
        vec![
            tool("hang", Does::Hang),
            tool("fast", Does::Answer(1.0, "fast")),
        ],
    );
    let text = "Aborted. The tool was told to stop and may still be running.";
    assert_eq!(
        host.run_and_abort("Go", 10.0)[4..],
        [
            "start a",
            "start b",
            "start c",
            "end b fast",
            &format!("end a failed {text}"),
            &format!("end c failed {text}"),
            "result a",
            "result b",
            "result c",
            "turn_end",
            "agent_end aborted",
        ]
    );
    let host = FakeHost::new(
        [calls(&[("hang", "a"), ("fast", "b")])],
        vec![
            crate::script::sequential_tool("hang", Does::Hang),
            tool("fast", Does::Echo),
        ],
    );
    assert_eq!(
        host.run_and_abort("Go", 10.0)[4..],
        [
            "start a",
            &format!("end a failed {text}"),
            "start b",
            "end b failed Aborted before the tool ran.",
            "result a",
            "result b",
            "turn_end",
            "agent_end aborted",
        ]
    );
}
