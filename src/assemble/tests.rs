use super::*;
use crate::message::{AssistantContentBlock, AssistantMessage, ToolCall};
use crate::protocol::history::is_made_from;
use crate::text::partial_json::{ArgumentSink, PathOp, ValueBuilder};

/// The operations of a batch, one line each: kind, block, strings, steps.
fn operations(batch: &Batch) -> Vec<String> {
    let units: Vec<u16> = batch.text().encode_utf16().collect();
    let mut at = 0;
    let mut string = |length: u32| {
        let end = at + length as usize;
        let text = String::from_utf16(&units[at..end]).expect("whole characters");
        at = end;
        format!("{text:?}")
    };
    let mut lines = Vec::new();
    for operation in batch.operations() {
        let mut line = format!("{:?} {}", operation.op, operation.block);
        for length in operation.lengths {
            line += &format!(" {}", string(*length));
        }
        let mut path = operation.path.iter();
        while let Some(step) = path.next() {
            line += match step {
                0 => " {",
                1 => " [",
                2 => " key",
                3 => " str",
                4 => " +",
                5 => " num",
                6 => " true",
                7 => " false",
                8 => " null",
                9 => " close",
                10 => " reset",
                _ => panic!("step {step}"),
            };
            if (2..=5).contains(step) {
                line += &string(*path.next().expect("a length"));
            }
        }
        lines.push(line);
    }
    assert_eq!(at, units.len(), "all text belongs to an operation");
    lines
}

fn text(text: &str) -> StreamPart {
    StreamPart::Text(text.to_owned())
}

fn thinking(text: &str) -> StreamPart {
    StreamPart::Thinking(text.to_owned())
}

fn start(key: u32, id: &str) -> StreamPart {
    StreamPart::ToolCallStart {
        key,
        id: id.to_owned(),
        name: "f".to_owned(),
    }
}

fn delta(key: u32, json: &str) -> StreamPart {
    StreamPart::ToolCallDelta {
        key,
        json: json.to_owned(),
    }
}

fn end(key: u32) -> StreamPart {
    StreamPart::ToolCallEnd { key }
}

fn assembler(parts: impl IntoIterator<Item = StreamPart>) -> Assembler {
    let mut assembler = Assembler::new("x");
    for part in parts {
        assembler.apply(part);
    }
    assembler
}

/// The operations of these parts and of what closes them.
fn assembled(parts: impl IntoIterator<Item = StreamPart>) -> Vec<String> {
    let mut assembler = assembler(parts);
    assembler.close();
    operations(assembler.batch())
}

#[test]
fn parts_of_one_kind_make_one_block() {
    let parts = [thinking("a"), thinking("b"), text("c"), text("d🙂")];
    assert_eq!(
        assembled(parts),
        [
            "ThinkingStart 0",
            r#"ThinkingDelta 0 "a""#,
            r#"ThinkingDelta 0 "b""#,
            "ThinkingEnd 0",
            "TextStart 1",
            r#"TextDelta 1 "c""#,
            r#"TextDelta 1 "d🙂""#,
            "TextEnd 1",
        ]
    );
}

#[test]
fn nothing_makes_no_block() {
    assert_eq!(
        assembled([
            text(""),
            thinking(""),
            StreamPart::BlockEnd,
            delta(7, "{}"),
            end(7)
        ]),
        [""; 0]
    );
}

#[test]
fn a_block_end_parts_blocks_of_one_kind() {
    assert_eq!(
        assembled([
            text("a"),
            StreamPart::BlockEnd,
            StreamPart::BlockEnd,
            text("b")
        ]),
        [
            "TextStart 0",
            r#"TextDelta 0 "a""#,
            "TextEnd 0",
            "TextStart 1",
            r#"TextDelta 1 "b""#,
            "TextEnd 1",
        ]
    );
}

