//! Random worlds: whatever happens in which order, the laws hold and no message is lost.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use sluice_agent::agent::approval::Approval;
use sluice_agent::agent::host::{FinishTurn, InterruptMode, Rules, ToolExecutionMode};
use sluice_agent::agent::queue::QueueMode;
use sluice_agent::agent::retry::RetryRules;
use sluice_agent::error::{ErrorCode, ErrorInfo};
use sluice_agent::event::AgentEvent;
use sluice_agent::message::{Message, UserContent};

use crate::host::FakeHost;
use crate::script::{Act, Does, Point, Response, Step, asking_tool, reply, says, tool, turn};

/// What an app may do in the middle of a run.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Steer,
    FollowUp,
    Abort,
    Delay(u8),
    /// A hook fails, or never answers.
    Fail,
    Hang,
}

/// The hooks of the app: they may fail and hang.
const HOOKS: [Point; 7] = [
    Point::PrepareCall,
    Point::OnPayload,
    Point::OnResponse,
    Point::BeforeTool,
    Point::NeedsApproval,
    Point::AfterTool,
    Point::FinishTurn,
];

fn points() -> impl Strategy<Value = Point> {
    prop::sample::select(vec![
        Point::PrepareCall,
        Point::OnPayload,
        Point::Send,
        Point::OnResponse,
        Point::Read,
        Point::NextParts,
        Point::PrepareArguments,
        Point::BeforeTool,
        Point::NeedsApproval,
        Point::Tool,
        Point::AfterTool,
        Point::FinishTurn,
        Point::Online,
        Point::HasSteering,
        Point::HasFollowUps,
        Point::SteeringKnown,
        Point::FollowUpsKnown,
        Point::Event("agent_start"),
        Point::Event("turn_start"),
        Point::Event("user end"),
        Point::Event("assistant start"),
        Point::Event("text_delta"),
        Point::Event("toolcall_delta"),
        Point::Event("toolcall_end"),
        Point::Event("assistant end"),
        Point::Event("tool start"),
        Point::Event("tool update"),
        Point::Event("tool approval"),
        Point::Event("tool end"),
        Point::Event("retry start"),
        Point::Event("retry end"),
        Point::Event("result end"),
        Point::Event("turn_end"),
        Point::Event("agent_end"),
    ])
}

fn deeds() -> impl Strategy<Value = Vec<(Point, usize, Deed)>> {
    let deed = prop_oneof![
        3 => Just(Deed::Steer),
        3 => Just(Deed::FollowUp),
        1 => Just(Deed::Abort),
        // A listener that takes its time would keep the clock running behind an abort, and
        // `prepareArguments` is nothing to wait for.
        2 => (0u8..20).prop_map(Deed::Delay),
        1 => Just(Deed::Fail),
        1 => Just(Deed::Hang),
    ];
    let planned = (points(), 0usize..4, deed).prop_map(|(point, nth, deed)| match (point, deed) {
        (Point::Event(_) | Point::PrepareArguments, Deed::Delay(_)) => (point, nth, Deed::Steer),
        (_, Deed::Fail | Deed::Hang) if !HOOKS.contains(&point) => (point, nth, Deed::FollowUp),
        planned => (planned.0, nth, planned.1),
    });
    vec(planned, 0..8)
}

const TOOLS: [&str; 9] = [
    "fast", "slow", "bad", "hang", "report", "late", "enough", "ask", "nope",
];

fn responses() -> impl Strategy<Value = Vec<Response>> {
    let called = vec(prop::sample::select(TOOLS.to_vec()), 0..4);
    let ids = prop::bool::weighted(0.7);
    let ending = prop_oneof![
        6 => Just(json!({})),
        1 => Just(json!({"cut": true})),
        1 => Just(json!({"stopReason": "length"})),
        1 => Just(json!({"error": {"message": "Boom."}})),
        1 => Just(json!({"error": {"message": "Boom.", "status": 503}})),
    ];
    let pace = prop_oneof![Just(None), Just(Some(0.0)), Just(Some(3.0))];
    let scripted = (called, ids, ending, pace).prop_map(|(called, ids, ending, pace)| {
        let call = |(index, name): (usize, &&str)| {
            let mut call = json!({"name": name, "arguments": {"path": "some where", "n": index}});
            if ids {
                call["id"] = json!(format!("id{index}"));
            }
            call
        };
        let mut script = json!({
            "text": "Let me see",
            "toolCalls": called.iter().enumerate().map(call).collect::<Vec<_>>(),
        });
        for (key, value) in ending.as_object().into_iter().flatten() {
            script[key] = value.clone();
        }
        let script = turn(script);
        match pace {
            None if script.error.is_none() => Response::burst(&script),
            pace => Response::slow(&script, pace.unwrap_or(0.0)),
        }
    });
    let other = prop_oneof![
        Just(Response::Unreachable(ErrorInfo::new(
            ErrorCode::Network,
            "No."
        ))),
        Just(Response::body(
            "text/html",
            vec![Step::Give("<p>".to_owned())]
        )),
        Just(Response::App(vec![Step::Wait(2.0)])),
        Just(reply(json!({"thinking": "Hm"}))),
    ];
    vec(prop_oneof![9 => scripted, 1 => other], 0..6)
}

