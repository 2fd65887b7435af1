//! Limits of time.

use std::future::Future;
use std::pin::pin;

use futures::future::{Either, select};

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
    let Some(limit_ms) = limit_ms else {
        return Ok(future.await);
    };
    match select(pin!(future), pin!(clock.sleep(limit_ms))).await {
        Either::Left((output, _)) => Ok(output),
        Either::Right(_) => Err(TimedOut),
    }
}
