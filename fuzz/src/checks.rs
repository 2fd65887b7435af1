//! The checks, by the name of their target: each takes any bytes and panics where a promise is broken.

use std::fmt::Debug;

use serde_json::Value;
use sluice_agent::assemble::Assembler;
use sluice_agent::message::StopReason;
use sluice_agent::protocol::{Api, Decoder, StreamPart};
use sluice_agent::text::json::{Json, JsonWriter, Pull, to_text};
use sluice_agent::text::partial_json::{PartialJson, ValueBuilder, parse_arguments};
use sluice_agent::text::sse::SseDecoder;

/// A check of any input.
pub type Check = fn(&[u8]);

/// All targets, by name.
pub const TARGETS: [(&str, Check); 8] = [
    ("sse", sse),
    ("json", json),
    ("partial_json", partial_json),
    ("openai_completions", |input| {
        wire(Api::OpenAiCompletions, input)
    }),
    ("openai_responses", |input| {
        wire(Api::OpenAiResponses, input)
    }),
    ("anthropic_messages", |input| {
        wire(Api::AnthropicMessages, input)
    }),
    ("google_generative_ai", |input| {
        wire(Api::GoogleGenerativeAi, input)
    }),
    ("proxy", |input| wire(Api::Proxy, input)),
];

/// Runs the check of this name.
///
/// # Panics
/// When there is none, or a promise is broken.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|(target, _)| *target == name);
    target.expect("a target").1(input);
}

