//! Steering and follow-ups.

use sluice_agent::agent::queue::QueueMode;

use crate::host::{FakeHost, Queue};
use crate::script::{Act, Does, Point, calls, says, tool};
use crate::story::message;

/// The messages of a run that users and models sent.
fn spoken(story: &[String]) -> Vec<&str> {
    let lines = story.iter().map(String::as_str);
    lines
        .filter(|line| {
            line.starts_with("user ")
                || line.starts_with("assistant ")
                || line.starts_with("agent_end ")
        })
        .collect()
}

fn waiting(queue: &std::cell::RefCell<Queue>) -> Vec<String> {
    queue.borrow().waiting.iter().map(message).collect()
}

fn chatty() -> FakeHost {
    let host = FakeHost::new([], vec![tool("t", Does::Answer(5.0, "fine"))]);
    host.otherwise.replace(Some(says("Ok.")));
    host
}

const OK: &str = "assistant stop: Ok.";

#[test]
fn steering_comes_one_at_a_time_or_all_at_once() {
    for (mode, expected) in [
        (
            QueueMode::OneAtATime,
            vec!["user Hi", OK, "user a", OK, "user b", OK, "agent_end done"],
        ),
        (
            QueueMode::All,
            vec!["user Hi", OK, "user a", "user b", OK, "agent_end done"],
        ),
    ] {
        let host = chatty();
        host.steering.borrow_mut().mode = mode;
        host.steer("a");
        host.steer("b");
        assert_eq!(spoken(&host.run(&["Hi"])), expected);
        let host = chatty();
        host.follow_ups.borrow_mut().mode = mode;
        host.follow_up("a");
        host.follow_up("b");
        assert_eq!(spoken(&host.run(&["Hi"])), expected);
    }
}

#[test]
fn steering_goes_before_follow_ups() {
    let host =
        chatty()
            .at(Point::Tool, 0, Act::FollowUp("later"))
            .at(Point::Tool, 0, Act::Steer("now"));
    host.add_response(calls(&[("t", "a")]));
    assert_eq!(
        spoken(&host.run(&["Hi"])),
        [
            "user Hi",
            "assistant toolUse: t#a{}",
            "user now",
            OK,
            "user later",
            OK,
            "agent_end done"
        ]
    );
}

#[test]
fn follow_ups_wait_until_the_agent_would_stop() {
    let host = chatty().at(Point::Tool, 0, Act::FollowUp("later"));
    host.add_response(calls(&[("t", "a")]));
    host.add_response(calls(&[("t", "b")]));
    assert_eq!(
        spoken(&host.run(&["Hi"])),
        [
            "user Hi",
            "assistant toolUse: t#a{}",
            "assistant toolUse: t#b{}",
            OK,
            "user later",
            OK,
            "agent_end done",
        ]
    );
}

#[test]
fn messages_may_come_until_the_last_moment() {
    for point in [
        Point::Event("assistant end"),
        Point::Event("turn_end"),
        Point::HasSteering,
        Point::HasFollowUps,
    ] {
        let host = chatty().at(point, 0, Act::FollowUp("F"));
        assert_eq!(
            spoken(&host.run(&["Hi"])),
            ["user Hi", OK, "user F", OK, "agent_end done"],
            "{point:?}"
        );
    }
    // Steering that comes while follow-ups are asked for goes first.
    let host = chatty().at(Point::HasFollowUps, 0, Act::Steer("S"));
    host.follow_up("F");
    assert_eq!(
        spoken(&host.run(&["Hi"])),
        ["user Hi", OK, "user S", OK, "user F", OK, "agent_end done"]
    );
}

