//! One model call: from the request to the finished assistant message.
//!
//! ```text
//! encode ─► send ─► status, content type ─► read ─► frames ─► parts ─► operations ─► presenter
//!    └────────┴───────────────┴────────────────┴─ each can fail, time out or be aborted ──► message_end
//! ```
//!
//! Whatever happens, exactly one message begins and ends, every block in it is closed, and the
//! message says how it went. Nothing here knows tools or turns.

mod failure;

pub(super) use failure::{hook_timeout, overdue};

use std::sync::atomic::{AtomicU32, Ordering};

use crate::agent::abort::Abort;
use crate::agent::host::{Call, Head, HttpResponse, Presenter, Source, Tail, Transport};
use crate::agent::patience::{Boxed, Patience, Stopped};
use crate::assemble::{AssembledCall, Assembler};
use crate::error::{ErrorInfo, Failure};
use crate::event::Page;
use crate::message::StopReason;
use crate::model::{Model, ModelCost, RequestOptions};
use crate::protocol::history::ToolNames;
use crate::protocol::{self, Api, Context, Decoder, Origin, StreamPart};
use crate::text::sse::SseDecoder;
use crate::text::{contains, lossy, number};
use failure::{Wire, timeout};

/// The most that is kept of a body that may turn out not to be a stream, in bytes.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// How long the body of a failure may take, in milliseconds: the status says most of it.
const FAILURE_MS: f64 = 5000.0;

/// A finished call.
#[derive(Debug)]
pub struct Reply<A> {
    /// The message.
    pub message: A,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// What failed, when it was not whole.
    pub error: Option<Failure>,
    /// The tool calls in it.
    pub calls: Vec<AssembledCall>,
}

impl Head {
    /// The head of a message of this model.
    pub fn of(model: &Model, timestamp: f64) -> Self {
        let default = || {
            Api::from_name(&model.api)
                .map_or(model.api.clone(), |api| api.default_provider().to_owned())
        };
        let provider = model.provider.clone().unwrap_or_else(default);
        Self {
            api: model.api.clone(),
            provider,
            model: model.id.clone(),
            timestamp,
        }
    }

    fn rename(&mut self, origin: &Origin) {
        self.api.clone_from(&origin.api);
        self.provider.clone_from(&origin.provider);
        self.model.clone_from(&origin.model);
    }
}

/// Makes the model call that `prepared` describes and presents its message. Where the preparation
/// fails, `model` gives what names the message. No hook of the app may take longer than
/// `hook_timeout_ms`.
pub async fn call_model<H: Transport + Presenter>(
    host: &H,
    abort: &Abort,
    model: &dyn Fn() -> Model,
    hook_timeout_ms: Option<f64>,
    prepared: Boxed<'_, Result<Call<H::AppStream>, Failure>>,
) -> Reply<<H::Page as Page>::Assistant> {
    let began = host.now();
    let mut patience = Patience::new(abort, host);
    let prepared = patience.wait(hook_timeout_ms, prepared).await;
    let prepared = settled(prepared, hook_timeout, PREPARATION, hook_timeout_ms);
    let (head, cost) = match &prepared {
        Ok(call) => (Head::of(&call.model, began), call.model.cost),
        Err(_) => (Head::of(&model(), began), None),
    };
    let mut reception = Reception {
        host,
        abort,
        hook_timeout_ms,
        patience,
        head: Some(head),
        wire: Wire::default(),
        names: ToolNames::default(),
        assembler: Assembler::new(&id_prefix(began)),
        parts: Vec::new(),
    };
    let received = match prepared {
        Ok(call) => reception.receive(call).await,
        Err(error) => Err(error),
    };
    if let Err(error) = received {
        reception.assembler.fail(failure::in_light_of(abort, error));
    }
    reception.end(began, cost).await
}

struct Reception<'a, H> {
    host: &'a H,
    abort: &'a Abort,
    hook_timeout_ms: Option<f64>,
    patience: Patience<'a, H>,
    /// Taken when the message begins.
    head: Option<Head>,
    wire: Wire,
    names: ToolNames,
    assembler: Assembler,
    parts: Vec<StreamPart>,
}

/// How far one response may be from what was asked for.
#[derive(Debug, Clone, Copy)]
struct Limits {
    timeout_ms: Option<f64>,
    idle_timeout_ms: Option<f64>,
    max_event_bytes: usize,
}

impl Limits {
    /// How long the body may be silent. A complete answer only waits for what may come behind it.
    fn silence(self, decoder: &Decoder) -> Option<f64> {
        if !decoder.is_complete() {
            return self.idle_timeout_ms;
        }
        Some(self.at_most(decoder.grace_ms()))
    }

