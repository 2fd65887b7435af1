//! Sluice: an LLM agent loop for browser UIs, compiled to WebAssembly.
//!
//! An app defines tools in JavaScript and prompts; everything that then happens is one ordered
//! stream of typed events on four levels: agent run › turn › message › tool. The README shows how it
//! is used and DESIGN.md why it is built like this; this page is the map.
//!
//! ```text
//! bytes ─► text::sse ─► protocol::…::stream ─► assemble ─► js/live.js ─► listeners
//!          frames       StreamParts            one Batch    snapshots
//!                                              per chunk    and events
//!
//! agent::run     a run: turns until there is nothing more to do
//!   ├─ agent::model_call   one request and its response, as above
//!   └─ agent::tools        one batch of tool calls, checked by schema
//! ```
//!
//! - [`message`], [`event`], [`model`], [`error`]: the vocabulary. TypeScript types are made of it;
//!   [`event::laws`] states what holds for every stream of events, and checks it.
//! - [`text`]: machines without input or output: server-sent events, JSON, incremental arguments.
//! - [`schema`]: checks and coerces the arguments of tools.
//! - [`protocol`]: how a conversation becomes a request and a response becomes parts.
//! - [`assemble`]: parts → the operations by which a message grows.
//! - [`agent`]: the loop, generic over the [`agent::host::Host`] that connects it to the world.
//! - `js` (wasm32 only): the browser. Everything above it is tested natively.

// The unit tests belong to the host: built for a browser, there are none. `tests/web` tests that side.
#![cfg(not(all(test, target_arch = "wasm32")))]
#![cfg_attr(not(test), deny(clippy::disallowed_macros))]

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
