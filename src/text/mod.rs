//! Text machines without input or output: the SSE decoder and the incremental JSON parser.
//!
//! Owns the way from bytes to frames and from argument text to values, whatever the network cuts them into.
//! Refuses to know any provider: what a frame means is the business of the protocol that reads it.
//!
//! ```
//! let arguments = sluice_agent::text::partial_json::parse_arguments(r#"{"city":"Paris"}"#);
//! assert_eq!(arguments.unwrap()["city"], "Paris");
//! ```

pub mod partial_json;
mod scan;
pub mod sse;
