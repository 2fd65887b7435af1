//! What providers say when a call fails → [`ErrorInfo`].
//!
//! Owns the reading of error bodies (every provider wraps its sentence differently), the
//! classification by status and by the provider's own codes, and the cleaning of what people get to
//! see: the inner sentence, short, without markup and without anything that looks like a key.
//! Refuses to decide what is retried when, it only says what may be; and to name who said it, which
//! only the caller knows.
//!
//! Sources: OpenAI, "Error codes"; Anthropic, "Errors" (types in `error.type`); Google, canonical
//! error codes in `error.status` and error details (`google.rpc`) in `error.details`; OpenRouter,
//! "Errors" (numeric codes, also inside a 200).

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::text::json::Json;
use crate::text::{contains, number};

#[cfg(test)]
mod tests;

/// The most bytes of a provider's sentence that are kept.
const MAX_MESSAGE: usize = 600;

/// What a response with a status outside 200–299 means, on every wire. `body` is its text,
/// `retry_after_ms` what its `retry-after` header asks for.
pub fn from_http(status: u16, body: &str, retry_after_ms: Option<f64>) -> Failure {
    let body = body.trim();
    let json = Json::parse(body).ok();
    let report = json
        .map(|json| Report::read(find(json).unwrap_or(json)))
        .unwrap_or_default();
    let (code, retryable) = classify(Some(status), &report);
    let said = if !report.message.is_empty() {
        clean(&report.message)
    } else if body.is_empty() {
        "without a message".to_owned()
    } else if looks_like_html(body) {
        "with an HTML page in place of an error message".to_owned()
    } else if json.is_some() || body.starts_with(['{', '[']) {
        // The latter is cut.
        "with an error of unknown form".to_owned()
    } else {
        clean(body)
    };
    Box::new(ErrorInfo {
        code,
        message: [&*number::decimal(status.into()), " ", &said].concat(),
        status: Some(status),
        retry_after_ms: retry_after_ms.or(report.retry_after_ms),
        retryable,
    })
}

/// The failure that a payload inside a successful response reports, if it reports one.
pub(crate) fn in_payload(payload: Json<'_>) -> Option<Failure> {
    find(payload).map(|error| from_report(&Report::read_in(payload, error)))
}

/// The failure that a payload reports of which it is known that it reports one.
pub(crate) fn reported(payload: Json<'_>) -> Failure {
    from_report(&Report::read_in(payload, find(payload).unwrap_or(payload)))
}

/// What the data of an `error` event says, whatever it looks like.
pub(crate) fn in_error_event(data: &str) -> Failure {
    match Json::parse(data) {
        Ok(json) => reported(json),
        Err(_) => said(data),
    }
}

/// A response that is not as its protocol has it. The next one may be.
#[inline(never)]
pub(crate) fn bad_response(what: &str) -> Failure {
    ErrorInfo::new(ErrorCode::BadResponse, what).retryable(true)
}

/// A failure of which nothing is known but a sentence.
pub(crate) fn said(message: &str) -> Failure {
    from_report(&Report {
        message: message.to_owned(),
        ..Report::default()
    })
}

/// The body has ended, and the answer has not.
#[inline(never)]
pub(crate) fn truncated() -> Failure {
    ErrorInfo::new(
        ErrorCode::Truncated,
        "the response ended before the answer was complete",
    )
}

/// A failure whose message ends with the provider's own word for it, such as a finish reason.
#[inline(never)]
pub(crate) fn named(code: ErrorCode, what: &str, field: &str, word: &str) -> Failure {
    let word = clean(&word.chars().take(80).collect::<String>());
    ErrorInfo::new(code, [what, " (", field, "\"", &word, "\")"].concat())
}

fn from_report(report: &Report) -> Failure {
    let (code, retryable) = classify(report.status, report);
    let said = match (report.message.as_str(), report.code.as_str()) {
        ("", "") => "the provider reported an error",
        ("", code) => code,
        (message, _) => message,
    };
    let mut error = ErrorInfo::new(code, clean(said)).retryable(retryable);
    error.retry_after_ms = report.retry_after_ms;
    error
}

