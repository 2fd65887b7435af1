//! The JSON of a chat-completions request. Everything is borrowed from the conversation; the data of
//! an image is copied once, into the final text.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::model::{ToolChoice, ToolDefinition};
use crate::protocol::history::UserPart;
use crate::protocol::openai;
use crate::text::json::JsonWriter;

/// A message of any role; what its role does not have is absent.
#[derive(Debug, Default)]
pub(super) struct WireMessage<'a> {
    pub(super) role: &'static str,
    pub(super) content: Option<Content<'a>>,
    /// The field that the host has for it, and the text.
    pub(super) thinking: Option<(&'static str, Cow<'a, str>)>,
    /// Thinking that was signed or encrypted, as JSON.
    pub(super) details: Option<String>,
    pub(super) tool_calls: Vec<WireCall<'a>>,
    pub(super) tool_call_id: Option<Cow<'a, str>>,
    pub(super) name: Option<Cow<'a, str>>,
}

#[derive(Debug)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<UserPart<'a>>),
}

#[derive(Debug)]
pub(super) struct WireCall<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) arguments: &'a Map<String, Value>,
    /// Google's.
    pub(super) signature: Option<&'a str>,
}

impl WireMessage<'_> {
    pub(super) fn write(&self, json: &mut JsonWriter) {
        json.object(|json| {
            json.key("role").string(self.role);
            match &self.content {
                Some(Content::Text(text)) => {
                    json.key("content").string(text);
                }
                Some(Content::Parts(parts)) => {
                    json.key("content")
                        .array(|json| parts.iter().for_each(|part| write_part(part, json)));
                }
                None => {}
            }
            if let Some((field, text)) = &self.thinking {
                json.key(field).string(text);
            }
            if let Some(details) = &self.details {
                json.key("reasoning_details").raw(details);
            }
            if !self.tool_calls.is_empty() {
                json.key("tool_calls")
                    .array(|json| self.tool_calls.iter().for_each(|call| call.write(json)));
            }
            if let Some(id) = &self.tool_call_id {
                json.key("tool_call_id").string(id);
            }
            if let Some(name) = &self.name {
                json.key("name").string(name);
            }
        });
    }
}

fn write_part(part: &UserPart<'_>, json: &mut JsonWriter) {
    json.object(|json| match part {
        UserPart::Text(text) => {
            json.key("type").string("text");
            json.key("text").string(text);
        }
        UserPart::Image(image) => {
            json.key("type").string("image_url");
            json.key("image_url").object(|json| {
                json.key("url")
                    .strings(&["data:", &image.mime_type, ";base64,", &image.data]);
            });
        }
    });
}

impl WireCall<'_> {
    fn write(&self, json: &mut JsonWriter) {
        // Arguments travel as JSON text inside the JSON.
        let mut arguments = JsonWriter::default();
        arguments.map(self.arguments);
        json.object(|json| {
            json.key("id").string(&self.id);
            json.key("type").string("function");
            json.key("function").object(|json| {
                json.key("name").string(&self.name);
                json.key("arguments").string(&arguments.into_text());
            });
            if let Some(signature) = self.signature {
                json.key("extra_content").object(|json| {
                    json.key("google").object(|json| {
                        json.key("thought_signature").string(signature);
                    });
                });
            }
        });
    }
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
