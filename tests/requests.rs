//! Whatever the transcript looks like, a request that a strict host accepts comes out, or a reason.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stderr)]

mod support;

use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_agent::message::{
    AssistantContentBlock, AssistantMessage, ImageContent, Message, StopReason, TextContent,
    ThinkingContent, ToolCall, ToolResultMessage, UserContent, UserContentBlock, UserMessage,
};
use sluice_agent::model::{Model, RequestOptions, ThinkingLevel};
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

/// What wires leave in a message to recognise it by, and what they do not.
fn signature() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        2 => Just(None),
        6 => prop_oneof![
            Just("c2lnbmF0dXJl"),
            Just("{}"),
            Just("{\"id\":"),
            Just(r#"{"id":"msg_1","phase":"commentary"}"#),
            Just(r#"{"id":"msg_2"}"#),
            Just(r#"{"id":"fc_1"}"#),
            Just(r#"{"id":"toolu_1"}"#),
            Just(r#"{"type":"custom_tool_call","id":"ctc_1"}"#),
            Just(r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"AA"}"#),
            Just(r#"{"type":"reasoning","id":"rs_2","summary":null,"encrypted_content":"BB"}"#),
            Just(r#"{"type":"reasoning","id":"rs_3","summary":[],"encrypted_content":null}"#),
        ]
        .prop_map(|signature| Some(signature.to_owned())),
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
    let arguments = prop_oneof![
        Just(json!({ "q": 1 })),
        Just(json!({ "input": "SELECT 1" }))
    ];
    prop_oneof![
        2 => (text(), signature()).prop_map(|(text, text_signature)| {
            AssistantContentBlock::Text(TextContent { text, text_signature })
        }),
        2 => (text(), signature(), any::<bool>()).prop_map(|(thinking, signature, redacted)| {
            AssistantContentBlock::Thinking(ThinkingContent {
                thinking,
                redacted: signature.as_ref().filter(|_| redacted).map(|_| true),
                thinking_signature: signature,
            })
        }),
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
    // The target's own, or those of another wire, provider or model.
    let names = |own: &'static [&'static str]| {
        prop_oneof![3 => prop::sample::select(own), 1 => Just("other")].prop_map(str::to_owned)
    };
    let apis: Vec<&'static str> = Api::ALL.iter().map(|api| api.name()).collect();
    let made_by = (
        prop::sample::select(apis).prop_map(str::to_owned),
        names(&["openai", "anthropic", "google"]),
        names(&["m"]),
    );
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
            prop::collection::vec(assistant_block(), 0..5),
            stop,
            made_by
        )
            .prop_map(
                |(content, stop_reason, (api, provider, model))| Message::Assistant(
                    AssistantMessage {
                        content,
                        stop_reason,
                        model,
                        api,
                        provider,
                        ..AssistantMessage::default()
                    }
                )
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

fn hosts() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![
        2 => Just(None),
        1 => Just(Some("https://api.openai.com/v1")),
        1 => Just(Some("https://api.mistral.ai/v1")),
        1 => Just(Some("https://api.deepseek.com")),
        1 => Just(Some("https://openrouter.ai/api/v1")),
        1 => Just(Some("https://api.x.ai/v1")),
        1 => Just(Some("http://localhost:8080/v1")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn any_transcript_makes_a_valid_request(
        api in prop::sample::select(Api::ALL.to_vec()),
        mut messages in prop::collection::vec(message(), 0..8),
        base_url in hosts(),
        reasoning in any::<bool>(),
        level in prop::sample::select(vec![
            ThinkingLevel::Off,
            ThinkingLevel::Low,
            ThinkingLevel::Xhigh,
        ]),
    ) {
        let model = Model {
            id: "m".into(),
            api: api.name().into(),
            base_url: base_url.map(str::to_owned),
            reasoning: Some(reasoning),
            ..Model::default()
        };
        messages.push(Message::User(UserMessage {
            content: UserContent::Text("go on".into()),
            timestamp: 0.0,
        }));
        let context = Context { messages, ..Context::default() };
        let options = RequestOptions { reasoning: level, ..RequestOptions::default() };
        let request = api.encode(&model, &context, &options);
        let request = request.expect("a conversation that ends with the user is sent");
        check_request(api, &request.body);
    }
}
