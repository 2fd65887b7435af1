//! Options of the exported functions: read once, each checked, an unknown name refused.

use js_sys::{Function, Object};
use wasm_bindgen::prelude::*;

use crate::agent::host::{InterruptMode, Rules, ToolExecutionMode};
use crate::agent::queue::QueueMode;
use crate::js::{error, transcript, value};
use crate::model::{Named, RequestOptions, ThinkingLevel};
use crate::text::json::FromJson;

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
];
/// Options of a run.
const RUN: &[&str] = &[
    "convertToLlm",
    "transformContext",
    "streamFn",
    "beforeToolCall",
    "afterToolCall",
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

/// Milliseconds without response headers, and without a byte of the body, that are taken for a
/// dead connection where the app names no limit: longer than any healthy provider is silent.
const DEFAULT_TIMEOUT_MS: f64 = 600_000.0;
const DEFAULT_IDLE_TIMEOUT_MS: f64 = 300_000.0;

/// Whose options they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// `new Agent(options)`.
    Agent,
    /// `agentLoop(…, config)`.
    Loop,
    /// `streamSimple(…, options)`.
    Simple,
}

/// Everything that can be set from outside, checked.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) api_key: Option<String>,
    pub(super) get_api_key: Option<Function>,
    pub(super) fetch: Option<Function>,
    pub(super) on_payload: Option<Function>,
    pub(super) on_response: Option<Function>,
    pub(super) convert_to_llm: Option<Function>,
    pub(super) transform_context: Option<Function>,
    pub(super) stream_fn: Option<Function>,
    pub(super) before_tool_call: Option<Function>,
    pub(super) after_tool_call: Option<Function>,
    pub(super) get_steering_messages: Option<Function>,
    pub(super) get_follow_up_messages: Option<Function>,
    pub(super) request: RequestOptions,
    pub(super) timeout_ms: Option<f64>,
    pub(super) idle_timeout_ms: Option<f64>,
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
        }
    }

    fn knows(self, key: &str) -> bool {
        let lists: &[&[&str]] = match self {
            Self::Agent => &[CALL, RUN, AGENT],
            Self::Loop => &[CALL, RUN, LOOP],
            Self::Simple => &[CALL, SIMPLE],
        };
        lists.iter().any(|list| list.contains(&key))
    }
}

impl Options {
    /// Reads options; `undefined` stands for none.
    ///
    /// # Errors
    /// An error that names the option and what it must be.
    pub(super) fn read(options: &JsValue, owner: Owner) -> Result<Self, JsValue> {
        if options.is_undefined() {
            return Ok(Self::defaults());
        }
        if !value::is_plain_object(options) {
            return Err(error::invalid(owner.name(), "an object", options));
        }
        for key in Object::keys(options.unchecked_ref::<Object>())
            .iter()
            .filter_map(|key| key.as_string())
        {
            if !owner.knows(&key) && !value::get(options, &key).is_undefined() {
                let message = format!("{} have no \"{key}\". Check the spelling.", owner.name());
                return Err(error::misuse("invalid_argument", &message));
            }
        }
        let reader = Reader { options };
        reader.refuse_retry()?;
        Ok(Self {
            api_key: reader.string("apiKey")?,
            get_api_key: reader.function("getApiKey")?,
            fetch: reader.function("fetch")?,
            on_payload: reader.function("onPayload")?,
            on_response: reader.function("onResponse")?,
            convert_to_llm: reader.function("convertToLlm")?,
            transform_context: reader.function("transformContext")?,
            stream_fn: reader.function("streamFn")?,
            before_tool_call: reader.function("beforeToolCall")?,
            after_tool_call: reader.function("afterToolCall")?,
            get_steering_messages: reader.function("getSteeringMessages")?,
            get_follow_up_messages: reader.function("getFollowUpMessages")?,
            request: RequestOptions {
                api_key: None,
                headers: reader.data::<Named<String>>("headers", "an object of strings")?,
                reasoning: reader
                    .data::<ThinkingLevel>("reasoning", THINKING_LEVELS)?
                    .unwrap_or_default(),
                temperature: reader.number("temperature", 0.0)?,
                max_tokens: reader.number("maxTokens", 1.0)?,
                tool_choice: reader
                    .data("toolChoice", "\"auto\", \"none\", \"required\" or { name }")?,
                cache_retention: reader
                    .data("cacheRetention", "\"none\", \"short\" or \"long\"")?
                    .unwrap_or_default(),
                session_id: reader.string("sessionId")?,
                thinking_budgets: reader.data("thinkingBudgets", "an object of numbers")?,
            },
            timeout_ms: limit(reader.number("timeoutMs", 0.0)?, DEFAULT_TIMEOUT_MS),
            idle_timeout_ms: limit(
                reader.number("idleTimeoutMs", 0.0)?,
                DEFAULT_IDLE_TIMEOUT_MS,
            ),
            rules: reader.rules()?,
            steering_mode: reader
                .data("steeringMode", QUEUE_MODES)?
                .unwrap_or_default(),
            follow_up_mode: reader
                .data("followUpMode", QUEUE_MODES)?
                .unwrap_or_default(),
        })
    }

