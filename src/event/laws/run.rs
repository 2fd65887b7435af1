//! How turns make up a run.

use serde_json::Value;

use super::turn::Turn;
use super::{Lawful, Verdict, ensure};
use crate::event::{AgentEndEvent, AgentEndReason, AgentEvent, AssistantMessageEvent, Page};
use crate::message::{AssistantMessage, StopReason, ToolCall};

/// One run, as far as its events were read.
pub(super) struct Run<'a, P: Page> {
    state: State<'a, P>,
    /// The messages of all turns that are over.
    messages: Vec<&'a P::Message>,
    last_stop: Option<StopReason>,
}

enum State<'a, P: Page> {
    NotStarted,
    BetweenTurns,
    InTurn(Box<Turn<'a, P>>),
    Ended,
}

impl<P: Page> Default for Run<'_, P> {
    fn default() -> Self {
        Self {
            state: State::NotStarted,
            messages: Vec::new(),
            last_stop: None,
        }
    }
}

impl<'a, P> Run<'a, P>
where
    P: Page<
            Assistant = AssistantMessage,
            ToolCall = ToolCall,
            Update = AssistantMessageEvent<P>,
            Value = Value,
        >,
    P::Message: Lawful,
{
    /// The next event.
    pub(super) fn take(&mut self, event: &'a AgentEvent<P>) -> Verdict {
        match (&mut self.state, event) {
            (State::Ended, _) => Err("an event comes behind agent_end".to_owned()),
            (State::NotStarted, AgentEvent::AgentStart(_)) => {
                self.state = State::BetweenTurns;
                Ok(())
            }
            (State::NotStarted, _) => Err("the run does not begin with agent_start".to_owned()),
            (_, AgentEvent::AgentStart(_)) => Err("agent_start comes twice".to_owned()),
            (State::BetweenTurns, AgentEvent::TurnStart(_)) => {
                self.state = State::InTurn(Box::default());
                Ok(())
            }
            (State::BetweenTurns, AgentEvent::AgentEnd(end)) => self.end(end),
            (State::BetweenTurns, _) => Err("an event comes between two turns".to_owned()),
            (State::InTurn(_), AgentEvent::TurnStart(_)) => {
                Err("a turn starts in a turn".to_owned())
            }
            (State::InTurn(_), AgentEvent::AgentEnd(_)) => Err("the run ends in a turn".to_owned()),
            (State::InTurn(turn), AgentEvent::TurnEnd(end)) => {
                self.last_stop = Some(turn.end(end)?);
                self.messages.append(&mut turn.messages);
                self.state = State::BetweenTurns;
                Ok(())
            }
            (State::InTurn(turn), event) => turn.take(event),
        }
    }

    /// There are no more events.
    pub(super) fn finish(&self) -> Verdict {
        ensure(
            matches!(self.state, State::Ended),
            || "the run has no agent_end",
        )
    }

    fn end(&mut self, end: &AgentEndEvent<P>) -> Verdict {
        self.state = State::Ended;
        ensure(
            end.messages.iter().eq(self.messages.iter().copied()),
            || "agent_end does not carry the messages of the run",
        )?;
        let agrees = match (self.last_stop, end.reason) {
            (Some(StopReason::Error), reason) => reason == AgentEndReason::Error,
            (Some(StopReason::Aborted), reason) => reason == AgentEndReason::Aborted,
            (_, reason) => reason != AgentEndReason::Error,
        };
        ensure(
            agrees,
            || "the run ends for another reason than its last message",
        )
    }
}
