//! The laws of the event stream, and the checker that enforces them.
//!
//! [`check`] reads one whole run, [`check_call`] the stream of one model call. Every test that runs
//! a loop ends with them, whoever made the events: the native loop, or a browser by way of JSON.
//!
//! A run: `agent_start` first, `agent_end` last and once. Turns follow each other between them, one
//! assistant message each. Within a turn come the messages that the turn begins with, the assistant
//! message, the execution of its tool calls, the messages that answer them. Nothing nests in a
//! message. What the events say about one thing agrees wherever they say it. The first turn of a run
//! may answer calls of an earlier run in place of calling the model.
//!
//! A failed turn that is made again is followed by `auto_retry_start` and counts no more: its answer
//! is not among the messages of the run. `auto_retry_end` comes behind the next answer, or at once if
//! the run is aborted while it waits.
//!
//! A message grows block by block: a block starts once, at the end of the content, its deltas append,
//! it ends once, and all other blocks stay what they were. A signature is the exception: it has no
//! event of its own and shows with the next one.
//!
//! Identity of objects cannot be seen from here; equality stands for it.
//!
//! ```
//! use sluice_agent::event::{AgentEndEvent, AgentEndReason, AgentEvent, AgentStartEvent, laws};
//!
//! let start: AgentEvent = AgentEvent::AgentStart(AgentStartEvent {});
//! let end = AgentEvent::AgentEnd(AgentEndEvent { messages: vec![], reason: AgentEndReason::Done });
//! assert_eq!(laws::check(&[start.clone(), end.clone()]), Ok(()));
//! assert_eq!(
//!     laws::check(&[start, end.clone(), end]).unwrap_err().to_string(),
//!     "event 2: an event comes behind agent_end",
//! );
//! ```

mod growth;
mod json;
mod run;
mod turn;

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::event::{AgentEvent, AssistantMessageEvent, Page};
use crate::message::{AssistantMessage, Message, StopReason, ToolCall, ToolResultMessage};

use growth::Growth;
pub use json::{grows, same_json};
use run::Run;

/// An event that breaks a law.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {index}: {law}")]
pub struct Violation {
    /// Where the event stands; the number of events if one is missing at the end.
    pub index: usize,
    /// What is wrong with it.
    pub law: String,
}

/// What the laws distinguish in the messages of a page.
#[derive(Debug, Clone, Copy)]
pub enum Kind<'a> {
    /// From a model.
    Assistant(&'a AssistantMessage),
    /// From a tool.
    ToolResult(&'a ToolResultMessage),
    /// From a user, or of a role of the page's own.
    Other,
}

/// A message that the laws can be checked on.
pub trait Lawful {
    /// What kind of message it is.
    fn kind(&self) -> Kind<'_>;
}

impl Lawful for Message {
    fn kind(&self) -> Kind<'_> {
        match self {
            Self::User(_) => Kind::Other,
            Self::Assistant(message) => Kind::Assistant(message),
            Self::ToolResult(message) => Kind::ToolResult(message),
        }
    }
}

/// Checks all events of one run.
///
/// # Errors
/// The first event that breaks a law.
pub fn check<P>(events: &[AgentEvent<P>]) -> Result<(), Violation>
where
    P: Page<
            Assistant = AssistantMessage,
            ToolCall = ToolCall,
            Update = AssistantMessageEvent<P>,
            Value = Value,
        >,
    P::Message: Lawful,
{
    let mut run = Run::default();
    for (index, event) in events.iter().enumerate() {
        run.take(event).map_err(|law| Violation { index, law })?;
    }
    run.finish().map_err(|law| Violation {
        index: events.len(),
        law,
    })
}

/// Checks all events of one model call.
///
/// # Errors
/// The first event that breaks a law.
pub fn check_call<P>(events: &[AssistantMessageEvent<P>]) -> Result<(), Violation>
where
    P: Page<Assistant = AssistantMessage, ToolCall = ToolCall>,
{
    let mut growth = None;
    let mut ended = false;
    for (index, event) in events.iter().enumerate() {
        take_in_call(&mut growth, &mut ended, event).map_err(|law| Violation { index, law })?;
    }
    ensure(ended, || "the stream has no done and no error").map_err(|law| Violation {
        index: events.len(),
        law,
    })
}

fn take_in_call<'a, P>(
    growth: &mut Option<Growth<'a>>,
    ended: &mut bool,
    event: &'a AssistantMessageEvent<P>,
) -> Verdict
where
    P: Page<Assistant = AssistantMessage, ToolCall = ToolCall>,
{
    ensure(!*ended, || "an event comes behind done or error")?;
    if let AssistantMessageEvent::Start(start) = event {
        ensure(growth.is_none(), || "start comes twice")?;
        *growth = Some(Growth::new(&start.partial)?);
        return Ok(());
    }
    let Some(growth) = growth else {
        return Err("the stream does not begin with start".to_owned());
    };
    let (message, reason) = match event {
        AssistantMessageEvent::Done(done) => (&done.message, done.reason),
        AssistantMessageEvent::Error(error) => (&error.error, error.reason),
        _ => return growth.take(event),
    };
    *ended = true;
    ensure(
        reason == message.stop_reason,
        || "the reason is not the stop reason of the message",
    )?;
    let failed = matches!(reason, StopReason::Error | StopReason::Aborted);
    ensure(
        failed == matches!(event, AssistantMessageEvent::Error(_)),
        || "done ends what succeeded, error what did not",
    )?;
    growth.end(message)
}

/// Nothing, or the law that is broken.
type Verdict = Result<(), String>;

fn ensure<S: Into<String>>(holds: bool, law: impl FnOnce() -> S) -> Verdict {
    if holds { Ok(()) } else { Err(law().into()) }
}
