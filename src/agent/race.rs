//! Waiting for something, but not for ever and not beyond the abort.
//!
//! Everything that the loop awaits of the world is awaited through a [`Race`]. The future is boxed:
//! the states of those who wait then hold a pointer, and racing is compiled once per output and not
//! once per future.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::agent::abort::Abort;
use crate::agent::host::Clock;

/// Why a future was not waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The run was aborted.
    Aborted,
    /// A limit of time was reached.
    TimedOut,
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The output of a future, unless the abort or a limit comes first. Once complete, it is to be
/// dropped, and the future with it.
pub struct Race<'a, T> {
    abort: &'a Abort,
    future: Boxed<'a, T>,
    alarm: Option<Boxed<'a, ()>>,
}

impl<'a, T> Race<'a, T> {
    pub(super) fn new(abort: &'a Abort, future: Boxed<'a, T>) -> Self {
        Self {
            abort,
            future,
            alarm: None,
        }
    }

    /// The same, within a limit.
    #[must_use]
    pub fn within<C: Clock>(mut self, clock: &'a C, limit_ms: Option<f64>) -> Self {
        if let Some(ms) = limit_ms {
            self.alarm = Some(Box::pin(clock.sleep(ms)));
        }
        self
    }
}

impl<T> Future for Race<'_, T> {
    type Output = Result<T, Stopped>;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.abort.poll_fired(context).is_ready() {
            return Poll::Ready(Err(Stopped::Aborted));
        }
        if let Poll::Ready(output) = self.future.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        match &mut self.alarm {
            Some(alarm) => alarm
                .as_mut()
                .poll(context)
                .map(|()| Err(Stopped::TimedOut)),
            None => Poll::Pending,
        }
    }
}
