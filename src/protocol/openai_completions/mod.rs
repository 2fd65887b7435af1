//! OpenAI's chat completions and the many hosts that speak it.
//!
//! Owns what is peculiar to this wire: `request.rs` builds the body, `hosts.rs` knows how hosts
//! differ, `stream.rs` reads the response. Refuses to guess about hosts it does not know: they get
//! the fields that every host accepts and nothing else.
//!
//! ```
//! use sluice_agent::protocol::{Api, Decoder, StreamPart};
//! use sluice_agent::text::sse::Frame;
//!
//! let mut decoder = Api::OpenAiCompletions.decoder();
//! let mut parts = Vec::new();
//! for data in [r#"{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#, "[DONE]"] {
//!     decoder.on_frame(Frame { event: "", data, is_whole: true }, &mut parts);
//! }
//! assert_eq!(parts[0], StreamPart::Text("Hi".into()));
//! assert!(decoder.is_done());
//! ```

mod details;
mod hosts;
mod request;
mod stream;
mod usage;
mod wire;

pub use request::encode;
pub(super) use stream::StreamDecoder;
