//! A reader of Responses requests that is as strict as the API reference and the refusals of
//! OpenAI's own server.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::request_openai_completions::check_image_url;

const FIELDS: [&str; 12] = [
    "model",
    "input",
    "stream",
    "tools",
    "tool_choice",
    "temperature",
    "max_output_tokens",
    "reasoning",
    "store",
    "include",
    "prompt_cache_key",
    "prompt_cache_retention",
];

/// Checks a body.
///
/// # Panics
/// When a host would refuse it.
pub fn check(body: &str) {
    let body: Value = serde_json::from_str(body).expect("the body is JSON");
    check_fields(&body);
    let items = body["input"].as_array().expect("input");
    assert!(!items.is_empty(), "no input");
    let mut reader = Reader::default();
    for (position, item) in items.iter().enumerate() {
        reader.read(position, item);
        for text in strings(item) {
            assert!(!text.contains('\0'), "{position}: NUL");
        }
    }
    assert!(reader.open.is_empty(), "calls without results");
    assert!(!reader.thinks, "thinking without the item it led to");
    let last = &items[items.len() - 1];
    assert!(
        last["role"] == "user"
            || last["role"] == "system"
            || last["role"] == "developer"
            || last["type"]
                .as_str()
                .is_some_and(|it| it.ends_with("_output")),
        "the conversation ends with {last}"
    );
}

fn check_fields(body: &Value) {
    for name in body.as_object().expect("an object").keys() {
        assert!(FIELDS.contains(&name.as_str()), "unknown field {name}");
    }
    assert_eq!(body["stream"], true);
    assert!(body["model"].as_str().is_some_and(|it| !it.is_empty()));
    if let Some(limit) = body.get("max_output_tokens") {
        assert!(limit.as_f64().is_some_and(|it| it >= 16.0), "{limit}");
    }
    if let Some(key) = body.get("prompt_cache_key") {
        let length = key.as_str().expect("text").chars().count();
        assert!(length <= 64, "{length} characters of prompt_cache_key");
    }
    let tools = body
        .get("tools")
        .map(|tools| tools.as_array().expect("tools"));
    assert!(tools.is_none_or(|tools| !tools.is_empty()), "no tools");
    assert!(tools.is_some() || body.get("tool_choice").is_none());
    let mut names = HashSet::new();
    for tool in tools.into_iter().flatten() {
        assert!(names.insert(&tool["name"]), "a name twice");
        only(
            tool,
            &["type", "name", "description", "parameters", "strict"],
        );
        assert_eq!(tool["type"], "function");
        check_name(&tool["name"]);
        assert_eq!(tool["parameters"]["type"], "object");
        assert!(tool["strict"].is_boolean(), "strict is required");
    }
    if let Some(name) = body
        .get("tool_choice")
        .and_then(|choice| choice.get("name"))
    {
        assert!(names.contains(name), "{name}");
    }
}

#[derive(Default)]
struct Reader {
    ids: HashSet<String>,
    call_ids: HashSet<String>,
    /// Calls that wait for their result, and the type of it.
    open: HashMap<String, &'static str>,
    /// Whether thinking waits for the item it led to.
    thinks: bool,
    /// Whether there was thinking in this turn.
    thought: bool,
}

impl Reader {
    fn read(&mut self, position: usize, item: &Value) {
        let kind = item["type"].as_str().unwrap_or("message");
        let is_own = item["role"] == "assistant" || kind.ends_with("_call") || kind == "reasoning";
        assert!(is_own || !self.thinks, "{position}: thinking, then {kind}");
        if !kind.ends_with("_call_output") && !is_own {
            assert!(self.open.is_empty(), "{position}: {kind} before results");
        }
        match kind {
            "message" => self.message(position, item),
            "reasoning" => {
                only(item, &["type", "id", "summary", "encrypted_content"]);
                self.id(item, "rs");
                for part in item["summary"].as_array().expect("a summary") {
                    assert_eq!(part["type"], "summary_text");
                    assert!(part["text"].is_string());
                }
                let encrypted = item["encrypted_content"].as_str();
                assert!(encrypted.is_some_and(|it| !it.is_empty()), "{position}");
                (self.thinks, self.thought) = (true, true);
            }
            "function_call" => {
                only(item, &["type", "id", "call_id", "name", "arguments"]);
                let arguments = item["arguments"].as_str().expect("text");
                let arguments: Value = serde_json::from_str(arguments).expect("JSON");
                assert!(arguments.is_object(), "{position}: {arguments}");
                self.call(position, item, "fc_", "function_call_output");
            }
            "custom_tool_call" => {
                only(item, &["type", "id", "call_id", "name", "input"]);
                assert!(item["input"].is_string(), "{position}: input");
                self.call(position, item, "ctc_", "custom_tool_call_output");
            }
            "function_call_output" | "custom_tool_call_output" => {
                only(item, &["type", "call_id", "output"]);
                let id = item["call_id"].as_str().expect("an id");
                let expected = self.open.remove(id);
                assert_eq!(expected, Some(kind), "{position}: a result without a call");
                check_content(&item["output"], "input_text", position);
                self.thought = false;
            }
            other => panic!("{position}: unknown item {other}"),
        }
    }

