use serde_json::{Map, Value};

use super::*;
use crate::message::{TextContent, ToolResultMessage, UserMessage};

const TARGET: Target<'_> = Target {
    api: "api",
    provider: "p",
    model: "m",
    reads_images: true,
    id_format: Some(ToolCallIdFormat::Standard),
};

fn user(text: &str) -> Message {
    Message::User(UserMessage {
        content: UserContent::Text(text.into()),
        timestamp: 0.0,
    })
}

fn text(text: &str) -> AssistantContentBlock {
    AssistantContentBlock::Text(TextContent {
        text: text.into(),
        text_signature: Some("s".into()),
    })
}

fn thinking(signature: Option<&str>) -> AssistantContentBlock {
    AssistantContentBlock::Thinking(ThinkingContent {
        thinking: "t".into(),
        thinking_signature: signature.map(str::to_owned),
        redacted: None,
    })
}

fn call(id: &str) -> AssistantContentBlock {
    AssistantContentBlock::ToolCall(ToolCall {
        id: id.into(),
        name: "f".into(),
        arguments: Map::new(),
        thought_signature: Some("s".into()),
    })
}

fn says(content: Vec<AssistantContentBlock>, stop_reason: StopReason) -> Message {
    Message::Assistant(AssistantMessage {
        content,
        stop_reason,
        api: "api".into(),
        provider: "p".into(),
        model: "m".into(),
        ..AssistantMessage::default()
    })
}

fn calls(ids: &[&str]) -> Message {
    says(ids.iter().map(|id| call(id)).collect(), StopReason::ToolUse)
}

fn result(id: &str, said: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: "f".into(),
        content: vec![UserContentBlock::Text(TextContent {
            text: said.into(),
            text_signature: None,
        })],
        details: Value::Null,
        is_error: false,
        timestamp: 0.0,
        duration_ms: None,
    })
}

fn image() -> ImageContent {
    ImageContent {
        data: "AA==".into(),
        mime_type: "image/png".into(),
    }
}

/// The turns in short: `u:text`, `a:part|part`, `r:id=text` (`!` for errors).
fn short(turns: &[Turn<'_>]) -> Vec<String> {
    let said = |part: &UserPart<'_>| match part {
        UserPart::Text(text) => (*text).to_owned(),
        UserPart::Image(_) => "<image>".to_owned(),
    };
    let join = |parts: &[UserPart<'_>]| parts.iter().map(said).collect::<Vec<_>>().join("|");
    let mut lines = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) => lines.push(format!("u:{}", join(parts))),
            Turn::Assistant(turn) => {
                let parts = turn.parts.iter().map(|part| match part {
                    AssistantPart::Text(text, signature) => {
                        format!("{text}{}", signature.unwrap_or(""))
                    }
                    AssistantPart::Thinking(_) => "<thinking>".into(),
                    AssistantPart::Call(part) => {
                        format!("{}(){}", part.id, part.signature.unwrap_or(""))
                    }
                    AssistantPart::Image(_) => "<image>".into(),
                });
                lines.push(format!("a:{}", parts.collect::<Vec<_>>().join("|")));
                for result in &turn.results {
                    let mark = if result.is_error { "!" } else { "" };
                    lines.push(format!("r:{}={}{mark}", result.id, join(&result.parts)));
                }
            }
        }
    }
    lines
}

fn prepared(messages: &[Message]) -> Vec<String> {
    short(&prepare(messages, &TARGET))
}

#[test]
fn every_call_has_one_result_behind_it_in_the_order_of_the_calls() {
    let missing = "r:a=No result: the call was not completed.!";
    let table: [(&str, Vec<Message>, Vec<&str>); 8] = [
        (
            "as it should be",
            vec![calls(&["a", "b"]), result("a", "1"), result("b", "2")],
            vec!["a:a()s|b()s", "r:a=1", "r:b=2"],
        ),
        (
            "in the order of completion",
            vec![calls(&["a", "b"]), result("b", "2"), result("a", "1")],
            vec!["a:a()s|b()s", "r:a=1", "r:b=2"],
        ),
        (
            "missing",
            vec![calls(&["a", "b"]), result("b", "2"), user("x")],
            vec!["a:a()s|b()s", missing, "r:b=2", "u:x"],
        ),
        (
            "late",
            vec![calls(&["a"]), user("x"), result("a", "1")],
            vec!["a:a()s", "r:a=1", "u:x"],
        ),
        (
            "twice",
            vec![calls(&["a"]), result("a", "1"), result("a", "2")],
            vec!["a:a()s", "r:a=1"],
        ),
        (
            "without a call",
            vec![user("x"), result("a", "1")],
            vec!["u:x"],
        ),
        (
            "before its call",
            vec![result("a", "1"), calls(&["a"])],
            vec!["a:a()s", missing],
        ),
        (
            "blank",
            vec![calls(&["a"]), result("a", "  ")],
            vec!["a:a()s", "r:a=(no output)"],
        ),
    ];
    for (what, messages, expected) in table {
        assert_eq!(prepared(&messages), expected, "{what}");
    }
}

