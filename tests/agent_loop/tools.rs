//! Batches of tool calls.

use std::rc::Rc;

use serde_json::json;
use sluice_agent::agent::host::{InterruptMode, ToolExecutionMode};
use sluice_agent::message::Message;

use crate::host::FakeHost;
use crate::script::{
    Act, Does, FakeTool, Point, calls, reply, says, sequential_tool, tool, tool_with_limit,
    tool_with_schema,
};

/// The story of the first turn's tools, from the first start to `turn_end`.
fn batch(story: &[String]) -> Vec<&str> {
    let lines = story.iter().map(String::as_str);
    lines
        .skip_while(|line| !line.starts_with("start "))
        .take_while(|line| *line != "turn_end")
        .collect()
}

/// A run whose first answer calls these tools, each with its own name for an id.
fn host(tools: Vec<FakeTool>, names: &[&str]) -> FakeHost {
    let called: Vec<(&str, &str)> = names.iter().map(|name| (*name, *name)).collect();
    FakeHost::new([calls(&called), says("Done.")], tools)
}

fn three() -> Vec<FakeTool> {
    vec![
        tool("slow", Does::Answer(30.0, "slow")),
        tool("fast", Does::Answer(10.0, "fast")),
        tool("mid", Does::Answer(20.0, "mid")),
    ]
}

const ALL: [&str; 3] = ["slow", "fast", "mid"];

#[test]
fn calls_side_by_side_end_as_they_finish_and_answer_in_their_order() {
    let host = host(three(), &ALL);
    assert_eq!(
        batch(&host.run(&["Go"])),
        [
            "start slow",
            "start fast",
            "start mid",
            "end fast fast",
            "end mid mid",
            "end slow slow",
            "result slow",
            "result fast",
            "result mid",
        ]
    );
    assert_eq!(host.clock.now(), 30.0);
    let body: serde_json::Value = serde_json::from_str(&host.requests.borrow()[1].body).unwrap();
    let sent: Vec<&str> = (3..6)
        .map(|at| body["messages"][at]["content"].as_str().unwrap())
        .collect();
    assert_eq!(sent, ["slow", "fast", "mid"]);
}

#[test]
fn calls_one_after_the_other_keep_their_order() {
    let in_order = [
        "start slow",
        "end slow slow",
        "start fast",
        "end fast fast",
        "start mid",
        "end mid mid",
        "result slow",
        "result fast",
        "result mid",
    ];
    let by_rule = host(three(), &ALL)
        .with_rules(|rules| rules.tool_execution = ToolExecutionMode::Sequential);
    assert_eq!(batch(&by_rule.run(&["Go"])), in_order);
    assert_eq!(by_rule.clock.now(), 60.0);

    // One tool that must not run beside others is enough.
    let mut tools = three();
    tools[2] = sequential_tool("mid", Does::Answer(20.0, "mid"));
    let by_tool = host(tools, &ALL);
    assert_eq!(batch(&by_tool.run(&["Go"])), in_order);
}

