//! The scripted model: turns given beforehand, as the bytes of a real stream.
//!
//! A turn becomes the chat-completions response that a provider would send, one frame per token, so
//! that what plays it goes through the same decoder, the same events and the same failures as any
//! other response. Rendering is pure: the pace belongs to whoever sends the chunks.
//!
//! ```
//! use sluice_agent::agent::script::ScriptTurn;
//!
//! let turn = ScriptTurn { text: Some("Hello there".to_owned()), ..ScriptTurn::default() };
//! let response = turn.response();
//! assert_eq!(response.status, 200);
//! assert!(response.chunks[1].starts_with("data: {"));
//! assert_eq!(response.chunks.last().map(String::as_str), Some("data: [DONE]\n\n"));
//! ```

use serde::Serialize;
use serde_json::{Value, json};

use crate::text::json::{FromJson, Json, Unfit, read_names};

#[cfg(test)]
mod tests;

/// Characters that a token has at most.
const TOKEN_CHARACTERS: usize = 8;

/// One answer of the scripted model: thinking, then text, then tool calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ScriptTurn {
    /// What the model thinks first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The tools it calls.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ScriptToolCall>,
    /// Why it stops; by default `toolUse` if it calls tools, else `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<ScriptStopReason>,
    /// The tokens it reports; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ScriptUsage>,
    /// The failure in which the turn ends. With a status the response is an HTTP error and nothing
    /// else; without one the failure comes within the stream, behind the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ScriptError>,
    /// True if the connection closes behind the content, before the response is complete.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// A tool call of a [`ScriptTurn`].
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ScriptToolCall {
    /// Its id; one is made where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the tool.
    pub name: String,
    /// The arguments. A string is taken as their JSON text, right or wrong.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "Record<string, any> | string", optional)
    )]
    pub arguments: Value,
}

/// Why a scripted turn stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum ScriptStopReason {
    /// The answer is complete.
    Stop,
    /// The output limit cuts it.
    Length,
    /// The model waits for the results of tools.
    ToolUse,
}

/// The tokens that a scripted turn reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ScriptUsage {
    /// Input tokens outside the cache.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub input: f64,
    /// Output tokens, thinking included.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub output: f64,
    /// Input tokens read from the cache.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub cache_read: f64,
    /// Input tokens written to the cache.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub cache_write: f64,
}

/// How a scripted turn fails.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ScriptError {
    /// What the provider says.
    pub message: String,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the provider asks to wait, in milliseconds; needs a status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<f64>,
}

/// A turn as a response.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptResponse {
    /// The HTTP status.
    pub status: u16,
    /// The `content-type` header.
    pub content_type: &'static str,
    /// What the `retry-after` header asks for, in milliseconds.
    pub retry_after_ms: Option<f64>,
    /// The body: one frame per token, in order.
    pub chunks: Vec<String>,
}

impl ScriptTurn {
    /// The response that a provider would send for this turn. The same turn gives the same bytes.
    pub fn response(&self) -> ScriptResponse {
        match &self.error {
            Some(
                error @ ScriptError {
                    status: Some(status),
                    ..
                },
            ) => ScriptResponse {
                status: *status,
                content_type: "application/json",
                retry_after_ms: error.retry_after_ms,
                chunks: vec![error.json().to_string()],
            },
            _ => ScriptResponse {
                status: 200,
                content_type: "text/event-stream",
                retry_after_ms: None,
                chunks: self.stream(),
            },
        }
    }

    fn stream(&self) -> Vec<String> {
        let mut chunks = vec![delta(&json!({"role": "assistant", "content": ""}))];
        let thinking = self.thinking.as_deref().unwrap_or_default();
        chunks.extend(tokens(thinking).map(|token| delta(&json!({"reasoning_content": token}))));
        let text = self.text.as_deref().unwrap_or_default();
        chunks.extend(tokens(text).map(|token| delta(&json!({"content": token}))));
        for (index, call) in self.tool_calls.iter().enumerate() {
            chunks.extend(call.stream(index));
        }
        if let Some(error) = &self.error {
            chunks.push(frame(&error.json()));
        } else if !self.cut {
            chunks.push(frame(&chunk(&json!([
                {"index": 0, "delta": {}, "finish_reason": self.finish_reason()},
            ]))));
            chunks.extend(self.usage.map(|usage| usage.frame()));
            chunks.push("data: [DONE]\n\n".to_owned());
        }
        chunks
    }

