//! Makes a transcript acceptable to the model that is called next.
//!
//! A transcript may come from other models, may hold turns that failed or were aborted, and may have
//! been edited by the page. [`prepare`] turns it into [`Turn`]s that every provider accepts:
//!
//! - every tool call has exactly one result, right behind the turn that made it and in the order of
//!   the calls; a missing one is made up, one without a call or beyond the first is left out;
//! - a turn that failed or was aborted keeps its text and those of its calls that were answered;
//! - a turn without anything to say (empty, or thinking only) is left out, and so is a blank message
//!   of the user;
//! - thinking, and the opaque data by which a provider recognises its own blocks, go only to the
//!   model that made them; thinking goes with the calls that it led to, or not at all;
//! - the ids of calls are within the rules of the target, different from each other within the
//!   request, and the same on both sides. They depend on earlier messages only, so that the
//!   beginning of a growing conversation stays the same and can be cached;
//! - images have the type that their data shows, and become a note where the model cannot read them
//!   or the target refuses the type.
//!
//! [`ToolNames`] does the same for the names of tools, in tools, calls and choice.
//!
//! Nothing is copied that can be borrowed. This module is pure and knows no wire: how a turn is
//! written, and what to do with thinking that is allowed, is the business of each protocol.

mod ids;
pub mod images;
mod names;
mod results;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::error::Failure;
use crate::message::{
    AssistantContentBlock, AssistantMessage, ImageContent, Message, StopReason, ThinkingContent,
    ToolCall, ToolResultMessage, UserContent, UserContentBlock,
};
use crate::model::{InputKind, Model, ToolCallIdFormat};
use crate::protocol::{Api, http};
pub(crate) use ids::{IdRegistry, is_made_from};
pub use images::ImagePart;
pub use names::ToolNames;
pub(in crate::protocol) use names::valid_name;

/// What stands in for the result of a call that has none.
pub const MISSING_RESULT: &str = "No result: the call was not completed.";
/// What a tool said that said nothing.
pub const EMPTY_RESULT: &str = "(no output)";
/// What stands in for an image that the model cannot read.
pub const OMITTED_IMAGE: &str = "(image omitted: this model cannot read images)";
/// What stands in for an image that the model would refuse.
pub const UNREADABLE_IMAGE: &str =
    "(image omitted: it is empty, or of a type that this model does not read)";
/// What stands in for an image of the model's own that does not go back.
pub const OWN_IMAGE: &str = "(image)";

/// The model that is called next, as far as it matters for the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target<'a> {
    /// The protocol's name, as in [`AssistantMessage::api`].
    pub api: &'a str,
    /// The provider's name, as in [`AssistantMessage::provider`].
    pub provider: &'a str,
    /// The model's id, as in [`AssistantMessage::model`].
    pub model: &'a str,
    /// Whether the model reads images.
    pub reads_images: bool,
    /// The types of images that the target reads; any when absent.
    pub image_types: Option<&'static [&'static str]>,
    /// What the target accepts as a tool call id; any text when absent.
    pub id_format: Option<ToolCallIdFormat>,
}

/// One turn of a prepared conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn<'a> {
    /// The user's. Never empty.
    User(Vec<UserPart<'a>>),
    /// The model's, with the results of its calls.
    Assistant(AssistantTurn<'a>),
}

/// A model's turn and what came of its calls.
#[derive(Debug, Clone, PartialEq)]
pub struct AssistantTurn<'a> {
    /// Text that is not blank, thinking of the target's own, calls and images, in order. At least
    /// one is not thinking.
    pub parts: Vec<AssistantPart<'a>>,
    /// One result for each call, in the order of the calls.
    pub results: Vec<CallResult<'a>>,
}

