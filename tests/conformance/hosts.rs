//! What hosts are known to send beside, or against, the protocol that they speak.

use serde_json::{Value, json};
use sluice_agent::error::ErrorCode::{
    self, BadResponse, Http, Overloaded, RateLimit, Refused, Truncated,
};
use sluice_agent::message::StopReason::{self, Length, Stop, ToolUse};
use sluice_agent::protocol::Api;

use crate::outcome::{read, read_with_cuts};
use crate::{call, text, thinking};

/// What it is, the lines of the body, the blocks, and how it ended.
type Case = (
    &'static str,
    &'static [&'static str],
    Vec<Value>,
    Result<StopReason, (ErrorCode, bool)>,
);

fn check(api: Api, cases: Vec<Case>) {
    for (what, events, blocks, ended) in cases {
        let frames: Vec<String> = events.iter().map(|event| format!("{event}\n\n")).collect();
        let outcome = read(api, &frames);
        let found = match outcome.error() {
            Some(error) => Err(error),
            None => Ok(outcome.ending.stop_reason),
        };
        assert_eq!(found, ended, "{what}");
        assert_eq!(outcome.blocks(), blocks, "{what}");
        read_with_cuts(api, &frames);
    }
}

const FIN: &str = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const CALLS: &str = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;
const HI: &str = r#"data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}"#;
const DONE: &str = "data: [DONE]";

