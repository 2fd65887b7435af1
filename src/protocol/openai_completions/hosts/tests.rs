use super::*;

fn switches(base_url: &str) -> Switches {
    Switches::resolve(base_url, &Model::default())
}

#[test]
fn a_host_is_known_by_its_name_and_not_by_a_part_of_the_url() {
    let table = [
        ("https://api.openai.com/v1", "openai"),
        ("https://API.OpenAI.com/v1", "openai"),
        ("https://api.openai.com:443/v1", "openai"),
        ("https://me.openai.azure.com/openai/v1", "azure"),
        ("https://me.cognitiveservices.azure.com/openai/v1", "azure"),
        ("https://me.services.ai.azure.com/openai/v1", "azure"),
        ("https://me.azure.com/openai/v1", "plain"),
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://api.cerebras.ai/v1", "groq"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://api.deepseek.com", "deepseek"),
        ("https://api.mistral.ai/v1", "mistral"),
        ("https://api.x.ai/v1", "usage"),
        ("https://api.moonshot.ai/v1", "moonshot"),
        ("https://api.moonshot.cn/v1", "moonshot"),
        ("https://api.together.xyz/v1", "usage"),
        ("https://api.fireworks.ai/inference/v1", "effort"),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "google",
        ),
        ("http://localhost:11434/v1", "plain"),
        ("http://127.0.0.1:8080/v1", "plain"),
        ("https://evil-api.openai.com.example/v1", "plain"),
        ("https://notx.ai/v1", "plain"),
        ("https://proxy.example/api.openai.com/v1", "plain"),
        ("https://api.openai.com@proxy.example/v1", "plain"),
        ("/api/llm", "plain"),
        ("", "plain"),
    ];
    for (url, expected) in table {
        let found = switches(url);
        let name = match found {
            PLAIN => "plain",
            OPENAI => "openai",
            Switches {
                key_in_own_header: true,
                ..
            } => "azure",
            Switches {
                signs_calls: true, ..
            } => "google",
            Switches {
                id_format: ToolCallIdFormat::NineAlphanumeric,
                ..
            } => "mistral",
            Switches {
                reasoning_field: ReasoningField::Reasoning,
                ..
            } => "openrouter",
            Switches {
                reasoning_field: ReasoningField::ReasoningContent,
                reasoning_effort: true,
                ..
            } => "deepseek",
            Switches {
                reasoning_field: ReasoningField::ReasoningContent,
                ..
            } => "moonshot",
            Switches {
                max_tokens_field: MaxTokensField::MaxCompletionTokens,
                ..
            } => "groq",
            Switches {
                reasoning_effort: true,
                ..
            } => "effort",
            _ => "usage",
        };
        assert_eq!(name, expected, "{url}");
    }
}

#[test]
fn only_openai_itself_is_asked_to_store_nothing_and_to_cache_by_key() {
    for url in [
        "https://x.openai.azure.com",
        "https://api.groq.com",
        "https://openrouter.ai",
        "http://localhost",
    ] {
        let found = switches(url);
        assert!(!found.store && !found.cache_key, "{url}");
    }
}

#[test]
fn what_the_model_says_wins() {
    let compat = Compat {
        max_tokens_field: Some(MaxTokensField::MaxTokens),
        supports_reasoning_effort: Some(false),
        supports_developer_role: Some(false),
        supports_store: Some(false),
        supports_usage_in_streaming: Some(false),
        reasoning_field: Some(ReasoningField::Reasoning),
        tool_call_id_format: Some(ToolCallIdFormat::NineAlphanumeric),
        requires_tool_result_name: Some(true),
        requires_assistant_after_tool_result: Some(true),
    };
    let model = Model {
        compat: Some(compat),
        ..Model::default()
    };
    let found = Switches::resolve("https://api.openai.com/v1", &model);
    let expected = Switches {
        reasoning_field: ReasoningField::Reasoning,
        id_format: ToolCallIdFormat::NineAlphanumeric,
        result_name: true,
        assistant_after_results: true,
        cache_key: true,
        all_efforts: true,
        image_types: OPENAI.image_types,
        ..PLAIN
    };
    assert_eq!(found, expected);
    let model = Model {
        compat: Some(Compat::default()),
        ..Model::default()
    };
    assert_eq!(
        Switches::resolve("https://api.openai.com/v1", &model),
        OPENAI
    );
}
