//! What one model call is made from, as the page's values.

use std::rc::Rc;

use wasm_bindgen::JsValue;

use crate::error::Failure;
use crate::js::given::{self, read_model};
use crate::js::hook::{hook_failed, must_return, require_array};
use crate::js::state::State;
use crate::js::tool::{ToolSet, Tools};
use crate::js::{error, value};
use crate::model::RequestOptions;

/// What one model call is made from.
pub(super) struct Request {
    pub(super) system_prompt: JsValue,
    pub(super) messages: JsValue,
    pub(super) tools: JsValue,
    pub(super) model: JsValue,
    pub(super) thinking_level: JsValue,
}

impl Request {
    /// What the state has.
    pub(super) fn of(state: &State) -> Self {
        Self {
            system_prompt: state.get("systemPrompt"),
            // A copy: hooks may do with it what they like.
            messages: value::copied(&state.get("messages")).into(),
            tools: state.get("tools"),
            model: state.get("model"),
            thinking_level: state.get("thinkingLevel"),
        }
    }

    /// The argument of `prepareRequest`.
    pub(super) fn told(&self) -> JsValue {
        let context = value::object(&[
            ("systemPrompt", &self.system_prompt),
            ("messages", &self.messages),
            ("tools", &self.tools),
        ]);
        value::object(&[
            ("context", &context),
            ("model", &self.model),
            ("thinkingLevel", &self.thinking_level),
        ])
    }

    /// Takes over what `prepareRequest` returned. Gives the tools then; none where it returned nothing.
    ///
    /// # Errors
    /// What of it is not what it must be.
    pub(super) fn replace(&mut self, given: &JsValue) -> Result<Option<Tools>, Failure> {
        const HOOK: &str = "prepareRequest";
        if given.is_undefined() || given.is_null() {
            return Ok(None);
        }
        if !value::is_plain_object(given) {
            let expected = "{ context, model, thinkingLevel } or nothing";
            return Err(must_return(HOOK, expected, given));
        }
        let context = value::get(given, "context");
        for (place, object, key) in [
            (&mut self.system_prompt, &context, "systemPrompt"),
            (&mut self.messages, &context, "messages"),
            (&mut self.tools, &context, "tools"),
            (&mut self.model, given, "model"),
            (&mut self.thinking_level, given, "thinkingLevel"),
        ] {
            let found = value::get(object, key);
            if !found.is_undefined() {
                *place = found;
            }
        }
        require_array(HOOK, &self.messages)?;
        let set = ToolSet::read(&self.tools, false).map_err(unfit)?;
        read_model(&self.model).map_err(unfit)?;
        Ok(Some(Tools::new(
            Rc::new(set),
            value::copied(&self.tools).into(),
        )))
    }

    /// The options of a provider's request.
    ///
    /// # Errors
    /// That the thinking level is none.
    pub(super) fn options(
        &self,
        usual: &RequestOptions,
        api_key: Option<String>,
    ) -> Result<RequestOptions, Failure> {
        Ok(RequestOptions {
            api_key,
            reasoning: given::data(&self.thinking_level, "thinkingLevel").map_err(unfit)?,
            ..usual.clone()
        })
    }
}

/// Only `prepareRequest` can give what was not checked before.
fn unfit(thrown: JsValue) -> Failure {
    hook_failed("prepareRequest", &error::describe(&thrown))
}
