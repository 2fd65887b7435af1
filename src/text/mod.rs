//! Text machines without input or output: the SSE decoder and the incremental JSON parser.

pub mod partial_json;
pub mod sse;
