//! Messages that wait in an agent. They are the page's, as its state is, and stand behind it.

use std::cell::Cell;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::agent::queue::QueueMode;
use crate::js::page::Handle;
use crate::js::state::State;
use crate::js::value;

/// One queue, oldest first.
#[derive(Debug)]
pub(super) struct Queue {
    state: State,
    /// Its name in the state.
    name: &'static str,
    /// How many messages a delivery takes.
    pub(super) mode: Cell<QueueMode>,
}

impl Queue {
    pub(super) fn new(state: &State, name: &'static str, mode: QueueMode) -> Self {
        Self {
            state: state.clone(),
            name,
            mode: Cell::new(mode),
        }
    }

    /// Accepts a message.
    pub(super) fn push(&self, message: &JsValue) {
        self.state.append(self.name, message);
    }

    /// Hands over the next delivery; empty when nothing waits.
    pub(super) fn take(&self) -> Vec<Handle> {
        let mut waiting = value::items(&self.state.get(self.name));
        let taken = self.mode.get().take(&mut waiting);
        self.state.set_list(self.name, &waiting);
        taken.into_iter().map(Handle).collect()
    }

    /// Forgets all that waits.
    pub(super) fn clear(&self) {
        self.state.set_list(self.name, &[]);
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        value::items(&self.state.get(self.name)).is_empty()
    }

    /// What waits, in an array of its own.
    pub(super) fn peek(&self) -> Array {
        value::items(&self.state.get(self.name)).iter().collect()
    }
}
