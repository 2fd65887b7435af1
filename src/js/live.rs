//! The script that builds snapshots and calls listeners; see `live.js`.

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use crate::assemble::Batch;
use crate::js::value;

#[wasm_bindgen(module = "/src/js/live.js")]
extern "C" {
    /// Listeners of one agent, and the message it is receiving.
    #[derive(Clone, Debug)]
    pub(super) type Channel;

    #[wasm_bindgen(constructor)]
    pub(super) fn new(state: &JsValue) -> Channel;

    #[wasm_bindgen(method)]
    pub(super) fn unwrapped(this: &Channel);

    #[wasm_bindgen(method)]
    pub(super) fn open(this: &Channel, signal: &AbortSignal);

    #[wasm_bindgen(method, js_name = letGo)]
    pub(super) fn let_go(this: &Channel);

    #[wasm_bindgen(method)]
    pub(super) fn subscribe(this: &Channel, listener: &Function) -> Function;

    #[wasm_bindgen(method, js_name = emit)]
    fn emit_now(this: &Channel, event: &JsValue) -> JsValue;

    #[wasm_bindgen(method)]
    pub(super) fn begin(this: &Channel, message: &JsValue);

    #[wasm_bindgen(method)]
    pub(super) fn end(this: &Channel, fields: &JsValue) -> JsValue;

    #[wasm_bindgen(method, js_name = update)]
    fn update_now(this: &Channel, text: &str, words: &[u32], is_closing: bool) -> JsValue;
}

#[wasm_bindgen(module = "/src/js/event_stream.js")]
extern "C" {
    /// An async iterable of events with a result.
    #[derive(Clone, Debug)]
    pub(super) type EventStream;

    #[wasm_bindgen(constructor)]
    pub(super) fn new(on_leave: &Function) -> EventStream;

    #[wasm_bindgen(method)]
    pub(super) fn push(this: &EventStream, event: &JsValue);

    #[wasm_bindgen(method)]
    pub(super) fn end(this: &EventStream, result: &JsValue);
}

impl Channel {
    /// Calls the listeners and waits for those that want it.
    pub(super) async fn emit(&self, event: &JsValue) {
        // The script settles every promise it returns.
        let _ = value::settle(self.emit_now(event)).await;
    }

    /// Carries out a batch; how many words of it.
    pub(super) async fn update(&self, batch: &Batch, is_closing: bool) -> usize {
        let words = value::settle(self.update_now(batch.text(), batch.words(), is_closing)).await;
        words
            .ok()
            .and_then(|words| words.as_f64())
            .unwrap_or_default() as usize
    }
}
