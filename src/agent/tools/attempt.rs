//! One tool call, from its arguments to its answer.
//!
//! A call goes through the same stations wherever it fails: arguments parsed, tool found, arguments
//! checked and coerced, `beforeToolCall`, approval, the tool, `afterToolCall`. Whatever fails becomes
//! an answer; what is said on the way goes to the batch, which emits it.

use std::rc::Rc;

use serde_json::Value;

use super::{Answer, News, SKIPPED, ValueOf};
use crate::agent::abort::Abort;
use crate::agent::approval::Approval;
use crate::agent::host::{Host, InterruptMode, Progress, Rules, Tool, ToolOutput};
use crate::agent::model_call::overdue;
use crate::agent::patience::{Patience, Stopped};
use crate::agent::side_by_side::Reporter;
use crate::assemble::AssembledCall;
use crate::schema::Mismatch;
use crate::text::number;

/// What the model is told of a call that an abort came before.
const NOT_RUN: &str = "Aborted before the tool ran.";

/// A call that is taken up.
pub(super) struct Attempt<'a, H: Host> {
    host: &'a H,
    rules: &'a Rules,
    call: &'a AssembledCall,
    reporter: Rc<Reporter<News<ValueOf<H>>>>,
    patience: Patience<'a, H>,
}

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

impl<'a, H: Host> Attempt<'a, H> {
    pub(super) fn new(
        host: &'a H,
        abort: &'a Abort,
        rules: &'a Rules,
        call: &'a AssembledCall,
        reporter: Reporter<News<ValueOf<H>>>,
    ) -> Self {
        Self {
            host,
            rules,
            call,
            reporter: Rc::new(reporter),
            patience: Patience::new(abort, host),
        }
    }

    pub(super) async fn answer(mut self) -> News<ValueOf<H>> {
        News::Answer(match self.prepare().await {
            Ok(prepared) => self.run(prepared).await,
            Err(Refusal { text, terminate }) => {
                let mut answer = failed(self.host, &text);
                answer.output.terminate = terminate;
                answer
            }
        })
    }

    /// All that comes before the tool: whether to run it, and with which arguments.
    async fn prepare(&mut self) -> Result<Prepared<ValueOf<H>>, Refusal> {
        self.unless_interrupted().await?;
        let tool = self.host.tool(&self.call.name);
        let tool = tool.ok_or_else(|| self.unknown_tool())?;
        let arguments = self.arguments(&tool)?;
        let limit_ms = self.rules.hook_timeout_ms;
        let valid = self.host.validate_arguments(self.call, arguments);
        let valid = self.patience.wait(limit_ms, valid).await;
        let valid = valid.map(|valid| valid.map_err(|lines| self.misfit(&lines)));
        let arguments = self.settled("validate", valid)?;
        let before = self.host.before_tool_call(self.call, arguments);
        let before = self.patience.wait(limit_ms, before).await;
        let before = self.settled("beforeToolCall", before)?;
        let terminate = before.terminate;
        let refusal = |text| Refusal { text, terminate };
        let arguments = before.verdict.map_err(refusal)?;
        let asks = self.host.needs_approval(self.call, &arguments);
        let asks = self.patience.wait(limit_ms, asks).await;
        if self.settled("needsApproval", asks)? {
            self.approval(&arguments).await.map_err(refusal)?;
        }
        // The hooks may have taken their time, or steered.
        self.unless_interrupted().await?;
        Ok(Prepared {
            tool,
            arguments,
            terminate,
        })
    }

    /// The arguments as the model meant them: complete JSON that fits the tool's schema.
    fn arguments(&self, tool: &Tool) -> Result<Value, String> {
        let call = self.call;
        let arguments = call.arguments().map_err(|error| {
            [
                "The arguments of \"",
                &call.name,
                "\" are not a complete JSON object: ",
                &error.text(),
                ". Call the tool again.",
            ]
            .concat()
        })?;
        let arguments = self.host.prepare_arguments(call, arguments)?;
        let Some(schema) = &tool.schema else {
            return Ok(arguments);
        };
        let checked = schema.check(arguments, self.host.pattern_matcher());
        checked.map_err(|mismatches| self.misfit(&lines(&mismatches)))
    }

    /// Waits for the app's decision, unless steering makes it needless. In a session that was
    /// restored it may have been made before: then nobody is asked.
    async fn approval(&mut self, arguments: &ValueOf<H>) -> Result<(), String> {
        // News of steering is only heard while waiting: what came before makes the question needless.
        self.unless_interrupted().await?;
        let (approvals, id) = (self.host.approvals(), &self.call.id);
        if approvals.request(id) {
            self.reporter
                .report(News::ApprovalRequest(arguments.clone()));
        }
        loop {
            let decision = self.patience.wait(None, approvals.decision(id)).await;
            match decision {
                Ok(Approval::Approved) => return Ok(()),
                Ok(Approval::Denied(reason)) => return Err(reason),
                Ok(Approval::Steered) => self.unless_interrupted().await?,
                Err(_) => return Err(NOT_RUN.to_owned()),
            }
        }
    }

