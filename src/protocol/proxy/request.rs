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
use crate::protocol::{Context, HttpRequest, http};

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
    let token = proxy.auth_token.as_deref().unwrap_or_default();
    let bearer = ["Bearer ", token].concat();
    let bearer = if token.is_empty() { "" } else { &bearer };
    let own = [("authorization", bearer)];
    Ok(HttpRequest {
        url: http::join(&proxy.url, PATH),
        headers: http::headers(&own, [None, options.headers.as_ref()])?,
        body: body::write(model, context, options),
    })
}
