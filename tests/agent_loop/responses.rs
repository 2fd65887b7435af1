//! Responses that are not what was asked for.

use serde_json::json;
use sluice_agent::agent::script::ScriptTurn;
use sluice_agent::error::{ErrorCode, ErrorInfo};
use sluice_agent::message::{AssistantMessage, Message, StopReason};
use sluice_agent::protocol::StreamPart;

use crate::host::FakeHost;
use crate::script::{Act, Does, Point, Response, Step, reply, says, tool, turn};

const STREAM: &str = "text/event-stream";

fn give<T: ToString + ?Sized>(text: &T) -> Step<String> {
    Step::Give(text.to_string())
}

fn last(host: &FakeHost) -> AssistantMessage {
    match host.transcript.borrow().last() {
        Some(Message::Assistant(message)) => message.clone(),
        other => panic!("{other:?}"),
    }
}

const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
const FINISH: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const WHOLE_JSON: &str = r#"{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hi"}}]}"#;

/// What the run says, the code of the error and whether another try is worth it.
fn outcome(response: Response) -> (String, Option<(ErrorCode, bool)>) {
    let host = FakeHost::new([response], vec![]);
    host.idle_timeout_ms.set(Some(30_000.0));
    host.timeout_ms.set(Some(10_000.0));
    let story = host.run(&["Hi"]);
    let message = last(&host);
    let expected = if message.error.is_some() {
        "agent_end error"
    } else {
        "agent_end done"
    };
    assert_eq!(story.last().unwrap(), expected);
    let text = match message.content.first() {
        Some(block) => serde_json::to_value(block).unwrap()["text"]
            .as_str()
            .unwrap_or("")
            .to_owned(),
        None => String::new(),
    };
    (
        text,
        message.error.map(|error| (error.code, error.retryable)),
    )
}

