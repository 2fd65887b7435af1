//! Tool calls that wait for the app's yes or no.
//!
//! Owns who waits and what was decided. Refuses to know why a call needs approval, and what becomes
//! of one that is denied.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Context, Poll};

use crate::agent::wakers::Wakers;

/// What the model reads of a call on which nobody can decide any more.
const GONE: &str = "The agent was freed before anyone approved of this call.";

/// What became of a request for approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// The call may run.
    Approved,
    /// It may not; the reason is the result.
    Denied(String),
    /// Nobody has decided, but a steering message waits now.
    Steered,
}

/// The calls that wait, and the decisions on them. A decision may come before anyone waits for it:
/// from the listener that hears of the request, or from a page that has just been loaded again.
#[derive(Debug, Default)]
pub struct Approvals {
    calls: RefCell<Vec<Waiting>>,
    /// How often steering has come.
    steered: Cell<u32>,
    /// Whether nobody is left who could decide.
    is_closed: Cell<bool>,
    waiting: Wakers,
}

#[derive(Debug)]
struct Waiting {
    id: String,
    decision: Option<Approval>,
}

impl Approvals {
    /// A call waits from now on; asking again changes nothing. False if it is decided on already.
    pub fn request(&self, id: &str) -> bool {
        let mut calls = self.calls.borrow_mut();
        if let Some(call) = calls.iter().find(|call| call.id == id) {
            return call.decision.is_none();
        }
        calls.push(Waiting {
            id: id.to_owned(),
            decision: None,
        });
        true
    }

    /// Decides on a call. False if no such call waits, or it is decided on.
    pub fn decide(&self, id: &str, decision: Approval) -> bool {
        let mut calls = self.calls.borrow_mut();
        let undecided = |call: &&mut Waiting| call.id == id && call.decision.is_none();
        let Some(call) = calls.iter_mut().find(undecided) else {
            return false;
        };
        call.decision = Some(decision);
        drop(calls);
        self.waiting.wake();
        true
    }

    /// A steering message has come: whoever waits may see that the decision is needless.
    pub fn steer(&self) {
        self.steered.set(self.steered.get().wrapping_add(1));
        self.waiting.wake();
    }

    /// Nobody can decide any more: whoever waits, and whoever will, is denied.
    pub fn close(&self) {
        self.is_closed.set(true);
        self.waiting.wake();
    }

    /// A call waits no more.
    pub fn withdraw(&self, id: &str) {
        self.calls.borrow_mut().retain(|call| call.id != id);
    }

    /// No call waits any more.
    pub fn clear(&self) {
        self.calls.borrow_mut().clear();
    }

    /// The calls that nobody has decided on, oldest first.
    pub fn pending(&self) -> Vec<String> {
        let calls = self.calls.borrow();
        let pending = calls.iter().filter(|call| call.decision.is_none());
        pending.map(|call| call.id.clone()).collect()
    }

    /// Whether this call waits, decided on or not.
    pub fn is_requested(&self, id: &str) -> bool {
        self.calls.borrow().iter().any(|call| call.id == id)
    }

    /// The decision on a call, or the news of steering that comes first.
    pub fn decision(&self, id: &str) -> impl Future<Output = Approval> {
        let steered = self.steered.get();
        poll_fn(move |context| self.poll(id, steered, context))
    }

    fn poll(&self, id: &str, steered: u32, context: &mut Context<'_>) -> Poll<Approval> {
        let calls = self.calls.borrow();
        let call = calls.iter().find(|call| call.id == id);
        if let Some(decision) = call.and_then(|call| call.decision.clone()) {
            return Poll::Ready(decision);
        }
        if self.is_closed.get() {
            return Poll::Ready(Approval::Denied(GONE.to_owned()));
        }
        if self.steered.get() != steered {
            return Poll::Ready(Approval::Steered);
        }
        self.waiting.add(context);
        Poll::Pending
    }
}