    fn at_most(self, limit_ms: f64) -> f64 {
        self.idle_timeout_ms
            .map_or(limit_ms, |limit| limit.min(limit_ms))
    }
}

impl<H: Transport + Presenter> Reception<'_, H> {
    async fn receive(&mut self, call: Call<H::AppStream>) -> Result<(), Failure> {
        let limits = Limits {
            timeout_ms: call.timeout_ms,
            idle_timeout_ms: call.idle_timeout_ms,
            max_event_bytes: call.max_event_bytes,
        };
        match call.source {
            Source::Provider(mut input) => {
                self.receive_from_provider(&call.model, &mut input, limits)
                    .await
            }
            Source::App(stream) => self.receive_from_app(stream, limits).await,
        }
    }

    async fn receive_from_app(
        &mut self,
        mut stream: H::AppStream,
        limits: Limits,
    ) -> Result<(), Failure> {
        let mut more = true;
        while more && !self.assembler.has_failed() {
            let mut parts = std::mem::take(&mut self.parts);
            let next = self.host.next_parts(&mut stream, &mut parts);
            let next = self.patience.wait(limits.idle_timeout_ms, next).await;
            self.parts = parts;
            if let (Some(head), Some(StreamPart::Origin(origin))) =
                (&mut self.head, self.parts.first())
            {
                head.rename(origin);
            }
            self.begin().await;
            self.present().await?;
            more = settled(next, timeout, IDLE, limits.idle_timeout_ms)?;
        }
        Ok(())
    }

    async fn receive_from_provider(
        &mut self,
        model: &Model,
        (context, options): &mut (Context, RequestOptions),
        limits: Limits,
    ) -> Result<(), Failure> {
        let api = Api::of(model, options).ok_or_else(|| failure::unknown_api(&model.api))?;
        self.names = ToolNames::new(api, &context.tools);
        self.assembler.follow(&context.messages);
        let mut request = api.encode(model, context, options)?;
        self.wire = Wire::new(api, model, &request);
        let limit_ms = self.hook_timeout_ms;
        let told = self.host.on_payload(request.body);
        let told = self.patience.wait(limit_ms, told).await;
        request.body = settled(told, hook_timeout, "onPayload", limit_ms)?;
        let sent = self.host.send(request);
        let sent = self.patience.wait(limits.timeout_ms, sent).await;
        let mut response = settled(sent, timeout, HEADERS, limits.timeout_ms)?;
        let told = self.host.on_response(&response);
        let told = self.patience.wait(limit_ms, told).await;
        settled(told, hook_timeout, "onResponse", limit_ms)?;
        if !(200..300).contains(&response.status) {
            let (status, retry_after_ms) = (response.status, response.retry_after_ms);
            let body = self.read_all(response, limits).await;
            let error = protocol::from_http(status, &body, retry_after_ms);
            return Err(self.wire.told(error));
        }
        if contains(&response.content_type, "html") {
            return Err(failure::not_a_stream(&response));
        }
        self.begin().await;
        self.read_stream(&mut response, api.decoder(), limits).await
    }

    async fn read_stream(
        &mut self,
        response: &mut HttpResponse<H::Body>,
        mut decoder: Decoder,
        limits: Limits,
    ) -> Result<(), Failure> {
        let mut sse = SseDecoder::with_limit(limits.max_event_bytes);
        // Until the first frame, the body may still turn out to be something else.
        let mut unframed = Some(Vec::new());
        let mut open = true;
        while open && !decoder.is_done() && !self.assembler.has_failed() {
            let silence_ms = limits.silence(&decoder);
            let read = self.host.read(&mut response.body);
            let read = self.patience.wait(silence_ms, read).await;
            match settled(read, timeout, IDLE, silence_ms) {
                Ok(Some(bytes)) => {
                    sse.push(&bytes);
                    if let Some(kept) = unframed.as_mut().filter(|kept| kept.len() < BODY_LIMIT) {
                        kept.extend_from_slice(&bytes);
                    }
                }
                Ok(None) => {
                    sse.finish();
                    open = false;
                }
                Err(error) if self.abort.is_fired() || !decoder.is_complete() => return Err(error),
                // However the connection of a complete answer breaks, the answer stands.
                Err(_) => open = false,
            }
            while !decoder.is_done()
                && let Some(frame) = sse.next_frame()
            {
                unframed = None;
                decoder.on_frame(frame, &mut self.parts);
            }
            if sse.overflowed() {
                return Err(failure::too_long());
            }
            if !open {
                let body = unframed.take().unwrap_or_default();
                self.end_of_body(response, &mut decoder, &body)?;
            }
            self.present().await?;
        }
        if decoder.is_complete() && !self.assembler.has_failed() {
            self.host.set_complete(&mut response.body);
        }
        Ok(())
    }

    /// The body has ended; `unframed` is all of it if it had no frames.
    fn end_of_body(
        &mut self,
        response: &HttpResponse<H::Body>,
        decoder: &mut Decoder,
        unframed: &[u8],
    ) -> Result<(), Failure> {
        let body = lossy(unframed);
        let body = body.trim();
        if body.starts_with(['{', '[']) {
            decoder.on_whole_body(body, &mut self.parts);
            return Ok(());
        }
        // A stream that was cut before its first event holds comments or nothing.
        let is_stream = body.is_empty()
            || body.starts_with(':')
            || (response.content_type.starts_with("text/event-stream") && !body.starts_with('<'));
        if !is_stream {
            return Err(failure::not_a_stream(response));
        }
        decoder.finish(&mut self.parts);
        Ok(())
    }

    /// What comes of the body of a failure, as text: the status says enough to wait for it only so
    /// long and so far.
    async fn read_all(&mut self, mut response: HttpResponse<H::Body>, limits: Limits) -> String {
        let (host, mut bytes) = (self.host, Vec::new());
        let reading = async {
            while bytes.len() < BODY_LIMIT
                && let Ok(Some(chunk)) = host.read(&mut response.body).await
            {
                bytes.extend_from_slice(&chunk);
            }
        };
        let limit_ms = limits.at_most(FAILURE_MS);
        // However it ends, what has come is the body.
        let _ = self.patience.wait(Some(limit_ms), reading).await;
        lossy(&bytes)
    }

    /// Takes in the parts at hand and shows what they did.
    async fn present(&mut self) -> Result<(), Failure> {
        for mut part in self.parts.drain(..) {
            if let StreamPart::ToolCallStart { name, .. } = &mut part {
                self.names.restore(name);
            }
            self.assembler.apply(match part {
                StreamPart::Error(error) => StreamPart::Error(self.wire.reported(error)),
                part => part,
            });
        }
        if !self.assembler.batch().is_empty() {
            let words = self
                .host
                .message_update(self.assembler.batch(), false)
                .await;
            self.assembler.commit(words);
        }
        if self.abort.is_fired() {
            Err(ErrorInfo::aborted())
        } else {
            Ok(())
        }
    }

    async fn begin(&mut self) {
        if let Some(head) = self.head.take() {
            self.host.message_start(head).await;
        }
    }

    async fn end(
        mut self,
        began: f64,
        cost: Option<ModelCost>,
    ) -> Reply<<H::Page as Page>::Assistant> {
        self.begin().await;
        self.assembler.close();
        if !self.assembler.batch().is_empty() {
            let words = self.host.message_update(self.assembler.batch(), true).await;
            self.assembler.commit(words);
        }
        let mut ending = self.assembler.finish(cost);
        if let Some(error) = &mut ending.error {
            self.wire.hide_secrets(error);
        }
        let tail = Tail {
            ending,
            duration_ms: (self.host.now() - began).max(0.0),
        };
        let message = self.host.message_end(&tail).await;
        Reply {
            message,
            stop_reason: tail.ending.stop_reason,
            error: tail.ending.error,
            calls: tail.ending.calls,
        }
    }
}

/// What a wait came to. `late` is how one fails that took too long.
fn settled<T>(
    output: Result<Result<T, Failure>, Stopped>,
    late: fn(&str, Option<f64>) -> Failure,
    what: &str,
    limit_ms: Option<f64>,
) -> Result<T, Failure> {
    match output {
        Ok(result) => result,
        Err(Stopped::TimedOut) => Err(late(what, limit_ms)),
        Err(Stopped::Aborted) => Err(ErrorInfo::aborted()),
    }
}

const PREPARATION: &str =
    "What prepares a request (prepareRequest, transformContext, convertToLlm, getApiKey, streamFn)";
const HEADERS: &str = "The server sent no response headers";
const IDLE: &str = "The response was silent";

/// A short text that differs from message to message, also when the clock stands still between
/// two of them.
fn id_prefix(ms: f64) -> String {
    static MESSAGES: AtomicU32 = AtomicU32::new(0);
    let count = MESSAGES.fetch_add(1, Ordering::Relaxed);
    let clock = number::in_base(36, ms.max(0.0) as u64);
    [&clock, "_", &number::in_base(36, count.into())].concat()
}
