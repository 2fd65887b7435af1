use serde_json::{Map, Value, json};

use super::*;
use crate::error::ErrorCode;
use crate::message::{
    AssistantContentBlock, AssistantMessage, ImageContent, Message, StopReason, TextContent,
    ThinkingContent, ToolCall, ToolResultMessage, UserContent, UserContentBlock, UserMessage,
};
use crate::model::{
    CacheRetention, Compat, InputKind, MaxTokensField, ModelCost, NamedTool, Proxy, ThinkingLevel,
    ToolChoice, ToolChoiceMode, ToolDefinition,
};
use crate::text::json::from_text;

fn through(url: &str) -> RequestOptions {
    RequestOptions {
        proxy: Some(Proxy {
            url: url.into(),
            auth_token: Some("token".into()),
        }),
        ..RequestOptions::default()
    }
}

fn model() -> Model {
    Model {
        id: "m".into(),
        api: "openai-completions".into(),
        ..Model::default()
    }
}

fn body(model: &Model, context: &Context, options: &RequestOptions) -> Value {
    let request = encode(model, context, options).expect("a request");
    serde_json::from_str(&request.body).expect("JSON")
}

#[test]
fn the_path_goes_behind_the_root_of_the_backend() {
    for (root, url) in [
        ("https://app.example", "https://app.example/api/stream"),
        ("https://app.example/", "https://app.example/api/stream"),
        (
            "https://app.example/llm/api/stream",
            "https://app.example/llm/api/stream",
        ),
        (
            "https://app.example?v=1",
            "https://app.example/api/stream?v=1",
        ),
        ("/llm", "/llm/api/stream"),
        ("", "/api/stream"),
    ] {
        let request = encode(&model(), &Context::default(), &through(root)).expect("a request");
        assert_eq!(request.url, url);
    }
}

#[test]
fn the_backend_gets_its_token_and_the_headers_of_the_call_and_no_key() {
    let model = Model {
        headers: Some(vec![("x-provider".into(), "provider-secret".into())]),
        ..model()
    };
    let mut options = RequestOptions {
        api_key: Some("sk-secret".into()),
        headers: Some(vec![("X-CSRF".into(), "1".into())]),
        ..through("https://app.example")
    };
    let request = encode(&model, &Context::default(), &options).expect("a request");
    let headers: Vec<_> = request
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    assert_eq!(
        headers,
        [
            "content-type: application/json",
            "accept: text/event-stream",
            "authorization: Bearer token",
            "x-csrf: 1",
        ]
    );
    assert!(!request.body.contains("secret") && !request.body.contains("token"));
    // A backend may know its user by a cookie.
    options.proxy = Some(Proxy::default());
    let request = encode(&model, &Context::default(), &options).expect("a request");
    assert!(
        request
            .headers
            .iter()
            .all(|(name, _)| name != "authorization")
    );
}

#[test]
fn without_a_proxy_there_is_no_request() {
    let options = RequestOptions::default();
    let error = encode(&model(), &Context::default(), &options).expect_err("no request");
    assert_eq!(error.code, ErrorCode::InvalidRequest);
}

#[test]
fn what_is_absent_stays_absent() {
    assert_eq!(
        body(&model(), &Context::default(), &through("")),
        json!({
            "model": { "id": "m", "api": "openai-completions", "provider": "openai" },
            "context": { "messages": [] },
            "options": {},
        })
    );
    let own = Model {
        api: "of the backend".into(),
        ..model()
    };
    let body = body(&own, &Context::default(), &through(""));
    assert_eq!(body["model"], json!({ "id": "m", "api": "of the backend" }));
}

#[test]
fn the_model_goes_as_the_app_describes_it() {
    let model = Model {
        provider: Some("groq".into()),
        base_url: Some("https://api.groq.com".into()),
        name: Some("M".into()),
        reasoning: Some(true),
        input: Some(vec![InputKind::Text, InputKind::Image]),
        cost: Some(ModelCost {
            input: 1.0,
            output: 2.5,
            ..ModelCost::default()
        }),
        context_window: Some(8000.0),
        max_tokens: Some(100.0),
        compat: Some(Compat {
            max_tokens_field: Some(MaxTokensField::MaxCompletionTokens),
            supports_store: Some(false),
            ..Compat::default()
        }),
        ..model()
    };
    let told = body(&model, &Context::default(), &through(""))["model"].to_string();
    assert_eq!(from_text::<Model>(&told), Ok(model));
}

