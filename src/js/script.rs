//! `createScript`: a source of responses that plays turns given beforehand.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Function, Object};
use wasm_bindgen::prelude::*;

use crate::agent::script::{ScriptError, ScriptTurn};
use crate::js::stream_simple::stream_simple;
use crate::js::{error, task, transcript, value};
use crate::protocol::Api;

#[wasm_bindgen(module = "/src/js/body.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn respond(
        chunks: &Array,
        status: u16,
        content_type: &str,
        retry_after_ms: Option<f64>,
        tokens_per_second: f64,
    ) -> Result<JsValue, JsValue>;
}

/// Makes a `streamFn` that plays turns, one per model call, through the same decoder as a
/// provider's response: for demos, tests and work without a network.
///
/// `turns` may be a function, which is asked for each turn. Throws when a turn is not one.
#[wasm_bindgen(js_name = createScript, unchecked_return_type = "StreamFn")]
pub fn create_script(
    #[wasm_bindgen(unchecked_param_type = "ScriptTurn[] | ScriptTurns")] turns: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "ScriptOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let pace = value::get(&options, "tokensPerSecond");
    let tokens_per_second = match pace.as_f64() {
        Some(pace) if pace > 0.0 => pace,
        None if pace.is_undefined() => 0.0,
        _ => {
            return Err(error::invalid(
                "tokensPerSecond",
                "a positive number",
                &pace,
            ));
        }
    };
    let turns = Rc::new(Turns::read(&turns)?);
    let calls = Cell::new(0);
    let stream_fn = move |model: JsValue, context: JsValue, options: JsValue| {
        let call = calls.replace(calls.get() + 1);
        let told = context.clone();
        let turns = turns.clone();
        let fetch = Closure::once_into_js(move || {
            task::promise(async move {
                let response = turns.turn(call, &told).await.response();
                let chunks: Array = response
                    .chunks
                    .iter()
                    .map(|chunk| JsValue::from_str(chunk))
                    .collect();
                let (status, kind, retry) = (
                    response.status,
                    response.content_type,
                    response.retry_after_ms,
                );
                respond(&chunks, status, kind, retry, tokens_per_second)
            })
        });
        stream_simple(
            chat_model(&model),
            context,
            value::object(&[
                ("fetch", &fetch),
                ("signal", &value::get(&options, "signal")),
                ("timeoutMs", &0.into()),
                ("idleTimeoutMs", &0.into()),
            ]),
        )
    };
    let stream_fn =
        Closure::<dyn Fn(JsValue, JsValue, JsValue) -> Result<JsValue, JsValue>>::new(stream_fn);
    Ok(stream_fn.into_js_value())
}

/// The model, on the wire that scripted turns are rendered for.
fn chat_model(model: &JsValue) -> JsValue {
    let on_wire = Object::new();
    if model.is_object() {
        Object::assign(&on_wire, model.unchecked_ref());
    }
    if value::get(model, "provider").is_undefined() {
        value::set(&on_wire, "provider", &value::get(model, "api"));
    }
    value::set(&on_wire, "api", &Api::OpenAiCompletions.name().into());
    on_wire.into()
}

#[derive(Debug)]
enum Turns {
    List(Vec<ScriptTurn>),
    Asked(Function),
}

impl Turns {
    fn read(turns: &JsValue) -> Result<Self, JsValue> {
        if let Some(ask) = turns.dyn_ref::<Function>() {
            return Ok(Self::Asked(ask.clone()));
        }
        if !Array::is_array(turns) {
            return Err(error::invalid(
                "turns",
                "an array of turns or a function",
                turns,
            ));
        }
        let read = |(index, turn): (usize, JsValue)| {
            read_turn(&turn).map_err(|problem| {
                error::misuse("invalid_argument", &format!("turns[{index}]: {problem}"))
            })
        };
        value::items(turns)
            .into_iter()
            .enumerate()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self::List)
    }

    async fn turn(&self, call: u32, context: &JsValue) -> ScriptTurn {
        let turn = match self {
            Self::List(turns) => turns.get(call as usize).cloned().ok_or_else(|| {
                format!(
                    "The script has {} turns, and this is model call {}.",
                    turns.len(),
                    call + 1
                )
            }),
            Self::Asked(ask) => {
                match value::call(ask, &JsValue::UNDEFINED, &[context, &call.into()]).await {
                    Ok(turn) => read_turn(&turn)
                        .map_err(|problem| format!("The script gave no turn: {problem}")),
                    Err(thrown) => Err(format!("The script failed: {}", error::describe(&thrown))),
                }
            }
        };
        turn.unwrap_or_else(|message| ScriptTurn {
            error: Some(ScriptError {
                message,
                status: Some(400),
                retry_after_ms: None,
            }),
            ..ScriptTurn::default()
        })
    }
}

fn read_turn(turn: &JsValue) -> Result<ScriptTurn, String> {
    if !value::is_plain_object(turn) {
        return Err(format!(
            "a turn is an object such as {{ text: \"Hi\" }}, but this is {}",
            value::kind(turn)
        ));
    }
    transcript::read(turn)
}
