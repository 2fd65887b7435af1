//! How turns make up a run.

use serde_json::Value;

use super::turn::Turn;
use super::{Lawful, Verdict, ensure};
use crate::event::{
    AgentEndEvent, AgentEndReason, AgentEvent, AssistantMessageEvent, AutoRetryEndEvent,
    AutoRetryStartEvent, Page,
};
use crate::message::{AssistantMessage, StopReason, ToolCall};

/// One run, as far as its events were read.
pub(super) struct Run<'a, P: Page> {
    state: State<'a, P>,
    /// The messages of all turns that are over.
    messages: Vec<&'a P::Message>,
    /// How many of them there were before the answer of the last turn.
    before_answer: usize,
    last_stop: Option<StopReason>,
    /// The retry that has started and not ended.
    retry: Option<u32>,
    /// The number that the next retry has.
    next_attempt: u32,
    /// Whether the run ended while it waited for a retry.
    gave_up: bool,
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
            before_answer: 0,
            last_stop: None,
            retry: None,
            next_attempt: 1,
            gave_up: false,
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
                ensure(
                    self.last_stop != Some(StopReason::Error) || self.retry.is_some(),
                    || "a turn follows a failed one without a retry",
                )?;
                ensure(!self.gave_up, || "a turn follows a retry that was given up")?;
                let is_first = self.last_stop.is_none();
                self.state = State::InTurn(Box::new(Turn::new(is_first)));
                Ok(())
            }
            (State::BetweenTurns, AgentEvent::AutoRetryStart(start)) => self.retry_start(start),
            (State::BetweenTurns | State::InTurn(_), AgentEvent::AutoRetryEnd(end)) => {
                self.retry_end(end)
            }
            (State::BetweenTurns, AgentEvent::AgentEnd(end)) => self.end(end),
            (State::BetweenTurns, _) => Err("an event comes between two turns".to_owned()),
            (State::InTurn(_), AgentEvent::TurnStart(_)) => {
                Err("a turn starts in a turn".to_owned())
            }
            (State::InTurn(_), AgentEvent::AgentEnd(_)) => Err("the run ends in a turn".to_owned()),
            (State::InTurn(turn), AgentEvent::TurnEnd(end)) => {
                self.last_stop = Some(turn.end(end)?);
                self.before_answer = self.messages.len() + turn.before_answer;
                self.messages.append(&mut turn.messages);
                self.state = State::BetweenTurns;
                Ok(())
            }
            (State::InTurn(turn), event) => turn.take(event),
        }
    }

    /// A failed turn is taken back: its answer and what answered the calls in it.
    fn retry_start(&mut self, start: &AutoRetryStartEvent) -> Verdict {
        ensure(
            self.last_stop == Some(StopReason::Error),
            || "a turn is retried that has not failed",
        )?;
        ensure(self.retry.is_none(), || "a retry starts in a retry")?;
        ensure(
            start.attempt == self.next_attempt,
            || "the retries are not counted from 1",
        )?;
        ensure(
            start.attempt <= start.max_attempts,
            || "there are more retries than allowed",
        )?;
        self.messages.truncate(self.before_answer);
        self.retry = Some(start.attempt);
        Ok(())
    }

    fn retry_end(&mut self, end: &AutoRetryEndEvent) -> Verdict {
        ensure(
            self.retry.take() == Some(end.attempt),
            || "a retry ends that has not started",
        )?;
        let answered = match &self.state {
            State::InTurn(turn) => {
                let Some(stop_reason) = turn.answered_with() else {
                    return Err("a retry ends before its answer".to_owned());
                };
                !matches!(stop_reason, StopReason::Error | StopReason::Aborted)
            }
            _ => {
                self.gave_up = true;
                self.last_stop = Some(StopReason::Aborted);
                false
            }
        };
        ensure(
            end.success == answered,
            || "a retry succeeds if its answer does",
        )?;
        ensure(
            end.success || !self.gave_up || end.final_error.is_some(),
            || "a retry that is given up says why",
        )?;
        ensure(
            !(end.success && end.final_error.is_some()),
            || "a retry that succeeds has an error",
        )?;
        self.next_attempt = if end.success { 1 } else { end.attempt + 1 };
        Ok(())
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
        ensure(self.retry.is_none(), || "a retry has no end")?;
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
