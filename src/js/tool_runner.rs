//! The page's tools and hooks as the loop runs them.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::AbortController;

use crate::agent::approval::Approvals;
use crate::agent::host::{BeforeToolCall, Progress, Tool, ToolOutput, ToolRunner};
use crate::assemble::AssembledCall;
use crate::error::Failure;
use crate::js::hook::{Answer, call_hook};
use crate::js::host::PageHost;
use crate::js::page::Handle;
use crate::js::pattern::RegExpMatcher;
use crate::js::tool::{self, json_to_js};
use crate::js::{error, result, value};
use crate::schema::PatternMatcher;

impl PageHost {
    fn take_controller(&self, call: &AssembledCall) -> Option<AbortController> {
        let mut controllers = self.run.tools.borrow_mut();
        let index = controllers.iter().position(|(id, _)| *id == call.id)?;
        Some(controllers.swap_remove(index).1)
    }

    /// Asks a hook on tool calls, if there is one. `rest` is what it gets beside the call.
    fn ask(
        &self,
        name: &'static str,
        call: &AssembledCall,
        arguments: &Handle,
        rest: &[(&str, &JsValue)],
    ) -> Option<Answer> {
        let hook = self.core.channel.hook(name)?;
        let record = self.core.channel.record();
        let context = result::tool_call_context(&record, call.block, &arguments.0);
        value::extend(&context, rest);
        Some(call_hook(name, &hook, &[&context, &self.run.signal()]))
    }
}

impl ToolRunner for PageHost {
    fn tool(&self, name: &str) -> Option<Rc<Tool>> {
        self.page_tool(name).map(|tool| tool.spec)
    }

    fn tool_names(&self) -> Vec<String> {
        self.tools().names()
    }

    fn pattern_matcher(&self) -> &dyn PatternMatcher {
        &RegExpMatcher
    }

    fn prepare_arguments(
        &self,
        call: &AssembledCall,
        arguments: serde_json::Value,
    ) -> Result<serde_json::Value, String> {
        match self.page_tool(&call.name) {
            Some(tool) => tool.prepare_arguments(arguments),
            None => Ok(arguments),
        }
    }

    async fn before_tool_call(
        &self,
        call: &AssembledCall,
        arguments: Handle,
    ) -> Result<BeforeToolCall<Handle>, String> {
        match self.ask("beforeToolCall", call, &arguments, &[]) {
            Some(answer) => verdict(answer.await, arguments),
            None => Ok(Ok(arguments).into()),
        }
    }

    async fn validate_arguments(
        &self,
        call: &AssembledCall,
        arguments: serde_json::Value,
    ) -> Result<Handle, String> {
        let arguments = json_to_js(&arguments);
        let Some(tool) = self.page_tool(&call.name) else {
            return Ok(Handle(arguments));
        };
        match tool.ask_validation(&arguments) {
            Some(answer) => tool.validated(&arguments, answer.await).map(Handle),
            None => Ok(Handle(arguments)),
        }
    }

    async fn needs_approval(
        &self,
        call: &AssembledCall,
        arguments: &Handle,
    ) -> Result<bool, String> {
        let Some(tool) = self.page_tool(&call.name) else {
            return Ok(false);
        };
        match tool.ask_approval(&arguments.0).await {
            Ok(needed) => Ok(needed.is_truthy()),
            Err(thrown) => Err(["needsApproval failed: ", &error::describe(&thrown)].concat()),
        }
    }

    fn approvals(&self) -> &Approvals {
        &self.core.approvals
    }

    async fn run_tool(
        &self,
        call: &AssembledCall,
        arguments: Handle,
        progress: Progress<Handle>,
    ) -> Result<ToolOutput<Handle>, String> {
        let Some(tool) = self.page_tool(&call.name) else {
            return Err(["The tool \"", &call.name, "\" was removed before it ran."].concat());
        };
        let controller = AbortController::new().map_err(|thrown| error::describe(&thrown))?;
        self.run
            .tools
            .borrow_mut()
            .push((call.id.clone(), controller.clone()));
        let returned = tool.run(&call.id, &arguments.0, &controller, progress);
        let returned = returned.await;
        self.take_controller(call);
        tool::output(returned)
    }

    fn stop_tool(&self, call: &AssembledCall, reason: &str) {
        let Some(controller) = self.take_controller(call) else {
            return;
        };
        let aborted = value::get(&self.run.signal(), "reason");
        let reason = if aborted.is_undefined() {
            js_sys::Error::new(reason).into()
        } else {
            aborted
        };
        controller.abort_with_reason(&reason);
    }

    async fn after_tool_call(
        &self,
        call: &AssembledCall,
        arguments: Handle,
        output: ToolOutput<Handle>,
    ) -> Result<ToolOutput<Handle>, String> {
        let rest = [
            ("result", &output.result.0),
            ("isError", &output.is_error.into()),
        ];
        match self.ask("afterToolCall", call, &arguments, &rest) {
            Some(answer) => changed_output(answer.await, output),
            None => Ok(output),
        }
    }

    fn value(&self, json: &serde_json::Value) -> Handle {
        Handle(json_to_js(json))
    }

    fn shown_arguments(&self, message: &Handle, call: &AssembledCall) -> Handle {
        Handle(value::get(
            &result::block_of(&message.0, call.block),
            "arguments",
        ))
    }

    fn error_result(&self, text: &str) -> Handle {
        Handle(result::text_result(text))
    }

    fn tool_result_message(
        &self,
        call: &AssembledCall,
        output: &ToolOutput<Handle>,
        duration_ms: Option<f64>,
    ) -> Handle {
        Handle(result::tool_result_message(
            &call.id,
            &call.name,
            &output.result.0,
            output.is_error,
            duration_ms,
        ))
    }
}

/// What `beforeToolCall` decided. A decision that cannot be read must not let the tool run.
fn verdict(
    answer: Result<JsValue, Failure>,
    arguments: Handle,
) -> Result<BeforeToolCall<Handle>, String> {
    let decision = &answer.map_err(|failure| failure.message)?;
    result::check_decision(decision).map_err(|thrown| error::describe(&thrown))?;
    let verdict = if value::get(decision, "block").is_truthy() {
        let reason = value::get_string(decision, "reason");
        Err(reason.unwrap_or_else(|| "The tool call was blocked.".to_owned()))
    } else {
        let replaced = value::get(decision, "args");
        Ok(if replaced.is_undefined() {
            arguments
        } else {
            Handle(replaced)
        })
    };
    Ok(BeforeToolCall {
        verdict,
        terminate: value::get(decision, "terminate").is_truthy(),
    })
}

/// What `afterToolCall` returned replaces the output field by field.
fn changed_output(
    answer: Result<JsValue, Failure>,
    output: ToolOutput<Handle>,
) -> Result<ToolOutput<Handle>, String> {
    let change = &answer.map_err(|failure| failure.message)?;
    if change.is_undefined() || change.is_null() {
        return Ok(output);
    }
    let result = result::changed_result(change, &output.result.0)
        .map_err(|thrown| error::describe(&thrown))?;
    let truth = |key: &str, before: bool| match value::get(change, key) {
        found if found.is_undefined() => before,
        found => found.is_truthy(),
    };
    Ok(ToolOutput {
        is_error: truth("isError", output.is_error),
        terminate: truth("terminate", output.terminate),
        result: Handle(result),
    })
}
