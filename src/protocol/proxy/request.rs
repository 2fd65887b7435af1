//! One model call → the request to the app's backend.
//!
//! Owns what the backend is told: the model as the app describes it, the conversation, and the
//! options that change the answer. Refuses to tell keys and the model's own headers, which speak to
//! the provider, and what a page keeps on its messages for itself.

mod body;
#[cfg(test)]
mod tests;

use crate::error::Failure;
use crate::model::{Model, RequestOptions};
use crate::protocol::http::{self, Headers};
use crate::protocol::{Context, HttpRequest};

/// pi-agent-core's, so that its backends serve Sluice too.
const PATH: &str = "/api/stream";

/// The request for one model call.
///
/// # Errors
/// When the options name no proxy, or a header is not valid.
pub fn encode(
    model: &Model,
    context: &Context,
    options: &RequestOptions,
) -> Result<HttpRequest, Failure> {
    let Some(proxy) = &options.proxy else {
        return Err(http::invalid(&["a call through a proxy needs its URL"]));
    };
    let mut headers = Headers::default();
    headers.set("content-type", "application/json")?;
    headers.set("accept", "text/event-stream")?;
    if let Some(token) = proxy
        .auth_token
        .as_deref()
        .filter(|token| !token.is_empty())
    {
        headers.set("authorization", &["Bearer ", token].concat())?;
    }
    headers.extend(options.headers.as_ref())?;
    Ok(HttpRequest {
        url: http::join(&proxy.url, PATH),
        headers: headers.into_vec(),
        body: body::write(model, context, options),
    })
}
