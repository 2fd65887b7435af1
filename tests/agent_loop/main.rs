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
#[path = "../support/chat_request.rs"]
mod chat_request;
mod clock;
mod host;
mod mirror;
mod prompts;
mod properties;
mod queues;
mod responses;
mod script;
mod story;
mod tools;
