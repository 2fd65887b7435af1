//! The loop's host in a browser: an agent's state, tools, hooks and network.
//!
//! Where nothing has to be done behind an await, a method returns the future itself: every `async fn`
//! is a type of its own, with its own code to poll and to drop it.

#![allow(
    refining_impl_trait,
    reason = "the methods that return a named future promise no more than the trait"
)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Function, Object};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::AbortController;

use crate::agent::host::{
    BeforeToolCall, Call, Clock, Head, Host, HttpResponse, Presenter, Progress, Rules, Source,
    Tail, Tool, ToolOutput, ToolRunner, Transport,
};
use crate::agent::queue::Queue;
use crate::assemble::{AssembledCall, Batch};
use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::event::{AgentEvent, MessageEndEvent, MessageStartEvent};
use crate::js::fetch::{self, Body};
use crate::js::live::{Channel, Delivery, Update};
use crate::js::network::{Network, call_hook, hook_failed};
use crate::js::options::{Hook, Options};
use crate::js::page::{Handle, JsPage, event_to_js, to_js};
use crate::js::pattern::RegExpMatcher;
use crate::js::run_control::RunControl;
use crate::js::state::State;
use crate::js::stream_fn::AppStream;
use crate::js::tool::{PageTool, ToolSet, json_to_js};
use crate::js::{error, result, transcript, value};
use crate::message::{AssistantMessage, StopReason, Usage};
use crate::model::{Model, RequestOptions};
use crate::protocol::{Context, HttpRequest, StreamPart};
use crate::schema::PatternMatcher;

/// Everything that outlives a run.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) state: State,
    pub(super) channel: Channel,
    pub(super) options: Options,
    pub(super) interrupt_mode: Cell<crate::agent::host::InterruptMode>,
    pub(super) tools: RefCell<Rc<ToolSet>>,
    pub(super) steering: RefCell<Queue<Handle>>,
    pub(super) follow_ups: RefCell<Queue<Handle>>,
    pub(super) run: RefCell<Option<RunControl>>,
}

impl Core {
    pub(super) fn new(state: State, options: Options) -> Self {
        let core = Self {
            channel: Channel::new(state.record()),
            state,
            interrupt_mode: Cell::new(options.rules.interrupt_mode),
            tools: RefCell::default(),
            steering: RefCell::default(),
            follow_ups: RefCell::default(),
            run: RefCell::default(),
            options,
        };
        core.steering.borrow_mut().mode = core.options.steering_mode;
        core.follow_ups.borrow_mut().mode = core.options.follow_up_mode;
        core
    }

    /// The tools as the state has them now, checked.
    fn tool_set(&self) -> Result<Rc<ToolSet>, JsValue> {
        let tools = self.state.get("tools");
        let known = self.tools.borrow().clone();
        if known.is_of(&tools) {
            return Ok(known);
        }
        let set = Rc::new(ToolSet::read(&tools)?);
        *self.tools.borrow_mut() = set.clone();
        Ok(set)
    }
}

/// Reads a model of the app.
///
/// # Errors
/// What is missing or wrong.
pub(super) fn read_model(model: &JsValue) -> Result<Model, String> {
    if !value::is_plain_object(model) {
        return Err(format!(
            "model must be an object with id and api, but is {}.",
            value::kind(model)
        ));
    }
    transcript::read(model).map_err(|problem| format!("model: {problem}."))
}

/// One run of a [`Core`].
#[derive(Debug)]
pub(super) struct PageHost {
    core: Rc<Core>,
    run: RunControl,
    kind: Kind,
    /// Of tools that are running, by call id.
    controllers: RefCell<Vec<(String, AbortController)>>,
}

/// What events say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What happens in a run.
    Run,
    /// What happens in one model call.
    Call,
}

impl PageHost {
    pub(super) fn new(core: Rc<Core>, run: RunControl, kind: Kind) -> Self {
        Self {
            core,
            run,
            kind,
            controllers: RefCell::default(),
        }
    }

