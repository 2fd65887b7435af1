//! The JSON of a backend's events, as far as it is read.
//!
//! Owns where things stand in an event: it is gone through once, members of other names are skipped.
//! Refuses to interpret.

use std::borrow::Cow;

use crate::text::json::{Json, Pull};

/// The members that count; [`NAMES`] has their names.
#[derive(Debug, Clone, Copy)]
pub(super) enum Member {
    Type,
    ContentIndex,
    Delta,
    /// The whole text of a block, or an image.
    Content,
    /// Opaque data that belongs to the block.
    ContentSignature,
    /// Of a thinking block: its text is encrypted.
    Redacted,
    Id,
    ToolName,
    /// A whole tool call.
    ToolCall,
    Reason,
    Usage,
    ResponseId,
    ErrorMessage,
    Error,
}

const NAMES: [&str; 14] = [
    "type",
    "contentIndex",
    "delta",
    "content",
    "contentSignature",
    "redacted",
    "id",
    "toolName",
    "toolCall",
    "reason",
    "usage",
    "responseId",
    "errorMessage",
    "error",
];

/// One event.
#[derive(Debug, Default)]
pub(super) struct Event<'a>([Option<Json<'a>>; NAMES.len()]);

impl<'a> Event<'a> {
    /// Reads an event; `None` if the text is no JSON object.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut pull = Pull::new(text);
        let mut event = Self::default();
        pull.object(|pull, key| {
            let json = pull.json()?;
            let place = NAMES.iter().position(|name| *name == key);
            if let Some(member) = place.and_then(|place| event.0.get_mut(place)) {
                *member = Some(json).filter(|json| !json.is_null());
            }
            Some(())
        })?;
        pull.end().map(|()| event)
    }

    /// A member that is there and not `null`.
    pub(super) fn get(&self, member: Member) -> Option<Json<'a>> {
        self.0.get(member as usize).copied().flatten()
    }

    /// A member that is a string.
    #[inline(never)]
    pub(super) fn text(&self, member: Member) -> Option<Cow<'a, str>> {
        self.get(member)?.as_str()
    }

    /// A string that says something.
    #[inline(never)]
    pub(super) fn string(&self, member: Member) -> Option<String> {
        let text = self.text(member).filter(|text| !text.is_empty());
        text.map(Cow::into_owned)
    }
}
