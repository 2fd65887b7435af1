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
pub(super) use stream::StreamDecoder;
