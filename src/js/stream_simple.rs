//! `streamSimple` and `complete`: one model call.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use crate::agent::host::Host;
use crate::agent::model_call::call_model;
use crate::js::agent_loop::{listen, set_context};
use crate::js::core::Core;
use crate::js::host::{Kind, PageHost};
use crate::js::live::EventStream;
use crate::js::options::Owner;
use crate::js::page::Handle;
use crate::js::run_control::{RunControl, Settle, Watch};
use crate::js::{task, value};

/// Makes one model call. Returns an async iterable of its events; `result()` is the message.
///
/// Throws when an argument is not what it must be. A call that fails ends with an `error` event,
/// and `result()` is the failed message.
#[wasm_bindgen(js_name = streamSimple, unchecked_return_type = "AssistantMessageEventStream")]
pub fn stream_simple(
    #[wasm_bindgen(unchecked_param_type = "Model")] model: JsValue,
    #[wasm_bindgen(unchecked_param_type = "Context")] context: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "StreamOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    stream(&model, &context, &options, Owner::Simple)
}

/// The events of one call.
pub(super) fn stream(
    model: &JsValue,
    context: &JsValue,
    options: &JsValue,
    owner: Owner,
) -> Result<JsValue, JsValue> {
    let call = ModelCall::new(model, context, options, owner)?;
    let stream: EventStream = listen(&call.core.channel, &call.control);
    let events = stream.clone();
    task::spawn(async move { stream.end(&call.make().await.0) });
    Ok(events.into())
}

/// Makes one model call and resolves with its message, failed or not.
#[wasm_bindgen(unchecked_return_type = "Promise<AssistantMessage>")]
pub fn complete(
    #[wasm_bindgen(unchecked_param_type = "Model")] model: JsValue,
    #[wasm_bindgen(unchecked_param_type = "Context")] context: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "StreamOptions")] options: JsValue,
) -> Promise {
    match ModelCall::new(&model, &context, &options, Owner::Simple) {
        Ok(call) => task::promise(async move { call.make().await.0 }),
        Err(error) => Promise::reject(&error),
    }
}

/// One call, ready to be made.
struct ModelCall {
    core: Rc<Core>,
    control: RunControl,
    /// Kept until the call is over.
    _guards: (Settle, Option<Watch>),
}

impl ModelCall {
    fn new(
        model: &JsValue,
        context: &JsValue,
        options: &JsValue,
        owner: Owner,
    ) -> Result<Self, JsValue> {
        let core = Rc::new(Core::new(options, owner, &JsValue::UNDEFINED)?);
        set_context(
            &core,
            context,
            model,
            &value::get(options, "reasoning"),
            true,
        )?;
        core.channel.unwrapped();
        let (control, settle) = RunControl::new()?;
        core.channel.open(&control.signal());
        let watch = Watch::new(&value::get(options, "signal"), &control, &core.channel)?;
        Ok(Self {
            core,
            control,
            _guards: (settle, watch),
        })
    }

    async fn make(&self) -> Handle {
        let host = PageHost::new(self.core.clone(), self.control.clone(), Kind::Call);
        call_model(
            &host,
            &self.control.abort,
            &|| host.model(),
            self.core.options.rules.hook_timeout_ms,
            Box::pin(host.prepare_call()),
        )
        .await
        .message
    }
}
