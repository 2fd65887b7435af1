use super::SseDecoder;
use proptest::prelude::*;

type Frames = Vec<(String, String)>;

/// A body, and event and data of its frames.
type Body = (&'static [u8], &'static [(&'static str, &'static str)]);

fn drain(decoder: &mut SseDecoder, frames: &mut Frames) {
    while let Some(frame) = decoder.next_frame() {
        frames.push((frame.event.to_owned(), frame.data.to_owned()));
    }
}

fn decode<'a>(mut decoder: SseDecoder, chunks: impl IntoIterator<Item = &'a [u8]>) -> Frames {
    let mut frames = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        drain(&mut decoder, &mut frames);
    }
    decoder.finish();
    drain(&mut decoder, &mut frames);
    frames
}

/// What is available while the connection stays open.
fn decode_open(bytes: &[u8]) -> Frames {
    let mut decoder = SseDecoder::new();
    let mut frames = Vec::new();
    decoder.push(bytes);
    drain(&mut decoder, &mut frames);
    frames
}

/// The same format read in the plainest way: all text at once, line by line.
fn oracle(bytes: &[u8]) -> Frames {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    let tail = lines.pop().unwrap_or_default();
    let (mut frames, mut event, mut data) = (Vec::new(), String::new(), None::<String>);
    let field = |line: &str, event: &mut String, data: &mut Option<String>| {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if name == "event" {
            *event = value.to_owned();
        }
        if name == "error" {
            *event = "error".to_owned();
            *data = None;
        }
        if name == "data" || name == "error" {
            let wrapped_comment = value.trim_start_matches(|c: char| c.is_ascii_whitespace());
            match data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None if wrapped_comment.starts_with(':') => {}
                None => *data = Some(value.to_owned()),
            }
        }
    };
    for line in lines {
        if line.is_empty() {
            let event = std::mem::take(&mut event);
            frames.extend(data.take().map(|data| (event, data)));
        } else {
            field(line, &mut event, &mut data);
        }
    }
    field(tail, &mut event, &mut data);
    frames.extend(
        data.filter(|data| !data.is_empty())
            .map(|data| (event, data)),
    );
    frames
}

/// Feeds the bytes whole, byte by byte and cut at every two places.
fn assert_frames(bytes: &[u8], expected: &Frames) {
    let shown = String::from_utf8_lossy(bytes);
    assert_eq!(&oracle(bytes), expected, "oracle on {shown:?}");
    assert_eq!(
        &decode(SseDecoder::new(), [bytes]),
        expected,
        "{shown:?} whole"
    );
    assert_eq!(
        &decode(SseDecoder::new(), bytes.chunks(1)),
        expected,
        "{shown:?} byte by byte"
    );
    for first in 0..=bytes.len() {
        let (head, rest) = bytes.split_at(first);
        for second in 0..=rest.len() {
            let (middle, tail) = rest.split_at(second);
            let cuts = (first, first + second);
            assert_eq!(
                &decode(SseDecoder::new(), [head, middle, tail]),
                expected,
                "{shown:?} cut at {cuts:?}"
            );
        }
    }
}

fn frames(expected: &[(&str, &str)]) -> Frames {
    expected
        .iter()
        .map(|(event, data)| ((*event).to_owned(), (*data).to_owned()))
        .collect()
}

const DELTA: &str = r#"{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}"#;
const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