fn rules() -> impl Strategy<Value = Rules> {
    let execution = prop::sample::select(vec![
        ToolExecutionMode::Parallel,
        ToolExecutionMode::Sequential,
    ]);
    let interrupt = prop::sample::select(vec![InterruptMode::Immediate, InterruptMode::Wait]);
    let retry = prop::option::of(
        (0u32..3, 0u8..20).prop_map(|(max_attempts, ms)| RetryRules {
            max_attempts,
            base_delay_ms: ms.into(),
            max_delay_ms: 30.0,
        }),
    );
    (1u32..8, execution, interrupt, retry).prop_map(
        |(max_turns, tool_execution, interrupt_mode, retry)| Rules {
            max_turns,
            tool_execution,
            interrupt_mode,
            tool_timeout_ms: Some(40.0),
            hook_timeout_ms: Some(50.0),
            retry,
        },
    )
}

fn modes() -> impl Strategy<Value = QueueMode> {
    prop::sample::select(vec![QueueMode::OneAtATime, QueueMode::All])
}

/// The app decides on the call that was just asked about.
fn decide(host: &FakeHost) {
    let id = match host.events.borrow().last() {
        Some(AgentEvent::ToolApprovalRequest(request)) => request.tool_call_id.clone(),
        other => panic!("no request for approval: {other:?}"),
    };
    // Ids end in a count, whoever made them.
    let decision = if id.bytes().last().is_some_and(|last| last % 2 == 0) {
        Approval::Approved
    } else {
        Approval::Denied("No.".to_owned())
    };
    host.decide(&id, decision);
}

/// Every request for approval of the next run is decided on.
fn plan_decisions(host: &FakeHost) {
    for nth in 0..20 {
        host.plan(Point::Event("tool approval"), nth, Act::Do(Rc::new(decide)));
    }
}

/// A message that says this.
fn texts(messages: &[Message]) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::User(user) => match &user.content {
            UserContent::Text(text) => Some(text.clone()),
            UserContent::Blocks(_) => None,
        },
        _ => None,
    };
    messages.iter().filter_map(text).collect()
}

/// The messages of the transcript that came from one queue, then those that still wait.
fn found(host: &FakeHost, prefix: char) -> Vec<String> {
    let queue = if prefix == 's' {
        &host.steering
    } else {
        &host.follow_ups
    };
    let mut texts = texts(&host.transcript.borrow());
    texts.retain(|text| text.starts_with(prefix));
    texts.extend(self::texts(&queue.borrow().waiting));
    texts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_laws_hold_and_no_message_is_lost(
        responses in responses(),
        runs in vec((deeds(), prop::option::weighted(0.3, 0u8..60)), 1..4),
        rules in rules(),
        steering in modes(),
        follow_ups in modes(),
        finishes in 0u8..5,
    ) {
        let tools = vec![
            tool("fast", Does::Echo),
            tool("slow", Does::Answer(15.0, "slow")),
            tool("bad", Does::Throw("Boom.")),
            tool("hang", Does::Hang),
            tool("report", Does::Progress(4.0, &["1", "2"])),
            tool("late", Does::Late(10.0)),
            tool("enough", Does::Terminate),
            asking_tool("ask", Does::Echo),
        ];
        let host = FakeHost::new(responses, tools);
        host.rules.replace(rules);
        host.otherwise.replace(Some(says("Ok.")));
        host.steering.borrow_mut().mode = steering;
        host.follow_ups.borrow_mut().mode = follow_ups;
        let accepted: Rc<RefCell<Vec<String>>> = Rc::default();
        let verdicts = [FinishTurn::AsUsual, FinishTurn::AsUsual, FinishTurn::End, FinishTurn::Continue];
        let count = Cell::new(usize::from(finishes));
        host.finish.replace(Some(Rc::new(move |_| {
            count.set(count.get() + 1);
            if finishes == 0 { FinishTurn::AsUsual } else { verdicts[count.get() % verdicts.len()] }
        })));
        for (deeds, abort_after) in runs {
            plan_decisions(&host);
            for (point, nth, deed) in deeds {
                let accepted = accepted.clone();
                let queue = move |host: &FakeHost, prefix: char| {
                    let mut accepted = accepted.borrow_mut();
                    let text = format!("{prefix}{}", accepted.len());
                    if prefix == 's' { host.steer(&text) } else { host.follow_up(&text) }
                    accepted.push(text);
                };
                let act = match deed {
                    Deed::Steer => Act::Do(Rc::new(move |host| queue(host, 's'))),
                    Deed::FollowUp => Act::Do(Rc::new(move |host| queue(host, 'f'))),
                    Deed::Abort => Act::Abort,
                    Deed::Delay(ms) => Act::Delay(ms.into()),
                    Deed::Fail => Act::Fail("No hook."),
                    Deed::Hang => Act::Hang,
                };
                host.plan(point, nth, act);
            }
            // The run checks the laws, the transcript and that nothing is left running.
            match abort_after {
                Some(ms) => host.run_and_abort("prompt", ms.into()),
                None => host.run(&["prompt"]),
            };
            for prefix in ['s', 'f'] {
                let mut expected = accepted.borrow().clone();
                expected.retain(|text| text.starts_with(prefix));
                prop_assert_eq!(found(&host, prefix), expected);
            }
        }
        // An undisturbed run delivers all that waits.
        host.finish.replace(None);
        host.rules.borrow_mut().max_turns = 1000;
        for _ in 0..8 {
            plan_decisions(&host);
            host.run(&["prompt"]);
        }
        prop_assert!(host.steering.borrow().waiting.is_empty() && host.follow_ups.borrow().waiting.is_empty());
        let count = host.events.borrow().len();
        host.clock.run_out();
        prop_assert_eq!(host.events.borrow().len(), count);
    }
}