    fn network(&self) -> Network<'_> {
        Network {
            options: &self.core.options,
            model: self.core.state.get("model"),
        }
    }

    fn page_tool(&self, name: &str) -> Option<PageTool> {
        self.core.tools.borrow().find(name).cloned()
    }

    fn take_controller(&self, call: &AssembledCall) -> Option<AbortController> {
        let mut controllers = self.controllers.borrow_mut();
        let index = controllers.iter().position(|(id, _)| *id == call.id)?;
        Some(controllers.swap_remove(index).1)
    }

    /// `transformContext`, then `convertToLlm`.
    async fn llm_messages(&self) -> Result<Array, Failure> {
        let mut messages = JsValue::from(self.core.state.messages().iter().collect::<Array>());
        if let Some(hook) = self.core.options.hook(Hook::TransformContext) {
            messages =
                call_hook("transformContext", hook, &[&messages, &self.run.signal()]).await?;
            require_array("transformContext", &messages)?;
        }
        match self.core.options.hook(Hook::ConvertToLlm) {
            Some(hook) => {
                messages = call_hook("convertToLlm", hook, &[&messages]).await?;
                require_array("convertToLlm", &messages)?;
                Ok(value::items(&messages).iter().collect())
            }
            None => Ok(value::items(&messages)
                .iter()
                .filter(|message| self.kind == Kind::Call || is_llm_message(message))
                .collect()),
        }
    }

    async fn app_stream(
        &self,
        stream_fn: &Function,
        messages: &Array,
        api_key: Option<String>,
    ) -> Result<AppStream, Failure> {
        let state = &self.core.state;
        let context = value::object(&[
            ("systemPrompt", &state.get("systemPrompt")),
            ("messages", messages),
            ("tools", &state.get("tools")),
        ]);
        let options = value::object(&[
            ("apiKey", &api_key.map_or(JsValue::UNDEFINED, JsValue::from)),
            ("reasoning", &state.get("thinkingLevel")),
            ("cacheRetention", &"short".into()),
            ("signal", &self.run.signal()),
        ]);
        Object::assign(
            options.unchecked_ref::<Object>(),
            self.core.options.given.unchecked_ref(),
        );
        if let Some(fetch) = self.core.options.hook(Hook::Fetch) {
            value::set(&options, "fetch", fetch);
        }
        let source = call_hook(
            "streamFn",
            stream_fn,
            &[&state.get("model"), &context, &options],
        )
        .await?;
        AppStream::open(source)
    }

    fn request_options(&self, api_key: Option<String>) -> RequestOptions {
        let mut options = self.core.options.request.clone();
        options.api_key = api_key;
        options.reasoning = self.core.state.thinking_level();
        options
    }

    /// The hook's argument: `{ assistantMessage, toolCall, args, context }`.
    fn tool_call_context(&self, call: &AssembledCall, arguments: &JsValue) -> JsValue {
        let message = self
            .core
            .state
            .messages()
            .into_iter()
            .rev()
            .find(|message| value::get_string(message, "role").as_deref() == Some("assistant"));
        let message = message.unwrap_or(JsValue::UNDEFINED);
        let context = value::object(&[
            ("systemPrompt", &self.core.state.get("systemPrompt")),
            ("messages", &self.core.state.get("messages")),
            ("tools", &self.core.state.get("tools")),
        ]);
        value::object(&[
            ("assistantMessage", &message),
            ("toolCall", &block_of(&message, call)),
            ("args", arguments),
            ("context", &context),
        ])
    }
}

fn is_llm_message(message: &JsValue) -> bool {
    matches!(
        value::get_string(message, "role").as_deref(),
        Some("user" | "assistant" | "toolResult")
    )
}

fn require_array(name: &str, found: &JsValue) -> Result<(), Failure> {
    if Array::is_array(found) {
        Ok(())
    } else {
        Err(hook_failed(
            name,
            &format!(
                "it must return an array of messages, but returned {}",
                value::kind(found)
            ),
        ))
    }
}

fn block_of(message: &JsValue, call: &AssembledCall) -> JsValue {
    js_sys::Reflect::get_u32(&value::get(message, "content"), call.block)
        .unwrap_or(JsValue::UNDEFINED)
}

/// An assistant message without content.
fn empty_message(head: Head) -> JsValue {
    to_js(&AssistantMessage {
        api: head.api,
        provider: head.provider,
        model: head.model,
        timestamp: head.timestamp,
        ..AssistantMessage::default()
    })
}

/// The fields that complete an assistant message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TailFields<'a> {
    usage: &'a Usage,
    stop_reason: StopReason,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorInfo>,
    duration_ms: f64,
}

/// The same as an object of the page.
fn tail_fields(tail: &Tail) -> JsValue {
    let ending = &tail.ending;
    to_js(&TailFields {
        usage: &ending.usage,
        stop_reason: ending.stop_reason,
        response_id: ending.response_id.as_deref(),
        error_message: ending.error.as_ref().map(|error| error.message.as_str()),
        error: ending.error.as_deref(),
        duration_ms: tail.duration_ms,
    })
}

/// The longest delay that `setTimeout` keeps to; a longer one would fire at once.
const MAX_DELAY_MS: f64 = 2_147_483_647.0;

impl Clock for PageHost {
    fn now(&self) -> f64 {
        js_sys::Date::now()
    }

    fn sleep(&self, ms: f64) -> TimeoutFuture {
        TimeoutFuture::new(ms.clamp(0.0, MAX_DELAY_MS) as u32)
    }
}

impl Transport for PageHost {
    type Body = Body;
    type AppStream = AppStream;

