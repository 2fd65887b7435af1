//! What an item leaves behind in a message, so that it can be sent back to the model that made it.
//!
//! Owns the text of the opaque signatures: a JSON object with the item's id and, for thinking, all
//! of the item. An item that has not arrived as a whole leaves nothing. Refuses to trust what comes
//! back from the page: what is not usable in a signature is not used.
//!
//! | block | signature |
//! |---|---|
//! | text | `{"id":"msg_…","phase":"…"}` |
//! | thinking | `{"type":"reasoning","id":"rs_…","summary":[…],"encrypted_content":"…"}` |
//! | tool call | `{"id":"fc_…"}`, or `{"type":"custom_tool_call","id":"ctc_…"}` |

use std::borrow::Cow;

use super::wire::{Kind, text};
use crate::protocol::history;
use crate::text::json::{Json, JsonWriter};

/// The `type` of a call whose input is plain text.
pub(super) const CUSTOM: &str = "custom_tool_call";

/// The signature of a message or a call; none if the output limit cut it.
pub(super) fn of_item(item: Json<'_>, kind: Kind) -> Option<String> {
    if text(item, "status") == "incomplete" {
        return None;
    }
    let mut json = JsonWriter::default();
    json.object(|json| {
        if kind == Kind::Custom {
            json.key("type").string(CUSTOM);
        }
        for name in ["id", "phase"] {
            let value = text(item, name);
            if !value.is_empty() {
                json.key(name).string(&value);
            }
        }
    });
    Some(json.into_text())
}

/// The signature of thinking, which is the item to send back; made from the item that was received
/// or from such a signature. None without encrypted content: to a server that keeps nothing, an id
/// alone says nothing, and readable thinking is refused ("Conversation state", "Reasoning models").
pub(super) fn of_reasoning(item: Json<'_>) -> Option<String> {
    let encrypted = text(item, "encrypted_content");
    if encrypted.is_empty() {
        return None;
    }
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.key("type").string("reasoning");
        if let Some(id) = id(item, "rs") {
            json.key("id").string(&id);
        }
        let summary = item.get("summary").filter(|summary| summary.is_array());
        json.key("summary").raw(summary.map_or("[]", Json::text));
        json.key("encrypted_content").string(&encrypted);
    });
    Some(json.into_text())
}

/// The id of an item, if it is one that the API takes back: with the prefix of its kind, and of at
/// most 64 letters, digits, `_` and `-`.
pub(super) fn id<'a>(item: Json<'a>, prefix: &str) -> Option<Cow<'a, str>> {
    let id = text(item, "id");
    let is_valid = id.starts_with(prefix) && matches!(history::valid_name(&id), Cow::Borrowed(_));
    is_valid.then_some(id)
}
