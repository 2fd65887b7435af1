//! Futures that run by themselves.
//!
//! All go through one type: what starts and runs a task is compiled once for every type of future.

use std::future::Future;
use std::pin::Pin;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use crate::js::live::EventStream;

/// Runs a future.
pub(super) fn spawn(future: impl Future<Output = ()> + 'static) {
    run(Box::pin(future));
}

/// Runs a future; the promise gets what it comes to.
pub(super) fn promise(future: impl Future<Output = JsValue> + 'static) -> Promise {
    promised(Box::pin(future))
}

#[inline(never)]
fn run(future: Pin<Box<dyn Future<Output = ()>>>) {
    wasm_bindgen_futures::spawn_local(future);
}

#[inline(never)]
fn promised(future: Pin<Box<dyn Future<Output = JsValue>>>) -> Promise {
    // A stream without events: of streams the page finds those that wait when the module fails.
    let stream = EventStream::new();
    let promise = stream.result();
    spawn(async move { stream.end(&future.await) });
    promise
}
