//! pread(2) and pwrite(2) by threads: as many I/Os at once as are queued, on files of which the kernel takes no I/O
//! without doing it. io_uring has each I/O there done by a thread of the kernel, which costs more than a short I/O
//! itself, and does the writes to one file one after the other.
//!
//! An I/O that takes no longer than handing it to another thread does (a copy in memory) is done by the worker's own
//! thread, one after the other, as io_uring does what is in the page cache; the call comes back when all that were
//! queued have ended. Longer ones are taken by helpers, of which there are in the end as many as the depth. Which of the
//! two it is follows from how long the latest took.
//!
//! No signal ends a worker's wait here, so none is longer than `LONGEST_WAIT`. Must never: have two threads do one
//! request.

#![expect(
    unsafe_code,
    reason = "slots are raw memory; descriptors arrive as numbers"
)]

use super::psync::{perform, plain};
use super::setup::{Buffers, DRAIN_LIMIT_SECS, Done};
use super::{Backend, Request, Setup, SetupError};
use crate::clock::{Clock, HostClock};
use leadline_model::units::Nanos;
use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// I/Os that take less than this are not worth another thread, in nanoseconds: waking one costs about as much.
const WORTH_A_THREAD_NS: u64 = 8_000;
/// A worker that waits looks at its orders at least this often.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// What a helper needs of its stack is a few calls.
const STACK: usize = 64 << 10;

/// The files and buffers, which the threads of one worker share.
struct SharedTargets {
    fds: Box<[RawFd]>,
    buffers: Buffers,
}

// SAFETY: the addresses in `buffers` are used for the slot of a request only, a request is done by one thread, and
// nothing else touches its slot meanwhile (promise of `Setup`). The memory lives as long as its owner, which is in
// `buffers`, or as the back end, which waits for its threads where there is no owner.
unsafe impl Send for SharedTargets {}
// SAFETY: as above.
unsafe impl Sync for SharedTargets {}

/// What is between a worker and its helpers.
#[derive(Default)]
struct Desk {
    todo: VecDeque<Request>,
    /// Slot, result, and how long it took in nanoseconds.
    done: Vec<(u16, i32, u64)>,
    /// The worker waits for this many in `done`; 0 = it does not.
    wanted: usize,
    /// Helpers that wait for something to do.
    idle: usize,
    over: bool,
}

struct Shared {
    place: SharedTargets,
    desk: Mutex<Desk>,
    work: Condvar,
    ended: Condvar,
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does one request.
    fn perform(&self, request: &Request) -> i32 {
        perform(&self.place.fds, &self.place.buffers, request, plain)
    }

    /// The life of a helper.
    fn help(&self) {
        let clock = HostClock::get();
        let mut desk = self.desk();
        while !desk.over {
            let Some(request) = desk.todo.pop_front() else {
                desk.idle += 1;
                let woken = self.work.wait(desk);
                desk = woken.unwrap_or_else(PoisonError::into_inner);
                desk.idle -= 1;
                continue;
            };
            drop(desk);
            let before = clock.ticks();
            let result = self.perform(&request);
            let took = clock.nanos(clock.ticks() - before);
            desk = self.desk();
            desk.done.push((request.slot, result, took));
            if desk.wanted > 0 && desk.done.len() >= desk.wanted {
                desk.wanted = 0;
                self.ended.notify_one();
            }
        }
    }
}

/// A worker's threads.
pub struct Threads {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
    depth: usize,
    clock: HostClock,
    queued: Vec<Request>,
    done: Done,
    /// Handed to helpers, not yet in `done`.
    handed: u32,
    last: u32,
    /// How long an I/O takes, in nanoseconds.
    cost: u64,
}

