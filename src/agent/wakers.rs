//! Tasks that wait for the same thing.

use std::cell::RefCell;
use std::task::{Context, Waker};

/// Who is woken when it happens.
#[derive(Debug, Default)]
pub(super) struct Wakers(RefCell<Vec<Waker>>);

impl Wakers {
    /// The task waits. One that is polled again and again is woken once.
    #[inline(never)]
    pub(super) fn add(&self, context: &Context<'_>) {
        let mut wakers = self.0.borrow_mut();
        if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            wakers.push(context.waker().clone());
        }
    }

    /// It happens.
    #[inline(never)]
    pub(super) fn wake(&self) {
        self.0.take().into_iter().for_each(Waker::wake);
    }
}
