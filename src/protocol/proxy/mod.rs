//! The app's own backend: it holds the keys, makes the call, and passes on the events.
//!
//! Owns both sides of what goes over this wire as the page sees them: the request is the call as the
//! app described it, the response are `AssistantMessageEvent`s without the message so far. It is the
//! protocol of `streamProxy` in pi-agent-core (its `proxy.ts`), so that backends written for that
//! serve both; what Sluice adds to it is optional on either side. Refuses to repair the transcript, or
//! what tools and images are called: the backend knows the model's wire and does that, and it needs
//! to see who made which message.
//!
//! ```
//! use sluice_agent::message::StopReason;
//! use sluice_agent::protocol::{Api, StreamPart};
//! use sluice_agent::text::sse::Frame;
//!
//! let mut decoder = Api::Proxy.decoder();
//! let mut parts = Vec::new();
//! for data in [
//!     r#"{"type":"text_start","contentIndex":0}"#,
//!     r#"{"type":"text_delta","contentIndex":0,"delta":"Hi"}"#,
//!     r#"{"type":"text_end","contentIndex":0}"#,
//!     r#"{"type":"done","reason":"stop"}"#,
//! ] {
//!     decoder.on_frame(Frame { event: "", data, is_whole: true }, &mut parts);
//! }
//! assert_eq!(parts[0], StreamPart::Text("Hi".into()));
//! assert_eq!(parts.last(), Some(&StreamPart::Finish(StopReason::Stop)));
//! ```

mod request;
mod stream;
mod wire;

pub use request::encode;
pub(super) use stream::StreamDecoder;