#[test]
fn how_a_call_fails() {
    let hook = |point, act| move |host: FakeHost| host.at(point, 0, act);
    type Change = Box<dyn FnOnce(FakeHost) -> FakeHost>;
    let cases: Vec<(&str, Vec<FakeTool>, Change, &str, usize)> = vec![
        (
            "a tool that throws",
            vec![tool("t", Does::Throw("Boom."))],
            Box::new(|host| host),
            "Boom.",
            1,
        ),
        (
            "a tool that does not exist",
            vec![tool("a", Does::Echo), tool("b", Does::Echo)],
            Box::new(|host| host),
            "There is no tool \"t\". The tools are: a, b.",
            0,
        ),
        (
            "no tools at all",
            vec![],
            Box::new(|host| host),
            "There is no tool \"t\", and no other tool either. Answer without tools.",
            0,
        ),
        (
            "a tool over its own limit",
            vec![tool_with_limit("t", 1500.0, Does::Hang)],
            Box::new(|host| host),
            "The tool did not finish within 1.5 s and was told to stop.",
            1,
        ),
        (
            "a tool over the general limit",
            vec![tool("t", Does::Hang)],
            Box::new(|host| host.with_rules(|rules| rules.tool_timeout_ms = Some(2000.0))),
            "The tool did not finish within 2 s and was told to stop.",
            1,
        ),
        (
            "a hook before it that fails",
            vec![tool("t", Does::Echo)],
            Box::new(hook(Point::BeforeTool, Act::Fail("No hook."))),
            "No hook.",
            0,
        ),
        (
            "arguments that cannot be prepared",
            vec![tool("t", Does::Echo)],
            Box::new(hook(Point::PrepareArguments, Act::Fail("No way."))),
            "No way.",
            0,
        ),
        (
            "a hook behind it that fails",
            vec![tool("t", Does::Echo)],
            Box::new(hook(Point::AfterTool, Act::Fail("No hook."))),
            "No hook.",
            1,
        ),
        (
            "a hook before it that blocks",
            vec![tool("t", Does::Echo)],
            Box::new(|host: FakeHost| {
                let block = |_: &str, _| Err("Not today.".to_owned()).into();
                host.before.replace(Some(Rc::new(block)));
                host
            }),
            "Not today.",
            0,
        ),
    ];
    for (what, tools, change, text, ran) in cases {
        let host = change(host(tools, &["t"]));
        let failed = format!("end t failed {text}");
        assert_eq!(
            batch(&host.run(&["Go"])),
            ["start t", &failed, "result t"],
            "{what}"
        );
        let log = host.log.borrow();
        let runs = log.iter().filter(|line| line.starts_with("run ")).count();
        assert_eq!(runs, ran, "{what}");
        let stopped = text.contains("told to stop");
        assert_eq!(
            log.iter().any(|line| line.starts_with("stop ")),
            stopped,
            "{what}"
        );
        // The model is told, and the run goes on.
        assert_eq!(host.requests.borrow().len(), 2, "{what}");
        let Message::ToolResult(result) = host.transcript.borrow()[2].clone() else {
            panic!("a result");
        };
        assert!(result.is_error, "{what}");
        assert_eq!(result.duration_ms.is_some(), ran > 0, "{what}");
    }
}

#[test]
fn a_tool_that_fails_does_not_touch_the_others() {
    let tools = vec![
        tool("bad", Does::Throw("Boom.")),
        tool("good", Does::Answer(5.0, "fine")),
    ];
    let host = host(tools, &["bad", "good", "none"]);
    assert_eq!(
        batch(&host.run(&["Go"])),
        [
            "start bad",
            "start good",
            "start none",
            "end bad failed Boom.",
            "end none failed There is no tool \"none\". The tools are: bad, good.",
            "end good fine",
            "result bad",
            "result good",
            "result none",
        ]
    );
}