impl Threads {
    /// Makes one. Its helpers begin when there is something for them to do.
    ///
    /// # Safety
    /// The promises of [`Setup`].
    ///
    /// # Errors
    /// [`SetupError`] when a power is asked for that only other back ends have.
    pub unsafe fn new(setup: &Setup<'_>) -> Result<(Self, Vec<String>), SetupError> {
        let depth = setup.depth as usize;
        let desk = Desk {
            todo: VecDeque::with_capacity(depth),
            done: Vec::with_capacity(depth),
            ..Desk::default()
        };
        let shared = Shared {
            place: SharedTargets {
                fds: setup.handles.fds().into(),
                buffers: setup.buffers.clone(),
            },
            desk: Mutex::new(desk),
            work: Condvar::new(),
            ended: Condvar::new(),
        };
        let this = Self {
            shared: Arc::new(shared),
            helpers: Vec::with_capacity(depth),
            depth,
            clock: HostClock::get(),
            queued: Vec::with_capacity(depth),
            done: Done::new(setup.depth),
            handed: 0,
            last: 0,
            // Until something is known.
            cost: WORTH_A_THREAD_NS,
        };
        Ok((this, Vec::new()))
    }

    /// Learns from what an I/O took: at once that it was less, and slowly that it was more, which it also was where
    /// the thread had to wait for its processor.
    fn learn(&mut self, took: u64) {
        self.cost = if took <= self.cost {
            took
        } else {
            self.cost + (took.min(4 * self.cost) - self.cost).div_ceil(16)
        };
    }

    /// Does all that is queued in this thread.
    fn run(&mut self) {
        let before = self.clock.ticks();
        for request in &self.queued {
            self.done.push(request.slot, self.shared.perform(request));
        }
        let took = self.clock.nanos(self.clock.ticks() - before);
        self.learn(took / self.queued.len().max(1) as u64);
        self.queued.clear();
    }

