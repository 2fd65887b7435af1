//! HTTP through the page's `fetch`: requests by gloo-net, bodies through `getReader()`.
//!
//! gloo-net builds the request; `fetch` itself is called here, because gloo-net's `send` panics
//! when a rejection is not an `Error` or an answer is not a `Response`, and pages do wrap `fetch`.

use gloo_net::http::Request;
use js_sys::{Array, Function, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::AbortController;

use crate::agent::host::HttpResponse;
use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::js::{error, task, value};
use crate::protocol::HttpRequest;
use crate::text::number;

/// A response that is being received. Dropping it ends the download.
#[derive(Debug)]
pub(super) struct Body {
    reader: Option<JsValue>,
    controller: AbortController,
    is_complete: bool,
}

/// Sends a request. `fetch` is the app's own function, called with a URL and an init object.
pub(super) async fn send(
    request: HttpRequest,
    fetch: Option<&Function>,
) -> Result<HttpResponse<Body>, Failure> {
    let controller = AbortController::new().map_err(|thrown| unsendable(&thrown))?;
    // From here on, dropping the future aborts the request.
    let mut body = Body {
        reader: None,
        controller,
        is_complete: false,
    };
    let place = place(&request.url);
    let answer = match fetch {
        Some(fetch) => call_app(fetch, &request, &body.controller).await,
        None => call_global(&request, &body.controller).await?,
    };
    let response = answer.map_err(|thrown| {
        ErrorInfo::new(
            ErrorCode::Network,
            format!(
                "Could not reach {place}: {}. Check the network, the address, and that the server allows this page (CORS).",
                error::describe(&thrown)
            ),
        )
    })?;
    let Some(status) = value::get(&response, "status").as_f64() else {
        return Err(ErrorInfo::new(
            ErrorCode::BadResponse,
            format!(
                "fetch gave {} in place of a Response.",
                value::kind(&response)
            ),
        ));
    };
    let headers = value::get(&response, "headers");
    let header = |name: &str| -> Option<String> {
        let get = value::as_function(value::get(&headers, "get"))?;
        get.call1(&headers, &name.into()).ok()?.as_string()
    };
    let stream = value::get(&response, "body");
    if let Some(get_reader) = value::as_function(value::get(&stream, "getReader")) {
        let reader = get_reader.call0(&stream).map_err(|thrown| {
            ErrorInfo::new(
                ErrorCode::BadResponse,
                format!(
                    "The response body cannot be read: {}.",
                    error::describe(&thrown)
                ),
            )
        })?;
        body.reader = Some(reader);
    }
    let retry_after_ms = retry_after_ms(header("retry-after-ms"), header("retry-after"));
    Ok(HttpResponse {
        status: status as u16,
        content_type: header("content-type")
            .unwrap_or_default()
            .to_ascii_lowercase(),
        retry_after_ms,
        body,
    })
}

async fn call_global(
    request: &HttpRequest,
    controller: &AbortController,
) -> Result<Result<JsValue, JsValue>, Failure> {
    let mut builder = Request::post(&request.url).abort_signal(Some(&controller.signal()));
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let request = builder.body(request.body.as_str()).map_err(|error| {
        ErrorInfo::new(
            ErrorCode::InvalidRequest,
            format!("The request cannot be made: {error}. Check model.baseUrl."),
        )
    })?;
    let request = JsValue::from(web_sys::Request::from(request));
    let global = js_sys::global();
    let Some(fetch) = value::as_function(value::get(&global, "fetch")) else {
        return Err(ErrorInfo::new(
            ErrorCode::InvalidRequest,
            "This environment has no fetch. Give one in the options.",
        ));
    };
    Ok(value::call(&fetch, &global, &[&request]).await)
}

async fn call_app(
    fetch: &Function,
    request: &HttpRequest,
    controller: &AbortController,
) -> Result<JsValue, JsValue> {
    let headers = value::object(&[]);
    for (name, value) in &request.headers {
        value::set(&headers, name, &value.into());
    }
    let init = value::object(&[
        ("method", &"POST".into()),
        ("headers", &headers),
        ("body", &request.body.as_str().into()),
        ("signal", &controller.signal()),
    ]);
    value::call(
        fetch,
        &JsValue::UNDEFINED,
        &[&request.url.as_str().into(), &init],
    )
    .await
}

impl Body {
    /// The next bytes; `None` at the end.
    pub(super) async fn read(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let broken = |problem: String| {
            ErrorInfo::new(
                ErrorCode::Truncated,
                format!("The connection broke while the response arrived: {problem}."),
            )
        };
        let Some(read) = value::as_function(value::get(reader, "read")) else {
            return Err(broken("the body has no read method".to_owned()));
        };
        let next = value::call(&read, reader, &[])
            .await
            .map_err(|thrown| broken(error::describe(&thrown)))?;
        if value::get(&next, "done").is_truthy() {
            self.reader = None;
            self.is_complete = true;
            return Ok(None);
        }
        let chunk = value::get(&next, "value");
        if let Some(bytes) = chunk.dyn_ref::<Uint8Array>() {
            Ok(Some(bytes.to_vec()))
        } else if let Some(text) = chunk.as_string() {
            Ok(Some(text.into_bytes()))
        } else {
            Err(broken(format!(
                "a chunk is {} in place of bytes",
                value::kind(&chunk)
            )))
        }
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if self.is_complete {
            return;
        }
        let Some(reader) = self.reader.take() else {
            self.controller.abort();
            return;
        };
        if let Some(cancel) = value::as_function(value::get(&reader, "cancel")) {
            let cancelled = Reflect::apply(&cancel, &reader, &Array::new());
            task::spawn(async move {
                // A body that cannot be cancelled is left to the garbage collector.
                if let Ok(promise) = cancelled {
                    let _ = value::settle(promise).await;
                }
                if let Some(release) = value::as_function(value::get(&reader, "releaseLock")) {
                    let _ = release.call0(&reader);
                }
            });
        }
        self.controller.abort();
    }
}

/// The address without query and fragment, in which keys may stand.
fn place(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

/// RFC 9110, section 10.2.3: seconds or a date. `retry-after-ms` is what some providers add.
fn retry_after_ms(ms: Option<String>, seconds_or_date: Option<String>) -> Option<f64> {
    if let Some(ms) = ms.and_then(|text| decimal(&text)) {
        return Some(ms.max(0.0));
    }
    let text = seconds_or_date?;
    if let Some(seconds) = decimal(&text) {
        return Some((seconds * 1000.0).max(0.0));
    }
    let date = js_sys::Date::parse(&text);
    (!date.is_nan()).then(|| (date - js_sys::Date::now()).max(0.0))
}

/// A number in a header.
fn decimal(text: &str) -> Option<f64> {
    let number = number::parse(text.trim());
    (!text.trim().is_empty() && number.is_finite()).then_some(number)
}

fn unsendable(thrown: &JsValue) -> Failure {
    ErrorInfo::new(
        ErrorCode::InvalidRequest,
        format!("The request cannot be made: {}.", error::describe(thrown)),
    )
}