/// Whether the text is a page and not data.
fn looks_like_html(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// The part of a body that describes the failure: behind `error`, in the first element of an
/// array, or the body itself where it says that it is an error.
fn find(json: Json<'_>) -> Option<Json<'_>> {
    if json.is_array() {
        return json.items().find_map(find);
    }
    if let Some(inner) = json.get("error").filter(|inner| !is_void(*inner)) {
        return Some(find(inner).unwrap_or(inner));
    }
    let has = |name: &str| json.get(name).is_some();
    let is_error = |name: &str| json.get(name).and_then(Json::as_str).as_deref() == Some("error");
    let described =
        (has("code") || has("status")) && json.get("message").is_some_and(Json::is_string);
    let is_failure = is_error("type") || is_error("object") || described || has("detail");
    (is_failure && !has("choices")).then_some(json)
}

fn is_void(json: Json<'_>) -> bool {
    matches!(json.text(), "false" | "\"\"")
        || (json.members().next().is_none() && json.is_object())
        || (json.items().next().is_none() && json.is_array())
}

/// What a description of a failure says.
#[derive(Default)]
struct Report {
    message: String,
    /// `code`, as text.
    code: String,
    /// `code`, `type` and `status` together, in lower case, and what Google's details name.
    kinds: String,
    /// The status that the failure would have had by itself.
    status: Option<u16>,
    /// How long to wait, where the body says so.
    retry_after_ms: Option<f64>,
}

impl Report {
    /// Reads the description of a failure within a payload, which may have the status beside it.
    fn read_in(payload: Json<'_>, error: Json<'_>) -> Self {
        let mut report = Self::read(error);
        for (place, name) in [
            (error, "code"),
            (payload, "code"),
            (payload, "status"),
            (payload, "status_code"),
        ] {
            let code = place.get(name).map(as_text).unwrap_or_default();
            let status = number::index(&code).filter(|code| (400..600).contains(code));
            report.status = report.status.or(status.map(|status| status as u16));
        }
        report
    }

    fn read(error: Json<'_>) -> Self {
        let mut report = Self {
            message: sentence(error),
            ..Self::default()
        };
        report.code = error.get("code").map(as_text).unwrap_or_default();
        for name in ["code", "type", "status"] {
            report
                .kinds
                .push_str(&error.get(name).map(as_text).unwrap_or_default());
            report.kinds.push(' ');
        }
        let details = error.get("details");
        details
            .into_iter()
            .flat_map(Json::items)
            .for_each(|detail| report.read_detail(detail));
        report.kinds.make_ascii_lowercase();
        report
    }

    /// Google's details: `ErrorInfo` has a reason, `QuotaFailure` names the quotas, `RetryInfo` has a
    /// delay such as `"34.5s"`.
    fn read_detail(&mut self, detail: Json<'_>) {
        for (name, value) in detail.members() {
            match &*name {
                "reason" | "quotaId" => {
                    self.kinds.push_str(&as_text(value));
                    self.kinds.push(' ');
                }
                "violations" => value.items().for_each(|quota| self.read_detail(quota)),
                "retryDelay" => {
                    let delay = as_text(value);
                    let seconds = Json::parse(delay.trim_end_matches('s')).ok();
                    let seconds = seconds.and_then(Json::as_f64);
                    self.retry_after_ms = seconds.map(|seconds| (seconds * 1000.0).ceil());
                }
                _ => {}
            }
        }
    }
}

fn as_text(json: Json<'_>) -> String {
    match json.as_str() {
        Some(text) => text.into_owned(),
        None if json.as_f64().is_some() => json.text().to_owned(),
        None => String::new(),
    }
}

/// The sentence for people in an error value. Routers put their upstream's own words into
/// `metadata.raw`, validators put a list into `detail`.
fn sentence(error: Json<'_>) -> String {
    if let Some(text) = error.as_str() {
        return text.trim().to_owned();
    }
    if error.is_array() {
        return error.items().next().map(sentence).unwrap_or_default();
    }
    let names = ["message", "msg", "detail", "error"];
    let found = names
        .iter()
        .filter_map(|name| error.get(name))
        .map(sentence);
    let mut said = found
        .into_iter()
        .find(|said| !said.is_empty())
        .unwrap_or_default();
    let raw = error
        .get("metadata")
        .and_then(|metadata| metadata.get("raw")?.as_str());
    if let Some(raw) = raw {
        let inner = Json::parse(&raw).map_or_else(|_| raw.trim().to_owned(), sentence);
        if !inner.is_empty() && !contains(&said, &inner) {
            said.push_str(": ");
            said.push_str(&inner);
        }
    }
    said
}

/// The kind of a failure and whether the same request may succeed later.
fn classify(status: Option<u16>, report: &Report) -> (ErrorCode, bool) {
    let kinds = report.kinds.as_str();
    let message = report.message.to_ascii_lowercase();
    let kind = |words: &[&str]| words.iter().any(|word| contains(kinds, word));
    let says = |words: &[&str]| words.iter().any(|word| contains(&message, word));
    let limited = status == Some(429) || kind(&["rate_limit", "resource_exhausted", "too_many"]);
    // Anthropic has no type of its own for an account without credit.
    if status == Some(402)
        || kind(&["insufficient_quota", "billing", "insufficient_balance"])
        || says(&["credit balance is too low"])
    {
        return (ErrorCode::RateLimit, false);
    }
    if limited {
        // A request above the limit of one minute stays above it, and a day is long.
        let lasts = says(&["request too large"]) || kind(&["perday"]);
        return (ErrorCode::RateLimit, !lasts);
    }
    // Google answers 400 to a wrong key.
    if kind(&["api_key_invalid"]) {
        return (ErrorCode::Auth, false);
    }
    // OpenAI says "invalid_prompt" of a prompt that its usage policy forbids.
    if kind(&["content_filter", "_policy", "invalid_prompt"]) {
        return (ErrorCode::Refused, false);
    }
    if kind(&["context_length", "exceed_context"])
        || (!matches!(status, Some(401 | 403 | 404)) && says(&OVERFLOW))
    {
        return (ErrorCode::ContextOverflow, false);
    }
    if let Some(status) = status {
        return by_status(status, kind(&["overloaded"]));
    }
    if kind(&[
        "overload",
        "unavailable",
        "capacity",
        "server",
        "internal",
        "api_error",
    ]) {
        (ErrorCode::Overloaded, true)
    } else if kind(&["timeout", "deadline"]) {
        (ErrorCode::Timeout, true)
    } else if kind(&["auth", "api_key", "permission"]) {
        (ErrorCode::Auth, false)
    } else if kind(&[
        "invalid",
        "not_found",
        "bad_request",
        "badrequest",
        "too_large",
        // An image that cannot be fetched or read (OpenAI, "The response object").
        "image",
    ]) {
        (ErrorCode::InvalidRequest, false)
    } else if says(&["overloaded"]) {
        (ErrorCode::Overloaded, true)
    } else {
        // The request was accepted, so the failure is more likely one of the moment.
        (ErrorCode::BadResponse, true)
    }
}

/// How providers say that the conversation is too long, where they have no code for it.
const OVERFLOW: [&str; 12] = [
    "exceed context limit",
    "context length",
    "context window",
    "context size",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "maximum prompt length",
    "exceeds the maximum number of tokens",
    "exceeded model token limit",
    "reduce the length of",
    "too many input tokens",
];

fn by_status(status: u16, overloaded: bool) -> (ErrorCode, bool) {
    match status {
        401 | 403 => (ErrorCode::Auth, false),
        408 => (ErrorCode::Timeout, true),
        // Google's 499 is its own cancelling.
        409 | 425 | 499 | 500 => (ErrorCode::Http, true),
        400..500 if overloaded => (ErrorCode::Overloaded, true),
        400..500 => (ErrorCode::InvalidRequest, false),
        501 | 505 => (ErrorCode::Http, false),
        502..600 => (ErrorCode::Overloaded, true),
        _ => (ErrorCode::Http, false),
    }
}

/// One line, of bounded length, with keys taken out.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::new();
    let mut announced = false;
    for word in text.split_whitespace() {
        if !cleaned.is_empty() {
            cleaned.push(' ');
        }
        if announced || holds_key(word) {
            cleaned.push_str("[key]");
        } else {
            cleaned.push_str(word);
        }
        let lower = word.to_ascii_lowercase();
        announced = ["bearer", "key:", "provided:"]
            .iter()
            .any(|end| lower.ends_with(end));
        if cleaned.len() > MAX_MESSAGE {
            let end = (0..=MAX_MESSAGE)
                .rev()
                .find(|end| cleaned.is_char_boundary(*end));
            cleaned.truncate(end.unwrap_or_default());
            cleaned.push('…');
            break;
        }
    }
    cleaned
}

/// Whether a word is, or quotes, a key: by the prefixes that providers give theirs, or because the
/// provider has masked it.
fn holds_key(word: &str) -> bool {
    const PREFIXES: [&str; 9] = [
        "sk-", "sk_", "gsk_", "csk-", "xai-", "AIza", "pplx-", "tgp_", "fw_",
    ];
    let is_key = |token: &str| {
        contains(token, "***")
            || (token.len() >= 12 && PREFIXES.iter().any(|prefix| token.starts_with(prefix)))
    };
    word.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*' | '.')))
        .any(is_key)
}