#[test]
fn equal_ids_are_paired_by_turn_and_told_apart() {
    let messages = [
        calls(&["x"]),
        result("x", "1"),
        calls(&["x"]),
        result("x", "2"),
    ];
    let lines = prepared(&messages);
    assert_eq!(lines[..2], ["a:x()s", "r:x=1"]);
    let second = lines[2].trim_start_matches("a:").trim_end_matches("()s");
    assert_ne!(second, "x");
    assert_eq!(lines[3], format!("r:{second}=2"));

    for id in ["", "x"] {
        let messages = [calls(&[id, id]), result(id, "1"), result(id, "2")];
        let turns = prepare(&messages, &TARGET);
        let [Turn::Assistant(turn)] = turns.as_slice() else {
            panic!("{turns:?}")
        };
        assert_ne!(turn.results[0].id, turn.results[1].id);
        assert_eq!(turn.results[0].parts, [UserPart::Text("1")]);
        assert_eq!(turn.results[1].parts, [UserPart::Text("2")]);
    }
}

#[test]
fn a_turn_that_failed_keeps_its_text_and_its_answered_calls() {
    use StopReason::{Aborted, Error};
    for stop in [Error, Aborted] {
        let table: [(&str, Vec<Message>, Vec<&str>); 7] = [
            (
                "text",
                vec![says(vec![text("half")], stop)],
                vec!["a:halfs"],
            ),
            ("nothing", vec![says(vec![], stop)], vec![]),
            (
                "thinking",
                vec![says(vec![thinking(Some("s"))], stop)],
                vec![],
            ),
            (
                "a call that nobody answered",
                vec![says(vec![text("half"), call("a")], stop)],
                vec!["a:halfs"],
            ),
            (
                "only such calls",
                vec![says(vec![call("a")], stop), user("x")],
                vec!["u:x"],
            ),
            (
                "one call answered",
                vec![says(vec![call("a"), call("b")], stop), result("b", "2")],
                vec!["a:b()s", "r:b=2"],
            ),
            (
                "finished thinking stays, unfinished goes",
                vec![
                    says(vec![thinking(None), call("a"), thinking(None)], stop),
                    result("a", "1"),
                ],
                vec!["a:<thinking>|a()s", "r:a=1"],
            ),
        ];
        for (what, messages, expected) in table {
            assert_eq!(prepared(&messages), expected, "{what}");
        }
    }
}

#[test]
fn a_turn_cut_by_the_limit_keeps_its_calls() {
    let messages = [
        says(vec![call("a")], StopReason::Length),
        result("a", "cut"),
    ];
    assert_eq!(prepared(&messages), ["a:a()s", "r:a=cut"]);
}

#[test]
fn nothing_blank_is_sent() {
    let blocks = |texts: &[&str]| {
        let block = |text: &&str| {
            UserContentBlock::Text(TextContent {
                text: (*text).into(),
                text_signature: None,
            })
        };
        let content = UserContent::Blocks(texts.iter().map(block).collect());
        Message::User(UserMessage {
            content,
            timestamp: 0.0,
        })
    };
    let messages = [
        user(" \n"),
        blocks(&[]),
        blocks(&["", "x", " "]),
        says(
            vec![text(""), text(" "), thinking(Some("s"))],
            StopReason::Stop,
        ),
        says(vec![], StopReason::Stop),
        says(vec![text(""), call("a")], StopReason::ToolUse),
    ];
    let expected = [
        "u:x",
        "a:a()s",
        "r:a=No result: the call was not completed.!",
    ];
    assert_eq!(prepared(&messages), expected);
}

