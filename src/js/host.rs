//! The loop's host in a browser: an agent's state, tools, hooks and network.
//!
//! Where nothing has to be done behind an await, a method returns the future itself: every `async fn`
//! is a type of its own, with its own code to poll and to drop it.

#![allow(
    refining_impl_trait,
    reason = "the methods that return a named future promise no more than the trait"
)]

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Function, Object};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use crate::agent::host::{
    Call, Clock, FinishTurn, Head, Host, HttpResponse, Presenter, Rules, Source, Tail, Transport,
};
use crate::agent::queue::Queue;
use crate::assemble::Batch;
use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::event::{AgentEvent, MessageEndEvent, MessageStartEvent};
use crate::js::core::Core;
use crate::js::fetch::{self, Body};
use crate::js::given::{self, check_message, read_model};
use crate::js::hook::{call_hook, hook_failed, must_return, require_array};
use crate::js::live::{Delivery, Update};
use crate::js::network::Network;
use crate::js::page::{Handle, JsPage, event_to_js};
use crate::js::run_control::RunControl;
use crate::js::stream_fn::AppStream;
use crate::js::tool::{PageTool, ToolSet, Tools, copied};
use crate::js::transcript::{self, Held};
use crate::js::{error, value};
use crate::message::{StopReason, Usage};
use crate::model::{Model, RequestOptions};
use crate::protocol::{Context, HttpRequest, StreamPart};
use crate::text::json::{JsonWriter, Names};

#[wasm_bindgen(module = "/src/js/streams.js")]
extern "C" {
    /// Nothing, or a promise for the return of the network.
    fn online(signal: &AbortSignal) -> JsValue;
}

/// One run of a [`Core`].
#[derive(Debug)]
pub(super) struct PageHost {
    pub(super) core: Rc<Core>,
    pub(super) run: RunControl,
    kind: Kind,
    /// What the current model call is made with.
    tools: RefCell<Tools>,
    model: RefCell<JsValue>,
    /// Long data on its way from messages to the body of a request.
    held: RefCell<Held>,
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
            run,
            kind,
            // Calls may wait from a session that was restored. What is wrong with tools is told by the next call.
            tools: RefCell::new(core.tools().unwrap_or_default()),
            model: RefCell::new(core.state.get("model")),
            held: RefCell::new(Held::new()),
            core,
        }
    }

    /// The tool of this name, of those that the current call was made with.
    pub(super) fn page_tool(&self, name: &str) -> Option<PageTool> {
        self.tools.borrow().find(name)
    }

    pub(super) fn tools(&self) -> Rc<ToolSet> {
        self.tools.borrow().set.clone()
    }

    fn network(&self) -> Network<'_> {
        Network {
            core: &self.core,
            model: self.model.borrow().clone(),
            held: self.held.borrow().clone(),
        }
    }

    /// What the next call is made with: the state, and over it what `prepareRequest` returns.
    async fn request(&self) -> Result<Request, Failure> {
        let state = &self.core.state;
        let mut request = Request {
            system_prompt: state.get("systemPrompt"),
            messages: state.messages().iter().collect::<Array>().into(),
            tools: state.get("tools"),
            model: state.get("model"),
            thinking_level: state.get("thinkingLevel"),
        };
        self.model.replace(request.model.clone());
        self.tools.replace(self.core.tools().map_err(invalid)?);
        let Some(hook) = self.core.channel.hook("prepareRequest") else {
            return Ok(request);
        };
        let context = value::object(&[
            ("systemPrompt", &request.system_prompt),
            ("messages", &request.messages),
            ("tools", &request.tools),
        ]);
        let told = value::object(&[
            ("context", &context),
            ("model", &request.model),
            ("thinkingLevel", &request.thinking_level),
        ]);
        let given = call_hook("prepareRequest", &hook, &[&told, &self.run.signal()]).await?;
        if given.is_undefined() || given.is_null() {
            return Ok(request);
        }
        let failed = |problem: &str| hook_failed("prepareRequest", problem);
        if !value::is_plain_object(&given) {
            let expected = "{ context, model, thinkingLevel } or nothing";
            return Err(must_return("prepareRequest", expected, &given));
        }
        let context = value::get(&given, "context");
        for (place, object, key) in [
            (&mut request.system_prompt, &context, "systemPrompt"),
            (&mut request.messages, &context, "messages"),
            (&mut request.tools, &context, "tools"),
            (&mut request.model, &given, "model"),
            (&mut request.thinking_level, &given, "thinkingLevel"),
        ] {
            let found = value::get(object, key);
            if !found.is_undefined() {
                *place = found;
            }
        }
        require_array("prepareRequest", &request.messages)?;
        let set = ToolSet::read(&request.tools, false);
        let set = set.map_err(|thrown| failed(&error::describe(&thrown)))?;
        read_model(&request.model).map_err(|thrown| failed(&error::describe(&thrown)))?;
        self.tools
            .replace(Tools::new(Rc::new(set), copied(&request.tools)));
        self.model.replace(request.model.clone());
        Ok(request)
    }

    /// `transformContext`, then `convertToLlm`.
    async fn llm_messages(&self, mut messages: JsValue) -> Result<Array, Failure> {
        if let Some(hook) = self.core.channel.hook("transformContext") {
            messages =
                call_hook("transformContext", &hook, &[&messages, &self.run.signal()]).await?;
            require_array("transformContext", &messages)?;
        }
        match self.core.channel.hook("convertToLlm") {
            Some(hook) => {
                messages = call_hook("convertToLlm", &hook, &[&messages]).await?;
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
        request: &Request,
        messages: &Array,
        api_key: Option<String>,
    ) -> Result<AppStream, Failure> {
        let context = value::object(&[
            ("systemPrompt", &request.system_prompt),
            ("messages", messages),
            ("tools", &request.tools),
        ]);
        let options = value::object(&[
            ("apiKey", &api_key.map_or(JsValue::UNDEFINED, JsValue::from)),
            ("reasoning", &told_level(&request.thinking_level)),
            ("signal", &self.run.signal()),
        ]);
        Object::assign(options.unchecked_ref(), &self.core.channel.told());
        if let Some(fetch) = self.core.channel.hook("fetch") {
            value::set(&options, "fetch", &fetch);
        }
        let source =
            call_hook("streamFn", stream_fn, &[&request.model, &context, &options]).await?;
        AppStream::open(&source)
    }

    fn request_options(
        &self,
        request: &Request,
        api_key: Option<String>,
    ) -> Result<RequestOptions, Failure> {
        let mut options = self.core.options.request.clone();
        options.api_key = api_key;
        options.reasoning = given::data(&request.thinking_level, "thinkingLevel")
            .map_err(|thrown| hook_failed("prepareRequest", &error::describe(&thrown)))?;
        Ok(options)
    }
}

/// What one model call is made from, as the page's values.
struct Request {
    system_prompt: JsValue,
    messages: JsValue,
    tools: JsValue,
    model: JsValue,
    thinking_level: JsValue,
}

/// A source of the app's is told of a level, or of none.
fn told_level(level: &JsValue) -> JsValue {
    if level == "off" {
        JsValue::UNDEFINED
    } else {
        level.clone()
    }
}

fn invalid(thrown: JsValue) -> Failure {
    ErrorInfo::new(ErrorCode::InvalidRequest, error::describe(&thrown))
}

fn is_llm_message(message: &JsValue) -> bool {
    matches!(
        value::get_string(message, "role").as_deref(),
        Some("user" | "assistant" | "toolResult")
    )
}

/// An assistant message without content.
fn empty_message(head: Head) -> JsValue {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("role").string("assistant");
        json.key("content").raw("[]");
        json.key("api").string(&head.api);
        json.key("provider").string(&head.provider);
        json.key("model").string(&head.model);
        write_usage(json, &Usage::default());
        write_stop_reason(json, StopReason::Stop);
        json.key("timestamp").number(head.timestamp);
    });
    value::parsed(json)
}

