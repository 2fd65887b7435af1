//! One run as its agent sees it: aborting it, and waiting for it.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, AbortSignal};

use crate::agent::abort::{Abort, Latch};
use crate::js::live::Channel;
use crate::js::timer::Sleep;
use crate::js::{error, task, value};

/// How long an aborted run still waits for listeners that returned promises, in milliseconds.
const GRACE_MS: f64 = 1_000.0;

/// A run that has not settled.
#[derive(Debug, Clone)]
pub(super) struct RunControl {
    pub(super) abort: Abort,
    controller: AbortController,
    settled: Latch,
    /// Of tools that are running, by call id.
    pub(super) tools: Rc<RefCell<Vec<(String, AbortController)>>>,
    /// False once the conversation it belongs to was thrown away.
    pub(super) is_kept: Rc<Cell<bool>>,
}

/// Marks the run as settled when dropped, whatever happens to its task.
#[derive(Debug)]
pub(super) struct Settle(Latch);

impl Drop for Settle {
    fn drop(&mut self) {
        self.0.open();
    }
}

impl RunControl {
    pub(super) fn new() -> Result<(Self, Settle), JsValue> {
        let settled = Latch::default();
        let run = Self {
            abort: Abort::default(),
            controller: AbortController::new()?,
            settled: settled.clone(),
            tools: Rc::default(),
            is_kept: Rc::new(Cell::new(true)),
        };
        Ok((run, Settle(settled)))
    }

    /// The signal that tools and listeners get. It carries the app's reason.
    pub(super) fn signal(&self) -> AbortSignal {
        self.controller.signal()
    }

    /// Aborts the run. Listeners that wait are let go after a grace period.
    pub(super) fn abort(&self, reason: &JsValue, channel: &Channel) {
        if self.abort.is_fired() {
            return;
        }
        self.abort.fire();
        let (settled, channel) = (self.settled.clone(), channel.clone());
        task::spawn(async move {
            let mut grace = Sleep::new(GRACE_MS);
            let is_over = poll_fn(|context| match settled.poll_opened(context) {
                Poll::Ready(()) => Poll::Ready(false),
                Poll::Pending => Pin::new(&mut grace).poll(context).map(|()| true),
            });
            if is_over.await {
                channel.let_go();
            }
        });
        if reason.is_undefined() {
            self.controller.abort();
        } else {
            self.controller.abort_with_reason(reason);
        }
        // At once, not when the run gets to it: whoever aborts may look at these signals next.
        let tools = self.tools.take();
        for (_, tool) in tools {
            tool.abort_with_reason(&value::get(&self.signal(), "reason"));
        }
    }

    /// Completes when the run has settled.
    pub(super) async fn settled(&self) {
        self.settled.opened().await;
    }
}

/// A signal of the page that is being watched; dropping this ends it.
#[derive(Debug)]
pub(super) struct Watch {
    signal: JsValue,
    listener: Closure<dyn Fn()>,
}

impl Watch {
    /// Aborts `run` when `signal` fires, with its reason. `None` when there is nothing to watch.
    ///
    /// # Errors
    /// That it is no signal.
    pub(super) fn new(
        signal: &JsValue,
        run: &RunControl,
        channel: &Channel,
    ) -> Result<Option<Self>, JsValue> {
        if signal.is_undefined() || signal.is_null() {
            return Ok(None);
        }
        if !value::get(signal, "addEventListener").is_function() {
            return Err(error::invalid("signal", "an AbortSignal", signal));
        }
        let abort = {
            let (signal, run, channel) = (signal.clone(), run.clone(), channel.clone());
            move || run.abort(&value::get(&signal, "reason"), &channel)
        };
        if value::get(signal, "aborted").is_truthy() {
            abort();
            return Ok(None);
        }
        let listener = Closure::<dyn Fn()>::new(abort);
        let watch = Self {
            signal: signal.clone(),
            listener,
        };
        watch.call("addEventListener");
        Ok(Some(watch))
    }

    fn call(&self, method: &str) {
        let method: Option<Function> = value::as_function(value::get(&self.signal, method));
        if let Some(method) = method {
            // A foreign signal that refuses listeners cannot be watched.
            let _ = method.call2(&self.signal, &"abort".into(), self.listener.as_ref());
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.call("removeEventListener");
    }
}
