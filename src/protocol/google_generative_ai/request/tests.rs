use serde_json::{Value, json};

use super::*;
use crate::error::ErrorCode;
use crate::model::ToolDefinition;
use crate::protocol::testing::{self, context, hello, image, result, said, sent, user};
use crate::text::json::from_text;

const OLD: &str = "gemini-2.5-flash";
const NEW: &str = "gemini-3.1-pro-preview";

fn model(id: &str) -> Model {
    Model {
        id: id.into(),
        api: "google-generative-ai".into(),
        ..Model::default()
    }
}

fn contents(id: &str, messages: Value) -> Value {
    let body = sent(&model(id), &context(messages), &RequestOptions::default());
    body["contents"].clone()
}

/// A turn of the model `id`, on this wire.
fn turn(id: &str, content: Value) -> Value {
    let mut turn = testing::turn(Api::GoogleGenerativeAi, "toolUse", content);
    turn["model"] = id.into();
    turn
}

fn call(id: &str, name: &str) -> Value {
    json!({ "type": "toolCall", "id": id, "name": name, "arguments": { "q": id } })
}

fn signed(mut block: Value, member: &str) -> Value {
    block[member] = json!("S");
    block
}

fn image_part() -> Value {
    json!({ "inlineData": { "mimeType": "image/png", "data": "AA==" } })
}

fn call_part(id: &str, name: &str) -> Value {
    json!({ "functionCall": { "id": id, "name": name, "args": { "q": id } } })
}

fn response_part(id: &str, name: &str, output: &str) -> Value {
    json!({ "functionResponse": { "id": id, "name": name, "response": { "output": output } } })
}

#[test]
fn a_request_is_posted_to_the_stream_of_its_model() {
    let default = "https://generativelanguage.googleapis.com/v1beta";
    let table = [
        (
            None,
            "m",
            format!("{default}/models/m:streamGenerateContent?alt=sse"),
        ),
        (
            None,
            "models/m",
            format!("{default}/models/m:streamGenerateContent?alt=sse"),
        ),
        (
            None,
            "tunedModels/m",
            format!("{default}/tunedModels/m:streamGenerateContent?alt=sse"),
        ),
        (
            Some("/api/"),
            "m",
            "/api/models/m:streamGenerateContent?alt=sse".into(),
        ),
        (
            Some("/api?x=1"),
            "m",
            "/api/models/m:streamGenerateContent?x=1&alt=sse".into(),
        ),
    ];
    for (base_url, id, url) in table {
        let model = Model {
            base_url: base_url.map(str::to_owned),
            ..model(id)
        };
        let request = encode(&model, &hello(), &RequestOptions::default()).unwrap();
        assert_eq!(request.url, url);
    }
}

#[test]
fn the_key_goes_into_googles_own_header() {
    let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let options = RequestOptions {
        api_key: Some("k".into()),
        headers: Some(vec![own("X-Own", "2")]),
        ..RequestOptions::default()
    };
    let request = encode(&model("m"), &hello(), &options).unwrap();
    let expected = [
        own("content-type", "application/json"),
        own("accept", "text/event-stream"),
        own("x-goog-api-key", "k"),
        own("x-own", "2"),
    ];
    assert_eq!(request.headers, expected);
    let request = encode(&model("m"), &hello(), &RequestOptions::default()).unwrap();
    assert_eq!(request.headers.len(), 2, "no key, no header");
}

#[test]
fn a_plain_request_holds_the_conversation_and_nothing_else() {
    let body = sent(&model("m"), &hello(), &RequestOptions::default());
    let expected = json!({ "contents": [{ "role": "user", "parts": [{ "text": "Hello" }] }] });
    assert_eq!(body, expected);
    let asked = Context {
        system_prompt: "Be kind.".into(),
        ..hello()
    };
    let options = RequestOptions {
        max_tokens: Some(10.9),
        temperature: Some(0.5),
        session_id: Some("s".into()),
        ..RequestOptions::default()
    };
    let expected = json!({
        "contents": [{ "role": "user", "parts": [{ "text": "Hello" }] }],
        "systemInstruction": { "parts": [{ "text": "Be kind." }] },
        "generationConfig": { "maxOutputTokens": 10, "temperature": 0.5 },
    });
    assert_eq!(sent(&model("m"), &asked, &options), expected);
}

