//! A reader of Gemini requests that is as strict as the API and its strictest models.
//!
//! From the Gemini API reference ("Content", "Part", "Tool"), "Function calling" and "Thought
//! signatures".

use std::collections::HashSet;

use serde_json::{Map, Value};

const MEMBERS: [&str; 5] = [
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
];

/// Checks a body.
///
/// # Panics
/// When the API would refuse it.
pub fn check(body: &str) {
    let body: Value = serde_json::from_str(body).expect("the body is JSON");
    check_members(&body, &MEMBERS, "body");
    assert_eq!(find_nul(&body), None, "NUL");
    let contents = body["contents"].as_array().expect("contents");
    assert!(!contents.is_empty(), "no contents");
    let mut open: Vec<(String, String)> = Vec::new();
    let mut seen = HashSet::new();
    for (at, content) in contents.iter().enumerate() {
        check_members(content, &["role", "parts"], "content");
        let role = if at % 2 == 0 { "user" } else { "model" };
        assert_eq!(
            content["role"], role,
            "{at}: roles alternate, the user begins"
        );
        let parts = content["parts"].as_array().expect("parts");
        assert!(!parts.is_empty(), "{at}: no parts");
        if role == "user" {
            check_user(parts, &mut open, at);
            assert!(open.is_empty(), "{at}: no responses to {open:?}");
        } else {
            let speaks = parts.iter().any(|part| part.get("thought").is_none());
            assert!(speaks, "{at}: only thoughts");
            parts
                .iter()
                .for_each(|part| check_model(part, &mut open, at));
            for (id, _) in &open {
                assert!(seen.insert(id.clone()), "{at}: id {id} is used twice");
            }
        }
    }
    assert_eq!(
        contents.len() % 2,
        1,
        "the conversation ends with the model"
    );
    if let Some(system) = body.get("systemInstruction") {
        check_members(system, &["parts"], "systemInstruction");
        check_text(&system["parts"][0], "systemInstruction");
    }
    check_tools(&body);
    if let Some(config) = body.get("generationConfig") {
        check_config(config);
    }
}

/// Checks that the first call of every turn is signed, where the model insists on it.
///
/// # Panics
/// When one is not.
pub fn check_signatures(model: &str, body: &str) {
    if !model.starts_with("gemini-3") {
        return;
    }
    let body: Value = serde_json::from_str(body).expect("the body is JSON");
    for content in body["contents"].as_array().expect("contents") {
        let mut parts = content["parts"].as_array().expect("parts").iter();
        if let Some(call) = parts.find(|part| part.get("functionCall").is_some()) {
            assert!(call["thoughtSignature"].is_string(), "{call} is not signed");
        }
    }
}

fn check_user(parts: &[Value], open: &mut Vec<(String, String)>, at: usize) {
    let mut responses = true;
    for part in parts {
        match kind(part) {
            "functionResponse" => {
                assert!(responses, "{at}: responses come first");
                let (id, name) = check_response(&part["functionResponse"]);
                assert!(!open.is_empty(), "{at}: a response without a call");
                assert_eq!(
                    (id, name),
                    open.remove(0),
                    "{at}: in the order of the calls"
                );
            }
            "text" => {
                responses = false;
                check_text(part, "user");
            }
            "inlineData" => {
                responses = false;
                check_image(&part["inlineData"]);
            }
            other => panic!("{at}: {other} of a user"),
        }
        assert_eq!(part.get("thoughtSignature"), None, "{at}: the user signs");
    }
}

fn check_response(response: &Value) -> (String, String) {
    check_members(response, &["id", "name", "response", "parts"], "response");
    let said = response["response"].as_object().expect("an object");
    let (key, text) = said.iter().next().expect("output or error");
    assert!(said.len() == 1 && ["output", "error"].contains(&key.as_str()));
    assert!(!text.as_str().expect("text").trim().is_empty(), "blank");
    for part in response["parts"].as_array().into_iter().flatten() {
        check_members(part, &["inlineData"], "a part of a response");
        check_image(&part["inlineData"]);
    }
    (check_id(response), check_name(response))
}

fn check_model(part: &Value, open: &mut Vec<(String, String)>, at: usize) {
    let signature = part
        .get("thoughtSignature")
        .map(|it| it.as_str().expect("text"));
    assert_ne!(signature, Some(""), "{at}: an empty signature");
    match kind(part) {
        "functionCall" => {
            let call = &part["functionCall"];
            check_members(call, &["id", "name", "args"], "call");
            assert!(call["args"].is_object(), "{at}: arguments are an object");
            open.push((check_id(call), check_name(call)));
        }
        "text" => {
            let text = part["text"].as_str().expect("text");
            let is_blank = text.trim().is_empty();
            assert!(!is_blank || signature.is_some() || part.get("thought").is_some());
            assert!(!text.is_empty() || signature.is_some(), "{at}: empty");
        }
        "inlineData" => check_image(&part["inlineData"]),
        other => panic!("{at}: {other} of a model"),
    }
}

