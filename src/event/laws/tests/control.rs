//! The laws of retries, approvals and calls of an earlier run.

use serde_json::{Value, json};

use super::{find, message, text, user, verdict};

fn failed() -> Value {
    let mut message = message(json!([text("Hel")]), "error");
    message["errorMessage"] = json!("Busy.");
    message["error"] = json!({"code": "overloaded", "message": "Busy.", "retryable": true});
    message
}

fn of_message(kind: &str, message: &Value) -> Value {
    json!({"type": kind, "message": message})
}

fn empty_end(answer: &Value) -> Vec<Value> {
    let content = answer["content"].clone();
    let partial = |content: Value| message(content, "stop");
    let word = content[0]["text"].clone();
    let update = |event: Value| json!({"type": "message_update", "message": event["partial"], "assistantMessageEvent": event});
    vec![
        of_message("message_start", &message(json!([]), "stop")),
        update(
            json!({"type": "text_start", "contentIndex": 0, "partial": partial(json!([text("")]))}),
        ),
        update(
            json!({"type": "text_delta", "contentIndex": 0, "delta": word, "partial": partial(content.clone())}),
        ),
        update(
            json!({"type": "text_end", "contentIndex": 0, "content": word, "partial": partial(content)}),
        ),
        of_message("message_end", answer),
    ]
}

fn turn_end(answer: &Value) -> Value {
    json!({"type": "turn_end", "message": answer, "toolResults": []})
}

fn retry_start(attempt: u32) -> Value {
    json!({"type": "auto_retry_start", "attempt": attempt, "maxAttempts": 2, "delayMs": 1, "errorMessage": "Busy."})
}

fn retry_end(attempt: u32, success: bool, error: Option<&str>) -> Value {
    let mut event = json!({"type": "auto_retry_end", "success": success, "attempt": attempt});
    if let Some(error) = error {
        event["finalError"] = json!(error);
    }
    event
}

fn agent_end(messages: &[&Value], reason: &str) -> Value {
    json!({"type": "agent_end", "messages": messages, "reason": reason})
}

/// A call that fails, is made again twice, and succeeds.
fn retried_run() -> Vec<Value> {
    let answer = message(json!([text("Hello")]), "stop");
    let mut events = vec![
        json!({"type": "agent_start"}),
        json!({"type": "turn_start"}),
        of_message("message_start", &user()),
        of_message("message_end", &user()),
    ];
    events.extend(empty_end(&failed()));
    events.extend([
        turn_end(&failed()),
        retry_start(1),
        json!({"type": "turn_start"}),
    ]);
    events.extend(empty_end(&failed()));
    events.extend([
        retry_end(1, false, None),
        turn_end(&failed()),
        retry_start(2),
        json!({"type": "turn_start"}),
    ]);
    events.extend(empty_end(&answer));
    events.extend([
        retry_end(2, true, None),
        turn_end(&answer),
        agent_end(&[&user(), &answer], "done"),
    ]);
    events
}

#[test]
fn a_retried_run_breaks_no_law() {
    assert_eq!(verdict(retried_run()), Ok(()));
    // Given up while it waited.
    let mut events = retried_run();
    events.truncate(find(&events, "auto_retry_start", 0) + 1);
    events.push(retry_end(1, false, Some("Aborted.")));
    events.push(agent_end(&[&user()], "aborted"));
    assert_eq!(verdict(events), Ok(()));
}

