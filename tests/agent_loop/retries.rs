//! Failed model calls that are made again.

use serde_json::json;
use sluice_agent::agent::retry::RetryRules;
use sluice_agent::error::{ErrorCode, ErrorInfo};
use sluice_agent::message::Message;

use crate::host::FakeHost;
use crate::script::{Act, Does, Point, Response, Step, calls, reply, says, tool};

/// A world in which failed calls are made again. Half of the waits is chance: here, three quarters
/// of the doubled base, so 1500, 3000 and 6000 ms.
fn host(responses: impl IntoIterator<Item = Response>) -> FakeHost {
    FakeHost::new(responses, vec![tool("look", Does::Echo)])
        .with_rules(|rules| rules.retry = Some(RetryRules::default()))
}

fn status(status: u16) -> Response {
    reply(json!({"error": {"message": "Boom.", "status": status}}))
}

fn unreachable() -> Response {
    Response::Unreachable(ErrorInfo::new(ErrorCode::Network, "Failed to fetch"))
}

/// The lines about retries.
fn retries(story: &[String]) -> Vec<&str> {
    let lines = story.iter().map(String::as_str);
    lines.filter(|line| line.starts_with("retry ")).collect()
}

#[test]
fn a_failed_call_is_made_again_and_leaves_nothing_behind() {
    let cut = reply(json!({
        "text": "Hel", "toolCalls": [{"name": "look", "id": "a", "arguments": {}}], "cut": true,
    }));
    let host = host([cut, says("Hello")]);
    assert_eq!(
        host.run(&["Hi"]),
        [
            "agent_start",
            "turn_start",
            "user Hi",
            "assistant error truncated: Hel | look#a{}",
            "start a",
            "end a failed The tool did not run: the response failed before it was complete.",
            "result a",
            "turn_end",
            "retry 1 of 3 in 1500: host.example: the response ended before the answer was complete",
            "turn_start",
            "assistant stop: Hello",
            "retry 1 good",
            "turn_end",
            "agent_end done",
        ]
    );
    assert_eq!(host.clock.now(), 1500.0);
    assert_eq!(host.transcript.borrow().len(), 2, "the user and the answer");
    let bodies: Vec<String> = host
        .requests
        .borrow()
        .iter()
        .map(|r| r.body.clone())
        .collect();
    assert_eq!(bodies[0], bodies[1], "the same request again");
}

