//! Whatever the transcript looks like, a request that a strict host accepts comes out, or a reason.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stderr)]

mod support;

use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_agent::error::ErrorCode;
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, ImageContent, Message, StopReason, TextContent,
    ThinkingContent, ToolCall, ToolResultMessage, UserContent, UserContentBlock, UserMessage,
};
use sluice_agent::model::{
    CacheRetention, Model, NamedTool, Proxy, RequestOptions, ThinkingLevel, ToolChoice,
    ToolChoiceMode, ToolDefinition,
};
use sluice_agent::protocol::{Api, Context};
use support::wire::{check_for_model, check_request};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(" \n".into()),
        Just("a\u{FFFD}🙂\"".into()),
        "[ -~]{1,9}"
    ]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("a".into()),
        Just("b".into()),
        Just("toolu_1|fc_+/".into()),
        Just("x".repeat(450)),
        Just("abc123XYZ".into()),
    ]
}

/// What wires leave in a message to recognise it by, and what they do not.
fn signature() -> impl Strategy<Value = Option<String>> {
    let known = select(&[
        "",
        "c2ln",
        "c2lnbmF0dXJl",
        "{}",
        "{\"id\":",
        r#"{"id":"msg_1","phase":"commentary"}"#,
        r#"{"id":"msg_2"}"#,
        r#"{"id":"fc_1"}"#,
        r#"{"id":"toolu_1"}"#,
        r#"{"type":"custom_tool_call","id":"ctc_1"}"#,
        r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"AA"}"#,
        r#"{"type":"reasoning","id":"rs_2","summary":null,"encrypted_content":"BB"}"#,
        r#"{"type":"reasoning","id":"rs_3","summary":[],"encrypted_content":null}"#,
    ]);
    prop_oneof![
        1 => Just(None),
        2 => known.prop_map(|signature| Some(signature.to_owned())),
    ]
}

fn user_block() -> impl Strategy<Value = UserContentBlock> {
    prop_oneof![
        3 => text().prop_map(|text| UserContentBlock::Text(TextContent { text, text_signature: None })),
        2 => image().prop_map(UserContentBlock::Image),
    ]
}

/// Images as apps, tools and models give them: some are labelled wrongly, some are none.
fn image() -> impl Strategy<Value = ImageContent> {
    let data = select(&["AA==", "iVBORw0KGgoAAAA", "R0lGODlh", "PHN2Zz4=", ""]);
    let mime_type = select(&[
        "image/png",
        "image/jpg",
        "image/svg+xml",
        "image/",
        "png",
        "",
    ]);
    (data, mime_type).prop_map(|(data, mime_type)| ImageContent {
        data: data.into(),
        mime_type: mime_type.into(),
    })
}

fn assistant_block() -> impl Strategy<Value = AssistantContentBlock> {
    let name = prop_oneof![
        Just("f".to_owned()),
        Just(String::new()),
        Just("a.b c".to_owned())
    ];
    let arguments = select(&[json!({ "q": 1 }), json!({ "input": "SELECT 1" })]);
    prop_oneof![
        2 => (text(), signature()).prop_map(|(text, text_signature)| {
            AssistantContentBlock::Text(TextContent { text, text_signature })
        }),
        2 => (text(), signature(), prop::option::of(any::<bool>())).prop_map(
            |(thinking, thinking_signature, redacted)| AssistantContentBlock::Thinking(
                ThinkingContent { thinking, thinking_signature, redacted }
            ),
        ),
        4 => (id(), name, arguments, signature()).prop_map(
            |(id, name, arguments, thought_signature)| {
                AssistantContentBlock::ToolCall(ToolCall {
                    id,
                    name,
                    arguments: arguments.as_object().cloned().unwrap_or_default(),
                    thought_signature,
                })
            },
        ),
        1 => image().prop_map(AssistantContentBlock::Image),
    ]
}

/// The provider of a model, where it is not the protocol's own.
fn provider() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![2 => Just(None), 1 => Just(Some("other"))]
}

fn message() -> impl Strategy<Value = Message> {
    let stop = prop_oneof![
        Just(StopReason::Stop),
        Just(StopReason::Length),
        Just(StopReason::ToolUse),
        Just(StopReason::Error),
        Just(StopReason::Aborted),
    ];
    let model = prop_oneof![2 => select(&MODELS), 1 => Just("other")];
    let blocks = || prop::collection::vec(user_block(), 0..3);
    prop_oneof![
        text().prop_map(|text| Message::User(UserMessage {
            content: UserContent::Text(text),
            timestamp: 0.0,
        })),
        blocks().prop_map(|blocks| Message::User(UserMessage {
            content: UserContent::Blocks(blocks),
            timestamp: 0.0,
        })),
        (
            prop::collection::vec(assistant_block(), 0..4),
            stop,
            select(&Api::ALL),
            provider(),
            model
        )
            .prop_map(|(content, stop_reason, api, provider, model)| {
                Message::Assistant(AssistantMessage {
                    content,
                    stop_reason,
                    model: model.into(),
                    api: api.name().into(),
                    provider: provider.unwrap_or(api.default_provider()).into(),
                    ..AssistantMessage::default()
                })
            }),
        (id(), blocks()).prop_map(|(tool_call_id, content)| {
            Message::ToolResult(ToolResultMessage {
                tool_call_id,
                tool_name: "f".into(),
                content,
                details: Value::Null,
                is_error: false,
                timestamp: 0.0,
                duration_ms: None,
            })
        }),
    ]
}