#[test]
fn thinking_is_a_level_since_the_third_generation_and_a_budget_before() {
    use ThinkingLevel::*;
    let level = |level: &str| json!({ "includeThoughts": true, "thinkingLevel": level });
    let budget = |budget: i32| json!({ "includeThoughts": true, "thinkingBudget": budget });
    let table = [
        (NEW, Off, json!({ "thinkingLevel": "LOW" })),
        (NEW, Minimal, level("LOW")),
        (NEW, Low, level("LOW")),
        (NEW, Medium, level("MEDIUM")),
        (NEW, High, level("HIGH")),
        (NEW, Xhigh, level("HIGH")),
        ("gemini-3-pro-preview", Medium, level("HIGH")),
        ("gemini-3-pro-preview", Low, level("LOW")),
        ("models/gemini-4-argon", Medium, level("MEDIUM")),
        ("gemini-flash-lite-latest", Medium, level("MEDIUM")),
        (OLD, Off, json!({ "thinkingBudget": 0 })),
        (OLD, Minimal, budget(512)),
        (OLD, Low, budget(2048)),
        (OLD, Medium, budget(8192)),
        (OLD, High, budget(24_576)),
        (OLD, Xhigh, budget(24_576)),
        ("gemini-2.5-pro", Off, json!({ "thinkingBudget": 128 })),
        ("gemini-2.5-pro", High, budget(24_576)),
        ("house-model", Low, budget(2048)),
    ];
    for (id, reasoning, expected) in table {
        let options = RequestOptions {
            reasoning,
            ..RequestOptions::default()
        };
        let thinks = Model {
            reasoning: Some(true),
            ..model(id)
        };
        let body = sent(&thinks, &hello(), &options);
        assert_eq!(
            body["generationConfig"]["thinkingConfig"], expected,
            "{id} {reasoning:?}"
        );
        let body = sent(&model(id), &hello(), &options);
        assert_eq!(body.get("generationConfig"), None, "{id} does not think");
    }
    let options = RequestOptions {
        reasoning: Low,
        thinking_budgets: Some(vec![("low".into(), -1.0), ("high".into(), 7.0)]),
        ..RequestOptions::default()
    };
    let thinks = |id| Model {
        reasoning: Some(true),
        ..model(id)
    };
    let config =
        |id| sent(&thinks(id), &hello(), &options)["generationConfig"]["thinkingConfig"].clone();
    assert_eq!(config(OLD), budget(-1), "the app's own budget counts");
    assert_eq!(config(NEW), level("LOW"), "where there are budgets");
}

#[test]
fn tools_and_the_choice_among_them_are_sent_together() {
    let parameters = json!({ "type": "object", "properties": { "q": { "type": "integer" } } });
    let tools = vec![
        ToolDefinition {
            name: "f".into(),
            description: "Does f.".into(),
            parameters: parameters.clone(),
        },
        ToolDefinition {
            name: "g".into(),
            ..ToolDefinition::default()
        },
    ];
    let context = Context { tools, ..hello() };
    let table = [
        (json!("auto"), json!({ "mode": "AUTO" })),
        (json!("none"), json!({ "mode": "NONE" })),
        (json!("required"), json!({ "mode": "ANY" })),
        (
            json!({ "name": "f" }),
            json!({ "mode": "ANY", "allowedFunctionNames": ["f"] }),
        ),
    ];
    for (choice, wire) in table {
        let options = RequestOptions {
            tool_choice: Some(from_text(&choice.to_string()).unwrap()),
            ..RequestOptions::default()
        };
        let body = sent(&model("m"), &context, &options);
        assert_eq!(body["toolConfig"], json!({ "functionCallingConfig": wire }));
        let expected = json!([{ "functionDeclarations": [
            { "name": "f", "description": "Does f.", "parametersJsonSchema": parameters },
            { "name": "g", "description": "g" },
        ] }]);
        assert_eq!(body["tools"], expected);
        let body = sent(&model("m"), &hello(), &options);
        assert_eq!((body.get("tools"), body.get("toolConfig")), (None, None));
    }
    let body = sent(&model("m"), &context, &RequestOptions::default());
    assert_eq!(body.get("toolConfig"), None);
}

