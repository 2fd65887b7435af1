//! How a response ended.
//!
//! Owns the meaning of stop reasons. Refuses to know errors that the provider reports ([`failure`]).
//!
//! Source: Anthropic API, "Handling stop reasons".

use super::stream::text_of;
use crate::error::{ErrorCode, Failure};
use crate::message::StopReason;
use crate::protocol::failure;
use crate::text::json::Json;

/// What a stop reason means. A turn that is paused waits for a tool of the provider's; none is
/// offered, so what was said stands.
pub(super) fn verdict(reason: &str, details: Option<Json<'_>>) -> Result<StopReason, Failure> {
    let explanation = details.map(|details| text_of(details, "explanation"));
    let explanation = explanation.unwrap_or_default();
    let (code, what) = match reason {
        "end_turn" | "stop_sequence" | "pause_turn" => return Ok(StopReason::Stop),
        "max_tokens" | "model_context_window_exceeded" => return Ok(StopReason::Length),
        "tool_use" => return Ok(StopReason::ToolUse),
        "refusal" if explanation.is_empty() => (ErrorCode::Refused, "the model refused to answer"),
        "refusal" => (ErrorCode::Refused, &*explanation),
        _ => (
            ErrorCode::BadResponse,
            "the answer ended for an unknown reason",
        ),
    };
    Err(failure::named(
        code,
        &failure::clean(what),
        "stop_reason ",
        reason,
    ))
}
