//! One run's abort: fired once, seen everywhere.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;

use futures::channel::oneshot;
use futures::future::{Either, FutureExt, Shared, select};

/// The run was aborted while something was awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

/// The abort of one run. Clones are the same abort.
#[derive(Debug, Clone)]
pub struct Abort {
    fired: Rc<Cell<bool>>,
    trigger: Rc<RefCell<Option<oneshot::Sender<()>>>>,
    signal: Shared<oneshot::Receiver<()>>,
}

impl Default for Abort {
    fn default() -> Self {
        let (trigger, signal) = oneshot::channel();
        Self {
            fired: Rc::default(),
            trigger: Rc::new(RefCell::new(Some(trigger))),
            signal: signal.shared(),
        }
    }
}

impl Abort {
    /// Aborts. A second time does nothing.
    pub fn fire(&self) {
        self.fired.set(true);
        let trigger = self.trigger.borrow_mut().take();
        if let Some(trigger) = trigger {
            // The receiver lives in `self`.
            let _ = trigger.send(());
        }
    }

    /// Whether it was fired.
    pub fn is_fired(&self) -> bool {
        self.fired.get()
    }

    /// Completes when it is fired.
    pub async fn fired(&self) {
        let _ = self.signal.clone().await;
    }

    /// The output of `future`, unless the abort comes first; then `future` is dropped where it is.
    ///
    /// # Errors
    /// [`Aborted`] when the abort was fired before `future` was complete.
    pub async fn race<T>(&self, future: impl Future<Output = T>) -> Result<T, Aborted> {
        if self.is_fired() {
            return Err(Aborted);
        }
        let fired = pin!(self.fired());
        match select(fired, pin!(future)).await {
            Either::Left(_) => Err(Aborted),
            Either::Right((output, _)) => Ok(output),
        }
    }
}