#[test]
fn hosts_of_chat_completions_are_read_as_they_are() {
    let f = || call("f", json!({ "q": 1 }));
    check(
        Api::OpenAiCompletions,
        vec![
            (
                "Azure begins with filter results and no choice",
                &[
                    r#"data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}"#,
                    r#"data: {"choices":[{"content_filter_results":{},"delta":{"content":"Hi"},"finish_reason":null,"index":0,"logprobs":null}]}"#,
                    r#"data: {"choices":[{"content_filter_offsets":{"check_offset":0},"content_filter_results":{},"finish_reason":null,"index":0}]}"#,
                    FIN,
                    DONE,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "Azure's filter of the answer",
                &[
                    HI,
                    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"content_filter","content_filter_results":{"error":{"code":"content_filter_error","message":"The contents are not filtered"}}}]}"#,
                    DONE,
                ],
                vec![text("Hi")],
                Err((Refused, false)),
            ),
            (
                "OpenRouter is busy, then its upstream fails in the middle",
                &[
                    ": OPENROUTER PROCESSING",
                    HI,
                    r#"data: {"id":"gen-1","object":"chat.completion.chunk","error":{"code":502,"message":"Provider disconnected","metadata":{"error_type":"provider_unavailable"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#,
                ],
                vec![text("Hi")],
                Err((Overloaded, true)),
            ),
            (
                "OpenRouter reports within the choice, without one of its own",
                &[
                    HI,
                    r#"data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":429,"message":"Rate limited upstream"}}]}"#,
                    DONE,
                ],
                vec![text("Hi")],
                Err((RateLimit, true)),
            ),
            (
                "OpenRouter reports and has no choices at all",
                &[
                    r#"data: {"id":"gen-1","error":{"code":502,"message":"Worker limit reached"},"choices":[]}"#,
                    DONE,
                ],
                vec![],
                Err((Overloaded, true)),
            ),
            (
                "OpenRouter says thinking twice",
                &[
                    r#"data: {"choices":[{"index":0,"delta":{"content":"","reasoning":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm.","format":"unknown","index":0}]}}]}"#,
                    HI,
                    FIN,
                ],
                vec![thinking("Hm."), text("Hi")],
                Ok(Stop),
            ),
            (
                "Groq stops the stream early and says so beside the choices",
                &[
                    HI,
                    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","error":"over capacity"}}"#,
                    DONE,
                ],
                vec![text("Hi")],
                Err((BadResponse, true)),
            ),
            (
                "Groq counts beside the choices",
                &[
                    HI,
                    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"prompt_tokens":9,"completion_tokens":2}}}"#,
                    DONE,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "DeepSeek keeps the connection alive and ends thinking with null",
                &[
                    ": keep-alive",
                    r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Hm."},"finish_reason":null}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"content":"Hi","reasoning_content":null},"finish_reason":null}]}"#,
                    FIN,
                ],
                vec![thinking("Hm."), text("Hi")],
                Ok(Stop),
            ),
            (
                "DeepSeek runs out of resources",
                &[
                    HI,
                    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}"#,
                ],
                vec![text("Hi")],
                Err((Overloaded, true)),
            ),
            (
                "vLLM lists no calls beside text, and names a call once, null behind it",
                &[
                    r#"data: {"choices":[{"index":0,"delta":{"content":"Hi","tool_calls":[]},"finish_reason":null}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":"c1","type":"function","index":0,"function":{"name":"f","arguments":""}}]}}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":null,"type":null,"index":0,"function":{"name":null,"arguments":"{\"q\":1}"}}]}}]}"#,
                    CALLS,
                ],
                vec![text("Hi"), f()],
                Ok(ToolUse),
            ),
            (
                "a piece of a call without its function",
                &[
                    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{\"q\":"}}]}}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":null}]}}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0}]}}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
                    CALLS,
                ],
                vec![f()],
                Ok(ToolUse),
            ),
            (
                "Ollama has whole calls, an empty reason on every chunk, and the same index twice",
                &[
                    r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":""}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","index":0,"type":"function","function":{"name":"f","arguments":"{\"q\":1}"}}]},"finish_reason":null}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_2","index":0,"type":"function","function":{"name":"f","arguments":"{\"q\":1}"}}]},"finish_reason":null}]}"#,
                    FIN,
                    DONE,
                ],
                vec![f(), f()],
                Ok(ToolUse),
            ),
            (
                "Ollama fails in the middle with a plain sentence",
                &[
                    HI,
                    r#"data: {"error":"an error was encountered while running the model: CUDA error"}"#,
                ],
                vec![text("Hi")],
                Err((BadResponse, true)),
            ),
            (
                "llama.cpp reports in a field of its own name",
                &[
                    HI,
                    r#"error: {"code":500,"message":"boom","type":"server_error"}"#,
                ],
                vec![text("Hi")],
                Err((Http, true)),
            ),
            (
                "llama.cpp: progress and timings",
                &[
                    r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}],"prompt_progress":{"total":9,"processed":4}}"#,
                    HI,
                    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"prompt_n":9},"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#,
                    DONE,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "LM Studio names its event",
                &[
                    HI,
                    "event: error\ndata: {\"error\":{\"message\":\"Model unloaded.\"},\"message\":\"Model unloaded.\"}",
                ],
                vec![text("Hi")],
                Err((BadResponse, true)),
            ),
            (
                "a gateway gives a reason with every chunk",
                &[
                    r#"data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm."},"finish_reason":"stop"}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"content":" you"},"finish_reason":"length"}]}"#,
                    DONE,
                ],
                vec![thinking("Hm."), text("Hi you")],
                Ok(Length),
            ),
            (
                "Mistral thinks in parts, some of them empty, and speaks in plain text",
                &[
                    r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]},"finish_reason":null}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"."}],"closed":true},{"type":"thinking","thinking":[]}]},"finish_reason":null}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"H"},{"type":"reference","reference_ids":[1]}]},"finish_reason":null}]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"content":"i"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#,
                    DONE,
                ],
                vec![thinking("Hm."), text("Hi")],
                Ok(Stop),
            ),
            (
                "Mistral fails in its own form",
                &[
                    HI,
                    r#"data: {"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}"#,
                ],
                vec![text("Hi")],
                Err((Overloaded, true)),
            ),
            (
                "Gemini's compatible endpoint wraps its error in a list",
                &[
                    HI,
                    r#"data: [{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]"#,
                ],
                vec![text("Hi")],
                Err((Overloaded, true)),
            ),
            (
                "Gemini's compatible endpoint gives calls no index",
                &[
                    r#"data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"S"}},"function":{"arguments":"{\"q\":1}","name":"f"},"id":"function-call-1","type":"function"}]},"index":0}]}"#,
                    r#"data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"function":{"arguments":"{\"q\":1}","name":"f"},"id":"function-call-2","type":"function"}]},"finish_reason":"stop","index":0}]}"#,
                    DONE,
                ],
                vec![f(), f()],
                Ok(ToolUse),
            ),
            (
                "xAI beats with empty chunks while it thinks",
                &[
                    r#"data: {"choices":[{"index":0,"delta":{"role":"assistant"}}]}"#,
                    r#"data: {"choices":[]}"#,
                    r#"data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}"#,
                    HI,
                    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"num_sources_used":0}}"#,
                    DONE,
                ],
                vec![thinking("Hm."), text("Hi")],
                Ok(Stop),
            ),
            (
                "Cerebras fails with the status beside",
                &[
                    HI,
                    r#"data: {"status_code":429,"error":{"message":"Tokens per minute limit exceeded","type":"too_many_tokens_error","param":"quota","code":"token_quota_exceeded"}}"#,
                ],
                vec![text("Hi")],
                Err((RateLimit, true)),
            ),
            (
                "the body ends behind a counted chunk without a reason",
                &[
                    HI,
                    r#"data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#,
                ],
                vec![text("Hi")],
                Err((Truncated, true)),
            ),
        ],
    );
}

