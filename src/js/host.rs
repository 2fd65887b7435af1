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

use js_sys::{Array, Function, Object};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use crate::agent::host::{
    Call, Clock, FinishTurn, Head, Host, HttpResponse, Rules, Source, Transport,
};
use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::event::AgentEvent;
use crate::js::core::Core;
use crate::js::fetch::{self, Body};
use crate::js::given::{check_message, read_model};
use crate::js::hook::{call_hook, must_return, require_array};
use crate::js::live::Delivery;
use crate::js::network::Network;
use crate::js::page::{Handle, JsPage, event_to_js};
use crate::js::queue::Queue;
use crate::js::request::Request;
use crate::js::run_control::RunControl;
use crate::js::stream_fn::AppStream;
use crate::js::timer::Sleep;
use crate::js::tool::{PageTool, ToolSet, Tools};
use crate::js::transcript::{self, Held};
use crate::js::{error, value};
use crate::model::Model;
use crate::protocol::{Context, HttpRequest, StreamPart};

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
    pub(super) kind: Kind,
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
        let mut request = Request::of(&self.core.state);
        self.model.replace(request.model.clone());
        self.tools.replace(self.core.tools().map_err(invalid)?);
        if let Some(hook) = self.core.channel.hook("prepareRequest") {
            let told = [&request.told(), &self.run.signal()];
            let answer = call_hook("prepareRequest", &hook, &told).await?;
            if let Some(tools) = request.replace(&answer)? {
                self.tools.replace(tools);
                self.model.replace(request.model.clone());
            }
        }
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
                Ok(value::copied(&messages))
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
}

/// A source of the app's is told of a level, or of none.
fn told_level(level: &JsValue) -> JsValue {
    if level == "off" {
        JsValue::UNDEFINED
    } else {
        level.clone()
    }
}

fn is_llm_message(message: &JsValue) -> bool {
    matches!(
        value::get_string(message, "role").as_deref(),
        Some("user" | "assistant" | "toolResult")
    )
}

fn invalid(thrown: JsValue) -> Failure {
    ErrorInfo::new(ErrorCode::InvalidRequest, error::describe(&thrown))
}

impl Clock for PageHost {
    fn now(&self) -> f64 {
        js_sys::Date::now()
    }

    fn sleep(&self, ms: f64) -> Sleep {
        Sleep::new(ms)
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
                let options = request.options(&self.core.options.request, api_key)?;
                Source::Provider(Box::new((context, options)))
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
            ("messages", &value::copied(&self.core.state.get("messages"))),
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
            if let Some(callback) = core.channel.hook(callback) {
                let given = value::call(&callback, &JsValue::UNDEFINED, &[]).await;
                queue_given(given, queue);
            }
            if !queue.is_empty() {
                return true;
            }
        }
        false
    }

    fn take_steering(&self) -> Vec<Handle> {
        let messages = self.core.steering.take();
        self.core.state.take(messages)
    }

    fn take_follow_ups(&self) -> Vec<Handle> {
        let messages = self.core.follow_ups.take();
        self.core.state.take(messages)
    }
}

/// Queues what a callback of the bare loop gave. One that fails has no messages.
fn queue_given(given: Result<JsValue, JsValue>, queue: &Queue) {
    for message in value::items(&given.unwrap_or_default()) {
        // What is no message is none to wait for.
        if let Ok(message) = check_message(&message, "message") {
            queue.push(&message);
        }
    }
}
