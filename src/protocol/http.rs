//! URLs and headers, as every protocol needs them.
//!
//! Owns the merging of headers and their syntax, and what of a request must not be told. Refuses to
//! know which headers a protocol sends.

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::model::Named;
use crate::protocol::HttpRequest;
use crate::text::{before_any, behind_last, find};

#[cfg(test)]
mod tests;

/// The headers of a request for a stream: the wire's own that have a value, and over them the app's.
///
/// # Errors
/// When a header is not valid. The message names it and never tells its value.
#[inline(never)]
pub(crate) fn headers(
    own: &[(&str, &str)],
    apps: [Option<&Named<String>>; 2],
) -> Result<Vec<(String, String)>, Failure> {
    let mut headers = Headers::default();
    headers.set("content-type", "application/json")?;
    headers.set("accept", "text/event-stream")?;
    for (name, value) in own.iter().filter(|(_, value)| !value.is_empty()) {
        headers.set(name, value)?;
    }
    for (name, value) in apps.into_iter().flatten().flatten() {
        headers.set(name, value)?;
    }
    Ok(headers.0)
}

/// The headers of one request: names in lower case, each once, later ones over earlier ones.
#[derive(Debug, Default)]
struct Headers(Vec<(String, String)>);

impl Headers {
    /// Sets a header whose name is a token and whose value holds what a header can carry.
    fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        if name.is_empty() || !name.bytes().all(is_token) {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
            return Err(invalid(&["the header name \"", &shown, "\" is not valid"]));
        }
        let name = name.to_ascii_lowercase();
        let value = value.trim();
        // `fetch` takes bytes only, and refuses line ends and NUL.
        if value
            .chars()
            .any(|c| u32::from(c) > 0xff || matches!(c, '\0' | '\r' | '\n'))
        {
            return Err(invalid(&[
                "the value of the header \"",
                &name,
                "\" holds characters that a header cannot carry",
            ]));
        }
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value.to_owned(),
            None => self.0.push((name, value.to_owned())),
        }
        Ok(())
    }
}

/// The characters of a header name (RFC 9110, section 5.6.2, `token`).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// `base` with `path` behind it, unless it is there already; a query stays at the end.
pub(crate) fn join(base: &str, path: &str) -> String {
    let (root, query) = match base.split_once('?') {
        Some((root, query)) => (root, Some(query)),
        None => (base, None),
    };
    let root = root.trim_end_matches('/');
    let mut url = root.to_owned();
    if !root.ends_with(path) {
        url.push_str(path);
    }
    if let Some(query) = query {
        url.push('?');
        url.push_str(query);
    }
    url
}

/// User and password with the `@` behind them, and host and port, in a URL.
pub(crate) fn authority(url: &str) -> (&str, &str) {
    let rest = find(url, "://").and_then(|at| url.get(at + 3..));
    let authority = before_any(rest.unwrap_or(url), b"/?#");
    let host = behind_last(authority, b'@');
    let user = authority.strip_suffix(host).unwrap_or_default();
    (user, host)
}

/// Whatever is as long is a secret wherever it stands. What is shorter may be a word or a part of one:
/// then only keys are secrets, and only where they stand by themselves.
const LONG_SECRET: usize = 12;
/// What is shorter is no key.
const SHORTEST_KEY: usize = 4;

/// Whether a header is where providers look for a key.
pub(crate) fn holds_key(header: &str) -> bool {
    matches!(
        header,
        "authorization" | "api-key" | "x-api-key" | "x-goog-api-key"
    )
}

impl HttpRequest {
    /// What of the request nobody may be told: keys in headers and in the URL, and its user.
    #[inline(never)]
    pub fn secrets(&self) -> Vec<String> {
        let (user, _) = authority(&self.url);
        let mut secrets = Vec::new();
        if !user.is_empty() {
            secrets.push(user.to_owned());
        }
        let mut add = |secret: &str, least: usize| {
            if secret.len() >= least {
                secrets.push(secret.to_owned());
            }
        };
        add(behind_last(user.trim_end_matches('@'), b':'), SHORTEST_KEY);
        for (name, value) in &self.headers {
            if !matches!(name.as_str(), "accept" | "content-type") {
                let least = if holds_key(name) {
                    SHORTEST_KEY
                } else {
                    LONG_SECRET
                };
                // Behind the scheme of an authorization.
                add(behind_last(value, b' '), least);
            }
        }
        for name in ["key=", "token="] {
            let mut rest = self.url.as_str();
            while let Some(at) = find(rest, name) {
                rest = rest.get(at + name.len()..).unwrap_or_default();
                add(before_any(rest, b"&#"), SHORTEST_KEY);
            }
        }
        secrets
    }
}

/// A text without the secrets in it.
pub(crate) fn without(secrets: &[String], mut text: String) -> String {
    for secret in secrets {
        let mut hidden = String::new();
        let mut rest = text.as_str();
        while let Some(at) = find(rest, secret) {
            let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let behind = behind.get(secret.len()..).unwrap_or_default();
            let is_part = is_one_word(before, secret) || is_one_word(secret, behind);
            hidden.push_str(before);
            hidden.push_str(if is_part && secret.len() < LONG_SECRET {
                secret
            } else {
                "[hidden]"
            });
            rest = behind;
        }
        hidden.push_str(rest);
        text = hidden;
    }
    text
}

/// Whether a word goes on from one text to the next; what is beyond ASCII are letters.
fn is_one_word(text: &str, next: &str) -> bool {
    let is_letter =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..);
    let (last, first) = (text.as_bytes().last(), next.as_bytes().first());
    last.is_some_and(is_letter) && first.is_some_and(is_letter)
}

/// A request that cannot be made.
pub(crate) fn invalid(message: &[&str]) -> Failure {
    ErrorInfo::new(ErrorCode::InvalidRequest, message.concat())
}