#[test]
fn calls_grow_side_by_side_and_beside_text() {
    let parts = [
        text("a"),
        start(0, "a"),
        delta(0, r#"{"x":"#),
        text("b"),
        start(1, "b"),
        delta(1, "{"),
        delta(0, "1}"),
        delta(1, "}"),
        end(0),
        text("c"),
    ];
    assert_eq!(
        assembled(parts),
        [
            "TextStart 0",
            r#"TextDelta 0 "a""#,
            "TextEnd 0",
            r#"ToolCallStart 1 "a" "f""#,
            r#"ToolCallDelta 1 "{\"x\":" { key"x""#,
            "TextStart 2",
            r#"TextDelta 2 "b""#,
            "TextEnd 2",
            r#"ToolCallStart 3 "b" "f""#,
            r#"ToolCallDelta 3 "{" {"#,
            r#"ToolCallDelta 1 "1}" num"1" close"#,
            r#"ToolCallDelta 3 "}" close"#,
            r#"ToolCallEnd 1 """#,
            "TextStart 4",
            r#"TextDelta 4 "c""#,
            r#"ToolCallEnd 3 """#,
            "TextEnd 4",
        ]
    );
}

#[test]
fn arguments_show_as_they_arrive() {
    let parts = [
        start(0, "a"),
        delta(0, r#"{"p":"é"#),
        delta(0, r#"🙂","l":[true,null"#),
        delta(0, "]}"),
        end(0),
        start(1, "b"),
        delta(1, r#""{\"q\":1}""#),
        end(1),
        start(2, "c"),
        end(2),
    ];
    assert_eq!(
        assembled(parts),
        [
            r#"ToolCallStart 0 "a" "f""#,
            r#"ToolCallDelta 0 "{\"p\":\"é" { key"p" str"é""#,
            r#"ToolCallDelta 0 "🙂\",\"l\":[true,null" +"🙂" key"l" [ true null"#,
            r#"ToolCallDelta 0 "]}" close close"#,
            r#"ToolCallEnd 0 """#,
            r#"ToolCallStart 1 "b" "f""#,
            r#"ToolCallDelta 1 "\"{\\\"q\\\":1}\"""#,
            r#"ToolCallEnd 1 "" reset { key"q" num"1" close"#,
            r#"ToolCallStart 2 "c" "f""#,
            r#"ToolCallEnd 2 "" { close"#,
        ]
    );
}

#[test]
fn what_comes_behind_the_end_of_a_call_is_not_part_of_it() {
    let parts = [
        start(0, "a"),
        delta(0, "{}"),
        end(0),
        delta(0, "{}"),
        end(0),
    ];
    assert_eq!(
        assembled(parts.clone()),
        [
            r#"ToolCallStart 0 "a" "f""#,
            r#"ToolCallDelta 0 "{}" { close"#,
            r#"ToolCallEnd 0 """#,
        ]
    );
    assert_eq!(assembler(parts).finish(None).calls[0].json, "{}");
}

fn calling(ids: &[&str]) -> Message {
    let call = |id: &&str| {
        AssistantContentBlock::ToolCall(ToolCall {
            id: (*id).to_owned(),
            ..ToolCall::default()
        })
    };
    Message::Assistant(AssistantMessage {
        content: ids.iter().map(call).collect(),
        ..AssistantMessage::default()
    })
}

#[test]
fn calls_have_ids_of_their_own_in_the_message_and_what_came_before() {
    let table: [(&[&str], [&str; 3], [&str; 3]); 7] = [
        (&[], ["a", "b", "c"], ["a", "b", "c"]),
        (&[], ["", "", ""], ["call_x", "call_x_*", "call_x_*"]),
        (&[], ["a", "a", "a"], ["a", "a_*", "a_*"]),
        (&["a"], ["a", "b", "a"], ["a_*", "b", "a_*"]),
        (&["call_x"], ["", "", "c"], ["call_x_*", "call_x_*", "c"]),
        (&["b", "c"], ["a", "b", "c"], ["a", "b_*", "c_*"]),
        (&["f:0", "é"], ["f:0", "é", ""], ["f:0_*", "é_*", "call_x"]),
    ];
    for (before, given, expected) in table {
        let mut assembler = Assembler::new("x");
        assembler.follow(&[calling(before)]);
        for (key, id) in (0..).zip(given) {
            assembler.apply(start(key, id));
        }
        let ending = assembler.finish(None);
        let ids = ending.calls.iter().map(|call| call.id.as_str());
        let mut all: Vec<&str> = before.iter().copied().chain(ids.clone()).collect();
        for (id, expected) in ids.zip(expected) {
            match expected.strip_suffix("_*") {
                Some(stem) => assert!(is_made_from(stem, id), "{id} is made from {stem}"),
                None => assert_eq!(id, expected, "{given:?}"),
            }
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), before.len() + given.len(), "{all:?}");
    }
}

#[test]
fn signatures_belong_to_the_open_block_or_to_an_empty_one() {
    let signature = |text: &str| StreamPart::ThinkingSignature(text.to_owned());
    let parts = [
        thinking("a"),
        signature("S"),
        text("b"),
        StreamPart::TextSignature("T".to_owned()),
        signature("U"),
        start(0, "a"),
        StreamPart::ToolCallSignature {
            key: 0,
            signature: "V".to_owned(),
        },
        end(0),
        StreamPart::TextSignature("W".to_owned()),
    ];
    assert_eq!(
        assembled(parts),
        [
            "ThinkingStart 0",
            r#"ThinkingDelta 0 "a""#,
            r#"ThinkingSignature 0 "S""#,
            "ThinkingEnd 0",
            "TextStart 1",
            r#"TextDelta 1 "b""#,
            r#"TextSignature 1 "T""#,
            "TextEnd 1",
            "ThinkingStart 2",
            r#"ThinkingSignature 2 "U""#,
            "ThinkingEnd 2",
            r#"ToolCallStart 3 "a" "f""#,
            r#"ToolCallSignature 3 "V""#,
            r#"ToolCallEnd 3 "" { close"#,
            "TextStart 4",
            r#"TextSignature 4 "W""#,
            "TextEnd 4",
        ]
    );
}

#[test]
fn withheld_thinking_is_a_block_of_its_own() {
    let redacted = StreamPart::RedactedThinking("R".to_owned());
    assert_eq!(
        assembled([thinking("a"), redacted, thinking("b")]),
        [
            "ThinkingStart 0",
            r#"ThinkingDelta 0 "a""#,
            "ThinkingEnd 0",
            "ThinkingStart 1",
            "Redacted 1",
            r#"ThinkingSignature 1 "R""#,
            "ThinkingEnd 1",
            "ThinkingStart 2",
            r#"ThinkingDelta 2 "b""#,
            "ThinkingEnd 2",
        ]
    );
}

#[test]
fn an_image_is_a_whole_block() {
    let image = StreamPart::Image {
        data: "AAAA".to_owned(),
        mime_type: "image/png".to_owned(),
    };
    assert_eq!(
        assembled([text("a"), image, text("b")]),
        [
            "TextStart 0",
            r#"TextDelta 0 "a""#,
            "TextEnd 0",
            r#"Image 1 "AAAA" "image/png""#,
            "TextStart 2",
            r#"TextDelta 2 "b""#,
            "TextEnd 2",
        ]
    );
}

fn error(code: ErrorCode) -> Failure {
    ErrorInfo::new(code, "No.")
}

#[test]
fn nothing_behind_an_error_counts() {
    let failed = StreamPart::Error(error(ErrorCode::Overloaded));
    let parts = [
        text("a"),
        failed,
        text("b"),
        StreamPart::Finish(StopReason::Stop),
    ];
    let mut assembler = assembler(parts);
    assert!(assembler.has_failed());
    assembler.close();
    assert_eq!(
        operations(assembler.batch()),
        ["TextStart 0", r#"TextDelta 0 "a""#, "TextEnd 0"]
    );
    assert_eq!(assembler.finish(None).stop_reason, StopReason::Error);
}

#[test]
fn why_the_message_ended() {
    use ErrorCode::{Aborted, BadResponse, Network, Timeout, Truncated};
    for (finish, calls, errors, expected) in [
        (
            Some(StopReason::Stop),
            false,
            vec![],
            (StopReason::Stop, None),
        ),
        (
            Some(StopReason::Stop),
            true,
            vec![],
            (StopReason::ToolUse, None),
        ),
        (
            Some(StopReason::ToolUse),
            true,
            vec![],
            (StopReason::ToolUse, None),
        ),
        (
            Some(StopReason::ToolUse),
            false,
            vec![],
            (StopReason::Stop, None),
        ),
        (
            Some(StopReason::Length),
            false,
            vec![],
            (StopReason::Length, None),
        ),
        (
            Some(StopReason::Length),
            true,
            vec![],
            (StopReason::Length, None),
        ),
        (
            Some(StopReason::Error),
            true,
            vec![],
            (StopReason::Error, Some(BadResponse)),
        ),
        (
            Some(StopReason::Aborted),
            false,
            vec![],
            (StopReason::Error, Some(BadResponse)),
        ),
        (None, false, vec![], (StopReason::Error, Some(Truncated))),
        (None, true, vec![], (StopReason::Error, Some(Truncated))),
        (
            None,
            true,
            vec![Network],
            (StopReason::Error, Some(Network)),
        ),
        (
            Some(StopReason::Stop),
            false,
            vec![Network],
            (StopReason::Error, Some(Network)),
        ),
        (
            Some(StopReason::Stop),
            true,
            vec![Network, Timeout],
            (StopReason::Error, Some(Network)),
        ),
        (
            Some(StopReason::Stop),
            true,
            vec![Aborted],
            (StopReason::Aborted, Some(Aborted)),
        ),
        (
            None,
            false,
            vec![Network, Aborted],
            (StopReason::Aborted, Some(Aborted)),
        ),
        (
            None,
            false,
            vec![Aborted, Network],
            (StopReason::Aborted, Some(Aborted)),
        ),
    ] {
        let call = calls.then(|| start(0, "a"));
        let mut assembler = assembler(call.into_iter().chain(finish.map(StreamPart::Finish)));
        for code in &errors {
            assembler.fail(error(*code));
        }
        let ending = assembler.finish(None);
        let code = ending.error.map(|error| error.code);
        assert_eq!(
            (ending.stop_reason, code),
            expected,
            "{finish:?} {calls} {errors:?}"
        );
    }
}

#[test]
fn counts_replace_earlier_ones_and_have_a_price() {
    let update = |input: Option<f64>, output, cache_read| {
        StreamPart::Usage(UsageUpdate {
            input,
            output,
            cache_read,
            cache_write: None,
        })
    };
    let cost = ModelCost {
        input: 3.0,
        output: 15.0,
        cache_read: 0.5,
        cache_write: 4.0,
    };
    let parts = [
        update(Some(0.0), Some(0.0), None),
        update(Some(2_000_000.0), None, Some(1_000_000.0)),
        update(None, Some(200_000.0), None),
    ];
    let usage = assembler(parts.clone()).finish(Some(cost)).usage;
    assert_eq!(
        (
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_write,
            usage.total_tokens
        ),
        (2_000_000.0, 200_000.0, 1_000_000.0, 0.0, 3_200_000.0)
    );
    assert_eq!(
        (
            usage.cost.input,
            usage.cost.output,
            usage.cost.cache_read,
            usage.cost.total
        ),
        (6.0, 3.0, 0.5, 9.5)
    );
    assert_eq!(assembler(parts).finish(None).usage.cost, Default::default());
    let negative = assembler([update(Some(-2.0), None, None)])
        .finish(Some(cost))
        .usage;
    assert_eq!((negative.input, negative.cost.total), (0.0, 0.0));
}

#[test]
fn blocks_go_on_from_batch_to_batch() {
    let mut assembler = assembler([text("a"), start(0, "a")]);
    assembler.commit(assembler.batch().words().len());
    assert!(assembler.batch().is_empty());
    for part in [delta(0, "{"), text("b")] {
        assembler.apply(part);
    }
    assert_eq!(
        operations(assembler.batch()),
        [
            r#"ToolCallDelta 1 "{" {"#,
            "TextStart 2",
            r#"TextDelta 2 "b""#
        ]
    );
}

/// However much of a batch was shown, what closes the message fits to it.
#[test]
fn blocks_that_were_not_shown_never_were() {
    let parts = || {
        [
            text("a"),
            start(0, "a"),
            delta(0, "{}"),
            end(0),
            start(1, "b"),
            delta(1, r#"{"x":"#),
            thinking("c"),
            StreamPart::Finish(StopReason::ToolUse),
        ]
    };
    let whole = assembler(parts());
    let ops: Vec<(usize, Op, u32)> = whole
        .batch()
        .operations()
        .map(|operation| (operation.word, operation.op, operation.block))
        .collect();
    let starts = [Op::TextStart, Op::ThinkingStart, Op::ToolCallStart];
    let ends = [Op::TextEnd, Op::ThinkingEnd, Op::ToolCallEnd];
    for (shown, (words, _, _)) in ops.iter().enumerate() {
        let mut assembler = assembler(parts());
        assembler.commit(*words);
        assembler.fail(ErrorInfo::aborted());
        assembler.close();
        let mut open: Vec<u32> = Vec::new();
        let mut calls = 0;
        for (_, op, block) in &ops[..shown] {
            if starts.contains(op) {
                open.push(*block);
            }
            open.retain(|other| !(ends.contains(op) && other == block));
            calls += usize::from(*op == Op::ToolCallStart);
        }
        let closed: Vec<u32> = assembler
            .batch()
            .operations()
            .map(|operation| operation.block)
            .collect();
        assert_eq!(closed, open, "{shown} operations shown");
        assert!(
            assembler
                .batch()
                .operations()
                .all(|closing| ends.contains(&closing.op))
        );
        let ending = assembler.finish(None);
        assert_eq!(ending.calls.len(), calls, "{shown} operations shown");
        assert_eq!(ending.stop_reason, StopReason::Aborted);
    }
}

#[test]
fn only_complete_json_is_run() {
    for (json, expected) in [
        ("", Some("{}")),
        ("{}", Some("{}")),
        (r#"{"a":1.0}"#, Some(r#"{"a":1}"#)),
        (r#"{"a":1"#, None),
        (r#"{"a":"half"#, None),
        ("{}{}", None),
        ("[1]", None),
    ] {
        let ending = assembler([start(0, "a"), delta(0, json)]).finish(None);
        let arguments = ending.calls[0].arguments().ok();
        let text = arguments.map(|value| value.to_string());
        assert_eq!(text.as_deref(), expected, "{json}");
    }
}

/// The steps of a batch build the same value as the parser itself.
#[test]
fn the_steps_build_the_arguments() {
    let json = r#"{"a":"x\ny","b":[1,{"c":"é🙂"},[],-2.5e3],"d":{},"e":true}"#;
    for cut in (0..json.len()).filter(|cut| json.is_char_boundary(*cut)) {
        let (head, tail) = json.split_at(cut);
        let assembler = assembler([start(0, "a"), delta(0, head), delta(0, tail), end(0)]);
        let mut builder = Closing(ValueBuilder::new(), false);
        apply_steps(assembler.batch(), &mut builder);
        let expected = parse_arguments(json).unwrap();
        assert_eq!(builder.0.into_value(), expected, "{head} + {tail}");
    }
}

/// Ends a string when anything but more of it follows: a batch leaves that to its reader.
struct Closing(ValueBuilder, bool);

impl ArgumentSink for Closing {
    fn apply(&mut self, op: PathOp<'_>) {
        if self.1 && !matches!(op, PathOp::AppendString(_)) {
            self.0.apply(PathOp::EndString);
        }
        self.1 = matches!(op, PathOp::StartString(_) | PathOp::AppendString(_));
        self.0.apply(op);
    }
}

fn apply_steps(batch: &Batch, sink: &mut dyn ArgumentSink) {
    let units: Vec<u16> = batch.text().encode_utf16().collect();
    let mut at = 0;
    let mut string = |length: u32| {
        let end = at + length as usize;
        let text = String::from_utf16(&units[at..end]).expect("whole characters");
        at = end;
        text
    };
    for operation in batch.operations() {
        for length in operation.lengths {
            string(*length);
        }
        let mut path = operation.path.iter();
        while let Some(step) = path.next() {
            let text = if (2..=5).contains(step) {
                string(*path.next().expect("a length"))
            } else {
                String::new()
            };
            sink.apply(match step {
                0 => PathOp::OpenObject,
                1 => PathOp::OpenArray,
                2 => PathOp::Key(&text),
                3 => PathOp::StartString(&text),
                4 => PathOp::AppendString(&text),
                5 => PathOp::Number(&text),
                6 => PathOp::True,
                7 => PathOp::False,
                8 => PathOp::Null,
                9 => PathOp::Close,
                _ => PathOp::Reset,
            });
        }
    }
}
