//! HTTP through the page's `fetch`: requests by gloo-net, bodies through `getReader()`.
//!
//! gloo-net builds the request; `fetch` itself is called here, because gloo-net's `send` panics
//! when a rejection is not an `Error` or an answer is not a `Response`, and pages do wrap `fetch`.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};

use gloo_net::http::Request;
use js_sys::{Function, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, AbortSignal};

use crate::agent::host::HttpResponse;
use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::js::error;
use crate::js::value::{self, Settling};
use crate::protocol::HttpRequest;
use crate::text::{before_any, number};

#[wasm_bindgen(module = "/src/js/streams.js")]
extern "C" {
    #[derive(Debug)]
    type Pump;

    #[wasm_bindgen(constructor)]
    fn new(reader: &JsValue, settle: &Function) -> Pump;

    #[wasm_bindgen(method)]
    fn next(this: &Pump);

    #[wasm_bindgen(method)]
    fn stop(this: &Pump);

    fn close(reader: &JsValue, controller: &AbortController, is_complete: bool, grace_ms: u32);

    #[wasm_bindgen(catch)]
    fn post(
        fetch: &Function,
        url: &str,
        headers: &JsValue,
        body: &JsValue,
        signal: &AbortSignal,
    ) -> Result<JsValue, JsValue>;
}

/// How long a complete response may take to end, in milliseconds: its end mostly comes with it, and a connection that is
/// not cut can be used again.
const CLOSE_MS: u32 = 100;

/// A response that is being received. Dropping it ends the download.
#[derive(Debug)]
pub(super) struct Body {
    reader: Option<Reader>,
    controller: AbortController,
    is_complete: bool,
    /// For the app.
    pub(super) headers: JsValue,
}

/// The reader of a body, and the one callback through which its chunks come: a promise per chunk
/// would cost two closures each.
#[derive(Debug)]
struct Reader {
    object: JsValue,
    pump: Pump,
    inbox: Rc<RefCell<Inbox>>,
    /// Held, so that the pump can call it.
    _settle: Closure<dyn Fn(JsValue, JsValue)>,
}

#[derive(Debug, Default)]
struct Inbox {
    /// A chunk or null, and an error.
    settled: Option<(JsValue, JsValue)>,
    waker: Option<Waker>,
    is_reading: bool,
}

