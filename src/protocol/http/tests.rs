use super::*;

fn request(url: &str, headers: &[(&str, &str)]) -> HttpRequest {
    let headers = headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()));
    HttpRequest {
        url: url.into(),
        headers: headers.collect(),
        body: String::new(),
    }
}

#[test]
fn a_url_has_a_user_and_a_host() {
    for (url, user, host) in [
        ("https://api.example.com/v1", "", "api.example.com"),
        (
            "https://me:pass@api.example.com:8080/v1",
            "me:pass@",
            "api.example.com:8080",
        ),
        ("http://[::1]:1234?x=@y", "", "[::1]:1234"),
        ("localhost:11434/v1", "", "localhost:11434"),
        ("/api/llm", "", ""),
        ("", "", ""),
    ] {
        assert_eq!(authority(url), (user, host), "{url}");
    }
}

#[test]
fn what_a_request_keeps_to_itself_is_taken_out_of_every_text() {
    let bearer = [("authorization", "Bearer secret-key-0123")];
    let table: [(&str, HttpRequest, &str, &str); 13] = [
        (
            "a bearer",
            request("https://h", &bearer),
            "no: secret-key-0123, secret-key-0123!",
            "no: [hidden], [hidden]!",
        ),
        (
            "a key",
            request("https://h", &[("x-api-key", "0123456789ab")]),
            "key 0123456789ab",
            "key [hidden]",
        ),
        (
            "a header of the app",
            request("https://h", &[("x-own", "0123456789ab")]),
            "0123456789ab",
            "[hidden]",
        ),
        (
            "a short key where it stands by itself",
            request("https://h", &[("authorization", "Bearer test")]),
            "no key test: (test) \"test\" test",
            "no key [hidden]: ([hidden]) \"[hidden]\" [hidden]",
        ),
        (
            "a short key as a part of a word",
            request("https://h", &[("api-key", "test")]),
            "the latest testing_test test-1",
            "the latest testing_test test-1",
        ),
        (
            "a short key in the query",
            request("https://h/v1?key=abcd", &[]),
            "GET h?key=abcd",
            "GET h?key=[hidden]",
        ),
        (
            "too short to be a key",
            request("https://h", &[("x-api-key", "abc")]),
            "abc",
            "abc",
        ),
        (
            "a word",
            request("https://h", &[("x-title", "my chat")]),
            "no chat here",
            "no chat here",
        ),
        (
            "what every request has",
            request("https://h", &[("accept", "text/event-stream")]),
            "no text/event-stream",
            "no text/event-stream",
        ),
        (
            "a key in the query",
            request("https://h/v1?alt=sse&key=0123456789ab#x", &[]),
            "GET h?key=0123456789ab",
            "GET h?key=[hidden]",
        ),
        (
            "a version in the query",
            request("https://h?api-version=2024-10-21-preview", &[]),
            "2024-10-21-preview",
            "2024-10-21-preview",
        ),
        (
            "a short password",
            request("https://me:pw@h/v1", &[]),
            "URL https://me:pw@h/v1 includes credentials",
            "URL https://[hidden]h/v1 includes credentials",
        ),
        (
            "a long password",
            request("https://me:0123456789ab@h", &[]),
            "no 0123456789ab",
            "no [hidden]",
        ),
    ];
    for (what, request, text, expected) in table {
        assert_eq!(without(&request.secrets(), text.into()), expected, "{what}");
    }
}
