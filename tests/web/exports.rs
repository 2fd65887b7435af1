//! The exports of the package as one object, and checks by the Rust types beside them.

use js_sys::{Array, Function, Object, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sluice_agent::event::laws::{self, same_json};
use sluice_agent::event::{AgentEvent, AssistantMessageEvent};
use sluice_agent::js;
use sluice_agent::text::partial_json::parse_arguments;
use wasm_bindgen::prelude::*;

use crate::mirror;

type Outcome = Result<JsValue, JsValue>;

/// What a page imports, and `checkRun`, `checkCall` and `argumentViews`.
pub(crate) fn exports(script: Function) -> JsValue {
    let exports = Object::new();
    let put = |name: &str, value: JsValue| {
        let _ = Reflect::set(&exports, &name.into(), &value);
    };
    put("Agent", agent_class());
    put(
        "agentLoop",
        Closure::<dyn Fn(JsValue, JsValue, JsValue, JsValue, JsValue) -> Outcome>::new(
            js::agent_loop,
        )
        .into_js_value(),
    );
    put(
        "agentLoopContinue",
        Closure::<dyn Fn(JsValue, JsValue, JsValue, JsValue) -> Outcome>::new(
            js::agent_loop_continue,
        )
        .into_js_value(),
    );
    let stream_simple =
        Closure::<dyn Fn(JsValue, JsValue, JsValue) -> Outcome>::new(js::stream_simple)
            .into_js_value();
    put("streamSimple", stream_simple.clone());
    put(
        "createScript",
        Closure::<dyn Fn(JsValue, JsValue) -> Outcome>::new(move |turns, options| {
            script.call3(&JsValue::UNDEFINED, &turns, &options, &stream_simple)
        })
        .into_js_value(),
    );
    put(
        "complete",
        Closure::<dyn Fn(JsValue, JsValue, JsValue) -> JsValue>::new(|model, context, options| {
            js::complete(model, context, options).into()
        })
        .into_js_value(),
    );
    put(
        "checkRun",
        Closure::<dyn Fn(String) -> Result<(), JsValue>>::new(check_run).into_js_value(),
    );
    put(
        "checkCall",
        Closure::<dyn Fn(String) -> Result<(), JsValue>>::new(check_call).into_js_value(),
    );
    put(
        "argumentViews",
        Closure::<dyn Fn(Array) -> JsValue>::new(|deltas| mirror::argument_views(&deltas).into())
            .into_js_value(),
    );
    exports.into()
}

/// The class has no value of its own in Rust, but every instance knows it.
fn agent_class() -> JsValue {
    let agent = js::Agent::new(JsValue::UNDEFINED).map(JsValue::from);
    agent
        .and_then(|agent| Reflect::get(&agent, &"constructor".into()))
        .unwrap_or(JsValue::UNDEFINED)
}

/// The events of one run, as JSON: the Rust types lose nothing of them, and they obey the laws.
fn check_run(json: String) -> Result<(), JsValue> {
    let events: Vec<AgentEvent> = read_exactly(&json)?;
    laws::check(&events).map_err(failure)
}

/// The same for the events of one model call.
fn check_call(json: String) -> Result<(), JsValue> {
    let events: Vec<AssistantMessageEvent> = read_exactly(&json)?;
    laws::check_call(&events).map_err(failure)
}

fn read_exactly<T: Serialize + DeserializeOwned>(json: &str) -> Result<Vec<T>, JsValue> {
    // serde_json reads long numbers to within a bit or so; the parser of arguments reads them as the page does.
    let read = parse_arguments(&format!("{{\"events\":{json}}}")).map_err(failure)?;
    let values = read.get("events").and_then(Value::as_array);
    values
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(index, value)| {
            let event: T = serde_json::from_value(value.clone())
                .map_err(|error| failure(format!("event {index}: {error}: {value}")))?;
            let back = serde_json::to_value(&event).map_err(failure)?;
            if same_json(value, &back) {
                Ok(event)
            } else {
                Err(failure(format!("event {index} is {value}, in Rust {back}")))
            }
        })
        .collect()
}

fn failure(problem: impl std::fmt::Display) -> JsValue {
    js_sys::Error::new(&problem.to_string()).into()
}
