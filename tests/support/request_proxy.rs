//! A reader of requests to a backend that takes the published types at their word.

use serde_json::Value;

/// Checks a body.
///
/// # Panics
/// When it is not `{ model, context, options }` of the package's types.
pub fn check(body: &str) {
    let body: Value = serde_json::from_str(body).expect("the body is JSON");
    assert_eq!(keys(&body), ["model", "context", "options"]);
    for (member, kind) in body["model"].as_object().expect("a model") {
        let is_right = match member.as_str() {
            "id" | "api" | "provider" | "baseUrl" | "name" => kind.is_string(),
            "reasoning" => kind.is_boolean(),
            "input" => kind.is_array(),
            "cost" | "compat" => kind.is_object(),
            "contextWindow" | "maxTokens" => kind.is_number(),
            // Keys and headers are between the backend and the provider.
            _ => false,
        };
        assert!(is_right, "model.{member}: {kind}");
    }
    for member in keys(&body["context"]) {
        assert!(
            ["systemPrompt", "messages", "tools"].contains(&member),
            "context.{member}"
        );
    }
    for message in body["context"]["messages"].as_array().expect("messages") {
        check_message(message);
    }
    for tool in body["context"]["tools"].as_array().into_iter().flatten() {
        assert_eq!(keys(tool), ["name", "description", "parameters"]);
        assert!(tool["parameters"].is_object());
    }
    assert!(body["options"].get("apiKey").is_none() && body["options"].get("headers").is_none());
}

fn check_message(message: &Value) {
    assert!(message["timestamp"].is_number(), "{message}");
    let blocks = message["content"].as_array();
    match message["role"].as_str() {
        Some("user") => assert!(blocks.is_some() || message["content"].is_string()),
        Some("assistant") => {
            for member in ["api", "provider", "model", "stopReason"] {
                assert!(message[member].is_string(), "{member} of {message}");
            }
            assert!(blocks.is_some());
        }
        Some("toolResult") => {
            assert!(message["toolCallId"].is_string() && message["toolName"].is_string());
            assert!(message["isError"].is_boolean() && message.get("details").is_none());
            assert!(blocks.is_some());
        }
        other => panic!("role {other:?}"),
    }
    let is_assistant = message["role"] == "assistant";
    for block in blocks.into_iter().flatten() {
        let (members, optional): (&[&str], &[&str]) = match block["type"].as_str() {
            Some("text") => (&["text"], &["textSignature"]),
            Some("image") => (&["data", "mimeType"], &[]),
            Some("thinking") if is_assistant => (&["thinking"], &["thinkingSignature", "redacted"]),
            Some("toolCall") if is_assistant => {
                assert!(block["arguments"].is_object());
                (&["id", "name"], &["arguments", "thoughtSignature"])
            }
            other => panic!("a block of type {other:?}"),
        };
        for member in members {
            assert!(block[member].is_string(), "{member} of {block}");
        }
        for member in keys(block) {
            let known = member == "type" || members.contains(&member) || optional.contains(&member);
            assert!(known, "{member} of {block}");
        }
    }
}

fn keys(value: &Value) -> Vec<&str> {
    let members = value.as_object().expect("an object");
    members.keys().map(String::as_str).collect()
}
