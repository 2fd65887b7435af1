//! The JSON of blocks and tools. Everything is borrowed from the conversation; the data of an image
//! is copied once, into the final text.

use crate::model::ToolDefinition;
use crate::protocol::history::{AssistantPart, CallResult, OWN_IMAGE, UserPart};
use crate::protocol::tool_schema::write_parameters;
use crate::text::json::JsonWriter;

/// A block of a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Block<'a> {
    /// Something that the user says.
    User(&'a UserPart<'a>),
    /// What a tool answered. It stands in a message of the user's.
    Result(&'a CallResult<'a>),
    /// Something that the model says.
    Model(&'a AssistantPart<'a>),
}

impl Block<'_> {
    pub(super) fn is_model(&self) -> bool {
        matches!(self, Self::Model(_))
    }

    pub(super) fn is_thinking(&self) -> bool {
        matches!(self, Self::Model(AssistantPart::Thinking(_)))
    }

    /// Thinking without a signature is refused: some hosts make it, and a cut leaves it behind.
    pub(super) fn is_writable(&self) -> bool {
        match self {
            Self::Model(AssistantPart::Thinking(block)) => block
                .thinking_signature
                .as_ref()
                .is_some_and(|signature| !signature.is_empty()),
            _ => true,
        }
    }
}

/// Writes a block, with the mark that ends what is to be cached.
pub(super) fn write_block(block: &Block<'_>, mark: Option<&str>, json: &mut JsonWriter) {
    json.object(|json| match block {
        Block::User(part) => write_part(part, mark, json),
        Block::Model(part) => write_model_part(part, json),
        Block::Result(result) => {
            json.key("type").string("tool_result");
            json.key("tool_use_id").string(&result.id);
            json.key("content").array(|json| {
                for part in &result.parts {
                    json.object(|json| write_part(part, None, json));
                }
            });
            if result.is_error {
                json.key("is_error").boolean(true);
            }
            write_mark(mark, json);
        }
    });
}

fn write_part(part: &UserPart<'_>, mark: Option<&str>, json: &mut JsonWriter) {
    let image = match part {
        UserPart::Text(text) => return write_text(text, mark, json),
        UserPart::Image(image) => image,
    };
    json.key("type").string("image");
    json.key("source").object(|json| {
        json.key("type").string("base64");
        json.key("media_type").string(image.mime_type);
        json.key("data").string(image.data);
    });
    write_mark(mark, json);
}

fn write_model_part(part: &AssistantPart<'_>, json: &mut JsonWriter) {
    match part {
        AssistantPart::Text(text, _) => write_text(text, None, json),
        // The wire has no place for one.
        AssistantPart::Image(_) => write_text(OWN_IMAGE, None, json),
        AssistantPart::Thinking(block) => {
            let signature = block.thinking_signature.as_deref().unwrap_or_default();
            if block.redacted == Some(true) {
                json.key("type").string("redacted_thinking");
                json.key("data").string(signature);
            } else {
                json.key("type").string("thinking");
                json.key("thinking").string(&block.thinking);
                json.key("signature").string(signature);
            }
        }
        AssistantPart::Call(part) => {
            json.key("type").string("tool_use");
            json.key("id").string(&part.id);
            json.key("name").string(&part.call.name);
            json.key("input").map(&part.call.arguments);
        }
    }
}

/// Writes the members of a text block.
pub(super) fn write_text(text: &str, mark: Option<&str>, json: &mut JsonWriter) {
    json.key("type").string("text");
    json.key("text").string(text);
    write_mark(mark, json);
}

fn write_mark(mark: Option<&str>, json: &mut JsonWriter) {
    if let Some(mark) = mark {
        json.key("cache_control").raw(mark);
    }
}

/// Writes a tool.
pub(super) fn write_tool(tool: &ToolDefinition, mark: Option<&str>, json: &mut JsonWriter) {
    json.object(|json| {
        json.key("name").string(&tool.name);
        if !tool.description.is_empty() {
            json.key("description").string(&tool.description);
        }
        write_parameters(&tool.parameters, json.key("input_schema"));
        write_mark(mark, json);
    });
}
