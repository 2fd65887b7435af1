//! Failures as data: what went wrong in a model call, in a form that people and programs can use.
//!
//! [`ErrorInfo`] travels on the failed message. It owns the classification (is it worth another
//! try, is the context too long), and refuses to carry keys or raw response bodies.

use serde::{Deserialize, Serialize};

use crate::text::json::{FromJson, Reader, read_names};

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No response: the connection could not be made, or the browser refused it (CORS, CSP).
    Network,
    /// The provider answered with a status that fits no other code.
    Http,
    /// Too many requests or tokens for now.
    RateLimit,
    /// The provider is overloaded or down.
    Overloaded,
    /// The key is missing, wrong or not allowed to do this.
    Auth,
    /// The conversation is longer than the model can read.
    ContextOverflow,
    /// The request is not acceptable as it is.
    InvalidRequest,
    /// The response is not what the protocol promises.
    BadResponse,
    /// The response ended before its end.
    Truncated,
    /// Nothing came for longer than the limit.
    Timeout,
    /// The model or its provider declined to answer.
    Refused,
    /// The app aborted the call.
    Aborted,
    /// The app's `streamFn`, or a hook of the app, failed.
    StreamFn,
}

/// What went wrong in a model call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct ErrorInfo {
    /// The kind, for programs.
    pub code: ErrorCode,
    /// One or two sentences for people: what failed, where, and what to do.
    pub message: String,
    /// The HTTP status, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the provider asks to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<f64>,
    /// True when the same request may well succeed later.
    pub retryable: bool,
}

impl ErrorCode {
    /// Whether a failure of this kind usually passes by itself.
    pub fn is_transient(self) -> bool {
        match self {
            Self::Network
            | Self::RateLimit
            | Self::Overloaded
            | Self::Truncated
            | Self::Timeout => true,
            Self::Http
            | Self::Auth
            | Self::ContextOverflow
            | Self::InvalidRequest
            | Self::BadResponse
            | Self::Refused
            | Self::Aborted
            | Self::StreamFn => false,
        }
    }
}

/// A failure on its way. Boxed: every result on the way is as large as its larger half.
pub type Failure = Box<ErrorInfo>;

impl ErrorInfo {
    /// A failure of the given kind, retryable if the kind usually is.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Failure {
        Self::of(code, message.into())
    }

    #[inline(never)]
    fn of(code: ErrorCode, message: String) -> Failure {
        Box::new(Self {
            code,
            message,
            status: None,
            retry_after_ms: None,
            retryable: code.is_transient(),
        })
    }

    /// The same failure, marked as worth another try or not.
    #[must_use]
    pub fn retryable(mut self: Box<Self>, retryable: bool) -> Failure {
        self.retryable = retryable;
        self
    }

    /// The failure of a call that the app aborted.
    #[inline(never)]
    pub fn aborted() -> Failure {
        Self::new(ErrorCode::Aborted, "The request was aborted.")
    }
}

impl FromJson for ErrorInfo {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            code: reader.field("code"),
            message: reader.or_default("message"),
            status: reader.optional::<f64>("status").map(|status| status as u16),
            retry_after_ms: reader.optional("retryAfterMs"),
            retryable: reader.or_default("retryable"),
        }
    }
}

read_names!(ErrorCode, "an error code", {
    "network" => Network,
    "http" => Http,
    "rate_limit" => RateLimit,
    "overloaded" => Overloaded,
    "auth" => Auth,
    "context_overflow" => ContextOverflow,
    "invalid_request" => InvalidRequest,
    "bad_response" => BadResponse,
    "truncated" => Truncated,
    "timeout" => Timeout,
    "refused" => Refused,
    "aborted" => Aborted,
    "stream_fn" => StreamFn,
});
