//! Text machines without input or output: the SSE decoder and the incremental JSON parser.
//!
//! Owns the way from bytes to frames and from argument text to values, whatever the network cuts them into.
//! Refuses to know any provider: what a frame means is the business of the protocol that reads it.
//!
//! ```
//! use sluice_agent::text::{partial_json::parse_arguments, sse::SseDecoder};
//!
//! let mut decoder = SseDecoder::new();
//! decoder.push(b"data: {\"city\":\"Paris\"}\n\n");
//! let frame = decoder.next_frame().unwrap();
//! assert_eq!(parse_arguments(frame.data).unwrap()["city"], "Paris");
//! ```

mod escape;
pub mod json;
pub(crate) mod number;
pub mod partial_json;
mod scan;
pub mod sse;

pub(crate) use scan::{before_any, behind_last, contains, find, lossy, position_of_either};