#[test]
fn arguments_are_checked_and_coerced() {
    let schema = json!({
        "type": "object", "required": ["n"],
        "properties": {
            "n": {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}},
            "deep": {"type": "object", "properties": {"flag": {"type": "boolean"}}},
        },
    });
    for (arguments, expected) in [
        (json!({"n": 3}), Ok(json!({"n": 3}))),
        (json!({"n": "3"}), Ok(json!({"n": 3}))),
        (
            json!({"n": 3, "list": "x", "deep": {"flag": "true"}}),
            Ok(json!({"n": 3, "list": ["x"], "deep": {"flag": true}})),
        ),
        (json!({"n": 3, "deep": null}), Ok(json!({"n": 3}))),
        (json!(r#"{"n":"3""#), Err("not a complete JSON object")),
        (
            json!(r#"{"n":3}{"n":4}"#),
            Err("not a complete JSON object"),
        ),
        (json!("[1]"), Err("not a complete JSON object")),
        (json!({"n": "abc"}), Err("- n: expected integer")),
        (
            json!({"n": 1, "deep": {"flag": "perhaps"}}),
            Err("- deep.flag: expected boolean"),
        ),
        (json!({}), Err("missing required property \"n\"")),
    ] {
        let called =
            reply(json!({"toolCalls": [{"name": "t", "id": "a", "arguments": arguments}]}));
        let host = FakeHost::new(
            [called, says("Done.")],
            vec![tool_with_schema("t", &schema, Does::Echo)],
        );
        let story = host.run(&["Go"]);
        let end = batch(&story)[1];
        let log = host.log.borrow();
        match expected {
            Ok(value) => {
                assert_eq!(*log, [format!("run a {value}")], "{arguments}");
                assert_eq!(end, format!("end a {value}"));
            }
            Err(text) => {
                assert!(
                    end.starts_with("end a failed ") && end.contains(text),
                    "{arguments}: {end}"
                );
                assert!(log.is_empty(), "{arguments}");
            }
        }
        // The message keeps what the model wrote.
        if let (Message::Assistant(message), Some(given)) =
            (&host.transcript.borrow()[1], arguments.as_object())
        {
            assert_eq!(message.tool_calls().next().unwrap().arguments, *given);
        }
    }
}

#[test]
fn a_hook_may_change_arguments_and_results() {
    let host = host(vec![tool("t", Does::Echo)], &["t"]);
    host.before
        .replace(Some(Rc::new(|id: &str, _| Ok(json!({"for": id})).into())));
    host.after.replace(Some(Rc::new(|_: &str, mut output| {
        output.result["content"][0]["text"] = json!("Changed.");
        output.terminate = true;
        output
    })));
    let story = host.run(&["Go"]);
    assert_eq!(batch(&story), ["start t", "end t Changed.", "result t"]);
    assert_eq!(*host.log.borrow(), [r#"run t {"for":"t"}"#]);
    assert_eq!(story.last().unwrap(), "agent_end terminated");
}

#[test]
fn progress_comes_between_start_and_end() {
    let tools = vec![
        tool("a", Does::Progress(10.0, &["1", "2"])),
        tool("b", Does::Progress(12.0, &["one"])),
        tool("c", Does::ReportAndAnswer("at once")),
    ];
    let host = host(tools, &["a", "b", "c"]);
    assert_eq!(
        batch(&host.run(&["Go"])),
        [
            "start a",
            "start b",
            "start c",
            "update c at once",
            "end c done",
            "update a 1",
            "update b one",
            "update a 2",
            "end b done",
            "end a done",
            "result a",
            "result b",
            "result c",
        ]
    );
}

#[test]
fn late_progress_is_ignored() {
    // While another tool still runs, in the next turn, and when the run is over.
    for late in [5.0, 30.0, 1000.0] {
        let tools = vec![
            tool("t", Does::Late(late)),
            tool("slow", Does::Answer(20.0, "slow")),
        ];
        let host = FakeHost::new(
            [
                calls(&[("t", "t"), ("slow", "slow")]),
                calls(&[("slow", "again")]),
                says("Done."),
            ],
            tools,
        );
        let story = host.run(&["Go"]);
        assert!(
            !story.iter().any(|line| line.starts_with("update")),
            "{late}"
        );
        let count = host.events.borrow().len();
        host.clock.run_out();
        assert_eq!(host.events.borrow().len(), count);
    }
}

#[test]
fn steering_skips_the_calls_that_have_not_started() {
    let skipped = |name: &str| format!("end {name} failed Skipped due to queued user message.");
    let steered = host(three(), &ALL)
        .with_rules(|rules| rules.tool_execution = ToolExecutionMode::Sequential)
        .at(Point::Tool, 0, Act::Steer("Stop"));
    let story = steered.run(&["Go"]);
    assert_eq!(
        batch(&story),
        [
            "start slow",
            "end slow slow",
            "start fast",
            &skipped("fast"),
            "start mid",
            &skipped("mid"),
            "result slow",
            "result fast",
            "result mid",
        ]
    );
    assert_eq!(
        story[story.len() - 5..][..3],
        ["turn_start", "user Stop", "assistant stop: Done."]
    );
    assert_eq!(steered.log.borrow().len(), 1);

    // The hook before the second tool steers: it has not started either.
    let by_hook = host(three(), &ALL)
        .with_rules(|rules| rules.tool_execution = ToolExecutionMode::Sequential)
        .at(Point::BeforeTool, 1, Act::Steer("Stop"));
    assert_eq!(batch(&by_hook.run(&["Go"]))[3], skipped("fast"));
    assert_eq!(by_hook.log.borrow().len(), 1);

    // Before any has started, side by side: a listener of the answer.
    let early = host(three(), &ALL).at(Point::Event("assistant end"), 0, Act::Steer("Stop"));
    assert_eq!(batch(&early.run(&["Go"]))[3..6], ALL.map(skipped));
    assert_eq!(early.log.borrow().len(), 0);
}

#[test]
fn steering_may_wait_for_the_batch() {
    let host = host(three(), &ALL)
        .with_rules(|rules| {
            rules.tool_execution = ToolExecutionMode::Sequential;
            rules.interrupt_mode = InterruptMode::Wait;
        })
        .at(Point::Tool, 0, Act::Steer("Stop"));
    let story = host.run(&["Go"]);
    assert_eq!(
        batch(&story)[3..6],
        ["end fast fast", "start mid", "end mid mid"]
    );
    assert_eq!(
        story[story.len() - 5..][..3],
        ["turn_start", "user Stop", "assistant stop: Done."]
    );
}

#[test]
fn a_listener_that_takes_its_time_loses_nothing() {
    let host = host(
        vec![
            tool("a", Does::Progress(1.0, &["1", "2", "3"])),
            tool("b", Does::Answer(2.0, "b")),
        ],
        &["a", "b"],
    )
    .at(Point::Event("tool update"), 0, Act::Delay(50.0));
    let story = host.run(&["Go"]);
    let mut lines = batch(&story);
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "end a done",
            "end b b",
            "result a",
            "result b",
            "start a",
            "start b",
            "update a 1",
            "update a 2",
            "update a 3"
        ]
    );
}

#[test]
fn the_app_sees_its_own_names_of_tools_and_the_provider_valid_ones() {
    let tools = || ["server.tool", "a b", "a_b", "ok"].map(|name| tool(name, Does::Echo));
    for (called, known_as) in [
        ("server_tool", "server.tool"),
        ("server.tool", "server.tool"),
        ("a_b", "a_b"),
        ("ok", "ok"),
        ("made_up", "made_up"),
        ("made.up", "made.up"),
    ] {
        let host = FakeHost::new([calls(&[(called, "1")]), says("Done.")], tools().into());
        host.run(&["Go"]);
        let events = serde_json::to_value(&*host.events.borrow()).unwrap();
        let mut names = Vec::new();
        names_in(&events, &mut names);
        assert!(names.len() > 5, "{names:?}");
        assert!(names.iter().all(|name| *name == known_as), "{names:?}");
        let ran = !known_as.starts_with("made");
        assert_eq!(!events.to_string().contains("\"isError\":true"), ran);
        for request in host.requests.borrow().iter() {
            let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let body = serde_json::from_str(&request.body).unwrap();
            let mut names = Vec::new();
            names_in(&body, &mut names);
            assert!(names.iter().all(|it| it.chars().all(is_valid)), "{names:?}");
        }
    }
}

/// What stands at `name` and `toolName`.
fn names_in<'v>(value: &'v serde_json::Value, names: &mut Vec<&'v str>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        if key == "name" || key == "toolName" {
            names.extend(value.as_str());
        }
        names_in(value, names);
    }
    for item in value.as_array().into_iter().flatten() {
        names_in(item, names);
    }
}

