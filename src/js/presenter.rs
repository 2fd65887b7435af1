//! How an assistant message begins, grows and ends as the page's object.

#![allow(
    refining_impl_trait,
    reason = "the methods that return a named future promise no more than the trait"
)]

use wasm_bindgen::JsValue;

use crate::agent::host::{Head, Host, Presenter, Tail};
use crate::assemble::Batch;
use crate::error::ErrorInfo;
use crate::event::{AgentEvent, MessageEndEvent, MessageStartEvent};
use crate::js::host::{Kind, PageHost};
use crate::js::live::{Delivery, Update};
use crate::js::page::{Handle, JsPage};
use crate::js::value;
use crate::message::{StopReason, Usage};
use crate::text::json::{JsonWriter, Names};

impl Presenter for PageHost {
    type Page = JsPage;

    fn message_start(&self, head: Head) -> Delivery {
        let message = empty_message(head);
        self.core.channel.begin(&message);
        match self.kind {
            Kind::Run => self.emit(AgentEvent::MessageStart(MessageStartEvent {
                message: Handle(message),
            })),
            Kind::Call => self.emit_call_event("start", &[("partial", &message)]),
        }
    }

    fn message_update(&self, batch: &Batch, closing: bool) -> Update {
        self.core.channel.update(batch, closing)
    }

    async fn message_end(&self, tail: &Tail) -> Handle {
        let message = self.core.channel.end(&tail_fields(tail));
        let delivery = match (self.kind, tail.ending.stop_reason) {
            (Kind::Run, _) => self.emit(AgentEvent::MessageEnd(MessageEndEvent {
                message: Handle(message.clone()),
            })),
            (Kind::Call, StopReason::Error | StopReason::Aborted) => {
                self.emit_call_end("error", "error", &message)
            }
            (Kind::Call, StopReason::Stop | StopReason::Length | StopReason::ToolUse) => {
                self.emit_call_end("done", "message", &message)
            }
        };
        delivery.await;
        Handle(message)
    }
}

impl PageHost {
    fn emit_call_end(&self, kind: &str, key: &str, message: &JsValue) -> Delivery {
        let reason = value::get(message, "stopReason");
        self.emit_call_event(kind, &[("reason", &reason), (key, message)])
    }

    fn emit_call_event(&self, kind: &str, fields: &[(&str, &JsValue)]) -> Delivery {
        self.core.channel.emit(&value::event(kind, fields))
    }
}

/// An assistant message without content.
fn empty_message(head: Head) -> JsValue {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("role").string("assistant");
        json.key("content").raw("[]");
        json.key("api").string(&head.api);
        json.key("provider").string(&head.provider);
        json.key("model").string(&head.model);
        write_usage(json, &Usage::default());
        write_stop_reason(json, StopReason::Stop);
        json.key("timestamp").number(head.timestamp);
    });
    value::parsed(json)
}

/// The fields that complete an assistant message.
fn tail_fields(tail: &Tail) -> JsValue {
    let ending = &tail.ending;
    let mut json = JsonWriter::default();
    json.object(|json| {
        write_usage(json, &ending.usage);
        write_stop_reason(json, ending.stop_reason);
        if let Some(id) = &ending.response_id {
            json.key("responseId").string(id);
        }
        if let Some(error) = &ending.error {
            json.key("errorMessage").string(&error.message);
            json.key("error").object(|json| write_error(json, error));
        }
        json.key("durationMs").number(tail.duration_ms);
    });
    value::parsed(json)
}

fn write_stop_reason(json: &mut JsonWriter, reason: StopReason) {
    json.key("stopReason").string(reason.json_name());
}

fn write_error(json: &mut JsonWriter, error: &ErrorInfo) {
    json.key("code").string(error.code.json_name());
    json.key("message").string(&error.message);
    if let Some(status) = error.status {
        json.key("status").number(status.into());
    }
    if let Some(ms) = error.retry_after_ms {
        json.key("retryAfterMs").number(ms);
    }
    json.key("retryable").boolean(error.retryable);
}

#[inline(never)]
fn write_usage(json: &mut JsonWriter, usage: &Usage) {
    let cost = &usage.cost;
    json.key("usage").object(|json| {
        for (key, tokens) in [
            ("input", usage.input),
            ("output", usage.output),
            ("cacheRead", usage.cache_read),
            ("cacheWrite", usage.cache_write),
            ("totalTokens", usage.total_tokens),
        ] {
            json.key(key).number(tokens);
        }
        json.key("cost").object(|json| {
            for (key, dollars) in [
                ("input", cost.input),
                ("output", cost.output),
                ("cacheRead", cost.cache_read),
                ("cacheWrite", cost.cache_write),
                ("total", cost.total),
            ] {
                json.key(key).number(dollars);
            }
        });
    });
}
