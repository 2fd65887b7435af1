//! The script that builds snapshots and calls listeners; see `live.js`.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use js_sys::{Function, Object, Promise};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use crate::assemble::Batch;
use crate::js::given::Given;
use crate::js::value::{self, Settling};

#[wasm_bindgen(module = "/src/js/live.js")]
extern "C" {
    /// What the module has of one agent's app, and the message that is being received.
    #[derive(Clone, Debug)]
    pub(super) type Channel;

    #[wasm_bindgen(constructor)]
    pub(super) fn new(given: &Given) -> Channel;

    pub(super) fn follow(state: &JsValue, event: &JsValue, is_kept: bool);

    /// A member of the state.
    #[wasm_bindgen(method)]
    pub(super) fn get(this: &Channel, key: &str) -> JsValue;

    #[wasm_bindgen(method)]
    pub(super) fn set(this: &Channel, key: &str, value: &JsValue);

    /// The state that the agent writes.
    #[wasm_bindgen(method)]
    pub(super) fn record(this: &Channel) -> JsValue;

    /// The state that the page sees.
    #[wasm_bindgen(method)]
    pub(super) fn view(this: &Channel) -> JsValue;

    #[wasm_bindgen(method, js_name = hook)]
    fn get_hook(this: &Channel, name: &str) -> JsValue;

    /// What a `streamFn` is told of the options.
    #[wasm_bindgen(method)]
    pub(super) fn told(this: &Channel) -> Object;

    /// The app's tools that were set.
    #[wasm_bindgen(method)]
    pub(super) fn tools(this: &Channel) -> JsValue;

    #[wasm_bindgen(method, js_name = setTools)]
    pub(super) fn set_tools(this: &Channel, tools: &JsValue);

    /// Whether these are the tools that were set.
    #[wasm_bindgen(method, js_name = hasTools)]
    pub(super) fn has_tools(this: &Channel, tools: &JsValue) -> bool;

    #[wasm_bindgen(method)]
    pub(super) fn unwrapped(this: &Channel);

    #[wasm_bindgen(method)]
    pub(super) fn open(this: &Channel, signal: &AbortSignal);

    #[wasm_bindgen(method)]
    pub(super) fn close(this: &Channel);

    #[wasm_bindgen(method, js_name = letGo)]
    pub(super) fn let_go(this: &Channel);

    #[wasm_bindgen(method)]
    pub(super) fn subscribe(this: &Channel, listener: &Function) -> Function;

    /// All events from now on. Whoever reads them may leave at any time.
    #[wasm_bindgen(method)]
    pub(super) fn events(this: &Channel) -> EventStream;

    /// The events of what is under way; leaving them early calls `abort`.
    #[wasm_bindgen(method)]
    pub(super) fn stream(this: &Channel, abort: &Function) -> EventStream;

    #[wasm_bindgen(method, js_name = emit)]
    fn emit_now(this: &Channel, event: &JsValue) -> JsValue;

    #[wasm_bindgen(method)]
    pub(super) fn begin(this: &Channel, message: &JsValue);

    #[wasm_bindgen(method)]
    pub(super) fn end(this: &Channel, fields: &JsValue) -> JsValue;

    #[wasm_bindgen(method, js_name = update)]
    fn update_now(this: &Channel, text: &str, words: &[u32], is_closing: bool) -> JsValue;
}

#[wasm_bindgen(module = "/src/js/streams.js")]
extern "C" {
    /// An async iterable of events with a result. Held by a task, it can be found when the module fails.
    #[derive(Clone, Debug)]
    pub(super) type EventStream;

    #[wasm_bindgen(constructor)]
    pub(super) fn new() -> EventStream;

    /// The promise of what is given to `end`.
    #[wasm_bindgen(method)]
    pub(super) fn result(this: &EventStream) -> Promise;

    #[wasm_bindgen(method)]
    pub(super) fn end(this: &EventStream, result: &JsValue);
}

impl Channel {
    /// A function among the options.
    pub(super) fn hook(&self, name: &str) -> Option<Function> {
        value::as_function(self.get_hook(name))
    }

    /// Calls the listeners; completes when those are done that want to be waited for.
    pub(super) fn emit(&self, event: &JsValue) -> Delivery {
        Delivery(value::settle(self.emit_now(event)))
    }

    /// Carries out a batch; completes with how many words of it.
    pub(super) fn update(&self, batch: &Batch, is_closing: bool) -> Update {
        Update(value::settle(self.update_now(
            batch.text(),
            batch.words(),
            is_closing,
        )))
    }
}

/// Listeners that were called. The script settles every promise it returns.
#[derive(Debug)]
pub(super) struct Delivery(Settling);

impl Future for Delivery {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(context).map(drop)
    }
}

/// A batch that is being carried out.
#[derive(Debug)]
pub(super) struct Update(Settling);

impl Future for Update {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<usize> {
        let words = Pin::new(&mut self.0).poll(context);
        words.map(|words| {
            words
                .ok()
                .and_then(|words| words.as_f64())
                .unwrap_or_default() as usize
        })
    }
}