    fn send(
        &self,
        request: HttpRequest,
    ) -> impl Future<Output = Result<HttpResponse<Body>, Failure>> {
        fetch::send(request, self.core.options.hook(Hook::Fetch))
    }

    fn read(&self, body: &mut Body) -> impl Future<Output = Result<Option<Vec<u8>>, Failure>> {
        body.read()
    }

    fn set_complete(&self, body: &mut Body) {
        body.set_complete();
    }

    fn next_parts(
        &self,
        stream: &mut AppStream,
        parts: &mut Vec<StreamPart>,
    ) -> impl Future<Output = Result<bool, Failure>> {
        stream.next(parts)
    }

    fn on_payload(&self, body: String) -> impl Future<Output = Result<String, Failure>> {
        self.network().on_payload(body)
    }

    fn on_response(
        &self,
        response: &HttpResponse<Body>,
    ) -> impl Future<Output = Result<(), Failure>> {
        self.network().on_response(response)
    }
}

impl Presenter for PageHost {
    type Page = JsPage;

    fn message_start(&self, head: Head) -> Delivery {
        let message = empty_message(head);
        self.core.channel.begin(&message);
        match self.kind {
            Kind::Run => self.emit(AgentEvent::MessageStart(MessageStartEvent {
                message: Handle(message),
            })),
            Kind::Call => self.emit_call_event("start", &[("partial", &message)]),
        }
    }

    fn message_update(&self, batch: &Batch, closing: bool) -> Update {
        self.core.channel.update(batch, closing)
    }

    async fn message_end(&self, tail: &Tail) -> Handle {
        let message = self.core.channel.end(&tail_fields(tail));
        let delivery = match (self.kind, tail.ending.stop_reason) {
            (Kind::Run, _) => self.emit(AgentEvent::MessageEnd(MessageEndEvent {
                message: Handle(message.clone()),
            })),
            (Kind::Call, StopReason::Error | StopReason::Aborted) => {
                self.emit_call_end("error", "error", &message)
            }
            (Kind::Call, StopReason::Stop | StopReason::Length | StopReason::ToolUse) => {
                self.emit_call_end("done", "message", &message)
            }
        };
        delivery.await;
        Handle(message)
    }
}

impl PageHost {
    fn emit_call_end(&self, kind: &str, key: &str, message: &JsValue) -> Delivery {
        let reason = value::get(message, "stopReason");
        self.emit_call_event(kind, &[("reason", &reason), (key, message)])
    }

    fn emit_call_event(&self, kind: &str, fields: &[(&str, &JsValue)]) -> Delivery {
        let event = value::object(fields);
        value::set(&event, "type", &kind.into());
        self.core.channel.emit(&event)
    }
}

impl ToolRunner for PageHost {
    fn tool(&self, name: &str) -> Option<Rc<Tool>> {
        self.page_tool(name).map(|tool| tool.spec)
    }

    fn tool_names(&self) -> Vec<String> {
        self.core.tools.borrow().names()
    }

    fn pattern_matcher(&self) -> &dyn PatternMatcher {
        &RegExpMatcher
    }

    async fn prepare_arguments(
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
        let Some(hook) = self.core.options.hook(Hook::BeforeToolCall) else {
            return Ok(BeforeToolCall::Run(arguments));
        };
        let context = self.tool_call_context(call, &arguments.0);
        let decision = call_hook("beforeToolCall", hook, &[&context, &self.run.signal()])
            .await
            .map_err(|error| error.message)?;
        if value::get(&decision, "block").is_truthy() {
            let reason = value::get_string(&decision, "reason");
            return Ok(BeforeToolCall::Block(
                reason.unwrap_or_else(|| "The tool call was blocked.".to_owned()),
            ));
        }
        let replaced = value::get(&decision, "args");
        Ok(BeforeToolCall::Run(if replaced.is_undefined() {
            arguments
        } else {
            Handle(replaced)
        }))
    }

    async fn run_tool(
        &self,
        call: &AssembledCall,
        arguments: Handle,
        progress: Progress<Handle>,
    ) -> Result<ToolOutput<Handle>, String> {
        let Some(tool) = self.page_tool(&call.name) else {
            return Err(format!(
                "The tool \"{}\" was removed before it ran.",
                call.name
            ));
        };
        let controller = AbortController::new().map_err(|thrown| error::describe(&thrown))?;
        self.controllers
            .borrow_mut()
            .push((call.id.clone(), controller.clone()));
        let output = tool
            .run(&call.id, &arguments.0, &controller, progress)
            .await;
        self.take_controller(call);
        output
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
        let Some(hook) = self.core.options.hook(Hook::AfterToolCall) else {
            return Ok(output);
        };
        let context = self.tool_call_context(call, &arguments.0);
        value::set(&context, "result", &output.result.0);
        value::set(&context, "isError", &output.is_error.into());
        let change = call_hook("afterToolCall", hook, &[&context, &self.run.signal()])
            .await
            .map_err(|error| error.message)?;
        changed_output(&change, output)
    }

