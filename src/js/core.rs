//! What an agent is beyond its runs: state, listeners, options, tools and queues.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::agent::approval::Approvals;
use crate::agent::host::InterruptMode;
use crate::agent::queue::QueueMode;
use crate::js::live::Channel;
use crate::js::options::{Options, Owner};
use crate::js::queue::Queue;
use crate::js::run_control::RunControl;
use crate::js::state::State;
use crate::js::tool::{ToolSet, Tools};

/// Everything that outlives a run.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) state: State,
    pub(super) channel: Channel,
    pub(super) options: Options,
    pub(super) interrupt_mode: Cell<InterruptMode>,
    /// What is known of the tools that are set.
    tools: RefCell<Rc<ToolSet>>,
    pub(super) steering: Queue,
    pub(super) follow_ups: Queue,
    pub(super) approvals: Approvals,
    pub(super) run: RefCell<Option<RunControl>>,
}

impl Core {
    /// Reads options. `stream_fn` stands for the option of this name.
    ///
    /// # Errors
    /// An error that names the option and what it must be.
    pub(super) fn new(
        options: &JsValue,
        owner: Owner,
        stream_fn: &JsValue,
    ) -> Result<Self, JsValue> {
        let (options, given) = Options::read(options, owner, stream_fn)?;
        let channel = Channel::new(&given);
        // What the bare loop's callbacks give at once goes out at once: the app lists it no more.
        let mode = |mode| {
            if owner == Owner::Loop {
                QueueMode::All
            } else {
                mode
            }
        };
        let state = State::new(&channel);
        Ok(Self {
            steering: Queue::new(&state, "steering", mode(options.steering_mode)),
            follow_ups: Queue::new(&state, "followUp", mode(options.follow_up_mode)),
            state,
            channel,
            interrupt_mode: Cell::new(options.rules.interrupt_mode),
            tools: RefCell::default(),
            approvals: Approvals::default(),
            run: RefCell::default(),
            options,
        })
    }

    /// Sets what the state has as tools. `is_told` for those that a model is only told of.
    ///
    /// # Errors
    /// Which tool is wrong, and what it must be.
    pub(super) fn set_tools(&self, tools: &JsValue, is_told: bool) -> Result<(), JsValue> {
        self.tools.replace(Rc::new(ToolSet::read(tools, is_told)?));
        self.channel.set_tools(tools);
        Ok(())
    }

    /// The tools as the state has them now, checked.
    pub(super) fn tools(&self) -> Result<Tools, JsValue> {
        let tools = self.state.get("tools");
        if !self.channel.has_tools(&tools) {
            self.set_tools(&tools, false)?;
        }
        Ok(Tools::new(
            self.tools.borrow().clone(),
            self.channel.tools(),
        ))
    }
}