    fn finish_reason(&self) -> &'static str {
        match self.stop_reason {
            Some(ScriptStopReason::Stop) => "stop",
            Some(ScriptStopReason::Length) => "length",
            Some(ScriptStopReason::ToolUse) => "tool_calls",
            None if self.tool_calls.is_empty() => "stop",
            None => "tool_calls",
        }
    }
}

impl ScriptToolCall {
    fn stream(&self, index: usize) -> Vec<String> {
        let text = match &self.arguments {
            Value::String(text) => text.clone(),
            Value::Null => "{}".to_owned(),
            arguments => arguments.to_string(),
        };
        let mut begin = json!({
            "index": index, "type": "function", "function": {"name": self.name, "arguments": ""},
        });
        if let (Some(id), Some(members)) = (&self.id, begin.as_object_mut()) {
            members.insert("id".to_owned(), json!(id));
        }
        let mut chunks = vec![delta(&json!({"tool_calls": [begin]}))];
        chunks.extend(tokens(&text).map(|token| {
            let grown = json!({"index": index, "function": {"arguments": token}});
            delta(&json!({"tool_calls": [grown]}))
        }));
        chunks
    }
}

impl ScriptUsage {
    fn frame(self) -> String {
        let mut value = chunk(&json!([]));
        let input = self.input + self.cache_read + self.cache_write;
        let usage = json!({
            "prompt_tokens": count(input),
            "completion_tokens": count(self.output),
            "total_tokens": count(input + self.output),
            "prompt_tokens_details": {
                "cached_tokens": count(self.cache_read),
                "cache_write_tokens": count(self.cache_write),
            },
        });
        if let Some(members) = value.as_object_mut() {
            members.insert("usage".to_owned(), usage);
        }
        frame(&value)
    }
}

impl ScriptError {
    fn json(&self) -> Value {
        json!({"error": {"message": self.message, "type": "server_error"}})
    }
}

fn delta(delta: &Value) -> String {
    frame(&chunk(
        &json!([{"index": 0, "delta": delta, "finish_reason": null}]),
    ))
}

fn chunk(choices: &Value) -> Value {
    json!({
        "id": "chatcmpl-script", "object": "chat.completion.chunk", "created": 0,
        "model": "script", "choices": choices,
    })
}

fn frame(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// A number of tokens as providers write it.
fn count(tokens: f64) -> u64 {
    tokens.max(0.0).round() as u64
}

/// Pieces of about a word: a token ends before white space and when it is long.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .char_indices()
            .enumerate()
            .find(|(count, (_, character))| {
                *count > 0 && (character.is_whitespace() || *count == TOKEN_CHARACTERS)
            })
            .map_or(rest.len(), |(_, (end, _))| end);
        let (token, after) = rest.split_at_checked(end)?;
        rest = after;
        (!token.is_empty()).then_some(token)
    })
}

impl FromJson for ScriptTurn {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            thinking: json.optional("thinking")?,
            text: json.optional("text")?,
            tool_calls: json.or_default("toolCalls")?,
            stop_reason: json.optional("stopReason")?,
            usage: json.optional("usage")?,
            error: json.optional("error")?,
            cut: json.or_default("cut")?,
        })
    }
}

impl FromJson for ScriptToolCall {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            id: json.optional("id")?,
            name: json.field("name")?,
            arguments: json.or_default("arguments")?,
        })
    }
}

read_names!(ScriptStopReason, "\"stop\", \"length\" or \"toolUse\"", {
    "stop" => Stop,
    "length" => Length,
    "toolUse" => ToolUse,
});

impl FromJson for ScriptUsage {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            input: json.or_default("input")?,
            output: json.or_default("output")?,
            cache_read: json.or_default("cacheRead")?,
            cache_write: json.or_default("cacheWrite")?,
        })
    }
}

impl FromJson for ScriptError {
    fn from_json(json: Json<'_>) -> Result<Self, Unfit> {
        Ok(Self {
            message: json.field("message")?,
            status: json.optional::<f64>("status")?.map(|status| status as u16),
            retry_after_ms: json.optional("retryAfterMs")?,
        })
    }
}
