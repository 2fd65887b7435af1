//! What the tests know of every wire: how it frames its events, what completes a response, and what
//! its strictest host takes as a request.

use serde_json::Value;
use sluice_agent::protocol::Api;

use super::{
    request_anthropic_messages, request_google_generative_ai, request_openai_completions,
    request_openai_responses, request_proxy,
};

/// One recorded event as a frame of the stream.
pub fn frame(api: Api, line: &str, line_end: &str) -> String {
    match api {
        Api::OpenAiCompletions | Api::GoogleGenerativeAi | Api::Proxy => {
            ["data: ", line, line_end, line_end].concat()
        }
        Api::AnthropicMessages | Api::OpenAiResponses => {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let name = event["type"].as_str().expect("a type");
            [
                "event: ", name, line_end, "data: ", line, line_end, line_end,
            ]
            .concat()
        }
    }
}

/// The frames behind the last recorded event.
pub fn end_marker(api: Api) -> Option<&'static str> {
    match api {
        Api::OpenAiCompletions => Some("[DONE]"),
        Api::AnthropicMessages | Api::GoogleGenerativeAi | Api::OpenAiResponses | Api::Proxy => {
            None
        }
    }
}

/// What an event says of a stream that is cut right behind it: true if the answer is complete, false
/// if another one begins.
pub fn completion(api: Api, event: &Value) -> Option<bool> {
    let is = |kinds: &[&str]| kinds.iter().any(|kind| event["type"] == *kind);
    let completes = match api {
        Api::OpenAiCompletions => event["choices"][0]["finish_reason"].is_string(),
        Api::AnthropicMessages => is(&["message_stop"]),
        Api::GoogleGenerativeAi => event["candidates"][0]["finishReason"].is_string(),
        Api::OpenAiResponses if is(&["response.created"]) => return Some(false),
        Api::OpenAiResponses => is(&["response.completed", "response.incomplete"]),
        Api::Proxy => is(&["done", "error"]),
    };
    completes.then_some(true)
}

/// Checks the body of a request.
///
/// # Panics
/// When a host would refuse it.
pub fn check_request(api: Api, body: &str) {
    match api {
        Api::OpenAiCompletions => request_openai_completions::check(body),
        Api::AnthropicMessages => request_anthropic_messages::check(body),
        Api::GoogleGenerativeAi => request_google_generative_ai::check(body),
        Api::OpenAiResponses => request_openai_responses::check(body),
        Api::Proxy => request_proxy::check(body),
    }
}

/// Checks what only some models of a wire insist on.
///
/// # Panics
/// When the model would refuse the request.
pub fn check_for_model(api: Api, model: &str, body: &str) {
    match api {
        Api::OpenAiCompletions | Api::OpenAiResponses | Api::AnthropicMessages | Api::Proxy => {}
        Api::GoogleGenerativeAi => request_google_generative_ai::check_signatures(model, body),
    }
}
