//! What tools and the hooks on them return: checked, and made into results: `{content, details}`.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/js/values.js")]
extern "C" {
    /// A result that is one text.
    #[wasm_bindgen(js_name = textResult)]
    pub(super) fn text_result(text: &str) -> JsValue;

    /// A tool's return value as a result; throws what is wrong with it.
    #[wasm_bindgen(catch, js_name = toolResult)]
    pub(super) fn tool_result(returned: &JsValue) -> Result<JsValue, JsValue>;

    /// Throws what is wrong with what `beforeToolCall` returned.
    #[wasm_bindgen(catch, js_name = checkDecision)]
    pub(super) fn check_decision(returned: &JsValue) -> Result<(), JsValue>;

    /// A result in which `afterToolCall` replaced what it gave; throws what is wrong with that.
    #[wasm_bindgen(catch, js_name = changedResult)]
    pub(super) fn changed_result(change: &JsValue, result: &JsValue) -> Result<JsValue, JsValue>;

    /// The message that answers a call.
    #[wasm_bindgen(js_name = toolResultMessage)]
    pub(super) fn tool_result_message(
        id: &str,
        name: &str,
        result: &JsValue,
        is_error: bool,
        duration_ms: Option<f64>,
    ) -> JsValue;

    /// The argument of hooks on tool calls: `{ assistantMessage, toolCall, args, context }`.
    #[wasm_bindgen(js_name = toolCallContext)]
    pub(super) fn tool_call_context(state: &JsValue, index: u32, arguments: &JsValue) -> JsValue;

    /// A block of a message.
    #[wasm_bindgen(js_name = blockOf)]
    pub(super) fn block_of(message: &JsValue, index: u32) -> JsValue;
}
