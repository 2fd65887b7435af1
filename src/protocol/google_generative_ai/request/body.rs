//! The JSON of a Gemini request: parts and tools. Everything is borrowed from the conversation; the
//! data of an image is copied once, into the final text.

use super::schema::write_parameters;
use crate::model::{ToolChoice, ToolChoiceMode, ToolDefinition};
use crate::protocol::history::ImagePart;
use crate::text::json::JsonWriter;

pub(super) fn write_text(
    text: &str,
    is_thought: bool,
    signature: Option<&str>,
    json: &mut JsonWriter,
) {
    json.object(|json| {
        json.key("text").string(text);
        if is_thought {
            json.key("thought").boolean(true);
        }
        write_signature(signature, json);
    });
}

pub(super) fn write_image(image: &ImagePart<'_>, signature: Option<&str>, json: &mut JsonWriter) {
    json.object(|json| {
        json.key("inlineData").object(|json| {
            json.key("mimeType").string(image.mime_type);
            json.key("data").string(image.data);
        });
        write_signature(signature, json);
    });
}

pub(super) fn write_signature(signature: Option<&str>, json: &mut JsonWriter) {
    if let Some(signature) = signature {
        json.key("thoughtSignature").string(signature);
    }
}

/// Writes the tools and the choice among them; there is nothing to choose from without any.
pub(super) fn write_tools(
    tools: &[ToolDefinition],
    choice: Option<&ToolChoice>,
    json: &mut JsonWriter,
) {
    json.key("tools").array(|json| {
        json.object(|json| {
            json.key("functionDeclarations").array(|json| {
                for tool in tools {
                    write_tool(tool, json);
                }
            });
        });
    });
    let (mode, only) = match choice {
        None => return,
        Some(ToolChoice::Mode(ToolChoiceMode::Auto)) => ("AUTO", None),
        Some(ToolChoice::Mode(ToolChoiceMode::None)) => ("NONE", None),
        Some(ToolChoice::Mode(ToolChoiceMode::Required)) => ("ANY", None),
        Some(ToolChoice::Tool(tool)) => ("ANY", Some(&tool.name)),
    };
    json.key("toolConfig").object(|json| {
        json.key("functionCallingConfig").object(|json| {
            json.key("mode").string(mode);
            if let Some(name) = only {
                json.key("allowedFunctionNames").array(|json| {
                    json.string(name);
                });
            }
        });
    });
}

fn write_tool(tool: &ToolDefinition, json: &mut JsonWriter) {
    json.object(|json| {
        json.key("name").string(&tool.name);
        // Required, and not empty.
        let described = !tool.description.is_empty();
        json.key("description").string(if described {
            &tool.description
        } else {
            &tool.name
        });
        write_parameters(&tool.parameters, json);
    });
}
