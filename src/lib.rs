//! Sluice: an LLM agent loop for browser UIs.

// The unit tests belong to the host: built for a browser, there are none. `tests/web` tests that side.
#![cfg(not(all(test, target_arch = "wasm32")))]

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
