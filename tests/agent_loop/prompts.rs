//! Runs of one and of several turns.

use serde_json::json;
use sluice_agent::event::AgentEvent;
use sluice_agent::message::Message;

use crate::host::FakeHost;
use crate::script::{Act, Does, Point, Response, Step, calls, reply, says, tool, turn};
use crate::story::{label, updates};

#[test]
fn a_plain_prompt_has_this_order() {
    let host = FakeHost::new(
        [reply(json!({"thinking": "Well", "text": "Hello you"}))],
        vec![],
    );
    host.run(&["Hi"]);
    let events = host.events.borrow();
    let labels: Vec<&str> = events.iter().map(label).collect();
    assert_eq!(
        labels,
        [
            "agent_start",
            "turn_start",
            "user start",
            "user end",
            "assistant start",
            "thinking_start",
            "thinking_delta",
            "thinking_end",
            "text_start",
            "text_delta",
            "text_delta",
            "text_end",
            "assistant end",
            "turn_end",
            "agent_end",
        ]
    );
    assert_eq!(
        updates(&events),
        [
            "thinking_start 0",
            r#"thinking_delta 0 "Well""#,
            r#"thinking_end 0 "Well""#,
            "text_start 1",
            r#"text_delta 1 "Hello""#,
            r#"text_delta 1 " you""#,
            r#"text_end 1 "Hello you""#,
        ]
    );
}

#[test]
fn several_prompts_are_one_turn() {
    let host = FakeHost::new([says("Hello")], vec![]);
    assert_eq!(
        host.run(&["a", "b"]),
        [
            "agent_start",
            "turn_start",
            "user a",
            "user b",
            "assistant stop: Hello",
            "turn_end",
            "agent_end done",
        ]
    );
}

#[test]
fn a_run_without_prompts_goes_on_from_the_transcript() {
    let host = FakeHost::new([says("Hello")], vec![]);
    host.transcript.borrow_mut().push(crate::script::user("Hi"));
    assert_eq!(
        host.run(&[]),
        [
            "agent_start",
            "turn_start",
            "assistant stop: Hello",
            "turn_end",
            "agent_end done"
        ]
    );
}