    fn defaults() -> Self {
        Self {
            timeout_ms: Some(DEFAULT_TIMEOUT_MS),
            idle_timeout_ms: Some(DEFAULT_IDLE_TIMEOUT_MS),
            ..Self::default()
        }
    }
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

struct Reader<'a> {
    options: &'a JsValue,
}

impl Reader<'_> {
    fn given(&self, key: &str) -> Option<JsValue> {
        let value = value::get(self.options, key);
        (!value.is_undefined()).then_some(value)
    }

    fn function(&self, key: &str) -> Result<Option<Function>, JsValue> {
        let Some(found) = self.given(key) else {
            return Ok(None);
        };
        found
            .dyn_into()
            .map(Some)
            .map_err(|found| error::invalid(key, "a function", &found))
    }

    fn string(&self, key: &str) -> Result<Option<String>, JsValue> {
        let Some(found) = self.given(key) else {
            return Ok(None);
        };
        found
            .as_string()
            .map(Some)
            .ok_or_else(|| error::invalid(key, "a string", &found))
    }

    fn number(&self, key: &str, least: f64) -> Result<Option<f64>, JsValue> {
        let Some(found) = self.given(key) else {
            return Ok(None);
        };
        match found.as_f64() {
            Some(number) if number.is_finite() && number >= least => Ok(Some(number)),
            _ => Err(error::invalid(
                key,
                &format!("a number of at least {least}"),
                &found,
            )),
        }
    }

    fn data<T: FromJson>(&self, key: &str, expected: &str) -> Result<Option<T>, JsValue> {
        let Some(found) = self.given(key) else {
            return Ok(None);
        };
        data(&found, key, expected).map(Some)
    }

    fn rules(&self) -> Result<Rules, JsValue> {
        let defaults = Rules::default();
        Ok(Rules {
            max_turns: self
                .number("maxTurns", 1.0)?
                .map_or(defaults.max_turns, |turns| turns as u32),
            tool_execution: self
                .data::<ToolExecutionMode>("toolExecution", "\"parallel\" or \"sequential\"")?
                .unwrap_or_default(),
            interrupt_mode: self
                .data::<InterruptMode>("interruptMode", INTERRUPT_MODES)?
                .unwrap_or_default(),
            tool_timeout_ms: self.number("toolTimeoutMs", 1.0)?,
        })
    }

    /// There is no automatic retry yet, and an option must not promise what does not happen.
    fn refuse_retry(&self) -> Result<(), JsValue> {
        match self.given("retry") {
            Some(found) if found.as_bool() != Some(false) => {
                Err(error::invalid("retry", "false", &found))
            }
            _ => Ok(()),
        }
    }
}
