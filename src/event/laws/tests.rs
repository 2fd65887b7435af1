use serde_json::{Value, json};

use super::*;
use crate::event::Native;

mod control;

/// An assistant message with this content.
fn message(content: Value, stop_reason: &str) -> Value {
    json!({
        "role": "assistant", "api": "openai-completions", "provider": "openai", "model": "m",
        "content": content, "stopReason": stop_reason, "timestamp": 1.0,
    })
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text})
}

fn call(id: &str, arguments: Value) -> Value {
    json!({"type": "toolCall", "id": id, "name": "read", "arguments": arguments})
}

fn image() -> Value {
    json!({"type": "image", "data": "AAAA", "mimeType": "image/png"})
}

/// An event of a block, with its own members and the content of the message behind it.
fn block(kind: &str, index: u32, own: Value, content: Value) -> Value {
    let mut event = json!({
        "type": kind, "contentIndex": index, "partial": message(content, "stop"),
    });
    for (key, value) in own.as_object().unwrap() {
        event[key] = value.clone();
    }
    event
}

/// Thinking, text between the pieces of two calls, an image: the blocks of one message.
fn blocks() -> Vec<Value> {
    let a = |arguments: Value| call("a", arguments);
    let b = |arguments: Value| call("b", arguments);
    let [path, whole] = [json!({"path": "x"}), json!({"path": "xy", "n": [1, 2]})];
    vec![
        block("thinking_start", 0, json!({}), json!([thinking("")])),
        block(
            "thinking_delta",
            0,
            json!({"delta": "Hm"}),
            json!([thinking("Hm")]),
        ),
        block(
            "thinking_delta",
            0,
            json!({"delta": "."}),
            json!([thinking("Hm.")]),
        ),
        block(
            "thinking_end",
            0,
            json!({"content": "Hm."}),
            json!([thinking("Hm.")]),
        ),
        block(
            "toolcall_start",
            1,
            json!({}),
            json!([thinking("Hm."), a(json!({}))]),
        ),
        block(
            "toolcall_delta",
            1,
            json!({"delta": r#"{"path":"x"#}),
            json!([thinking("Hm."), a(path.clone())]),
        ),
        block(
            "text_start",
            2,
            json!({}),
            json!([thinking("Hm."), a(path.clone()), text("")]),
        ),
        block(
            "text_delta",
            2,
            json!({"delta": "Hi"}),
            json!([thinking("Hm."), a(path.clone()), text("Hi")]),
        ),
        block(
            "text_end",
            2,
            json!({"content": "Hi"}),
            json!([thinking("Hm."), a(path.clone()), text("Hi")]),
        ),
        block(
            "toolcall_start",
            3,
            json!({}),
            json!([thinking("Hm."), a(path), text("Hi"), b(json!({}))]),
        ),
        block(
            "toolcall_delta",
            1,
            json!({"delta": r#"y","n":[1,2]}"#}),
            json!([thinking("Hm."), a(whole.clone()), text("Hi"), b(json!({}))]),
        ),
        block(
            "toolcall_end",
            1,
            json!({"toolCall": a(whole.clone())}),
            json!([thinking("Hm."), a(whole.clone()), text("Hi"), b(json!({}))]),
        ),
        block(
            "toolcall_end",
            3,
            json!({"toolCall": b(json!({}))}),
            json!([thinking("Hm."), a(whole.clone()), text("Hi"), b(json!({}))]),
        ),
        block(
            "image_end",
            4,
            json!({"content": image()}),
            json!([thinking("Hm."), a(whole), text("Hi"), b(json!({})), image()]),
        ),
    ]
}

fn final_message() -> Value {
    message(
        blocks().last().unwrap()["partial"]["content"].clone(),
        "toolUse",
    )
}

fn user() -> Value {
    json!({"role": "user", "content": "Hello", "timestamp": 0.0})
}

fn result(id: &str) -> Value {
    json!({
        "role": "toolResult", "toolCallId": id, "toolName": "read", "isError": id == "b",
        "content": [text("done")], "timestamp": 2.0,
    })
}

fn of_message(kind: &str, message: Value) -> Value {
    json!({"type": kind, "message": message})
}

fn of_tool(kind: &str, id: &str, own: Value) -> Value {
    let mut event = json!({"type": kind, "toolCallId": id, "toolName": "read"});
    for (key, value) in own.as_object().unwrap() {
        event[key] = value.clone();
    }
    event
}

/// A run of two turns: two tools side by side, then a plain answer.
fn good_run() -> Vec<Value> {
    let arguments = json!({"path": "xy", "n": [1, 2]});
    let answer = message(json!([text("Done")]), "stop");
    let mut events = vec![
        json!({"type": "agent_start"}),
        json!({"type": "turn_start"}),
        of_message("message_start", user()),
        of_message("message_end", user()),
        of_message("message_start", message(json!([]), "stop")),
    ];
    events.extend(blocks().into_iter().map(|event| {
        json!({
            "type": "message_update",
            "message": event["partial"], "assistantMessageEvent": event,
        })
    }));
    events.extend([
        of_message("message_end", final_message()),
        of_tool("tool_execution_start", "a", json!({"args": arguments})),
        of_tool("tool_execution_start", "b", json!({"args": {}})),
        of_tool("tool_execution_update", "a", json!({"args": arguments, "partialResult": 1})),
        of_tool("tool_execution_end", "b", json!({"result": {}, "isError": true})),
        of_tool("tool_execution_end", "a", json!({"result": {}, "isError": false, "durationMs": 5.0})),
        of_message("message_start", result("a")),
        of_message("message_end", result("a")),
        of_message("message_start", result("b")),
        of_message("message_end", result("b")),
        json!({
            "type": "turn_end", "message": final_message(), "toolResults": [result("a"), result("b")],
        }),
        json!({"type": "turn_start"}),
        of_message("message_start", message(json!([]), "stop")),
    ]);
    for (kind, own, shown) in [
        ("text_start", json!({}), ""),
        ("text_delta", json!({"delta": "Done"}), "Done"),
        ("text_end", json!({"content": "Done"}), "Done"),
    ] {
        let event = block(kind, 0, own, json!([text(shown)]));
        events.push(json!({
            "type": "message_update",
            "message": event["partial"], "assistantMessageEvent": event,
        }));
    }
    events.extend([
        of_message("message_end", answer.clone()),
        json!({"type": "turn_end", "message": answer, "toolResults": []}),
        json!({
            "type": "agent_end", "reason": "done",
            "messages": [user(), final_message(), result("a"), result("b"), answer],
        }),
    ]);
    events
}

fn verdict(events: Vec<Value>) -> Result<(), Violation> {
    let events: Vec<AgentEvent<Native>> =
        serde_json::from_value(Value::Array(events)).expect("events of the types");
    check(&events)
}

/// The place of the n-th event of a type, of a run or of a message in it.
fn find(events: &[Value], kind: &str, nth: usize) -> usize {
    let is_kind =
        |event: &Value| event["type"] == kind || event["assistantMessageEvent"]["type"] == kind;
    let mut places = (0..events.len()).filter(|index| is_kind(&events[*index]));
    places.nth(nth).expect("such an event")
}

/// What a mutation does to the n-th event of a type.
enum Mutation {
    Remove,
    Repeat,
    /// Moves it in front of the n-th event of another type.
    MoveBefore(&'static str, usize),
    /// Sets a member, by JSON pointer.
    Set(&'static str, Value),
    /// Sets a member of the partial and of the message alike.
    SetShown(&'static str, Value),
}
use Mutation::{MoveBefore, Remove, Repeat, Set, SetShown};

fn mutate(events: &mut Vec<Value>, kind: &str, nth: usize, mutation: Mutation) {
    let at = find(events, kind, nth);
    let set = |target: &mut Value, pointer: &str, value: &Value| {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = target.pointer_mut(parent).expect("a place to set");
        match parent {
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
            object => object[key] = value.clone(),
        }
    };
    match mutation {
        Remove => {
            events.remove(at);
        }
        Repeat => events.insert(at, events[at].clone()),
        MoveBefore(other, nth) => {
            let to = find(events, other, nth);
            let event = events.remove(at);
            events.insert(if to > at { to - 1 } else { to }, event);
        }
        Set(pointer, value) => set(&mut events[at], pointer, &value),
        SetShown(pointer, value) => {
            for root in ["/message", "/assistantMessageEvent/partial"] {
                set(&mut events[at], &format!("{root}{pointer}"), &value);
            }
        }
    }
}

#[test]
fn a_good_run_breaks_no_law() {
    assert_eq!(verdict(good_run()), Ok(()));
}

#[test]
fn every_law_is_enforced() {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let error = json!({"code": "network", "message": "No.", "retryable": true});
    for (kind, nth, mutation, law) in [
        (
            "agent_start",
            0,
            Remove,
            "the run does not begin with agent_start",
        ),
        ("agent_start", 0, Repeat, "agent_start comes twice"),
        ("agent_end", 0, Remove, "the run has no agent_end"),
        ("agent_end", 0, Repeat, "an event comes behind agent_end"),
        (
            "agent_end",
            0,
            MoveBefore("turn_end", 1),
            "the run ends in a turn",
        ),
        (
            "agent_end",
            0,
            Set("/messages/0", result("a")),
            "agent_end does not carry the messages of the run",
        ),
        (
            "agent_end",
            0,
            Set("/reason", json!("error")),
            "the run ends for another reason than its last message",
        ),
        ("turn_start", 0, Remove, "an event comes between two turns"),
        ("turn_start", 0, Repeat, "a turn starts in a turn"),
        ("turn_end", 0, Remove, "a turn starts in a turn"),
        ("turn_end", 0, Repeat, "an event comes between two turns"),
        (
            "turn_end",
            0,
            Set("/message", message(json!([]), "stop")),
            "turn_end does not carry the assistant message of the turn",
        ),
        (
            "turn_end",
            0,
            Set("/toolResults/1", result("a")),
            "turn_end does not carry the results of the turn",
        ),
        (
            "turn_end",
            0,
            MoveBefore("message_start", 3),
            "a tool call has no result",
        ),
        (
            "turn_end",
            0,
            MoveBefore("message_end", 3),
            "the event comes within a message",
        ),
        (
            "turn_end",
            0,
            MoveBefore("message_start", 1),
            "the turn has no assistant message",
        ),
        (
            "message_start",
            0,
            Remove,
            "message_end has no message_start",
        ),
        (
            "message_start",
            0,
            Repeat,
            "the event comes within a message",
        ),
        (
            "message_start",
            1,
            MoveBefore("message_end", 0),
            "the event comes within a message",
        ),
        (
            "message_start",
            0,
            MoveBefore("tool_execution_start", 0),
            "message_end has no message_start",
        ),
        (
            "message_start",
            1,
            Set("/message", final_message()),
            "the message has content before it has grown",
        ),
        (
            "message_end",
            0,
            Set("/message/content", json!("Bye")),
            "a message changes before its end",
        ),
        ("message_end", 1, Remove, "the event comes within a message"),
        (
            "message_end",
            1,
            Set("/message", user()),
            "another message ends than has started",
        ),
        (
            "message_end",
            1,
            Set("/message/content/2", text("Ho")),
            "block 2 changes without an event",
        ),
        (
            "message_end",
            1,
            Set("/message/content", json!([thinking("Hm.")])),
            "block 1 changes without an event",
        ),
        (
            "message_end",
            1,
            Set("/message/model", json!("n")),
            "the message changes its model or its time",
        ),
        (
            "message_end",
            1,
            Set("/message/stopReason", json!("stop")),
            "a message with tool calls stops for them",
        ),
        (
            "message_end",
            1,
            Set("/message/stopReason", json!("error")),
            "a failed message says what failed, and no other does",
        ),
        (
            "message_end",
            4,
            Set("/message/error", error.clone()),
            "a failed message says what failed, and no other does",
        ),
        (
            "message_end",
            4,
            Set("/message/stopReason", json!("toolUse")),
            "a message without tool calls does not stop for them",
        ),
        (
            "message_start",
            2,
            MoveBefore("tool_execution_end", 0),
            "a result comes before all tools have ended",
        ),
        (
            "message_start",
            2,
            Set("/message", result("b")),
            "the results do not come in the order of the calls",
        ),
        (
            "message_start",
            2,
            Set("/message/toolName", json!("write")),
            "the result has another name than the call",
        ),
        (
            "message_start",
            2,
            Set("/message/isError", json!(true)),
            "the result and the end of the tool disagree about failure",
        ),
        (
            "message_start",
            3,
            Set("/message", user()),
            "a message that waited comes behind the assistant message",
        ),
        (
            "message_start",
            3,
            Set("/message", message(json!([]), "stop")),
            "the turn has a second assistant message",
        ),
        (
            "message_start",
            1,
            Set("/message", result("a")),
            "a result has no tool call",
        ),
        ("thinking_start", 0, Remove, "block 0 has not started"),
        (
            "thinking_start",
            0,
            Repeat,
            "block 0 starts where block 1 should",
        ),
        (
            "thinking_start",
            0,
            MoveBefore("message_start", 1),
            "message_update comes outside an assistant message",
        ),
        (
            "thinking_start",
            0,
            Set("/message", message(json!([thinking("H")]), "stop")),
            "message and partial differ",
        ),
        (
            "thinking_start",
            0,
            SetShown("/content/0", thinking("H")),
            "block 0 has content at its start",
        ),
        (
            "thinking_start",
            0,
            SetShown("/content/0", text("")),
            "block 0 is of another kind",
        ),
        (
            "thinking_start",
            0,
            Set(
                "/assistantMessageEvent",
                json!({"type": "start", "partial": message(json!([]), "stop")}),
            ),
            "start is not an update of a message",
        ),
        (
            "thinking_start",
            0,
            Set(
                "/assistantMessageEvent",
                json!({"type": "done", "reason": "stop", "message": message(json!([]), "stop")}),
            ),
            "done and error are not updates of a message",
        ),
        (
            "thinking_delta",
            1,
            Set("/assistantMessageEvent/delta", json!("!")),
            "the delta of block 0 is not what was added",
        ),
        (
            "thinking_delta",
            1,
            SetShown("/content/0/thinking", json!("Ha.")),
            "the delta of block 0 is not what was added",
        ),
        (
            "thinking_delta",
            1,
            SetShown("/model", json!("n")),
            "the message changes its model or its time",
        ),
        (
            "thinking_end",
            0,
            Set("/assistantMessageEvent/content", json!("Hm")),
            "the deltas of block 0 do not make up its content",
        ),
        (
            "thinking_end",
            0,
            SetShown("/content/0/thinking", json!("Hm")),
            "block 0 changes at its end",
        ),
        ("thinking_end", 0, Repeat, "block 0 has ended before"),
        (
            "thinking_end",
            0,
            MoveBefore("thinking_delta", 1),
            "block 0 changes at its end",
        ),
        (
            "text_start",
            0,
            Set("/assistantMessageEvent/contentIndex", json!(3)),
            "block 3 starts where block 2 should",
        ),
        (
            "text_delta",
            0,
            SetShown("/content/0/thinking", json!("Ha.")),
            "block 0 changes without an event",
        ),
        (
            "text_delta",
            0,
            SetShown("/content/1/arguments", json!({})),
            "block 1 changes without an event",
        ),
        (
            "text_delta",
            0,
            SetShown(
                "/content",
                json!([
                    thinking("Hm."),
                    call("a", json!({"path": "x"})),
                    text("Hi"),
                    text("")
                ]),
            ),
            "the message has a block that has not started",
        ),
        (
            "text_end",
            0,
            MoveBefore("message_start", 2),
            "block 2 has no end",
        ),
        ("text_end", 1, Remove, "block 0 has no end"),
        (
            "toolcall_delta",
            1,
            SetShown("/content/1/arguments", json!({"path": "y"})),
            "the arguments of block 1 do not only grow",
        ),
        (
            "toolcall_delta",
            1,
            SetShown("/content/1/id", json!("c")),
            "the tool call of block 1 changes its id or its name",
        ),
        (
            "toolcall_delta",
            1,
            Set("/assistantMessageEvent/delta", json!(r#"y","n":[1]}"#)),
            "the deltas of block 1 do not make up its arguments",
        ),
        (
            "toolcall_end",
            0,
            Set("/assistantMessageEvent/toolCall/name", json!("write")),
            "toolCall is not the block of the message",
        ),
        ("toolcall_end", 0, Remove, "block 1 has no end"),
        (
            "image_end",
            0,
            Set("/assistantMessageEvent/content/data", json!("BBBB")),
            "content is not the block of the message",
        ),
        (
            "tool_execution_start",
            0,
            Remove,
            "the tools do not start in the order of the calls",
        ),
        (
            "tool_execution_start",
            1,
            Remove,
            "no tool of this id is running",
        ),
        (
            "tool_execution_start",
            1,
            Repeat,
            "a tool starts for which there is no call",
        ),
        (
            "tool_execution_start",
            0,
            MoveBefore("message_end", 1),
            "the event comes within a message",
        ),
        (
            "tool_execution_start",
            0,
            MoveBefore("message_start", 1),
            "a tool starts for which there is no call",
        ),
        (
            "tool_execution_start",
            0,
            Set("/args", json!({})),
            "the arguments are not those of the message",
        ),
        (
            "tool_execution_start",
            0,
            Set("/toolName", json!("write")),
            "the tool has another name than the call",
        ),
        (
            "tool_execution_update",
            0,
            MoveBefore("tool_execution_start", 0),
            "no tool of this id is running",
        ),
        (
            "tool_execution_update",
            0,
            MoveBefore("message_start", 2),
            "no tool of this id is running",
        ),
        (
            "tool_execution_end",
            0,
            Repeat,
            "no tool of this id is running",
        ),
        (
            "tool_execution_end",
            0,
            Remove,
            "a result comes before all tools have ended",
        ),
        (
            "tool_execution_end",
            0,
            Set("/toolName", json!("write")),
            "the tool has another name than the call",
        ),
    ] {
        let mut events = good_run();
        mutate(&mut events, kind, nth, mutation);
        found.push(verdict(events).map_err(|violation| violation.law));
        expected.push(Err(law.to_owned()));
    }
    assert_eq!(found, expected);
}

/// Every event that says something about the assistant message, changed alike.
fn with_ending(stop_reason: &str, error: Option<&str>) -> Vec<Value> {
    let mut events = good_run();
    let start = find(&events, "turn_start", 1);
    let end = find(&events, "agent_end", 0);
    events.drain(start..end);
    let end = events.len() - 1;
    events[end]["messages"].as_array_mut().unwrap().pop();
    let mut last = final_message();
    last["stopReason"] = json!(stop_reason);
    if let Some(code) = error {
        last["errorMessage"] = json!("No.");
        last["error"] = json!({"code": code, "message": "No.", "retryable": true});
    }
    for (kind, nth, pointer) in [
        ("message_end", 1, "/message"),
        ("turn_end", 0, "/message"),
        ("agent_end", 0, "/messages/1"),
    ] {
        let at = find(&events, kind, nth);
        *events[at].pointer_mut(pointer).unwrap() = last.clone();
    }
    events
}

#[test]
fn a_message_that_is_not_whole_has_run_no_tool() {
    let law = "a tool of a message that is not whole has run";
    for (stop_reason, code, reason) in [
        ("length", None, "done"),
        ("error", Some("network"), "error"),
        ("aborted", Some("aborted"), "aborted"),
    ] {
        let mut events = with_ending(stop_reason, code);
        mutate(&mut events, "agent_end", 0, Set("/reason", json!(reason)));
        assert_eq!(verdict(events.clone()).unwrap_err().law, law);
        let end = find(&events, "tool_execution_end", 1);
        events[end]["isError"] = json!(true);
        assert_eq!(verdict(events.clone()).unwrap_err().law, law);
        events[end].as_object_mut().unwrap().remove("durationMs");
        let law = "the result and the end of the tool disagree about failure";
        assert_eq!(verdict(events.clone()).unwrap_err().law, law);
        let mut failed = result("a");
        failed["isError"] = json!(true);
        for (kind, nth, pointer) in [
            ("message_start", 2, "/message"),
            ("message_end", 2, "/message"),
            ("turn_end", 0, "/toolResults/0"),
            ("agent_end", 0, "/messages/2"),
        ] {
            mutate(&mut events, kind, nth, Set(pointer, failed.clone()));
        }
        assert_eq!(verdict(events), Ok(()), "{stop_reason}");
    }
}

#[test]
fn the_reason_of_a_run_and_of_its_last_message_agree() {
    for (stop_reason, code, reason, law) in [
        (
            "error",
            "network",
            "done",
            "the run ends for another reason than its last message",
        ),
        (
            "error",
            "network",
            "aborted",
            "the run ends for another reason than its last message",
        ),
        (
            "aborted",
            "aborted",
            "done",
            "the run ends for another reason than its last message",
        ),
        (
            "error",
            "aborted",
            "error",
            "the error and the stop reason disagree about an abort",
        ),
        (
            "aborted",
            "network",
            "aborted",
            "the error and the stop reason disagree about an abort",
        ),
    ] {
        let mut events = with_ending(stop_reason, Some(code));
        events.retain(|event| {
            !event["type"].as_str().unwrap().starts_with("tool_")
                && event["message"]["role"] != "toolResult"
        });
        // No calls, so that nothing has to answer them.
        events.retain(|event| event["type"] != "message_update");
        for (kind, nth, pointer) in [
            ("message_end", 1, "/message/content"),
            ("turn_end", 0, "/message/content"),
            ("turn_end", 0, "/toolResults"),
            ("agent_end", 0, "/messages/1/content"),
        ] {
            mutate(&mut events, kind, nth, Set(pointer, json!([])));
        }
        mutate(&mut events, "agent_end", 0, Set("/reason", json!(reason)));
        let end = find(&events, "agent_end", 0);
        events[end]["messages"].as_array_mut().unwrap().truncate(2);
        assert_eq!(verdict(events).unwrap_err().law, law);
    }
}

#[test]
fn a_signature_may_come_without_an_event() {
    let mut events = good_run();
    let signed = json!({
        "type": "toolCall", "id": "b", "name": "read", "arguments": {}, "thoughtSignature": "S",
    });
    mutate(
        &mut events,
        "image_end",
        0,
        SetShown("/content/3", signed.clone()),
    );
    for (kind, nth, pointer) in [
        ("message_end", 1, "/message/content/3"),
        ("turn_end", 0, "/message/content/3"),
        ("agent_end", 0, "/messages/1/content/3"),
    ] {
        mutate(&mut events, kind, nth, Set(pointer, signed.clone()));
    }
    assert_eq!(verdict(events), Ok(()));
}

fn call_verdict(events: Vec<Value>) -> Result<(), String> {
    let events: Vec<AssistantMessageEvent<Native>> =
        serde_json::from_value(Value::Array(events)).expect("events of the types");
    check_call(&events).map_err(|violation| violation.law)
}

#[test]
fn the_stream_of_one_call_has_laws_too() {
    let good = || {
        let mut events = vec![json!({"type": "start", "partial": message(json!([]), "stop")})];
        events.extend(blocks());
        events.push(json!({"type": "done", "reason": "toolUse", "message": final_message()}));
        events
    };
    assert_eq!(call_verdict(good()), Ok(()));
    for (kind, mutation, law) in [
        ("start", Remove, "the stream does not begin with start"),
        ("start", Repeat, "start comes twice"),
        ("done", Remove, "the stream has no done and no error"),
        ("done", Repeat, "an event comes behind done or error"),
        (
            "done",
            Set("/reason", json!("stop")),
            "the reason is not the stop reason of the message",
        ),
        ("toolcall_end", Remove, "block 1 has no end"),
    ] {
        let mut events = good();
        mutate(&mut events, kind, 0, mutation);
        assert_eq!(call_verdict(events), Err(law.to_owned()));
    }
    let mut events = good();
    let last = events.len() - 1;
    events[last] = json!({"type": "error", "reason": "toolUse", "error": final_message()});
    let law = "done ends what succeeded, error what did not";
    assert_eq!(call_verdict(events), Err(law.to_owned()));
}

#[test]
fn values_grow_at_their_end_only() {
    for (previous, next, grown) in [
        (json!({}), json!({"a": 1}), true),
        (json!({"a": "x"}), json!({"a": "xy", "b": null}), true),
        (json!({"a": [1, "x"]}), json!({"a": [1, "xy", 2]}), true),
        (json!({"n": 3}), json!({"n": 3.0}), true),
        (json!({"n": [3, 1]}), json!({"n": [3.0, 1, 2]}), true),
        (json!([]), json!([[]]), true),
        (json!({"a": 1}), json!({}), false),
        (json!({"n": 1}), json!({"n": 12}), false),
        (json!(["x", 1]), json!(["xy", 1]), false),
        (json!([1, 2]), json!([1]), false),
        (json!("ab"), json!("b"), false),
        (json!(null), json!(1), false),
    ] {
        assert_eq!(grows(&previous, &next), grown, "{previous} to {next}");
    }
}
