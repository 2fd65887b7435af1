//! The app's own source of responses: `AssistantMessageEvent`s of any async iterable, as parts.
//!
//! Whatever such a source does with its `partial` objects does not matter: the message is assembled
//! anew from deltas, so that its snapshots obey the same laws as those of a built-in protocol.
//! `streams.js` reads the source and its events; what they come to is decided here and behind.

use wasm_bindgen::prelude::*;

use crate::error::{ErrorCode, ErrorInfo, Failure};
use crate::js::{error, value};
use crate::message::{StopReason, Usage, UsageCost};
use crate::protocol::{Origin, StreamPart, UsageUpdate, billed};
use crate::text::json::{FromJson, Reader, from_text};

#[wasm_bindgen(module = "/src/js/streams.js")]
extern "C" {
    #[derive(Debug)]
    #[wasm_bindgen(js_name = AppStream)]
    type Source;

    #[wasm_bindgen(constructor, catch, js_class = "AppStream")]
    fn new(source: &JsValue) -> Result<Source, JsValue>;

    #[wasm_bindgen(method, getter, js_class = "AppStream", js_name = isOver)]
    fn is_over(this: &Source) -> bool;

    #[wasm_bindgen(method, js_class = "AppStream")]
    fn next(this: &Source) -> JsValue;

    #[wasm_bindgen(method, js_class = "AppStream")]
    fn stop(this: &Source);
}

/// A response that the app's `streamFn` makes. Dropping it tells the source to stop.
#[derive(Debug)]
pub(super) struct AppStream(Source);

impl AppStream {
    /// Takes up the value that `streamFn` returned.
    pub(super) fn open(source: &JsValue) -> Result<Self, Failure> {
        Source::new(source)
            .map(Self)
            .map_err(|thrown| failed(error::describe(&thrown)))
    }

    /// Appends what the source says next; false at its end.
    pub(super) async fn next(&mut self, parts: &mut Vec<StreamPart>) -> Result<bool, Failure> {
        let told = value::settle(self.0.next()).await;
        let told = told.map_err(|thrown| failed(error::describe(&thrown)))?;
        for told in value::items(&told).chunks(4) {
            read(told, parts)?;
        }
        Ok(!self.0.is_over())
    }
}

impl Drop for AppStream {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Reads one part: its kind as in `streams.js`, the key of a call and two texts.
fn read(told: &[JsValue], parts: &mut Vec<StreamPart>) -> Result<(), Failure> {
    let [kind, key, first, second] = told else {
        return Ok(());
    };
    let key = key.as_f64().unwrap_or_default() as u32;
    let text = first.as_string().unwrap_or_default();
    let more = || second.as_string().unwrap_or_default();
    parts.push(match kind.as_f64().unwrap_or_default() as u32 {
        0 => StreamPart::Text(text),
        1 => StreamPart::Thinking(text),
        2 => StreamPart::ToolCallDelta { key, json: text },
        3 => StreamPart::BlockEnd,
        4 => StreamPart::ToolCallStart {
            key,
            id: text,
            name: more(),
        },
        5 => StreamPart::ToolCallEnd { key },
        6 => StreamPart::Image {
            data: text,
            mime_type: more(),
        },
        7 => StreamPart::TextSignature(text),
        8 => StreamPart::ThinkingSignature(text),
        10 => StreamPart::ToolCallSignature {
            key,
            signature: text,
        },
        11 => StreamPart::RedactedThinking(text),
        12 => StreamPart::Origin(from_text(&text).map_err(failed)?),
        _ => return finish(&text, parts),
    });
    Ok(())
}

fn finish(json: &str, parts: &mut Vec<StreamPart>) -> Result<(), Failure> {
    let told: FinalMessage = from_text(json).map_err(|problem| {
        failed(
            [
                "The final message of streamFn is not an AssistantMessage: ",
                &problem,
                ".",
            ]
            .concat(),
        )
    })?;
    parts.extend(told.response_id.map(StreamPart::ResponseId));
    let Usage {
        input,
        output,
        cache_read,
        cache_write,
        ..
    } = told.usage;
    parts.push(StreamPart::Usage(UsageUpdate {
        input: Some(input),
        output: Some(output),
        cache_read: Some(cache_read),
        cache_write: Some(cache_write),
    }));
    parts.extend(told.cost.map(StreamPart::Cost));
    let text = told.error_message;
    parts.push(match told.stop_reason {
        StopReason::Error => {
            StreamPart::Error(told.error.unwrap_or_else(|| {
                failed(text.unwrap_or_else(|| {
                    "The stream of streamFn failed without a message.".to_owned()
                }))
            }))
        }
        StopReason::Aborted => {
            let mut failure = ErrorInfo::aborted();
            if let Some(text) = text {
                failure.message = text;
            }
            StreamPart::Error(failure)
        }
        reason => StreamPart::Finish(reason),
    });
    Ok(())
}

fn failed(problem: String) -> Failure {
    ErrorInfo::new(ErrorCode::StreamFn, problem)
}

/// What counts of a final message.
struct FinalMessage {
    stop_reason: StopReason,
    usage: Usage,
    cost: Option<UsageCost>,
    response_id: Option<String>,
    error_message: Option<String>,
    error: Option<Failure>,
}

impl FromJson for FinalMessage {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            stop_reason: reader.field("stopReason"),
            usage: reader.or_default("usage"),
            cost: reader.json().get("usage").and_then(billed),
            response_id: reader.optional("responseId"),
            error_message: reader.optional("errorMessage"),
            error: reader.optional("error"),
        }
    }
}

impl FromJson for Origin {
    fn from_json(reader: &mut Reader<'_>) -> Self {
        Self {
            api: reader.field("api"),
            provider: reader.field("provider"),
            model: reader.field("model"),
        }
    }
}