#[test]
fn what_is_made_again() {
    let again: Vec<(&str, Response)> = vec![
        ("no connection", unreachable()),
        ("too many requests", status(429)),
        ("a server error", status(500)),
        ("a gateway without a server", status(503)),
        ("an overload", status(529)),
        (
            "a cut before anything",
            reply(json!({"cut": true, "text": ""})),
        ),
        ("malformed JSON", Response::stream(&["{\"choices\":[{\"de"])),
        (
            "a failure in the stream",
            Response::stream(&[r#"{"error":{"message":"Busy.","code":503}}"#]),
        ),
    ];
    for (what, response) in again {
        let host = host([response, says("Hello")]);
        let story = host.run(&["Hi"]);
        assert_eq!(host.requests.borrow().len(), 2, "{what}: {story:#?}");
        assert_eq!(story.last().unwrap(), "agent_end done", "{what}");
    }
    let not: Vec<(&str, Response)> = vec![
        ("a wrong request", status(400)),
        ("a wrong key", status(401)),
        ("a key without rights", status(403)),
        ("a wrong address", status(404)),
        (
            "a page",
            Response::body("text/html", vec![Step::Give("<p>".to_owned())]),
        ),
        (
            "a request that is too large for the limit",
            reply(json!({"error": {
                "message": "Request too large for model on tokens per minute (TPM): Limit 8000, Requested 8590",
                "status": 429,
            }})),
        ),
    ];
    for (what, response) in not {
        let host = host([response, says("Hello")]);
        let story = host.run(&["Hi"]);
        assert_eq!(host.requests.borrow().len(), 1, "{what}: {story:#?}");
        assert_eq!(retries(&story), Vec::<&str>::new(), "{what}");
        assert_eq!(story.last().unwrap(), "agent_end error", "{what}");
    }
}

#[test]
fn a_hook_that_fails_is_not_asked_again() {
    for point in [Point::PrepareCall, Point::OnPayload, Point::OnResponse] {
        let host = host([says("Hello")]).at(point, 0, Act::Fail("No hook."));
        let story = host.run(&["Hi"]);
        assert_eq!(retries(&story), Vec::<&str>::new(), "{point:?}");
        assert_eq!(story.last().unwrap(), "agent_end error");
    }
}

#[test]
fn after_the_last_retry_the_failure_stays() {
    let host = host([status(503), status(503), status(503), status(503)]);
    let story = host.run(&["Hi"]);
    let failed = "host.example: 503 Boom.";
    assert_eq!(
        retries(&story),
        [
            &format!("retry 1 of 3 in 1500: {failed}"),
            "retry 1 failed",
            &format!("retry 2 of 3 in 3000: {failed}"),
            "retry 2 failed",
            &format!("retry 3 of 3 in 6000: {failed}"),
            &format!("retry 3 failed: {failed}"),
        ]
    );
    assert_eq!(story.last().unwrap(), "agent_end error");
    assert_eq!(host.clock.now(), 10_500.0);
    let transcript = host.transcript.borrow();
    assert_eq!(transcript.len(), 2);
    assert!(matches!(&transcript[1], Message::Assistant(last) if last.error.is_some()));
}

#[test]
fn a_retry_that_fails_for_good_ends_the_run() {
    let host = host([status(503), status(401)]);
    let story = host.run(&["Hi"]);
    let failed =
        "retry 1 failed: host.example: 401 Boom. Give a key for \"openai\" (apiKey, getApiKey).";
    assert_eq!(retries(&story)[1], failed);
    assert_eq!(story.last().unwrap(), "agent_end error");
}

#[test]
fn what_the_provider_asks_for_is_kept_to_and_capped() {
    for (asked, expected) in [
        (9000.0, 9000.0),
        (10.0, 1500.0),
        (2_147_484_000.0, 60_000.0),
    ] {
        let failed = Response::Http {
            status: 429,
            content_type: "application/json",
            retry_after_ms: Some(asked),
            body: vec![],
        };
        let host = host([failed, says("Hello")]);
        host.run(&["Hi"]);
        assert_eq!(host.clock.now(), expected, "{asked}");
    }
}

#[test]
fn every_call_of_a_run_has_its_own_retries_and_tools_run_once() {
    let host = host([
        status(503),
        calls(&[("look", "a")]),
        status(503),
        status(500),
        says("Done."),
    ]);
    let story = host.run(&["Go"]);
    let numbers: Vec<&str> = retries(&story).iter().map(|line| &line[..7]).collect();
    assert_eq!(
        numbers,
        [
            "retry 1", "retry 1", "retry 1", "retry 1", "retry 2", "retry 2"
        ]
    );
    assert_eq!(*host.log.borrow(), ["run a {}"]);
    assert_eq!(story.last().unwrap(), "agent_end done");
}

#[test]
fn a_retry_is_no_turn() {
    let host =
        host([status(503), status(503), says("Hello")]).with_rules(|rules| rules.max_turns = 1);
    assert_eq!(host.run(&["Hi"]).last().unwrap(), "agent_end done");
}

#[test]
fn a_steering_message_goes_with_the_next_try_and_a_follow_up_waits() {
    let host = host([status(503), says("Hello"), says("Bye.")])
        .at(Point::Event("retry start"), 0, Act::Steer("Hurry"))
        .at(Point::Event("retry start"), 0, Act::FollowUp("Later"));
    let story = host.run(&["Hi"]);
    let said: Vec<&str> = story
        .iter()
        .map(String::as_str)
        .filter(|line| line.starts_with("user ") || line.starts_with("assistant "))
        .collect();
    assert_eq!(
        said,
        [
            "user Hi",
            "assistant error overloaded: ",
            "user Hurry",
            "assistant stop: Hello",
            "user Later",
            "assistant stop: Bye.",
        ]
    );
}

#[test]
fn a_retry_waits_for_the_network() {
    let host = host([unreachable(), says("Hello")]).at(Point::Online, 0, Act::Delay(30_000.0));
    host.run(&["Hi"]);
    assert_eq!(host.clock.now(), 31_500.0);
}

#[test]
fn an_abort_ends_a_wait_for_the_next_try_at_once() {
    let aborted = "retry 1 failed: Aborted while waiting to try again.";
    let before = |host: &FakeHost| assert_eq!(host.requests.borrow().len(), 1);
    let waiting = host([status(503)]);
    let story = waiting.run_and_abort("Hi", 10.0);
    assert_eq!(story[story.len() - 2..], [aborted, "agent_end aborted"]);
    before(&waiting);

    let offline = host([status(503)]).at(Point::Online, 0, Act::Hang);
    let story = offline.run_and_abort("Hi", 5000.0);
    assert_eq!(story[story.len() - 2..], [aborted, "agent_end aborted"]);
    before(&offline);

    let listening = host([status(503)]).at(Point::Event("retry start"), 0, Act::Abort);
    let story = listening.run(&["Hi"]);
    assert_eq!(story[story.len() - 2..], [aborted, "agent_end aborted"]);
    before(&listening);

    // The transcript is as it was before the failed call: the next run sends the message once.
    for host in [waiting, offline, listening] {
        host.add_response(says("Hello"));
        assert_eq!(host.transcript.borrow().len(), 1);
        assert_eq!(host.run(&[]).last().unwrap(), "agent_end done");
    }
}

#[test]
fn an_abort_ends_a_retried_request_at_once() {
    let hanging = Response::body("text/event-stream", vec![Step::Hang]);
    let host = host([status(503), hanging]);
    let story = host.run_and_abort("Hi", 2000.0);
    assert_eq!(
        story[story.len() - 4..],
        [
            "assistant aborted: ",
            "retry 1 failed: The request was aborted.",
            "turn_end",
            "agent_end aborted"
        ]
    );
}

#[test]
fn an_abort_behind_a_failure_keeps_the_failure() {
    let host = host([status(503)]).at(Point::Event("turn_end"), 0, Act::Abort);
    let story = host.run(&["Hi"]);
    assert_eq!(
        story[3..],
        [
            "assistant error overloaded: ",
            "turn_end",
            "agent_end error"
        ]
    );
}

#[test]
fn without_rules_nothing_is_made_again() {
    let host = FakeHost::new([status(503)], vec![]);
    assert_eq!(host.run(&["Hi"]).last().unwrap(), "agent_end error");
}
