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
use support::wire::check_request;

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

fn assistant_block() -> impl Strategy<Value = AssistantContentBlock> {
    let name = prop_oneof![
        Just("f".to_owned()),
        Just(String::new()),
        Just("a.b c".to_owned())
    ];
    prop_oneof![
        2 => text().prop_map(|text| AssistantContentBlock::Text(TextContent {
            text,
            text_signature: None,
        })),
        2 => text().prop_map(|thinking| AssistantContentBlock::Thinking(ThinkingContent {
            thinking,
            ..ThinkingContent::default()
        })),
        4 => (id(), name).prop_map(|(id, name)| AssistantContentBlock::ToolCall(ToolCall {
            id,
            name,
            arguments: Map::from_iter([("q".to_owned(), json!(1))]),
            thought_signature: None,
        })),
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
    let model = prop_oneof![Just("m".to_owned()), Just("other".to_owned())];
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
        (prop::collection::vec(assistant_block(), 0..4), stop, model).prop_map(
            |(content, stop_reason, model)| Message::Assistant(AssistantMessage {
                content,
                stop_reason,
                model,
                api: "openai-completions".into(),
                provider: "openai".into(),
                ..AssistantMessage::default()
            })
        ),
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
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn any_transcript_makes_a_valid_request(
        mut messages in prop::collection::vec(message(), 0..8),
        base_url in hosts(),
        reasoning in any::<bool>(),
    ) {
        let model = Model {
            id: "m".into(),
            api: "openai-completions".into(),
            base_url: Some(base_url.into()),
            reasoning: Some(reasoning),
            ..Model::default()
        };
        messages.push(Message::User(UserMessage {
            content: UserContent::Text("go on".into()),
            timestamp: 0.0,
        }));
        let context = Context { messages, ..Context::default() };
        let request = Api::OpenAiCompletions.encode(&model, &context, &RequestOptions::default());
        let request = request.expect("a conversation that ends with the user is sent");
        check_request(Api::OpenAiCompletions, &request.body);
    }
}