    /// Gives all that is queued to helpers.
    fn hand_over(&mut self) -> io::Result<()> {
        let mut desk = self.shared.desk();
        desk.todo.extend(self.queued.drain(..));
        let (todo, idle) = (desk.todo.len(), desk.idle);
        drop(desk);
        self.handed += self.last;
        for _ in 0..todo.min(idle) {
            self.shared.work.notify_one();
        }
        let more = todo.saturating_sub(idle);
        for _ in 0..more.min(self.depth - self.helpers.len()) {
            let shared = Arc::clone(&self.shared);
            let helper = std::thread::Builder::new()
                .name("io-helper".into())
                .stack_size(STACK)
                .spawn(move || shared.help());
            match helper {
                Ok(helper) => self.helpers.push(helper),
                Err(_) if !self.helpers.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes what helpers have done, once there are `want` of it or the time is over.
    fn take(&mut self, want: usize, timeout: Option<Nanos>) {
        let shared = Arc::clone(&self.shared);
        let mut desk = shared.desk();
        if desk.done.len() < want {
            desk.wanted = want;
            let limit = timeout.map_or(LONGEST_WAIT, |t| Duration::from_nanos(t.0));
            let woken = shared
                .ended
                .wait_timeout_while(desk, limit.min(LONGEST_WAIT), |desk| desk.wanted > 0);
            desk = woken.unwrap_or_else(PoisonError::into_inner).0;
            desk.wanted = 0;
        }
        self.handed -= u32::try_from(desk.done.len()).unwrap_or(self.handed);
        while let Some((slot, result, took)) = desk.done.pop() {
            self.done.push(slot, result);
            self.learn(took);
        }
    }
}

impl Backend for Threads {
    #[inline]
    fn queue(&mut self, request: &Request) {
        self.queued.push(*request);
    }

    #[inline]
    fn submit_and_wait(&mut self, want: u32, timeout: Option<Nanos>) -> io::Result<()> {
        self.last = u32::try_from(self.queued.len()).unwrap_or(u32::MAX);
        if self.last > 0 && self.cost < WORTH_A_THREAD_NS {
            self.run();
        } else if self.last > 0 {
            self.hand_over()?;
        }
        if self.handed > 0 {
            let want = want.saturating_sub(self.done.len()).min(self.handed);
            self.take(want as usize, timeout);
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, each: impl FnMut(u16, i32)) -> u32 {
        self.done.reap(each)
    }

    fn last_submitted(&self) -> u32 {
        self.last
    }
}

impl Drop for Threads {
    /// What was not begun is forgotten. A helper may write into the buffers until its I/O has ended: waits for that,
    /// within a bound when there is an owner, which a helper at work keeps.
    fn drop(&mut self) {
        let mut desk = self.shared.desk();
        desk.over = true;
        let forgotten = desk.todo.len();
        desk.todo.clear();
        self.handed -= u32::try_from(forgotten).unwrap_or(self.handed);
        drop(desk);
        self.shared.work.notify_all();
        let bounded = self.shared.place.buffers.owner.is_some();
        let limit = self.clock.span(DRAIN_LIMIT_SECS * Nanos::SECOND.0);
        let start = self.clock.ticks();
        while self.handed > 0 && !(bounded && self.clock.ticks() - start > limit) {
            self.take(1, None);
        }
        if self.handed == 0 {
            for helper in self.helpers.drain(..) {
                // One that panicked has nothing in its hands.
                let _ = helper.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Handles;
    use leadline_model::op::Op;
    use leadline_model::plan::Engine;
    use std::os::fd::AsRawFd;

    const BLOCK: usize = 512;
    const DEPTH: u16 = 8;

    /// Reads as many blocks as fit at once, of a file that has its block's number in each, and says with how many
    /// helpers. `cost`: what an I/O is taken to take.
    fn read_all(threads: &mut Threads, cost: u64, memory: &[u8]) -> usize {
        threads.cost = cost;
        for slot in 0..DEPTH {
            threads.queue(&Request {
                slot,
                op: Op::Read,
                data_only: false,
                file: 0,
                offset: u64::from(DEPTH - 1 - slot) * BLOCK as u64,
                len: 512,
            });
        }
        let mut seen = Vec::new();
        while seen.len() < usize::from(DEPTH) {
            threads.submit_and_wait(1, None).unwrap();
            threads.reap(|slot, result| seen.push((slot, result)));
        }
        seen.sort_unstable();
        for (slot, result) in seen {
            assert_eq!(result, 512);
            let data = &memory[usize::from(slot) * BLOCK..][..BLOCK];
            assert!(data.iter().all(|b| u16::from(*b) == DEPTH - 1 - slot));
        }
        threads.helpers.len()
    }

    #[test]
    fn short_ios_stay_in_the_thread_and_long_ones_go_to_helpers() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let blocks: Vec<u8> = (0..8).flat_map(|n| [n; BLOCK]).collect();
        std::fs::write(file.path(), blocks).unwrap();
        let mut memory = vec![0_u8; BLOCK * usize::from(DEPTH)];
        let (fds, engine) = ([file.as_file().as_raw_fd()], Engine::default());
        let base = memory.as_mut_ptr();
        let setup = Setup {
            handles: Handles::Files {
                fds: &fds,
                sizes: &[4096],
            },
            buffers: Buffers {
                base,
                slot_stride: BLOCK,
                slots: DEPTH,
                write_base: base,
                owner: None,
            },
            depth: DEPTH.into(),
            atomic: false,
            engine: &engine,
        };
        // SAFETY: the memory and the file outlive the back end, and are looked at when no I/O is outstanding.
        let (mut threads, _) = unsafe { Threads::new(&setup) }.unwrap();
        assert_eq!(read_all(&mut threads, 1, &memory), 0);
        let helpers = read_all(&mut threads, u64::MAX / 8, &memory);
        assert!((1..=usize::from(DEPTH)).contains(&helpers), "{helpers}");
        for _ in 0..100 {
            assert!(read_all(&mut threads, u64::MAX / 8, &memory) <= usize::from(DEPTH));
        }
        let helpers = threads.helpers.len();
        assert_eq!(read_all(&mut threads, 1, &memory), helpers);
    }

    #[test]
    fn one_slow_io_among_short_ones_is_no_reason_for_helpers() {
        let (engine, mut byte) = (Engine::default(), 0);
        let setup = Setup {
            handles: Handles::Nothing,
            buffers: Buffers {
                base: &raw mut byte,
                slot_stride: 1,
                slots: 1,
                write_base: &raw mut byte,
                owner: None,
            },
            depth: 1,
            atomic: false,
            engine: &engine,
        };
        // SAFETY: nothing is asked of it.
        let (mut threads, _) = unsafe { Threads::new(&setup) }.unwrap();
        [1_000, 4_000_000, 1_000]
            .into_iter()
            .for_each(|took| threads.learn(took));
        assert_eq!(threads.cost, 1_000);
        threads.learn(4_000_000);
        assert!(threads.cost < WORTH_A_THREAD_NS);
        (0..40).for_each(|_| threads.learn(20_000));
        assert!(threads.cost > WORTH_A_THREAD_NS);
    }
}
