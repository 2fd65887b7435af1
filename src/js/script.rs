//! `createScript`: a source of responses that plays turns given beforehand.

use wasm_bindgen::prelude::*;

use crate::js::stream_simple::stream_simple;

#[wasm_bindgen(module = "/src/js/script.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn script(turns: &JsValue, options: &JsValue, play: &JsValue) -> Result<JsValue, JsValue>;
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
    let play = Closure::<dyn Fn(JsValue, JsValue, JsValue) -> Result<JsValue, JsValue>>::new(
        stream_simple,
    );
    script(&turns, &options, &play.into_js_value())
}