/// The input in pieces whose sizes it says itself.
fn pieces(input: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = input;
    while let Some(byte) = rest.first() {
        let size = usize::from(byte % 32).clamp(1, rest.len());
        let (piece, behind) = rest.split_at(size);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// `read` gives the same for the whole input, for its bytes one by one, and for its pieces.
fn in_any_pieces<T: PartialEq + Debug>(input: &[u8], read: impl Fn(&[&[u8]]) -> T) -> T {
    let whole = read(&[input]);
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(read(&bytes), whole, "byte by byte");
    assert_eq!(read(&pieces(input)), whole, "in pieces");
    whole
}

// ---- server-sent events

fn frames(mut decoder: SseDecoder, chunks: &[&[u8]]) -> (Vec<(String, String, bool)>, bool) {
    let mut frames = Vec::new();
    let mut take = |decoder: &mut SseDecoder| {
        while let Some(frame) = decoder.next_frame() {
            frames.push((
                frame.event.to_owned(),
                frame.data.to_owned(),
                frame.is_whole,
            ));
        }
    };
    for chunk in chunks {
        decoder.push(chunk);
        take(&mut decoder);
    }
    decoder.finish();
    take(&mut decoder);
    (frames, decoder.overflowed())
}

fn sse(input: &[u8]) {
    let (seen, overflowed) = in_any_pieces(input, |chunks| frames(SseDecoder::new(), chunks));
    assert!(!overflowed);
    let bytes: usize = seen.iter().map(|(_, data, _)| data.len()).sum();
    // A byte that is not UTF-8 becomes three.
    assert!(bytes <= 3 * input.len());
    let tails = seen.iter().filter(|(_, _, is_whole)| !is_whole).count();
    assert!(tails <= 1 && (tails == 0 || !seen[seen.len() - 1].2));
    // A body of another line end says the same.
    if !input.contains(&b'\r') {
        let crlf = String::from_utf8_lossy(input).replace('\n', "\r\n");
        let lf = String::from_utf8_lossy(input);
        let of = |text: &str| frames(SseDecoder::new(), &[text.as_bytes()]);
        assert_eq!(of(&crlf), of(&lf));
    }
    // With a limit, no event is larger.
    let (seen, _) = in_any_pieces(input, |chunks| frames(SseDecoder::with_limit(40), chunks));
    assert!(seen.iter().all(|(_, data, _)| data.len() <= 3 * 40));
}

// ---- wires

/// Reads as the agent does: frames until the decoder has seen the end.
fn parts(api: Api, chunks: &[&[u8]]) -> Vec<StreamPart> {
    let mut sse = SseDecoder::new();
    let mut decoder = api.decoder();
    let mut parts = Vec::new();
    let mut take = |sse: &mut SseDecoder, decoder: &mut Decoder| {
        while !decoder.is_done()
            && let Some(frame) = sse.next_frame()
        {
            decoder.on_frame(frame, &mut parts);
        }
    };
    for chunk in chunks {
        // What is behind the end is not read.
        if !decoder.is_done() {
            sse.push(chunk);
            take(&mut sse, &mut decoder);
        }
    }
    sse.finish();
    take(&mut sse, &mut decoder);
    decoder.finish(&mut parts);
    assert!(decoder.is_complete());
    let count = parts.len();
    decoder.finish(&mut parts);
    assert_eq!(parts.len(), count, "an end is said once");
    parts
}

fn wire(api: Api, input: &[u8]) {
    let read = in_any_pieces(input, |chunks| parts(api, chunks));
    check_parts(&read, input.len(), api == Api::OpenAiResponses);
    if let Ok(body) = std::str::from_utf8(input)
        && body.trim_start().starts_with(['{', '['])
    {
        let mut parts = Vec::new();
        api.decoder().on_whole_body(body, &mut parts);
        check_parts(&parts, input.len(), false);
    }
    // What a payload begins with may be known from the one before, or differ from it.
    if let Ok(body) = std::str::from_utf8(input)
        && body.starts_with('{')
        && !body.contains(['\n', '\r'])
    {
        let twice = |between: &str| {
            let body = ["data: ", body, "\n\ndata: ", between, body, "\n\n"].concat();
            parts(api, &[body.as_bytes()])
        };
        assert_eq!(twice(""), twice(" "));
    }
}

fn is_end(part: &StreamPart) -> bool {
    matches!(part, StreamPart::Finish(_) | StreamPart::Error(_))
}

/// One end, at the end, and no more than the input accounts for; the assembler makes a message of it.
/// Where several responses may follow each other, each has its end.
fn check_parts(parts: &[StreamPart], input: usize, several: bool) {
    let ends = parts.iter().filter(|part| is_end(part)).count();
    assert!(ends == 1 || several, "{ends} ends");
    assert!(parts.last().is_some_and(is_end));
    let said = parts.iter().map(weight).sum::<usize>();
    assert!(said <= 8 * input + 2_000, "{said} of {input}");

    let mut assembler = Assembler::new("made");
    let mut words = 0;
    for part in parts {
        assembler.apply(part.clone());
        words += assembler.batch().words().len();
        let operations = assembler.batch().operations().count();
        assert_eq!(operations == 0, assembler.batch().is_empty());
        assembler.commit(assembler.batch().words().len());
    }
    assembler.close();
    assert!(words <= 64 * input + 2_000, "{words} of {input}");
    let ending = assembler.finish(None);
    let failed = matches!(parts.last(), Some(StreamPart::Error(_)));
    assert_eq!(failed, ending.error.is_some());
    assert_eq!(
        failed,
        matches!(ending.stop_reason, StopReason::Error | StopReason::Aborted)
    );
    for (place, call) in ending.calls.iter().enumerate() {
        assert!(!call.id.is_empty() && !call.name.is_empty());
        let others = &ending.calls[..place];
        assert!(others.iter().all(|other| other.id != call.id), "ids differ");
        if let Ok(arguments) = call.arguments() {
            assert!(arguments.is_object());
        }
    }
    let counts = ending.usage;
    for count in [
        counts.input,
        counts.output,
        counts.cache_read,
        counts.cache_write,
    ] {
        assert!(count >= 0.0, "a count is never negative");
    }
}

/// How much a part says, in bytes.
fn weight(part: &StreamPart) -> usize {
    8 + match part {
        StreamPart::Cost(_) | StreamPart::Origin(_) => 0,
        StreamPart::ResponseId(text)
        | StreamPart::Text(text)
        | StreamPart::Thinking(text)
        | StreamPart::TextSignature(text)
        | StreamPart::ThinkingSignature(text)
        | StreamPart::RedactedThinking(text)
        | StreamPart::ToolCallDelta { json: text, .. }
        | StreamPart::ToolCallSignature {
            signature: text, ..
        } => text.len(),
        StreamPart::ToolCallStart { id, name, .. } => id.len() + name.len(),
        StreamPart::Image { data, mime_type } => data.len() + mime_type.len(),
        StreamPart::Error(error) => error.message.len(),
        StreamPart::BlockEnd
        | StreamPart::ToolCallEnd { .. }
        | StreamPart::Usage(_)
        | StreamPart::Finish(_) => 0,
    }
}

// ---- JSON

fn json(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let ours = Json::parse(text).map(Json::to_value).ok();
    let mut pull = Pull::new(text);
    let pulled = pull.json().and_then(|json| pull.end().map(|()| json));
    assert_eq!(pulled.is_some(), ours.is_some(), "both readers agree");
    match (&ours, serde_json::from_str::<Value>(text)) {
        (Some(ours), Ok(theirs)) => assert!(same(ours, &theirs), "{ours} is not {theirs}"),
        (None, Ok(theirs)) => assert!(depth(text) > 120, "{theirs} is refused"),
        // What providers write all the same stands in strings; a number may be beyond an f64.
        (Some(_), Err(error)) => assert!(
            text.contains('\\')
                || text.bytes().any(|byte| byte < 0x20)
                || error.to_string().contains("number out of range")
                || depth(text) > 120,
            "{text} is accepted: {error}"
        ),
        (None, Err(_)) => {}
    }
    if let Some(ours) = ours {
        let written = to_text(&ours);
        if let Ok(read) = serde_json::from_str::<Value>(&written) {
            assert!(same(&read, &ours), "{written}");
        } else {
            assert!(depth(text) > 120, "{written} is not JSON");
        }
    }
    let mut writer = JsonWriter::default();
    writer.string(text);
    let quoted = writer.into_text();
    assert_eq!(
        serde_json::from_str::<String>(&quoted).ok().as_deref(),
        Some(text)
    );
}

/// The most brackets that may be open at once.
fn depth(text: &str) -> usize {
    text.bytes()
        .filter(|byte| matches!(byte, b'[' | b'{'))
        .count()
}

/// Whether two values are the same, numbers within what a parser may be off.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(ours), Value::Number(theirs)) => {
            let (ours, theirs) = (ours.as_f64(), theirs.as_f64());
            ours.zip(theirs)
                .is_some_and(|(ours, theirs)| (ours - theirs).abs() <= theirs.abs() * 1e-14)
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| same(a, b))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|((a, x), (b, y))| a == b && same(x, y))
        }
        _ => ours == theirs,
    }
}

