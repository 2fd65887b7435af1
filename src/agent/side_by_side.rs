//! Futures that run side by side on one task, and what they report.
//!
//! Owns who is polled when: a future is polled only if it was woken, in the order of the wakes, so
//! that many of them cost no more than their own work, and those that end together report in the
//! order in which they ended.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::agent::patience::Boxed;

/// What was reported, by index of the future.
type Reports<T> = RefCell<VecDeque<(usize, T)>>;

/// Futures that report on their way, through a [`Reporter`], and with their output.
pub(super) struct SideBySide<'a, T> {
    running: Vec<Option<Running<'a, T>>>,
    reports: Rc<Reports<T>>,
    wakes: Arc<Wakes>,
}

struct Running<'a, T> {
    future: Boxed<'a, T>,
    waker: Waker,
}

impl<'a, T> SideBySide<'a, T> {
    pub(super) fn new() -> Self {
        Self {
            running: Vec::new(),
            reports: Rc::default(),
            wakes: Arc::default(),
        }
    }

    /// Adds a future. It begins when a report is waited for.
    pub(super) fn add(&mut self, future: impl FnOnce(Reporter<T>) -> Boxed<'a, T>) {
        let wake = Arc::new(WakeOne {
            index: self.running.len(),
            wakes: self.wakes.clone(),
        });
        wake.wake_by_ref();
        let waker = Waker::from(wake.clone());
        let reporter = Reporter {
            reports: Rc::downgrade(&self.reports),
            wake,
        };
        let future = future(reporter);
        self.running.push(Some(Running { future, waker }));
    }

    /// The next report and whose it is; `None` when all have ended.
    pub(super) fn next(&mut self) -> impl Future<Output = Option<(usize, T)>> {
        poll_fn(|context| self.poll_next(context))
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<(usize, T)>> {
        // Counted: a future that wakes itself has its next turn behind whatever else the task does.
        let mut turns = self.wakes.begin(context);
        let mut has_news = !self.reports.borrow().is_empty();
        while !has_news && turns > 0 {
            has_news = self.poll_woken();
            turns -= 1;
        }
        let report = self.reports.borrow_mut().pop_front();
        if report.is_none() && self.running.iter().any(Option::is_some) {
            return Poll::Pending;
        }
        Poll::Ready(report)
    }

    /// Polls the future that was woken first. True when it ends: its output is behind its reports.
    fn poll_woken(&mut self) -> bool {
        let index = self.wakes.next();
        let slot = index.and_then(|index| self.running.get_mut(index));
        let (Some(index), Some(slot)) = (index, slot) else {
            return false;
        };
        let Some(Running { future, waker }) = slot else {
            return false;
        };
        let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(waker)) else {
            return false;
        };
        *slot = None;
        self.reports.borrow_mut().push_back((index, output));
        true
    }
}

/// Reports for one of the futures. Nobody listens when all have ended.
pub(super) struct Reporter<T> {
    reports: Weak<Reports<T>>,
    wake: Arc<WakeOne>,
}

impl<T> Reporter<T> {
    pub(super) fn report(&self, item: T) {
        if let Some(reports) = self.reports.upgrade() {
            reports.borrow_mut().push_back((self.wake.index, item));
            self.wake.wake_by_ref();
        }
    }
}

/// Who was woken. The standard library's wakers hold what could be sent to another thread.
#[derive(Default)]
struct Wakes(Mutex<Woken>);

#[derive(Default)]
struct Woken {
    /// Indices of futures, each at most once.
    futures: VecDeque<usize>,
    /// Whom to wake in turn.
    task: Option<Waker>,
}

impl Wakes {
    fn lock(&self) -> MutexGuard<'_, Woken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes go to this task from now on. How many there have been.
    fn begin(&self, context: &Context<'_>) -> usize {
        let mut woken = self.lock();
        woken.task = Some(context.waker().clone());
        woken.futures.len()
    }

    fn next(&self) -> Option<usize> {
        self.lock().futures.pop_front()
    }

    fn wake(&self, index: usize) {
        let mut woken = self.lock();
        if !woken.futures.contains(&index) {
            woken.futures.push_back(index);
        }
        let task = woken.task.take();
        drop(woken);
        if let Some(task) = task {
            task.wake();
        }
    }
}

struct WakeOne {
    index: usize,
    wakes: Arc<Wakes>,
}

impl Wake for WakeOne {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wakes.wake(self.index);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::rc::Rc;
    use std::task::{Context, Poll, Waker};

    use super::{Reporter, SideBySide};
    use crate::agent::abort::Latch;
    use crate::agent::patience::Boxed;

    /// What is reported until all wait or have ended.
    fn reports(all: &mut SideBySide<'_, &'static str>) -> Vec<(usize, &'static str)> {
        let mut context = Context::from_waker(Waker::noop());
        let mut seen = Vec::new();
        while let Poll::Ready(Some(report)) = all.poll_next(&mut context) {
            seen.push(report);
        }
        seen
    }

    fn waits<'a>(latch: &'a Latch, says: &'static str) -> Boxed<'a, &'static str> {
        Box::pin(async move {
            latch.opened().await;
            says
        })
    }

    #[test]
    fn what_ends_together_reports_in_the_order_in_which_it_ended() {
        let latches: Vec<Latch> = (0..3).map(|_| Latch::default()).collect();
        let mut all = SideBySide::new();
        for latch in &latches {
            all.add(|_| waits(latch, "ends"));
        }
        assert_eq!(reports(&mut all), []);
        for index in [2, 0, 1] {
            latches[index].open();
        }
        assert_eq!(reports(&mut all), [(2, "ends"), (0, "ends"), (1, "ends")]);
    }

    #[test]
    fn what_is_reported_on_the_way_comes_before_the_end_and_not_behind_it() {
        let kept: Rc<Cell<Option<Reporter<&'static str>>>> = Rc::default();
        let other = Latch::default();
        let mut all = SideBySide::new();
        all.add(|reporter| {
            let kept = kept.clone();
            Box::pin(async move {
                reporter.report("on the way");
                kept.set(Some(reporter));
                "ends"
            })
        });
        all.add(|_| waits(&other, "ends"));
        assert_eq!(reports(&mut all), [(0, "on the way"), (0, "ends")]);
        let late = kept.take().unwrap();
        late.report("late");
        other.open();
        assert_eq!(reports(&mut all), [(0, "late"), (1, "ends")]);
        drop(all);
        late.report("when nobody listens");
    }

    #[test]
    fn only_what_was_woken_is_polled() {
        let latches: Vec<Latch> = (0..300).map(|_| Latch::default()).collect();
        let polls = Cell::new(0);
        let mut all = SideBySide::new();
        for latch in &latches {
            all.add(|_| {
                Box::pin(poll_fn(|context| {
                    polls.set(polls.get() + 1);
                    latch.poll_opened(context).map(|()| "ends")
                }))
            });
        }
        assert_eq!(reports(&mut all), []);
        for (index, latch) in latches.iter().enumerate() {
            latch.open();
            assert_eq!(reports(&mut all), [(index, "ends")]);
        }
        assert_eq!(polls.get(), 600);
    }

    #[test]
    fn a_future_that_wakes_itself_does_not_hold_up_the_task() {
        let mut all: SideBySide<'_, &str> = SideBySide::new();
        all.add(|_| {
            Box::pin(poll_fn(|context| {
                context.waker().wake_by_ref();
                Poll::Pending
            }))
        });
        assert_eq!(reports(&mut all), []);
    }
}
