//! The JSON of a request to the app's backend: `{ model, context, options }` in the words of the
//! package's own types. What is absent stays absent.

use serde_json::Value;

use crate::message::{
    AssistantContentBlock, AssistantMessage, Message, UserContent, UserContentBlock,
};
use crate::model::{CacheRetention, Compat, Model, RequestOptions, ThinkingLevel, ToolChoice};
use crate::protocol::{Api, Context};
use crate::text::json::{JsonWriter, Names};

/// The body's text.
pub(super) fn write(model: &Model, context: &Context, options: &RequestOptions) -> String {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("model").object(|json| write_model(model, json));
        json.key("context")
            .object(|json| write_context(context, json));
        json.key("options")
            .object(|json| write_options(options, json));
    });
    json.into_text()
}

/// Members that are texts, as far as they are there.
#[inline(never)]
fn texts(members: &[(&str, Option<&str>)], json: &mut JsonWriter) {
    for (key, text) in members {
        if let Some(text) = text {
            json.key(key).string(text);
        }
    }
}

#[inline(never)]
fn numbers(members: &[(&str, Option<f64>)], json: &mut JsonWriter) {
    for (key, number) in members {
        if let Some(number) = number.filter(|number| number.is_finite()) {
            json.key(key).number(number);
        }
    }
}

#[inline(never)]
fn flags(members: &[(&str, Option<bool>)], json: &mut JsonWriter) {
    for (key, flag) in members {
        if let Some(flag) = flag {
            json.key(key).boolean(*flag);
        }
    }
}

fn write_model(model: &Model, json: &mut JsonWriter) {
    let default = || Api::from_name(&model.api).map(Api::default_provider);
    texts(
        &[
            ("id", Some(&model.id)),
            ("api", Some(&model.api)),
            ("provider", model.provider.as_deref().or_else(default)),
            ("baseUrl", model.base_url.as_deref()),
            ("name", model.name.as_deref()),
        ],
        json,
    );
    flags(&[("reasoning", model.reasoning)], json);
    if let Some(inputs) = &model.input {
        json.key("input").array(|json| {
            for input in inputs {
                json.string(input.json_name());
            }
        });
    }
    if let Some(cost) = model.cost {
        let prices = [
            ("input", Some(cost.input)),
            ("output", Some(cost.output)),
            ("cacheRead", Some(cost.cache_read)),
            ("cacheWrite", Some(cost.cache_write)),
        ];
        json.key("cost").object(|json| numbers(&prices, json));
    }
    numbers(
        &[
            ("contextWindow", model.context_window),
            ("maxTokens", model.max_tokens),
        ],
        json,
    );
    if let Some(compat) = &model.compat {
        json.key("compat").object(|json| write_compat(compat, json));
    }
}

fn write_compat(compat: &Compat, json: &mut JsonWriter) {
    // Without `..`: a new switch has to be told too.
    let Compat {
        max_tokens_field,
        supports_reasoning_effort,
        supports_developer_role,
        supports_store,
        supports_usage_in_streaming,
        reasoning_field,
        tool_call_id_format,
        requires_tool_result_name,
        requires_assistant_after_tool_result,
    } = *compat;
    texts(
        &[
            ("maxTokensField", max_tokens_field.map(Names::json_name)),
            ("reasoningField", reasoning_field.map(Names::json_name)),
            (
                "toolCallIdFormat",
                tool_call_id_format.map(Names::json_name),
            ),
        ],
        json,
    );
    flags(
        &[
            ("supportsReasoningEffort", supports_reasoning_effort),
            ("supportsDeveloperRole", supports_developer_role),
            ("supportsStore", supports_store),
            ("supportsUsageInStreaming", supports_usage_in_streaming),
            ("requiresToolResultName", requires_tool_result_name),
            (
                "requiresAssistantAfterToolResult",
                requires_assistant_after_tool_result,
            ),
        ],
        json,
    );
}

