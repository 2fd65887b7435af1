//! The browser's side: exported classes and functions, and the loop's host made of a page.
//!
//! Only what must touch JavaScript stands here. `live.js` builds snapshots and calls listeners,
//! `streams.js` reads bodies of responses and is the async iterable, `given.js` checks what an app hands in,
//! `values.js` reads the page's values and makes what an app is given; `types.ts` declares what generated types cannot:
//! functions and generics.
//!
//! `Agent` is in `agent.rs` and `agent_*.rs`. The host of the loop is `host.rs`, with `presenter.rs` for the assistant's
//! message and `tool_runner.rs` for tools; `request.rs` and `network.rs` are what one model call is made from and goes
//! over.
//!
//! Four scripts are the most there can be: each is a file that the browser fetches, all at once,
//! and the server of wasm-bindgen's test runner hangs with a fifth connection.

mod agent;
mod agent_loop;
mod agent_runs;
mod agent_setters;
mod agent_waiting;
mod core;
mod error;
mod fetch;
mod given;
mod hook;
mod host;
mod live;
mod network;
mod open_calls;
mod options;
mod page;
mod pattern;
mod presenter;
mod queue;
mod request;
mod result;
mod run_control;
mod state;
mod stream_fn;
mod stream_proxy;
mod stream_simple;
mod task;
mod timer;
mod tool;
mod tool_runner;
mod transcript;
mod types;
mod value;

pub use agent::Agent;
pub use agent_loop::{agent_loop, agent_loop_continue};
pub use stream_proxy::stream_proxy;
pub use stream_simple::{complete, stream_simple};

#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
