//! Google's Gemini API: `models/{id}:streamGenerateContent`.
//!
//! Owns what is peculiar to this wire: `request.rs` builds the body, `stream.rs` reads the response,
//! `arguments.rs` makes JSON text of arguments that arrive as paths and values. Refuses what Google
//! runs itself (code execution, search) and does not ask for it.
//!
//! ```
//! use sluice_agent::message::StopReason;
//! use sluice_agent::protocol::{Api, StreamPart};
//! use sluice_agent::text::sse::Frame;
//!
//! let mut decoder = Api::GoogleGenerativeAi.decoder();
//! let mut parts = Vec::new();
//! let data = r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}"#;
//! decoder.on_frame(Frame { event: "", data, is_whole: true }, &mut parts);
//! decoder.finish(&mut parts);
//! assert_eq!(parts, [StreamPart::Text("Hi".into()), StreamPart::Finish(StopReason::Stop)]);
//! ```

mod arguments;
mod request;
mod stream;
mod usage;
mod wire;

pub use request::encode;
pub(in crate::protocol) use request::{NO_SIGNATURE, insists_on_signatures};
pub(super) use stream::StreamDecoder;
