//! A worker on a thread of its own: the waits between the halves of a turn, and what the kernel says
//! of the thread.
#![expect(
    unsafe_code,
    reason = "signals and getrusage have no safe wrapper here"
)]

use super::link::{Cell, Link, WorkerEnd};
use super::{Wait, Worker};
use crate::backend::Backend;
use crate::clock::{Clock, HostClock};
use leadline_model::sample::{CpuUse, EndReason};
use leadline_model::units::Nanos;
use std::mem::MaybeUninit;
use std::sync::Once;

/// A worker awakes from sleep this long before an I/O is due, and spins: the kernel's timers are
/// late by up to this much.
const SPIN_NS: u64 = 60_000;

/// Runs a worker to its end.
pub(crate) fn drive<B: Backend>(
    mut worker: Worker<B, HostClock>,
    start: u64,
) -> (WorkerEnd, Link, Box<Cell>) {
    let clock = worker.clock;
    sleep_until(clock, start);
    worker.start(start);
    worker.end.cpu = cpu_use();
    loop {
        match worker.begin() {
            Wait::Io { want, until } => {
                let (want, timeout) = match until {
                    None => (want, None),
                    Some(tick) => wait_until(clock, want, tick),
                };
                if let Err(error) = worker.backend.submit_and_wait(want, timeout) {
                    let errno = error.raw_os_error().unwrap_or(libc::EIO);
                    let what = format!("asking the kernel for I/O: {error}");
                    worker.drain(EndReason::Error { errno, what });
                    break;
                }
            }
            Wait::Sleep { until } => sleep_until(clock, until),
            Wait::Done => break,
        }
        worker.finish();
    }
    let (mut end, link, cell) = worker.into_end();
    let cpu = end.cpu_end.take().unwrap_or_else(cpu_use);
    end.cpu = difference(cpu, end.cpu);
    (end, link, cell)
}

/// How to wait for completions when an I/O is due at `tick`: asleep while there is time, then polling.
fn wait_until(clock: HostClock, want: u32, tick: u64) -> (u32, Option<Nanos>) {
    let left = clock.nanos(tick.saturating_sub(clock.ticks()));
    if left > SPIN_NS {
        (want, Some(Nanos(left - SPIN_NS)))
    } else {
        (0, None)
    }
}

/// Sleeps while there is time, then spins. A signal ends the sleep early; the caller looks again.
fn sleep_until(clock: HostClock, tick: u64) {
    let left = clock.nanos(tick.saturating_sub(clock.ticks()));
    if left > SPIN_NS {
        let nap = left - SPIN_NS;
        let request = rustix::time::Timespec {
            tv_sec: i64::try_from(nap / 1_000_000_000).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(nap % 1_000_000_000).unwrap_or(0),
        };
        match rustix::thread::nanosleep(&request) {
            rustix::thread::NanosleepRelativeResult::Ok => {}
            _ => return,
        }
    }
    while clock.ticks() < tick {
        std::hint::spin_loop();
    }
}

/// Processor time and events of the calling thread.
pub(crate) fn cpu_use() -> CpuUse {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for the result, and all-zero bytes are a valid rusage.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |t: libc::timeval| {
        let part = |n: i64| u64::try_from(n).unwrap_or(0);
        Nanos(part(t.tv_sec) * 1_000_000_000 + part(t.tv_usec) * 1_000)
    };
    let count = |n: libc::c_long| u64::try_from(n).unwrap_or(0);
    CpuUse {
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
        voluntary: count(usage.ru_nvcsw),
        involuntary: count(usage.ru_nivcsw),
        major_faults: count(usage.ru_majflt),
        minor_faults: count(usage.ru_minflt),
    }
}

fn difference(now: CpuUse, before: CpuUse) -> CpuUse {
    CpuUse {
        user: now.user.since(before.user),
        system: now.system.since(before.system),
        voluntary: now.voluntary.saturating_sub(before.voluntary),
        involuntary: now.involuntary.saturating_sub(before.involuntary),
        major_faults: now.major_faults.saturating_sub(before.major_faults),
        minor_faults: now.minor_faults.saturating_sub(before.minor_faults),
    }
}

/// The signal that gets a worker out of a wait so that it looks at its orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signals;

impl Signals {
    /// Installs the handler, which does nothing: arriving is its whole effect (EINTR).
    pub(crate) fn install() -> Self {
        extern "C" fn nothing(_: libc::c_int) {}
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: the action is fully initialised (all-zero is valid: no flags, empty mask, so no
            // SA_RESTART), and the handler is async-signal-safe because it does nothing.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = nothing as *const () as usize;
                libc::sigaction(libc::SIGURG, &raw const action, std::ptr::null_mut());
            }
        });
        Self
    }

    /// Gets thread `id` of this process out of its wait. A thread that has gone is no error.
    pub(crate) fn kick(self, id: i32) {
        // SAFETY: tgkill takes numbers only; a stale thread id gives ESRCH.
        unsafe {
            libc::syscall(libc::SYS_tgkill, libc::getpid(), id, libc::SIGURG);
        }
    }
}

/// Timers of the calling thread fire as exactly as the kernel can.
pub(crate) fn precise_timers() {
    // SAFETY: PR_SET_TIMERSLACK takes a number of nanoseconds and touches no memory.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64);
    }
}

/// Kernel id of the calling thread.
pub(crate) fn thread_id() -> i32 {
    // SAFETY: gettid takes nothing and cannot fail.
    unsafe { libc::gettid() }
}
