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
pub use stream::StreamDecoder;

use crate::error::Failure;
use crate::protocol::failure;

/// The protocol's name, which begins every error message.
const API: &str = "openai-completions";

/// What a response with a status outside 200–299 means. `body` is its text, `retry_after_ms` what
/// its `retry-after` header asks for.
pub fn http_error(status: u16, body: &str, retry_after_ms: Option<f64>) -> Failure {
    failure::from_http(API, status, body, retry_after_ms)
}
