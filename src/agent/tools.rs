//! One batch of tool calls: every call of a message is answered, once, whatever happens.
//!
//! A call goes through the same stations wherever it fails: arguments parsed, tool found, arguments
//! checked and coerced, `beforeToolCall`, the tool, `afterToolCall`. Calls side by side report as
//! they finish; the messages that answer them follow in the order of the calls. Only this module
//! emits the events of a batch, one at a time, so that progress of several tools stays one stream.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use futures::channel::mpsc;
use futures::future::{Either, select};
use futures::stream::{FuturesUnordered, StreamExt};

use crate::agent::abort::Abort;
use crate::agent::host::{
    BeforeToolCall, Host, InterruptMode, Presenter, Progress, Rules, Tool, ToolExecutionMode,
    ToolOutput,
};
use crate::agent::race::Stopped;
use crate::assemble::AssembledCall;
use crate::event::{
    AgentEvent, Page, ToolExecutionEndEvent, ToolExecutionStartEvent, ToolExecutionUpdateEvent,
};
use crate::message::StopReason;
use crate::text::number;

type ValueOf<H> = <<H as Presenter>::Page as Page>::Value;
type MessageOf<H> = <<H as Presenter>::Page as Page>::Message;
type AssistantOf<H> = <<H as Presenter>::Page as Page>::Assistant;

/// What answers a batch.
#[derive(Debug)]
pub struct Answers<M> {
    /// One message per call, in the order of the calls.
    pub results: Vec<M>,
    /// Whether every tool asked that the run end.
    pub terminate: bool,
}

/// What one call came to.
struct Answer<V> {
    output: ToolOutput<V>,
    duration_ms: Option<f64>,
}

/// Answers the calls of an assistant message: runs them if the message is whole, else says why not.
pub async fn answer_calls<H: Host>(
    host: &H,
    abort: &Abort,
    message: &AssistantOf<H>,
    stop_reason: StopReason,
    calls: &[AssembledCall],
) -> Answers<MessageOf<H>> {
    let batch = Batch {
        host,
        abort,
        message,
        calls,
        rules: host.rules(),
    };
    let answers = match why_not_run(stop_reason) {
        Some(reason) => batch.refuse(reason).await,
        None => batch.run().await,
    };
    let terminate = !answers.is_empty() && answers.iter().all(|answer| answer.output.terminate);
    let results = calls
        .iter()
        .zip(&answers)
        .map(|(call, answer)| host.tool_result_message(call, &answer.output, answer.duration_ms))
        .collect();
    Answers { results, terminate }
}

/// Calls of a message that did not end well may be half of what the model meant.
fn why_not_run(stop_reason: StopReason) -> Option<&'static str> {
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

struct Batch<'a, H: Host> {
    host: &'a H,
    abort: &'a Abort,
    message: &'a AssistantOf<H>,
    calls: &'a [AssembledCall],
    rules: Rules,
}

type Attempt<'a, V> = Pin<Box<dyn Future<Output = (usize, Answer<V>)> + 'a>>;

