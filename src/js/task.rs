//! Futures that run by themselves.
//!
//! All go through one type: what starts and runs a task is compiled once for every type of future.

use std::future::Future;
use std::pin::Pin;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

/// Runs a future.
pub(super) fn spawn(future: impl Future<Output = ()> + 'static) {
    run(Box::pin(future));
}

/// Runs a future; the promise gets its result.
pub(super) fn promise(future: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    promised(Box::pin(future))
}

#[inline(never)]
fn run(future: Pin<Box<dyn Future<Output = ()>>>) {
    wasm_bindgen_futures::spawn_local(future);
}

#[inline(never)]
fn promised(future: Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>>) -> Promise {
    wasm_bindgen_futures::future_to_promise(future)
}
