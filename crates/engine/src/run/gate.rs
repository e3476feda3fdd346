//! The start of a stage: workers make themselves ready, then all are released at one tick.

use std::sync::{Condvar, Mutex, PoisonError};

/// Where workers wait for their start.
#[derive(Debug)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    ready: usize,
    /// Which of them were counted.
    counted: Vec<bool>,
    /// Those among them that cannot work.
    refused: usize,
    stage_start: u64,
    /// Start tick of each worker, once it is known.
    starts: Vec<Option<u64>>,
    /// Kernel ids of the threads, 0 until known.
    threads: Vec<i32>,
    /// The stage is over before it began.
    cancelled: bool,
}

impl State {
    /// Counts a worker as ready, once; whether it was not yet.
    fn count(&mut self, worker: usize) -> bool {
        let first = !std::mem::replace(&mut self.counted[worker], true);
        self.ready += usize::from(first);
        first
    }
}

impl Gate {
    pub(super) fn new(workers: usize) -> Self {
        let state = State {
            ready: 0,
            counted: vec![false; workers],
            refused: 0,
            stage_start: 0,
            starts: vec![None; workers],
            threads: vec![0; workers],
            cancelled: false,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is plain numbers: a panic of another thread cannot leave it half made.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker is ready and waits for its start tick, which it gets with that of the stage; `None` = it
    /// is not to start at all.
    pub(super) fn wait(&self, worker: usize, thread: i32) -> Option<(u64, u64)> {
        let mut state = self.lock();
        state.count(worker);
        state.threads[worker] = thread;
        self.changed.notify_all();
        loop {
            if state.cancelled {
                return None;
            }
            if let Some(tick) = state.starts[worker] {
                return Some((tick, state.stage_start));
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A worker could not make itself ready; one that was ready is none of them.
    pub(super) fn give_up(&self, worker: usize) {
        let mut state = self.lock();
        if state.count(worker) {
            state.refused += 1;
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Whether no worker at all could make itself ready; known once [`Self::all_ready`] has returned.
    pub(super) fn no_worker_is_ready(&self) -> bool {
        let state = self.lock();
        state.refused == state.starts.len()
    }

    /// Waits until all workers are ready or have given up.
    pub(super) fn all_ready(&self) {
        let mut state = self.lock();
        while state.ready < state.starts.len() {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Releases workers at their ticks.
    pub(super) fn release(&self, stage_start: u64, starts: impl Iterator<Item = (usize, u64)>) {
        let mut state = self.lock();
        state.stage_start = stage_start;
        for (worker, tick) in starts {
            state.starts[worker] = Some(tick);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// No worker starts any more.
    pub(super) fn cancel(&self) {
        self.lock().cancelled = true;
        self.changed.notify_all();
    }

    /// Kernel id of a worker's thread; 0 = not known.
    pub(super) fn thread(&self, worker: usize) -> i32 {
        self.lock().threads[worker]
    }
}
