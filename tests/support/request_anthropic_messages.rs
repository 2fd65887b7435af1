//! A reader of Messages requests that is as strict as the API, and as the hosts that merge nothing.

use std::collections::HashSet;

use serde_json::Value;

/// Checks a body.
///
/// # Panics
/// When the API would refuse it.
pub fn check(body: &str) {
    let body: Value = serde_json::from_str(body).expect("the body is JSON");
    assert_eq!(body["stream"], true);
    assert!(
        body["model"]
            .as_str()
            .is_some_and(|model| !model.is_empty())
    );
    let limit = body["max_tokens"].as_u64().expect("a limit");
    assert!(limit > 0, "no tokens");
    check_thinking(&body, limit);
    check_tools(&body);
    if let Some(system) = body.get("system") {
        check_texts(system);
    }
    check_messages(body["messages"].as_array().expect("messages"));
    check_marks(&body);
}

/// "Extended thinking", "Effort".
fn check_thinking(body: &Value, limit: u64) {
    let kind = body["thinking"]["type"].as_str();
    match kind {
        None | Some("disabled") => return,
        Some("enabled") => {
            let budget = body["thinking"]["budget_tokens"]
                .as_u64()
                .expect("a budget");
            assert!((1024..limit).contains(&budget), "{budget} of {limit}");
            check_unfinished_turn(body["messages"].as_array().expect("messages"));
        }
        Some("adaptive") => {
            let effort = body["output_config"]["effort"].as_str().expect("an effort");
            assert!(["low", "medium", "high", "xhigh", "max"].contains(&effort));
            assert!(body["thinking"].get("budget_tokens").is_none());
        }
        Some(other) => panic!("thinking of type {other}"),
    }
    assert!(
        body.get("temperature").is_none(),
        "a temperature beside thinking"
    );
    let choice = body["tool_choice"]["type"].as_str();
    assert!(matches!(choice, None | Some("auto" | "none")), "{choice:?}");
}

/// With a budget, a turn that goes on from results has to have begun with thinking.
fn check_unfinished_turn(messages: &[Value]) {
    let is_result = |message: &Value| message["content"][0]["type"] == "tool_result";
    let prompt = messages
        .iter()
        .rposition(|message| message["role"] == "user" && !is_result(message))
        .expect("a prompt");
    if let Some(begins) = messages.get(prompt + 1) {
        let kind = begins["content"][0]["type"].as_str().expect("a type");
        assert!(kind.ends_with("thinking"), "the turn began with {kind}");
    }
}

/// "Tool use": names, schemas, and no choice where there is nothing to choose from.
fn check_tools(body: &Value) {
    let Some(tools) = body.get("tools") else {
        assert!(body.get("tool_choice").is_none());
        return;
    };
    let mut names = HashSet::new();
    for tool in tools.as_array().expect("an array") {
        let name = tool["name"].as_str().expect("a name");
        assert!(is_word(name, 128) && names.insert(name), "name {name:?}");
        let schema = tool["input_schema"].as_object().expect("a schema");
        assert_eq!(schema["type"], "object");
        for refused in ["anyOf", "oneOf", "allOf"] {
            assert!(!schema.contains_key(refused), "{refused} at the top");
        }
    }
    assert!(!names.is_empty(), "no tools");
    if let Some(name) = body["tool_choice"].get("name") {
        assert!(names.contains(name.as_str().expect("a name")), "{name}");
    }
}