#[test]
fn hosts_of_messages_are_read_as_they_are() {
    const START: &str = r#"data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}"#;
    const TEXT: &str = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    const HI: &str = r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#;
    const STOP: &str = r#"data: {"type":"content_block_stop","index":0}"#;
    const END: &str = r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}"#;
    const LAST: &str = r#"data: {"type":"message_stop"}"#;
    check(
        Api::AnthropicMessages,
        vec![
            (
                "pings, citations and what is to come",
                &[
                    START,
                    "event: ping\ndata: {\"type\": \"ping\"}",
                    r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[]}}"#,
                    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"x"}}}"#,
                    HI,
                    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"novelty_delta","text":null}}"#,
                    STOP,
                    r#"data: {"type":"content_block_start","index":1,"content_block":{"type":"compaction","content":""}}"#,
                    r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"compaction_delta","content":"a summary"}}"#,
                    r#"data: {"type":"content_block_stop","index":1}"#,
                    END,
                    LAST,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "overloaded in the middle",
                &[
                    START,
                    TEXT,
                    HI,
                    "event: error\ndata: {\"type\":\"error\",\"error\":{\"details\":null,\"type\":\"overloaded_error\",\"message\":\"Overloaded\"},\"request_id\":\"req_1\"}",
                ],
                vec![text("Hi")],
                Err((Overloaded, true)),
            ),
            (
                "an error whose type is only in the name of the event",
                &[
                    START,
                    "event: error\ndata: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slow down\"}}",
                ],
                vec![],
                Err((RateLimit, true)),
            ),
            (
                "an error whose data is a sentence",
                &[START, "event: error\ndata: upstream connect error"],
                vec![],
                Err((BadResponse, true)),
            ),
            (
                "Bedrock's metrics on the last event, and [DONE] of a gateway",
                &[
                    START,
                    TEXT,
                    HI,
                    STOP,
                    END,
                    r#"data: {"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":9}}"#,
                    DONE,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "a compatible host thinks without a signature and stops no block",
                &[
                    START,
                    r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
                    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}"#,
                    r#"data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
                    r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi"}}"#,
                    r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":null}"#,
                    LAST,
                ],
                vec![thinking("Hm."), text("Hi")],
                Ok(Stop),
            ),
            (
                "a proxy sends no message_start",
                &[TEXT, HI, STOP, END, LAST],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "a proxy starts the message behind its first block",
                &[TEXT, START, HI, STOP, END, LAST],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "the stop reason is in the first event already",
                &[
                    r#"data: {"type":"message_start","message":{"id":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{}}}"#,
                    LAST,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "a tool of the provider's own, paused",
                &[
                    START,
                    r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}"#,
                    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}"#,
                    STOP,
                    r#"data: {"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}}"#,
                    r#"data: {"type":"content_block_stop","index":1}"#,
                    r#"data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":2}}"#,
                    LAST,
                ],
                vec![],
                Ok(Stop),
            ),
        ],
    );
}

