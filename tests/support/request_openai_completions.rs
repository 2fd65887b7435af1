//! A reader of chat-completions requests that is as strict as the strictest hosts.

use std::collections::HashSet;

use serde_json::Value;

/// Checks a body.
///
/// # Panics
/// When a host would refuse it.
pub fn check(body: &str) {
    let body: Value = serde_json::from_str(body).expect("the body is JSON");
    assert_eq!(body["stream"], true);
    assert!(
        body["model"]
            .as_str()
            .is_some_and(|model| !model.is_empty())
    );
    let messages = body["messages"].as_array().expect("messages");
    assert!(!messages.is_empty(), "no messages");
    check_tools(&body);
    let mut seen = HashSet::new();
    let mut open: Vec<String> = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().expect("a role");
        if role != "tool" {
            assert!(
                open.is_empty(),
                "{position}: a {role} message before the results of {open:?}"
            );
        }
        match role {
            "system" | "developer" => {
                assert_eq!(position, 0, "the system prompt comes first");
                check_text(&message["content"], position);
            }
            "user" => check_user(&message["content"], position),
            "assistant" => {
                let calls = message["tool_calls"].as_array();
                match message.get("content") {
                    None | Some(Value::Null) => assert!(calls.is_some(), "{position}: empty"),
                    Some(content) => check_said(content, position),
                }
                for call in calls.into_iter().flatten() {
                    let id = check_call(call, position);
                    assert!(seen.insert(id.clone()), "{position}: id {id} is used twice");
                    open.push(id);
                }
                assert!(
                    calls.is_none_or(|calls| !calls.is_empty()),
                    "{position}: no calls"
                );
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().expect("an id");
                assert!(!open.is_empty(), "{position}: a result without a call");
                assert_eq!(
                    id,
                    open.remove(0),
                    "{position}: results follow the calls' order"
                );
                check_text(&message["content"], position);
            }
            other => panic!("{position}: unknown role {other}"),
        }
        for text in strings(message) {
            assert!(!text.contains('\0'), "{position}: NUL");
        }
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
    let last = &messages[messages.len() - 1]["role"];
    assert!(
        last == "user" || last == "tool",
        "the conversation ends with {last}"
    );
}

fn check_text(content: &Value, position: usize) {
    let text = content
        .as_str()
        .unwrap_or_else(|| panic!("{position}: content is text"));
    assert!(!text.trim().is_empty(), "{position}: blank text");
}

/// Text, or Mistral's parts.
fn check_said(content: &Value, position: usize) {
    let Some(parts) = content.as_array() else {
        return check_text(content, position);
    };
    assert!(!parts.is_empty(), "{position}: no parts");
    for part in parts {
        match part["type"].as_str() {
            Some("text") => check_text(&part["text"], position),
            Some("thinking") => {
                let inner = part["thinking"].as_array().expect("a list of texts");
                assert!(!inner.is_empty(), "{position}: thinking of nothing");
                check_said(&part["thinking"], position);
            }
            other => panic!("{position}: part of type {other:?}"),
        }
    }
}

fn check_user(content: &Value, position: usize) {
    let Some(parts) = content.as_array() else {
        return check_text(content, position);
    };
    assert!(!parts.is_empty(), "{position}: no parts");
    for part in parts {
        match part["type"].as_str() {
            Some("text") => check_text(&part["text"], position),
            Some("image_url") => {
                let url = part["image_url"]["url"].as_str().expect("a url");
                check_image_url(url);
            }
            other => panic!("{position}: part of type {other:?}"),
        }
    }
}

/// A URL that holds an image; hosts differ in the types that they read.
pub(super) fn check_image_url(url: &str) {
    let image = url.strip_prefix("data:image/").expect("an image");
    let (kind, data) = image.split_once(";base64,").expect("base64");
    assert!(
        !kind.is_empty() && kind != "jpg" && !data.is_empty(),
        "{url}"
    );
}

/// Names are valid and different, and the choice is among them.
fn check_tools(body: &Value) {
    let mut names = HashSet::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["function"]["name"].as_str().expect("a name");
        assert!(is_word(name) && (1..=64).contains(&name.len()), "{name:?}");
        assert!(names.insert(name), "{name} twice");
    }
    if let Some(chosen) = body["tool_choice"].get("function") {
        assert!(names.contains(chosen["name"].as_str().expect("a name")));
    }
}

fn check_call(call: &Value, position: usize) -> String {
    assert_eq!(call["type"], "function");
    let name = call["function"]["name"].as_str().expect("a name");
    assert!(
        is_word(name) && (1..=64).contains(&name.len()),
        "{position}: name {name:?}"
    );
    let arguments = call["function"]["arguments"]
        .as_str()
        .expect("arguments are text");
    let arguments: Value = serde_json::from_str(arguments).expect("arguments are JSON");
    assert!(arguments.is_object(), "{position}: arguments are an object");
    let id = call["id"].as_str().expect("an id");
    assert!(
        is_word(id) && (1..=64).contains(&id.len()),
        "{position}: id {id:?}"
    );
    id.to_owned()
}

fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