#[test]
fn signatures_go_back_on_the_parts_that_had_them() {
    let messages = json!([
        user("hi"),
        turn(
            NEW,
            json!([
                signed(json!({ "type": "thinking", "thinking": "t" }), "thinkingSignature"),
                { "type": "thinking", "thinking": "u" },
                signed(json!({ "type": "text", "text": "x" }), "textSignature"),
                signed(json!({ "type": "thinking", "thinking": "" }), "thinkingSignature"),
                signed(call("a", "f"), "thoughtSignature"),
                call("b", "g"),
            ])
        ),
        result("a", said("1")),
        result("b", said("2")),
    ]);
    let own = json!([
        { "text": "t", "thought": true, "thoughtSignature": "S" },
        { "text": "u", "thought": true },
        { "text": "x", "thoughtSignature": "S" },
        { "text": "", "thoughtSignature": "S" },
        signed(call_part("a", "f"), "thoughtSignature"),
        call_part("b", "g"),
    ]);
    assert_eq!(contents(NEW, messages.clone())[1]["parts"], own);
    let without = |first: Value| json!([{ "text": "x" }, first, call_part("b", "g")]);
    assert_eq!(
        contents(OLD, messages.clone())[1]["parts"],
        without(call_part("a", "f")),
        "another model gets none"
    );
    let mut placeholder = call_part("a", "f");
    placeholder["thoughtSignature"] = json!("skip_thought_signature_validator");
    assert_eq!(
        contents("gemini-4-argon", messages)[1]["parts"],
        without(placeholder),
        "and one that insists on a signature gets the placeholder on the first call"
    );
}

#[test]
fn results_follow_in_one_message_in_the_order_of_the_calls() {
    let messages = json!([
        user("hi"),
        turn(OLD, json!([call("a", "f"), call("b", "g")])),
        result("b", said("2")),
        { "role": "toolResult", "toolCallId": "a", "toolName": "f", "isError": true,
            "content": [{ "type": "text", "text": "x" }, { "type": "text", "text": "y" }] },
        user("and?"),
        user("well?"),
    ]);
    let expected = json!([
        { "role": "user", "parts": [{ "text": "hi" }] },
        { "role": "model", "parts": [call_part("a", "f"), call_part("b", "g")] },
        { "role": "user", "parts": [
            { "functionResponse": { "id": "a", "name": "f", "response": { "error": "x\ny" } } },
            response_part("b", "g", "2"),
            { "text": "and?" },
            { "text": "well?" },
        ] },
    ]);
    assert_eq!(contents(OLD, messages), expected);
}

#[test]
fn calls_without_an_id_or_with_the_same_one_get_their_own_results() {
    for id in ["", "x"] {
        let messages = json!([
            user("hi"),
            turn(OLD, json!([call(id, "f"), call(id, "f")])),
            result(id, said("1")),
            result(id, said("2")),
            turn(OLD, json!([call(id, "f")])),
            result(id, said("3")),
        ]);
        let contents = contents(OLD, messages);
        let id_of = |content: usize, part: usize, kind: &str| {
            let part = &contents[content]["parts"][part][kind];
            (part["id"].clone(), part["response"]["output"].clone())
        };
        let calls =
            [(1, 0), (1, 1), (3, 0)].map(|(content, part)| id_of(content, part, "functionCall").0);
        let answers = [(2, 0), (2, 1), (4, 0)]
            .map(|(content, part)| id_of(content, part, "functionResponse"));
        for (position, (id, output)) in answers.into_iter().enumerate() {
            assert_eq!(id, calls[position]);
            assert_eq!(output, (position + 1).to_string());
        }
        assert!(calls[0] != calls[1] && calls[1] != calls[2] && calls[0] != calls[2]);
    }
}

