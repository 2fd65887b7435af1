//! Bytes of a server-sent event stream → frames.

/// One event of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its type: the `event` field, or empty.
    pub event: &'a str,
    /// Its `data` lines, joined by line feeds.
    pub data: &'a str,
}