    /// Steering skips what has not started.
    async fn unless_interrupted(&mut self) -> Result<(), String> {
        if self.rules.interrupt_mode == InterruptMode::Wait {
            return Ok(());
        }
        let steered = self.host.has_messages(false);
        match self.patience.wait(None, steered).await {
            Ok(false) => Ok(()),
            Ok(true) => Err(SKIPPED.to_owned()),
            Err(_) => Err(NOT_RUN.to_owned()),
        }
    }

    /// What a hook of the app that comes before the tool came to.
    fn settled<T>(
        &self,
        name: &str,
        output: Result<Result<T, String>, Stopped>,
    ) -> Result<T, String> {
        match output {
            Ok(result) => result,
            Err(Stopped::TimedOut) => Err(overdue(name, self.rules.hook_timeout_ms)),
            Err(Stopped::Aborted) => Err(NOT_RUN.to_owned()),
        }
    }

    /// The tool itself, within its limit, and then `afterToolCall`.
    async fn run(&mut self, prepared: Prepared<ValueOf<H>>) -> Answer<ValueOf<H>> {
        let Prepared {
            tool,
            arguments,
            terminate,
        } = prepared;
        let reporter = self.reporter.clone();
        let progress: Progress<_> = Rc::new(move |value| reporter.report(News::Progress(value)));
        let began = self.host.now();
        let limit_ms = tool.timeout_ms.or(self.rules.tool_timeout_ms);
        let running = self.host.run_tool(self.call, arguments.clone(), progress);
        let ran = self.patience.wait(limit_ms, running).await;
        let duration_ms = Some((self.host.now() - began).max(0.0));
        let output = match ran {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(text)) => Ok(error_output(self.host, &text)),
            Err(Stopped::TimedOut) => {
                let seconds = number::format(limit_ms.unwrap_or_default() / 1000.0);
                let text = [
                    "The tool did not finish within ",
                    &seconds,
                    " s and was told to stop.",
                ];
                Ok(self.stopped(&text.concat()))
            }
            Err(Stopped::Aborted) => {
                Err(self.stopped("Aborted. The tool was told to stop and may still be running."))
            }
        };
        let mut output = match output {
            Ok(output) => self.review(arguments, output).await,
            Err(aborted) => aborted,
        };
        output.terminate |= terminate;
        Answer {
            output,
            duration_ms,
        }
    }

    /// Tells the tool to stop; what stands for its output.
    fn stopped(&self, text: &str) -> ToolOutput<ValueOf<H>> {
        self.host.stop_tool(self.call, text);
        error_output(self.host, text)
    }

    /// Lets `afterToolCall` see what the tool gave. No result gets past the hook, since it may be
    /// there to keep something from the model.
    async fn review(
        &mut self,
        arguments: ValueOf<H>,
        output: ToolOutput<ValueOf<H>>,
    ) -> ToolOutput<ValueOf<H>> {
        let limit_ms = self.rules.hook_timeout_ms;
        let reviewing = self.host.after_tool_call(self.call, arguments, output);
        let text = match self.patience.wait(limit_ms, reviewing).await {
            Ok(Ok(output)) => return output,
            Ok(Err(text)) => text,
            Err(Stopped::TimedOut) => overdue("afterToolCall", limit_ms),
            Err(Stopped::Aborted) => {
                "Aborted. The tool had finished, but its result was not taken.".to_owned()
            }
        };
        error_output(self.host, &text)
    }

    /// What the model is told of arguments that do not fit.
    fn misfit(&self, lines: &str) -> String {
        [
            "The arguments of \"",
            &self.call.name,
            "\" do not fit its schema:\n",
            lines,
            "\nCall the tool again with arguments that fit.",
        ]
        .concat()
    }

    fn unknown_tool(&self) -> String {
        let names = self.host.tool_names();
        let known = match &*names.join(", ") {
            "" => "\", and no other tool either. Answer without tools.".to_owned(),
            known => ["\". The tools are: ", known, "."].concat(),
        };
        ["There is no tool \"", &self.call.name, &known].concat()
    }
}

/// The answer to a call whose tool did not run.
pub(super) fn failed<H: Host>(host: &H, text: &str) -> Answer<ValueOf<H>> {
    Answer {
        output: error_output(host, text),
        duration_ms: None,
    }
}

fn error_output<H: Host>(host: &H, text: &str) -> ToolOutput<ValueOf<H>> {
    ToolOutput {
        result: host.error_result(text),
        is_error: true,
        terminate: false,
    }
}

fn lines(mismatches: &[Mismatch]) -> String {
    let mut lines = String::new();
    for mismatch in mismatches {
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str("- ");
        lines.push_str(&mismatch.text());
    }
    lines
}
