//! URLs and headers, as every protocol needs them.
//!
//! Owns the merging of headers and their syntax, and what of a request must not be told. Refuses to
//! know which headers a protocol sends.

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::model::Named;
use crate::protocol::HttpRequest;
use crate::text::{contains, find};

#[cfg(test)]
mod tests;

/// The headers of one request: names in lower case, each once, later ones over earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Headers(Vec<(String, String)>);

impl Headers {
    /// Sets a header.
    ///
    /// # Errors
    /// When the name is no token or the value holds characters that a header cannot carry. The
    /// message names the header and never its value.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
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

    /// Sets several headers.
    ///
    /// # Errors
    /// As [`Headers::set`].
    pub(crate) fn extend(&mut self, headers: Option<&Named<String>>) -> Result<(), Failure> {
        headers
            .into_iter()
            .flatten()
            .try_for_each(|(name, value)| self.set(name, value))
    }

    pub(crate) fn into_vec(self) -> Vec<(String, String)> {
        self.0
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

/// User and password, and host and port, in a URL.
pub(crate) fn authority(url: &str) -> (&str, &str) {
    let rest = find(url, "://")
        .and_then(|at| url.get(at + 3..))
        .unwrap_or(url);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').unwrap_or(("", authority))
}

/// Shorter values are words that may well stand in an error message.
const SHORTEST_SECRET: usize = 12;

impl HttpRequest {
    /// What of the request nobody may be told: keys in headers and in the URL, and its user.
    pub fn secrets(&self) -> Vec<String> {
        let told = |name: &str| matches!(name, "accept" | "content-type");
        let headers = self.headers.iter().filter(|(name, _)| !told(name));
        // Behind the scheme of an authorization.
        let values = headers.filter_map(|(_, value)| value.rsplit(' ').next());
        let query = self.url.split_once('?').unwrap_or_default().1;
        let query = query.split(['&', '#']).filter_map(|it| it.split_once('='));
        let named = query.filter(|(name, _)| contains(name, "key") || contains(name, "token"));
        let (user, _) = authority(&self.url);
        let password = user.rsplit(':').next();
        let secrets = values.chain(named.map(|(_, value)| value)).chain(password);
        let secrets = secrets.filter(|secret| secret.len() >= SHORTEST_SECRET);
        let user = Some([user, "@"].concat()).filter(|user| user != "@");
        user.into_iter().chain(secrets.map(str::to_owned)).collect()
    }
}

/// A text without the secrets in it.
pub(crate) fn without(secrets: &[String], mut text: String) -> String {
    for secret in secrets {
        // What is put in holds no secret, so this comes to an end.
        while let Some(at) = find(&text, secret) {
            let before = text.get(..at).unwrap_or_default();
            let behind = text.get(at + secret.len()..).unwrap_or_default();
            text = [before, "[hidden]", behind].concat();
        }
    }
    text
}

/// A request that cannot be made.
pub(crate) fn invalid(message: &[&str]) -> Failure {
    ErrorInfo::new(ErrorCode::InvalidRequest, message.concat())
}
