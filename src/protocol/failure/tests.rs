use super::*;

fn http(status: u16, body: &str) -> Failure {
    from_http(status, body, None)
}

#[test]
fn a_failure_is_told_by_status_and_by_the_providers_own_words() {
    use ErrorCode::*;
    let table = [
        (
            401,
            r#"{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}"#,
            Auth,
            false,
        ),
        (403, r#"{"error":"forbidden"}"#, Auth, false),
        (
            429,
            r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#,
            RateLimit,
            true,
        ),
        (429, "", RateLimit, true),
        (
            429,
            r#"{"error":{"message":"Request too large for model: Limit 8000, Requested 8590","code":"rate_limit_exceeded"}}"#,
            RateLimit,
            false,
        ),
        (
            413,
            r#"{"error":{"message":"Request too large: Limit 8000","type":"tokens","code":"rate_limit_exceeded"}}"#,
            RateLimit,
            false,
        ),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
            RateLimit,
            false,
        ),
        (
            402,
            r#"{"error":{"message":"Insufficient Balance"}}"#,
            RateLimit,
            false,
        ),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#,
            ContextOverflow,
            false,
        ),
        (
            400,
            r#"{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            ContextOverflow,
            false,
        ),
        (
            400,
            r#"{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}"#,
            ContextOverflow,
            false,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed","status":"INVALID_ARGUMENT"}}]"#,
            ContextOverflow,
            false,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]"#,
            InvalidRequest,
            false,
        ),
        (
            400,
            r#"{"error":{"message":"filtered","code":"content_filter"}}"#,
            Refused,
            false,
        ),
        (
            404,
            r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
            InvalidRequest,
            false,
        ),
        (413, "", InvalidRequest, false),
        (
            400,
            r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#,
            Auth,
            false,
        ),
        (
            429,
            r#"{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]}]}}"#,
            RateLimit,
            true,
        ),
        (
            429,
            r#"{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}"#,
            RateLimit,
            false,
        ),
        (
            499,
            r#"[{"error":{"code":499,"message":"The operation was cancelled.","status":"CANCELLED"}}]"#,
            Http,
            true,
        ),
        (
            422,
            r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}"#,
            InvalidRequest,
            false,
        ),
        (
            400,
            r#"{"error":{"message":"flagged by our usage policy","code":"invalid_prompt"}}"#,
            Refused,
            false,
        ),
        (408, "", Timeout, true),
        (409, "", Http, true),
        (500, r#"{"error":{"message":"internal"}}"#, Http, true),
        (501, "", Http, false),
        (502, "<html><h1>Bad Gateway</h1></html>", Overloaded, true),
        (503, r#"{"detail":"starting"}"#, Overloaded, true),
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Overloaded,
            true,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}"#,
            ContextOverflow,
            false,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
            RateLimit,
            false,
        ),
        (302, "", Http, false),
    ];
    for (status, body, code, retryable) in table {
        let error = http(status, body);
        assert_eq!(
            (error.code, error.retryable),
            (code, retryable),
            "{status} {body}"
        );
        assert_eq!(error.status, Some(status));
    }
}

#[test]
fn people_get_the_inner_sentence_and_nothing_raw() {
    let table = [
        (
            401,
            r#"{"error":{"message":"No auth\n credentials"}}"#,
            "401 No auth credentials",
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"bad"}}]"#,
            "400 bad",
        ),
        (400, r#"{"error":"plain"}"#, "400 plain"),
        (400, r#"{"message":"flat"}"#, "400 flat"),
        (400, r#"{"error":{"error":{"message":"deep"}}}"#, "400 deep"),
        (
            422,
            r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#,
            "422 field required",
        ),
        (
            400,
            r#"{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"too many images\"}}"}}}"#,
            "400 Provider returned error: too many images",
        ),
        (
            502,
            "<!doctype html><p>x</p>",
            "502 with an HTML page in place of an error message",
        ),
        (503, "", "503 without a message"),
        (503, "upstream connect error", "503 upstream connect error"),
        (
            500,
            r#"{"unexpected":{"shape":1}}"#,
            "500 with an error of unknown form",
        ),
    ];
    for (status, body, message) in table {
        assert_eq!(http(status, body).message, message);
    }
    let long = http(500, &"é".repeat(5_000)).message;
    assert!(long.len() < 700 && long.ends_with('…'));
}

#[test]
fn keys_are_taken_out() {
    let table = [
        "Incorrect API key provided: sk-abcdefghijklmnop. You can find your key at https://x.test",
        "Incorrect API key provided: my-own-secret-key",
        "header was \"Authorization: Bearer abcdefghijkl\"",
        "key (gsk_abcdefghijklmnop) is blocked",
        "api key: ****mnop is invalid",
    ];
    for said in table {
        let body = serde_json::json!({ "error": { "message": said } }).to_string();
        let message = http(401, &body).message;
        assert!(message.contains("[key]"), "{message}");
        for secret in ["abcdefghijkl", "my-own-secret-key", "mnop"] {
            assert!(!message.contains(secret), "{message}");
        }
    }
    let kept = "the task-list risk-free model sk-1 is unknown";
    assert!(
        http(400, kept).message.ends_with(kept),
        "words that only look alike stay"
    );
}

#[test]
fn what_the_header_asks_for_is_kept() {
    assert_eq!(
        from_http(429, "", Some(1500.0)).retry_after_ms,
        Some(1500.0)
    );
}

#[test]
fn the_delay_that_google_puts_into_the_details_is_kept() {
    let delay = |delay: &str| {
        serde_json::json!([{ "error": { "code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED",
            "details": [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay }] } }])
        .to_string()
    };
    for (said, expected) in [
        ("34s", Some(34_000.0)),
        ("34.074824224s", Some(34_075.0)),
        ("0s", Some(0.0)),
        ("soon", None),
        ("", None),
    ] {
        let body = delay(said);
        assert_eq!(http(429, &body).retry_after_ms, expected, "{said}");
        let payload = Json::parse(&body).unwrap();
        let error = in_payload(payload).unwrap();
        assert_eq!(error.retry_after_ms, expected, "{said} within a stream");
        let header = from_http(429, &body, Some(7.0));
        assert_eq!(header.retry_after_ms, Some(7.0), "the header counts first");
    }
}