/// Bodies with LF line ends, and their frames.
fn bodies() -> Vec<(Vec<u8>, Frames)> {
    let chat = format!(": PROCESSING\n\ndata: {DELTA}\n\ndata: {STOP}\n\ndata: [DONE]\n\n");
    let chat_frames = frames(&[("", DELTA), ("", STOP), ("", "[DONE]")]);
    let wrapped = format!("data: : OPENROUTER PROCESSING\n\ndata: : a\ndata: {DELTA}\n\n");
    let cut = format!("data: {DELTA}\n\ndata: {STOP}");
    let mut list = vec![
        (chat.into_bytes(), chat_frames),
        (wrapped.into_bytes(), frames(&[("", DELTA)])),
        (cut.clone().into_bytes(), frames(&[("", DELTA), ("", STOP)])),
        (
            format!("{cut}\n").into_bytes(),
            frames(&[("", DELTA), ("", STOP)]),
        ),
    ];
    let short: &[Body] = &[
        // Characters and broken bytes.
        (
            "data: {\"t\":\"好🙂\"}\n\n".as_bytes(),
            &[("", "{\"t\":\"好🙂\"}")],
        ),
        (
            "event: 好\ndata: 好\n\ndata: 🙂\n\n".as_bytes(),
            &[("好", "好"), ("", "🙂")],
        ),
        (
            b"data: a\xFFb\n\ndata: c\n\n",
            &[("", "a\u{FFFD}b"), ("", "c")],
        ),
        (
            b"data: \xE5\xA5\n\ndata: \xF0\x9F\ndata: x\n\n",
            &[("", "\u{FFFD}"), ("", "\u{FFFD}\nx")],
        ),
        (b"event: \xFF\ndata: a\n\n", &[("\u{FFFD}", "a")]),
        (b"data: a\n\ndata: \xE5\xA5", &[("", "a"), ("", "\u{FFFD}")]),
        // The byte order mark.
        (b"\xEF\xBB\xBFdata: a\n\n", &[("", "a")]),
        (
            b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n",
            &[("", "b")],
        ),
        ("data: \u{FEFF}a\n\n".as_bytes(), &[("", "\u{FEFF}a")]),
        (b"\xEF\xBB", &[]),
        // Field syntax.
        (
            b"event: x\ndata: {\"a\":1}\n\ndata: {\"a\":2}\n\n",
            &[("x", "{\"a\":1}"), ("", "{\"a\":2}")],
        ),
        (
            b"event:ping\ndata:{\"a\":1}\n\ndata:  x\n\n",
            &[("ping", "{\"a\":1}"), ("", " x")],
        ),
        (b"data: a\ndata:b\ndata\ndata: c\n\n", &[("", "a\nb\n\nc")]),
        (b"data\n\ndata\ndata\n\ndata:", &[("", ""), ("", "\n")]),
        (
            b"data: a: b\nid: 7\nretry: 10\nevent: e\nunknown: x\nDATA: x\n data: x\n\n",
            &[("e", "a: b")],
        ),
        (b"data\0: x\n\ndata: a\0\n\n", &[("", "a\0")]),
        // An event name without data says nothing about the next event.
        (b"event: x\n\ndata: a\n\n", &[("", "a")]),
        (b"event: x\nevent: y\ndata: a\n\n", &[("y", "a")]),
        (b"event: x\nevent\ndata: a\n\n", &[("", "a")]),
        // Failures under a field name of their own.
        (
            b"error: {\"code\":500,\"message\":\"boom\"}\n\n",
            &[("error", "{\"code\":500,\"message\":\"boom\"}")],
        ),
        (
            b"error: {\"code\":500,\"message\":\"boom\"}",
            &[("error", "{\"code\":500,\"message\":\"boom\"}")],
        ),
        (
            b"data: {\"ha\nerror: {\"a\":1}\n\ndata: b\n\n",
            &[("error", "{\"a\":1}"), ("", "b")],
        ),
        // Comments.
        (b":\n:\n\ndata: {\"a\":1}\n\n", &[("", "{\"a\":1}")]),
        (
            b": ping\n\ndata: {\"a\":1}\n\ndata: {\"a\":2}\n\n",
            &[("", "{\"a\":1}"), ("", "{\"a\":2}")],
        ),
        (b"data: a\n: between\ndata: b\n:\n\n", &[("", "a\nb")]),
        (
            b"data: : x\n\ndata: \t: x\n\ndata: a\ndata: : b\n\n",
            &[("", "a\n: b")],
        ),
        // The end of the body.
        (b"data: a\n\nevent: x\n", &[("", "a")]),
        (b"data: a\n\ndata: ", &[("", "a")]),
        (b"data: a\ndata: b", &[("", "a\nb")]),
        (b"", &[]),
        (b"\n\n\n", &[]),
        // Payloads that are not well: the decoder hands them on, one frame each.
        (b"data: {\"cho\n\n", &[("", "{\"cho")]),
        (
            b"data: {\"id\":\"a\",\"obdata: {\"a\":1}\n\n",
            &[("", "{\"id\":\"a\",\"obdata: {\"a\":1}")],
        ),
        (
            b"data: {\"type\":\"resp\ndata: {\"a\":1}\n\n",
            &[("", "{\"type\":\"resp\n{\"a\":1}")],
        ),
        // Not a stream.
        (b"<!doctype html>\n<html>data: a</html>\n", &[]),
        (b"\n\n\n{\"choices\":[{\"index\":0}]}", &[]),
    ];
    list.extend(
        short
            .iter()
            .map(|(bytes, expected)| (bytes.to_vec(), frames(expected))),
    );
    list
}

fn with_line_ends(bytes: &[u8], line_end: &[u8]) -> Vec<u8> {
    bytes
        .split(|byte| *byte == b'\n')
        .collect::<Vec<_>>()
        .join(line_end)
}