#[test]
fn a_message_that_comes_with_the_last_events_is_delivered_now_or_by_the_next_run() {
    for (text, act) in [("S", Act::Steer("S")), ("F", Act::FollowUp("F"))] {
        let said = format!("user {text}");
        // Behind the last answer there is still time.
        let host = chatty().at(Point::Event("turn_end"), 0, act.clone());
        assert_eq!(
            spoken(&host.run(&["Hi"])),
            ["user Hi", OK, &said, OK, "agent_end done"]
        );

        // In agent_end it is too late for this run, and not lost for the next.
        let host = chatty().at(Point::Event("agent_end"), 0, act);
        assert_eq!(
            spoken(&host.run(&["Hi"])),
            ["user Hi", OK, "agent_end done"]
        );
        let listed = [waiting(&host.steering), waiting(&host.follow_ups)].concat();
        assert_eq!(listed, [said.as_str()]);
        assert_eq!(
            spoken(&host.run(&["Yes"])),
            ["user Yes", OK, &said, OK, "agent_end done"]
        );
        assert!(
            host.steering.borrow().waiting.is_empty()
                && host.follow_ups.borrow().waiting.is_empty()
        );
    }
}

#[test]
fn a_queue_that_is_cleared_starts_no_turn() {
    for point in [
        Point::HasSteering,
        Point::HasFollowUps,
        Point::Event("turn_end"),
    ] {
        let host = chatty().at(point, 0, Act::ClearQueues);
        host.follow_up("F");
        assert_eq!(
            spoken(&host.run(&["Hi"])),
            ["user Hi", OK, "agent_end done"],
            "{point:?}"
        );
    }
    // The answer was yes, and then somebody clears the queues.
    let host = chatty().at(Point::FollowUpsKnown, 0, Act::ClearQueues);
    host.follow_up("F");
    assert_eq!(
        spoken(&host.run(&["Hi"])),
        ["user Hi", OK, "agent_end done"]
    );
    let host = chatty().at(Point::SteeringKnown, 0, Act::ClearQueues);
    host.steer("S");
    assert_eq!(
        spoken(&host.run(&["Hi"])),
        ["user Hi", OK, "agent_end done"]
    );
}

#[test]
fn an_abort_keeps_what_waits() {
    for point in [
        Point::Event("text_delta"),
        Point::Event("turn_end"),
        Point::HasSteering,
        Point::Event("user end"),
    ] {
        let host = chatty()
            .at(point, 0, Act::Abort)
            .at(point, 0, Act::Steer("S"))
            .at(point, 0, Act::FollowUp("F"));
        assert_eq!(host.run(&["Hi"]).last().unwrap(), "agent_end aborted");
        assert_eq!(waiting(&host.steering), ["user S"], "{point:?}");
        assert_eq!(waiting(&host.follow_ups), ["user F"], "{point:?}");
        assert_eq!(
            spoken(&host.run(&["Go on"])),
            [
                "user Go on",
                OK,
                "user S",
                OK,
                "user F",
                OK,
                "agent_end done"
            ]
        );
    }
}

#[test]
fn a_message_that_was_taken_is_delivered_in_spite_of_an_abort() {
    let host = chatty().at(Point::Event("turn_start"), 1, Act::Abort);
    host.steering.borrow_mut().mode = QueueMode::All;
    host.steer("a");
    host.steer("b");
    assert_eq!(
        spoken(&host.run(&["Hi"])),
        [
            "user Hi",
            OK,
            "user a",
            "user b",
            "assistant aborted: ",
            "agent_end aborted"
        ]
    );
    assert!(host.steering.borrow().waiting.is_empty());
}

#[test]
fn a_limit_of_turns_keeps_what_waits() {
    let host = chatty().with_rules(|rules| rules.max_turns = 2);
    for text in ["a", "b"] {
        host.steer(text);
    }
    host.follow_up("c");
    assert_eq!(
        spoken(&host.run(&["Hi"])),
        ["user Hi", OK, "user a", OK, "agent_end max_turns"]
    );
    assert_eq!(waiting(&host.steering), ["user b"]);
    assert_eq!(waiting(&host.follow_ups), ["user c"]);
}

#[test]
fn a_failure_keeps_what_waits() {
    let host = chatty();
    host.add_response(crate::script::reply(
        serde_json::json!({"text": "Hal", "cut": true}),
    ));
    host.steer("S");
    assert_eq!(
        spoken(&host.run(&["Hi"])),
        [
            "user Hi",
            "assistant error truncated: Hal",
            "agent_end error"
        ]
    );
    assert_eq!(waiting(&host.steering), ["user S"]);
}
