use super::*;
use crate::model::Compat;

fn switches(base_url: &str) -> Switches {
    Switches::resolve(base_url, &Model::default())
}

#[test]
fn a_host_gets_what_it_documents_and_an_unknown_one_nothing() {
    let azure = Switches {
        cache_key: false,
        cache_retention: false,
        key_in_own_header: true,
        ..OPENAI
    };
    let xai = Switches {
        store: true,
        cache_key: true,
        ..PLAIN
    };
    let table = [
        ("https://api.openai.com/v1", OPENAI),
        ("https://me.openai.azure.com/openai/v1", azure),
        ("https://me.cognitiveservices.azure.com/openai/v1", azure),
        ("https://me.services.ai.azure.com/openai/v1", azure),
        ("https://api.x.ai/v1", xai),
        ("http://localhost:1234/v1", PLAIN),
        ("https://api.githubcopilot.com", PLAIN),
        ("https://notx.ai/v1", PLAIN),
        ("https://api.openai.com.example/v1", PLAIN),
        ("/api/llm", PLAIN),
    ];
    for (url, expected) in table {
        assert_eq!(switches(url), expected, "{url}");
    }
    let efforts = |url| {
        let switches = switches(url);
        (switches.reasoning_effort, switches.all_efforts)
    };
    assert_eq!(efforts("https://openrouter.ai/api/v1"), (true, true));
    assert_eq!(efforts("https://api.groq.com/openai/v1"), (true, false));
}

#[test]
fn what_the_model_says_wins() {
    let model = |choice| Model {
        compat: Some(Compat {
            supports_store: Some(choice),
            supports_reasoning_effort: Some(choice),
            supports_developer_role: Some(choice),
            ..Compat::default()
        }),
        ..Model::default()
    };
    let chosen = |choice| Switches {
        store: choice,
        reasoning_effort: choice,
        developer_role: choice,
        ..PLAIN
    };
    for choice in [true, false] {
        let found = Switches::resolve("http://localhost:1234/v1", &model(choice));
        assert_eq!(found, chosen(choice));
    }
    let openai = Switches::resolve("https://api.openai.com/v1", &model(false));
    assert!(!openai.store && !openai.reasoning_effort && openai.is_openai);
}
