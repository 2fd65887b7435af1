//! Which result answers which call.

use crate::message::{Message, ToolResultMessage};

/// Pairs the calls of a transcript with their results: one entry for each call, in the order of
/// the calls.
///
/// Ids are unique within a turn at best, so a result belongs to the latest turn before it that has
/// an unanswered call of its id, and there to the first such call. What finds no call is left out.
pub(super) fn pair(messages: &[Message]) -> Vec<Option<&ToolResultMessage>> {
    let mut answers = Vec::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    for (turn, message) in messages.iter().enumerate() {
        match message {
            Message::User(_) => {}
            Message::Assistant(assistant) => {
                for call in assistant.tool_calls() {
                    open.push(Open {
                        id: &call.id,
                        turn,
                        call: answers.len(),
                    });
                    answers.push(None);
                }
            }
            Message::ToolResult(result) => {
                let asks = |open: &Open<'_>| open.id == result.tool_call_id;
                let turn = open.iter().rfind(|open| asks(open)).map(|open| open.turn);
                let first = open
                    .iter()
                    .position(|open| asks(open) && Some(open.turn) == turn);
                if let Some(first) = first
                    && let Some(answer) = answers.get_mut(open.remove(first).call)
                {
                    *answer = Some(result);
                }
            }
        }
    }
    answers
}

/// A call without a result.
struct Open<'a> {
    id: &'a str,
    /// The position of its message.
    turn: usize,
    /// Its number in the transcript.
    call: usize,
}
