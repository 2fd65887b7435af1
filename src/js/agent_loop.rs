//! `agentLoop` and `agentLoopContinue`: the bare loop over a context of the caller's.

use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::agent::run::run;
use crate::js::core::Core;
use crate::js::host::{Kind, PageHost};
use crate::js::live::{Channel, EventStream};
use crate::js::options::Owner;
use crate::js::page::{Handle, handles};
use crate::js::run_control::{RunControl, Watch};
use crate::js::{error, given, task, value};

/// Runs the loop from `prompts` on. The context is read, not changed: new messages are in the
/// events and in `result()`. Leaving the iteration early aborts the run.
///
/// Throws when an argument is not what it must be.
#[wasm_bindgen(js_name = agentLoop, unchecked_return_type = "AgentEventStream")]
pub fn agent_loop(
    #[wasm_bindgen(unchecked_param_type = "AgentMessage[]")] prompts: JsValue,
    #[wasm_bindgen(unchecked_param_type = "AgentContext")] context: JsValue,
    #[wasm_bindgen(unchecked_param_type = "AgentLoopConfig")] config: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "AbortSignal")] signal: JsValue,
    #[wasm_bindgen(js_name = streamFn, unchecked_optional_param_type = "StreamFn")]
    stream_fn: JsValue,
) -> Result<JsValue, JsValue> {
    let prompts = given::read_messages(&prompts, "prompts")?;
    if prompts.length() == 0 {
        return Err(error::misuse(
            "invalid_argument",
            "prompts is empty. To go on without one, use agentLoopContinue.",
        ));
    }
    start(handles(&prompts), &context, &config, &signal, &stream_fn)
}

/// Runs the loop from the context as it is. Its last message must not be an answer.
///
/// Throws when an argument is not what it must be.
#[wasm_bindgen(js_name = agentLoopContinue, unchecked_return_type = "AgentEventStream")]
pub fn agent_loop_continue(
    #[wasm_bindgen(unchecked_param_type = "AgentContext")] context: JsValue,
    #[wasm_bindgen(unchecked_param_type = "AgentLoopConfig")] config: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "AbortSignal")] signal: JsValue,
    #[wasm_bindgen(js_name = streamFn, unchecked_optional_param_type = "StreamFn")]
    stream_fn: JsValue,
) -> Result<JsValue, JsValue> {
    let last = value::items(&value::get(&context, "messages")).pop();
    match last.map(|message| value::get_string(&message, "role")) {
        None => Err(error::misuse(
            "nothing_to_continue",
            "context.messages is empty. Use agentLoop with a prompt.",
        )),
        Some(role) if role.as_deref() == Some("assistant") => Err(error::misuse(
            "nothing_to_continue",
            "context.messages ends with an answer. Use agentLoop with a prompt.",
        )),
        Some(_) => start(Vec::new(), &context, &config, &signal, &stream_fn),
    }
}

fn start(
    prompts: Vec<Handle>,
    context: &JsValue,
    config: &JsValue,
    signal: &JsValue,
    stream_fn: &JsValue,
) -> Result<JsValue, JsValue> {
    let core = Core::new(config, Owner::Loop, stream_fn)?;
    let [model, reasoning] = ["model", "reasoning"].map(|key| value::get(config, key));
    set_context(&core, context, &model, &reasoning, false)?;
    let (control, settle) = RunControl::new()?;
    core.channel.open(&control.signal());
    let watch = Watch::new(signal, &control, &core.channel)?;
    let stream = listen(&core.channel, &control);
    let events = stream.clone();
    let host = PageHost::new(Rc::new(core), control.clone(), Kind::Run);
    task::spawn(async move {
        let messages = run(&host, &control.abort, prompts, None).await;
        stream.end(
            &messages
                .into_iter()
                .map(|message| message.0)
                .collect::<Array>(),
        );
        drop((settle, watch));
    });
    Ok(events.into())
}

/// A stream of all events of a channel. Leaving it early aborts the run.
pub(super) fn listen(channel: &Channel, control: &RunControl) -> EventStream {
    let abort = {
        let (control, channel) = (control.clone(), channel.clone());
        Closure::<dyn Fn(JsValue)>::new(move |reason| control.abort(&reason, &channel))
    };
    // The stream lets go of it at its end.
    channel.stream(abort.into_js_value().unchecked_ref())
}

/// Sets the state of a run over a context of the caller's. `is_told` for tools that are not run.
///
/// # Errors
/// What of it is not what it must be.
pub(super) fn set_context(
    core: &Core,
    context: &JsValue,
    model: &JsValue,
    reasoning: &JsValue,
    is_told: bool,
) -> Result<(), JsValue> {
    if !value::is_plain_object(context) {
        return Err(error::invalid(
            "context",
            "an object with messages",
            context,
        ));
    }
    given::read_model(model)?;
    let messages = given::read_messages(&value::get(context, "messages"), "context.messages")?;
    for (key, found) in [
        ("model", model),
        ("messages", &messages),
        ("systemPrompt", &value::get(context, "systemPrompt")),
        ("tools", &value::get(context, "tools")),
        ("thinkingLevel", reasoning),
    ] {
        if !found.is_undefined() {
            core.state.set(key, found);
        }
    }
    core.set_tools(&core.state.get("tools"), is_told)
}