/// Models that their protocols treat in different ways, and one that nobody knows.
const MODELS: [&str; 7] = [
    "m",
    "gemini-2.5-flash",
    "gemini-3.1-pro-preview",
    "claude-sonnet-4-5",
    "claude-opus-4-6",
    "claude-sonnet-5",
    "claude-opus-5-5",
];

/// Hosts that their protocols treat in different ways; none is the protocol's own.
const HOSTS: [Option<&str>; 7] = [
    None,
    Some("https://api.openai.com/v1"),
    Some("https://api.mistral.ai/v1"),
    Some("https://api.deepseek.com"),
    Some("https://openrouter.ai/api/v1"),
    Some("https://api.x.ai/v1"),
    Some("http://localhost:8080/v1"),
];

fn model() -> impl Strategy<Value = Model> {
    let reasoning = prop::option::of(any::<bool>());
    (
        select(&Api::ALL),
        select(&MODELS),
        provider(),
        select(&HOSTS),
        reasoning,
    )
        .prop_map(|(api, id, provider, host, reasoning)| Model {
            id: id.into(),
            provider: provider.map(str::to_owned),
            api: api.name().into(),
            base_url: host.map(str::to_owned),
            reasoning,
            ..Model::default()
        })
}

fn options() -> impl Strategy<Value = RequestOptions> {
    let level = select(&[
        ThinkingLevel::Off,
        ThinkingLevel::Minimal,
        ThinkingLevel::High,
        ThinkingLevel::Xhigh,
    ]);
    let named = NamedTool { name: "a.b".into() };
    let choice = select(&[
        ToolChoice::Mode(ToolChoiceMode::Auto),
        ToolChoice::Mode(ToolChoiceMode::Required),
        ToolChoice::Tool(named),
    ]);
    let max_tokens = prop::option::of(prop_oneof![Just(1.0), Just(1500.0), Just(9000.5)]);
    let caching = select(&[
        CacheRetention::None,
        CacheRetention::Short,
        CacheRetention::Long,
    ]);
    let proxy = prop_oneof![4 => Just(None), 1 => Just(Some(Proxy::default()))];
    (
        level,
        prop::option::of(Just(0.0)),
        max_tokens,
        choice,
        caching,
        proxy,
    )
        .prop_map(
            |(reasoning, temperature, max_tokens, choice, cache_retention, proxy)| RequestOptions {
                reasoning,
                temperature,
                max_tokens,
                tool_choice: Some(choice),
                cache_retention,
                proxy,
                ..RequestOptions::default()
            },
        )
}

fn tools() -> impl Strategy<Value = Vec<ToolDefinition>> {
    let tool = |name: &str, parameters| ToolDefinition {
        name: name.into(),
        parameters,
        ..ToolDefinition::default()
    };
    let all = vec![
        tool("f", Value::Null),
        tool("a.b", json!({ "anyOf": [{ "type": "object" }] })),
        tool("a_b", Value::Null),
        tool("a b", Value::Null),
        tool("1", Value::Null),
        tool(&"n".repeat(70), Value::Null),
    ];
    prop_oneof![Just(Vec::new()), Just(all)]
}

fn select<T: Clone + std::fmt::Debug + 'static>(from: &[T]) -> impl Strategy<Value = T> + use<T> {
    prop::sample::select(from.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn any_transcript_makes_a_valid_request(
        mut messages in prop::collection::vec(message(), 0..8),
        ends_with_results in any::<bool>(),
        system_prompt in text(),
        tools in tools(),
        model in model(),
        mut options in options(),
    ) {
        // Without a prompt at the end some requests go on from the results of tools.
        if !ends_with_results {
            messages.push(Message::User(UserMessage {
                content: UserContent::Text("go on".into()),
                timestamp: 0.0,
            }));
        }
        let mut context = Context { system_prompt, messages, tools };
        let api = Api::of(&model, &options).expect("a protocol");
        if api == Api::OpenAiResponses {
            // OpenAI's least, which only its own hosts are held to; the checker knows no hosts.
            options.max_tokens = options.max_tokens.map(|limit| limit.max(16.0));
        }
        match api.encode(&model, &mut context, &mut options) {
            Ok(request) => {
                check_request(api, &request.body);
                check_for_model(api, &model.id, &request.body);
            }
            Err(error) => prop_assert!(
                ends_with_results && error.code == ErrorCode::InvalidRequest,
                "a conversation that ends with the user is sent"
            ),
        }
    }
}