/// The fields that complete an assistant message.
fn tail_fields(tail: &Tail) -> JsValue {
    let ending = &tail.ending;
    let mut json = JsonWriter::default();
    json.object(|json| {
        write_usage(json, &ending.usage);
        write_stop_reason(json, ending.stop_reason);
        if let Some(id) = &ending.response_id {
            json.key("responseId").string(id);
        }
        if let Some(error) = &ending.error {
            json.key("errorMessage").string(&error.message);
            json.key("error").object(|json| write_error(json, error));
        }
        json.key("durationMs").number(tail.duration_ms);
    });
    value::parsed(json)
}

fn write_stop_reason(json: &mut JsonWriter, reason: StopReason) {
    json.key("stopReason").string(reason.json_name());
}

fn write_error(json: &mut JsonWriter, error: &ErrorInfo) {
    json.key("code").string(error.code.json_name());
    json.key("message").string(&error.message);
    if let Some(status) = error.status {
        json.key("status").number(status.into());
    }
    if let Some(ms) = error.retry_after_ms {
        json.key("retryAfterMs").number(ms);
    }
    json.key("retryable").boolean(error.retryable);
}

#[inline(never)]
fn write_usage(json: &mut JsonWriter, usage: &Usage) {
    let cost = &usage.cost;
    json.key("usage").object(|json| {
        for (key, tokens) in [
            ("input", usage.input),
            ("output", usage.output),
            ("cacheRead", usage.cache_read),
            ("cacheWrite", usage.cache_write),
            ("totalTokens", usage.total_tokens),
        ] {
            json.key(key).number(tokens);
        }
        json.key("cost").object(|json| {
            for (key, dollars) in [
                ("input", cost.input),
                ("output", cost.output),
                ("cacheRead", cost.cache_read),
                ("cacheWrite", cost.cache_write),
                ("total", cost.total),
            ] {
                json.key(key).number(dollars);
            }
        });
    });
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
        let body = self.held.borrow().fill(&request.body).into();
        fetch::send(request, body, self.core.channel.hook("fetch"))
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
        self.core.channel.emit(&value::event(kind, fields))
    }
}