#[test]
fn a_structure_in_a_result_goes_as_text() {
    let messages = json!([
        user("hi"),
        turn(OLD, json!([call("a", "f")])),
        result("a", said(r##"{"$ref":"#/a"}"##)),
    ]);
    let part = contents(OLD, messages)[2]["parts"][0].clone();
    assert_eq!(part, response_part("a", "f", r##"{"$ref":"#/a"}"##));
}

#[test]
fn images_of_results_go_where_the_generation_takes_them() {
    let messages = || {
        json!([
            { "role": "user", "content": [{ "type": "text", "text": "see" }, image()] },
            turn(OLD, json!([call("a", "f"), call("b", "g")])),
            result("a", json!([image()])),
            result("b", said("2")),
            user("and?"),
        ])
    };
    let behind = contents(OLD, messages());
    assert_eq!(behind[0]["parts"], json!([{ "text": "see" }, image_part()]));
    let expected = json!([
        response_part("a", "f", "(see attached image)"),
        response_part("b", "g", "2"),
        image_part(),
        { "text": "and?" },
    ]);
    assert_eq!(behind[2]["parts"], expected);
    let mut within = response_part("a", "f", "(see attached image)");
    within["functionResponse"]["parts"] = json!([image_part()]);
    let expected = json!([within, response_part("b", "g", "2"), { "text": "and?" }]);
    assert_eq!(contents(NEW, messages())[2]["parts"], expected);
}

#[test]
fn an_image_of_the_models_own_goes_back_where_it_can() {
    let drawn = |content: Value| json!([user("draw"), turn("x", content), user("more")]);
    let text = json!([{ "text": "(image)" }]);
    let mut insisted = image_part();
    insisted["thoughtSignature"] = json!("skip_thought_signature_validator");
    let table = [
        (OLD, image(), json!([image_part()])),
        (NEW, image(), json!([insisted])),
        (
            OLD,
            json!({ "type": "image", "data": "", "mimeType": "" }),
            text.clone(),
        ),
    ];
    for (id, block, expected) in table {
        assert_eq!(
            contents(id, drawn(json!([block])))[1]["parts"],
            expected,
            "{id}"
        );
    }
    let blind = Model {
        input: Some(vec![crate::model::InputKind::Text]),
        ..model(OLD)
    };
    let body = sent(
        &blind,
        &context(drawn(json!([image()]))),
        &RequestOptions::default(),
    );
    assert_eq!(body["contents"][1]["parts"], text);
}

#[test]
fn roles_alternate_and_the_user_begins_and_ends() {
    let answer = |text: &str| turn(OLD, json!([{ "type": "text", "text": text }]));
    let messages = json!([
        answer("a"),
        answer("b"),
        user("c"),
        user(" "),
        answer("d"),
        user("e")
    ]);
    let expected = json!([
        { "role": "user", "parts": [{ "text": "(the conversation goes on)" }] },
        { "role": "model", "parts": [{ "text": "a" }, { "text": "b" }] },
        { "role": "user", "parts": [{ "text": "c" }] },
        { "role": "model", "parts": [{ "text": "d" }] },
        { "role": "user", "parts": [{ "text": "e" }] },
    ]);
    assert_eq!(contents(OLD, messages), expected);
    let table = [
        (json!([]), "is empty"),
        (json!([user(" ")]), "is empty"),
        (
            json!([user("hi"), answer("a")]),
            "ends with the model's answer",
        ),
    ];
    for (messages, message) in table {
        let error =
            encode(&model(OLD), &context(messages), &RequestOptions::default()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        assert!(error.message.contains(message), "{}", error.message);
    }
}

#[test]
fn a_turn_that_was_cut_in_the_middle_of_calls_is_answered() {
    let mut cut = turn(
        NEW,
        json!([signed(call("a", "f"), "thoughtSignature"), call("b", "g")]),
    );
    cut["stopReason"] = json!("length");
    let contents = contents(NEW, json!([user("hi"), cut, user("go on")]));
    let missing = "No result: the call was not completed.";
    let answer = |id: &str, name: &str| json!({ "functionResponse": { "id": id, "name": name, "response": { "error": missing } } });
    let expected = json!([answer("a", "f"), answer("b", "g"), { "text": "go on" }]);
    assert_eq!(contents[2]["parts"], expected);
    let mut failed = turn(NEW, json!([call("a", "f")]));
    failed["stopReason"] = json!("aborted");
    let contents = self::contents(NEW, json!([user("hi"), failed, user("go on")]));
    let expected = json!([{ "role": "user", "parts": [{ "text": "hi" }, { "text": "go on" }] }]);
    assert_eq!(
        contents, expected,
        "a call that nobody answered in a failed turn is left out"
    );
}

#[test]
fn the_generation_stands_in_the_name() {
    let table = [
        ("gemini-2.5-flash", 2),
        ("gemini-3-pro-preview", 3),
        ("models/gemini-3.8-flash", 3),
        ("google/gemini-10", 10),
        ("gemini-flash-latest", 3),
        ("gemini-exp", 0),
        ("gemini-", 0),
        ("gemma-3-27b-it", 0),
        ("", 0),
    ];
    for (id, expected) in table {
        assert_eq!(generation(id), expected, "{id}");
    }
}