fn ask(content: UserContent) -> Message {
    Message::User(UserMessage {
        content,
        timestamp: 0.0,
    })
}

fn body(model: &Model, context: &Context, options: &RequestOptions) -> Value {
    let api = Api::of(model, options).expect("a protocol");
    let (mut context, mut options) = (context.clone(), options.clone());
    let request = api.encode(model, &mut context, &mut options);
    let request = request.expect("a request");
    check_request(api, &request.body);
    serde_json::from_str(&request.body).expect("JSON")
}

/// All strings that stand at a key, in lists or alone.
fn at_key<'v>(key: &str, value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| at_key(key, item, found)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if name == key => found.push(text),
                    Value::Array(items) if name == key => {
                        found.extend(items.iter().filter_map(Value::as_str));
                    }
                    _ => at_key(key, value, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_tool_has_one_name_among_the_tools_in_the_choice_and_in_the_history() {
    let options = RequestOptions {
        tool_choice: Some(ToolChoice::Tool(NamedTool { name: "a.b".into() })),
        ..RequestOptions::default()
    };
    for (api, base_url, times) in [
        (Api::OpenAiCompletions, None, 3),
        (Api::OpenAiCompletions, Some("https://api.mistral.ai/v1"), 4),
        (Api::OpenAiResponses, None, 3),
        (Api::AnthropicMessages, None, 3),
        (Api::GoogleGenerativeAi, None, 4),
    ] {
        let model = Model {
            id: "m".into(),
            api: api.name().into(),
            base_url: base_url.map(str::to_owned),
            ..Model::default()
        };
        let call = ToolCall {
            id: "a".into(),
            name: "a.b".into(),
            ..ToolCall::default()
        };
        let context = Context {
            messages: vec![
                ask(UserContent::Text("go".into())),
                Message::Assistant(AssistantMessage {
                    content: vec![AssistantContentBlock::ToolCall(call)],
                    stop_reason: StopReason::ToolUse,
                    ..AssistantMessage::default()
                }),
            ],
            tools: ["a_b", "a.b"]
                .map(|name| ToolDefinition {
                    name: name.into(),
                    description: "d".into(),
                    ..ToolDefinition::default()
                })
                .into(),
            ..Context::default()
        };
        let body = body(&model, &context, &options);
        let mut names = Vec::new();
        at_key("name", &body, &mut names);
        at_key("allowedFunctionNames", &body, &mut names);
        names.retain(|name| *name != "a_b");
        assert_eq!(names.len(), times, "{api:?}: {names:?}");
        assert!(names[0].starts_with("a_b_"), "{names:?}");
        assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
    }
}

#[test]
fn an_image_that_a_host_refuses_is_not_sent_there() {
    const OPENAI: Option<&str> = Some("https://api.openai.com/v1");
    const LOCAL: Option<&str> = Some("http://localhost:8080/v1");
    const GEMINI: Option<&str> = Some("https://generativelanguage.googleapis.com/v1beta/openai");
    use Api::{AnthropicMessages, GoogleGenerativeAi, OpenAiCompletions, OpenAiResponses};
    let (gif, heic, bmp) = ("image/gif", "image/heic", "image/bmp");
    for (api, base_url, read, refused) in [
        (OpenAiCompletions, OPENAI, vec![gif], vec![heic, bmp]),
        (OpenAiCompletions, GEMINI, vec![heic], vec![gif, bmp]),
        (OpenAiCompletions, LOCAL, vec![gif, heic, bmp], vec![]),
        (OpenAiResponses, OPENAI, vec![gif], vec![heic, bmp]),
        (OpenAiResponses, LOCAL, vec![gif, heic, bmp], vec![]),
        (AnthropicMessages, None, vec![gif], vec![heic, bmp]),
        (GoogleGenerativeAi, None, vec![heic], vec![gif, bmp]),
    ] {
        let model = Model {
            id: "m".into(),
            api: api.name().into(),
            base_url: base_url.map(str::to_owned),
            ..Model::default()
        };
        let sent = |mime_type: &str| {
            let image = UserContentBlock::Image(ImageContent {
                data: "AA==".into(),
                mime_type: mime_type.into(),
            });
            let context = Context {
                messages: vec![ask(UserContent::Blocks(vec![image]))],
                ..Context::default()
            };
            let body = body(&model, &context, &RequestOptions::default()).to_string();
            assert_ne!(body.contains("AA=="), body.contains("(image omitted: "));
            body.contains("AA==")
        };
        assert!(read.iter().all(|it| sent(it)), "{api:?} {base_url:?}");
        assert!(!refused.iter().any(|it| sent(it)), "{api:?} {base_url:?}");
    }
}
