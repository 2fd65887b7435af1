//! What a model call fails of, beside what the provider reports.

use crate::agent::abort::Abort;
use crate::agent::host::HttpResponse;
use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::model::Model;
use crate::protocol::http::{self, authority};
use crate::protocol::{Api, HttpRequest};
use crate::text::number;

/// Who answers a call, as people know them, and what nobody may be told of it. For an app's own
/// stream it is empty, and changes nothing.
#[derive(Debug, Default)]
pub(super) struct Wire {
    /// The provider if the model names it, else the host.
    name: String,
    /// What `getApiKey` gets.
    provider: String,
    has_key: bool,
    is_proxy: bool,
    secrets: Vec<String>,
}

impl Wire {
    pub(super) fn new(api: Api, model: &Model, request: &HttpRequest) -> Self {
        let provider = model.provider.as_deref().unwrap_or(api.default_provider());
        let host = authority(model.base_url.as_deref().unwrap_or_default()).1;
        let is_proxy = api == Api::Proxy;
        let name = match model.provider {
            _ if is_proxy => api.name(),
            None if !host.is_empty() => host,
            _ => provider,
        };
        Self {
            name: name.to_owned(),
            provider: provider.to_owned(),
            has_key: request
                .headers
                .iter()
                .any(|(name, _)| http::holds_key(name)),
            is_proxy,
            secrets: request.secrets(),
        }
    }

    /// A failure that the wire reports within a response. A backend passes on what was told already.
    pub(super) fn reported(&self, error: Failure) -> Failure {
        if self.is_proxy || self.name.is_empty() {
            return error;
        }
        self.told(error)
    }

    /// The failure with the name of who reported it, and with what to do.
    pub(super) fn told(&self, mut error: Failure) -> Failure {
        let mut message = [&*self.name, ": ", &error.message].concat();
        let advice = self.advice(&error);
        if !advice.is_empty() {
            if !message.ends_with(['.', '!', '?', '…']) {
                message.push('.');
            }
            message.push_str(&advice);
        }
        error.message = message;
        error
    }

    #[inline(never)]
    fn advice(&self, error: &ErrorInfo) -> String {
        let limited = matches!(error.code, ErrorCode::RateLimit | ErrorCode::Overloaded);
        let seconds = error.retry_after_ms.map(|ms| (ms / 1000.0).ceil());
        let text = match (error.code, seconds) {
            (ErrorCode::Auth, _) if self.is_proxy => " Check authToken.",
            (ErrorCode::Auth, _) => {
                let what = if self.has_key {
                    " Check the key"
                } else {
                    " Give a key"
                };
                return [what, " for \"", &self.provider, "\" (apiKey, getApiKey)."].concat();
            }
            (ErrorCode::ContextOverflow, _) => {
                " Shorten the conversation or what tools return (transformContext), or take a model with a larger context window."
            }
            (_, Some(seconds)) if limited && error.retryable => {
                return [" Try again in ", &*number::format(seconds), " s."].concat();
            }
            (ErrorCode::RateLimit, _) if !error.retryable => {
                " Trying again does not help: check the size of the request, and the limits and credit of the account."
            }
            _ => "",
        };
        text.to_owned()
    }

    /// Takes the secrets of the request out of a text, whoever wrote it: a provider, a browser, or a
    /// hook of the app.
    pub(super) fn hide_secrets(&self, error: &mut ErrorInfo) {
        error.message = http::without(&self.secrets, std::mem::take(&mut error.message));
    }
}

/// The model speaks no protocol that is known here.
pub(super) fn unknown_api(name: &str) -> Failure {
    let known: Vec<&str> = Api::ALL.into_iter().map(Api::name).collect();
    ErrorInfo::new(
        ErrorCode::InvalidRequest,
        [
            "model.api is \"",
            name,
            "\", which is not built in. Use one of ",
            &known.join(", "),
            ", or give a streamFn.",
        ]
        .concat(),
    )
}

/// The response is a page or the like.
pub(super) fn not_a_stream<B>(response: &HttpResponse<B>) -> Failure {
    let HttpResponse {
        status,
        content_type,
        ..
    } = response;
    let mut failure = ErrorInfo::new(
        ErrorCode::BadResponse,
        [
            "The server answered with status ",
            &number::decimal(usize::from(*status)),
            " and content type \"",
            content_type,
            "\", and what it sent is no event stream. Check model.baseUrl.",
        ]
        .concat(),
    );
    failure.status = Some(*status);
    failure
}

/// No real event is as long as this.
pub(super) fn too_long() -> Failure {
    ErrorInfo::new(
        ErrorCode::BadResponse,
        "One event of the response is longer than the limit (maxEventBytes). The server does not seem to send a stream.",
    )
}

/// Nothing came for longer than the limit.
#[inline(never)]
pub(super) fn timeout(what: &str, limit_ms: Option<f64>) -> Failure {
    let seconds = number::format(limit_ms.unwrap_or_default() / 1000.0);
    ErrorInfo::new(
        ErrorCode::Timeout,
        [what, " for ", &seconds, " s, so the request was given up."].concat(),
    )
}

/// A hook of the app took longer than the limit.
pub(in crate::agent) fn hook_timeout(name: &str, limit_ms: Option<f64>) -> Failure {
    ErrorInfo::new(ErrorCode::StreamFn, overdue(name, limit_ms))
}

/// The sentence about a hook that took longer than the limit.
pub(in crate::agent) fn overdue(name: &str, limit_ms: Option<f64>) -> String {
    let seconds = number::format(limit_ms.unwrap_or_default() / 1000.0);
    [
        name,
        " did not settle within ",
        &seconds,
        " s (hookTimeoutMs).",
    ]
    .concat()
}

/// What a failure is in the light of the abort: once the app has aborted, whatever fails fails
/// because of that, and a request that was aborted by nobody here was lost on the way.
pub(super) fn in_light_of(abort: &Abort, error: Failure) -> Failure {
    if abort.is_fired() {
        return ErrorInfo::aborted();
    }
    match error.code {
        ErrorCode::Aborted => ErrorInfo::new(
            ErrorCode::Network,
            "The request was aborted from outside this agent.",
        ),
        _ => error,
    }
}
