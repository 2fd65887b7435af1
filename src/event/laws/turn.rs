//! How messages and tools make up a turn.

use serde_json::Value;

use super::growth::Growth;
use super::{Kind, Lawful, Verdict, ensure, same_json};
use crate::event::{
    AgentEvent, AssistantMessageEvent, MessageUpdateEvent, Page, ToolExecutionEndEvent,
    ToolExecutionStartEvent, ToolExecutionUpdateEvent, TurnEndEvent,
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
}

enum Open<'a, P: Page> {
    Assistant(Growth<'a>),
    Other(&'a P::Message),
}

struct Execution<'a> {
    call: &'a ToolCall,
    state: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    Running,
    Ended { is_error: bool },
}

impl<P: Page> Default for Turn<'_, P> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            open: None,
            assistant: None,
            calls: Vec::new(),
            started: 0,
            results: Vec::new(),
        }
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
            _ => Err("the event does not belong into a turn".to_owned()),
        }
    }

    /// The turn ends. Returns the stop reason of its assistant message.
    pub(super) fn end(&self, end: &TurnEndEvent<P>) -> Result<StopReason, String> {
        self.not_in_message()?;
        let Some(message) = self.assistant else {
            return Err("the turn has no assistant message".to_owned());
        };
        ensure(
            end.message == *message,
            || "turn_end does not carry the assistant message of the turn",
        )?;
        ensure(
            self.results.len() == self.calls.len(),
            || "a tool call has no result",
        )?;
        ensure(
            end.tool_results.iter().eq(self.results.iter().copied()),
            || "turn_end does not carry the results of the turn",
        )?;
        Ok(message.stop_reason)
    }

    fn not_in_message(&self) -> Verdict {
        ensure(self.open.is_none(), || "the event comes within a message")
    }

    fn message_start(&mut self, message: &'a P::Message) -> Verdict {
        self.not_in_message()?;
        self.open = Some(match message.kind() {
            Kind::Assistant(message) => {
                ensure(
                    self.assistant.is_none(),
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
                    self.assistant.is_none(),
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
                self.calls = message
                    .tool_calls()
                    .map(|call| Execution {
                        call,
                        state: Progress::Waiting,
                    })
                    .collect();
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

    fn tool_start(&mut self, event: &ToolExecutionStartEvent<P>) -> Verdict {
        self.not_in_message()?;
        let Some(execution) = self.calls.get_mut(self.started) else {
            return Err("a tool starts for which there is no call".to_owned());
        };
        ensure(
            execution.call.id == event.tool_call_id,
            || "the tools do not start in the order of the calls",
        )?;
        same_call(execution.call, &event.tool_name, &event.args)?;
        execution.state = Progress::Running;
        self.started += 1;
        Ok(())
    }

    fn tool_update(&mut self, event: &ToolExecutionUpdateEvent<P>) -> Verdict {
        self.not_in_message()?;
        let execution = self.running(&event.tool_call_id)?;
        same_call(execution.call, &event.tool_name, &event.args)
    }

    fn tool_end(&mut self, event: &ToolExecutionEndEvent<P>) -> Verdict {
        self.not_in_message()?;
        let whole = self.assistant.is_some_and(|message| {
            matches!(message.stop_reason, StopReason::Stop | StopReason::ToolUse)
        });
        let execution = self.running(&event.tool_call_id)?;
        ensure(
            execution.call.name == event.tool_name,
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
            .find(|execution| execution.call.id == id && execution.state == Progress::Running)
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
            execution.call.id == result.tool_call_id,
            || "the results do not come in the order of the calls",
        )?;
        ensure(
            execution.call.name == result.tool_name,
            || "the result has another name than the call",
        )?;
        let is_error = result.is_error;
        ensure(
            execution.state == Progress::Ended { is_error },
            || "the result and the end of the tool disagree about failure",
        )
    }
}

fn same_call(call: &ToolCall, name: &str, args: &Value) -> Verdict {
    ensure(
        call.name == name,
        || "the tool has another name than the call",
    )?;
    ensure(
        same_json(&Value::Object(call.arguments.clone()), args),
        || "the arguments are not those of the message",
    )
}
