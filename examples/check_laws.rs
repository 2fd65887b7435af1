//! Checks recorded events against the laws of the event stream.
//!
//! Reads a JSON array of agent events (one run), or an array of such arrays, from the file that is
//! named or from standard input: `cargo run --example check_laws -- events.json`. The events have
//! to fit the crate's types as well, except that messages may be of roles of the page's own.

use std::io::{Read, Write, stdin, stdout};
use std::process::ExitCode;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sluice_agent::event::laws::{self, Kind, Lawful};
use sluice_agent::event::{AgentEvent, AssistantMessageEvent, Page};
use sluice_agent::message::{AssistantMessage, Message, ToolCall};

/// The page of a recording.
#[derive(Debug, Clone, PartialEq)]
struct Recorded;

impl Page for Recorded {
    type Message = RecordedMessage;
    type Assistant = AssistantMessage;
    type ToolCall = ToolCall;
    type Update = AssistantMessageEvent<Self>;
    type Value = Value;
}

/// A message of a known role, which has to be right, or of another, which may be anything.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum RecordedMessage {
    Known(Box<Message>),
    /// Of the page: user messages too may have members of its own.
    Page(Value),
}

impl<'de> Deserialize<'de> for RecordedMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.get("role").and_then(Value::as_str) {
            Some("user") => Message::deserialize(&value)
                .map(|_| Self::Page(value))
                .map_err(D::Error::custom),
            Some("assistant" | "toolResult") => Message::deserialize(value)
                .map(|message| Self::Known(Box::new(message)))
                .map_err(D::Error::custom),
            Some(_) => Ok(Self::Page(value)),
            None => Err(D::Error::custom("a message has no role")),
        }
    }
}

impl From<AssistantMessage> for RecordedMessage {
    fn from(message: AssistantMessage) -> Self {
        Self::Known(Box::new(message.into()))
    }
}

impl Lawful for RecordedMessage {
    fn kind(&self) -> Kind<'_> {
        match self {
            Self::Known(message) => message.kind(),
            Self::Page(_) => Kind::Other,
        }
    }
}

fn main() -> ExitCode {
    let (text, code) = match check() {
        Ok(text) => (text, ExitCode::SUCCESS),
        Err(text) => (text, ExitCode::FAILURE),
    };
    match writeln!(stdout(), "{text}") {
        Ok(()) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn check() -> Result<String, String> {
    let runs = runs(&input()?)?;
    let mut count = 0;
    for (number, run) in runs.iter().enumerate() {
        let events = events(run).map_err(|error| format!("run {number}: {error}"))?;
        laws::check(&events).map_err(|violation| {
            let event = run.get(violation.index).map(Value::to_string);
            let event = event.unwrap_or_default();
            format!("run {number}: {violation}\n{event}")
        })?;
        count += events.len();
    }
    Ok(format!("{count} events, {} runs: ok", runs.len()))
}

fn input() -> Result<String, String> {
    if let Some(path) = std::env::args().nth(1) {
        return std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"));
    }
    let mut text = String::new();
    stdin()
        .read_to_string(&mut text)
        .map_err(|error| format!("standard input: {error}"))?;
    Ok(text)
}

/// The runs of a document that holds one or many.
fn runs(text: &str) -> Result<Vec<Vec<Value>>, String> {
    let Value::Array(items) = serde_json::from_str(text).map_err(|error| error.to_string())? else {
        return Err("the input is not a JSON array".to_owned());
    };
    if items.is_empty() {
        return Err("the input has no events".to_owned());
    }
    if !items.iter().all(Value::is_array) {
        return Ok(vec![items]);
    }
    let run = |item| match item {
        Value::Array(events) => events,
        other => vec![other],
    };
    Ok(items.into_iter().map(run).collect())
}

/// The events as the crate's types. What they lose on the way is a difference between the two.
fn events(run: &[Value]) -> Result<Vec<AgentEvent<Recorded>>, String> {
    let event = |(index, value): (usize, &Value)| {
        let fails = |error: serde_json::Error| format!("event {index}: {error}\n{value}");
        let event = AgentEvent::deserialize(value).map_err(fails)?;
        let back = serde_json::to_value(&event).map_err(fails)?;
        match lost(value, &back) {
            Some(path) => Err(format!(
                "event {index}: the types do not know {path}\n{value}"
            )),
            None => Ok(event),
        }
    };
    run.iter().enumerate().map(event).collect()
}

/// The path of a member that `typed` lacks, if any.
fn lost(value: &Value, typed: &Value) -> Option<String> {
    match (value, typed) {
        (Value::Object(members), Value::Object(others)) => {
            members.iter().find_map(|(key, member)| {
                let inner = match others.get(key) {
                    Some(other) => lost(member, other)?,
                    None if member.is_null() => return None,
                    None => String::new(),
                };
                Some(format!(".{key}{inner}"))
            })
        }
        (Value::Array(items), Value::Array(others)) => items
            .iter()
            .zip(others)
            .enumerate()
            .find_map(|(index, (item, other))| Some(format!("[{index}]{}", lost(item, other)?))),
        _ => None,
    }
}
