//! URLs and headers, as every protocol needs them.
//!
//! Owns the merging of headers and their syntax. Refuses to know which ones a protocol sends.

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::model::Named;

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

/// A request that cannot be made.
pub(crate) fn invalid(message: &[&str]) -> Failure {
    ErrorInfo::new(ErrorCode::InvalidRequest, message.concat())
}
