//! What a model call fails of, beside what the provider reports.

use crate::agent::abort::Abort;
use crate::agent::host::HttpResponse;
use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::protocol::Api;
use crate::text::number;

/// The model speaks no protocol that is known here.
pub(super) fn unknown_api(name: &str) -> Failure {
    let known: Vec<&str> = Api::ALL.into_iter().map(Api::name).collect();
    ErrorInfo::new(
        ErrorCode::InvalidRequest,
        format!(
            "model.api is \"{name}\", which is not built in. Use one of {}, or give a streamFn.",
            known.join(", ")
        ),
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
        format!(
            "The server answered with status {status} and content type \"{content_type}\" in place of an event stream. Check model.baseUrl."
        ),
    );
    failure.status = Some(*status);
    failure
}

/// No real event is as long as this.
pub(super) fn too_long() -> Failure {
    ErrorInfo::new(
        ErrorCode::BadResponse,
        "One event of the response is longer than the limit. The server does not seem to send a stream.",
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
