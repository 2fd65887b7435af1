//! A conversation → the body of a Messages request.
//!
//! Owns how turns are written on this wire: one message for all that comes from one side before the
//! other speaks, results of tools first, and where the marks for caching stand. Refuses to repair
//! the conversation ([`history`]).
//!
//! What does not change from one request to the next is written the same way and first, so that the
//! provider finds it in its cache; only the marks move.
//!
//! Sources: Anthropic API, "Create a Message"; docs, "Tool use", "Prompt caching", "Vision".

mod body;
#[cfg(test)]
mod tests;

use super::thinking::{Thinking, Version};
use crate::error::Failure;
use crate::model::{CacheRetention, Model, RequestOptions, ToolChoice, ToolChoiceMode};
use crate::protocol::history::{self, Target, Turn, UserPart, images};
use crate::protocol::{Api, Context, HttpRequest, http};
use crate::text::json::JsonWriter;
use body::{Block, write_block, write_text, write_tool};

const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

/// Stands before a conversation that begins with the model: the first message is the user's.
const BEGINNING: UserPart<'static> = UserPart::Text("(the beginning is missing)");

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
    let root = base_url.split('?').next().unwrap_or_default();
    let path = if root.trim_end_matches('/').ends_with("/v1") {
        "/messages"
    } else {
        "/v1/messages"
    };
    let mut target = Target::new(Api::AnthropicMessages, model);
    target.image_types = Some(images::COMMON);
    let turns = history::prepare_request(&context.messages, &target)?;
    let blocks = blocks(&turns);
    Ok(HttpRequest {
        url: http::join(base_url, path),
        headers: headers(model, options)?,
        body: body(model, context, options, &blocks),
    })
}

fn headers(model: &Model, options: &RequestOptions) -> Result<Vec<(String, String)>, Failure> {
    let own = [
        ("anthropic-version", "2023-06-01"),
        // Without it the API answers no page of another origin.
        ("anthropic-dangerous-direct-browser-access", "true"),
        ("x-api-key", options.api_key.as_deref().unwrap_or_default()),
    ];
    http::headers(&own, [model.headers.as_ref(), options.headers.as_ref()])
}

/// All blocks of the conversation, in order. The first and the last are the user's.
fn blocks<'a>(turns: &'a [Turn<'a>]) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) => blocks.extend(parts.iter().map(Block::User)),
            Turn::Assistant(turn) => {
                if blocks.is_empty() {
                    blocks.push(Block::User(&BEGINNING));
                }
                let parts = turn.parts.iter().map(Block::Model);
                blocks.extend(parts.filter(Block::is_writable));
                blocks.extend(turn.results.iter().map(Block::Result));
            }
        }
    }
    blocks
}

fn body(
    model: &Model,
    context: &Context,
    options: &RequestOptions,
    blocks: &[Block<'_>],
) -> String {
    let version = Version::of(&model.id);
    let asked = options.max_tokens.or(model.max_tokens);
    let limit = asked.filter(|limit| *limit >= 1.0);
    let limit = limit.unwrap_or(version.default_limit()).trunc();
    let messages: Vec<&[Block<'_>]> = blocks
        .chunk_by(|block, next| block.is_model() == next.is_model())
        .collect();
    let thinking = Thinking::choose(model, options, limit, goes_on_without_thinking(&messages));
    let mark = match options.cache_retention {
        CacheRetention::None => None,
        CacheRetention::Short => Some(r#"{"type":"ephemeral"}"#),
        CacheRetention::Long => Some(r#"{"type":"ephemeral","ttl":"1h"}"#),
    };
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("model").string(&model.id);
        json.key("max_tokens").number(limit);
        json.key("stream").boolean(true);
        let temperature = options.temperature.filter(|number| number.is_finite());
        if let Some(temperature) = temperature
            && !thinking.is_on()
            && !version.refuses_temperature()
        {
            json.key("temperature").number(temperature);
        }
        thinking.write(json);
        if let Some((last, tools)) = context.tools.split_last() {
            json.key("tools").array(|json| {
                for tool in tools {
                    write_tool(tool, None, json);
                }
                write_tool(last, mark, json);
            });
            write_choice(options.tool_choice.as_ref(), thinking, json);
        }
        if !context.system_prompt.trim().is_empty() {
            json.key("system").array(|json| {
                json.object(|json| write_text(&context.system_prompt, mark, json));
            });
        }
        json.key("messages")
            .array(|json| write_messages(&messages, mark, json));
    });
    json.into_text()
}

/// Whether the model is in the middle of a turn, with results of tools to go on from, that it began
/// without thinking, or that another model began. It is refused a budget then ("Extended thinking",
/// "Preserving thinking blocks").
fn goes_on_without_thinking(messages: &[&[Block<'_>]]) -> bool {
    let is_prompt = |message: &&[Block<'_>]| matches!(message.first(), Some(Block::User(_)));
    let prompt = messages.iter().rposition(is_prompt).unwrap_or_default();
    let begins = messages.get(prompt + 1).and_then(|message| message.first());
    begins.is_some_and(|block| !block.is_thinking())
}

/// Writes the messages. The last two of the user's are marked: the last one for the request to come,
/// the one before because the latest request has put it into the cache. Looking for it from the last
/// mark would find it only within twenty blocks.
fn write_messages(messages: &[&[Block<'_>]], mark: Option<&str>, json: &mut JsonWriter) {
    for (place, blocks) in messages.iter().enumerate() {
        let is_model = blocks.first().is_some_and(Block::is_model);
        let mark = mark.filter(|_| !is_model && place + 3 >= messages.len());
        json.object(|json| {
            json.key("role")
                .string(if is_model { "assistant" } else { "user" });
            json.key("content").array(|json| {
                for (place, block) in blocks.iter().enumerate() {
                    let mark = mark.filter(|_| place + 1 == blocks.len());
                    write_block(block, mark, json);
                }
            });
        });
    }
}

/// Writes the choice among the tools. A model that thinks cannot be forced to call one.
fn write_choice(choice: Option<&ToolChoice>, thinking: Thinking, json: &mut JsonWriter) {
    let (kind, name) = match choice {
        None => return,
        Some(ToolChoice::Mode(ToolChoiceMode::Auto)) => ("auto", None),
        Some(ToolChoice::Mode(ToolChoiceMode::None)) => ("none", None),
        _ if thinking.is_on() => return,
        Some(ToolChoice::Mode(ToolChoiceMode::Required)) => ("any", None),
        Some(ToolChoice::Tool(tool)) => ("tool", Some(&tool.name)),
    };
    json.key("tool_choice").object(|json| {
        json.key("type").string(kind);
        if let Some(name) = name {
            json.key("name").string(name);
        }
    });
}
