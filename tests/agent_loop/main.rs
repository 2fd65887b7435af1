//! The loop, run natively against a scripted world with a virtual clock.
//!
//! Every run ends with the event laws, a transcript that a strict host would take, and nothing left
//! running: see [`host::FakeHost::run`].
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "all of this is a test"
)]

mod aborts;
mod approvals;
mod clock;
mod hooks;
mod host;
mod mirror;
mod prompts;
mod properties;
mod queues;
#[path = "../support/request_openai_completions.rs"]
mod request_openai_completions;
mod responses;
mod retries;
mod script;
mod story;
mod tools;
