//! Sluice: an LLM agent loop for browser UIs.

pub mod agent;
pub mod assemble;
pub mod error;
pub mod event;
#[cfg(target_arch = "wasm32")]
pub mod js;
pub mod message;
pub mod model;
pub mod protocol;
pub mod schema;
mod tagged;
pub mod text;
