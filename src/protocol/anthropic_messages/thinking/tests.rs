use ThinkingLevel::*;
use serde_json::{Value, json};

use super::*;
use crate::model::Compat;

fn said(model: &Model, options: &RequestOptions, limit: f64, goes_on: bool) -> Value {
    let mut json = JsonWriter::default();
    json.object(|json| Thinking::choose(model, options, limit, goes_on).write(json));
    serde_json::from_str(&json.into_text()).unwrap()
}

fn asked(id: &str, level: ThinkingLevel) -> Value {
    let model = Model {
        id: id.into(),
        ..Model::default()
    };
    said(&model, &at(level), 32_000.0, false)
}

fn at(reasoning: ThinkingLevel) -> RequestOptions {
    RequestOptions {
        reasoning,
        ..RequestOptions::default()
    }
}

fn budget(tokens: u32) -> Value {
    json!({ "thinking": { "type": "enabled", "budget_tokens": tokens } })
}

/// Of a model that has to be asked for a summary of what it thought.
fn effort(word: &str) -> Value {
    json!({
        "thinking": { "type": "adaptive", "display": "summarized" },
        "output_config": { "effort": word },
    })
}

#[test]
fn the_version_is_in_the_id_wherever_it_stands() {
    for (id, version) in [
        ("claude-2.1", 201),
        ("claude-3-opus-20240229", 300),
        ("claude-3-7-sonnet-20250219", 307),
        ("claude-sonnet-4-20250514", 400),
        ("claude-opus-4-1@20250805", 401),
        ("claude-haiku-4-5-20251001", 405),
        ("anthropic.claude-opus-4-6-v1:0", 406),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", 400),
        ("anthropic/claude-opus-4.7", 407),
        ("claude-sonnet-5", 500),
        ("claude-opus-5-5", 505),
        ("claude-fable-5-1", 501),
        ("claude-mythos-preview", 500),
        ("claude-opus-latest", 0),
        ("kimi-k2-5", 0),
        ("", 0),
    ] {
        assert_eq!(Version::of(id), Version(version), "{id}");
    }
}

#[test]
fn every_generation_of_models_is_told_in_its_own_words() {
    let silent = json!({});
    let off = json!({ "thinking": { "type": "disabled" } });
    let since_4_6 = |word: &str| json!({ "thinking": { "type": "adaptive" }, "output_config": { "effort": word } });
    let table = [
        ("claude-3-5-haiku-20241022", High, silent.clone()),
        ("claude-sonnet-4-5", Off, silent.clone()),
        ("claude-sonnet-4-5", Minimal, budget(1024)),
        ("claude-sonnet-4-5", Low, budget(4096)),
        ("claude-sonnet-4-5", Medium, budget(8192)),
        ("claude-sonnet-4-5", High, budget(16384)),
        ("claude-sonnet-4-5", Xhigh, budget(24000)),
        ("claude-opus-4-6", Off, silent.clone()),
        ("claude-opus-4-6", Minimal, since_4_6("low")),
        ("claude-opus-4-6", Xhigh, since_4_6("max")),
        ("claude-opus-4-7", Off, silent.clone()),
        ("claude-opus-4-7", Medium, effort("medium")),
        ("claude-opus-4-8", Xhigh, effort("xhigh")),
        ("claude-sonnet-5", Off, off.clone()),
        ("claude-opus-5", Off, off.clone()),
        ("claude-opus-5", High, effort("high")),
        ("claude-haiku-5-5", Off, off),
        // These always think.
        ("claude-opus-5-5", Off, effort("low")),
        ("claude-sonnet-5-5", Off, effort("low")),
        ("claude-fable-5", Off, effort("low")),
        ("claude-mythos-preview", Off, effort("low")),
        ("glm-5", High, silent),
    ];
    for (id, level, expected) in table {
        assert_eq!(asked(id, level), expected, "{id} at {level:?}");
    }
}

#[test]
fn the_app_knows_better_than_the_id() {
    let with = |id: &str, reasoning, supports_reasoning_effort| Model {
        id: id.into(),
        reasoning: Some(reasoning),
        compat: Some(Compat {
            supports_reasoning_effort,
            ..Compat::default()
        }),
        ..Model::default()
    };
    let plain =
        json!({ "thinking": { "type": "adaptive" }, "output_config": { "effort": "high" } });
    for (what, model, expected) in [
        ("no thinking", with("claude-opus-5", false, None), json!({})),
        (
            "another maker's",
            with("kimi-k3", true, None),
            budget(16384),
        ),
        ("adaptive", with("kimi-k3", true, Some(true)), plain),
        (
            "budgets",
            with("claude-opus-4-6", true, Some(false)),
            budget(16384),
        ),
    ] {
        assert_eq!(said(&model, &at(High), 32_000.0, false), expected, "{what}");
    }
}

#[test]
fn a_budget_is_legal_and_leaves_room_for_an_answer() {
    let model = Model {
        id: "claude-sonnet-4-5".into(),
        ..Model::default()
    };
    let table = [
        // (asked for, limit of the output, budget)
        (Some(8000.0), 4000.0, Some(3000)),
        (Some(8000.0), 32_000.0, Some(8000)),
        (Some(8000.7), 32_000.0, Some(8000)),
        (Some(10.0), 32_000.0, Some(1024)),
        (Some(f64::NAN), 32_000.0, Some(1024)),
        (None, 8192.0, Some(6144)),
        (None, 1366.0, Some(1024)),
        (None, 1365.0, None),
        (None, 1.0, None),
    ];
    for (asked, limit, expected) in table {
        let options = RequestOptions {
            thinking_budgets: asked
                .map(|tokens| vec![("low".into(), 1.0), ("high".into(), tokens)]),
            ..at(High)
        };
        let expected = expected.map_or(json!({}), budget);
        assert_eq!(
            said(&model, &options, limit, false),
            expected,
            "{asked:?} of {limit}"
        );
    }
}

#[test]
fn a_turn_that_began_without_thinking_goes_on_without() {
    for (id, expected) in [
        ("claude-sonnet-4-5", json!({})),
        ("claude-sonnet-5", effort("high")),
    ] {
        let model = Model {
            id: id.into(),
            ..Model::default()
        };
        assert_eq!(said(&model, &at(High), 32_000.0, true), expected, "{id}");
    }
}
