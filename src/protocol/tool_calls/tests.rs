use super::*;

/// A call as it came out: id, name, arguments.
type Told = (String, String, String);

fn track(chunks: &[Vec<CallPiece<'_>>]) -> Result<Vec<Told>, NamelessCall> {
    let mut tracker = ToolCallTracker::default();
    let mut parts = Vec::new();
    for chunk in chunks {
        tracker.chunk(chunk, &mut parts);
    }
    tracker.finish(&mut parts)?;
    Ok(told(&parts))
}

/// Reads the parts and checks their order: ascending keys, start before delta before one end.
fn told(parts: &[StreamPart]) -> Vec<Told> {
    let mut calls: Vec<Told> = Vec::new();
    let mut ended = Vec::new();
    for part in parts {
        match part {
            StreamPart::ToolCallStart { key, id, name } => {
                assert_eq!(*key as usize, calls.len());
                assert!(!name.is_empty());
                calls.push((id.clone(), name.clone(), String::new()));
            }
            StreamPart::ToolCallDelta { key, json } => {
                assert!(!ended.contains(key), "a delta behind the end");
                assert!(!json.is_empty());
                calls[*key as usize].2.push_str(json);
            }
            StreamPart::ToolCallEnd { key } => {
                assert!(!ended.contains(key), "two ends");
                ended.push(*key);
            }
            other => panic!("{other:?} is not of a call"),
        }
    }
    assert_eq!(ended.len(), calls.len(), "every call ends");
    calls
}

fn piece<'a>(
    index: impl Into<Option<u32>>,
    id: &'a str,
    name: &'a str,
    arguments: &'a str,
) -> CallPiece<'a> {
    CallPiece {
        index: index.into(),
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
        ..CallPiece::default()
    }
}

