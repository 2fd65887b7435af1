//! What an agent is beyond its runs: state, listeners, options, tools and queues.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::agent::approval::Approvals;
use crate::agent::host::InterruptMode;
use crate::agent::queue::Queue;
use crate::js::live::Channel;
use crate::js::options::Options;
use crate::js::page::Handle;
use crate::js::run_control::RunControl;
use crate::js::state::State;
use crate::js::tool::ToolSet;
use crate::js::{transcript, value};
use crate::model::Model;

/// Everything that outlives a run.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) state: State,
    pub(super) channel: Channel,
    pub(super) options: Options,
    pub(super) interrupt_mode: Cell<InterruptMode>,
    pub(super) tools: RefCell<Rc<ToolSet>>,
    pub(super) steering: RefCell<Queue<Handle>>,
    pub(super) follow_ups: RefCell<Queue<Handle>>,
    pub(super) approvals: Approvals,
    pub(super) run: RefCell<Option<RunControl>>,
}

impl Core {
    pub(super) fn new(state: State, options: Options) -> Self {
        let core = Self {
            channel: Channel::new(state.record()),
            state,
            interrupt_mode: Cell::new(options.rules.interrupt_mode),
            tools: RefCell::default(),
            steering: RefCell::default(),
            follow_ups: RefCell::default(),
            approvals: Approvals::default(),
            run: RefCell::default(),
            options,
        };
        core.steering.borrow_mut().mode = core.options.steering_mode;
        core.follow_ups.borrow_mut().mode = core.options.follow_up_mode;
        core
    }

    /// The tools as the state has them now, checked.
    pub(super) fn tool_set(&self) -> Result<Rc<ToolSet>, JsValue> {
        let tools = self.state.get("tools");
        let known = self.tools.borrow().clone();
        if known.is_of(&tools) {
            return Ok(known);
        }
        let set = Rc::new(ToolSet::read(&tools)?);
        *self.tools.borrow_mut() = set.clone();
        Ok(set)
    }
}

/// Reads a model of the app.
///
/// # Errors
/// What is missing or wrong.
pub(super) fn read_model(model: &JsValue) -> Result<Model, String> {
    if !value::is_plain_object(model) {
        return Err(format!(
            "model must be an object with id and api, but is {}.",
            value::kind(model)
        ));
    }
    for name in ["baseURL", "base_url", "url"] {
        if !value::get(model, name).is_undefined() && value::get(model, "baseUrl").is_undefined() {
            // Ignoring it would send the conversation, and the key, to the protocol's own provider.
            return Err(["model has no \"", name, "\": the name is baseUrl."].concat());
        }
    }
    transcript::read(model).map_err(|problem| format!("model: {problem}."))
}
