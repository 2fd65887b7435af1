//! Anthropic's Messages API and the hosts that speak it.
//!
//! Owns what is peculiar to this wire: `request.rs` builds the body, `thinking.rs` knows which model
//! thinks how, `stream.rs` reads the response, `ending.rs` says how it ended. Refuses to offer or to
//! run the provider's own tools: blocks that belong to them are passed over.
//!
//! ```
//! use sluice_agent::protocol::{Api, Decoder, StreamPart};
//! use sluice_agent::text::sse::Frame;
//!
//! let mut decoder = Api::AnthropicMessages.decoder();
//! let mut parts = Vec::new();
//! for data in [
//!     r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
//!     r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#,
//!     r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
//!     r#"{"type":"message_stop"}"#,
//! ] {
//!     decoder.on_frame(Frame { event: "", data, is_whole: true }, &mut parts);
//! }
//! assert_eq!(parts[0], StreamPart::Text("Hi".into()));
//! assert!(decoder.is_done());
//! ```

mod ending;
mod request;
mod stream;
mod thinking;
mod wire;

pub use request::encode;
pub use stream::StreamDecoder;

use crate::error::Failure;
use crate::protocol::failure;

/// The protocol's name, which begins every error message.
const API: &str = "anthropic-messages";

/// What a response with a status outside 200–299 means. `body` is its text, `retry_after_ms` what
/// its `retry-after` header asks for.
pub fn http_error(status: u16, body: &str, retry_after_ms: Option<f64>) -> Failure {
    failure::from_http(API, status, body, retry_after_ms)
}
