//! The event protocol: everything that happens in a run, as one ordered stream of typed events.
//!
//! Events nest on four levels: agent run › turn › message › tool. [`AgentEvent`] is that stream;
//! [`AssistantMessageEvent`] is the finer stream of one model call, which `message_update` carries.
//! [`laws`] states what holds for every stream and checks it.
//!
//! Both are generic over the [`Page`] whose values they carry: in a browser the page's own objects
//! pass through untouched, natively ([`Native`]) they are Rust types. The TypeScript types are made
//! from these structs, so the two cannot drift apart.

pub mod laws;
mod message;
mod run;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::message::{AssistantMessage, Message, ToolCall};

pub use message::*;
pub use run::*;

/// A value that events can carry.
pub trait Carried: Debug + Clone + PartialEq + Serialize + DeserializeOwned + 'static {}
impl<T: Debug + Clone + PartialEq + Serialize + DeserializeOwned + 'static> Carried for T {}

/// Whose values the events carry.
pub trait Page: Debug + Clone + PartialEq + 'static {
    /// A transcript message of any role, custom roles included.
    type Message: Carried;
    /// An assistant message, complete or so far.
    type Assistant: Carried + Into<Self::Message>;
    /// A tool call block.
    type ToolCall: Carried;
    /// What `message_update` carries.
    type Update: Carried;
    /// Any other value: arguments and results of tools.
    type Value: Carried;
}

/// The page of native code: plain Rust types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Native;

impl Page for Native {
    type Message = Message;
    type Assistant = AssistantMessage;
    type ToolCall = ToolCall;
    type Update = AssistantMessageEvent<Self>;
    type Value = Value;
}
