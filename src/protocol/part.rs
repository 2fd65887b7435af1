//! What decoders say: the one vocabulary into which every wire is translated.

use crate::error::Failure;
use crate::message::{StopReason, UsageCost};

/// One piece of a response, in the order in which it arrived.
///
/// Text and thinking need no block numbers: a part of another kind, or [`StreamPart::BlockEnd`],
/// closes the open block and the next part opens one. Tool calls are named by a key, since their
/// pieces may alternate.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamPart {
    /// The provider's id of the response.
    ResponseId(String),
    /// More text.
    Text(String),
    /// More thinking.
    Thinking(String),
    /// Signature of the open text block, or of an empty one of its own.
    TextSignature(String),
    /// Signature of the open thinking block, or of an empty one of its own. Replaces an earlier one.
    ThinkingSignature(String),
    /// A whole block of thinking that the provider encrypted.
    RedactedThinking(String),
    /// The open text or thinking block is complete.
    BlockEnd,
    /// A tool call begins. Sent once per key, when the name is known.
    ToolCallStart {
        /// Number of the call within the response, ascending from 0.
        key: u32,
        /// The provider's id; empty when it gave none.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// More JSON text of the arguments.
    ToolCallDelta {
        /// Number of the call.
        key: u32,
        /// The text.
        json: String,
    },
    /// Opaque data that goes back with the call.
    ToolCallSignature {
        /// Number of the call.
        key: u32,
        /// The data.
        signature: String,
    },
    /// All pieces of the call have arrived.
    ToolCallEnd {
        /// Number of the call.
        key: u32,
    },
    /// A whole image.
    Image {
        /// The bytes in base64.
        data: String,
        /// MIME type.
        mime_type: String,
    },
    /// Token counts so far: counts that are present replace earlier ones.
    Usage(UsageUpdate),
    /// What the tokens cost, where the source knows that better than the model's prices do.
    Cost(UsageCost),
    /// Which model answers, where it is not the one that was asked. Counts before all other parts.
    Origin(Origin),
    /// The provider says that and why the response is complete. The assembler turns
    /// [`StopReason::Stop`] into [`StopReason::ToolUse`] where there are tool calls.
    Finish(StopReason),
    /// The response failed. Nothing behind it counts.
    Error(Failure),
}

/// What a message names as its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The protocol's name.
    pub api: String,
    /// The provider's name.
    pub provider: String,
    /// The model's id.
    pub model: String,
}

/// Token counts of one response, each by the meaning it has in [`crate::message::Usage`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct UsageUpdate {
    /// Input tokens without cached ones.
    pub input: Option<f64>,
    /// Output tokens, thinking included.
    pub output: Option<f64>,
    /// Input tokens read from a cache.
    pub cache_read: Option<f64>,
    /// Input tokens written to a cache.
    pub cache_write: Option<f64>,
}
