//! One batch of tool calls: every call of a message is answered, once, whatever happens.
//!
//! A call goes through the same stations wherever it fails: arguments parsed, tool found, arguments
//! checked and coerced, `beforeToolCall`, approval, the tool, `afterToolCall`. Calls side by side report as
//! they finish; the messages that answer them follow in the order of the calls. Only this module
//! emits the events of a batch, one at a time, so that progress of several tools stays one stream.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use futures::channel::mpsc;
use futures::future::{Either, select};
use futures::stream::{FuturesUnordered, StreamExt};
use serde_json::Value;

use crate::agent::abort::Abort;
use crate::agent::host::{
    Approval, Host, InterruptMode, Presenter, Progress, Rules, Tool, ToolExecutionMode, ToolOutput,
};
use crate::agent::model_call::overdue;
use crate::agent::patience::{Patience, Stopped};
use crate::assemble::AssembledCall;
use crate::event::{
    AgentEvent, Page, ToolApprovalRequestEvent, ToolExecutionEndEvent, ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
};
use crate::message::StopReason;
use crate::schema::{Mismatch, Schema};
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

/// What a call that is under way has to say before its end.
enum News<V> {
    /// The tool reports progress.
    Progress(V),
    /// The call waits for the app's yes or no, with these arguments.
    ApprovalRequest(V),
}

/// Sends news of the call with this index.
type Sender<V> = mpsc::UnboundedSender<(usize, News<V>)>;

/// A call that is ready to run.
struct Prepared<V> {
    tool: Rc<Tool>,
    arguments: V,
    /// Whether the app asked that the run end after it.
    terminate: bool,
}

/// Why a call does not run, for the model.
struct Refusal {
    text: String,
    terminate: bool,
}

impl From<String> for Refusal {
    fn from(text: String) -> Self {
        Self {
            text,
            terminate: false,
        }
    }
}

/// What the model is told of a call that an abort came before.
const NOT_RUN: &str = "Aborted before the tool ran.";

/// What the model is told of a call that steering came before.
const SKIPPED: &str = "Skipped due to queued user message.";

/// Answers the calls of an assistant message: runs them if the message is whole, else says why not.
pub async fn answer_calls<H: Host>(
    host: &H,
    abort: &Abort,
    message: &AssistantOf<H>,
    stop_reason: StopReason,
    calls: &[AssembledCall],
) -> Answers<MessageOf<H>> {
    answer(host, abort, message, why_not_run(stop_reason), calls).await
}

/// Answers calls that a message of the user has come before: none of them runs.
pub async fn skip_calls<H: Host>(
    host: &H,
    abort: &Abort,
    message: &AssistantOf<H>,
    calls: &[AssembledCall],
) -> Answers<MessageOf<H>> {
    answer(host, abort, message, Some(SKIPPED), calls).await
}

