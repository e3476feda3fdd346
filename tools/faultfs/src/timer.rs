//! Answers at a given moment: a heap of deadlines and one thread that sleeps, then spins.
//!
//! Sleeping alone is late by the kernel's timer slack and the wake-up; a delay that tests hold a tool
//! to has to be better than that, so the last stretch before a deadline is spun.

use crate::faults::Faults;
use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long before a deadline sleeping ends: timer slack (50 us) and a wake-up.
const SPIN: Duration = Duration::from_micros(90);

/// What is done when its moment has come.
type Action = Box<dyn FnOnce() + Send>;

/// Now.
#[expect(
    clippy::disallowed_methods,
    reason = "a test tool keeps real time; nothing is simulated"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

struct Entry {
    at: Instant,
    /// Order of coming, so that equal deadlines keep it.
    number: u64,
    action: Action,
}

// A heap gives its greatest first; the greatest entry is the one due first.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl Eq for Entry {}

#[derive(Default)]
struct Queue {
    heap: BinaryHeap<Entry>,
    numbers: u64,
    ended: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs actions at their time on a thread of its own; dropped, it forgets those that are left.
pub(crate) struct Timer {
    shared: Arc<Shared>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Timer {
    /// Starts the thread. Stalls of `faults` hold back what is already waiting.
    pub(crate) fn start(faults: Arc<Faults>) -> Self {
        let shared = Arc::new(Shared::default());
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || serve(&for_thread, &faults));
        Self {
            shared,
            thread: Some(thread),
        }
    }

    /// Runs `action` at `at`.
    pub(crate) fn at(&self, at: Instant, action: Action) {
        let mut queue = self.shared.queue();
        queue.numbers += 1;
        let number = queue.numbers;
        let first = queue.heap.peek().is_none_or(|entry| at < entry.at);
        queue.heap.push(Entry { at, number, action });
        drop(queue);
        if first {
            self.shared.changed.notify_one();
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let mut queue = self.shared.queue();
        queue.ended = true;
        queue.heap.clear();
        drop(queue);
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn serve(shared: &Shared, faults: &Faults) {
    let mut queue = shared.queue();
    while !queue.ended {
        let Some(due) = queue.heap.peek().map(|entry| entry.at) else {
            queue = shared
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let left = due.saturating_duration_since(now());
        if left > SPIN {
            let waited = shared.changed.wait_timeout(queue, left - SPIN);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        if left.is_zero() {
            if let Some(mut entry) = queue.heap.pop() {
                if let Some(until) = faults.stalled_until(now()) {
                    entry.at = until;
                    queue.heap.push(entry);
                    continue;
                }
                drop(queue);
                (entry.action)();
            }
        } else {
            drop(queue);
            // Long enough for others to take the lock in between, short against a microsecond.
            for _ in 0..32 {
                std::hint::spin_loop();
            }
        }
        queue = shared.queue();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command;
    use std::sync::mpsc;

    #[test]
    fn actions_run_in_the_order_of_their_time_and_not_before_it() {
        let timer = Timer::start(Arc::new(Faults::new()));
        let (sender, receiver) = mpsc::channel();
        let start = now();
        for millis in [5, 1, 3, 1] {
            let sender = sender.clone();
            let at = start + Duration::from_millis(millis);
            timer.at(
                at,
                Box::new(move || sender.send((millis, now() >= at)).unwrap()),
            );
        }
        let order: Vec<(u64, bool)> = receiver.iter().take(4).collect();
        assert_eq!(order, [(1, true), (1, true), (3, true), (5, true)]);
    }

    #[test]
    fn a_stall_holds_what_is_waiting_already() {
        let faults = Arc::new(Faults::new());
        let timer = Timer::start(Arc::clone(&faults));
        let (sender, receiver) = mpsc::channel();
        let start = now();
        timer.at(
            start + Duration::from_millis(20),
            Box::new(move || sender.send(start.elapsed()).unwrap()),
        );
        faults.apply(&command::parse("stall 100ms").unwrap(), start);
        assert!(receiver.recv().unwrap() >= Duration::from_millis(100));
    }

    #[test]
    fn what_is_left_at_the_end_is_dropped_without_waiting() {
        let timer = Timer::start(Arc::new(Faults::new()));
        let (sender, receiver) = mpsc::channel::<()>();
        timer.at(
            now() + Duration::from_secs(3600),
            Box::new(move || drop(sender)),
        );
        drop(timer);
        assert!(receiver.recv().is_err());
    }
}