fn check_messages(messages: &[Value]) {
    assert!(!messages.is_empty(), "no messages");
    let mut seen = HashSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().expect("a role");
        let expected = ["user", "assistant"][position % 2];
        assert_eq!(role, expected, "{position}: roles alternate");
        let content = message["content"].as_array().expect("blocks");
        assert!(!content.is_empty(), "{position}: empty");
        if role == "assistant" {
            for block in content {
                if let Some(id) = check_model_block(block) {
                    assert!(seen.insert(id), "{position}: id {id} is used twice");
                    open.push(id);
                }
            }
            continue;
        }
        let mut results_are_over = false;
        for block in content {
            if block["type"] == "tool_result" {
                assert!(!results_are_over, "{position}: results come first");
                let id = block["tool_use_id"].as_str().expect("an id");
                assert!(!open.is_empty(), "{position}: a result without a call");
                assert_eq!(id, open.remove(0), "{position}: in the order of the calls");
                check_user_blocks(&block["content"]);
            } else {
                results_are_over = true;
                check_user_block(block);
            }
        }
        assert!(open.is_empty(), "{position}: no results for {open:?}");
    }
    assert_eq!(
        messages.len() % 2,
        1,
        "the conversation ends with the model"
    );
}

/// The id, if it is a call.
fn check_model_block(block: &Value) -> Option<&str> {
    match block["type"].as_str().expect("a type") {
        "text" => check_text(block),
        "thinking" => {
            assert!(block["thinking"].is_string());
            let signature = block["signature"].as_str().expect("a signature");
            assert!(!signature.is_empty(), "an empty signature");
        }
        "redacted_thinking" => {
            assert!(block["data"].as_str().is_some_and(|data| !data.is_empty()));
        }
        "tool_use" => {
            let name = block["name"].as_str().expect("a name");
            assert!(is_word(name, 128), "name {name:?}");
            assert!(block["input"].is_object(), "arguments are an object");
            let id = block["id"].as_str().expect("an id");
            assert!(is_word(id, 64), "id {id:?}");
            return Some(id);
        }
        other => panic!("a block of type {other}"),
    }
    None
}

fn check_user_blocks(blocks: &Value) {
    let blocks = blocks.as_array().expect("blocks");
    assert!(!blocks.is_empty(), "no blocks");
    blocks.iter().for_each(check_user_block);
}

fn check_user_block(block: &Value) {
    match block["type"].as_str().expect("a type") {
        "text" => check_text(block),
        "image" => {
            let source = &block["source"];
            assert_eq!(source["type"], "base64");
            let kind = source["media_type"].as_str().expect("a type");
            let known = ["image/jpeg", "image/png", "image/gif", "image/webp"];
            assert!(known.contains(&kind), "{kind}");
            assert!(source["data"].as_str().is_some_and(|data| !data.is_empty()));
        }
        other => panic!("a block of type {other}"),
    }
}

fn check_texts(blocks: &Value) {
    let blocks = blocks.as_array().expect("blocks");
    assert!(!blocks.is_empty(), "no blocks");
    blocks.iter().for_each(check_text);
}

fn check_text(block: &Value) {
    assert_eq!(block["type"], "text");
    let text = block["text"].as_str().expect("a text");
    assert!(!text.trim().is_empty(), "blank text");
}

/// "Prompt caching": at most four marks, of a known kind, and none on thinking.
fn check_marks(body: &Value) {
    let mut marks = 0;
    let mut places = vec![body];
    while let Some(place) = places.pop() {
        match place {
            Value::Array(items) => places.extend(items),
            Value::Object(members) => {
                if let Some(mark) = members.get("cache_control") {
                    marks += 1;
                    assert_eq!(mark["type"], "ephemeral");
                    assert!(matches!(mark["ttl"].as_str(), None | Some("5m" | "1h")));
                    let kind = place["type"].as_str().unwrap_or_default();
                    assert!(!kind.ends_with("thinking"), "a mark on {kind}");
                }
                // What the app says is no part of the protocol.
                let is_ours = |key: &&String| !["input", "input_schema"].contains(&key.as_str());
                let keys = members.keys().filter(is_ours);
                places.extend(keys.map(|key| &members[key]));
            }
            _ => {}
        }
    }
    assert!(marks <= 4, "{marks} marks");
}

fn is_word(text: &str, longest: usize) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=longest).contains(&text.len()) && text.bytes().all(is_part)
}