impl Reader {
    fn new(object: JsValue) -> Self {
        let inbox: Rc<RefCell<Inbox>> = Rc::default();
        let receiver = inbox.clone();
        let settle = Closure::<dyn Fn(JsValue, JsValue)>::new(move |chunk, error| {
            let mut inbox = receiver.borrow_mut();
            inbox.settled = Some((chunk, error));
            inbox.is_reading = false;
            let waker = inbox.waker.take();
            drop(inbox);
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let pump = Pump::new(&object, settle.as_ref().unchecked_ref());
        Self {
            object,
            pump,
            inbox,
            _settle: settle,
        }
    }

    /// The next chunk or null, and an error.
    fn next(&self) -> impl Future<Output = (JsValue, JsValue)> {
        let must_read = {
            let mut inbox = self.inbox.borrow_mut();
            let must_read = !inbox.is_reading && inbox.settled.is_none();
            inbox.is_reading |= must_read;
            must_read
        };
        if must_read {
            self.pump.next();
        }
        poll_fn(|context| {
            let mut inbox = self.inbox.borrow_mut();
            match inbox.settled.take() {
                Some(settled) => Poll::Ready(settled),
                None => {
                    inbox.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
    }
}

/// Sends a request with this body. `fetch` is the app's own function, called with a URL and an init object.
pub(super) async fn send(
    request: HttpRequest,
    body_text: JsValue,
    fetch: Option<Function>,
) -> Result<HttpResponse<Body>, Failure> {
    let controller =
        AbortController::new().map_err(|thrown| unsendable(&error::describe(&thrown), "."))?;
    // From here on, dropping the future aborts the request.
    let body = Body {
        reader: None,
        controller,
        is_complete: false,
        headers: JsValue::UNDEFINED,
    };
    let answer = match fetch {
        Some(fetch) => call_app(&fetch, &request, &body_text, &body.controller),
        None => call_global(&request, body_text, &body.controller)?,
    };
    received(answer.await, &request.url, body)
}

fn call_global(
    request: &HttpRequest,
    body: JsValue,
    controller: &AbortController,
) -> Result<Settling, Failure> {
    let mut builder = Request::post(&request.url).abort_signal(Some(&controller.signal()));
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let request = builder.body(body).map_err(|error| {
        let problem = match error {
            gloo_net::Error::JsError(thrown) => [&*thrown.name, ": ", &thrown.message].concat(),
            gloo_net::Error::GlooError(problem) => problem,
        };
        unsendable(&problem, ". Check model.baseUrl.")
    })?;
    let request = JsValue::from(web_sys::Request::from(request));
    let Some(fetch) = value::as_function(value::page_fetch()) else {
        return Err(failed(
            ErrorCode::InvalidRequest,
            &["This environment has no fetch. Give one in the options."],
        ));
    };
    Ok(value::call(&fetch, &JsValue::UNDEFINED, &[&request]))
}

fn call_app(
    fetch: &Function,
    request: &HttpRequest,
    body: &JsValue,
    controller: &AbortController,
) -> Settling {
    let headers = value::object(&[]);
    for (name, value) in &request.headers {
        value::set(&headers, name, &value.into());
    }
    value::settled(post(
        fetch,
        &request.url,
        &headers,
        body,
        &controller.signal(),
    ))
}

/// What `fetch` came to.
fn received(
    answer: Result<JsValue, JsValue>,
    url: &str,
    mut body: Body,
) -> Result<HttpResponse<Body>, Failure> {
    let response = answer.map_err(|thrown| {
        let advice =
            ". Check the network, the address, that the server allows this page (CORS), and that the page's policy allows the server (connect-src).";
        let problem = error::describe(&thrown);
        failed(
            ErrorCode::Network,
            &["Could not reach ", place(url), ": ", &problem, advice],
        )
    })?;
    let Some(status) = value::get(&response, "status").as_f64() else {
        let found = value::kind(&response);
        return Err(failed(
            ErrorCode::BadResponse,
            &["fetch gave ", &found, " in place of a Response."],
        ));
    };
    let headers = value::get(&response, "headers");
    let header = |name: &str| -> Option<String> {
        let get = value::as_function(value::get(&headers, "get"))?;
        get.call1(&headers, &name.into()).ok()?.as_string()
    };
    body.headers = value::headers_of(&response);
    let stream = value::get(&response, "body");
    if let Some(get_reader) = value::as_function(value::get(&stream, "getReader")) {
        let reader = get_reader.call0(&stream).map_err(|thrown| {
            let problem = error::describe(&thrown);
            failed(
                ErrorCode::BadResponse,
                &["The response body cannot be read: ", &problem, "."],
            )
        })?;
        body.reader = Some(Reader::new(reader));
    }
    Ok(HttpResponse {
        status: status as u16,
        content_type: header("content-type")
            .unwrap_or_default()
            .to_ascii_lowercase(),
        retry_after_ms: retry_after_ms(header("retry-after-ms"), header("retry-after")),
        body,
    })
}

impl Body {
    /// The next bytes; `None` at the end.
    pub(super) async fn read(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let (chunk, error) = reader.next().await;
        self.taken(&chunk, &error)
    }

    fn taken(&mut self, chunk: &JsValue, error: &JsValue) -> Result<Option<Vec<u8>>, Failure> {
        if chunk.is_null() {
            self.reader = None;
            self.is_complete = true;
            Ok(None)
        } else if !error.is_undefined() {
            Err(broken(&error::describe(error)))
        } else if let Some(bytes) = chunk.dyn_ref::<Uint8Array>() {
            Ok(Some(bytes.to_vec()))
        } else if let Some(text) = chunk.as_string() {
            Ok(Some(text.into_bytes()))
        } else {
            let found = value::kind(chunk);
            Err(broken(
                &["a chunk is ", &found, " in place of bytes"].concat(),
            ))
        }
    }

    /// All that the protocol has to say was read: only the end of the body is missing.
    pub(super) fn set_complete(&mut self) {
        self.is_complete = true;
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        match self.reader.take() {
            Some(Reader { object, pump, .. }) => {
                // A read that is under way ends later than the callback lives.
                pump.stop();
                close(&object, &self.controller, self.is_complete, CLOSE_MS);
            }
            None if self.is_complete => {}
            None => self.controller.abort(),
        }
    }
}

/// The address without query and fragment, in which keys may stand.
fn place(url: &str) -> &str {
    before_any(url, b"?#")
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

fn unsendable(problem: &str, advice: &str) -> Failure {
    failed(
        ErrorCode::InvalidRequest,
        &["The request cannot be made: ", problem, advice],
    )
}

fn broken(problem: &str) -> Failure {
    failed(
        ErrorCode::Truncated,
        &[
            "The connection broke while the response arrived: ",
            problem,
            ".",
        ],
    )
}

#[inline(never)]
fn failed(code: ErrorCode, message: &[&str]) -> Failure {
    ErrorInfo::new(code, message.concat())
}