/// Something a user or a tool says.
#[derive(Debug, Clone, PartialEq)]
pub enum UserPart<'a> {
    /// Text; not blank.
    Text(&'a str),
    /// An image; only where the target reads images.
    Image(ImagePart<'a>),
}

/// Something a model says.
#[derive(Debug, Clone, PartialEq)]
pub enum AssistantPart<'a> {
    /// Text; not blank. The signature is there only if the target made it.
    Text(&'a str, Option<&'a str>),
    /// Thinking of the target's own, signed or not.
    Thinking(&'a ThinkingContent),
    /// A tool call.
    Call(CallPart<'a>),
    /// An image that a model made; none where the target would refuse it.
    Image(Option<ImagePart<'a>>),
}

/// A tool call under the id that it has in this request.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPart<'a> {
    /// The id.
    pub id: Cow<'a, str>,
    /// The call. Its own id and signature are not for the wire.
    pub call: &'a ToolCall,
    /// The opaque data that belongs to the call, if the target made it.
    pub signature: Option<&'a str>,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult<'a> {
    /// The id of the call in this request.
    pub id: Cow<'a, str>,
    /// The tool's name, as in the call.
    pub name: &'a str,
    /// What it says. Never empty.
    pub parts: Vec<UserPart<'a>>,
    /// Whether the tool failed or did not run.
    pub is_error: bool,
}

impl<'a> Target<'a> {
    /// The target that a model is when `api` carries its calls.
    pub fn new(api: Api, model: &'a Model) -> Self {
        let inputs = model.input.as_deref();
        Self {
            api: api.name(),
            provider: model.provider.as_deref().unwrap_or(api.default_provider()),
            model: &model.id,
            reads_images: inputs.is_none_or(|inputs| inputs.contains(&InputKind::Image)),
            image_types: None,
            id_format: Some(ToolCallIdFormat::Standard),
        }
    }

    fn made(&self, message: &AssistantMessage) -> bool {
        message.api == self.api && message.provider == self.provider && message.model == self.model
    }
}

/// Makes `messages` acceptable to `target`.
pub fn prepare<'a>(messages: &'a [Message], target: &Target<'_>) -> Vec<Turn<'a>> {
    let mut results = results::pair(messages).into_iter();
    let mut ids = IdRegistry::new(target.id_format);
    let mut turns = Vec::new();
    for message in messages {
        match message {
            Message::User(user) => {
                let parts = user_parts(&user.content, target);
                if !parts.is_empty() {
                    turns.push(Turn::User(parts));
                }
            }
            Message::Assistant(assistant) => {
                let turn = assistant_turn(assistant, target, &mut results, &mut ids);
                turns.extend(turn.map(Turn::Assistant));
            }
            // Results stand with their calls.
            Message::ToolResult(_) => {}
        }
    }
    turns
}

/// The same, for a request: there has to be something to say, and the model must not have answered
/// already.
///
/// # Errors
/// When the conversation is empty or ends with the model's answer; the message says what to do.
pub fn prepare_request<'a>(
    messages: &'a [Message],
    target: &Target<'_>,
) -> Result<Vec<Turn<'a>>, Failure> {
    let turns = prepare(messages, target);
    match turns.last() {
        None => Err(http::invalid(&[
            "the conversation is empty: add a user message (roles of your own need convertToLlm, a system prompt goes into systemPrompt)",
        ])),
        Some(Turn::Assistant(last)) if last.results.is_empty() => Err(http::invalid(&[
            "the conversation ends with the model's answer: add a user message to go on",
        ])),
        Some(_) => Ok(turns),
    }
}

fn assistant_turn<'a>(
    message: &'a AssistantMessage,
    target: &Target<'_>,
    results: &mut impl Iterator<Item = Option<&'a ToolResultMessage>>,
    ids: &mut IdRegistry,
) -> Option<AssistantTurn<'a>> {
    let own = target.made(message);
    // Somebody took the calls out. The thinking that led to them is refused without them.
    let trimmed =
        message.stop_reason == StopReason::ToolUse && message.tool_calls().next().is_none();
    let failed = matches!(message.stop_reason, StopReason::Error | StopReason::Aborted);
    let mut turn = AssistantTurn {
        parts: Vec::new(),
        results: Vec::new(),
    };
    for (block_position, block) in message.content.iter().enumerate() {
        match block {
            AssistantContentBlock::Text(block) if is_blank(&block.text) => {}
            AssistantContentBlock::Text(block) => {
                let signature = signature(block.text_signature.as_deref()).filter(|_| own);
                turn.parts.push(AssistantPart::Text(&block.text, signature));
            }
            AssistantContentBlock::Thinking(block) => {
                // Cut off in the middle, it has no signature and is of no use to anyone.
                let last = block_position + 1 == message.content.len();
                let unfinished =
                    failed && last && signature(block.thinking_signature.as_deref()).is_none();
                if own && !unfinished && !trimmed {
                    turn.parts.push(AssistantPart::Thinking(block));
                }
            }
            AssistantContentBlock::ToolCall(call) => {
                let result = results.next().flatten();
                // The arguments of a call that nobody answered in a failed turn may be half.
                if result.is_some() || !failed {
                    let id = ids.assign(&call.id);
                    let signature = signature(call.thought_signature.as_deref()).filter(|_| own);
                    turn.results
                        .push(call_result(id.clone(), call, result, target));
                    turn.parts.push(AssistantPart::Call(CallPart {
                        id,
                        call,
                        signature,
                    }));
                }
            }
            AssistantContentBlock::Image(image) => {
                let image = images::part(image, target.image_types);
                let image = image.filter(|_| target.reads_images);
                turn.parts.push(AssistantPart::Image(image));
            }
        }
    }
    let says = |part: &AssistantPart<'_>| !matches!(part, AssistantPart::Thinking(_));
    turn.parts.iter().any(says).then_some(turn)
}

