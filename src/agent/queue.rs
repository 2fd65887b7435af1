//! Messages that wait for their turn: steering and follow-ups.
//!
//! A message waits until the moment it is handed to the run, and the run puts every message it is
//! handed into the transcript, so none is lost and none is delivered twice. Where messages wait is
//! the host's business.

use serde::Serialize;

use crate::text::json::read_names;

/// How many waiting messages one delivery takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum QueueMode {
    /// The oldest.
    #[default]
    OneAtATime,
    /// All of them.
    All,
}

impl QueueMode {
    /// Takes the next delivery from what waits, oldest first; empty when nothing does.
    pub fn take<M>(self, waiting: &mut Vec<M>) -> Vec<M> {
        let mut taken = std::mem::take(waiting);
        if self == Self::OneAtATime && taken.len() > 1 {
            *waiting = taken.split_off(1);
        }
        taken
    }
}

read_names!(QueueMode, "\"one-at-a-time\" or \"all\"", { "one-at-a-time" => OneAtATime, "all" => All });
