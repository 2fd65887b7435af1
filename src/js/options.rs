//! Options of the exported functions: read once, each checked, an unknown name refused.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use crate::agent::host::Rules;
use crate::agent::queue::QueueMode;
use crate::agent::retry::RetryRules;
use crate::js::fields::Fields;
use crate::js::{error, transcript, value};
use crate::model::{Named, Proxy, RequestOptions};
use crate::text::json::FromJson;
use crate::text::sse::DEFAULT_LIMIT;

/// Options of one model call.
const CALL: &[&str] = &[
    "apiKey",
    "getApiKey",
    "fetch",
    "headers",
    "sessionId",
    "temperature",
    "maxTokens",
    "thinkingBudgets",
    "cacheRetention",
    "toolChoice",
    "onPayload",
    "onResponse",
    "timeoutMs",
    "idleTimeoutMs",
    "hookTimeoutMs",
    "maxEventBytes",
];
/// Options of a run.
const RUN: &[&str] = &[
    "convertToLlm",
    "transformContext",
    "streamFn",
    "beforeToolCall",
    "afterToolCall",
    "prepareRequest",
    "finishTurn",
    "interruptMode",
    "toolExecution",
    "toolTimeoutMs",
    "maxTurns",
    "retry",
];
/// Options of the class only.
const AGENT: &[&str] = &["initialState", "steeringMode", "followUpMode"];
/// Options of the bare loop only.
const LOOP: &[&str] = &[
    "model",
    "reasoning",
    "getSteeringMessages",
    "getFollowUpMessages",
];
/// Options of `streamSimple` only.
const SIMPLE: &[&str] = &["reasoning", "signal"];
/// Options of `streamProxy` only.
const PROXY: &[&str] = &["proxyUrl", "authToken"];

/// Milliseconds without response headers, and without a byte of the body, that are taken for a
/// dead connection where the app names no limit: longer than any healthy provider is silent.
const DEFAULT_TIMEOUT_MS: f64 = 600_000.0;
const DEFAULT_IDLE_TIMEOUT_MS: f64 = 300_000.0;

/// Options that are told to a `streamFn` as they are.
const TOLD: [&str; 7] = [
    "headers",
    "temperature",
    "maxTokens",
    "toolChoice",
    "cacheRetention",
    "sessionId",
    "thinkingBudgets",
];

/// Whose options they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// `new Agent(options)`.
    Agent,
    /// `agentLoop(…, config)`.
    Loop,
    /// `streamSimple(…, options)`.
    Simple,
    /// `streamProxy(…, options)`.
    Proxy,
}

/// The app's functions.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hook {
    GetApiKey,
    Fetch,
    OnPayload,
    OnResponse,
    ConvertToLlm,
    TransformContext,
    StreamFn,
    BeforeToolCall,
    AfterToolCall,
    PrepareRequest,
    FinishTurn,
    GetSteeringMessages,
    GetFollowUpMessages,
}

/// Their names, in the order of [`Hook`].
const HOOKS: [&str; 13] = [
    "getApiKey",
    "fetch",
    "onPayload",
    "onResponse",
    "convertToLlm",
    "transformContext",
    "streamFn",
    "beforeToolCall",
    "afterToolCall",
    "prepareRequest",
    "finishTurn",
    "getSteeringMessages",
    "getFollowUpMessages",
];

/// Everything that can be set from outside, checked.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) api_key: Option<String>,
    hooks: [Option<Function>; HOOKS.len()],
    pub(super) request: RequestOptions,
    /// Those that are told to a `streamFn`, as the app gave them.
    pub(super) given: JsValue,
    pub(super) timeout_ms: Option<f64>,
    pub(super) idle_timeout_ms: Option<f64>,
    pub(super) max_event_bytes: usize,
    pub(super) rules: Rules,
    pub(super) steering_mode: QueueMode,
    pub(super) follow_up_mode: QueueMode,
}

impl Owner {
    fn name(self) -> &'static str {
        match self {
            Self::Agent => "Agent options",
            Self::Loop => "the config of agentLoop",
            Self::Simple => "the options of streamSimple",
            Self::Proxy => "the options of streamProxy",
        }
    }

    fn knows(self, key: &str) -> bool {
        let lists: &[&[&str]] = match self {
            Self::Agent => &[CALL, RUN, AGENT],
            Self::Loop => &[CALL, RUN, LOOP],
            Self::Simple => &[CALL, SIMPLE],
            Self::Proxy => &[CALL, SIMPLE, PROXY],
        };
        lists.iter().any(|list| list.contains(&key))
    }
}

impl Options {
    /// A function of the app.
    pub(super) fn hook(&self, hook: Hook) -> Option<&Function> {
        self.hooks.get(hook as usize)?.as_ref()
    }

    /// The function that makes responses, in place of the one among the options.
    pub(super) fn set_stream_fn(&mut self, stream_fn: Function) {
        if let Some(place) = self.hooks.get_mut(Hook::StreamFn as usize) {
            *place = Some(stream_fn);
        }
    }

    /// Reads options; `undefined` stands for none.
    ///
    /// # Errors
    /// An error that names the option and what it must be.
    pub(super) fn read(options: &JsValue, owner: Owner) -> Result<Self, JsValue> {
        if !options.is_undefined() && !value::is_plain_object(options) {
            return Err(error::invalid(owner.name(), "an object", options));
        }
        let mut fields = Fields::new(options, String::new());
        for key in value::keys(options) {
            if !owner.knows(&key) && fields.given(&key).is_some() {
                let message = [owner.name(), " have no \"", &key, "\". Check the spelling."];
                fields.note(error::misuse("invalid_argument", &message.concat()));
            }
        }
        let mut read = Self::of(&mut fields);
        read.rules.retry = read_retry(&mut fields, owner);
        if owner == Owner::Proxy {
            read.call_proxy(&mut fields);
        }
        fields.finish().map(|()| read)
    }