#[test]
fn cuts_and_line_ends_do_not_change_the_frames() {
    for (bytes, expected) in bodies() {
        for line_end in ["\n", "\r", "\r\n"] {
            assert_frames(&with_line_ends(&bytes, line_end.as_bytes()), &expected);
        }
    }
}

#[test]
fn mixed_line_ends_are_each_one_line_end() {
    assert_frames(
        b"data: a\n\r\ndata: b\r\r",
        &frames(&[("", "a"), ("", "b")]),
    );
    assert_frames(
        b"data: a\r\n\rdata: b\r\n\ndata: c\n\r",
        &frames(&[("", "a"), ("", "b"), ("", "c")]),
    );
    assert_frames(
        b"\r\n\n\rdata: a\rdata: b\ndata: c\r\n\r\n\r\n",
        &frames(&[("", "a\nb\nc")]),
    );
}

#[test]
fn an_event_is_available_as_soon_as_its_blank_line_is_complete() {
    for body in [
        "data: a\n\n",
        "data: a\r\r",
        "data: a\n\r",
        "data: a\r\n\r",
        "data: a\r\n\n",
        "data: a\r\n\r\n",
    ] {
        assert_eq!(
            decode_open(body.as_bytes()),
            frames(&[("", "a")]),
            "{body:?}"
        );
    }
    assert_eq!(
        decode_open(b"data: a\n\r\ndata: b\r\r"),
        frames(&[("", "a"), ("", "b")])
    );
    for body in ["data: a", "data: a\n", "data: a\r\n", "data: a\r"] {
        assert_eq!(decode_open(body.as_bytes()), [], "{body:?}");
    }
}

#[test]
fn the_line_feed_of_a_cut_crlf_does_not_count_twice() {
    let mut decoder = SseDecoder::new();
    decoder.push(b"event: x\r");
    assert_eq!(decoder.next_frame(), None);
    decoder.push(b"\ndata: a\r\n\r");
    assert_eq!(
        decoder.next_frame().map(|frame| (frame.event, frame.data)),
        Some(("x", "a"))
    );
    decoder.push(b"\ndata: b\r");
    assert_eq!(decoder.next_frame(), None);
    decoder.push(b"\r");
    assert_eq!(decoder.next_frame().map(|frame| frame.data), Some("b"));
}

#[test]
fn the_last_event_is_delivered_exactly_once() {
    for body in ["data: a", "data: a\n", "data: a\n\n", "data: a\r"] {
        let mut decoder = SseDecoder::new();
        let mut seen = Vec::new();
        decoder.push(body.as_bytes());
        for _ in 0..3 {
            drain(&mut decoder, &mut seen);
            decoder.finish();
        }
        decoder.push(b"data: late\n\n");
        drain(&mut decoder, &mut seen);
        assert_eq!(seen, frames(&[("", "a")]), "{body:?}");
    }
}

#[test]
fn a_chunk_of_many_events_is_lent_from_the_buffer() {
    let payload = "x".repeat(90);
    let body = format!("data: {payload}\n\n").repeat(40_000);
    let mut decoder = SseDecoder::new();
    decoder.push(body.as_bytes());
    let buffer = decoder.buffer.as_ptr_range();
    let mut count = 0;
    while let Some(frame) = decoder.next_frame() {
        assert!(buffer.contains(&frame.data.as_ptr()));
        assert_eq!(frame.data.len(), payload.len());
        count += 1;
    }
    assert_eq!(count, 40_000);
    assert_eq!(decoder.joined.capacity(), 0);
}

#[test]
fn the_buffer_stays_small_over_many_chunks() {
    let body = format!("event: e\ndata: {}\n\n", "x".repeat(90)).repeat(40_000);
    let mut decoder = SseDecoder::new();
    let mut count = 0;
    for chunk in body.as_bytes().chunks(16 * 1024) {
        decoder.push(chunk);
        while decoder.next_frame().is_some() {
            count += 1;
        }
        assert!(decoder.buffer.capacity() <= 64 * 1024);
        assert!(decoder.joined.capacity() <= 1024);
    }
    assert_eq!(count, 40_000);
}

#[test]
fn an_event_of_four_megabytes_is_looked_at_once() {
    let payload = "x".repeat(4 << 20);
    let body = format!("data: {payload}\n\n");
    for size in [64, 16 * 1024, body.len()] {
        let mut decoder = SseDecoder::new();
        let mut pushed = 0;
        for chunk in body.as_bytes().chunks(size) {
            assert_eq!(decoder.scanned, pushed);
            decoder.push(chunk);
            pushed += chunk.len();
            if pushed < body.len() {
                assert_eq!(decoder.next_frame(), None);
            }
        }
        assert!(
            decoder
                .next_frame()
                .is_some_and(|frame| frame.data == payload)
        );
    }
}

