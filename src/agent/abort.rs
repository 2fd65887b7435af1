//! One run's abort: fired once, seen everywhere.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::agent::wakers::Wakers;

/// Something that happens once and that any number of tasks can wait for. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Latch(Rc<State>);

#[derive(Debug, Default)]
struct State {
    is_open: Cell<bool>,
    waiting: Wakers,
}

impl Latch {
    /// It happens. A second time does nothing.
    pub fn open(&self) {
        self.0.is_open.set(true);
        self.0.waiting.wake();
    }

    /// Whether it has happened.
    pub fn is_open(&self) -> bool {
        self.0.is_open.get()
    }

    /// Ready when it has happened; until then, the task is woken when it does.
    pub fn poll_opened(&self, context: &mut Context<'_>) -> Poll<()> {
        if self.is_open() {
            return Poll::Ready(());
        }
        self.0.waiting.add(context);
        Poll::Pending
    }

    /// Completes when it has happened.
    pub fn opened(&self) -> impl Future<Output = ()> {
        poll_fn(|context| self.poll_opened(context))
    }
}

/// The abort of one run. Clones are the same abort.
#[derive(Debug, Clone, Default)]
pub struct Abort(Latch);

impl Abort {
    /// Aborts. A second time does nothing.
    pub fn fire(&self) {
        self.0.open();
    }

    /// Whether it was fired.
    pub fn is_fired(&self) -> bool {
        self.0.is_open()
    }

    /// Ready when it is fired.
    pub fn poll_fired(&self, context: &mut Context<'_>) -> Poll<()> {
        self.0.poll_opened(context)
    }
}
