//! The loop: one run from its first message to `agent_end`.
//!
//! ```text
//! agent_start
//! ┌► turn_start
//! │    messages that wait: the prompt, steering, follow-ups
//! │    one model call                       (model_call.rs)
//! │    its tool calls, all of them answered (tools.rs)
//! │  turn_end
//! ├─ a call that failed and may succeed later: auto_retry_start, a wait, the turn again
//! └─ goes on while there are results to hand in or messages that wait
//! agent_end
//! ```
//!
//! A run never fails: failures are events and the last message. Whatever ends it, every message it
//! took is in the transcript, every tool call has its result, and every start has its end.

use std::future::ready;

use crate::agent::abort::Abort;
use crate::agent::host::{FinishTurn, Host, Presenter};
use crate::agent::model_call::{Reply, call_model, hook_timeout};
use crate::agent::patience::{Boxed, Patience, Stopped};
use crate::agent::tools::{SKIPPED, answer_calls, why_not_run};
use crate::assemble::AssembledCall;
use crate::error::Failure;
use crate::event::{
    AgentEndEvent, AgentEndReason, AgentEvent, AgentStartEvent, AutoRetryEndEvent,
    AutoRetryStartEvent, MessageEndEvent, MessageStartEvent, Page, TurnEndEvent, TurnStartEvent,
};
use crate::message::StopReason;

type MessageOf<H> = <<H as Presenter>::Page as Page>::Message;
type AssistantOf<H> = <<H as Presenter>::Page as Page>::Assistant;

/// Answers in a row that the output limit cut in the middle of tool calls before a run gives up:
/// a model that is told twice and fails a third time will not get shorter.
const MAX_CUT_ANSWERS: u32 = 3;

/// The last answer of a transcript, with calls that nobody has answered yet.
#[derive(Debug)]
pub struct OpenCalls<A> {
    /// The answer.
    pub message: A,
    /// The calls.
    pub calls: Vec<AssembledCall>,
}

/// Runs the loop until there is nothing more to do. `prompts` are the messages that it begins
/// with; none to go on from the transcript as it is. Where the transcript ends with open calls, they
/// are answered first: they run, unless there are prompts, which count as steering. Returns all
/// messages that the run added.
pub async fn run<H: Host>(
    host: &H,
    abort: &Abort,
    prompts: Vec<MessageOf<H>>,
    open: Option<OpenCalls<AssistantOf<H>>>,
) -> Vec<MessageOf<H>> {
    let (task, prompts) = match open {
        Some(open) => (Task::Resume(open), prompts),
        None => (Task::Ask(prompts, None), Vec::new()),
    };
    let mut run = Run {
        host,
        abort,
        added: Vec::new(),
        prompts,
        attempt: 0,
        patience: Patience::new(abort, host),
    };
    host.emit(AgentEvent::AgentStart(AgentStartEvent {})).await;
    let reason = run.turns(task).await;
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
    /// What the run was started with and has not delivered yet.
    prompts: Vec<MessageOf<H>>,
    /// Which retry of the current model call is under way; 0 for none.
    attempt: u32,
    patience: Patience<'a, H>,
}

/// What a turn is about.
enum Task<H: Host> {
    /// These messages are added, then the model is called; or its message says what a hook failed
    /// of where no other could.
    Ask(Vec<MessageOf<H>>, Option<Failure>),
    /// Calls of an earlier run are answered. Prompts that wait skip them, as steering does.
    Resume(OpenCalls<AssistantOf<H>>),
}

/// What a turn came to.
struct Turn<H: Host> {
    message: AssistantOf<H>,
    stop_reason: StopReason,
    error: Option<Failure>,
    /// Where the messages of the turn begin that go when it is made again.
    first: usize,
    results: Vec<MessageOf<H>>,
    /// Whether every tool asked that the run end.
    terminated: bool,
}

