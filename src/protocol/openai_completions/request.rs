//! A conversation → the body of a chat-completions request.
//!
//! Owns how turns are written on this wire: who says what under which role, where images go, which
//! fields a host gets. Refuses to repair the conversation ([`history`]) and to send what the host
//! is not known to accept ([`Switches`]).
//!
//! Sources: OpenAI API reference, "Create chat completion"; Gemini API, "Thought signatures"
//! (`extra_content` of calls on the compatible endpoint).

mod body;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::details;
use super::hosts::Switches;
use crate::error::Failure;
use crate::model::{
    CacheRetention, MaxTokensField, Model, ReasoningField, RequestOptions, ToolDefinition,
};
use crate::protocol::google_generative_ai as google;
use crate::protocol::history::{self, AssistantPart, AssistantTurn, Target, Turn, UserPart};
use crate::protocol::{Api, Context, HttpRequest, http, openai};
use crate::text::json::JsonWriter;
use body::{Content, WireCall, WireMessage, write_tools};

const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";
const PATH: &str = "/chat/completions";

/// Stands for the text of a result that is an image only.
const SEE_IMAGE: &str = "(see attached image)";
/// Stands between results and a user message where a host refuses one right behind the other.
const BRIDGE: &str = "I have the results.";
/// Stands for thinking that the host insists on and that nobody has.
const NO_THINKING: &str = "(no thinking)";
/// Stands for an image in the model's own turn: the wire has no place for one.
const OWN_IMAGE: &str = "(image)";

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
    let messages = messages(model, context, switches)?;
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
            .array(|json| messages.iter().for_each(|message| message.write(json)));
        json.key("stream").boolean(true);
        if switches.stream_usage {
            json.key("stream_options").raw(r#"{"include_usage":true}"#);
        }
        if !context.tools.is_empty() {
            write_tools(&context.tools, options.tool_choice.as_ref(), json);
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

fn messages<'a>(
    model: &'a Model,
    context: &'a Context,
    switches: &Switches,
) -> Result<Vec<WireMessage<'a>>, Failure> {
    let mut target = Target::new(Api::OpenAiCompletions, model);
    target.id_format = Some(switches.id_format);
    let turns = history::prepare_request(&context.messages, &target)?;
    let mut writer = Writer {
        messages: Vec::new(),
        model,
        tools: &context.tools,
        switches,
    };
    if !context.system_prompt.trim().is_empty() {
        let is_developer = switches.developer_role && model.reasoning == Some(true);
        let role = if is_developer { "developer" } else { "system" };
        writer.push(
            role,
            Some(Content::Text(Cow::Borrowed(&context.system_prompt))),
        );
    }
    for turn in turns {
        match turn {
            Turn::User(parts) => writer.user(parts),
            Turn::Assistant(turn) => writer.assistant(turn),
        }
    }
    Ok(writer.messages)
}

struct Writer<'a, 'b> {
    messages: Vec<WireMessage<'a>>,
    model: &'b Model,
    tools: &'b [ToolDefinition],
    switches: &'b Switches,
}

impl<'a> Writer<'a, '_> {
    fn push(&mut self, role: &'static str, content: Option<Content<'a>>) {
        self.messages.push(WireMessage {
            role,
            content,
            ..WireMessage::default()
        });
    }

    fn user(&mut self, parts: Vec<UserPart<'a>>) {
        let follows_results = self.messages.last().is_some_and(|last| last.role == "tool");
        if self.switches.assistant_after_results && follows_results {
            self.push("assistant", Some(Content::Text(Cow::Borrowed(BRIDGE))));
        }
        let content = match parts.as_slice() {
            [UserPart::Text(text)] => Content::Text(Cow::Borrowed(text)),
            _ => Content::Parts(parts),
        };
        self.push("user", Some(content));
    }

    /// The turn, its results, and what images there are in the results as a message of the user:
    /// tool messages hold text only, and nothing may stand between them.
    fn assistant(&mut self, turn: AssistantTurn<'a>) {
        let message = self.assistant_message(turn.parts);
        self.messages.push(message);
        let mut images = Vec::new();
        for result in turn.results {
            let (mut texts, mut has_image) = (Vec::new(), false);
            for part in result.parts {
                match part {
                    UserPart::Text(text) => texts.push(text),
                    UserPart::Image(_) => {
                        has_image = true;
                        images.push(part);
                    }
                }
            }
            if texts.is_empty() && has_image {
                texts.push(SEE_IMAGE);
            }
            self.messages.push(WireMessage {
                role: "tool",
                content: Some(Content::Text(join_texts(&texts, "\n"))),
                tool_call_id: Some(result.id),
                name: self
                    .switches
                    .result_name
                    .then(|| history::tool_name(result.name, self.tools)),
                ..WireMessage::default()
            });
        }
        if !images.is_empty() {
            self.user(images);
        }
    }

    fn assistant_message(&self, parts: Vec<AssistantPart<'a>>) -> WireMessage<'a> {
        let details = details::of_turn(&parts);
        let (mut texts, mut thoughts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                AssistantPart::Text(text, _) => texts.push(text),
                AssistantPart::Image(_) => texts.push(OWN_IMAGE),
                AssistantPart::Thinking(block)
                    if block.thinking.trim().is_empty() || details::is_detail(block) => {}
                AssistantPart::Thinking(block) => thoughts.push(block.thinking.as_str()),
                AssistantPart::Call(part) => {
                    let name = history::tool_name(&part.call.name, self.tools);
                    let missing = google::NO_SIGNATURE;
                    let missing = (self.needs_signature() && calls.is_empty()).then_some(missing);
                    calls.push(WireCall {
                        id: part.id,
                        name,
                        arguments: &part.call.arguments,
                        signature: part.signature.or(missing),
                    });
                }
            }
        }
        let mut message = WireMessage {
            role: "assistant",
            ..WireMessage::default()
        };
        let thinking = self
            .thinking_of_calls(&thoughts)
            .filter(|_| !calls.is_empty());
        message.thinking = match self.switches.reasoning_field {
            ReasoningField::None => None,
            ReasoningField::Reasoning if details.is_some() => None,
            ReasoningField::ReasoningContent => thinking.map(|text| ("reasoning_content", text)),
            ReasoningField::Reasoning => thinking.map(|text| ("reasoning", text)),
        };
        // Absent beside calls, never empty.
        if !texts.is_empty() {
            message.content = Some(Content::Text(join_texts(&texts, "")));
        }
        message.tool_calls = calls;
        message.details = details;
        message
    }

    /// Whether Google refuses calls of which the first is not signed.
    fn needs_signature(&self) -> bool {
        self.switches.signs_calls && google::insists_on_signatures(&self.model.id)
    }

    /// The thinking that goes back with calls. DeepSeek and Moonshot refuse a calling turn without
    /// any when the model thinks ("Thinking mode", "Tool calls"), and Moonshot an empty one.
    fn thinking_of_calls(&self, thoughts: &[&'a str]) -> Option<Cow<'a, str>> {
        let insists = self.switches.reasoning_field == ReasoningField::ReasoningContent
            && self.model.reasoning == Some(true);
        match thoughts {
            [] => insists.then_some(Cow::Borrowed(NO_THINKING)),
            _ => Some(join_texts(thoughts, "\n")),
        }
    }
}

fn join_texts<'a>(texts: &[&'a str], separator: &str) -> Cow<'a, str> {
    match texts {
        [text] => Cow::Borrowed(text),
        _ => Cow::Owned(texts.join(separator)),
    }
}
