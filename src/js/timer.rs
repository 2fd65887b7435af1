//! Time to wait, by the page's `setTimeout`.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The longest delay that `setTimeout` keeps to; a longer one would fire at once.
const MAX_DELAY_MS: f64 = 2_147_483_647.0;

#[wasm_bindgen(module = "/src/js/streams.js")]
extern "C" {
    #[derive(Debug)]
    type Timer;

    #[wasm_bindgen(constructor)]
    fn new(ms: f64) -> Timer;

    #[wasm_bindgen(method, getter)]
    fn over(this: &Timer) -> Promise;

    #[wasm_bindgen(method)]
    fn stop(this: &Timer);
}

/// A time that passes. Dropping it stops its timer.
#[derive(Debug)]
pub(super) struct Sleep {
    timer: Timer,
    over: JsFuture,
}

impl Sleep {
    pub(super) fn new(ms: f64) -> Self {
        let timer = Timer::new(ms.clamp(0.0, MAX_DELAY_MS));
        Self {
            over: timer.over().into(),
            timer,
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.over).poll(context).map(|_| ())
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.timer.stop();
    }
}
