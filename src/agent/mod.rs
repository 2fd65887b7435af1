//! The agent loop: runs of turns, model calls, tools, queues and abort.
//!
//! The loop is plain asynchronous code, generic over the [`host::Host`] that connects it to the
//! world. It owns every decision about a run; it owns no transcript (the host does) and knows no
//! browser. One run is [`run::run`], one model call is [`model_call::call_model`].

pub mod abort;
pub mod approval;
pub mod host;
pub mod model_call;
mod patience;
pub mod queue;
pub mod retry;
pub mod run;
pub mod script;
mod side_by_side;
mod tools;
mod wakers;