/// The one member that says what a part is.
fn kind(part: &Value) -> &str {
    check_members(
        part,
        &[
            "text",
            "thought",
            "thoughtSignature",
            "functionCall",
            "functionResponse",
            "inlineData",
        ],
        "part",
    );
    let members = part.as_object().expect("a part").keys();
    let kinds: Vec<&str> = members
        .map(String::as_str)
        .filter(|key| !["thought", "thoughtSignature"].contains(key))
        .collect();
    assert_eq!(kinds.len(), 1, "{part}");
    kinds[0]
}

fn check_text(part: &Value, whose: &str) {
    let text = part["text"].as_str().expect("text");
    assert!(!text.trim().is_empty(), "{whose}: blank text");
}

fn check_image(data: &Value) {
    check_members(data, &["mimeType", "data"], "inlineData");
    let mime_type = data["mimeType"].as_str().expect("a type");
    let known = ["png", "jpeg", "webp", "heic", "heif"].map(|kind| format!("image/{kind}"));
    assert!(known.iter().any(|it| it == mime_type), "{mime_type:?}");
    assert!(!data["data"].as_str().expect("data").is_empty());
}

fn check_id(value: &Value) -> String {
    let id = value["id"].as_str().expect("an id");
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    assert!((1..=64).contains(&id.len()) && id.bytes().all(is_word));
    id.to_owned()
}

fn check_name(value: &Value) -> String {
    let name = value["name"].as_str().expect("a name");
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-:".contains(&byte);
    assert!(
        begins && name.len() <= 64 && name.bytes().all(is_word),
        "{name:?}"
    );
    name.to_owned()
}

fn check_tools(body: &Value) {
    let Some(tools) = body.get("tools") else {
        assert_eq!(body.get("toolConfig"), None, "nothing to choose from");
        return;
    };
    let declarations = tools[0]["functionDeclarations"].as_array();
    let mut names = HashSet::new();
    for tool in declarations.expect("declarations") {
        check_members(
            tool,
            &["name", "description", "parametersJsonSchema"],
            "tool",
        );
        assert!(names.insert(check_name(tool)), "a name twice");
        assert!(!tool["description"].as_str().expect("text").is_empty());
        if let Some(schema) = tool.get("parametersJsonSchema") {
            check_schema(schema.as_object().expect("a schema"));
        }
    }
    assert!(!names.is_empty(), "no tools");
    if let Some(config) = body.get("toolConfig") {
        let config = &config["functionCallingConfig"];
        let mode = config["mode"].as_str().expect("a mode");
        assert!(["AUTO", "ANY", "NONE"].contains(&mode), "{mode}");
        for name in config["allowedFunctionNames"]
            .as_array()
            .into_iter()
            .flatten()
        {
            assert_eq!(mode, "ANY", "names go with ANY");
            assert!(names.contains(name.as_str().expect("a name")));
        }
    }
}

/// No reference, and no keyword that is not one of a plain schema.
fn check_schema(schema: &Map<String, Value>) {
    for (keyword, value) in schema {
        assert!(!keyword.starts_with('$'), "{keyword}");
        assert_ne!(keyword, "definitions");
        match keyword.as_str() {
            "properties" => value
                .as_object()
                .expect("properties")
                .values()
                .for_each(|schema| check_schema(schema.as_object().expect("a schema"))),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => value
                .as_array()
                .expect("schemas")
                .iter()
                .for_each(|schema| check_schema(schema.as_object().expect("a schema"))),
            "items" if value.is_object() => check_schema(value.as_object().expect("a schema")),
            _ => {}
        }
    }
}

fn check_config(config: &Value) {
    check_members(
        config,
        &["maxOutputTokens", "temperature", "thinkingConfig"],
        "generationConfig",
    );
    assert!(config.as_object().is_some_and(|config| !config.is_empty()));
    let thinking = &config["thinkingConfig"];
    if let Some(level) = thinking.get("thinkingLevel") {
        assert_eq!(
            thinking.get("thinkingBudget"),
            None,
            "one excludes the other"
        );
        assert!(["LOW", "MEDIUM", "HIGH"].contains(&level.as_str().expect("a level")));
    }
}

fn check_members(value: &Value, allowed: &[&str], what: &str) {
    for key in value.as_object().unwrap_or_else(|| panic!("{what}")).keys() {
        assert!(allowed.contains(&key.as_str()), "unknown {key} in {what}");
    }
}

fn find_nul(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text.as_str()).filter(|text| text.contains('\0')),
        Value::Array(items) => items.iter().find_map(find_nul),
        Value::Object(members) => members.values().find_map(find_nul),
        _ => None,
    }
}
