//! Waiting for something, but not beyond the abort and not for ever.
//!
//! Everything that the loop awaits of the world is awaited through a [`Patience`]. The future is
//! boxed: the states of those who wait then hold a pointer, and waiting is compiled once per output
//! and not once per future.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::agent::abort::Abort;
use crate::agent::host::Clock;

/// Why something is waited for no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The run was aborted.
    Aborted,
    /// The limit of time was reached.
    TimedOut,
}

/// A future of any type.
pub(super) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Waits for one thing after the other. The timer is set anew only when it goes off too early: one
/// for every chunk of a response would cost more than the chunk.
pub(super) struct Patience<'a, C> {
    abort: &'a Abort,
    clock: &'a C,
    /// When the wait that is under way has lasted too long, in milliseconds since 1970. Not known
    /// before there is something to wait for.
    deadline: Option<f64>,
    alarm: Option<Alarm<'a>>,
}

struct Alarm<'a> {
    /// When it goes off, in milliseconds since 1970.
    at: f64,
    timer: Boxed<'a, ()>,
}

impl<'a, C: Clock> Patience<'a, C> {
    pub(super) fn new(abort: &'a Abort, clock: &'a C) -> Self {
        Self {
            abort,
            clock,
            deadline: None,
            alarm: None,
        }
    }

    /// The output of `future`, unless the abort or the limit comes first.
    pub(super) fn wait<'w, T>(
        &'w mut self,
        limit_ms: Option<f64>,
        future: impl Future<Output = T> + 'w,
    ) -> Wait<'w, 'a, C, T> {
        self.deadline = None;
        Wait {
            patience: self,
            limit_ms,
            future: Box::pin(future),
        }
    }

    #[inline(never)]
    fn poll_limit(&mut self, limit_ms: f64, context: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock;
        let deadline = *self.deadline.get_or_insert_with(|| clock.now() + limit_ms);
        loop {
            // An alarm that goes off earlier is set anew then.
            let alarm = self.alarm.take().filter(|alarm| alarm.at <= deadline);
            let mut alarm = alarm.unwrap_or_else(|| Alarm {
                at: deadline,
                timer: Box::pin(clock.sleep(deadline - clock.now())),
            });
            if alarm.timer.as_mut().poll(context).is_pending() {
                self.alarm = Some(alarm);
                return Poll::Pending;
            }
            if alarm.at >= deadline || clock.now() >= deadline {
                return Poll::Ready(());
            }
        }
    }
}

/// Something that is waited for. Once complete, it is to be dropped, and the future with it.
pub(super) struct Wait<'w, 'a, C, T> {
    patience: &'w mut Patience<'a, C>,
    limit_ms: Option<f64>,
    future: Boxed<'w, T>,
}

impl<C: Clock, T> Future for Wait<'_, '_, C, T> {
    type Output = Result<T, Stopped>;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.patience.abort.poll_fired(context).is_ready() {
            return Poll::Ready(Err(Stopped::Aborted));
        }
        if let Poll::Ready(output) = self.future.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        let Some(limit_ms) = self.limit_ms else {
            return Poll::Pending;
        };
        let over = self.patience.poll_limit(limit_ms, context);
        over.map(|()| Err(Stopped::TimedOut))
    }
}
