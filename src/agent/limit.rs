//! Limits of time.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use crate::agent::host::Clock;

/// A limit of time was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimedOut;

/// The output of `future` if it is there within the limit.
pub(super) async fn within<C: Clock, T>(
    clock: &C,
    limit_ms: Option<f64>,
    future: impl Future<Output = T>,
) -> Result<T, TimedOut> {
    let mut future = pin!(future);
    let mut alarm = limit_ms.map(|ms| Box::pin(clock.sleep(ms)));
    poll_fn(|context| {
        if let Poll::Ready(output) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        match &mut alarm {
            Some(alarm) => alarm.as_mut().poll(context).map(|()| Err(TimedOut)),
            None => Poll::Pending,
        }
    })
    .await
}
