//! Bytes of a server-sent event stream → frames.
