//! Sluice: an LLM agent loop for browser UIs.

pub mod agent;
pub mod assemble;
pub mod error;
pub mod event;
pub mod message;
pub mod model;
pub mod protocol;
pub mod schema;
mod tagged;
pub mod text;