#[test]
fn hosts_of_responses_are_read_as_they_are() {
    const CREATED: &str =
        r#"data: {"type":"response.created","response":{"id":"resp_1","status":"in_progress"}}"#;
    const HI: &str = r#"data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hi","logprobs":[],"obfuscation":"x1y2"}"#;
    const END: &str = r#"data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[]}}"#;
    check(
        Api::OpenAiResponses,
        vec![
            (
                "events in between that say nothing",
                &[
                    r#"data: {"type":"response.queued","response":{"id":"resp_1","status":"queued"}}"#,
                    CREATED,
                    r#"data: {"type":"response.in_progress","response":{"id":"resp_1"}}"#,
                    r#"data: {"type":"keepalive","sequence_number":3}"#,
                    r#"data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_1","content":[]}}"#,
                    r#"data: {"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}"#,
                    HI,
                    r#"data: {"type":"response.output_text.annotation.added","output_index":0,"content_index":0,"annotation":{"type":"url_citation"}}"#,
                    r#"data: {"type":"response.rate_limits.updated","rate_limits":[]}"#,
                    r#"data: {"type":"response.code_interpreter_call_code.delta","output_index":1,"delta":"print()"}"#,
                    r#"data: {"type":"response.mcp_call_arguments.delta","output_index":2,"delta":"{}"}"#,
                    END,
                    DONE,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "an item whose id rotates with every event",
                &[
                    CREATED,
                    r#"data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"a1","call_id":"c1","name":"f","arguments":""}}"#,
                    r#"data: {"type":"response.function_call_arguments.delta","output_index":0,"item_id":"a2","delta":"{\"q\":"}"#,
                    r#"data: {"type":"response.function_call_arguments.delta","output_index":0,"item_id":"a3","delta":"1}"}"#,
                    r#"data: {"type":"response.function_call_arguments.done","output_index":0,"item_id":"a4","arguments":"{\"q\":1}"}"#,
                    r#"data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"a5","call_id":"c1","name":"f","arguments":"{\"q\":1}","status":"completed"}}"#,
                    END,
                ],
                vec![call("f", json!({ "q": 1 }))],
                Ok(ToolUse),
            ),
            (
                "a refusal of the model's own is what it says",
                &[
                    CREATED,
                    r#"data: {"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"I can"}"#,
                    r#"data: {"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"not."}"#,
                    r#"data: {"type":"response.refusal.done","output_index":0,"content_index":0,"refusal":"I cannot."}"#,
                    r#"data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}]}}"#,
                ],
                vec![text("I cannot.")],
                Ok(Stop),
            ),
            (
                "incomplete without a reason",
                &[
                    CREATED,
                    HI,
                    r#"data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":null}}"#,
                ],
                vec![text("Hi")],
                Err((BadResponse, false)),
            ),
            (
                "incomplete because of the limit",
                &[
                    CREATED,
                    HI,
                    r#"data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#,
                ],
                vec![text("Hi")],
                Ok(Length),
            ),
            (
                "failed, with the limit of the account",
                &[
                    CREATED,
                    HI,
                    r#"data: {"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow down"}}}"#,
                ],
                vec![text("Hi")],
                Err((RateLimit, true)),
            ),
            (
                "failed, and nobody says why",
                &[
                    CREATED,
                    r#"data: {"type":"response.failed","response":{"status":"failed","error":null}}"#,
                ],
                vec![],
                Err((BadResponse, true)),
            ),
            (
                "an error event, flat",
                &[
                    CREATED,
                    HI,
                    r#"data: {"type":"error","code":"server_error","message":"Oops","param":null,"sequence_number":9}"#,
                ],
                vec![text("Hi")],
                Err((Overloaded, true)),
            ),
            (
                "an error event, nested, whose status is beside",
                &[
                    CREATED,
                    r#"data: {"type":"error","status":429,"error":{"type":"usage_limit_reached","message":"The usage limit has been reached"}}"#,
                ],
                vec![],
                Err((RateLimit, true)),
            ),
            (
                "no created event, and the text only in the end",
                &[
                    r#"data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}]}}"#,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
        ],
    );
}

#[test]
fn hosts_of_gemini_are_read_as_they_are() {
    const HI: &str =
        r#"data: {"candidates":[{"content":{"parts":[{"text":"Hi"}],"role":"model"},"index":0}]}"#;
    check(
        Api::GoogleGenerativeAi,
        vec![
            (
                "a malformed call, said in words",
                &[
                    HI,
                    r#"data: {"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(default_api.f())","index":0}]}"#,
                ],
                vec![text("Hi")],
                Err((BadResponse, true)),
            ),
            (
                "calls of a tool that is not there",
                &[r#"data: {"candidates":[{"finishReason":"UNEXPECTED_TOOL_CALL","index":0}]}"#],
                vec![],
                Err((BadResponse, true)),
            ),
            (
                "too many calls in a row",
                &[r#"data: {"candidates":[{"finishReason":"TOO_MANY_TOOL_CALLS","index":0}]}"#],
                vec![],
                Err((BadResponse, false)),
            ),
            (
                "a blocked prompt",
                &[
                    r#"data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":13}}"#,
                ],
                vec![],
                Err((Refused, false)),
            ),
            (
                "ratings of a prompt that is not blocked",
                &[
                    r#"data: {"promptFeedback":{"safetyRatings":[]},"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP","safetyRatings":[]}]}"#,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "a reason with every chunk",
                &[
                    r#"data: {"candidates":[{"content":{"parts":[{"text":"H"}]},"finishReason":"STOP"}]}"#,
                    r#"data: {"candidates":[{"content":{"parts":[{"text":"i"}]},"finishReason":"STOP"}]}"#,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "calls without ids, one without arguments",
                &[
                    r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"q":1}}},{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}"#,
                ],
                vec![call("f", json!({ "q": 1 })), call("f", json!({}))],
                Ok(ToolUse),
            ),
            (
                "parts that Google runs itself",
                &[
                    r#"data: {"candidates":[{"content":{"parts":[{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK"}},{"text":"Hi"}]},"finishReason":"STOP","groundingMetadata":{}}]}"#,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "an empty content at the end, and null in place of parts",
                &[
                    HI,
                    r#"data: {"candidates":[{"content":{"role":"model","parts":null},"finishReason":"STOP","index":0}]}"#,
                ],
                vec![text("Hi")],
                Ok(Stop),
            ),
            (
                "overloaded in the middle",
                &[
                    HI,
                    r#"data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#,
                ],
                vec![text("Hi")],
                Err((Overloaded, true)),
            ),
            (
                "the quota of a day",
                &[
                    r#"data: {"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}"#,
                ],
                vec![],
                Err((RateLimit, false)),
            ),
        ],
    );
}
