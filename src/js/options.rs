//! Options of the exported functions: what a script has checked for names and functions, read as data.

use wasm_bindgen::prelude::*;

use crate::agent::host::Rules;
use crate::agent::queue::QueueMode;
use crate::agent::retry::RetryRules;
use crate::js::given::{self, Given};
use crate::model::{Proxy, RequestOptions};
use crate::text::json::{FromJson, Reader};
use crate::text::number;
use crate::text::sse::DEFAULT_LIMIT;

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
    /// `streamProxy(…, options)`.
    Proxy,
}

/// Everything that can be set from outside and is no function.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) api_key: Option<String>,
    pub(super) request: RequestOptions,
    pub(super) timeout_ms: Option<f64>,
    pub(super) idle_timeout_ms: Option<f64>,
    pub(super) max_event_bytes: usize,
    pub(super) rules: Rules,
    pub(super) steering_mode: QueueMode,
    pub(super) follow_up_mode: QueueMode,
}

impl Owner {
    /// Its name in `given.js`.
    fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Loop => "loop",
            Self::Simple => "simple",
            Self::Proxy => "proxy",
        }
    }
}

impl Options {
    /// Reads options; `undefined` stands for none. `stream_fn` stands for the option of this name.
    /// Gives them and what stays the page's.
    ///
    /// # Errors
    /// An error that names the option and what it must be.
    pub(super) fn read(
        options: &JsValue,
        owner: Owner,
        stream_fn: &JsValue,
    ) -> Result<(Self, Given), JsValue> {
        let given = given::read_options(options, owner.name(), stream_fn)?;
        let read = given::read(&given.json(), "")?;
        Ok((read, given))
    }
}

impl FromJson for Options {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        let proxy = reader.optional("proxyUrl").map(|url| Proxy {
            url,
            auth_token: reader.optional("authToken"),
        });
        Self {
            api_key: reader.optional("apiKey"),
            request: RequestOptions {
                api_key: None,
                headers: reader.optional("headers"),
                reasoning: reader.or_default("reasoning"),
                temperature: amount::<0>(reader, "temperature"),
                max_tokens: count::<1>(reader, "maxTokens").map(f64::from),
                tool_choice: reader.optional("toolChoice"),
                cache_retention: reader.or_default("cacheRetention"),
                session_id: reader.optional("sessionId"),
                thinking_budgets: reader.optional("thinkingBudgets"),
                proxy,
            },
            timeout_ms: limit(amount::<0>(reader, "timeoutMs"), DEFAULT_TIMEOUT_MS),
            idle_timeout_ms: limit(
                amount::<0>(reader, "idleTimeoutMs"),
                DEFAULT_IDLE_TIMEOUT_MS,
            ),
            max_event_bytes: amount::<1>(reader, "maxEventBytes")
                .map_or(DEFAULT_LIMIT, |bytes| bytes as usize),
            rules: Rules {
                max_turns: count::<1>(reader, "maxTurns").unwrap_or(Rules::default().max_turns),
                tool_execution: reader.or_default("toolExecution"),
                interrupt_mode: reader.or_default("interruptMode"),
                tool_timeout_ms: amount::<1>(reader, "toolTimeoutMs"),
                hook_timeout_ms: amount::<1>(reader, "hookTimeoutMs"),
                retry: reader.optional::<Retry>("retry").and_then(|retry| retry.0),
            },
            steering_mode: reader.or_default("steeringMode"),
            follow_up_mode: reader.or_default("followUpMode"),
        }
    }
}

/// `false`, or how failed calls are made again.
struct Retry(Option<RetryRules>);

impl FromJson for Retry {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        if reader.json().as_bool() == Some(false) {
            return Self(None);
        }
        let usual = RetryRules::default();
        if !reader.json().is_object() {
            reader.expected::<()>("false or { maxAttempts, baseDelayMs, maxDelayMs }");
        }
        Self(Some(RetryRules {
            max_attempts: count::<0>(reader, "maxAttempts").unwrap_or(usual.max_attempts),
            base_delay_ms: amount::<0>(reader, "baseDelayMs").unwrap_or(usual.base_delay_ms),
            max_delay_ms: amount::<0>(reader, "maxDelayMs").unwrap_or(usual.max_delay_ms),
        }))
    }
}

/// A number that must not be less than `LEAST`.
pub(super) fn amount<const LEAST: u32>(reader: &mut Reader<'_>, key: &str) -> Option<f64> {
    reader.optional::<Amount<LEAST>>(key).map(|amount| amount.0)
}

fn count<const LEAST: u32>(reader: &mut Reader<'_>, key: &str) -> Option<u32> {
    reader.optional::<Count<LEAST>>(key).map(|count| count.0)
}

struct Amount<const LEAST: u32>(f64);

impl<const LEAST: u32> FromJson for Amount<LEAST> {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self(at_least(reader, "a number", LEAST))
    }
}

struct Count<const LEAST: u32>(u32);

impl<const LEAST: u32> FromJson for Count<LEAST> {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self(at_least(reader, "a whole number", LEAST) as u32)
    }
}

#[inline(never)]
fn at_least(reader: &mut Reader<'_>, what: &str, least: u32) -> f64 {
    let found = reader.json().as_f64();
    let fits = |found: f64| found >= least.into() && (what == "a number" || found.fract() == 0.0);
    match found.filter(|found| fits(*found)) {
        Some(found) => found,
        None => {
            let least = number::decimal(least as usize);
            reader.expected(&[what, " of at least ", &least].concat())
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
