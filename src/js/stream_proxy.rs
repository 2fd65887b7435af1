//! `streamProxy`: one model call that the app's backend makes.

use wasm_bindgen::prelude::*;

use crate::js::options::Owner;
use crate::js::stream_simple;

/// Makes one model call through a backend of the app, which holds the key. Returns an async iterable
/// of its events; `result()` is the message. It serves as a `streamFn`:
/// `(model, context, options) => streamProxy(model, context, { ...options, proxyUrl, authToken })`.
///
/// Throws when an argument is not what it must be. A call that fails ends with an `error` event,
/// and `result()` is the failed message.
#[wasm_bindgen(js_name = streamProxy, unchecked_return_type = "AssistantMessageEventStream")]
pub fn stream_proxy(
    #[wasm_bindgen(unchecked_param_type = "Model")] model: JsValue,
    #[wasm_bindgen(unchecked_param_type = "Context")] context: JsValue,
    #[wasm_bindgen(unchecked_param_type = "ProxyOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    stream_simple::stream(&model, &context, &options, Owner::Proxy)
}
