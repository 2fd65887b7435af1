//! The items of a Responses request, written straight from the turns: the data of an image is
//! copied once, into the final text.

use std::borrow::Cow;

use serde_json::Value;

use super::super::replay;
use super::super::wire::text;
use crate::model::ToolDefinition;
use crate::protocol::history::{
    self, AssistantPart, AssistantTurn, CallPart, CallResult, IdRegistry, UserPart,
};
use crate::protocol::openai;
use crate::text::json::{Json, JsonWriter};

/// Writes an object of strings; what is empty is left out.
pub(super) fn write_members(json: &mut JsonWriter, members: &[(&str, &str)]) {
    json.object(|json| {
        for (name, value) in members.iter().filter(|(_, value)| !value.is_empty()) {
            json.key(name).string(value);
        }
    });
}

/// Writes a message of the user.
pub(super) fn write_user(parts: &[UserPart<'_>], json: &mut JsonWriter) {
    json.object(|json| {
        json.key("role").string("user");
        json.key("content");
        match parts {
            [UserPart::Text(text)] => drop(json.string(text)),
            _ => write_parts(parts, json),
        }
    });
}

fn write_parts(parts: &[UserPart<'_>], json: &mut JsonWriter) {
    json.array(|json| {
        for part in parts {
            match part {
                UserPart::Text(text) => {
                    write_members(json, &[("type", "input_text"), ("text", text)]);
                }
                UserPart::Image(image) => {
                    json.object(|json| {
                        json.key("type").string("input_image");
                        json.key("detail").string("auto");
                        openai::write_image_url(image, json.key("image_url"));
                    });
                }
            }
        }
    });
}

/// Writes a tool. Not `strict`, which is what the API makes of a tool that does not say: it would
/// make every optional parameter a required one ("Function calling", "Strict mode").
pub(super) fn write_tool(tool: &ToolDefinition, json: &mut JsonWriter) {
    json.object(|json| {
        json.key("type").string("function");
        openai::write_function(tool, json);
        json.key("strict").boolean(false);
    });
}

/// Writes what the model said and what came of its calls.
pub(super) struct ItemWriter {
    /// The ids of items in this request.
    ids: IdRegistry,
    /// Thinking that waits for the item it led to: the items' texts.
    thoughts: Vec<String>,
    /// Whether the thinking before the next item is in the request.
    follows_thinking: bool,
}

impl ItemWriter {
    pub(super) fn new() -> Self {
        Self {
            ids: IdRegistry::new(None),
            thoughts: Vec::new(),
            follows_thinking: false,
        }
    }

    pub(super) fn write_turn(&mut self, turn: &AssistantTurn<'_>, json: &mut JsonWriter) {
        self.drop_thinking();
        let mut outputs = Vec::new();
        for part in &turn.parts {
            match part {
                AssistantPart::Thinking(block) => {
                    let signature = parse(block.thinking_signature.as_deref());
                    match signature.and_then(replay::of_reasoning) {
                        Some(item) => self.thoughts.push(item),
                        None => self.drop_thinking(),
                    }
                }
                AssistantPart::Text(text, signature) => self.write_text(text, *signature, json),
                // Only the tool that made it could send it back.
                AssistantPart::Image(_) => self.write_text(history::OWN_IMAGE, None, json),
                AssistantPart::Call(part) => outputs.push(self.write_call(part, json)),
            }
        }
        for (result, kind) in turn.results.iter().zip(outputs) {
            write_result(result, kind, json);
        }
    }

    fn write_text(&mut self, said: &str, signature: Option<&str>, json: &mut JsonWriter) {
        let signature = parse(signature);
        let id = self.lead_to(signature, "msg", json);
        let phase = signature.map(|signature| text(signature, "phase"));
        json.object(|json| {
            json.key("type").string("message");
            json.key("role").string("assistant");
            if !id.is_empty() {
                json.key("id").string(&id);
                json.key("status").string("completed");
            }
            json.key("content").array(|json| {
                json.object(|json| {
                    json.key("type").string("output_text");
                    json.key("text").string(said);
                    json.key("annotations").raw("[]");
                });
            });
            if let Some(phase) = phase.filter(|phase| !phase.is_empty()) {
                json.key("phase").string(&phase);
            }
        });
    }

    /// Writes a call. The type of its result.
    fn write_call(&mut self, part: &CallPart<'_>, json: &mut JsonWriter) -> &'static str {
        let signature = parse(part.signature);
        let is_custom = signature.is_some_and(|it| text(it, "type") == replay::CUSTOM);
        let input = part.call.arguments.get("input").and_then(Value::as_str);
        let input = input.filter(|_| is_custom);
        let prefix = if input.is_some() { "ctc" } else { "fc" };
        let id = self.lead_to(signature, prefix, json);
        match input {
            Some(input) => {
                json.object(|json| {
                    json.key("type").string(replay::CUSTOM);
                    if !id.is_empty() {
                        json.key("id").string(&id);
                    }
                    json.key("call_id").string(&part.id);
                    json.key("name").string(&part.call.name);
                    json.key("input").string(input);
                });
                "custom_tool_call_output"
            }
            None => {
                // Arguments travel as JSON text inside the JSON.
                let mut arguments = JsonWriter::default();
                arguments.map(&part.call.arguments);
                write_members(
                    json,
                    &[
                        ("type", "function_call"),
                        ("id", &id),
                        ("call_id", &part.id),
                        ("name", &part.call.name),
                        ("arguments", &arguments.into_text()),
                    ],
                );
                "function_call_output"
            }
        }
    }

    /// Writes the thinking that led to an item, if the item is there as a whole: then it is signed.
    /// The id with which the item goes; empty for none.
    fn lead_to<'s>(
        &mut self,
        signature: Option<Json<'s>>,
        prefix: &str,
        json: &mut JsonWriter,
    ) -> Cow<'s, str> {
        let thoughts = std::mem::take(&mut self.thoughts);
        self.follows_thinking &= signature.is_some();
        for thought in thoughts.iter().filter(|_| signature.is_some()) {
            let id = parse(Some(thought))
                .map(|it| text(it, "id"))
                .unwrap_or_default();
            self.follows_thinking = id.is_empty() || self.ids.claim(&id);
            if self.follows_thinking {
                json.raw(thought);
            }
        }
        let id = signature.filter(|_| self.follows_thinking);
        let id = id.and_then(|signature| replay::id(signature, prefix));
        id.filter(|id| self.ids.claim(id)).unwrap_or_default()
    }

    fn drop_thinking(&mut self) {
        self.thoughts.clear();
        self.follows_thinking = false;
    }
}

fn write_result(result: &CallResult<'_>, kind: &str, json: &mut JsonWriter) {
    json.object(|json| {
        json.key("type").string(kind);
        json.key("call_id").string(&result.id);
        json.key("output");
        let mut texts = Vec::new();
        for part in &result.parts {
            match part {
                UserPart::Text(text) => texts.push(*text),
                UserPart::Image(_) => return write_parts(&result.parts, json),
            }
        }
        json.string(&texts.join("\n"));
    });
}

fn parse(signature: Option<&str>) -> Option<Json<'_>> {
    Json::parse(signature?).ok().filter(|json| json.is_object())
}
