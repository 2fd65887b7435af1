//! How messages and tools make up a turn.

use serde_json::{Map, Value};

use super::growth::Growth;
use super::{Kind, Lawful, Verdict, ensure, same_json};
use crate::event::{
    AgentEvent, AssistantMessageEvent, MessageUpdateEvent, Page, ToolApprovalRequestEvent,
    ToolExecutionEndEvent, ToolExecutionStartEvent, ToolExecutionUpdateEvent, TurnEndEvent,
};
use crate::message::{AssistantMessage, StopReason, ToolCall, ToolResultMessage};

/// One turn, as far as its events were read.
pub(super) struct Turn<'a, P: Page> {
    /// The messages that are complete.
    pub(super) messages: Vec<&'a P::Message>,
    /// The message that has started and not ended.
    open: Option<Open<'a, P>>,
    assistant: Option<&'a AssistantMessage>,
    calls: Vec<Execution<'a>>,
    /// How many of them have started.
    started: usize,
    results: Vec<&'a P::Message>,
    /// How many messages came before the assistant message.
    pub(super) before_answer: usize,
    /// Whether the turn may answer calls of an earlier run in place of calling the model: what they
    /// are shows at its end.
    may_resume: bool,
}

enum Open<'a, P: Page> {
    Assistant(Growth<'a>),
    Other(&'a P::Message),
}

struct Execution<'a> {
    id: &'a str,
    name: &'a str,
    args: Args<'a>,
    /// Whether the app was asked for its yes or no.
    is_asked: bool,
    state: Progress,
}

/// Where the arguments of a call are known from.
#[derive(Clone, Copy)]
enum Args<'a> {
    Message(&'a Map<String, Value>),
    Event(&'a Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    Running,
    Ended { is_error: bool },
}

impl<P: Page> Turn<'_, P> {
    /// A turn begins, the first one of the run or a later one.
    pub(super) fn new(is_first: bool) -> Self {
        Self {
            messages: Vec::new(),
            open: None,
            assistant: None,
            calls: Vec::new(),
            started: 0,
            results: Vec::new(),
            before_answer: 0,
            may_resume: is_first,
        }
    }

    /// The stop reason of the assistant message, once it is complete and before its calls are
    /// answered.
    pub(super) fn answered_with(&self) -> Option<StopReason> {
        let is_next = self.open.is_none() && self.started == 0;
        self.assistant
            .filter(|_| is_next)
            .map(|message| message.stop_reason)
    }
}