    /// Calls go to the app's backend, which has a key of its own: that of the page goes nowhere.
    fn call_proxy(&mut self, fields: &mut Fields<'_>) {
        let url = fields.string("proxyUrl");
        if url.is_none() {
            fields.expected("proxyUrl", "a string", &JsValue::UNDEFINED);
        }
        self.request.proxy = Some(Proxy {
            url: url.unwrap_or_default(),
            auth_token: fields.string("authToken"),
        });
        self.api_key = None;
        if let Some(hook) = self.hooks.get_mut(Hook::GetApiKey as usize) {
            *hook = None;
        }
    }

    fn of(fields: &mut Fields<'_>) -> Self {
        Self {
            api_key: fields.string("apiKey"),
            hooks: HOOKS.map(|name| fields.function(name)),
            request: RequestOptions {
                api_key: None,
                headers: plain_headers(fields),
                reasoning: fields
                    .data("reasoning", THINKING_LEVELS)
                    .unwrap_or_default(),
                temperature: fields.number("temperature", 0),
                max_tokens: fields.number("maxTokens", 1),
                tool_choice: fields
                    .data("toolChoice", "\"auto\", \"none\", \"required\" or { name }"),
                cache_retention: fields
                    .data("cacheRetention", "\"none\", \"short\" or \"long\"")
                    .unwrap_or_default(),
                session_id: fields.string("sessionId"),
                thinking_budgets: fields.data("thinkingBudgets", "an object of numbers"),
                proxy: None,
            },
            given: fields.pick(&TOLD),
            timeout_ms: limit(fields.number("timeoutMs", 0), DEFAULT_TIMEOUT_MS),
            idle_timeout_ms: limit(fields.number("idleTimeoutMs", 0), DEFAULT_IDLE_TIMEOUT_MS),
            max_event_bytes: fields
                .number("maxEventBytes", 1)
                .map_or(DEFAULT_LIMIT, |bytes| bytes as usize),
            rules: Rules {
                max_turns: fields
                    .number("maxTurns", 1)
                    .map_or(Rules::default().max_turns, |turns| turns as u32),
                tool_execution: fields
                    .data("toolExecution", "\"parallel\" or \"sequential\"")
                    .unwrap_or_default(),
                interrupt_mode: fields
                    .data("interruptMode", INTERRUPT_MODES)
                    .unwrap_or_default(),
                tool_timeout_ms: fields.number("toolTimeoutMs", 1),
                hook_timeout_ms: fields.number("hookTimeoutMs", 1),
                retry: None,
            },
            steering_mode: fields.data("steeringMode", QUEUE_MODES).unwrap_or_default(),
            follow_up_mode: fields.data("followUpMode", QUEUE_MODES).unwrap_or_default(),
        }
    }
}

/// How failed calls are made again. An agent does so unless it is told not to; the bare loop, which
/// its caller drives, only where it is told how.
fn read_retry(fields: &mut Fields<'_>, owner: Owner) -> Option<RetryRules> {
    let usual = RetryRules::default();
    let Some(given) = fields.given("retry") else {
        return (owner == Owner::Agent).then_some(usual);
    };
    if given.as_bool() == Some(false) {
        return None;
    }
    if !value::is_plain_object(&given) {
        let expected = "false or { maxAttempts, baseDelayMs, maxDelayMs }";
        fields.expected("retry", expected, &given);
        return None;
    }
    let mut retry = Fields::new(&given, "retry.".to_owned());
    for key in value::keys(&given) {
        if !["maxAttempts", "baseDelayMs", "maxDelayMs"].contains(&key.as_str()) {
            let message = ["retry has no \"", &key, "\". Check the spelling."];
            retry.note(error::misuse("invalid_argument", &message.concat()));
        }
    }
    let rules = RetryRules {
        max_attempts: retry
            .number("maxAttempts", 0)
            .map_or(usual.max_attempts, |attempts| attempts as u32),
        base_delay_ms: retry
            .number("baseDelayMs", 0)
            .unwrap_or(usual.base_delay_ms),
        max_delay_ms: retry.number("maxDelayMs", 0).unwrap_or(usual.max_delay_ms),
    };
    if let Err(problem) = retry.finish() {
        fields.note(problem);
    }
    Some(rules)
}

/// Headers as a plain object: of a `Headers` or a `Map`, whose entries are no members, none would be
/// sent.
fn plain_headers(fields: &mut Fields<'_>) -> Option<Named<String>> {
    let expected = "a plain object of strings";
    let given = fields.given("headers")?;
    if value::get(&given, "entries").is_function() {
        fields.expected("headers", expected, &given);
        return None;
    }
    fields.data("headers", expected)
}

/// Zero switches a limit off.
fn limit(given: Option<f64>, default: f64) -> Option<f64> {
    match given {
        Some(0.0) => None,
        Some(ms) => Some(ms),
        None => Some(default),
    }
}

pub(super) const QUEUE_MODES: &str = "\"one-at-a-time\" or \"all\"";
pub(super) const INTERRUPT_MODES: &str = "\"immediate\" or \"wait\"";
pub(super) const THINKING_LEVELS: &str =
    "\"off\", \"minimal\", \"low\", \"medium\", \"high\" or \"xhigh\"";

/// Reads a value by its JSON.
///
/// # Errors
/// An error that says what `what` must be.
pub(super) fn data<T: FromJson>(found: &JsValue, what: &str, expected: &str) -> Result<T, JsValue> {
    transcript::read(found).map_err(|_| error::invalid(what, expected, found))
}
