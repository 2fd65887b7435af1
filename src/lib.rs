//! Sluice: an LLM agent loop for browser UIs.

pub mod schema;
pub mod text;