#[test]
fn an_id_that_an_earlier_turn_had_becomes_another_before_anyone_sees_it() {
    let turn = || calls(&[("fast", "call_0"), ("mid", "call_1")]);
    let host = FakeHost::new([turn(), turn(), turn(), says("Done.")], three());
    let story = host.run(&["Go"]);
    let mut ids: Vec<&str> = story
        .iter()
        .filter_map(|line| line.strip_prefix("start "))
        .collect();
    assert_eq!(ids[..2], ["call_0", "call_1"], "the first keep theirs");
    for (place, id) in ids.iter().enumerate() {
        assert!(id.starts_with(["call_0", "call_1"][place % 2]), "{id}");
        assert_eq!(
            story
                .iter()
                .filter(|line| **line == format!("result {id}"))
                .count(),
            1
        );
    }
    let requests = host.requests.borrow();
    let body: serde_json::Value = serde_json::from_str(&requests.last().unwrap().body).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let answered = messages.iter().filter_map(|it| it["tool_call_id"].as_str());
    assert!(answered.eq(ids.iter().copied()), "{messages:?}");
    let called = messages
        .iter()
        .flat_map(|it| it["tool_calls"].as_array().into_iter().flatten())
        .filter_map(|call| call["id"].as_str());
    assert!(called.eq(ids.iter().copied()), "{messages:?}");
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 6);
}
