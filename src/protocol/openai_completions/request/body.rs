//! The JSON of a chat-completions request. Everything is borrowed from the conversation; the data of
//! an image is copied once, into the final text.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::message::ImageContent;
use crate::model::{ToolChoice, ToolChoiceMode, ToolDefinition};
use crate::protocol::history::UserPart;

#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    pub(super) model: &'a str,
    pub(super) messages: Vec<WireMessage<'a>>,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<WireChoice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt_cache_key: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(super) struct StreamOptions {
    pub(super) include_usage: bool,
}

/// A message of any role; what its role does not have is absent.
#[derive(Debug, Default, Serialize)]
pub(super) struct WireMessage<'a> {
    pub(super) role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<WireCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<Cow<'a, str>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl<'a> },
}

#[derive(Debug, Serialize)]
pub(super) struct ImageUrl<'a> {
    #[serde(serialize_with = "write_data_url")]
    url: &'a ImageContent,
}

#[derive(Debug, Serialize)]
pub(super) struct WireCall<'a> {
    id: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Debug, Serialize)]
struct CalledFunction<'a> {
    name: Cow<'a, str>,
    #[serde(serialize_with = "write_arguments")]
    arguments: &'a Map<String, Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct WireTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: OfferedFunction<'a>,
}

#[derive(Debug, Serialize)]
struct OfferedFunction<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(serialize_with = "write_parameters")]
    parameters: &'a Value,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum WireChoice<'a> {
    Mode(ToolChoiceMode),
    Tool {
        #[serde(rename = "type")]
        kind: &'static str,
        function: ChosenFunction<'a>,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct ChosenFunction<'a> {
    name: &'a str,
}

impl<'a> From<UserPart<'a>> for Part<'a> {
    fn from(part: UserPart<'a>) -> Self {
        match part {
            UserPart::Text(text) => Self::Text { text },
            UserPart::Image(image) => Self::ImageUrl {
                image_url: ImageUrl { url: image },
            },
        }
    }
}

impl<'a> WireCall<'a> {
    pub(super) fn new(
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: &'a Map<String, Value>,
    ) -> Self {
        Self {
            id,
            kind: "function",
            function: CalledFunction { name, arguments },
        }
    }
}

impl<'a> WireTool<'a> {
    pub(super) fn new(tool: &'a ToolDefinition) -> Self {
        let ToolDefinition {
            name,
            description,
            parameters,
        } = tool;
        Self {
            kind: "function",
            function: OfferedFunction {
                name,
                description,
                parameters,
            },
        }
    }
}

impl<'a> WireChoice<'a> {
    pub(super) fn new(choice: &'a ToolChoice) -> Self {
        match choice {
            ToolChoice::Mode(mode) => Self::Mode(*mode),
            ToolChoice::Tool(tool) => Self::Tool {
                kind: "function",
                function: ChosenFunction { name: &tool.name },
            },
        }
    }
}

fn write_data_url<S: Serializer>(image: &ImageContent, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!(
        "data:{};base64,{}",
        image.mime_type, image.data
    ))
}

/// Arguments travel as JSON text inside the JSON.
fn write_arguments<S: Serializer>(
    arguments: &Map<String, Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = serde_json::to_string(arguments).map_err(serde::ser::Error::custom)?;
    serializer.serialize_str(&text)
}

/// A tool without parameters still needs the schema of an object.
fn write_parameters<S: Serializer>(parameters: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    match parameters {
        Value::Object(_) => parameters.serialize(serializer),
        _ => serde_json::json!({ "type": "object", "properties": {} }).serialize(serializer),
    }
}