impl Host for PageHost {
    fn rules(&self) -> Rules {
        Rules {
            interrupt_mode: self.core.interrupt_mode.get(),
            ..self.core.options.rules.clone()
        }
    }

    fn emit(&self, event: AgentEvent<JsPage>) -> Delivery {
        let event = event_to_js(&event);
        self.core.state.follow(&event, self.run.is_kept.get());
        self.core.channel.emit(&event)
    }

    fn model(&self) -> Model {
        read_model(&self.core.state.get("model")).unwrap_or_default()
    }

    async fn prepare_call(&self) -> Result<Call<AppStream>, Failure> {
        let request = self.request().await?;
        let messages = self.llm_messages(request.messages.clone()).await?;
        let model = read_model(&request.model).map_err(invalid)?;
        let provider = Head::of(&model, 0.0).provider;
        let api_key = self.network().api_key(&provider).await?;
        let source = match self.core.channel.hook("streamFn") {
            Some(stream_fn) => {
                let stream = self.app_stream(&stream_fn, &request, &messages, api_key);
                Source::App(stream.await?)
            }
            None => {
                let held = Held::new();
                let context = Context {
                    system_prompt: request.system_prompt.as_string().unwrap_or_default(),
                    messages: transcript::read_messages(&messages, &held)?,
                    tools: self.tools().definitions.clone(),
                };
                self.held.replace(held);
                Source::Provider(Box::new((
                    context,
                    self.request_options(&request, api_key)?,
                )))
            }
        };
        Ok(Call {
            model,
            timeout_ms: self.core.options.timeout_ms,
            idle_timeout_ms: self.core.options.idle_timeout_ms,
            max_event_bytes: self.core.options.max_event_bytes,
            source,
        })
    }

    fn forget(&self, messages: &[Handle]) {
        self.core.state.forget(messages);
    }

    async fn finish_turn(
        &self,
        message: &Handle,
        results: &[Handle],
    ) -> Result<FinishTurn, Failure> {
        let Some(hook) = self.core.channel.hook("finishTurn") else {
            return Ok(FinishTurn::AsUsual);
        };
        let results: Array = results.iter().map(|result| &result.0).collect();
        let turn = value::object(&[
            ("message", &message.0),
            ("toolResults", &results),
            // A copy: the hook may do with it what it likes.
            (
                "messages",
                &self.core.state.messages().iter().collect::<Array>(),
            ),
        ]);
        let verdict = call_hook("finishTurn", &hook, &[&turn, &self.run.signal()]).await?;
        match verdict.as_string().as_deref() {
            Some("end") => Ok(FinishTurn::End),
            Some("continue") => Ok(FinishTurn::Continue),
            None if verdict.is_undefined() || verdict.is_null() => Ok(FinishTurn::AsUsual),
            _ => {
                let expected = "\"continue\", \"end\" or nothing";
                Err(must_return("finishTurn", expected, &verdict))
            }
        }
    }

    async fn online(&self) {
        // A browser that cannot tell is taken to be online.
        let _ = value::settle(online(&self.run.signal())).await;
    }

    fn random(&self) -> f64 {
        js_sys::Math::random()
    }

    async fn has_messages(&self, with_follow_ups: bool) -> bool {
        let core = &self.core;
        let queues = [
            ("getSteeringMessages", &core.steering),
            ("getFollowUpMessages", &core.follow_ups),
        ];
        for (callback, queue) in queues.into_iter().take(1 + usize::from(with_follow_ups)) {
            poll(core.channel.hook(callback), queue).await;
            if !queue.borrow().is_empty() {
                return true;
            }
        }
        false
    }

    fn take_steering(&self) -> Vec<Handle> {
        let messages = self.core.steering.borrow_mut().take();
        self.core.state.take(messages)
    }

    fn take_follow_ups(&self) -> Vec<Handle> {
        let messages = self.core.follow_ups.borrow_mut().take();
        self.core.state.take(messages)
    }
}

/// Asks the bare loop's callback for messages and queues what it gives.
async fn poll(callback: Option<Function>, queue: &RefCell<Queue<Handle>>) {
    let Some(callback) = callback else { return };
    // A callback that fails has no messages.
    if let Ok(messages) = value::call(&callback, &JsValue::UNDEFINED, &[]).await {
        for message in value::items(&messages) {
            // What is no message is none to wait for.
            if let Ok(message) = check_message(&message, "message") {
                queue.borrow_mut().push(Handle(message));
            }
        }
    }
}