#[test]
fn the_conversation_goes_with_all_that_the_next_wire_needs() {
    let image = ImageContent {
        data: "AA==".into(),
        mime_type: "image/png".into(),
    };
    let messages = vec![
        Message::User(UserMessage {
            content: UserContent::Text("Hi".into()),
            timestamp: 1.0,
        }),
        Message::Assistant(AssistantMessage {
            content: vec![
                AssistantContentBlock::Thinking(ThinkingContent {
                    thinking: "hm".into(),
                    thinking_signature: Some("S1".into()),
                    redacted: Some(true),
                }),
                AssistantContentBlock::Text(TextContent {
                    text: "a".into(),
                    text_signature: Some("S2".into()),
                }),
                AssistantContentBlock::ToolCall(ToolCall {
                    id: "c|1".into(),
                    name: "f".into(),
                    arguments: Map::from_iter([("q".to_owned(), json!([1, "x"]))]),
                    thought_signature: Some("S3".into()),
                }),
                AssistantContentBlock::Image(image.clone()),
            ],
            api: "openai-responses".into(),
            provider: "openai".into(),
            model: "o".into(),
            response_id: Some("r".into()),
            stop_reason: StopReason::ToolUse,
            timestamp: 2.0,
            ..AssistantMessage::default()
        }),
        Message::ToolResult(ToolResultMessage {
            tool_call_id: "c|1".into(),
            tool_name: "f".into(),
            content: vec![
                UserContentBlock::Text(TextContent {
                    text: "18".into(),
                    text_signature: None,
                }),
                UserContentBlock::Image(image),
            ],
            details: json!({ "private": true }),
            is_error: true,
            timestamp: 3.0,
            duration_ms: Some(5.0),
        }),
        Message::User(UserMessage {
            content: UserContent::Blocks(Vec::new()),
            timestamp: 4.0,
        }),
    ];
    let context = Context {
        system_prompt: "Be brief.".into(),
        messages,
        tools: vec![
            ToolDefinition {
                name: "f".into(),
                description: "F".into(),
                parameters: json!({ "type": "object", "required": ["q"] }),
            },
            ToolDefinition {
                name: "g".into(),
                ..ToolDefinition::default()
            },
        ],
    };
    assert_eq!(
        body(&model(), &context, &through(""))["context"],
        json!({
            "systemPrompt": "Be brief.",
            "messages": [
                { "role": "user", "content": "Hi", "timestamp": 1 },
                {
                    "role": "assistant",
                    "content": [
                        { "type": "thinking", "thinking": "hm", "thinkingSignature": "S1", "redacted": true },
                        { "type": "text", "text": "a", "textSignature": "S2" },
                        { "type": "toolCall", "id": "c|1", "name": "f", "arguments": { "q": [1, "x"] }, "thoughtSignature": "S3" },
                        { "type": "image", "data": "AA==", "mimeType": "image/png" },
                    ],
                    "api": "openai-responses", "provider": "openai", "model": "o", "responseId": "r",
                    "stopReason": "toolUse", "timestamp": 2,
                },
                {
                    "role": "toolResult", "toolCallId": "c|1", "toolName": "f",
                    "content": [{ "type": "text", "text": "18" }, { "type": "image", "data": "AA==", "mimeType": "image/png" }],
                    "isError": true, "timestamp": 3,
                },
                { "role": "user", "content": [], "timestamp": 4 },
            ],
            "tools": [
                { "name": "f", "description": "F", "parameters": { "type": "object", "required": ["q"] } },
                { "name": "g", "description": "", "parameters": { "type": "object", "properties": {} } },
            ],
        })
    );
}

#[test]
fn the_options_that_change_the_answer_go_along() {
    let options = RequestOptions {
        reasoning: ThinkingLevel::Xhigh,
        temperature: Some(0.0),
        max_tokens: Some(9.0),
        tool_choice: Some(ToolChoice::Mode(ToolChoiceMode::Required)),
        cache_retention: CacheRetention::Long,
        session_id: Some("s".into()),
        thinking_budgets: Some(vec![("high".into(), 4096.0)]),
        ..through("")
    };
    assert_eq!(
        body(&model(), &Context::default(), &options)["options"],
        json!({
            "reasoning": "xhigh", "cacheRetention": "long", "sessionId": "s", "temperature": 0, "maxTokens": 9,
            "toolChoice": "required", "thinkingBudgets": { "high": 4096 },
        })
    );
    let options = RequestOptions {
        tool_choice: Some(ToolChoice::Tool(NamedTool { name: "f".into() })),
        ..through("")
    };
    let body = body(&model(), &Context::default(), &options);
    assert_eq!(body["options"], json!({ "toolChoice": { "name": "f" } }));
}
