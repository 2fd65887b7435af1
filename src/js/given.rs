//! What an app hands in, checked by a script: options, models, tools and messages.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::js::{error, transcript};
use crate::model::Model;
use crate::text::json::{FromJson, from_text};

#[wasm_bindgen(module = "/src/js/given.js")]
extern "C" {
    /// Options by what becomes of them.
    #[derive(Clone, Debug)]
    pub(super) type Given;

    /// `stream_fn` stands for the option of this name.
    #[wasm_bindgen(catch, js_name = readOptions)]
    pub(super) fn read_options(
        options: &JsValue,
        owner: &str,
        stream_fn: &JsValue,
    ) -> Result<Given, JsValue>;

    /// All that is data, as JSON.
    #[wasm_bindgen(method, getter)]
    pub(super) fn json(this: &Given) -> String;

    #[wasm_bindgen(catch, js_name = readModel)]
    fn model_json(model: &JsValue) -> Result<String, JsValue>;

    /// Tools as JSON, as far as they are read here. `is_told` for those that a model is only told of.
    #[wasm_bindgen(catch, js_name = readTools)]
    pub(super) fn read_tools(tools: &JsValue, is_told: bool) -> Result<String, JsValue>;

    #[wasm_bindgen(js_name = warnOnce)]
    pub(super) fn warn_once(tool: &JsValue, text: &str);

    /// The function that has the last word on arguments, if there is one.
    pub(super) fn validator(tool: &JsValue) -> JsValue;

    /// The arguments to use, by what that function answered; throws what does not fit.
    #[wasm_bindgen(catch)]
    pub(super) fn validated(
        tool: &JsValue,
        arguments: &JsValue,
        answer: &JsValue,
    ) -> Result<JsValue, JsValue>;

    /// Whether it can be the state that an agent begins with.
    #[wasm_bindgen(catch, js_name = checkInitialState)]
    pub(super) fn check_initial_state(initial: &JsValue) -> Result<(), JsValue>;

    /// The messages of a prompt: a text (with images), a message or several.
    #[wasm_bindgen(catch, js_name = readPrompt)]
    pub(super) fn read_prompt(input: &JsValue, images: &JsValue) -> Result<Array, JsValue>;

    /// A message, or a text as the message of a user.
    #[wasm_bindgen(catch, js_name = readMessage)]
    pub(super) fn read_message(message: &JsValue, what: &str) -> Result<JsValue, JsValue>;

    /// Every message has a role; what else it has is checked when a model gets to read it.
    #[wasm_bindgen(catch, js_name = checkMessage)]
    pub(super) fn check_message(message: &JsValue, what: &str) -> Result<JsValue, JsValue>;

    /// A copy of a list of messages.
    #[wasm_bindgen(catch, js_name = readMessages)]
    pub(super) fn read_messages(messages: &JsValue, what: &str) -> Result<Array, JsValue>;
}

/// Reads a model.
///
/// # Errors
/// An error that says what is missing or wrong.
pub(super) fn read_model(model: &JsValue) -> Result<Model, JsValue> {
    read(&model_json(model)?, "model")
}

/// Reads a value by its JSON; `what` is its name in errors.
///
/// # Errors
/// An error that says what it must be.
pub(super) fn data<T: FromJson>(found: &JsValue, what: &str) -> Result<T, JsValue> {
    transcript::read(found).map_err(|problem| named(what, &problem))
}

/// Reads JSON; `what` is its name in errors.
///
/// # Errors
/// An error that says what is wrong with it.
pub(super) fn read<T: FromJson>(json: &str, what: &str) -> Result<T, JsValue> {
    from_text(json).map_err(|problem| named(what, &problem))
}

/// A problem with a value, or with a member of it, under the value's name.
fn named(what: &str, problem: &str) -> JsValue {
    let whole = ["the value", "the text"].map(|name| problem.strip_prefix(name));
    let message = match whole.into_iter().flatten().next() {
        Some(problem) => [what, problem, "."].concat(),
        None if what.is_empty() => [problem, "."].concat(),
        None if problem.starts_with('[') => [what, problem, "."].concat(),
        None => [what, ".", problem, "."].concat(),
    };
    error::misuse("invalid_argument", &message)
}
