//! The calls at the end of a transcript that wait for approval: what a session that was restored goes
//! on with.

use wasm_bindgen::prelude::*;

use crate::agent::run::OpenCalls;
use crate::assemble::AssembledCall;
use crate::js::core::Core;
use crate::js::page::Handle;
use crate::js::value;

/// The calls of the last answer that wait for approval and have no result, if there are any.
pub(super) fn find(core: &Core) -> Option<OpenCalls<Handle>> {
    let messages = core.state.messages();
    let role = |message: &JsValue| value::get_string(message, "role").unwrap_or_default();
    let last = messages
        .iter()
        .rposition(|message| role(message) != "toolResult")?;
    let (_, tail) = messages.split_at_checked(last)?;
    let (message, results) = tail.split_first()?;
    if role(message) != "assistant" {
        return None;
    }
    let is_answered = |id: &str| {
        let answers = |result| value::get_string(result, "toolCallId").as_deref() == Some(id);
        results.iter().any(answers)
    };
    let mut calls = Vec::new();
    for (block, found) in (0..).zip(value::items(&value::get(message, "content"))) {
        let id = value::get_string(&found, "id").unwrap_or_default();
        if core.approvals.is_requested(&id) && !is_answered(&id) {
            let arguments = js_sys::JSON::stringify(&value::get(&found, "arguments"));
            calls.push(AssembledCall {
                id,
                name: value::get_string(&found, "name").unwrap_or_default(),
                block,
                json: arguments.map(String::from).unwrap_or_default(),
            });
        }
    }
    (!calls.is_empty()).then(|| OpenCalls {
        message: Handle(message.clone()),
        calls,
    })
}