#[test]
fn what_ends_a_response() {
    use ErrorCode::{Auth, BadResponse, Network, Overloaded, RateLimit, Timeout, Truncated};
    let mut wrong = Vec::new();
    let network = || ErrorInfo::new(Network, "The connection broke.");
    let http = |status, content_type, body: &str| Response::Http {
        status,
        content_type,
        retry_after_ms: None,
        body: vec![give(body)],
    };
    for (what, response, text, error) in [
        (
            "a good stream",
            Response::stream(&[
                r#"{"choices":[{"delta":{"content":"half"},"finish_reason":"stop"}]}"#,
                "[DONE]",
            ]),
            "half",
            None,
        ),
        (
            "no sentinel",
            Response::body(STREAM, vec![give(HALF), give(FINISH)]),
            "half",
            None,
        ),
        (
            "no blank line at the end",
            Response::body(STREAM, vec![give(HALF), give(FINISH.trim_end())]),
            "half",
            None,
        ),
        (
            "no finish reason",
            Response::body(STREAM, vec![give(HALF), give("data: [DONE]\n\n")]),
            "half",
            None,
        ),
        (
            "a sentinel on an open connection",
            Response::body(
                STREAM,
                vec![
                    give(HALF),
                    give(FINISH),
                    give("data: [DONE]\n\n"),
                    Step::Hang,
                ],
            ),
            "half",
            None,
        ),
        (
            "a finish reason on an open connection",
            Response::body(STREAM, vec![give(HALF), give(FINISH), Step::Hang]),
            "half",
            None,
        ),
        (
            "a connection that breaks behind the finish reason",
            Response::body(
                STREAM,
                vec![
                    give(HALF),
                    give(FINISH),
                    give("data: {\"cho"),
                    Step::Fail(network()),
                ],
            ),
            "half",
            None,
        ),
        (
            "comments to keep alive",
            Response::body(
                STREAM,
                vec![
                    give(": ping\n\n"),
                    Step::Wait(20_000.0),
                    give(": ping\n\n"),
                    Step::Wait(20_000.0),
                    give(HALF),
                    give(FINISH),
                ],
            ),
            "half",
            None,
        ),
        (
            "one JSON document",
            Response::body("application/json", vec![give(WHOLE_JSON)]),
            "hi",
            None,
        ),
        (
            "one JSON document behind line ends",
            Response::body(STREAM, vec![give("\n\n\n"), give(WHOLE_JSON)]),
            "hi",
            None,
        ),
        (
            "a closed connection",
            Response::body(STREAM, vec![give(HALF)]),
            "half",
            Some((Truncated, true)),
        ),
        (
            "a body without anything",
            Response::body(STREAM, vec![]),
            "",
            Some((Truncated, true)),
        ),
        (
            "comments only",
            Response::body(STREAM, vec![give(": ping\n\n")]),
            "",
            Some((Truncated, true)),
        ),
        (
            "comments only, of no type",
            Response::body("", vec![give(": ping\n\n")]),
            "",
            Some((Truncated, true)),
        ),
        (
            "a broken connection",
            Response::body(STREAM, vec![give(HALF), Step::Fail(network())]),
            "half",
            Some((Network, true)),
        ),
        (
            "silence",
            Response::body(STREAM, vec![give(HALF), Step::Hang]),
            "half",
            Some((Timeout, true)),
        ),
        (
            "half a chunk",
            Response::body(
                STREAM,
                vec![give(HALF), give("data: {\"choices\":[{\"de\n\n")],
            ),
            "half",
            Some((BadResponse, true)),
        ),
        (
            "an error in the stream",
            Response::body(
                STREAM,
                vec![
                    give(HALF),
                    give(
                        "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n",
                    ),
                    Step::Hang,
                ],
            ),
            "half",
            Some((Overloaded, true)),
        ),
        (
            "a page",
            http(200, "text/html", "<!doctype html>"),
            "",
            Some((BadResponse, false)),
        ),
        (
            "a page that says it is a stream",
            http(200, STREAM, "<!doctype html>"),
            "",
            Some((BadResponse, false)),
        ),
        (
            "text",
            http(200, "text/plain", "Hello"),
            "",
            Some((BadResponse, false)),
        ),
        (
            "JSON that is no completion",
            http(200, "application/json", "{\"ok\":true}"),
            "",
            Some((BadResponse, false)),
        ),
        (
            "a wrong key",
            http(
                401,
                "application/json",
                "{\"error\":{\"message\":\"bad key\"}}",
            ),
            "",
            Some((Auth, false)),
        ),
        (
            "too many requests",
            http(
                429,
                "application/json",
                "{\"error\":{\"message\":\"slow down\"}}",
            ),
            "",
            Some((RateLimit, true)),
        ),
        (
            "a status and a page",
            http(503, "text/html", "<html>"),
            "",
            Some((Overloaded, true)),
        ),
        (
            "no response",
            Response::Unreachable(network()),
            "",
            Some((Network, true)),
        ),
        (
            "an abort that is not ours",
            Response::Unreachable(ErrorInfo::aborted()),
            "",
            Some((Network, true)),
        ),
        (
            "an abort of the body that is not ours",
            Response::body(STREAM, vec![give(HALF), Step::Fail(ErrorInfo::aborted())]),
            "half",
            Some((Network, true)),
        ),
    ] {
        let found = outcome(response);
        if (found.0.as_str(), &found.1) != (text, &error) {
            wrong.push(format!("{what}: {found:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_body_that_is_no_stream_is_named() {
    let host = FakeHost::new(
        [Response::body(
            "text/html; charset=utf-8",
            vec![give("<html>")],
        )],
        vec![],
    );
    host.run(&["Hi"]);
    let message = last(&host).error_message.unwrap();
    assert!(
        message.contains("200") && message.contains("text/html"),
        "{message}"
    );
}

#[test]
fn a_page_is_no_stream_whatever_stands_in_it() {
    for body in [
        vec![give(HALF), give(FINISH)],
        vec![give("<p>"), Step::Hang],
        vec![Step::Hang],
    ] {
        let what = format!("{body:?}");
        let host = FakeHost::new([Response::body("text/html; charset=utf-8", body)], vec![]);
        host.run(&["Hi"]);
        let code = last(&host).error.map(|error| error.code);
        assert_eq!(code, Some(ErrorCode::BadResponse), "{what}");
        assert_eq!(host.clock.now(), 0.0, "nobody waits for its end: {what}");
    }
}

#[test]
fn a_complete_answer_waits_only_a_moment_for_what_may_follow() {
    for (idle_timeout_ms, waited) in [
        (None, 5000.0),
        (Some(300_000.0), 5000.0),
        (Some(1000.0), 1000.0),
    ] {
        let body = vec![give(HALF), give(FINISH), Step::Hang];
        let host = FakeHost::new([Response::body(STREAM, body)], vec![]);
        host.idle_timeout_ms.set(idle_timeout_ms);
        let story = host.run(&["Hi"]);
        assert_eq!(story[3], "assistant stop: half");
        assert_eq!(host.clock.now(), waited, "{idle_timeout_ms:?}");
    }
}

#[test]
fn headers_that_do_not_come_are_a_timeout() {
    let host = FakeHost::new([says("Hello")], vec![]).at(Point::Send, 0, Act::Hang);
    host.timeout_ms.set(Some(1500.0));
    host.run(&["Hi"]);
    let error = last(&host).error.unwrap();
    assert_eq!((error.code, error.retryable), (ErrorCode::Timeout, true));
    assert_eq!(
        error.message,
        "The server sent no response headers for 1.5 s, so the request was given up."
    );
    assert_eq!(host.clock.now(), 1500.0);
}

#[test]
fn the_body_of_a_failure_is_waited_for_only_so_long() {
    let whole = r#"{"error":{"message":"Slow down."}}"#;
    let drip: Vec<Step<String>> = (0..100)
        .flat_map(|_| [Step::Wait(1000.0), give(" ")])
        .collect();
    let table = [
        (
            "it never ends",
            vec![give(whole), Step::Hang],
            "host.example: 429 Slow down.",
            5000.0,
        ),
        (
            "it never comes",
            vec![Step::Hang],
            "host.example: 429 without a message",
            5000.0,
        ),
        (
            "it drips",
            [vec![give(whole)], drip].concat(),
            "host.example: 429 Slow down.",
            5000.0,
        ),
        (
            "it is cut",
            vec![give(&whole[..20]), Step::Hang],
            "host.example: 429 with an error of unknown form",
            5000.0,
        ),
        (
            "it breaks",
            vec![
                give(whole),
                Step::Fail(ErrorInfo::new(ErrorCode::Truncated, "Gone.")),
            ],
            "host.example: 429 Slow down.",
            0.0,
        ),
    ];
    for (what, body, message, took) in table {
        let response = Response::Http {
            status: 429,
            content_type: "application/json",
            retry_after_ms: None,
            body,
        };
        let host = FakeHost::new([response], vec![]);
        host.idle_timeout_ms.set(Some(300_000.0));
        host.run(&["Hi"]);
        let error = last(&host).error.unwrap();
        assert_eq!(error.message, message, "{what}");
        assert_eq!(
            (error.code, error.status),
            (ErrorCode::RateLimit, Some(429)),
            "{what}"
        );
        assert_eq!(host.clock.now(), took, "{what}");
    }
}

#[test]
fn a_failure_names_who_reported_it_and_what_to_do() {
    let http = |status, retry_after_ms, body: &str| Response::Http {
        status,
        content_type: "application/json",
        retry_after_ms,
        body: vec![give(body)],
    };
    let in_stream = |data: &str| Response::stream(&[data]);
    let error = |error: &str| format!(r#"{{"error":{error}}}"#);
    let table = [
        (
            http(401, None, &error(r#"{"message":"No auth"}"#)),
            "401 No auth. Give a key for \"openai\" (apiKey, getApiKey).",
        ),
        (
            http(429, Some(6500.0), &error(r#"{"message":"Slow down!"}"#)),
            "429 Slow down! Try again in 7 s.",
        ),
        (
            http(503, Some(1000.0), ""),
            "503 without a message. Try again in 1 s.",
        ),
        (
            http(
                429,
                None,
                &error(r#"{"message":"Over.","code":"insufficient_quota"}"#),
            ),
            "429 Over. Trying again does not help: check the size of the request, and the limits and credit of the account.",
        ),
        (
            http(
                400,
                None,
                &error(r#"{"message":"m","code":"context_length_exceeded"}"#),
            ),
            "400 m. Shorten the conversation or what tools return (transformContext), or take a model with a larger context window.",
        ),
        (http(400, None, &error(r#"{"message":"bad"}"#)), "400 bad"),
        (
            in_stream(&error(r#"{"message":"busy","type":"server_error"}"#)),
            "busy",
        ),
        (
            in_stream(r#"{"choices":[{"delta":{"content":"a"}}]}"#),
            "the response ended before the answer was complete",
        ),
        (
            in_stream(r#"{"choices":[{"delta":{},"finish_reason":"odd"}]}"#),
            "the answer ended for an unknown reason (finish_reason \"odd\")",
        ),
    ];
    let names = [
        (None, None, "openai"),
        (
            None,
            Some("https://me:pw@api.example.com:8080/v1"),
            "api.example.com:8080",
        ),
        (Some("openai"), Some("https://api.example.com/v1"), "openai"),
        (None, Some("/api/llm"), "openai"),
    ];
    for (response, expected) in table {
        for (provider, base_url, name) in names {
            let host = FakeHost::new([response.clone()], vec![]);
            {
                let mut model = host.model.borrow_mut();
                model.provider = provider.map(str::to_owned);
                model.base_url = base_url.map(str::to_owned);
            }
            host.run(&["Hi"]);
            let message = last(&host).error_message.unwrap();
            assert_eq!(message, format!("{name}: {expected}"));
        }
    }
}

#[test]
fn no_failure_tells_the_key_whoever_wrote_it() {
    const KEY: &str = "own-key-0123456789";
    let http = |status, content_type, body: &str| Response::Http {
        status,
        content_type,
        retry_after_ms: None,
        body: vec![give(body)],
    };
    let thrown = |code| ErrorInfo::new(code, format!("It was {KEY}"));
    let table: [(&str, Response, Option<Point>); 8] = [
        ("a status", http(400, "text/plain", KEY), None),
        (
            "a content type",
            http(200, "text/html; own-key-0123456789", "<p>"),
            None,
        ),
        (
            "an error in the stream",
            Response::stream(&[&format!(r#"{{"error":"{KEY}"}}"#)]),
            None,
        ),
        (
            "a finish reason",
            Response::stream(&[&format!(r#"{{"choices":[{{"finish_reason":"{KEY}"}}]}}"#)]),
            None,
        ),
        (
            "fetch",
            Response::Unreachable(thrown(ErrorCode::Network)),
            None,
        ),
        (
            "a body that breaks",
            Response::body(STREAM, vec![Step::Fail(thrown(ErrorCode::Truncated))]),
            None,
        ),
        ("onPayload", says("Hello"), Some(Point::OnPayload)),
        ("onResponse", says("Hello"), Some(Point::OnResponse)),
    ];
    for (what, response, hook) in table {
        let mut host = FakeHost::new([response], vec![]);
        if let Some(point) = hook {
            host = host.at(point, 0, Act::Fail("It was own-key-0123456789"));
        }
        host.model.borrow_mut().headers =
            Some(vec![("authorization".into(), format!("Bearer {KEY}"))]);
        let story = host.run(&["Hi"]);
        let message = last(&host).error_message.unwrap();
        assert!(message.contains("[hidden]"), "{what}: {message}");
        assert!(
            !format!("{story:?}{:?}", last(&host)).contains(KEY),
            "{what}"
        );
    }
}

#[test]
fn an_error_keeps_what_the_provider_asks_for() {
    let busy = json!({"error": {"message": "Slow down.", "status": 429, "retryAfterMs": 1500}});
    let host = FakeHost::new([reply(busy)], vec![]);
    host.run(&["Hi"]);
    let error = last(&host).error.unwrap();
    assert_eq!(
        (error.status, error.retry_after_ms),
        (Some(429), Some(1500.0))
    );
    assert!(error.message.contains("Slow down."), "{}", error.message);
}

#[test]
fn hooks_that_fail_end_the_run() {
    for point in [Point::PrepareCall, Point::OnPayload, Point::OnResponse] {
        let host = FakeHost::new([says("Hello")], vec![]).at(point, 0, Act::Fail("No hook."));
        assert_eq!(
            host.run(&["Hi"]),
            [
                "agent_start",
                "turn_start",
                "user Hi",
                "assistant error stream_fn: ",
                "turn_end",
                "agent_end error"
            ],
            "{point:?}"
        );
        assert_eq!(last(&host).error_message.as_deref(), Some("No hook."));
    }
}

#[test]
fn a_protocol_that_is_not_built_in_is_named() {
    let host = FakeHost::new([], vec![]);
    host.model.borrow_mut().api = "my-api".to_owned();
    host.run(&["Hi"]);
    let message = last(&host);
    assert_eq!(
        (message.api.as_str(), message.stop_reason),
        ("my-api", StopReason::Error)
    );
    assert!(message.error_message.unwrap().contains("\"my-api\""));
}

#[test]
fn calls_of_a_failed_answer_are_answered_and_not_run() {
    let called = json!({"name": "look", "id": "a", "arguments": {"path": "x"}});
    let half = json!({"name": "look", "id": "b", "arguments": r#"{"path":"ha"#});
    for (failure, code) in [
        (json!({"cut": true}), "truncated"),
        (json!({"error": {"message": "Boom."}}), "overloaded"),
    ] {
        let mut script = json!({"text": "Wait", "toolCalls": [called, half]});
        for (key, value) in failure.as_object().unwrap() {
            script[key] = value.clone();
        }
        let host = FakeHost::new([reply(script)], vec![tool("look", Does::Echo)]);
        let refusal = "The tool did not run: the response failed before it was complete.";
        assert_eq!(
            host.run(&["Look"])[3..],
            [
                &format!(
                    r#"assistant error {code}: Wait | look#a{{"path":"x"}} | look#b{{"path":"ha"}}"#
                ),
                "start a",
                &format!("end a failed {refusal}"),
                "start b",
                &format!("end b failed {refusal}"),
                "result a",
                "result b",
                "turn_end",
                "agent_end error",
            ]
        );
        assert!(host.log.borrow().is_empty());
        // The next prompt is a valid request, whose body the run checks.
        host.add_response(says("Again."));
        assert_eq!(host.run(&["Again"]).last().unwrap(), "agent_end done");
    }
}

#[test]
fn arguments_that_do_not_end_are_not_run() {
    let half = json!({"toolCalls": [{"name": "look", "id": "a", "arguments": r#"{"path":"ha"#}]});
    let host = FakeHost::new(
        [reply(half), says("Sorry.")],
        vec![tool("look", Does::Echo)],
    );
    let story = host.run(&["Look"]);
    assert!(
        story[5]
            .starts_with("end a failed The arguments of \"look\" are not a complete JSON object"),
        "{}",
        story[5]
    );
    assert!(host.log.borrow().is_empty());
}

#[test]
fn the_app_s_stream_may_fail_too() {
    let text = || Step::Give(vec![StreamPart::Text("Hel".to_owned())]);
    let failed = ErrorInfo::new(ErrorCode::StreamFn, "Boom.");
    for (what, steps, expected) in [
        (
            "it throws",
            vec![text(), Step::Fail(failed.clone())],
            "assistant error stream_fn: Hel",
        ),
        (
            "it says so",
            vec![
                Step::Give(vec![
                    StreamPart::Text("Hel".to_owned()),
                    StreamPart::Error(failed),
                ]),
                Step::Hang,
            ],
            "assistant error stream_fn: Hel",
        ),
        (
            "it ends without a word",
            vec![text()],
            "assistant error truncated: Hel",
        ),
        ("it says nothing", vec![], "assistant error truncated: "),
        (
            "it is silent",
            vec![text(), Step::Hang],
            "assistant error timeout: Hel",
        ),
    ] {
        let host = FakeHost::new([Response::App(steps)], vec![]);
        host.idle_timeout_ms.set(Some(1000.0));
        assert_eq!(host.run(&["Hi"])[3], expected, "{what}");
    }
}

/// Every way in which a script may end comes back as the message that it describes.
#[test]
fn a_script_comes_back_as_it_was_written() {
    let call = json!({"name": "look", "id": "a", "arguments": {"path": "x y"}});
    for (script, expected) in [
        (json!({}), "assistant stop: "),
        (json!({"thinking": "Hm"}), "assistant stop: (Hm)"),
        (json!({"text": "Hi"}), "assistant stop: Hi"),
        (
            json!({"text": "Hi", "stopReason": "length"}),
            "assistant length: Hi",
        ),
        (
            json!({"text": "Hi", "stopReason": "toolUse"}),
            "assistant stop: Hi",
        ),
        (
            json!({"toolCalls": [call]}),
            r#"assistant toolUse: look#a{"path":"x y"}"#,
        ),
        (
            json!({"thinking": "Hm", "text": "Hi", "toolCalls": [call]}),
            r#"assistant toolUse: (Hm) | Hi | look#a{"path":"x y"}"#,
        ),
        (
            json!({"text": "Hi", "cut": true}),
            "assistant error truncated: Hi",
        ),
        (
            json!({"text": "Hi", "error": {"message": "Boom."}}),
            "assistant error overloaded: Hi",
        ),
        (
            json!({"text": "Hi", "error": {"message": "Boom.", "status": 500}}),
            "assistant error http: ",
        ),
        (
            json!({"error": {"message": "No key.", "status": 401}}),
            "assistant error auth: ",
        ),
    ] {
        let turn: ScriptTurn = turn(script.clone());
        for response in [Response::slow(&turn, 0.0), Response::slow(&turn, 3.0)] {
            let host = FakeHost::new([response, says("Done.")], vec![tool("look", Does::Echo)]);
            assert_eq!(host.run(&["Hi"])[3], expected, "{script}");
        }
    }
}

#[test]
fn an_event_beyond_the_limit_fails_the_call_and_one_within_it_does_not() {
    for (limit, expected) in [
        (1_000, "assistant error bad_response: "),
        (100_000, "assistant stop: Hello"),
    ] {
        let long = format!(r#"{{"choices":[],"padding":"{}"}}"#, "x".repeat(2_000));
        let hello = r#"{"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}"#;
        let host = FakeHost::new([Response::stream(&[&long, hello, "[DONE]"])], vec![]);
        host.max_event_bytes.set(limit);
        assert_eq!(host.run(&["Hi"])[3], expected, "{limit}");
    }
}