#[test]
fn a_line_beyond_the_limit_stops_the_decoder_and_frees_its_memory() {
    let limit = 20;
    for (body, expected, overflowed) in [
        // 20 bytes fit, 21 do not.
        (
            "data: a\n\ndata: 78901234567890\n\n",
            frames(&[("", "a"), ("", "78901234567890")]),
            false,
        ),
        (
            "data: a\n\ndata: 789012345678901\n\n",
            frames(&[("", "a")]),
            true,
        ),
        (
            "data: a\n\ndata: 789012345678901",
            frames(&[("", "a")]),
            true,
        ),
        (
            "data: a\n\n: 3456789012345678901\ndata: b\n\n",
            frames(&[("", "a")]),
            true,
        ),
        (
            "data: a\n\ndata: 12345\ndata: 1234567890abcd\n\n",
            frames(&[("", "a"), ("", "12345\n1234567890abcd")]),
            false,
        ),
        (
            "data: a\n\ndata: 12345\ndata: 1234567890abcd\ndata\n\n",
            frames(&[("", "a")]),
            true,
        ),
        (
            "data: a\n\ndata: 123456\ndata: 1234567890abcd",
            frames(&[("", "a")]),
            true,
        ),
    ] {
        for size in 1..=body.len() {
            let mut decoder = SseDecoder::with_limit(limit);
            let mut seen = Vec::new();
            for chunk in body.as_bytes().chunks(size) {
                decoder.push(chunk);
                drain(&mut decoder, &mut seen);
            }
            decoder.finish();
            drain(&mut decoder, &mut seen);
            assert_eq!(
                (&seen, decoder.overflowed()),
                (&expected, overflowed),
                "{body:?} by {size}"
            );
            decoder.push(b"data: late\n\n");
            drain(&mut decoder, &mut seen);
            assert_eq!(seen, expected);
            if overflowed {
                assert_eq!(decoder.buffer.capacity() + decoder.joined.capacity(), 0);
            }
        }
    }
}

#[test]
fn endless_comments_do_not_fill_the_memory() {
    let mut decoder = SseDecoder::with_limit(1024);
    decoder.push(b"data: a\n");
    for _ in 0..10_000 {
        decoder.push(b": keep-alive\n");
        assert_eq!(decoder.next_frame(), None);
        assert!(decoder.buffer.capacity() <= 256);
    }
    decoder.push(b"\n");
    assert_eq!(decoder.next_frame().map(|frame| frame.data), Some("a"));
}

/// Bytes that are mostly event stream syntax.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let words: &[&[u8]] = &[
        b"data",
        b"data:",
        b"data: ",
        b"event:",
        b"error:",
        b"id:",
        b":",
        b" ",
        b"\n",
        b"\n",
        b"\n\n",
        b"\r",
        b"\r\n",
        b"\xEF\xBB\xBF",
        b"\xEF",
        b"\xE5\xA5\xBD",
        b"\xE5\xA5",
        b"\xF0\x9F\x99",
        b"\x82",
        b"\xFF",
        b"x",
        b"{}",
    ];
    let word = prop_oneof![
        8 => prop::sample::select(words.to_vec()).prop_map(<[u8]>::to_vec),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

fn cut<'a>(mut bytes: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    for size in sizes {
        let (chunk, rest) = bytes.split_at((*size).min(bytes.len()));
        chunks.push(chunk);
        bytes = rest;
    }
    chunks.push(bytes);
    chunks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_in_any_cuts_give_the_frames_of_the_oracle(
        bytes in body(),
        sizes in prop::collection::vec(0_usize..12, 0..40),
    ) {
        let expected = oracle(&bytes);
        prop_assert_eq!(&decode(SseDecoder::new(), [&bytes[..]]), &expected);
        prop_assert_eq!(&decode(SseDecoder::new(), bytes.chunks(1)), &expected);
        prop_assert_eq!(&decode(SseDecoder::new(), cut(&bytes, &sizes)), &expected);
    }

    #[test]
    fn the_limit_does_not_depend_on_cuts(
        bytes in body(),
        sizes in prop::collection::vec(0_usize..12, 0..40),
        limit in 0_usize..30,
    ) {
        let whole = decode(SseDecoder::with_limit(limit), [&bytes[..]]);
        prop_assert_eq!(&decode(SseDecoder::with_limit(limit), bytes.chunks(1)), &whole);
        prop_assert_eq!(&decode(SseDecoder::with_limit(limit), cut(&bytes, &sizes)), &whole);
    }
}
