//! Limits of time.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use crate::agent::host::Clock;

/// A limit of time was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimedOut;

/// Limits one wait after the other with a timer that is set anew only when it goes off too early: a
/// timer for every chunk of a response would cost more than the chunk.
pub(super) struct Watchdog<'a, C> {
    clock: &'a C,
    alarm: Option<Alarm<'a>>,
}

struct Alarm<'a> {
    /// When it goes off, in milliseconds since 1970.
    at: f64,
    timer: Pin<Box<dyn Future<Output = ()> + 'a>>,
}

impl<'a, C: Clock> Watchdog<'a, C> {
    pub(super) fn new(clock: &'a C) -> Self {
        Self { clock, alarm: None }
    }

    /// The output of `future` if it is there within the limit.
    pub(super) async fn watch<T>(
        &mut self,
        limit_ms: Option<f64>,
        future: impl Future<Output = T>,
    ) -> Result<T, TimedOut> {
        let mut future = pin!(future);
        let deadline = limit_ms.map(|limit_ms| self.clock.now() + limit_ms);
        poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Ok(output));
            }
            match deadline {
                Some(deadline) => self
                    .poll_deadline(deadline, context)
                    .map(|()| Err(TimedOut)),
                None => Poll::Pending,
            }
        })
        .await
    }

    fn poll_deadline(&mut self, deadline: f64, context: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock;
        let set = || Alarm {
            at: deadline,
            timer: Box::pin(clock.sleep(deadline - clock.now())),
        };
        // An alarm that goes off earlier is set anew then.
        let mut alarm = self
            .alarm
            .take()
            .filter(|alarm| alarm.at <= deadline)
            .unwrap_or_else(set);
        while alarm.timer.as_mut().poll(context).is_ready() {
            if clock.now() >= deadline || alarm.at >= deadline {
                return Poll::Ready(());
            }
            alarm = set();
        }
        self.alarm = Some(alarm);
        Poll::Pending
    }
}