fn partial_json(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let mut parser = PartialJson::new();
    let mut builder = ValueBuilder::new();
    let mut before = builder.view();
    // Looking at every view is quadratic.
    let looks = text.len() <= 2_000;
    for (at, character) in text.char_indices() {
        parser.push(&text[at..at + character.len_utf8()], &mut builder);
        if looks {
            let view = builder.view();
            assert!(
                grew(&before, &view, text),
                "{before} is no beginning of {view}"
            );
            before = view;
        }
    }
    let finished = parser.finish(&mut builder);
    let whole = parse_arguments(text);
    assert_eq!(
        finished.is_ok(),
        whole.is_ok(),
        "in one piece or by characters"
    );
    if let Ok(whole) = &whole {
        assert_eq!(&builder.into_value(), whole);
    }
    if let Ok(theirs) = serde_json::from_str::<Value>(text)
        && theirs.is_object()
        && depth(text) <= 100
    {
        let ours = whole.expect("an object is read");
        assert!(same(&ours, &theirs), "{ours} is not {theirs}");
    }
}

/// Whether a view of a text may be followed by another: it only ever grows.
fn grew(before: &Value, after: &Value, text: &str) -> bool {
    match (before, after) {
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        (Value::Array(before), Value::Array(after)) => {
            let mut both = before.iter().zip(after);
            before.len() <= after.len() && both.all(|(a, b)| grew(a, b, text))
        }
        // The last of two members with the same key counts: there a known one starts over.
        (Value::Object(before), Value::Object(after)) => before.iter().all(|(key, a)| {
            let starts_over = || text.contains('\\') || text.matches(key.as_str()).count() > 1;
            after
                .get(key)
                .is_some_and(|b| grew(a, b, text) || starts_over())
        }),
        _ => before == after,
    }
}
