//! Whatever the transcript looks like, a request that a strict host accepts comes out, or a reason.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stderr)]

mod support;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, ImageContent, Message, StopReason, TextContent,
    ThinkingContent, ToolCall, ToolResultMessage, UserContent, UserContentBlock, UserMessage,
};
use sluice_agent::model::{Model, RequestOptions};
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

fn user_block() -> impl Strategy<Value = UserContentBlock> {
    prop_oneof![
        3 => text().prop_map(|text| UserContentBlock::Text(TextContent { text, text_signature: None })),
        1 => Just(UserContentBlock::Image(ImageContent {
            data: "AA==".into(),
            mime_type: "image/png".into(),
        })),
    ]
}

fn signature() -> impl Strategy<Value = Option<String>> {
    prop_oneof![3 => Just(None), 1 => Just(Some("U2ln".to_owned()))]
}

/// A wire, a provider and a model: the one that is called, or one that made a message.
#[derive(Debug, Clone)]
struct Maker {
    api: Api,
    provider: String,
    model: String,
}

fn maker() -> impl Strategy<Value = Maker> {
    let models = prop_oneof![
        4 => Just("m"),
        1 => Just("other"),
        2 => Just("gemini-2.5-flash"),
        2 => Just("gemini-3.1-pro-preview"),
    ];
    let api = prop::sample::select(Api::ALL.to_vec());
    (api, any::<bool>(), models).prop_map(|(api, is_own, model)| Maker {
        api,
        provider: if is_own {
            api.default_provider()
        } else {
            "proxy"
        }
        .into(),
        model: model.into(),
    })
}

fn assistant_block() -> impl Strategy<Value = AssistantContentBlock> {
    let name = prop_oneof![
        Just("f".to_owned()),
        Just(String::new()),
        Just("a.b c".to_owned())
    ];
    prop_oneof![
        2 => (text(), signature()).prop_map(|(text, text_signature)| {
            AssistantContentBlock::Text(TextContent { text, text_signature })
        }),
        2 => (text(), signature()).prop_map(|(thinking, thinking_signature)| {
            AssistantContentBlock::Thinking(ThinkingContent {
                thinking,
                thinking_signature,
                ..ThinkingContent::default()
            })
        }),
        4 => (id(), name, signature()).prop_map(|(id, name, thought_signature)| {
            AssistantContentBlock::ToolCall(ToolCall {
                id,
                name,
                arguments: Map::from_iter([("q".to_owned(), json!(1))]),
                thought_signature,
            })
        }),
        1 => Just(AssistantContentBlock::Image(ImageContent::default())),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let stop = prop_oneof![
        Just(StopReason::Stop),
        Just(StopReason::Length),
        Just(StopReason::ToolUse),
        Just(StopReason::Error),
        Just(StopReason::Aborted),
    ];
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
            maker()
        )
            .prop_map(|(content, stop_reason, maker)| Message::Assistant(
                AssistantMessage {
                    content,
                    stop_reason,
                    api: maker.api.name().into(),
                    provider: maker.provider,
                    model: maker.model,
                    ..AssistantMessage::default()
                }
            )),
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

fn hosts() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("https://api.openai.com/v1"),
        Just("https://api.mistral.ai/v1"),
        Just("https://api.deepseek.com"),
        Just("https://openrouter.ai/api/v1"),
        Just("http://localhost:8080/v1"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn any_transcript_makes_a_valid_request(
        mut messages in prop::collection::vec(message(), 0..8),
        maker in maker(),
        base_url in hosts(),
        reasoning in any::<bool>(),
    ) {
        let model = Model {
            id: maker.model,
            api: maker.api.name().into(),
            provider: Some(maker.provider),
            base_url: Some(base_url.into()),
            reasoning: Some(reasoning),
            ..Model::default()
        };
        messages.push(Message::User(UserMessage {
            content: UserContent::Text("go on".into()),
            timestamp: 0.0,
        }));
        let context = Context { messages, ..Context::default() };
        let request = maker.api.encode(&model, &context, &RequestOptions::default());
        let request = request.expect("a conversation that ends with the user is sent");
        check_request(maker.api, &request.body);
        check_for_model(maker.api, &model.id, &request.body);
    }
}