async fn answer<H: Host>(
    host: &H,
    abort: &Abort,
    message: &AssistantOf<H>,
    why_not_run: Option<&str>,
    calls: &[AssembledCall],
) -> Answers<MessageOf<H>> {
    let batch = Batch {
        host,
        abort,
        message,
        calls,
        rules: host.rules(),
    };
    let answers = match why_not_run {
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
    fn patience(&self) -> Patience<'_, H> {
        Patience::new(self.abort, self.host)
    }

    async fn refuse(&self, reason: &str) -> Vec<Answer<ValueOf<H>>> {
        let mut answers = Vec::new();
        for call in self.calls {
            self.emit_start(call).await;
            let answer = self.error(reason.to_owned().into());
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
        let (sender, mut news) = mpsc::unbounded::<(usize, News<ValueOf<H>>)>();
        let mut attempts: FuturesUnordered<Attempt<'_, ValueOf<H>>> = FuturesUnordered::new();
        for (index, call) in calls.iter().enumerate() {
            let sender = sender.clone();
            attempts.push(Box::pin(async move {
                (index, self.attempt(index, call, sender).await)
            }));
        }
        let mut answers: Vec<Option<Answer<ValueOf<H>>>> = calls.iter().map(|_| None).collect();
        while !attempts.is_empty() {
            let finished = match select(news.next(), attempts.next()).await {
                Either::Left((item, _)) => {
                    self.emit_news(calls, &answers, item).await;
                    continue;
                }
                Either::Right((finished, _)) => finished,
            };
            // What a tool reported before it finished comes before its end.
            while let Ok(item) = news.try_recv() {
                self.emit_news(calls, &answers, Some(item)).await;
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
        index: usize,
        call: &AssembledCall,
        sender: Sender<ValueOf<H>>,
    ) -> Answer<ValueOf<H>> {
        let Prepared {
            tool,
            arguments,
            terminate,
        } = match self.prepare(index, call, &sender).await {
            Ok(prepared) => prepared,
            Err(refusal) => return self.error(refusal),
        };
        let progress: Progress<ValueOf<H>> = Rc::new(move |value| {
            // The receiver is gone only when the batch is over, and then nobody listens.
            let _ = sender.unbounded_send((index, News::Progress(value)));
        });
        let began = self.host.now();
        let executed = self.execute(call, &tool, arguments.clone(), progress).await;
        let duration_ms = Some((self.host.now() - began).max(0.0));
        let mut output = match executed {
            Ok(output) => self.review(call, arguments, output).await,
            Err(text) => self.error_output(text),
        };
        output.terminate |= terminate;
        Answer {
            output,
            duration_ms,
        }
    }

    /// All that comes before the tool: whether to run it, and with which arguments.
    async fn prepare(
        &self,
        index: usize,
        call: &AssembledCall,
        sender: &Sender<ValueOf<H>>,
    ) -> Result<Prepared<ValueOf<H>>, Refusal> {
        self.unless_interrupted().await?;
        let tool = self
            .host
            .tool(&call.name)
            .ok_or_else(|| self.unknown_tool(&call.name))?;
        let arguments = self.arguments(call, &tool).await?;
        let before = self.host.before_tool_call(call, arguments);
        let before = self.hook("beforeToolCall", before).await?;
        let terminate = before.terminate;
        let refusal = |text| Refusal { text, terminate };
        let arguments = before.verdict.map_err(refusal)?;
        let needs_approval = self.host.needs_approval(call, &arguments);
        if self.hook("needsApproval", needs_approval).await? {
            // News of steering is only heard while waiting: what came before makes the question needless.
            self.unless_interrupted().await?;
            // The receiver lives as long as the batch, and this call is part of it.
            let _ = sender.unbounded_send((index, News::ApprovalRequest(arguments.clone())));
            self.approval(call).await.map_err(refusal)?;
        }
        // The hooks may have taken their time, or steered.
        self.unless_interrupted().await?;
        Ok(Prepared {
            tool,
            arguments,
            terminate,
        })
    }

    /// Waits for the app's decision, unless steering makes it needless.
    async fn approval(&self, call: &AssembledCall) -> Result<(), String> {
        loop {
            match self.unless_aborted(self.host.approval(call)).await? {
                Approval::Approved => return Ok(()),
                Approval::Denied(reason) => return Err(reason),
                Approval::Steered => self.unless_interrupted().await?,
            }
        }
    }

    /// A hook of the app, within the limit for hooks.
    async fn hook<T>(
        &self,
        name: &str,
        future: impl Future<Output = Result<T, String>>,
    ) -> Result<T, String> {
        let limit_ms = self.rules.hook_timeout_ms;
        match self.patience().wait(limit_ms, future).await {
            Ok(result) => result,
            Err(Stopped::TimedOut) => Err(overdue(name, limit_ms)),
            Err(Stopped::Aborted) => Err(NOT_RUN.to_owned()),
        }
    }

    async fn unless_aborted<T>(&self, future: impl Future<Output = T>) -> Result<T, String> {
        let output = self.patience().wait(None, future).await;
        output.map_err(|_| NOT_RUN.to_owned())
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
        Ok(match self.patience().wait(limit_ms, running).await {
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
        let limit_ms = self.rules.hook_timeout_ms;
        let reviewing = self.host.after_tool_call(call, arguments, output);
        match self.patience().wait(limit_ms, reviewing).await {
            Ok(Ok(output)) => output,
            Ok(Err(text)) => self.error_output(&text),
            Err(Stopped::TimedOut) => self.error_output(&overdue("afterToolCall", limit_ms)),
            Err(Stopped::Aborted) => {
                self.error_output("Aborted. The tool had finished, but its result was not taken.")
            }
        }
    }

    /// The arguments to run with: complete JSON, as the tool's schema wants it.
    async fn arguments(&self, call: &AssembledCall, tool: &Tool) -> Result<ValueOf<H>, String> {
        let arguments = call.arguments().map_err(|error| {
            format!("The arguments of \"{}\" are not a complete JSON object: {error}. Call the tool again.", call.name)
        })?;
        let preparing = self.host.prepare_arguments(call, arguments);
        let mut arguments = self.hook("prepareArguments", preparing).await?;
        if let Some(schema) = &tool.schema {
            arguments = self.fitting(call, schema, arguments)?;
        }
        let validating = self.host.validate_arguments(call, arguments);
        let validated = async {
            let checked = validating.await;
            checked.map_err(|problems| misfit(&call.name, &problems))
        };
        self.hook("validate", validated).await
    }

    /// Arguments as the schema wants them.
    fn fitting(
        &self,
        call: &AssembledCall,
        schema: &Schema,
        arguments: Value,
    ) -> Result<Value, String> {
        match schema.check(arguments, self.host.pattern_matcher()) {
            Ok(arguments) => Ok(arguments),
            Err(mismatches) => {
                let line = |mismatch: &Mismatch| format!("- {mismatch}");
                let lines: Vec<String> = mismatches.iter().map(line).collect();
                Err(misfit(&call.name, &lines.join("\n")))
            }
        }
    }

    /// Steering skips what has not started.
    async fn unless_interrupted(&self) -> Result<(), String> {
        if self.rules.interrupt_mode == InterruptMode::Immediate
            && self.unless_aborted(self.host.has_steering()).await?
        {
            return Err(SKIPPED.to_owned());
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
    fn error(&self, refusal: Refusal) -> Answer<ValueOf<H>> {
        Answer {
            output: ToolOutput {
                terminate: refusal.terminate,
                ..self.error_output(&refusal.text)
            },
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

    /// News of a call, unless it is answered or the run aborted.
    async fn emit_news(
        &self,
        calls: &[AssembledCall],
        answers: &[Option<Answer<ValueOf<H>>>],
        item: Option<(usize, News<ValueOf<H>>)>,
    ) {
        let Some((index, news)) = item else {
            return;
        };
        let (Some(call), Some(None)) = (calls.get(index), answers.get(index)) else {
            return;
        };
        if self.abort.is_fired() {
            return;
        }
        let (tool_call_id, tool_name) = (call.id.clone(), call.name.clone());
        let event = match news {
            News::Progress(partial_result) => {
                AgentEvent::ToolExecutionUpdate(ToolExecutionUpdateEvent {
                    tool_call_id,
                    tool_name,
                    args: self.host.shown_arguments(self.message, call),
                    partial_result,
                })
            }
            News::ApprovalRequest(args) => {
                AgentEvent::ToolApprovalRequest(ToolApprovalRequestEvent {
                    tool_call_id,
                    tool_name,
                    args,
                })
            }
        };
        self.host.emit(event).await;
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

/// What the model is told of arguments that do not fit; `problems` are lines.
fn misfit(tool: &str, problems: &str) -> String {
    [
        "The arguments of \"",
        tool,
        "\" do not fit its schema:\n",
        problems,
        "\nCall the tool again with arguments that fit.",
    ]
    .concat()
}
