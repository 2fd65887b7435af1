//! A conversation → the body of a chat-completions request.
//!
//! Owns how turns are written on this wire: who says what under which role, where images go, which
//! fields a host gets. Refuses to repair the conversation ([`history`]) and to send what the host
//! is not known to accept ([`Switches`]).
//!
//! Everything is written straight from the turns; the data of an image is copied once, into the
//! final text.
//!
//! Source: OpenAI API reference, "Create chat completion".

mod body;
#[cfg(test)]
mod tests;

use super::hosts::Switches;
use crate::error::Failure;
use crate::model::{CacheRetention, MaxTokensField, Model, RequestOptions};
use crate::protocol::history::{self, Target};
use crate::protocol::{Api, Context, HttpRequest, http, openai};
use crate::text::json::JsonWriter;

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";
const PATH: &str = "/chat/completions";

/// The request for one model call.
///
/// # Errors
/// When there is nothing to send, when the conversation ends with the model's own answer, or when a
/// header is not valid.
pub fn encode(
    model: &Model,
    context: &Context,
    options: &RequestOptions,
) -> Result<HttpRequest, Failure> {
    let base_url = model.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
    let switches = Switches::resolve(base_url, model);
    let body = body(model, context, options, &switches)?;
    Ok(HttpRequest {
        url: http::join(base_url, PATH),
        headers: openai::headers(model, options, switches.key_in_own_header)?,
        body,
    })
}

fn body(
    model: &Model,
    context: &Context,
    options: &RequestOptions,
    switches: &Switches,
) -> Result<String, Failure> {
    let mut target = Target::new(Api::OpenAiCompletions, model);
    target.id_format = Some(switches.id_format);
    target.image_types = switches.image_types;
    let turns = history::prepare_request(&context.messages, &target)?;
    let limit = options
        .max_tokens
        .or(model.max_tokens)
        .filter(|limit| *limit >= 1.0);
    let takes_effort = model.reasoning == Some(true) && switches.reasoning_effort;
    let caches = switches.cache_key && options.cache_retention != CacheRetention::None;
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("model").string(&model.id);
        json.key("messages")
            .array(|json| body::write_messages(&turns, model, context, switches, json));
        json.key("stream").boolean(true);
        if switches.stream_usage {
            json.key("stream_options").raw(r#"{"include_usage":true}"#);
        }
        if !context.tools.is_empty() {
            let choice = options.tool_choice.as_ref();
            body::write_tools(&context.tools, choice, json);
        }
        if let Some(temperature) = options
            .temperature
            .filter(|temperature| temperature.is_finite())
        {
            json.key("temperature").number(temperature);
        }
        if let Some(limit) = limit {
            let in_old_field = switches.max_tokens_field == MaxTokensField::MaxTokens;
            json.key(if in_old_field {
                "max_tokens"
            } else {
                "max_completion_tokens"
            })
            .number(limit.trunc());
        }
        if let Some(effort) =
            openai::effort(options.reasoning, switches.all_efforts).filter(|_| takes_effort)
        {
            if switches.effort_in_object {
                json.key("reasoning").object(|json| {
                    json.key("effort").string(effort);
                });
            } else {
                json.key("reasoning_effort").string(effort);
            }
        }
        if switches.store {
            json.key("store").boolean(false);
        }
        if let Some(session) = options.session_id.as_deref().filter(|_| caches) {
            json.key("prompt_cache_key").string(session);
        }
    });
    Ok(json.into_text())
}