impl<H: Host> Batch<'_, H> {
    async fn refuse(&self, reason: &str) -> Vec<Answer<ValueOf<H>>> {
        let mut answers = Vec::new();
        for call in self.calls {
            self.emit_start(call).await;
            let answer = self.error(reason);
            self.emit_end(call, &answer).await;
            answers.push(answer);
        }
        answers
    }

    async fn run(&self) -> Vec<Answer<ValueOf<H>>> {
        let sequential = self.rules.tool_execution == ToolExecutionMode::Sequential
            || self.calls.iter().any(|call| {
                self.host
                    .tool(&call.name)
                    .is_some_and(|tool| tool.execution_mode == Some(ToolExecutionMode::Sequential))
            });
        let group = if sequential {
            1
        } else {
            self.calls.len().max(1)
        };
        let mut answers = Vec::new();
        for calls in self.calls.chunks(group) {
            answers.append(&mut self.run_together(calls).await);
        }
        answers
    }

    /// Runs some calls side by side. Answers are in the order of the calls.
    async fn run_together(&self, calls: &[AssembledCall]) -> Vec<Answer<ValueOf<H>>> {
        for call in calls {
            self.emit_start(call).await;
        }
        let (sender, mut updates) = mpsc::unbounded::<(usize, ValueOf<H>)>();
        let mut attempts: FuturesUnordered<Attempt<'_, ValueOf<H>>> = FuturesUnordered::new();
        for (index, call) in calls.iter().enumerate() {
            let sender = sender.clone();
            let progress: Progress<ValueOf<H>> = Rc::new(move |value| {
                // The receiver is gone only when the batch is over, and then nobody listens.
                let _ = sender.unbounded_send((index, value));
            });
            attempts.push(Box::pin(async move {
                (index, self.attempt(call, progress).await)
            }));
        }
        let mut answers: Vec<Option<Answer<ValueOf<H>>>> = calls.iter().map(|_| None).collect();
        while !attempts.is_empty() {
            let finished = match select(updates.next(), attempts.next()).await {
                Either::Left((update, _)) => {
                    self.emit_update(calls, &answers, update).await;
                    continue;
                }
                Either::Right((finished, _)) => finished,
            };
            // What a tool reported before it finished comes before its end.
            while let Ok(update) = updates.try_recv() {
                self.emit_update(calls, &answers, Some(update)).await;
            }
            if let Some((index, answer)) = finished {
                if let Some(call) = calls.get(index) {
                    self.emit_end(call, &answer).await;
                }
                if let Some(slot) = answers.get_mut(index) {
                    *slot = Some(answer);
                }
            }
        }
        answers.into_iter().flatten().collect()
    }

    /// One call from start to answer.
    async fn attempt(
        &self,
        call: &AssembledCall,
        progress: Progress<ValueOf<H>>,
    ) -> Answer<ValueOf<H>> {
        let (tool, arguments) = match self.abort.race(self.prepare(call)).await {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(text)) => return self.error(&text),
            Err(_) => return self.error("Aborted before the tool ran."),
        };
        let began = self.host.now();
        let executed = self.execute(call, &tool, arguments.clone(), progress).await;
        let duration_ms = Some((self.host.now() - began).max(0.0));
        let output = match executed {
            Ok(output) => self.review(call, arguments, output).await,
            Err(text) => self.error_output(text),
        };
        Answer {
            output,
            duration_ms,
        }
    }

    /// All that comes before the tool: whether to run it, and with which arguments.
    async fn prepare(&self, call: &AssembledCall) -> Result<(Rc<Tool>, ValueOf<H>), String> {
        self.unless_interrupted().await?;
        let tool = self
            .host
            .tool(&call.name)
            .ok_or_else(|| self.unknown_tool(&call.name))?;
        let arguments = self.arguments(call, &tool).await?;
        let arguments = match self.host.before_tool_call(call, arguments).await? {
            BeforeToolCall::Run(arguments) => arguments,
            BeforeToolCall::Block(reason) => return Err(reason),
        };
        // The hook may have taken its time, or steered.
        self.unless_interrupted().await?;
        Ok((tool, arguments))
    }

    /// The tool itself, within its limit. The error is that the run was aborted meanwhile.
    async fn execute(
        &self,
        call: &AssembledCall,
        tool: &Tool,
        arguments: ValueOf<H>,
        progress: Progress<ValueOf<H>>,
    ) -> Result<ToolOutput<ValueOf<H>>, &'static str> {
        let limit_ms = tool.timeout_ms.or(self.rules.tool_timeout_ms);
        let running = self.host.run_tool(call, arguments, progress);
        let race = self.abort.race(running).within(self.host, limit_ms);
        Ok(match race.await {
            Ok(Ok(output)) => output,
            Ok(Err(text)) => self.error_output(&text),
            Err(Stopped::Aborted) => {
                let text = "Aborted. The tool was told to stop and may still be running.";
                self.host.stop_tool(call, text);
                return Err(text);
            }
            Err(Stopped::TimedOut) => {
                let seconds = number::format(limit_ms.unwrap_or_default() / 1000.0);
                let text = [
                    "The tool did not finish within ",
                    &seconds,
                    " s and was told to stop.",
                ]
                .concat();
                self.host.stop_tool(call, &text);
                self.error_output(&text)
            }
        })
    }

    /// Lets `afterToolCall` see what the tool gave. No result gets past the hook, since it may be
    /// there to keep something from the model.
    async fn review(
        &self,
        call: &AssembledCall,
        arguments: ValueOf<H>,
        output: ToolOutput<ValueOf<H>>,
    ) -> ToolOutput<ValueOf<H>> {
        let reviewing = self.host.after_tool_call(call, arguments, output);
        match self.abort.race(reviewing).await {
            Ok(Ok(output)) => output,
            Ok(Err(text)) => self.error_output(&text),
            Err(_) => {
                self.error_output("Aborted. The tool had finished, but its result was not taken.")
            }
        }
    }

    /// The arguments to run with: complete JSON, as the tool's schema wants it.
    async fn arguments(&self, call: &AssembledCall, tool: &Tool) -> Result<ValueOf<H>, String> {
        let arguments = call.arguments().map_err(|error| {
            format!("The arguments of \"{}\" are not a complete JSON object: {error}. Call the tool again.", call.name)
        })?;
        let arguments = self.host.prepare_arguments(call, arguments).await?;
        let Some(schema) = &tool.schema else {
            return Ok(self.host.value(&arguments));
        };
        match schema.check(arguments, self.host.pattern_matcher()) {
            Ok(arguments) => Ok(self.host.value(&arguments)),
            Err(mismatches) => {
                let lines: Vec<String> = mismatches
                    .iter()
                    .map(|mismatch| format!("- {mismatch}"))
                    .collect();
                Err(format!(
                    "The arguments of \"{}\" do not fit its schema:\n{}\nCall the tool again with arguments that fit.",
                    call.name,
                    lines.join("\n")
                ))
            }
        }
    }

    /// Steering skips what has not started.
    async fn unless_interrupted(&self) -> Result<(), String> {
        if self.rules.interrupt_mode == InterruptMode::Immediate && self.host.has_steering().await {
            return Err("Skipped due to queued user message.".to_owned());
        }
        Ok(())
    }

    fn unknown_tool(&self, name: &str) -> String {
        let names = self.host.tool_names();
        if names.is_empty() {
            return format!(
                "There is no tool \"{name}\", and no other tool either. Answer without tools."
            );
        }
        format!(
            "There is no tool \"{name}\". The tools are: {}.",
            names.join(", ")
        )
    }

    /// The answer to a call whose tool did not run.
    fn error(&self, text: &str) -> Answer<ValueOf<H>> {
        Answer {
            output: self.error_output(text),
            duration_ms: None,
        }
    }

    fn error_output(&self, text: &str) -> ToolOutput<ValueOf<H>> {
        ToolOutput {
            result: self.host.error_result(text),
            is_error: true,
            terminate: false,
        }
    }

    async fn emit_start(&self, call: &AssembledCall) {
        let event = ToolExecutionStartEvent {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: self.host.shown_arguments(self.message, call),
        };
        self.host.emit(AgentEvent::ToolExecutionStart(event)).await;
    }

    /// Progress, unless its call is answered or the run aborted.
    async fn emit_update(
        &self,
        calls: &[AssembledCall],
        answers: &[Option<Answer<ValueOf<H>>>],
        update: Option<(usize, ValueOf<H>)>,
    ) {
        let Some((index, partial_result)) = update else {
            return;
        };
        let (Some(call), Some(None)) = (calls.get(index), answers.get(index)) else {
            return;
        };
        if self.abort.is_fired() {
            return;
        }
        let event = ToolExecutionUpdateEvent {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: self.host.shown_arguments(self.message, call),
            partial_result,
        };
        self.host.emit(AgentEvent::ToolExecutionUpdate(event)).await;
    }

    async fn emit_end(&self, call: &AssembledCall, answer: &Answer<ValueOf<H>>) {
        let event = ToolExecutionEndEvent {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            result: answer.output.result.clone(),
            is_error: answer.output.is_error,
            duration_ms: answer.duration_ms,
        };
        self.host.emit(AgentEvent::ToolExecutionEnd(event)).await;
    }
}
