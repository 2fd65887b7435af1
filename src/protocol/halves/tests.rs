use super::*;

fn text(text: &str) -> StreamPart {
    StreamPart::Text(text.into())
}

fn thinking(text: &str) -> StreamPart {
    StreamPart::Thinking(text.into())
}

fn call(key: u32, json: &str) -> StreamPart {
    let json = json.into();
    StreamPart::ToolCallDelta { key, json }
}

/// The data of a frame, and what was read from it.
type Read<'a> = (&'a str, &'a [StreamPart]);

/// What the parts come to.
fn joined(frames: &[Read<'_>]) -> Vec<StreamPart> {
    let mut halves = Halves::default();
    let mut parts = Vec::new();
    for (data, read) in frames {
        let from = parts.len();
        parts.extend_from_slice(read);
        halves.join(data, from, &mut parts);
    }
    // An empty delta adds nothing.
    parts.retain(|part| *part != text("") && *part != thinking(""));
    parts
}

#[test]
fn halves_of_one_block_become_one_character() {
    const HIGH: &str = r#"{"d":"a\ud83d"}"#;
    const LOW: &str = r#"{"d":"\ude42b"}"#;
    const NONE: &str = r#"{"d":"b"}"#;
    const END: StreamPart = StreamPart::BlockEnd;
    let usage = StreamPart::Usage(Default::default());
    let usage = std::slice::from_ref(&usage);
    let table: [(&str, &[Read<'_>], &[StreamPart]); 10] = [
        (
            "text",
            &[(HIGH, &[text("a\u{FFFD}")]), (LOW, &[text("\u{FFFD}b")])],
            &[text("a"), text("🙂b")],
        ),
        (
            "thinking",
            &[
                (HIGH, &[thinking("\u{FFFD}")]),
                (LOW, &[thinking("\u{FFFD}")]),
            ],
            &[thinking("🙂")],
        ),
        (
            "arguments",
            &[
                (HIGH, &[call(1, "a\u{FFFD}")]),
                (LOW, &[call(1, "\u{FFFD}b")]),
            ],
            &[call(1, "a"), call(1, "🙂b")],
        ),
        (
            "counts come between",
            &[
                (HIGH, &[text("a\u{FFFD}")]),
                ("{}", usage),
                (LOW, &[text("\u{FFFD}b")]),
            ],
            &[text("a"), usage[0].clone(), text("🙂b")],
        ),
        (
            "another half follows",
            &[
                (HIGH, &[text("\u{FFFD}")]),
                (r#"{"d":"\ude42\ud83d"}"#, &[text("\u{FFFD}\u{FFFD}")]),
                (LOW, &[text("\u{FFFD}")]),
            ],
            &[text("🙂"), text("🙂")],
        ),
        (
            "the block ends",
            &[(HIGH, &[text("a\u{FFFD}")]), (NONE, &[END])],
            &[text("a"), text("\u{FFFD}"), END],
        ),
        (
            "the block goes on without it",
            &[(HIGH, &[text("a\u{FFFD}")]), (NONE, &[text("b")])],
            &[text("a"), text("\u{FFFD}"), text("b")],
        ),
        (
            "another block goes on",
            &[
                (HIGH, &[call(0, "\u{FFFD}")]),
                (LOW, &[call(1, "\u{FFFD}")]),
            ],
            &[call(0, ""), call(0, "\u{FFFD}"), call(1, "\u{FFFD}")],
        ),
        (
            "no half, but what stands for one",
            &[(NONE, &[text("\u{FFFD}")]), (LOW, &[text("\u{FFFD}")])],
            &[text("\u{FFFD}"), text("\u{FFFD}")],
        ),
        (
            "a second half without a first",
            &[(LOW, &[text("\u{FFFD}b")])],
            &[text("\u{FFFD}b")],
        ),
    ];
    for (what, frames, expected) in table {
        assert_eq!(joined(frames), expected, "{what}");
    }
}

#[test]
fn halves_are_found_at_the_edges_of_strings() {
    for (json, low, high) in [
        (r#""a\ud83d""#, None, Some(0xD83D)),
        (r#""\uDE42a""#, Some(0xDE42), None),
        (r#"{"a":"\ude42\ud83d"}"#, Some(0xDE42), Some(0xD83D)),
        (r#""\ud83d\ude42""#, None, None),
        (r#""\\ud83d""#, None, None),
        (r#""\\\ud83d""#, None, Some(0xD83D)),
        (r#""\ud83dx""#, None, None),
        (r#""a\n\u00e9\ud8""#, None, None),
        (r#""\ud83é""#, None, None),
        (r#""plain""#, None, None),
        (r"\ude42", None, None),
        ("\\", None, None),
    ] {
        assert_eq!(at_edges(json), (low, high), "{json}");
    }
}
