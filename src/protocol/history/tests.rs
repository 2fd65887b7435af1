use serde_json::{Map, Value};

use super::*;
use crate::message::{TextContent, ToolResultMessage, UserMessage};
use crate::model::{NamedTool, RequestOptions, ToolChoice, ToolDefinition};
use crate::protocol::Context;

fn target() -> Target<'static> {
    Target {
        api: "api",
        provider: "p",
        model: "m",
        reads_images: true,
        image_types: Some(images::COMMON),
        id_format: Some(ToolCallIdFormat::Standard),
    }
}

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
    short(&prepare(messages, &target()))
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
        let turns = prepare(&messages, &target());
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
            ..target()
        },
        Target {
            provider: "other",
            ..target()
        },
        Target {
            model: "other",
            ..target()
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
        ..target()
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

#[test]
fn an_image_goes_under_the_type_that_its_data_shows_or_becomes_a_note() {
    const PNG: &str = "iVBORw0KGgoAAAA";
    let (common, google) = (Some(images::COMMON), Some(images::GOOGLE));
    let table = [
        ("AA==", "image/png", [Some("image/png"); 3]),
        ("AA==", "image/jpg", [Some("image/jpeg"); 3]),
        (PNG, "image/jpeg", [Some("image/png"); 3]),
        (PNG, "application/octet-stream", [Some("image/png"); 3]),
        (PNG, "", [Some("image/png"); 3]),
        ("/9j/4AAQ", "image/png", [Some("image/jpeg"); 3]),
        ("UklGRhIA", "image/png", [Some("image/webp"); 3]),
        (
            "R0lGODlh",
            "image/png",
            [Some("image/gif"), None, Some("image/gif")],
        ),
        (
            "AAAAGGZ0eXBoZWljAAAA",
            "image/jpeg",
            [None, Some("image/heic"), Some("image/heic")],
        ),
        (
            "AA==",
            "image/heif",
            [None, Some("image/heif"), Some("image/heif")],
        ),
        (
            "PHN2Zz4=",
            "image/svg+xml",
            [None, None, Some("image/svg+xml")],
        ),
        ("Qk0=", "image/bmp", [None, None, Some("image/bmp")]),
        ("", "image/png", [None; 3]),
        ("AA==", "", [None; 3]),
        ("AA==", "image/", [None; 3]),
        ("AA==", "png", [None; 3]),
        ("AA==", "image/x y,", [None; 3]),
    ];
    for (data, mime_type, expected) in table {
        let image = ImageContent {
            data: data.into(),
            mime_type: mime_type.into(),
        };
        let block = || UserContentBlock::Image(image.clone());
        let mut answer = result("a", "");
        if let Message::ToolResult(answer) = &mut answer {
            answer.content = vec![block()];
        }
        let messages = [
            Message::User(UserMessage {
                content: UserContent::Blocks(vec![block()]),
                timestamp: 0.0,
            }),
            says(
                vec![AssistantContentBlock::Image(image.clone()), call("a")],
                StopReason::ToolUse,
            ),
            answer,
        ];
        for (image_types, expected) in [common, google, None].into_iter().zip(expected) {
            let target = Target {
                image_types,
                ..target()
            };
            let turns = prepare(&messages, &target);
            let [Turn::User(asked), Turn::Assistant(turn)] = turns.as_slice() else {
                panic!("{turns:?}")
            };
            let sent = expected.map(|mime_type| ImagePart { mime_type, data });
            let part = sent.map_or(UserPart::Text(UNREADABLE_IMAGE), UserPart::Image);
            let what = format!("{mime_type} {data} for {image_types:?}");
            assert_eq!(asked, std::slice::from_ref(&part), "{what}");
            assert_eq!(turn.parts[0], AssistantPart::Image(sent), "{what}");
            assert_eq!(turn.results[0].parts, [part], "{what}");
        }
    }
}

fn ids(format: ToolCallIdFormat, given: &[&str]) -> Vec<String> {
    let messages = given
        .iter()
        .flat_map(|id| [calls(&[id]), result(id, "ok")])
        .collect::<Vec<_>>();
    let target = Target {
        id_format: Some(format),
        ..target()
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

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        ..ToolDefinition::default()
    }
}

fn restored(names: &ToolNames, called: &str) -> String {
    let mut name = called.to_owned();
    names.restore(&mut name);
    name
}

#[test]
fn names_are_within_the_rules_different_and_found_again() {
    let (long, longer) = ("n".repeat(70), "n".repeat(71));
    let offered = [
        "read_file",
        "a.b",
        "a_b",
        "a b",
        "a-b",
        "ä",
        "_",
        "1st",
        "",
        &long,
        &longer,
    ];
    let tools = offered.map(tool);
    for api in Api::ALL {
        let is_google = api == Api::GoogleGenerativeAi;
        let is_valid = |name: &str| {
            let begins = !name.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            (begins || !is_google) && matches!(valid_name(name), Cow::Borrowed(_))
        };
        let names = ToolNames::new(api, &tools);
        let mut context = Context {
            tools: tools.to_vec(),
            ..Context::default()
        };
        names.apply(&mut context, &mut RequestOptions::default());
        let mut sent: Vec<String> = context.tools.into_iter().map(|tool| tool.name).collect();
        for (name, sent) in offered.iter().zip(&sent) {
            assert!(is_valid(sent), "{api:?}: {name:?} became {sent:?}");
            assert!(!is_valid(name) || name == sent, "{name:?} is valid");
            assert_eq!(restored(&names, sent), *name);
        }
        sent.sort();
        sent.dedup();
        assert_eq!(sent.len(), offered.len(), "{sent:?}");
        assert_eq!(names, ToolNames::new(api, &tools), "always the same");
        assert_eq!(restored(&names, "made.up"), "made.up");
    }
}

#[test]
fn calls_and_the_choice_have_the_name_that_the_tool_is_offered_under() {
    let long = "n".repeat(100);
    let table: [(&str, &[&str], &str, &str); 9] = [
        ("a.b", &["a.b"], "a_b", "a_b"),
        ("a.b", &["a_b", "a.b"], "a_b_*", "a_b_*"),
        ("a.b", &["f"], "a_b", "a_b"),
        ("read_file", &[], "read_file", "read_file"),
        ("a.b c", &[], "a_b_c", "a_b_c"),
        ("", &[], "unnamed", "unnamed"),
        ("é", &[], "__", "___"),
        ("-1", &[], "-1", "_-1"),
        (&long, &[], &long[..64], &long[..64]),
    ];
    for (name, offered, expected, at_google) in table {
        for api in Api::ALL {
            let mut message = calls(&["a"]);
            if let Message::Assistant(message) = &mut message
                && let AssistantContentBlock::ToolCall(call) = &mut message.content[0]
            {
                call.name = name.into();
            }
            let mut context = Context {
                messages: vec![message, result("a", "1")],
                tools: offered.iter().copied().map(tool).collect(),
                ..Context::default()
            };
            let mut options = RequestOptions {
                tool_choice: Some(ToolChoice::Tool(NamedTool { name: name.into() })),
                ..RequestOptions::default()
            };
            ToolNames::new(api, &context.tools).apply(&mut context, &mut options);
            let Message::Assistant(message) = &context.messages[0] else {
                panic!("{context:?}")
            };
            let called = &message.tool_calls().next().unwrap().name;
            let Some(ToolChoice::Tool(chosen)) = options.tool_choice else {
                panic!("{options:?}")
            };
            assert_eq!(*called, chosen.name);
            let is_google = api == Api::GoogleGenerativeAi;
            let expected = if is_google { at_google } else { expected };
            match expected.strip_suffix("_*") {
                Some(stem) => assert!(is_made_from(stem, called), "{called}"),
                None => assert_eq!(called, expected),
            }
        }
    }
}

#[test]
fn text_is_passed_on_as_it_is() {
    let messages = [user("a\u{FFFD} 🙂 \u{0}")];
    assert_eq!(prepared(&messages), ["u:a\u{FFFD} 🙂 \u{0}"]);
}
