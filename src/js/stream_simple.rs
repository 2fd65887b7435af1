//! `streamSimple` and `complete`: one model call.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::agent::host::{Call, Clock, Head, HttpResponse, Presenter, Source, Tail, Transport};
use crate::agent::model_call::call_model;
use crate::assemble::Batch;
use crate::error::{ErrorCode, ErrorInfo};
use crate::js::fetch::Body;
use crate::js::host::{empty_message, read_model, sleep, tail_fields};
use crate::js::live::{Channel, EventStream};
use crate::js::network::Network;
use crate::js::options::{Options, Owner};
use crate::js::page::{Handle, JsPage};
use crate::js::run_control::{RunControl, Watch};
use crate::js::stream_fn::AppStream;
use crate::js::tool::read_definitions;
use crate::js::{error, transcript, value};
use crate::message::StopReason;
use crate::model::{Model, ToolDefinition};
use crate::protocol::{Context, HttpRequest, StreamPart};

/// Makes one model call. Returns an async iterable of its events; `result()` is the message.
///
/// Throws when an argument is not what it must be. A call that fails ends with an `error` event,
/// and `result()` is the failed message.
#[wasm_bindgen(js_name = streamSimple, unchecked_return_type = "AssistantMessageEventStream")]
pub fn stream_simple(
    #[wasm_bindgen(unchecked_param_type = "Model")] model: JsValue,
    #[wasm_bindgen(unchecked_param_type = "Context")] context: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "StreamOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let input = Input::read(model, &context, &options)?;
    let (control, settle) = RunControl::new()?;
    let channel = Channel::new(&JsValue::UNDEFINED);
    channel.unwrapped();
    channel.open(&control.signal());
    let watch = Watch::new(&value::get(&options, "signal"), &control, &channel);
    let leave = {
        let (control, channel) = (control.clone(), channel.clone());
        Closure::once_into_js(move || control.abort(&JsValue::UNDEFINED, &channel))
    };
    let stream = EventStream::new(leave.unchecked_ref());
    let sink = stream.clone();
    let listener = Closure::<dyn Fn(JsValue)>::new(move |event| sink.push(&event)).into_js_value();
    channel.subscribe(listener.unchecked_ref());
    let events = stream.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let host = CallHost { input, channel };
        let reply = call_model(&host, &control.abort, &host.input.model, host.prepare()).await;
        stream.end(&reply.message.0);
        drop((settle, watch));
    });
    Ok(events.into())
}

/// Makes one model call and resolves with its message, failed or not.
#[wasm_bindgen(unchecked_return_type = "Promise<AssistantMessage>")]
pub fn complete(
    #[wasm_bindgen(unchecked_param_type = "Model")] model: JsValue,
    #[wasm_bindgen(unchecked_param_type = "Context")] context: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "StreamOptions")] options: JsValue,
) -> Promise {
    let input = match Input::read(model, &context, &options) {
        Ok(input) => input,
        Err(error) => return Promise::reject(&error),
    };
    future_to_promise(async move {
        let (control, settle) = RunControl::new()?;
        let channel = Channel::new(&JsValue::UNDEFINED);
        channel.open(&control.signal());
        let watch = Watch::new(&value::get(&options, "signal"), &control, &channel);
        let host = CallHost { input, channel };
        let reply = call_model(&host, &control.abort, &host.input.model, host.prepare()).await;
        drop((settle, watch));
        Ok(reply.message.0)
    })
}

/// The arguments of a call, checked.
#[derive(Debug)]
struct Input {
    page_model: JsValue,
    model: Model,
    system_prompt: String,
    messages: js_sys::Array,
    tools: Vec<ToolDefinition>,
    options: Options,
}