impl<'a, P> Turn<'a, P>
where
    P: Page<
            Assistant = AssistantMessage,
            ToolCall = ToolCall,
            Update = AssistantMessageEvent<P>,
            Value = Value,
        >,
    P::Message: Lawful,
{
    /// The next event within the turn.
    pub(super) fn take(&mut self, event: &'a AgentEvent<P>) -> Verdict {
        match event {
            AgentEvent::MessageStart(start) => self.message_start(&start.message),
            AgentEvent::MessageUpdate(update) => self.message_update(update),
            AgentEvent::MessageEnd(end) => self.message_end(&end.message),
            AgentEvent::ToolExecutionStart(start) => self.tool_start(start),
            AgentEvent::ToolExecutionUpdate(update) => self.tool_update(update),
            AgentEvent::ToolExecutionEnd(end) => self.tool_end(end),
            AgentEvent::ToolApprovalRequest(request) => self.approval_request(request),
            _ => Err("the event does not belong into a turn".to_owned()),
        }
    }

    /// The turn ends. Returns the stop reason of its assistant message.
    pub(super) fn end(&self, end: &TurnEndEvent<P>) -> Result<StopReason, String> {
        self.not_in_message()?;
        match self.assistant {
            Some(message) => ensure(
                end.message == *message,
                || "turn_end does not carry the assistant message of the turn",
            )?,
            None => {
                ensure(
                    !self.calls.is_empty(),
                    || "the turn has no assistant message",
                )?;
                self.resumes(&end.message)?;
            }
        }
        ensure(
            self.results.len() == self.calls.len(),
            || "a tool call has no result",
        )?;
        ensure(
            end.tool_results.iter().eq(self.results.iter().copied()),
            || "turn_end does not carry the results of the turn",
        )?;
        Ok(end.message.stop_reason)
    }

    /// The calls that this turn answered are of this message, in its order.
    fn resumes(&self, message: &AssistantMessage) -> Verdict {
        let mut calls = message.tool_calls();
        for execution in &self.calls {
            let Some(call) = calls.find(|call| call.id == execution.id) else {
                return Err("a tool ran for which there is no call".to_owned());
            };
            if let Args::Event(args) = execution.args {
                same_call(&execution_of(call), execution.name, args)?;
            }
        }
        Ok(())
    }

    fn not_in_message(&self) -> Verdict {
        ensure(self.open.is_none(), || "the event comes within a message")
    }

    fn message_start(&mut self, message: &'a P::Message) -> Verdict {
        self.not_in_message()?;
        self.open = Some(match message.kind() {
            Kind::Assistant(message) => {
                ensure(
                    self.assistant.is_none() && self.calls.is_empty(),
                    || "the turn has a second assistant message",
                )?;
                Open::Assistant(Growth::new(message)?)
            }
            Kind::ToolResult(result) => {
                self.result_start(result)?;
                Open::Other(message)
            }
            Kind::Other => {
                ensure(
                    self.assistant.is_none() && self.calls.is_empty(),
                    || "a message that waited comes behind the assistant message",
                )?;
                Open::Other(message)
            }
        });
        Ok(())
    }

    fn message_update(&mut self, update: &'a MessageUpdateEvent<P>) -> Verdict {
        let Some(Open::Assistant(growth)) = &mut self.open else {
            return Err("message_update comes outside an assistant message".to_owned());
        };
        growth.take(&update.assistant_message_event)?;
        ensure(
            update.assistant_message_event.partial() == Some(&update.message),
            || "message and partial differ",
        )
    }

    fn message_end(&mut self, message: &'a P::Message) -> Verdict {
        match (self.open.take(), message.kind()) {
            (None, _) => return Err("message_end has no message_start".to_owned()),
            (Some(Open::Assistant(growth)), Kind::Assistant(message)) => {
                growth.end(message)?;
                self.assistant = Some(message);
                self.before_answer = self.messages.len();
                self.calls = message.tool_calls().map(execution_of).collect();
            }
            (Some(Open::Other(started)), _) => {
                ensure(started == message, || "a message changes before its end")?;
                if matches!(message.kind(), Kind::ToolResult(_)) {
                    self.results.push(message);
                }
            }
            (Some(Open::Assistant(_)), _) => {
                return Err("another message ends than has started".to_owned());
            }
        }
        self.messages.push(message);
        Ok(())
    }

    fn tool_start(&mut self, event: &'a ToolExecutionStartEvent<P>) -> Verdict {
        self.not_in_message()?;
        if self.may_resume && self.assistant.is_none() && self.messages.is_empty() {
            self.calls.push(Execution {
                id: &event.tool_call_id,
                name: &event.tool_name,
                args: Args::Event(&event.args),
                is_asked: false,
                state: Progress::Waiting,
            });
        }
        let Some(execution) = self.calls.get_mut(self.started) else {
            return Err("a tool starts for which there is no call".to_owned());
        };
        ensure(
            execution.id == event.tool_call_id,
            || "the tools do not start in the order of the calls",
        )?;
        same_call(execution, &event.tool_name, &event.args)?;
        execution.state = Progress::Running;
        self.started += 1;
        Ok(())
    }

    fn tool_update(&mut self, event: &ToolExecutionUpdateEvent<P>) -> Verdict {
        self.not_in_message()?;
        let execution = self.running(&event.tool_call_id)?;
        same_call(execution, &event.tool_name, &event.args)
    }

    fn approval_request(&mut self, event: &ToolApprovalRequestEvent<P>) -> Verdict {
        self.not_in_message()?;
        let execution = self.running(&event.tool_call_id)?;
        ensure(
            execution.name == event.tool_name,
            || "the tool has another name than the call",
        )?;
        ensure(
            !std::mem::replace(&mut execution.is_asked, true),
            || "approval of a call is asked for twice",
        )
    }

    fn tool_end(&mut self, event: &ToolExecutionEndEvent<P>) -> Verdict {
        self.not_in_message()?;
        let whole = self.assistant.is_none_or(|message| {
            matches!(message.stop_reason, StopReason::Stop | StopReason::ToolUse)
        });
        let execution = self.running(&event.tool_call_id)?;
        ensure(
            execution.name == event.tool_name,
            || "the tool has another name than the call",
        )?;
        ensure(
            whole || (event.is_error && event.duration_ms.is_none()),
            || "a tool of a message that is not whole has run",
        )?;
        execution.state = Progress::Ended {
            is_error: event.is_error,
        };
        Ok(())
    }

    fn running(&mut self, id: &str) -> Result<&mut Execution<'a>, String> {
        self.calls
            .iter_mut()
            .find(|execution| execution.id == id && execution.state == Progress::Running)
            .ok_or_else(|| "no tool of this id is running".to_owned())
    }

    fn result_start(&self, result: &ToolResultMessage) -> Verdict {
        let ended = |execution: &Execution<'_>| matches!(execution.state, Progress::Ended { .. });
        ensure(
            self.calls.iter().all(ended),
            || "a result comes before all tools have ended",
        )?;
        let Some(execution) = self.calls.get(self.results.len()) else {
            return Err("a result has no tool call".to_owned());
        };
        ensure(
            execution.id == result.tool_call_id,
            || "the results do not come in the order of the calls",
        )?;
        ensure(
            execution.name == result.tool_name,
            || "the result has another name than the call",
        )?;
        let is_error = result.is_error;
        ensure(
            execution.state == Progress::Ended { is_error },
            || "the result and the end of the tool disagree about failure",
        )
    }
}

fn execution_of(call: &ToolCall) -> Execution<'_> {
    Execution {
        id: &call.id,
        name: &call.name,
        args: Args::Message(&call.arguments),
        is_asked: false,
        state: Progress::Waiting,
    }
}

fn same_call(execution: &Execution<'_>, name: &str, args: &Value) -> Verdict {
    ensure(
        execution.name == name,
        || "the tool has another name than the call",
    )?;
    let is_same = match execution.args {
        Args::Message(known) => same_json(&Value::Object(known.clone()), args),
        Args::Event(known) => same_json(known, args),
    };
    ensure(is_same, || "the arguments are not those of the message")
}