    fn value(&self, json: &serde_json::Value) -> Handle {
        Handle(json_to_js(json))
    }

    fn shown_arguments(&self, message: &Handle, call: &AssembledCall) -> Handle {
        Handle(value::get(&block_of(&message.0, call), "arguments"))
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
        Handle(value::object(&[
            ("role", &"toolResult".into()),
            ("toolCallId", &call.id.as_str().into()),
            ("toolName", &call.name.as_str().into()),
            ("content", &value::get(&output.result.0, "content")),
            ("details", &value::get(&output.result.0, "details")),
            ("isError", &output.is_error.into()),
            ("timestamp", &self.now().into()),
            (
                "durationMs",
                &duration_ms.map_or(JsValue::UNDEFINED, JsValue::from),
            ),
        ]))
    }
}

/// What `afterToolCall` returned replaces the output field by field.
fn changed_output(
    change: &JsValue,
    output: ToolOutput<Handle>,
) -> Result<ToolOutput<Handle>, String> {
    if !change.is_object() {
        return Ok(output);
    }
    let field = |key: &str| match value::get(change, key) {
        found if found.is_undefined() => value::get(&output.result.0, key),
        found => found,
    };
    let content = field("content");
    result::check_content(&content)
        .map_err(|problem| format!("afterToolCall returned {problem}"))?;
    let truth = |key: &str, before: bool| match value::get(change, key) {
        found if found.is_undefined() => before,
        found => found.is_truthy(),
    };
    Ok(ToolOutput {
        is_error: truth("isError", output.is_error),
        terminate: truth("terminate", output.terminate),
        result: Handle(value::object(&[
            ("content", &content),
            ("details", &field("details")),
        ])),
    })
}

impl Host for PageHost {
    fn rules(&self) -> Rules {
        Rules {
            interrupt_mode: self.core.interrupt_mode.get(),
            ..self.core.options.rules.clone()
        }
    }

    fn emit(&self, event: AgentEvent<JsPage>) -> Delivery {
        self.core.state.follow(&event, self.run.is_kept.get());
        self.core.channel.emit(&event_to_js(&event))
    }

    fn model(&self) -> Model {
        read_model(&self.core.state.get("model")).unwrap_or_default()
    }

    async fn prepare_call(&self) -> Result<Call<AppStream>, Failure> {
        let invalid = |text: String| ErrorInfo::new(ErrorCode::InvalidRequest, text);
        let tools = self
            .core
            .tool_set()
            .map_err(|thrown| invalid(error::describe(&thrown)))?;
        let messages = self.llm_messages().await?;
        let model = read_model(&self.core.state.get("model")).map_err(invalid)?;
        let provider = Head::of(&model, 0.0).provider;
        let api_key = self.network().api_key(&provider).await?;
        let source = match self.core.options.hook(Hook::StreamFn) {
            Some(stream_fn) => Source::App(self.app_stream(stream_fn, &messages, api_key).await?),
            None => {
                let context = Context {
                    system_prompt: self.core.state.system_prompt(),
                    messages: transcript::read_messages(&messages)?,
                    tools: tools.definitions.clone(),
                };
                Source::Provider(Box::new((context, self.request_options(api_key))))
            }
        };
        Ok(Call {
            model,
            timeout_ms: self.core.options.timeout_ms,
            idle_timeout_ms: self.core.options.idle_timeout_ms,
            source,
        })
    }

    async fn has_steering(&self) -> bool {
        poll(
            self.core.options.hook(Hook::GetSteeringMessages),
            &self.core.steering,
        )
        .await;
        !self.core.steering.borrow().is_empty()
    }

    fn take_steering(&self) -> Vec<Handle> {
        self.core.steering.borrow_mut().take()
    }

    async fn has_follow_ups(&self) -> bool {
        poll(
            self.core.options.hook(Hook::GetFollowUpMessages),
            &self.core.follow_ups,
        )
        .await;
        !self.core.follow_ups.borrow().is_empty()
    }

    fn take_follow_ups(&self) -> Vec<Handle> {
        self.core.follow_ups.borrow_mut().take()
    }
}

/// Asks the bare loop's callback for messages and queues what it gives.
async fn poll(callback: Option<&Function>, queue: &RefCell<Queue<Handle>>) {
    let Some(callback) = callback else { return };
    // A callback that fails has no messages.
    if let Ok(messages) = value::call(callback, &JsValue::UNDEFINED, &[]).await {
        let mut queue = queue.borrow_mut();
        for message in value::items(&messages) {
            queue.push(Handle(message));
        }
    }
}
