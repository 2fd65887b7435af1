//! The messages and tools of a chat-completions request.
//!
//! Sources: Gemini API, "Thought signatures" (`extra_content` of calls on the compatible endpoint);
//! Mistral API, "Chat Completion" (`ThinkChunk`).

use super::super::details;
use super::super::hosts::Switches;
use crate::model::{Model, ReasoningField, ToolChoice, ToolDefinition};
use crate::protocol::google_generative_ai as google;
use crate::protocol::history::{
    self, AssistantPart, AssistantTurn, CallPart, CallResult, Turn, UserPart,
};
use crate::protocol::{Context, openai};
use crate::text::json::JsonWriter;

/// Stands for the text of a result that is an image only.
const SEE_IMAGE: &str = "(see attached image)";
/// Stands between results and a user message where a host refuses one right behind the other.
const BRIDGE: &str = "I have the results.";
/// Stands for thinking that the host insists on and that nobody has.
pub(super) const NO_THINKING: &str = "(no thinking)";

/// Writes the system prompt and the conversation.
pub(super) fn write_messages(
    turns: &[Turn<'_>],
    model: &Model,
    context: &Context,
    switches: &Switches,
    json: &mut JsonWriter,
) {
    if !context.system_prompt.trim().is_empty() {
        let is_developer = switches.developer_role && model.reasoning == Some(true);
        let role = if is_developer { "developer" } else { "system" };
        write_message(role, &[&context.system_prompt], json);
    }
    let mut writer = Writer {
        model,
        switches,
        follows_results: false,
    };
    for turn in turns {
        match turn {
            Turn::User(parts) => writer.user(parts, json),
            Turn::Assistant(turn) => writer.turn(turn, json),
        }
    }
}

/// Writes a message that is one text.
fn write_message(role: &str, texts: &[&str], json: &mut JsonWriter) {
    json.object(|json| {
        json.key("role").string(role);
        json.key("content").strings(texts);
    });
}

struct Writer<'b> {
    model: &'b Model,
    switches: &'b Switches,
    /// Whether the last message is the result of a tool.
    follows_results: bool,
}

impl Writer<'_> {
    fn user(&mut self, parts: &[UserPart<'_>], json: &mut JsonWriter) {
        if std::mem::take(&mut self.follows_results) && self.switches.assistant_after_results {
            write_message("assistant", &[BRIDGE], json);
        }
        if let [UserPart::Text(text)] = parts {
            return write_message("user", &[text], json);
        }
        json.object(|json| {
            json.key("role").string("user");
            json.key("content")
                .array(|json| parts.iter().for_each(|part| write_part(part, json)));
        });
    }

    /// The turn, its results, and what images there are in the results as a message of the user:
    /// tool messages hold text only, and nothing may stand between them.
    fn turn(&mut self, turn: &AssistantTurn<'_>, json: &mut JsonWriter) {
        self.assistant(&turn.parts, json);
        let mut images = Vec::new();
        for result in &turn.results {
            self.result(result, &mut images, json);
        }
        self.follows_results = !turn.results.is_empty();
        if !images.is_empty() {
            self.user(&images, json);
        }
    }

    fn result<'a>(
        &self,
        result: &CallResult<'a>,
        images: &mut Vec<UserPart<'a>>,
        json: &mut JsonWriter,
    ) {
        let mut texts = Vec::new();
        let before = images.len();
        for part in &result.parts {
            match part {
                UserPart::Text(text) => texts.push(*text),
                UserPart::Image(_) => images.push(part.clone()),
            }
        }
        if texts.is_empty() && images.len() > before {
            texts.push(SEE_IMAGE);
        }
        json.object(|json| {
            json.key("role").string("tool");
            json.key("content").string(&texts.join("\n"));
            json.key("tool_call_id").string(&result.id);
            if self.switches.result_name {
                json.key("name").string(result.name);
            }
        });
    }

    fn assistant(&self, parts: &[AssistantPart<'_>], json: &mut JsonWriter) {
        let (mut texts, mut thoughts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            texts.extend(text(part));
            thoughts.extend(thought(part));
            calls.extend(call(part));
        }
        let details = details::of_turn(parts);
        let in_content = self.switches.reasoning_field == ReasoningField::Content;
        json.object(|json| {
            json.key("role").string("assistant");
            if in_content && !thoughts.is_empty() {
                json.key("content")
                    .array(|json| parts.iter().for_each(|part| write_typed(part, json)));
            } else if !texts.is_empty() {
                // Absent beside calls, never empty.
                json.key("content").strings(&texts);
            }
            let field = match self.switches.reasoning_field {
                _ if calls.is_empty() => None,
                ReasoningField::None | ReasoningField::Content => None,
                ReasoningField::Reasoning if details.is_some() => None,
                ReasoningField::Reasoning => Some("reasoning"),
                ReasoningField::ReasoningContent => Some("reasoning_content"),
            };
            if let Some(field) = field {
                self.write_thoughts(field, &thoughts, json);
            }
            if let Some(details) = &details {
                json.key("reasoning_details").raw(details);
            }
            if !calls.is_empty() {
                json.key("tool_calls").array(|json| {
                    // Google refuses calls of which the first is not signed.
                    let mut needs_signature =
                        self.switches.signs_calls && google::insists_on_signatures(&self.model.id);
                    for call in &calls {
                        let missing = std::mem::take(&mut needs_signature);
                        let missing = missing.then_some(google::NO_SIGNATURE);
                        self.write_call(call, call.signature.or(missing), json);
                    }
                });
            }
        });
    }

    /// The thinking that goes back with calls. DeepSeek and Moonshot refuse a calling turn without
    /// any when the model thinks, which theirs do if nobody says otherwise ("Thinking mode", "Tool
    /// calls"), and Moonshot an empty one.
    fn write_thoughts(&self, field: &str, thoughts: &[&str], json: &mut JsonWriter) {
        let insists = field == "reasoning_content" && self.model.reasoning != Some(false);
        if !thoughts.is_empty() {
            json.key(field).string(&thoughts.join("\n"));
        } else if insists {
            json.key(field).string(NO_THINKING);
        }
    }

    fn write_call(&self, part: &CallPart<'_>, signature: Option<&str>, json: &mut JsonWriter) {
        // Arguments travel as JSON text inside the JSON.
        let mut arguments = JsonWriter::default();
        arguments.map(&part.call.arguments);
        json.object(|json| {
            json.key("id").string(&part.id);
            json.key("type").string("function");
            json.key("function").object(|json| {
                json.key("name").string(&part.call.name);
                json.key("arguments").string(&arguments.into_text());
            });
            if let Some(signature) = signature {
                json.key("extra_content").object(|json| {
                    json.key("google").object(|json| {
                        json.key("thought_signature").string(signature);
                    });
                });
            }
        });
    }
}