    fn message(&mut self, position: usize, item: &Value) {
        match item["role"].as_str().expect("a role") {
            "system" | "developer" => {
                only(item, &["role", "content"]);
                assert_eq!(position, 0, "the system prompt comes first");
                check_content(&item["content"], "input_text", position);
            }
            "user" => {
                only(item, &["role", "content"]);
                check_content(&item["content"], "input_text", position);
                self.thought = false;
            }
            "assistant" => {
                only(item, &["type", "role", "id", "status", "content", "phase"]);
                assert_eq!(item.get("id").is_some(), item.get("status").is_some());
                self.led_to(item, "msg_");
                check_content(&item["content"], "output_text", position);
                if let Some(phase) = item.get("phase") {
                    assert!(phase == "commentary" || phase == "final_answer", "{phase}");
                }
            }
            other => panic!("{position}: unknown role {other}"),
        }
    }

    fn call(&mut self, position: usize, item: &Value, prefix: &str, output: &'static str) {
        check_name(&item["name"]);
        self.led_to(item, prefix);
        let id = item["call_id"].as_str().expect("an id").to_owned();
        assert!(is_word(&id), "{position}: {id}");
        assert!(self.call_ids.insert(id.clone()), "{position}: {id} twice");
        self.open.insert(id, output);
    }

    /// Nothing that thinking led to has an id without it.
    fn led_to(&mut self, item: &Value, prefix: &str) {
        if item.get("id").is_some() {
            assert!(self.thought, "an id without its thinking: {item}");
        }
        self.id(item, prefix);
        self.thinks = false;
    }

    fn id(&mut self, item: &Value, prefix: &str) {
        if let Some(id) = item.get("id") {
            let id = id.as_str().expect("an id is text");
            assert!(id.starts_with(prefix) && is_word(id), "id {id:?}");
            assert!(self.ids.insert(id.to_owned()), "id {id} is used twice");
        }
    }
}

fn check_content(content: &Value, text_type: &str, position: usize) {
    if let Some(text) = content.as_str() {
        assert!(!text.trim().is_empty(), "{position}: blank text");
        assert_ne!(text_type, "output_text", "{position}: output in parts");
        return;
    }
    let parts = content.as_array().expect("content");
    assert!(!parts.is_empty(), "{position}: no parts");
    for part in parts {
        if part["type"] == text_type {
            only(part, &["type", "text", "annotations"]);
            let text = part["text"].as_str().expect("text");
            assert!(!text.trim().is_empty(), "{position}: blank text");
            continue;
        }
        assert_eq!(part["type"], "input_image", "{position}");
        assert_eq!(text_type, "input_text", "{position}: an image as output");
        only(part, &["type", "detail", "image_url"]);
        assert!(part["detail"].is_string(), "{position}: detail is required");
        let url = part["image_url"].as_str().expect("a url");
        check_image_url(url);
    }
}

fn only(value: &Value, names: &[&str]) {
    let members: &Map<String, Value> = value.as_object().expect("an object");
    for name in members.keys() {
        assert!(names.contains(&name.as_str()), "unknown member {name}");
    }
}

fn check_name(name: &Value) {
    let name = name.as_str().expect("a name");
    assert!(is_word(name), "name {name:?}");
}

fn is_word(text: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(is_valid)
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
