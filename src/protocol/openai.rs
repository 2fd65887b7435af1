//! What OpenAI's two protocols, and the hosts that speak either, have in common.
//!
//! Owns how a host is recognised, which header carries the key, the words for thinking levels, and
//! how a function is described. Refuses to know which host takes what: each protocol has a table.

use crate::error::Failure;
use crate::model::{
    Model, RequestOptions, ThinkingLevel, ToolChoice, ToolChoiceMode, ToolDefinition,
};
use crate::protocol::history::ImagePart;
use crate::protocol::http;
use crate::protocol::tool_schema::write_parameters;
use crate::text::before_any;
use crate::text::json::JsonWriter;

/// Whether the host of a URL is one of these domains or below one.
pub(crate) fn is_at(url: &str, domains: &[&str]) -> bool {
    let host = before_any(http::authority(url).1, b":").to_ascii_lowercase();
    domains.iter().any(|domain| {
        host.strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// Where Azure has OpenAI's protocols (Microsoft, "Endpoints for Microsoft Foundry Models").
pub(crate) const AZURE: &[&str] = &[
    "openai.azure.com",
    "cognitiveservices.azure.com",
    "services.ai.azure.com",
];

/// The headers of a request. With `key_in_own_header` the key goes into `api-key`, as on Azure.
pub(crate) fn headers(
    model: &Model,
    options: &RequestOptions,
    key_in_own_header: bool,
) -> Result<Vec<(String, String)>, Failure> {
    let key = options.api_key.as_deref().unwrap_or_default();
    let bearer = ["Bearer ", key].concat();
    let own = match key {
        "" => ("authorization", ""),
        _ if key_in_own_header => ("api-key", key),
        _ => ("authorization", &*bearer),
    };
    http::headers(&[own], [model.headers.as_ref(), options.headers.as_ref()])
}

/// The word for a level. Nothing for "off": what models accept for it differs from one to the next.
/// Without `all` only `low`, `medium` and `high` are used.
pub(crate) fn effort(level: ThinkingLevel, all: bool) -> Option<&'static str> {
    match level {
        ThinkingLevel::Off => None,
        ThinkingLevel::Minimal if all => Some("minimal"),
        ThinkingLevel::Minimal | ThinkingLevel::Low => Some("low"),
        ThinkingLevel::Medium => Some("medium"),
        ThinkingLevel::Xhigh if all => Some("xhigh"),
        ThinkingLevel::High | ThinkingLevel::Xhigh => Some("high"),
    }
}

/// Writes the name, the description and the parameters of a function.
pub(crate) fn write_function(tool: &ToolDefinition, json: &mut JsonWriter) {
    json.key("name").string(&tool.name);
    if !tool.description.is_empty() {
        json.key("description").string(&tool.description);
    }
    write_parameters(&tool.parameters, json.key("parameters"));
}

/// Writes an image as a URL that holds its data.
pub(crate) fn write_image_url(image: &ImagePart<'_>, json: &mut JsonWriter) {
    json.strings(&["data:", image.mime_type, ";base64,", image.data]);
}

/// Writes the choice among the tools. `write_named` writes the member that names the one tool.
pub(crate) fn write_tool_choice(
    choice: Option<&ToolChoice>,
    json: &mut JsonWriter,
    write_named: fn(&str, &mut JsonWriter),
) {
    let mode = match choice {
        None => return,
        Some(ToolChoice::Mode(ToolChoiceMode::Auto)) => "auto",
        Some(ToolChoice::Mode(ToolChoiceMode::None)) => "none",
        Some(ToolChoice::Mode(ToolChoiceMode::Required)) => "required",
        Some(ToolChoice::Tool(tool)) => {
            json.key("tool_choice").object(|json| {
                json.key("type").string("function");
                write_named(&tool.name, json);
            });
            return;
        }
    };
    json.key("tool_choice").string(mode);
}