impl Input {
    fn read(page_model: JsValue, context: &JsValue, options: &JsValue) -> Result<Self, JsValue> {
        let options = Options::read(options, Owner::Simple)?;
        let model = read_model(&page_model)
            .map_err(|problem| error::misuse("invalid_argument", &problem))?;
        if !value::is_plain_object(context) {
            return Err(error::invalid(
                "context",
                "an object with messages",
                context,
            ));
        }
        let messages = value::get(context, "messages");
        if !js_sys::Array::is_array(&messages) {
            return Err(error::invalid(
                "context.messages",
                "an array of messages",
                &messages,
            ));
        }
        let tools = match value::get(context, "tools") {
            tools if tools.is_undefined() => Vec::new(),
            tools => read_definitions(&tools)?,
        };
        Ok(Self {
            page_model,
            model,
            system_prompt: value::get_string(context, "systemPrompt").unwrap_or_default(),
            messages: value::items(&messages).iter().collect(),
            tools,
            options,
        })
    }
}

#[derive(Debug)]
struct CallHost {
    input: Input,
    channel: Channel,
}

impl CallHost {
    fn network(&self) -> Network<'_> {
        Network {
            options: &self.input.options,
            model: self.input.page_model.clone(),
        }
    }

    async fn prepare(&self) -> Result<Call<AppStream>, ErrorInfo> {
        let Input {
            model,
            system_prompt,
            messages,
            tools,
            options,
            ..
        } = &self.input;
        let mut request = options.request.clone();
        request.api_key = self
            .network()
            .api_key(&Head::of(model, 0.0).provider)
            .await?;
        let context = Context {
            system_prompt: system_prompt.clone(),
            messages: transcript::read_messages(messages)?,
            tools: tools.clone(),
        };
        Ok(Call {
            model: model.clone(),
            timeout_ms: options.timeout_ms,
            idle_timeout_ms: options.idle_timeout_ms,
            source: Source::Provider(Box::new((context, request))),
        })
    }
}

impl Clock for CallHost {
    fn now(&self) -> f64 {
        js_sys::Date::now()
    }

    async fn sleep(&self, ms: f64) {
        sleep(ms).await;
    }
}

impl Transport for CallHost {
    type Body = Body;
    type AppStream = AppStream;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<Body>, ErrorInfo> {
        self.network().send(request).await
    }

    async fn read(&self, body: &mut Body) -> Result<Option<Vec<u8>>, ErrorInfo> {
        body.read().await
    }

    async fn next_parts(
        &self,
        _stream: &mut AppStream,
        _parts: &mut Vec<StreamPart>,
    ) -> Result<bool, ErrorInfo> {
        Err(ErrorInfo::new(
            ErrorCode::StreamFn,
            "streamSimple has no streamFn.",
        ))
    }

    async fn on_payload(&self, body: String) -> Result<String, ErrorInfo> {
        self.network().on_payload(body).await
    }

    async fn on_response(&self, response: &HttpResponse<Body>) -> Result<(), ErrorInfo> {
        self.network().on_response(response).await
    }
}

impl Presenter for CallHost {
    type Page = JsPage;

    async fn message_start(&self, head: Head) {
        let message = empty_message(head);
        self.channel.begin(&message);
        self.channel
            .emit(&value::object(&[
                ("type", &"start".into()),
                ("partial", &message),
            ]))
            .await;
    }

    async fn message_update(&self, batch: &Batch, closing: bool) -> usize {
        self.channel.update(batch, closing).await
    }

    async fn message_end(&self, tail: &Tail) -> Handle {
        let message = self.channel.end(&tail_fields(tail));
        let reason = value::get(&message, "stopReason");
        let event = match tail.ending.stop_reason {
            StopReason::Error | StopReason::Aborted => value::object(&[
                ("type", &"error".into()),
                ("reason", &reason),
                ("error", &message),
            ]),
            StopReason::Stop | StopReason::Length | StopReason::ToolUse => value::object(&[
                ("type", &"done".into()),
                ("reason", &reason),
                ("message", &message),
            ]),
        };
        self.channel.emit(&event).await;
        Handle(message)
    }
}
