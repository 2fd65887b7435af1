//! The scripted model: turns given beforehand, as the bytes of a real stream.
//!
//! A turn becomes the chat-completions response that a provider would send, one frame per token, so
//! that what plays it goes through the same decoder, the same events and the same failures as any
//! other response. Rendering is pure: the pace belongs to whoever sends the chunks. Native code plays
//! these; a page's `createScript` writes the same frames in `js/package/script.js`.
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
use serde_json::Value;

use crate::text::json::{FromJson, JsonWriter, Reader, read_names, to_text};

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
                chunks: vec![error.json()],
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
        let mut chunks = vec![delta(|json| {
            json.key("role")
                .string("assistant")
                .key("content")
                .string("");
        })];
        for (key, text) in [
            ("reasoning_content", &self.thinking),
            ("content", &self.text),
        ] {
            for token in tokens(text.as_deref().unwrap_or_default()) {
                chunks.push(delta(|json| {
                    json.key(key).string(token);
                }));
            }
        }
        for (index, call) in self.tool_calls.iter().enumerate() {
            call.stream(index as f64, &mut chunks);
        }
        if let Some(error) = &self.error {
            chunks.push(frame(&error.json()));
        } else if !self.cut {
            chunks.push(choice(|json| {
                json.key("delta").raw("{}");
                json.key("finish_reason").string(self.finish_reason());
            }));
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
    fn stream(&self, index: f64, chunks: &mut Vec<String>) {
        let text = match &self.arguments {
            Value::String(text) => text.clone(),
            Value::Null => "{}".to_owned(),
            arguments => to_text(arguments),
        };
        chunks.push(self.frame(index, Some(&self.name), ""));
        chunks.extend(tokens(&text).map(|token| self.frame(index, None, token)));
    }

    /// More of the arguments; with a name, the beginning of the call.
    fn frame(&self, index: f64, name: Option<&str>, arguments: &str) -> String {
        delta(|json| {
            json.key("tool_calls").array(|json| {
                json.object(|json| {
                    json.key("index").number(index);
                    if let (Some(id), Some(_)) = (&self.id, name) {
                        json.key("id").string(id);
                    }
                    if name.is_some() {
                        json.key("type").string("function");
                    }
                    json.key("function").object(|json| {
                        if let Some(name) = name {
                            json.key("name").string(name);
                        }
                        json.key("arguments").string(arguments);
                    });
                });
            });
        })
    }
}

impl ScriptUsage {
    fn frame(self) -> String {
        let input = self.input + self.cache_read + self.cache_write;
        chunk(|json| {
            json.key("choices").raw("[]");
            json.key("usage").object(|json| {
                json.key("prompt_tokens").number(count(input));
                json.key("completion_tokens").number(count(self.output));
                json.key("total_tokens").number(count(input + self.output));
                json.key("prompt_tokens_details").object(|json| {
                    json.key("cached_tokens").number(count(self.cache_read));
                    json.key("cache_write_tokens")
                        .number(count(self.cache_write));
                });
            });
        })
    }
}

impl ScriptError {
    fn json(&self) -> String {
        let mut json = JsonWriter::default();
        json.object(|json| {
            json.key("error").object(|json| {
                json.key("message").string(&self.message);
                json.key("type").string("server_error");
            });
        });
        json.into_text()
    }
}

fn delta(members: impl FnOnce(&mut JsonWriter)) -> String {
    choice(|json| {
        json.key("delta").object(members);
    })
}

fn choice(members: impl FnOnce(&mut JsonWriter)) -> String {
    chunk(|json| {
        json.key("choices").array(|json| {
            json.object(|json| {
                json.key("index").number(0.0);
                members(json);
            });
        });
    })
}

fn chunk(members: impl FnOnce(&mut JsonWriter)) -> String {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("id").string("chatcmpl-script");
        json.key("object").string("chat.completion.chunk");
        members(json);
    });
    frame(&json.into_text())
}

fn frame(json: &str) -> String {
    ["data: ", json, "\n\n"].concat()
}

/// A number of tokens as providers write it.
fn count(tokens: f64) -> f64 {
    tokens.max(0.0).round()
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
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            thinking: reader.optional("thinking"),
            text: reader.optional("text"),
            tool_calls: reader.or_default("toolCalls"),
            stop_reason: reader.optional("stopReason"),
            usage: reader.optional("usage"),
            error: reader.optional("error"),
            cut: reader.or_default("cut"),
        }
    }
}

impl FromJson for ScriptToolCall {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            id: reader.optional("id"),
            name: reader.field("name"),
            arguments: reader.or_default("arguments"),
        }
    }
}

read_names!(ScriptStopReason, "\"stop\", \"length\" or \"toolUse\"", {
    "stop" => Stop,
    "length" => Length,
    "toolUse" => ToolUse,
});

impl FromJson for ScriptUsage {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            input: reader.or_default("input"),
            output: reader.or_default("output"),
            cache_read: reader.or_default("cacheRead"),
            cache_write: reader.or_default("cacheWrite"),
        }
    }
}

impl FromJson for ScriptError {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            message: reader.field("message"),
            status: reader.optional::<f64>("status").map(|status| status as u16),
            retry_after_ms: reader.optional("retryAfterMs"),
        }
    }
}