#[test]
fn the_laws_of_retries_are_enforced() {
    type Change = fn(&mut Vec<Value>);
    let cases: Vec<(&str, Change)> = vec![
        ("a turn follows a failed one without a retry", |events| {
            events.remove(find(events, "auto_retry_start", 0));
        }),
        ("a retry ends that has not started", |events| {
            events.remove(find(events, "auto_retry_end", 0));
            let at = find(events, "auto_retry_start", 1);
            events.insert(at, retry_end(7, false, None));
        }),
        ("a retry starts in a retry", |events| {
            events.remove(find(events, "auto_retry_end", 0));
        }),
        ("the retries are not counted from 1", |events| {
            let at = find(events, "auto_retry_start", 1);
            events[at]["attempt"] = json!(1);
        }),
        ("there are more retries than allowed", |events| {
            let at = find(events, "auto_retry_start", 1);
            events[at]["maxAttempts"] = json!(1);
        }),
        ("a retry succeeds if its answer does", |events| {
            let at = find(events, "auto_retry_end", 1);
            events[at]["success"] = json!(false);
        }),
        ("a retry that succeeds has an error", |events| {
            let at = find(events, "auto_retry_end", 1);
            events[at]["finalError"] = json!("Busy.");
        }),
        ("a retry ends before its answer", |events| {
            let end = events.remove(find(events, "auto_retry_end", 1));
            let at = find(events, "turn_start", 2);
            events.insert(at + 1, end);
        }),
        (
            "agent_end does not carry the messages of the run",
            |events| {
                let last = events.len() - 1;
                let messages = events[last]["messages"].as_array_mut().unwrap();
                messages.insert(1, failed());
            },
        ),
        ("a turn is retried that has not failed", |events| {
            let at = events.len() - 1;
            events.insert(at, retry_start(1));
        }),
        ("a turn follows a retry that was given up", |events| {
            let at = find(events, "turn_start", 1);
            events.insert(at, retry_end(1, false, Some("Aborted.")));
        }),
        ("a retry has no end", |events| {
            let at = find(events, "auto_retry_end", 1);
            events.remove(at);
        }),
    ];
    for (law, change) in cases {
        let mut events = retried_run();
        change(&mut events);
        assert_eq!(
            verdict(events).map_err(|broken| broken.law),
            Err(law.to_owned())
        );
    }
}

/// A run that answers two calls of an earlier run, one of which waits for approval.
fn resumed_run() -> Vec<Value> {
    let call = |id: &str| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {}});
    let message = message(json!([call("a"), call("b"), call("c")]), "toolUse");
    let tool = |kind: &str, id: &str| json!({"type": kind, "toolCallId": id, "toolName": "read", "args": {}});
    let end = |id: &str| {
        json!({"type": "tool_execution_end", "toolCallId": id, "toolName": "read",
            "result": {"content": []}, "isError": false, "durationMs": 1})
    };
    let result = |id: &str| {
        json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": [],
            "isError": false, "timestamp": 1.0})
    };
    vec![
        json!({"type": "agent_start"}),
        json!({"type": "turn_start"}),
        tool("tool_execution_start", "b"),
        tool("tool_execution_start", "c"),
        tool("tool_approval_request", "b"),
        end("c"),
        end("b"),
        of_message("message_start", &result("b")),
        of_message("message_end", &result("b")),
        of_message("message_start", &result("c")),
        of_message("message_end", &result("c")),
        json!({"type": "turn_end", "message": message, "toolResults": [result("b"), result("c")]}),
        agent_end(&[&result("b"), &result("c")], "terminated"),
    ]
}

#[test]
fn a_resumed_run_breaks_no_law() {
    assert_eq!(verdict(resumed_run()), Ok(()));
}

#[test]
fn the_laws_of_open_calls_and_approvals_are_enforced() {
    type Change = fn(&mut Vec<Value>);
    let cases: Vec<(&str, Change)> = vec![
        ("approval of a call is asked for twice", |events| {
            let request = events[4].clone();
            events.insert(4, request);
        }),
        ("no tool of this id is running", |events| {
            let request = events.remove(4);
            events.insert(6, request);
        }),
        ("a tool ran for which there is no call", |events| {
            let end = events.len() - 2;
            events[end]["message"]["content"] = json!([]);
        }),
        ("the arguments are not those of the message", |events| {
            let end = events.len() - 2;
            events[end]["message"]["content"][1]["arguments"] = json!({"x": 1});
        }),
        ("the tool has another name than the call", |events| {
            events[4]["toolName"] = json!("write");
        }),
    ];
    for (law, change) in cases {
        let mut events = resumed_run();
        change(&mut events);
        assert_eq!(
            verdict(events).map_err(|broken| broken.law),
            Err(law.to_owned())
        );
    }
}