#[test]
fn tools_make_turns() {
    let responses = [
        reply(json!({
            "text": "Let me see.",
            "toolCalls": [{"name": "look", "id": "a", "arguments": {"at": "x"}}],
        })),
        calls(&[("look", "b"), ("look", "c")]),
        says("Done."),
    ];
    let host = FakeHost::new(responses, vec![tool("look", Does::Echo)]);
    assert_eq!(
        host.run(&["Look"]),
        [
            "agent_start",
            "turn_start",
            "user Look",
            r#"assistant toolUse: Let me see. | look#a{"at":"x"}"#,
            "start a",
            r#"end a {"at":"x"}"#,
            "result a",
            "turn_end",
            "turn_start",
            "assistant toolUse: look#b{} | look#c{}",
            "start b",
            "start c",
            "end b {}",
            "end c {}",
            "result b",
            "result c",
            "turn_end",
            "turn_start",
            "assistant stop: Done.",
            "turn_end",
            "agent_end done",
        ]
    );
    let requests = host.requests.borrow();
    let roles = |request: usize| -> Vec<String> {
        let body: serde_json::Value = serde_json::from_str(&requests[request].body).unwrap();
        let messages = body["messages"].as_array().unwrap();
        messages
            .iter()
            .map(|message| message["role"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(roles(0), ["system", "user"]);
    assert_eq!(
        roles(2),
        [
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
            "tool",
            "tool"
        ]
    );
}

#[test]
fn every_answer_of_a_run_keeps_its_own_counts_and_the_run_has_all_of_them() {
    let counted = |script: serde_json::Value, input: u32, output: u32| {
        let mut script = script;
        script["usage"] = json!({"input": input, "output": output});
        reply(script)
    };
    let host = FakeHost::new(
        [
            counted(json!({"toolCalls": [{"name": "look", "id": "a"}]}), 10, 1),
            counted(json!({"text": "Done."}), 20, 2),
        ],
        vec![tool("look", Does::Echo)],
    );
    host.run(&["Look"]);
    let counts = |messages: &[Message]| -> Vec<(f64, f64)> {
        let usage = messages.iter().filter_map(|message| match message {
            Message::Assistant(message) => Some(message.usage),
            _ => None,
        });
        usage.map(|usage| (usage.input, usage.output)).collect()
    };
    let expected = [(10.0, 1.0), (20.0, 2.0)];
    assert_eq!(counts(&host.transcript.borrow()), expected);
    let events = host.events.borrow();
    let turns = events.iter().filter_map(|event| match event {
        AgentEvent::TurnEnd(end) => Some((end.message.usage.input, end.message.usage.output)),
        _ => None,
    });
    assert_eq!(turns.collect::<Vec<_>>(), expected);
    // The messages of the run are what an app sums up: 30 and 3.
    let Some(AgentEvent::AgentEnd(end)) = events.last() else {
        panic!("the last event ends the run");
    };
    assert_eq!(counts(&end.messages), expected);
}

#[test]
fn an_answer_that_stops_although_it_calls_tools_runs_them() {
    let responses = [
        reply(json!({"toolCalls": [{"name": "look", "id": "a"}], "stopReason": "stop"})),
        says("Done."),
    ];
    let host = FakeHost::new(responses, vec![tool("look", Does::Echo)]);
    assert_eq!(
        host.run(&["Look"])[3..6],
        ["assistant toolUse: look#a{}", "start a", "end a {}"]
    );
}

#[test]
fn calls_without_ids_get_ids_of_their_own() {
    let nameless = || reply(json!({"toolCalls": [{"name": "look"}, {"name": "look"}]}));
    // The clock stands still between the two turns.
    let host = FakeHost::new(
        [nameless(), nameless(), says("Done.")],
        vec![tool("look", Does::Echo)],
    );
    host.run(&["Look"]);
    let mut ids: Vec<String> = Vec::new();
    for event in host.events.borrow().iter() {
        if let AgentEvent::ToolExecutionStart(start) = event {
            assert!(
                !ids.contains(&start.tool_call_id),
                "{ids:?} {}",
                start.tool_call_id
            );
            ids.push(start.tool_call_id.clone());
        }
    }
    assert_eq!(ids.len(), 4);
}

#[test]
fn a_run_has_a_limit_of_turns() {
    for (limit, turns) in [(1, 1), (3, 3)] {
        let host = FakeHost::new([], vec![]).with_rules(|rules| rules.max_turns = limit);
        host.otherwise.replace(Some(calls(&[("nope", "a")])));
        let story = host.run(&["Look"]);
        assert_eq!(story.last().unwrap(), "agent_end max_turns");
        assert_eq!(
            story.iter().filter(|line| *line == "turn_end").count(),
            turns
        );
    }
    let host = FakeHost::new([says("Hello")], vec![]).with_rules(|rules| rules.max_turns = 1);
    assert_eq!(host.run(&["Hi"]).last().unwrap(), "agent_end done");
}

#[test]
fn tools_can_end_the_run() {
    let tools = || vec![tool("enough", Does::Terminate), tool("look", Does::Echo)];
    let host = FakeHost::new([calls(&[("enough", "a"), ("enough", "b")])], tools());
    let story = host.run(&["Look"]);
    assert_eq!(
        story[story.len() - 4..],
        ["result a", "result b", "turn_end", "agent_end terminated"]
    );

    // All of them have to want it.
    let host = FakeHost::new(
        [calls(&[("enough", "a"), ("look", "b")]), says("Done.")],
        tools(),
    );
    assert_eq!(host.run(&["Look"]).last().unwrap(), "agent_end done");

    // A message that waits is answered all the same.
    let host = FakeHost::new([calls(&[("enough", "a")]), says("Yes?")], tools()).at(
        Point::Event("tool end"),
        0,
        Act::FollowUp("One more"),
    );
    let story = host.run(&["Look"]);
    assert_eq!(
        story[story.len() - 6..],
        [
            "turn_end",
            "turn_start",
            "user One more",
            "assistant stop: Yes?",
            "turn_end",
            "agent_end done"
        ]
    );
}

#[test]
fn a_cut_answer_runs_no_tool_and_three_in_a_row_end_the_run() {
    let cut = || {
        let arguments = r#"{"path":"a.txt","content":"ha"#;
        reply(json!({
            "toolCalls": [{"name": "write", "id": "a", "arguments": arguments}, {"name": "write", "id": "b"}],
            "stopReason": "length",
        }))
    };
    let host = FakeHost::new([cut(), says("Shorter.")], vec![tool("write", Does::Echo)]);
    let refusal = "The tool did not run: the output limit cut the message off. Answer with shorter arguments.";
    assert_eq!(
        host.run(&["Write"])[3..],
        [
            r#"assistant length: write#a{"path":"a.txt","content":"ha"} | write#b{}"#,
            "start a",
            &format!("end a failed {refusal}"),
            "start b",
            &format!("end b failed {refusal}"),
            "result a",
            "result b",
            "turn_end",
            "turn_start",
            "assistant stop: Shorter.",
            "turn_end",
            "agent_end done",
        ]
    );
    assert_eq!(*host.log.borrow(), [""; 0]);

    let host = FakeHost::new([cut(), cut(), cut()], vec![tool("write", Does::Echo)]);
    let story = host.run(&["Write"]);
    assert_eq!(story.iter().filter(|line| *line == "turn_start").count(), 3);
    assert_eq!(story.last().unwrap(), "agent_end done");
    assert_eq!(*host.log.borrow(), [""; 0]);

    // What the user says in between begins the count anew.
    let host = FakeHost::new(
        [cut(), cut(), cut(), cut(), says("Done.")],
        vec![tool("write", Does::Echo)],
    )
    .at(Point::Event("turn_end"), 2, Act::Steer("Shorter!"));
    assert_eq!(host.run(&["Write"]).last().unwrap(), "agent_end done");
    assert_eq!(host.requests.borrow().len(), 5);
}

#[test]
fn blocks_may_interleave() {
    let host = FakeHost::new(
        [
            Response::stream(&[
                r#"{"choices":[{"delta":{"content":"One"}}]}"#,
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"q\":"}}]}}]}"#,
                r#"{"choices":[{"delta":{"content":"Two"}}]}"#,
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
                r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
                "[DONE]",
            ]),
            says("Done."),
        ],
        vec![tool("look", Does::Echo)],
    );
    let story = host.run(&["Look"]);
    assert_eq!(story[3], r#"assistant toolUse: One | look#a{"q":1} | Two"#);
    assert_eq!(story[5], r#"end a {"q":1}"#);
}

#[test]
fn what_a_response_says_does_not_depend_on_its_reads() {
    let script = turn(json!({
        "thinking": "Well, well", "text": "Let me look at this 🙂",
        "toolCalls": [
            {"name": "look", "id": "a", "arguments": {"path": "/tmp/x y", "deep": {"n": [1, 2.5, null]}}},
            {"name": "look", "id": "b", "arguments": {"q": "好🙂"}},
        ],
        "usage": {"input": 8, "output": 3, "cacheRead": 2, "cacheWrite": 1},
    }));
    let whole = script.response().chunks.concat();
    let frames = script.response().chunks;
    let whole_runs = [
        Response::burst(&script),
        Response::slow(&script, 0.0),
        Response::slow(&script, 7.0),
        Response::body(
            "text/event-stream; charset=utf-8",
            whole
                .chars()
                .map(|character| Step::Give(character.to_string()))
                .collect(),
        ),
        // A proxy that calls every body JSON.
        Response::body(
            "application/json",
            frames.into_iter().map(Step::Give).collect(),
        ),
    ];
    let stories: Vec<(Vec<String>, Vec<String>)> = whole_runs
        .into_iter()
        .map(|response| {
            let host = FakeHost::new([response, says("Done.")], vec![tool("look", Does::Echo)]);
            let story = host.run(&["Look"]);
            let updates = updates(&host.events.borrow());
            let usage = host.transcript.borrow()[1].clone();
            if let Message::Assistant(message) = usage {
                assert_eq!(message.response_id.as_deref(), Some("chatcmpl-script"));
                let usage = message.usage;
                let counts = [
                    usage.input,
                    usage.output,
                    usage.cache_read,
                    usage.cache_write,
                ];
                assert_eq!(counts, [8.0, 3.0, 2.0, 1.0]);
            }
            (story, updates)
        })
        .collect();
    assert_eq!(
        stories[0].0[3],
        r#"assistant toolUse: (Well, well) | Let me look at this 🙂 | look#a{"path":"/tmp/x y","deep":{"n":[1,2.5,null]}} | look#b{"q":"好🙂"}"#
    );
    for story in &stories[1..] {
        assert_eq!(*story, stories[0]);
    }
}

#[test]
fn the_app_may_bring_its_own_stream() {
    use sluice_agent::message::StopReason;
    use sluice_agent::protocol::StreamPart as Part;
    let parts = vec![
        Part::Text("Hel".to_owned()),
        Part::Text("lo".to_owned()),
        Part::Image {
            data: "AAAA".to_owned(),
            mime_type: "image/png".to_owned(),
        },
    ];
    let end = vec![Part::Finish(StopReason::Stop)];
    let host = FakeHost::new(
        [Response::App(vec![
            Step::Give(parts),
            Step::Wait(5.0),
            Step::Give(end),
        ])],
        vec![],
    );
    assert_eq!(host.run(&["Hi"])[3], "assistant stop: Hello | image");
    assert_eq!(host.requests.borrow().len(), 0);
}