fn call_result<'a>(
    id: Cow<'a, str>,
    call: &'a ToolCall,
    result: Option<&'a ToolResultMessage>,
    target: &Target<'_>,
) -> CallResult<'a> {
    let (mut parts, fallback, is_error) = match result {
        Some(result) => (
            block_parts(&result.content, target),
            EMPTY_RESULT,
            result.is_error,
        ),
        None => (Vec::new(), MISSING_RESULT, true),
    };
    if parts.is_empty() {
        parts.push(UserPart::Text(fallback));
    }
    CallResult {
        id,
        name: &call.name,
        parts,
        is_error,
    }
}

fn user_parts<'a>(content: &'a UserContent, target: &Target<'_>) -> Vec<UserPart<'a>> {
    match content {
        UserContent::Text(text) if is_blank(text) => Vec::new(),
        UserContent::Text(text) => vec![UserPart::Text(text)],
        UserContent::Blocks(blocks) => block_parts(blocks, target),
    }
}

fn block_parts<'a>(blocks: &'a [UserContentBlock], target: &Target<'_>) -> Vec<UserPart<'a>> {
    let part = |block: &'a UserContentBlock| match block {
        UserContentBlock::Text(block) if is_blank(&block.text) => None,
        UserContentBlock::Text(block) => Some(UserPart::Text(block.text.as_str())),
        UserContentBlock::Image(image) => Some(image_part(image, target)),
    };
    blocks.iter().filter_map(part).collect()
}

fn image_part<'a>(image: &'a ImageContent, target: &Target<'_>) -> UserPart<'a> {
    match images::part(image, target.image_types) {
        _ if !target.reads_images => UserPart::Text(OMITTED_IMAGE),
        Some(image) => UserPart::Image(image),
        None => UserPart::Text(UNREADABLE_IMAGE),
    }
}

/// A signature that says something. No provider takes an empty one for its own.
pub fn signature(signature: Option<&str>) -> Option<&str> {
    signature.filter(|signature| !signature.is_empty())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