#[test]
fn thinking_and_signatures_go_only_to_the_model_that_made_them() {
    let messages = [
        says(
            vec![thinking(Some("s")), text("x"), call("a")],
            StopReason::ToolUse,
        ),
        result("a", "1"),
    ];
    assert_eq!(prepared(&messages)[0], "a:<thinking>|xs|a()s");
    for other in [
        Target {
            api: "other",
            ..TARGET
        },
        Target {
            provider: "other",
            ..TARGET
        },
        Target {
            model: "other",
            ..TARGET
        },
    ] {
        assert_eq!(short(&prepare(&messages, &other))[0], "a:x|a()");
    }
}

#[test]
fn thinking_goes_when_the_calls_that_it_led_to_are_taken_out() {
    for (content, stop, expected) in [
        (
            vec![thinking(Some("s")), text("x")],
            StopReason::ToolUse,
            "a:xs",
        ),
        (
            vec![thinking(Some("s")), text("x")],
            StopReason::Stop,
            "a:<thinking>|xs",
        ),
        (
            vec![thinking(Some("s")), call("a")],
            StopReason::ToolUse,
            "a:<thinking>|a()s",
        ),
    ] {
        assert_eq!(prepared(&[says(content, stop)])[0], expected);
    }
}

#[test]
fn images_become_a_note_where_the_model_cannot_read_them() {
    let content = UserContent::Blocks(vec![UserContentBlock::Image(image())]);
    let messages = [Message::User(UserMessage {
        content,
        timestamp: 0.0,
    })];
    assert_eq!(prepared(&messages), ["u:<image>"]);
    let blind = Target {
        reads_images: false,
        ..TARGET
    };
    assert_eq!(
        short(&prepare(&messages, &blind)),
        [format!("u:{OMITTED_IMAGE}")]
    );

    let text_only = Model {
        input: Some(vec![InputKind::Text]),
        ..Model::default()
    };
    assert!(!Target::new(Api::OpenAiCompletions, &text_only).reads_images);
    assert!(Target::new(Api::OpenAiCompletions, &Model::default()).reads_images);
}

fn ids(format: ToolCallIdFormat, given: &[&str]) -> Vec<String> {
    let messages = given
        .iter()
        .flat_map(|id| [calls(&[id]), result(id, "ok")])
        .collect::<Vec<_>>();
    let target = Target {
        id_format: Some(format),
        ..TARGET
    };
    let turns = prepare(&messages, &target);
    turns
        .iter()
        .map(|turn| {
            let Turn::Assistant(turn) = turn else {
                panic!("{turn:?}")
            };
            let [AssistantPart::Call(call)] = turn.parts.as_slice() else {
                panic!("{turn:?}")
            };
            assert_eq!(call.id, turn.results[0].id, "equal on both sides");
            assert_eq!(turn.results[0].parts, [UserPart::Text("ok")]);
            call.id.to_string()
        })
        .collect()
}

#[test]
fn ids_are_within_the_rules_and_different_from_each_other() {
    let long = "x".repeat(450);
    let also_long = format!("{long}y");
    let given = [
        "call_1",
        "toolu_01ABC|fc_9",
        "toolu_01ABC+fc_9",
        "a/b",
        "a.b",
        "é",
        "",
        " ",
        &long,
        &also_long,
        "abc123XYZ",
        "call_1",
        "",
        "functions.f:0",
    ];
    for (format, is_valid) in [
        (
            ToolCallIdFormat::Standard,
            (|id| id.len() <= 64 && id.bytes().all(ids::is_standard)) as fn(&str) -> bool,
        ),
        (ToolCallIdFormat::NineAlphanumeric, |id| {
            id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }),
    ] {
        let made = ids(format, &given);
        for (id, from) in made.iter().zip(given) {
            assert!(!id.is_empty() && is_valid(id), "{from} became {id}");
        }
        let mut different = made.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), given.len(), "{made:?}");
        assert_eq!(made[10], "abc123XYZ", "an id that is valid stays");
        let beginning = ids(format, &given[..7]);
        assert_eq!(
            beginning,
            made[..7],
            "a growing conversation keeps its beginning"
        );
    }
}

#[test]
fn names_are_made_valid() {
    let long = "n".repeat(100);
    for (name, valid) in [
        ("read_file", "read_file"),
        ("a.b c", "a_b_c"),
        ("", "unnamed"),
        ("é", "_"),
        (&long, &long[..64]),
    ] {
        assert_eq!(valid_name(name), valid);
    }
}

#[test]
fn text_is_passed_on_as_it_is() {
    let messages = [user("a\u{FFFD} 🙂 \u{0}")];
    assert_eq!(prepared(&messages), ["u:a\u{FFFD} 🙂 \u{0}"]);
}