impl<H: Host> Run<'_, H> {
    async fn turns(&mut self, mut task: Task<H>) -> AgentEndReason {
        let mut turns = 0;
        let mut cut_answers = 0;
        loop {
            let turn = self.turn(task).await;
            if let Some(error) = self.retryable(&turn) {
                if !self.back_off(error, turn.first).await {
                    return AgentEndReason::Aborted;
                }
                task = Task::Ask(self.take_messages(true), None);
                continue;
            }
            turns += 1;
            match turn.stop_reason {
                StopReason::Error => return AgentEndReason::Error,
                StopReason::Aborted if self.prompts.is_empty() => return AgentEndReason::Aborted,
                StopReason::Length if !turn.results.is_empty() => cut_answers += 1,
                _ => cut_answers = 0,
            }
            let finish = match self.finish(&turn).await {
                Ok(finish) => finish,
                Err(failure) => {
                    task = Task::Ask(Vec::new(), Some(failure));
                    continue;
                }
            };
            let goes_on = !turn.terminated && cut_answers < MAX_CUT_ANSWERS;
            let model_waits =
                !turn.results.is_empty() && (goes_on || finish == FinishTurn::Continue);
            // Asked before anything is taken: a message that is taken is always delivered.
            let more = finish != FinishTurn::End && self.has_messages(model_waits).await;
            // Prompts are in the transcript of every run that was started with them.
            if self.abort.is_fired() && self.prompts.is_empty() {
                return AgentEndReason::Aborted;
            }
            if finish == FinishTurn::End {
                return if model_waits || turn.terminated {
                    AgentEndReason::Terminated
                } else {
                    AgentEndReason::Done
                };
            }
            if (model_waits || more) && turns >= self.host.rules().max_turns {
                return AgentEndReason::MaxTurns;
            }
            let waiting = if more {
                self.take_messages(model_waits)
            } else {
                Vec::new()
            };
            // What was queued when the question was asked may have been cleared since.
            if !model_waits && waiting.is_empty() {
                return if turn.terminated {
                    AgentEndReason::Terminated
                } else {
                    AgentEndReason::Done
                };
            }
            if !waiting.is_empty() {
                cut_answers = 0;
            }
            task = Task::Ask(waiting, None);
        }
    }

    /// What the turn failed with, if its model call is made again.
    fn retryable<'t>(&self, turn: &'t Turn<H>) -> Option<&'t Failure> {
        let error = turn.error.as_ref()?;
        self.tries_again(error).then_some(error)
    }

    fn tries_again(&self, error: &Failure) -> bool {
        let rules = self.host.rules().retry;
        !self.abort.is_fired() && rules.is_some_and(|rules| rules.allows(error, self.attempt))
    }

    /// Takes a failed turn back and waits until its model call is worth another try. False when the
    /// run was aborted meanwhile.
    async fn back_off(&mut self, error: &Failure, first: usize) -> bool {
        let failed = self.added.split_off(first);
        self.host.forget(&failed);
        self.attempt += 1;
        let rules = self.host.rules().retry.unwrap_or_default();
        let delay_ms = rules.delay_ms(self.attempt, error, self.host.random());
        self.host
            .emit(AgentEvent::AutoRetryStart(AutoRetryStartEvent {
                attempt: self.attempt,
                max_attempts: rules.max_attempts,
                delay_ms,
                error_message: error.message.clone(),
            }))
            .await;
        let host = self.host;
        let wait = async move {
            host.sleep(delay_ms).await;
            host.online().await;
        };
        let waited = self.patience.wait(None, wait).await.is_ok();
        // Steering that came meanwhile goes with the next try; callbacks are asked for it here.
        self.has_messages(true).await;
        if waited && !self.abort.is_fired() {
            return true;
        }
        self.end_retry(Some("Aborted while waiting to try again."), false)
            .await;
        false
    }

    /// Says how the retry that is under way ended, and whether another follows.
    fn end_retry(&self, error: Option<&str>, again: bool) -> impl Future<Output = ()> {
        self.host.emit(AgentEvent::AutoRetryEnd(AutoRetryEndEvent {
            success: error.is_none(),
            attempt: self.attempt,
            final_error: error.filter(|_| !again).map(str::to_owned),
        }))
    }

    /// Asks the app what follows a turn that went well.
    async fn finish(&mut self, turn: &Turn<H>) -> Result<FinishTurn, Failure> {
        let limit_ms = self.host.rules().hook_timeout_ms;
        let asked = self.host.finish_turn(&turn.message, &turn.results);
        match self.patience.wait(limit_ms, asked).await {
            // What it threw may be the abort itself.
            Ok(Err(_)) if self.abort.is_fired() => Ok(FinishTurn::AsUsual),
            Ok(finish) => finish,
            Err(Stopped::Aborted) => Ok(FinishTurn::AsUsual),
            Err(Stopped::TimedOut) => Err(hook_timeout("finishTurn", limit_ms)),
        }
    }

    /// Whether messages wait that the next turn would begin with.
    async fn has_messages(&mut self, model_waits: bool) -> bool {
        if !self.prompts.is_empty() {
            return true;
        }
        let waits = self.host.has_messages(!model_waits);
        self.patience.wait(None, waits).await.unwrap_or(false)
    }

    /// Takes the messages that the next turn begins with. Steering goes first, also if it came
    /// while follow-ups were asked for; follow-ups wait until the agent would stop.
    fn take_messages(&mut self, model_waits: bool) -> Vec<MessageOf<H>> {
        if !self.prompts.is_empty() {
            return std::mem::take(&mut self.prompts);
        }
        let steering = self.host.take_steering();
        if steering.is_empty() && !model_waits {
            self.host.take_follow_ups()
        } else {
            steering
        }
    }

    async fn turn(&mut self, task: Task<H>) -> Turn<H> {
        self.host
            .emit(AgentEvent::TurnStart(TurnStartEvent {}))
            .await;
        let mut first = 0;
        let mut refusal = None;
        let Reply {
            message,
            stop_reason,
            error,
            calls,
        } = match task {
            Task::Ask(messages, failure) => {
                for message in messages {
                    self.add(message).await;
                }
                first = self.added.len();
                let reply = self.ask(failure).await;
                refusal = why_not_run(reply.stop_reason);
                reply
            }
            Task::Resume(OpenCalls { message, calls }) => {
                if !self.prompts.is_empty() {
                    refusal = Some(SKIPPED);
                }
                Reply {
                    message,
                    stop_reason: StopReason::ToolUse,
                    error: None,
                    calls,
                }
            }
        };
        let answers = answer_calls(self.host, self.abort, &message, &calls, refusal).await;
        for answer in &answers.results {
            self.add(answer.clone()).await;
        }
        self.host
            .emit(AgentEvent::TurnEnd(TurnEndEvent {
                message: message.clone(),
                tool_results: answers.results.clone(),
            }))
            .await;
        Turn {
            message,
            stop_reason,
            error,
            first,
            results: answers.results,
            terminated: answers.terminate,
        }
    }

    /// One model call; `failure` is what kept it from being made.
    async fn ask(&mut self, failure: Option<Failure>) -> Reply<AssistantOf<H>> {
        let prepared: Boxed<'_, _> = match failure {
            Some(failure) => Box::pin(ready(Err(failure))),
            None => Box::pin(self.host.prepare_call()),
        };
        let limit_ms = self.host.rules().hook_timeout_ms;
        let reply = call_model(
            self.host,
            self.abort,
            &|| self.host.model(),
            limit_ms,
            prepared,
        )
        .await;
        self.added.push(reply.message.clone().into());
        if self.attempt > 0 {
            let error = reply.error.as_ref();
            let again = error.is_some_and(|error| self.tries_again(error));
            self.end_retry(error.map(|error| error.message.as_str()), again)
                .await;
            if error.is_none() {
                self.attempt = 0;
            }
        }
        reply
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
