//! The network of one model call: the app's `fetch` or the page's, and the app's hooks on it.

use wasm_bindgen::prelude::*;

use crate::agent::host::HttpResponse;
use crate::error::Failure;
use crate::js::core::Core;
use crate::js::fetch::Body;
use crate::js::hook::{call_hook, hook_failed, must_return};
use crate::js::transcript::Held;
use crate::js::value;

/// Sends requests by the options of an agent or a call.
#[derive(Debug)]
pub(super) struct Network<'a> {
    pub(super) core: &'a Core,
    /// The model as the app gave it, for its hooks.
    pub(super) model: JsValue,
    pub(super) held: Held,
}

impl Network<'_> {
    /// `onPayload(payload, model)` may return another payload.
    pub(super) async fn on_payload(self, body: String) -> Result<String, Failure> {
        let Some(hook) = self.core.channel.hook("onPayload") else {
            return Ok(body);
        };
        let payload = self.held.payload(&body);
        let answer = call_hook("onPayload", &hook, &[&payload, &self.model]).await?;
        let payload = if answer.is_undefined() || answer.is_null() {
            payload
        } else {
            answer
        };
        if !value::is_plain_object(&payload) {
            let expected = "the payload, an object, or nothing";
            return Err(must_return("onPayload", expected, &payload));
        }
        let body = self.held.body_of(&payload).ok().flatten();
        body.ok_or_else(|| hook_failed("onPayload", "its payload cannot be written as JSON"))
    }

    /// `onResponse({ status, headers, contentType, retryAfterMs }, model)`.
    pub(super) async fn on_response(self, response: &HttpResponse<Body>) -> Result<(), Failure> {
        let Some(hook) = self.core.channel.hook("onResponse") else {
            return Ok(());
        };
        let told = value::object(&[
            ("status", &response.status.into()),
            ("headers", &response.body.headers),
            ("contentType", &response.content_type.as_str().into()),
            ("retryAfterMs", &value::number(response.retry_after_ms)),
        ]);
        call_hook("onResponse", &hook, &[&told, &self.model])
            .await
            .map(drop)
    }

    /// The key for a provider: `getApiKey`'s, else `apiKey`.
    pub(super) async fn api_key(&self, provider: &str) -> Result<Option<String>, Failure> {
        if let Some(hook) = self.core.channel.hook("getApiKey") {
            let key = call_hook("getApiKey", &hook, &[&provider.into()]).await?;
            if !key.is_undefined() && !key.is_null() && !key.is_string() {
                return Err(must_return("getApiKey", "a string or nothing", &key));
            }
            if let Some(key) = key.as_string().filter(|key| !key.is_empty()) {
                return Ok(Some(key));
            }
        }
        Ok(self.core.options.api_key.clone())
    }
}