fn write_context(context: &Context, json: &mut JsonWriter) {
    let prompt = context.system_prompt.as_str();
    texts(
        &[(
            "systemPrompt",
            Some(prompt).filter(|prompt| !prompt.is_empty()),
        )],
        json,
    );
    json.key("messages").array(|json| {
        for message in &context.messages {
            json.object(|json| write_message(message, json));
        }
    });
    if context.tools.is_empty() {
        return;
    }
    json.key("tools").array(|json| {
        for tool in &context.tools {
            json.object(|json| {
                texts(
                    &[
                        ("name", Some(&tool.name)),
                        ("description", Some(&tool.description)),
                    ],
                    json,
                );
                json.key("parameters");
                match &tool.parameters {
                    Value::Object(schema) => json.map(schema),
                    _ => json.raw(r#"{"type":"object","properties":{}}"#),
                };
            });
        }
    });
}

fn write_message(message: &Message, json: &mut JsonWriter) {
    let timestamp = match message {
        Message::User(user) => {
            texts(&[("role", Some("user"))], json);
            match &user.content {
                UserContent::Text(text) => texts(&[("content", Some(text))], json),
                UserContent::Blocks(blocks) => write_user_blocks(blocks, json),
            }
            user.timestamp
        }
        Message::Assistant(assistant) => {
            write_assistant(assistant, json);
            assistant.timestamp
        }
        Message::ToolResult(result) => {
            texts(
                &[
                    ("role", Some("toolResult")),
                    ("toolCallId", Some(&result.tool_call_id)),
                    ("toolName", Some(&result.tool_name)),
                ],
                json,
            );
            write_user_blocks(&result.content, json);
            flags(&[("isError", Some(result.is_error))], json);
            result.timestamp
        }
    };
    numbers(&[("timestamp", Some(timestamp))], json);
}

fn write_user_blocks(blocks: &[UserContentBlock], json: &mut JsonWriter) {
    json.key("content").array(|json| {
        for block in blocks {
            json.object(|json| match block {
                UserContentBlock::Text(block) => {
                    texts(&[("type", Some("text")), ("text", Some(&block.text))], json);
                }
                UserContentBlock::Image(image) => write_image(&image.data, &image.mime_type, json),
            });
        }
    });
}

fn write_image(data: &str, mime_type: &str, json: &mut JsonWriter) {
    texts(
        &[
            ("type", Some("image")),
            ("data", Some(data)),
            ("mimeType", Some(mime_type)),
        ],
        json,
    );
}

fn write_assistant(message: &AssistantMessage, json: &mut JsonWriter) {
    texts(&[("role", Some("assistant"))], json);
    json.key("content").array(|json| {
        for block in &message.content {
            json.object(|json| write_assistant_block(block, json));
        }
    });
    texts(
        &[
            ("api", Some(&message.api)),
            ("provider", Some(&message.provider)),
            ("model", Some(&message.model)),
            ("responseId", message.response_id.as_deref()),
            ("stopReason", Some(message.stop_reason.json_name())),
        ],
        json,
    );
}

/// Signatures go with their blocks: the model wants its own back.
fn write_assistant_block(block: &AssistantContentBlock, json: &mut JsonWriter) {
    match block {
        AssistantContentBlock::Text(block) => texts(
            &[
                ("type", Some("text")),
                ("text", Some(&block.text)),
                ("textSignature", block.text_signature.as_deref()),
            ],
            json,
        ),
        AssistantContentBlock::Thinking(block) => {
            texts(
                &[
                    ("type", Some("thinking")),
                    ("thinking", Some(&block.thinking)),
                    ("thinkingSignature", block.thinking_signature.as_deref()),
                ],
                json,
            );
            flags(&[("redacted", block.redacted)], json);
        }
        AssistantContentBlock::ToolCall(call) => {
            texts(
                &[
                    ("type", Some("toolCall")),
                    ("id", Some(&call.id)),
                    ("name", Some(&call.name)),
                    ("thoughtSignature", call.thought_signature.as_deref()),
                ],
                json,
            );
            json.key("arguments").map(&call.arguments);
        }
        AssistantContentBlock::Image(image) => write_image(&image.data, &image.mime_type, json),
    }
}

fn write_options(options: &RequestOptions, json: &mut JsonWriter) {
    let reasoning = Some(options.reasoning).filter(|level| *level != ThinkingLevel::Off);
    let caching = Some(options.cache_retention).filter(|it| *it != CacheRetention::default());
    texts(
        &[
            ("reasoning", reasoning.map(Names::json_name)),
            ("cacheRetention", caching.map(Names::json_name)),
            ("sessionId", options.session_id.as_deref()),
        ],
        json,
    );
    numbers(
        &[
            ("temperature", options.temperature),
            ("maxTokens", options.max_tokens),
        ],
        json,
    );
    match &options.tool_choice {
        Some(ToolChoice::Mode(mode)) => texts(&[("toolChoice", Some(mode.json_name()))], json),
        Some(ToolChoice::Tool(tool)) => {
            json.key("toolChoice")
                .object(|json| texts(&[("name", Some(&tool.name))], json));
        }
        None => {}
    }
    if let Some(budgets) = &options.thinking_budgets {
        json.key("thinkingBudgets").object(|json| {
            for (level, tokens) in budgets {
                numbers(&[(level, Some(*tokens))], json);
            }
        });
    }
}
