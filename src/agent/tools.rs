//! One batch of tool calls: every call of a message is answered, once, whatever happens.
//!
//! Calls side by side report as they finish; the messages that answer them follow in the order of
//! the calls. Only this module emits the events of a batch, one at a time, so that progress of
//! several tools stays one stream. What becomes of one call is `attempt`'s.

mod attempt;

use std::future::ready;

use crate::agent::abort::Abort;
use crate::agent::host::{Host, Presenter, Rules, ToolExecutionMode, ToolOutput};
use crate::agent::side_by_side::SideBySide;
use crate::assemble::AssembledCall;
use crate::event::{
    AgentEvent, Page, ToolApprovalRequestEvent, ToolExecutionEndEvent, ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
};
use crate::message::StopReason;
use attempt::{Attempt, failed};

type ValueOf<H> = <<H as Presenter>::Page as Page>::Value;
type MessageOf<H> = <<H as Presenter>::Page as Page>::Message;
type AssistantOf<H> = <<H as Presenter>::Page as Page>::Assistant;

/// What answers a batch.
#[derive(Debug)]
pub(super) struct Answers<M> {
    /// One message per call, in the order of the calls.
    pub(super) results: Vec<M>,
    /// Whether every tool asked that the run end.
    pub(super) terminate: bool,
}

/// What one call came to.
struct Answer<V> {
    output: ToolOutput<V>,
    duration_ms: Option<f64>,
}

/// What there is to say of a call behind its start.
enum News<V> {
    /// It waits for the app's yes or no, with these arguments.
    ApprovalRequest(V),
    /// The tool reports progress.
    Progress(V),
    /// It is answered.
    Answer(Answer<V>),
}

/// What the model is told of a call that steering came before.
pub(super) const SKIPPED: &str = "Skipped due to queued user message.";

/// Why the calls of a message that ended so do not run: they may be half of what the model meant.
pub(super) fn why_not_run(stop_reason: StopReason) -> Option<&'static str> {
    match stop_reason {
        StopReason::Stop | StopReason::ToolUse => None,
        StopReason::Length => Some(
            "The tool did not run: the output limit cut the message off. Answer with shorter arguments.",
        ),
        StopReason::Error => {
            Some("The tool did not run: the response failed before it was complete.")
        }
        StopReason::Aborted => Some("The tool did not run: the response was aborted."),
    }
}

/// Answers the calls of an assistant message: runs them, unless there is a reason not to.
pub(super) async fn answer_calls<H: Host>(
    host: &H,
    abort: &Abort,
    message: &AssistantOf<H>,
    calls: &[AssembledCall],
    why_not_run: Option<&'static str>,
) -> Answers<MessageOf<H>> {
    let rules = host.rules();
    let batch = Batch { host, message };
    let group = match why_not_run {
        None if batch.runs_side_by_side(&rules, calls) => calls.len().max(1),
        _ => 1,
    };
    let mut answers = Vec::new();
    for calls in calls.chunks(group) {
        for call in calls {
            host.emit(batch.start(call)).await;
        }
        let mut attempts = SideBySide::new();
        for call in calls {
            attempts.add(|reporter| match why_not_run {
                Some(reason) => Box::pin(ready(News::Answer(failed(host, reason)))),
                None => Box::pin(Attempt::new(host, abort, &rules, call, reporter).answer()),
            });
        }
        let mut group: Vec<Option<Answer<_>>> = calls.iter().map(|_| None).collect();
        while let Some((index, news)) = attempts.next().await {
            let (Some(call), Some(slot @ None)) = (calls.get(index), group.get_mut(index)) else {
                // What a tool reports behind its answer.
                continue;
            };
            if abort.is_fired() && !matches!(news, News::Answer(_)) {
                continue;
            }
            let event = batch.event(call, &news);
            if let News::Answer(answer) = news {
                host.approvals().withdraw(&call.id);
                *slot = Some(answer);
            }
            host.emit(event).await;
        }
        answers.extend(group.into_iter().flatten());
    }
    let terminate = !answers.is_empty() && answers.iter().all(|answer| answer.output.terminate);
    let results = calls.iter().zip(&answers);
    let results = results
        .map(|(call, answer)| host.tool_result_message(call, &answer.output, answer.duration_ms))
        .collect();
    Answers { results, terminate }
}

struct Batch<'a, H: Host> {
    host: &'a H,
    message: &'a AssistantOf<H>,
}

impl<H: Host> Batch<'_, H> {
    fn runs_side_by_side(&self, rules: &Rules, calls: &[AssembledCall]) -> bool {
        let may = |call: &AssembledCall| {
            let mode = self
                .host
                .tool(&call.name)
                .and_then(|tool| tool.execution_mode);
            mode != Some(ToolExecutionMode::Sequential)
        };
        rules.tool_execution == ToolExecutionMode::Parallel && calls.iter().all(may)
    }

    fn start(&self, call: &AssembledCall) -> AgentEvent<H::Page> {
        AgentEvent::ToolExecutionStart(ToolExecutionStartEvent {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: self.host.shown_arguments(self.message, call),
        })
    }

    fn event(&self, call: &AssembledCall, news: &News<ValueOf<H>>) -> AgentEvent<H::Page> {
        let (tool_call_id, tool_name) = (call.id.clone(), call.name.clone());
        match news {
            News::ApprovalRequest(args) => {
                AgentEvent::ToolApprovalRequest(ToolApprovalRequestEvent {
                    tool_call_id,
                    tool_name,
                    args: args.clone(),
                })
            }
            News::Progress(partial_result) => {
                AgentEvent::ToolExecutionUpdate(ToolExecutionUpdateEvent {
                    tool_call_id,
                    tool_name,
                    args: self.host.shown_arguments(self.message, call),
                    partial_result: partial_result.clone(),
                })
            }
            News::Answer(answer) => AgentEvent::ToolExecutionEnd(ToolExecutionEndEvent {
                tool_call_id,
                tool_name,
                result: answer.output.result.clone(),
                is_error: answer.output.is_error,
                duration_ms: answer.duration_ms,
            }),
        }
    }
}