fn call(id: &str, name: &str, arguments: &str) -> Told {
    (id.into(), name.into(), arguments.into())
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Index {
    Present,
    Absent,
    Repeated,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Seen {
    Once,
    Always,
    Late,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Arguments {
    Deltas,
    None,
    Whole,
    WholeAtTheEnd,
    RepeatedAsAWhole,
}

/// Three pieces of one call in the given style.
fn render(
    number: usize,
    (index, id, name, arguments): (Index, Seen, Seen, Arguments),
) -> Vec<CallPiece<'static>> {
    const IDS: [&str; 2] = ["a", "b"];
    const NAMES: [&str; 2] = ["f", "g"];
    const WHOLE: [&str; 2] = [r#"{"q":1}"#, r#"{"q":{"r":"}"}}"#];
    const FRONT: [&str; 2] = [r#"{"q""#, r#"{"q":{"r":"}"#];
    const BACK: [&str; 2] = [":1}", r#""}}"#];
    let at = |seen: Seen, position: usize| match seen {
        Seen::Once => position == 0,
        Seen::Always => true,
        Seen::Late => position == 1,
        Seen::Never => false,
    };
    let json = match arguments {
        Arguments::Deltas => [FRONT[number], BACK[number], ""],
        Arguments::None => ["", "", ""],
        Arguments::Whole => [WHOLE[number], "", ""],
        Arguments::WholeAtTheEnd => ["", "", WHOLE[number]],
        Arguments::RepeatedAsAWhole => [FRONT[number], BACK[number], WHOLE[number]],
    };
    (0..3)
        .map(|position| {
            let index = match index {
                Index::Present => Some(number as u32),
                Index::Absent => None,
                Index::Repeated => Some(0),
            };
            let id = if at(id, position) { IDS[number] } else { "" };
            let name = if at(name, position) {
                NAMES[number]
            } else {
                ""
            };
            piece(index, id, name, json[position])
        })
        .collect()
}

/// Whether the second call begins with anything that tells it from the first, and no piece can be
/// read in two ways.
fn is_decidable((index, id, name, arguments): (Index, Seen, Seen, Arguments)) -> bool {
    let id_in_front = matches!(id, Seen::Once | Seen::Always);
    let name_in_front = matches!(name, Seen::Once | Seen::Always);
    match index {
        Index::Present => true,
        // At the same index a call begins with a name, unless it has a new id behind a whole call.
        Index::Repeated => {
            let complete = arguments != Arguments::None;
            id_in_front && (name_in_front || complete)
        }
        Index::Absent => {
            let twin = id == Seen::Never
                && name == Seen::Always
                && arguments == Arguments::RepeatedAsAWhole;
            (id_in_front || name_in_front) && !twin
        }
    }
}

#[test]
fn two_calls_come_out_of_every_style_that_tells_them_apart() {
    use Arguments::{Deltas, None, RepeatedAsAWhole, Whole, WholeAtTheEnd};
    let mut checked = 0;
    for index in [Index::Present, Index::Absent, Index::Repeated] {
        for id in [Seen::Once, Seen::Always, Seen::Late, Seen::Never] {
            for name in [Seen::Once, Seen::Always, Seen::Late] {
                for arguments in [Deltas, None, Whole, WholeAtTheEnd, RepeatedAsAWhole] {
                    let style = (index, id, name, arguments);
                    if !is_decidable(style) {
                        continue;
                    }
                    checked += 1;
                    let chunks: Vec<_> = (0..2)
                        .flat_map(|n| render(n, style))
                        .map(|piece| vec![piece])
                        .collect();
                    let calls = track(&chunks).unwrap_or_else(|_| panic!("{style:?}"));
                    let names: Vec<&str> = calls.iter().map(|call| call.1.as_str()).collect();
                    assert_eq!(names, ["f", "g"], "{style:?}: {calls:?}");
                    for (told, (id_given, json)) in calls
                        .iter()
                        .zip([("a", r#"{"q":1}"#), ("b", r#"{"q":{"r":"}"}}"#)])
                    {
                        // Whole arguments, or the next call, end the wait for an id.
                        let may_lack_id = id == Seen::Late && arguments == Whole;
                        let expected = if id == Seen::Never { "" } else { id_given };
                        assert!(
                            told.0 == expected || (may_lack_id && told.0.is_empty()),
                            "{style:?}"
                        );
                        let json = if arguments == None { "" } else { json };
                        assert_eq!(told.2, json, "{style:?}");
                    }
                }
            }
        }
    }
    assert!(checked > 120, "only {checked}");
}

#[test]
fn pieces_of_two_calls_may_alternate() {
    let by_index = [
        vec![piece(0, "a", "f", r#"{"x":"#)],
        vec![piece(1, "b", "f", r#"{"y":"#)],
        vec![piece(0, "", "", "1}")],
        vec![piece(1, "", "", "2}")],
    ];
    let by_id = [
        vec![piece(None, "a", "f", r#"{"x":"#)],
        vec![piece(None, "b", "f", r#"{"y":"#)],
        vec![piece(None, "a", "", "1}")],
        vec![piece(None, "b", "", "2}")],
    ];
    let by_position = [
        vec![
            piece(None, "a", "f", r#"{"x":"#),
            piece(None, "b", "f", r#"{"y":"#),
        ],
        vec![piece(None, "", "", "1}"), piece(None, "", "", "2}")],
    ];
    let expected = [call("a", "f", r#"{"x":1}"#), call("b", "f", r#"{"y":2}"#)];
    for chunks in [&by_index[..], &by_id, &by_position] {
        assert_eq!(track(chunks).unwrap(), expected);
    }
}

#[test]
fn calls_to_the_same_tool_stay_apart() {
    let table: [(&str, Vec<Vec<CallPiece<'_>>>, usize); 9] = [
        (
            "no index, one chunk",
            vec![vec![
                piece(None, "a", "f", "{}"),
                piece(None, "b", "f", "{}"),
            ]],
            2,
        ),
        (
            "no index, two chunks",
            vec![
                vec![piece(None, "a", "f", "{}")],
                vec![piece(None, "b", "f", "{}")],
            ],
            2,
        ),
        (
            "the same index",
            vec![
                vec![piece(0, "a", "f", r#"{"q":1}"#)],
                vec![piece(0, "b", "f", r#"{"q":2}"#)],
            ],
            2,
        ),
        (
            "no ids, one chunk",
            vec![vec![piece(None, "", "f", "{}"), piece(None, "", "f", "{}")]],
            2,
        ),
        (
            "no ids, two chunks",
            vec![
                vec![piece(None, "", "f", "{}")],
                vec![piece(None, "", "f", "{}")],
            ],
            2,
        ),
        (
            "no ids, two indices",
            vec![vec![piece(0, "", "f", "{}"), piece(1, "", "f", "{}")]],
            2,
        ),
        (
            "one id, two indices",
            vec![
                vec![piece(0, "x", "f", "{}")],
                vec![piece(1, "x", "f", "{}")],
            ],
            2,
        ),
        (
            "one id, one chunk",
            vec![vec![
                piece(None, "x", "f", "{}"),
                piece(None, "x", "f", "{}"),
            ]],
            2,
        ),
        (
            "one id, other arguments",
            vec![
                vec![piece(None, "x", "f", r#"{"q":1}"#)],
                vec![piece(None, "x", "f", r#"{"q":2}"#)],
            ],
            2,
        ),
    ];
    for (what, chunks, count) in table {
        assert_eq!(track(&chunks).unwrap().len(), count, "{what}");
    }
}

#[test]
fn one_call_stays_one() {
    let expected = [call("a", "f", r#"{"q":1}"#)];
    let table: [(&str, Vec<CallPiece<'_>>); 7] = [
        (
            "an empty id and name later",
            vec![piece(0, "a", "f", r#"{"q""#), piece(0, "", "", ":1}")],
        ),
        (
            "id and name in every piece",
            vec![piece(0, "a", "f", r#"{"q""#), piece(0, "a", "f", ":1}")],
        ),
        (
            "whole arguments again",
            vec![
                piece(0, "a", "f", r#"{"q":1}"#),
                piece(0, "", "", r#"{"q":1}"#),
            ],
        ),
        (
            "a new id in every piece",
            vec![piece(0, "a", "f", r#"{"q""#), piece(0, "z", "", ":1}")],
        ),
        (
            "the index comes late",
            vec![piece(None, "a", "f", r#"{"q""#), piece(0, "", "", ":1}")],
        ),
        (
            "empty arguments in front",
            vec![piece(0, "a", "f", "{}"), piece(0, "", "", r#"{"q":1}"#)],
        ),
        (
            "a blank tail",
            vec![piece(0, "a", "f", r#"{"q":1}"#), piece(0, "", "", " \n")],
        ),
    ];
    for (what, pieces) in table {
        let chunks: Vec<_> = pieces.into_iter().map(|piece| vec![piece]).collect();
        assert_eq!(track(&chunks).unwrap(), expected, "{what}");
    }
}

#[test]
fn a_call_waits_for_its_id_until_waiting_is_pointless() {
    let mut tracker = ToolCallTracker::default();
    let mut parts = Vec::new();
    tracker.chunk(&[piece(0, "", "f", r#"{"q""#)], &mut parts);
    assert_eq!(parts, []);
    tracker.chunk(&[piece(1, "", "g", "")], &mut parts);
    assert_eq!(parts.len(), 2, "the next call has begun: {parts:?}");
    tracker.chunk(&[piece(1, "b", "", "")], &mut parts);
    assert_eq!(parts.len(), 3, "the id is known: {parts:?}");
    tracker.chunk(&[piece(2, "", "h", r#"{"q":1}"#)], &mut parts);
    assert_eq!(parts.len(), 5, "the arguments are complete: {parts:?}");
    assert!(tracker.finish(&mut parts).is_ok());
    let expected = [
        call("", "f", r#"{"q""#),
        call("b", "g", ""),
        call("", "h", r#"{"q":1}"#),
    ];
    assert_eq!(told(&parts), expected);
}

#[test]
fn text_ends_complete_calls_and_leaves_others_open() {
    let mut tracker = ToolCallTracker::default();
    let mut parts = Vec::new();
    let pieces = [piece(0, "a", "f", "{}"), piece(1, "b", "g", "{")];
    tracker.chunk(&pieces, &mut parts);
    tracker.end_complete(&mut parts);
    let ends = |parts: &[StreamPart]| {
        parts
            .iter()
            .filter(|part| matches!(part, StreamPart::ToolCallEnd { .. }))
            .count()
    };
    assert_eq!(ends(&parts), 1);
    tracker.chunk(&[piece(1, "", "", "}")], &mut parts);
    assert!(tracker.finish(&mut parts).is_ok());
    assert_eq!(told(&parts), [call("a", "f", "{}"), call("b", "g", "{}")]);
}

#[test]
fn a_call_without_a_name_is_a_failure_and_an_empty_one_is_nothing() {
    assert_eq!(track(&[vec![piece(0, "a", "", "{}")]]), Err(NamelessCall));
    assert_eq!(track(&[vec![piece(0, "", "", "")]]), Ok(vec![]));
}

#[test]
fn text_behind_complete_arguments_is_passed_on_so_that_they_are_refused() {
    let chunks = [
        vec![piece(0, "a", "f", r#"{"q":1}"#)],
        vec![piece(0, "", "", r#"{"q":2}"#)],
    ];
    assert_eq!(
        track(&chunks).unwrap(),
        [call("a", "f", r#"{"q":1}{"q":2}"#)]
    );
}
