//! OpenAI's Responses API and the hosts that speak it.
//!
//! Owns what is peculiar to this wire: `request.rs` writes the conversation as a list of items,
//! `hosts.rs` knows how hosts differ, `stream.rs` and `items.rs` read the response, `replay.rs` is
//! what an item leaves behind in a message so that it can be sent back. Refuses to keep anything on the server:
//! every request carries the whole conversation, and thinking goes back encrypted or not at all.
//!
//! ```
//! use sluice_agent::protocol::{Api, Decoder, StreamPart};
//! use sluice_agent::text::sse::Frame;
//!
//! let mut decoder = Api::OpenAiResponses.decoder();
//! let mut parts = Vec::new();
//! for data in [
//!     r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi"}"#,
//!     r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#,
//! ] {
//!     decoder.on_frame(Frame { event: "", data, is_whole: true }, &mut parts);
//! }
//! assert_eq!(parts[0], StreamPart::Text("Hi".into()));
//! assert!(decoder.is_complete());
//! ```

mod hosts;
mod items;
mod replay;
mod request;
mod stream;
mod wire;

pub use request::encode;
pub(super) use stream::StreamDecoder;
