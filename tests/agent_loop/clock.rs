//! Time that passes only when nothing else can happen.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// When, and which of those that are due then.
type Key = (u64, u64);

enum Timer {
    Sleeper(Waker),
    Action(Box<dyn FnOnce()>),
}

/// A virtual clock. Clones are the same clock.
#[derive(Clone, Default)]
pub struct VirtualClock(Rc<State>);

#[derive(Default)]
struct State {
    now: Cell<u64>,
    count: Cell<u64>,
    timers: RefCell<BTreeMap<Key, Timer>>,
}

impl VirtualClock {
    /// Milliseconds, as the loop wants them.
    pub fn now(&self) -> f64 {
        self.0.now.get() as f64
    }

    fn key(&self, ms: f64) -> Key {
        let count = self.0.count.get();
        self.0.count.set(count + 1);
        (self.0.now.get() + ms as u64, count)
    }

    pub fn sleep(&self, ms: f64) -> Sleep {
        Sleep {
            clock: self.clone(),
            key: self.key(ms),
        }
    }

    /// Does something later.
    pub fn after(&self, ms: f64, action: impl FnOnce() + 'static) {
        let key = self.key(ms);
        let action = Timer::Action(Box::new(action));
        self.0.timers.borrow_mut().insert(key, action);
    }

    /// How many futures wait for this clock.
    pub fn sleepers(&self) -> usize {
        let timers = self.0.timers.borrow();
        let sleepers = timers.values();
        sleepers
            .filter(|timer| matches!(timer, Timer::Sleeper(_)))
            .count()
    }

    /// Goes on to the next timer. False if there is none.
    fn advance(&self) -> bool {
        let Some(((at, _), timer)) = self.0.timers.borrow_mut().pop_first() else {
            return false;
        };
        self.0.now.set(at.max(self.0.now.get()));
        match timer {
            Timer::Sleeper(waker) => waker.wake(),
            Timer::Action(action) => action(),
        }
        true
    }

    /// Runs a future to its end.
    pub fn drive<T>(&self, future: impl Future<Output = T>) -> T {
        struct Flag(AtomicBool);
        impl Wake for Flag {
            fn wake(self: Arc<Self>) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        let waker = Waker::from(flag.clone());
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        for _ in 0..100_000 {
            while flag.0.swap(false, Ordering::Relaxed) {
                if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                    return output;
                }
            }
            assert!(self.advance(), "the run hangs: nothing can wake it");
        }
        panic!("the run does not end");
    }

    /// Lets everything happen that is planned.
    pub fn run_out(&self) {
        while self.advance() {}
    }
}

/// Completes when its time has come.
pub struct Sleep {
    clock: VirtualClock,
    key: Key,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let state = &self.clock.0;
        if state.now.get() >= self.key.0 {
            return Poll::Ready(());
        }
        let timer = Timer::Sleeper(context.waker().clone());
        state.timers.borrow_mut().insert(self.key, timer);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.clock.0.timers.borrow_mut().remove(&self.key);
    }
}
