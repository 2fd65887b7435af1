//! The loop: one run from its first message to `agent_end`.
//!
//! ```text
//! agent_start
//! ┌► turn_start
//! │    messages that wait: the prompt, steering, follow-ups
//! │    one model call                       (model_call.rs)
//! │    its tool calls, all of them answered (tools.rs)
//! │  turn_end
//! └─ goes on while there are results to hand in or messages that wait
//! agent_end
//! ```
//!
//! A run never fails: failures are events and the last message. Whatever ends it, every message it
//! took is in the transcript, every tool call has its result, and every start has its end.

use crate::agent::abort::Abort;
use crate::agent::host::{Host, Presenter};
use crate::agent::model_call::{Reply, call_model};
use crate::agent::tools::answer_calls;
use crate::event::{
    AgentEndEvent, AgentEndReason, AgentEvent, AgentStartEvent, MessageEndEvent, MessageStartEvent,
    Page, TurnEndEvent, TurnStartEvent,
};
use crate::message::StopReason;

type MessageOf<H> = <<H as Presenter>::Page as Page>::Message;

/// Answers in a row that the output limit cut in the middle of tool calls before a run gives up:
/// a model that is told twice and fails a third time will not get shorter.
const MAX_CUT_ANSWERS: u32 = 3;

/// Runs the loop until there is nothing more to do. `prompts` are the messages that it begins
/// with; none to go on from the transcript as it is. Returns all messages that the run added.
pub async fn run<H: Host>(
    host: &H,
    abort: &Abort,
    prompts: Vec<MessageOf<H>>,
) -> Vec<MessageOf<H>> {
    let mut run = Run {
        host,
        abort,
        added: Vec::new(),
    };
    host.emit(AgentEvent::AgentStart(AgentStartEvent {})).await;
    let reason = run.turns(prompts).await;
    let messages = run.added;
    host.emit(AgentEvent::AgentEnd(AgentEndEvent {
        messages: messages.clone(),
        reason,
    }))
    .await;
    messages
}

struct Run<'a, H: Host> {
    host: &'a H,
    abort: &'a Abort,
    added: Vec<MessageOf<H>>,
}

/// What a turn came to.
struct Turn {
    stop_reason: StopReason,
    /// Whether the model waits for results.
    has_results: bool,
    /// Whether every tool asked that the run end.
    terminated: bool,
}

impl<H: Host> Run<'_, H> {
    async fn turns(&mut self, mut waiting: Vec<MessageOf<H>>) -> AgentEndReason {
        let mut turns = 0;
        let mut cut_answers = 0;
        loop {
            let turn = self.turn(std::mem::take(&mut waiting)).await;
            turns += 1;
            match turn.stop_reason {
                StopReason::Error => return AgentEndReason::Error,
                StopReason::Aborted => return AgentEndReason::Aborted,
                StopReason::Length if turn.has_results => cut_answers += 1,
                _ => cut_answers = 0,
            }
            if self.abort.is_fired() {
                return AgentEndReason::Aborted;
            }
            let model_waits = turn.has_results && !turn.terminated && cut_answers < MAX_CUT_ANSWERS;
            // Asked before anything is taken: a message that is taken is always delivered.
            let has_steering = self
                .abort
                .race(self.host.has_steering())
                .await
                .unwrap_or(false);
            let has_follow_ups = !model_waits
                && !has_steering
                && self
                    .abort
                    .race(self.host.has_follow_ups())
                    .await
                    .unwrap_or(false);
            if self.abort.is_fired() {
                return AgentEndReason::Aborted;
            }
            if !model_waits && !has_steering && !has_follow_ups {
                return if turn.terminated {
                    AgentEndReason::Terminated
                } else {
                    AgentEndReason::Done
                };
            }
            if turns >= self.host.rules().max_turns {
                return AgentEndReason::MaxTurns;
            }
            if has_steering {
                waiting = self.host.take_steering();
            } else if has_follow_ups {
                waiting = self.host.take_follow_ups();
            }
        }
    }

    async fn turn(&mut self, messages: Vec<MessageOf<H>>) -> Turn {
        self.host
            .emit(AgentEvent::TurnStart(TurnStartEvent {}))
            .await;
        for message in messages {
            self.add(message).await;
        }
        let call = self.host.prepare_call();
        let Reply {
            message,
            stop_reason,
            calls,
        } = call_model(self.host, self.abort, &self.host.model(), call).await;
        self.added.push(message.clone().into());
        let answers = answer_calls(self.host, self.abort, &message, stop_reason, &calls).await;
        for answer in &answers.results {
            self.add(answer.clone()).await;
        }
        let turn = Turn {
            stop_reason,
            has_results: !answers.results.is_empty(),
            terminated: answers.terminate,
        };
        self.host
            .emit(AgentEvent::TurnEnd(TurnEndEvent {
                message,
                tool_results: answers.results,
            }))
            .await;
        turn
    }

    async fn add(&mut self, message: MessageOf<H>) {
        self.added.push(message.clone());
        self.host
            .emit(AgentEvent::MessageStart(MessageStartEvent {
                message: message.clone(),
            }))
            .await;
        self.host
            .emit(AgentEvent::MessageEnd(MessageEndEvent { message }))
            .await;
    }
}
