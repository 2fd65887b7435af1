//! A conversation → the body of a Responses request.
//!
//! Owns how turns are written as items, and which fields a host gets. Refuses to repair the
//! conversation ([`history`]) and to send what the host is not known to accept ([`Switches`]).
//!
//! An item's id, and thinking, go back only where the server can make sense of them:
//!
//! - thinking goes right in front of the item it led to, if that one is there as a whole; thinking
//!   at the end of a turn, or in front of an item that was cut, stays behind;
//! - an item has its id only behind the thinking that led to it: an id without its thinking is
//!   refused ("provided without its required 'reasoning' item"), an item without an id is not;
//! - no id is sent twice ("Duplicate item found").
//!
//! Source: OpenAI API reference, "Create a model response"; "Reasoning models", "Function calling".

mod body;
#[cfg(test)]
mod tests;

use super::hosts::Switches;
use crate::error::Failure;
use crate::model::{CacheRetention, Model, RequestOptions};
use crate::protocol::history::{self, Target, Turn, images};
use crate::protocol::{Api, Context, HttpRequest, http, openai};
use crate::text::json::JsonWriter;
use body::ItemWriter;

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";
const PATH: &str = "/responses";

/// The least limit of the output that OpenAI takes.
const MIN_OUTPUT: f64 = 16.0;
/// The longest cache key that OpenAI takes, in characters.
const MAX_CACHE_KEY: usize = 64;

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
    let mut target = Target::new(Api::OpenAiResponses, model);
    target.image_types = switches.is_openai.then_some(images::COMMON);
    let turns = history::prepare_request(&context.messages, &target)?;
    let has_prompt = !context.system_prompt.trim().is_empty();
    let is_thinking = model.reasoning == Some(true);
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("model").string(&model.id);
        json.key("input").array(|json| {
            if has_prompt {
                let is_developer = switches.developer_role && is_thinking;
                let role = if is_developer { "developer" } else { "system" };
                body::write_members(json, &[("role", role), ("content", &context.system_prompt)]);
            }
            let mut writer = ItemWriter::new();
            for turn in &turns {
                match turn {
                    Turn::User(parts) => body::write_user(parts, json),
                    Turn::Assistant(turn) => writer.write_turn(turn, json),
                }
            }
        });
        json.key("stream").boolean(true);
        write_options(model, context, options, &switches, json);
    });
    Ok(HttpRequest {
        url: http::join(base_url, PATH),
        headers: openai::headers(model, options, switches.key_in_own_header)?,
        body: json.into_text(),
    })
}

fn write_options(
    model: &Model,
    context: &Context,
    options: &RequestOptions,
    switches: &Switches,
    json: &mut JsonWriter,
) {
    let is_thinking = model.reasoning == Some(true);
    if !context.tools.is_empty() {
        json.key("tools").array(|json| {
            context
                .tools
                .iter()
                .for_each(|tool| body::write_tool(tool, json))
        });
        openai::write_tool_choice(options.tool_choice.as_ref(), json, |name, json| {
            json.key("name").string(name);
        });
    }
    if let Some(temperature) = options.temperature.filter(|it| it.is_finite()) {
        json.key("temperature").number(temperature);
    }
    let limit = options.max_tokens.or(model.max_tokens);
    if let Some(limit) = limit.filter(|limit| *limit >= 1.0) {
        let least = if switches.is_openai { MIN_OUTPUT } else { 1.0 };
        json.key("max_output_tokens")
            .number(limit.trunc().max(least));
    }
    let effort = openai::effort(options.reasoning, switches.all_efforts);
    if let Some(effort) = effort.filter(|_| is_thinking && switches.reasoning_effort) {
        json.key("reasoning").object(|json| {
            json.key("effort").string(effort);
            if switches.is_openai {
                json.key("summary").string("auto");
            }
        });
    }
    if switches.store {
        json.key("store").boolean(false);
        if is_thinking {
            json.key("include")
                .raw(r#"["reasoning.encrypted_content"]"#);
        }
    }
    if options.cache_retention == CacheRetention::None {
        return;
    }
    if let Some(session) = options.session_id.as_deref().filter(|_| switches.cache_key) {
        let end = session.char_indices().nth(MAX_CACHE_KEY);
        let key = end
            .and_then(|(end, _)| session.get(..end))
            .unwrap_or(session);
        json.key("prompt_cache_key").string(key);
    }
    if options.cache_retention == CacheRetention::Long && switches.cache_retention {
        json.key("prompt_cache_retention").string("24h");
    }
}
