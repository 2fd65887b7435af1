//! What the world does, written down beforehand.

use std::rc::Rc;

use serde_json::{Value, json};
use sluice_agent::agent::approval::Approval;
use sluice_agent::agent::host::{Tool, ToolExecutionMode};
use sluice_agent::agent::script::ScriptTurn;
use sluice_agent::error::Failure;
use sluice_agent::event::AgentEvent;
use sluice_agent::message::{Message, UserContent, UserMessage};
use sluice_agent::protocol::StreamPart;
use sluice_agent::schema::Schema;

use crate::host::FakeHost;

/// A piece of something that arrives over time.
#[derive(Debug, Clone)]
pub enum Step<T> {
    Give(T),
    Wait(f64),
    Fail(Failure),
    Hang,
}

/// What answers one model call.
#[derive(Debug, Clone)]
pub enum Response {
    /// An HTTP response.
    Http {
        status: u16,
        content_type: &'static str,
        retry_after_ms: Option<f64>,
        body: Vec<Step<String>>,
    },
    /// No response.
    Unreachable(Failure),
    /// The app's own stream.
    App(Vec<Step<Vec<StreamPart>>>),
}

impl Response {
    /// A body in these pieces.
    pub fn body(content_type: &'static str, body: Vec<Step<String>>) -> Self {
        Self::Http {
            status: 200,
            content_type,
            retry_after_ms: None,
            body,
        }
    }

    /// An event stream whose frames have this data.
    pub fn stream(frames: &[&str]) -> Self {
        let frame = |data: &&str| Step::Give(format!("data: {data}\n\n"));
        Self::body("text/event-stream", frames.iter().map(frame).collect())
    }

    /// A scripted turn, one read per token, with this time before each.
    pub fn slow(turn: &ScriptTurn, ms: f64) -> Self {
        let response = turn.response();
        let body = response
            .chunks
            .into_iter()
            .flat_map(|chunk| [Step::Wait(ms), Step::Give(chunk)]);
        Self::Http {
            status: response.status,
            content_type: response.content_type,
            retry_after_ms: response.retry_after_ms,
            body: body
                .filter(|step| !matches!(step, Step::Wait(0.0)))
                .collect(),
        }
    }

    /// A scripted turn in one read.
    pub fn burst(turn: &ScriptTurn) -> Self {
        let all = turn.response().chunks.concat();
        Self::body("text/event-stream", vec![Step::Give(all)])
    }
}

/// A turn from its JSON.
pub fn turn(value: Value) -> ScriptTurn {
    sluice_agent::text::json::from_text(&value.to_string()).expect("a turn")
}

/// A turn as a response, one read per token.
pub fn reply(value: Value) -> Response {
    Response::slow(&turn(value), 0.0)
}

/// A turn that says this.
pub fn says(text: &str) -> Response {
    reply(json!({ "text": text }))
}

/// A turn that calls tools: name and id, arguments empty.
pub fn calls(calls: &[(&str, &str)]) -> Response {
    let call = |(name, id): &(&str, &str)| json!({"name": name, "id": id, "arguments": {}});
    reply(json!({ "toolCalls": calls.iter().map(call).collect::<Vec<_>>() }))
}

pub fn user(text: &str) -> Message {
    Message::User(UserMessage {
        content: UserContent::Text(text.to_owned()),
        timestamp: 0.0,
    })
}

/// What a tool does when it runs.
#[derive(Debug, Clone)]
pub enum Does {
    /// Answers with this text after so many milliseconds.
    Answer(f64, &'static str),
    /// Fails so.
    Throw(&'static str),
    /// Never answers.
    Hang,
    /// Reports each of these, the given time apart, then answers "done".
    Progress(f64, &'static [&'static str]),
    /// Answers "done" at once and reports something later.
    Late(f64),
    /// Reports something, then answers, without a pause.
    ReportAndAnswer(&'static str),
    /// Answers "enough" and asks that the run end.
    Terminate,
    /// Answers with its own arguments.
    Echo,
}

/// A tool of the page.
#[derive(Clone)]
pub struct FakeTool {
    pub tool: Rc<Tool>,
    pub does: Does,
    /// Whether its calls need approval.
    pub asks: bool,
}

pub fn tool(name: &str, does: Does) -> FakeTool {
    FakeTool {
        tool: Rc::new(Tool {
            name: name.to_owned(),
            ..Tool::default()
        }),
        does,
        asks: false,
    }
}

pub fn tool_with_schema(name: &str, schema: &Value, does: Does) -> FakeTool {
    FakeTool {
        tool: Rc::new(Tool {
            name: name.to_owned(),
            schema: Some(Schema::compile(schema).expect("a schema")),
            ..Tool::default()
        }),
        does,
        asks: false,
    }
}

pub fn sequential_tool(name: &str, does: Does) -> FakeTool {
    FakeTool {
        tool: Rc::new(Tool {
            name: name.to_owned(),
            execution_mode: Some(ToolExecutionMode::Sequential),
            ..Tool::default()
        }),
        does,
        asks: false,
    }
}

pub fn tool_with_limit(name: &str, limit_ms: f64, does: Does) -> FakeTool {
    FakeTool {
        tool: Rc::new(Tool {
            name: name.to_owned(),
            timeout_ms: Some(limit_ms),
            ..Tool::default()
        }),
        does,
        asks: false,
    }
}

/// A tool whose calls need approval.
pub fn asking_tool(name: &str, does: Does) -> FakeTool {
    FakeTool {
        asks: true,
        ..tool(name, does)
    }
}

/// The app approves of the call that it was just asked about.
pub fn approve(host: &FakeHost) {
    let id = match host.events.borrow().last() {
        Some(AgentEvent::ToolApprovalRequest(request)) => request.tool_call_id.clone(),
        other => panic!("no request for approval: {other:?}"),
    };
    host.decide(&id, Approval::Approved);
}

/// A place in a run at which the app's code, or the network, has its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Point {
    PrepareCall,
    OnPayload,
    Send,
    OnResponse,
    Read,
    NextParts,
    PrepareArguments,
    BeforeTool,
    NeedsApproval,
    Tool,
    AfterTool,
    FinishTurn,
    /// The end of a back-off.
    Online,
    HasSteering,
    HasFollowUps,
    /// The answer whether steering waits is known, and on its way.
    SteeringKnown,
    /// Likewise for follow-ups.
    FollowUpsKnown,
    /// A listener of events with this label.
    Event(&'static str),
}

/// What happens there.
#[derive(Clone)]
pub enum Act {
    Abort,
    Steer(&'static str),
    FollowUp(&'static str),
    /// Empties both queues.
    ClearQueues,
    Delay(f64),
    Hang,
    Fail(&'static str),
    Do(Rc<dyn Fn(&FakeHost)>),
}
