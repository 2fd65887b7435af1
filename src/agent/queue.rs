//! Messages that wait for their turn: steering and follow-ups.
//!
//! A message is in the queue until the moment it is handed to the run, and the run puts every
//! message it is handed into the transcript, so none is lost and none is delivered twice.

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

/// One queue, oldest first.
#[derive(Debug, Clone)]
pub struct Queue<M> {
    /// How many messages a delivery takes.
    pub mode: QueueMode,
    waiting: Vec<M>,
}

impl<M> Default for Queue<M> {
    fn default() -> Self {
        Self {
            mode: QueueMode::default(),
            waiting: Vec::new(),
        }
    }
}

impl<M: Clone> Queue<M> {
    /// Accepts a message.
    pub fn push(&mut self, message: M) {
        self.waiting.push(message);
    }

    /// Hands over the next delivery; empty when nothing waits.
    pub fn take(&mut self) -> Vec<M> {
        let mut taken = std::mem::take(&mut self.waiting);
        if self.mode == QueueMode::OneAtATime && taken.len() > 1 {
            self.waiting = taken.split_off(1);
        }
        taken
    }

    /// Forgets all that waits.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What waits, oldest first.
    pub fn peek(&self) -> Vec<M> {
        self.waiting.clone()
    }
}

read_names!(QueueMode, "\"one-at-a-time\" or \"all\"", { "one-at-a-time" => OneAtATime, "all" => All });
