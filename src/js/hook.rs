//! The app's hooks on model calls and tool calls: calling one, and what it means that one fails.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use js_sys::{Array, Function};
use wasm_bindgen::JsValue;

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::js::error;
use crate::js::value::{self, Settling};

/// Calls a hook of the app.
pub(super) fn call_hook(name: &'static str, hook: &Function, arguments: &[&JsValue]) -> Answer {
    Answer {
        name,
        settling: value::call(hook, &JsValue::UNDEFINED, arguments),
    }
}

/// What a hook answers, on its way.
#[derive(Debug)]
pub(super) struct Answer {
    name: &'static str,
    settling: Settling,
}

impl Future for Answer {
    type Output = Result<JsValue, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let settled = Pin::new(&mut self.settling).poll(context);
        settled.map_err(|thrown| hook_failed(self.name, &error::describe(&thrown)))
    }
}

/// The failure of a hook.
#[inline(never)]
pub(super) fn hook_failed(name: &str, problem: &str) -> Failure {
    let message = [name, " failed: ", problem.trim_end_matches('.'), "."];
    ErrorInfo::new(ErrorCode::StreamFn, message.concat())
}

/// The failure of a hook that returned something else.
#[inline(never)]
pub(super) fn must_return(name: &str, expected: &str, found: &JsValue) -> Failure {
    let problem = [
        "it must return ",
        expected,
        ", but returned ",
        &value::kind(found),
    ];
    hook_failed(name, &problem.concat())
}

/// The failure of a hook that did not return messages.
pub(super) fn require_array(name: &str, found: &JsValue) -> Result<(), Failure> {
    if Array::is_array(found) {
        Ok(())
    } else {
        Err(must_return(name, "an array of messages", found))
    }
}