fn text<'a>(part: &AssistantPart<'a>) -> Option<&'a str> {
    match part {
        AssistantPart::Text(text, _) => Some(text),
        // The wire has no place for one.
        AssistantPart::Image(_) => Some(history::OWN_IMAGE),
        _ => None,
    }
}

/// Thinking that can be read and is no detail, which goes back as it came.
fn thought<'a>(part: &AssistantPart<'a>) -> Option<&'a str> {
    match part {
        AssistantPart::Thinking(block) => Some(block.thinking.as_str())
            .filter(|thought| !thought.trim().is_empty() && !details::is_detail(block)),
        _ => None,
    }
}

fn call<'p, 'a>(part: &'p AssistantPart<'a>) -> Option<&'p CallPart<'a>> {
    match part {
        AssistantPart::Call(call) => Some(call),
        _ => None,
    }
}

/// Writes text or thinking as a part of content.
fn write_typed(part: &AssistantPart<'_>, json: &mut JsonWriter) {
    if let Some(thought) = thought(part) {
        json.object(|json| {
            json.key("type").string("thinking");
            json.key("thinking").array(|json| write_text(thought, json));
        });
    } else if let Some(text) = text(part) {
        write_text(text, json);
    }
}

fn write_text(text: &str, json: &mut JsonWriter) {
    json.object(|json| {
        json.key("type").string("text");
        json.key("text").string(text);
    });
}

fn write_part(part: &UserPart<'_>, json: &mut JsonWriter) {
    let image = match part {
        UserPart::Text(text) => return write_text(text, json),
        UserPart::Image(image) => image,
    };
    json.object(|json| {
        json.key("type").string("image_url");
        json.key("image_url").object(|json| {
            openai::write_image_url(image, json.key("url"));
        });
    });
}

/// Writes the tools and the choice among them; hosts refuse a choice where there is nothing to
/// choose from.
pub(super) fn write_tools(
    tools: &[ToolDefinition],
    choice: Option<&ToolChoice>,
    json: &mut JsonWriter,
) {
    json.key("tools")
        .array(|json| tools.iter().for_each(|tool| write_tool(tool, json)));
    openai::write_tool_choice(choice, json, |name, json| {
        json.key("function").object(|json| {
            json.key("name").string(name);
        });
    });
}

fn write_tool(tool: &ToolDefinition, json: &mut JsonWriter) {
    json.object(|json| {
        json.key("type").string("function");
        json.key("function")
            .object(|json| openai::write_function(tool, json));
    });
}
