//! A worker on its own thread: the waits between the halves of a turn, and what the kernel reports
//! of the thread.

use super::cell::Cell;
use super::link::{Link, WorkerEnd};
use super::sleep_or_spin::{PaceTimer, WaitMode};
use super::source::Source;
use super::{CouplingHandle, Due, Wait, Worker};
use crate::backend::Backend;
use crate::clock::{Clock, HostClock};
use crate::os::errno;
use crate::os::thread::cpu_use;
use leadline_model::error_code::ErrorCode;
use leadline_model::sample::{CpuUse, EndReason};
use leadline_model::units::Nanos;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a worker to its end.
pub(crate) fn drive<S: Source, B: Backend>(
    mut worker: Worker<S, B, HostClock>,
    start: u64,
) -> (WorkerEnd, Link, Box<Cell>) {
    // A release ends the process instead. What the worker has counted is numbers, whole or not there.
    let turned = catch_unwind(AssertUnwindSafe(|| {
        if worker.in_parts {
            turn_to_the_end::<S, B, true>(&mut worker, start);
        } else {
            turn_to_the_end::<S, B, false>(&mut worker, start);
        }
    }));
    if let Err(panic) = turned {
        worker.end_broken(defect(&*panic));
    }
    let cpu = worker.cpu_so_far();
    let (mut end, link, cell) = worker.into_end();
    end.cpu = difference(end.cpu_end.take().unwrap_or(cpu), end.cpu);
    (end, link, cell)
}

/// Turn after turn, with the waits between them; submission is separate from the wait where `PARTS`.
fn turn_to_the_end<S: Source, B: Backend, const PARTS: bool>(
    worker: &mut Worker<S, B, HostClock>,
    start: u64,
) {
    let clock = worker.clock;
    worker.stamps_after = PARTS;
    worker.timer.until(clock, start);
    worker.start(start);
    worker.end.cpu = worker.cpu_so_far();
    loop {
        let before = worker.free.len();
        let wait = worker.begin();
        let handed = if PARTS {
            worker.hand_over(before)
        } else {
            Ok(())
        };
        let asked = match wait {
            _ if handed.is_err() => handed,
            Wait::Io { want, due: None } => {
                worker.timer.waits.completions += 1;
                if PARTS {
                    worker.backend.wait(want, None)
                } else {
                    worker.backend.submit_and_wait(want, None)
                }
            }
            Wait::Io {
                want,
                due: Some(due),
            } => worker.wait_for_due(want, due),
            Wait::Sleep { until } => {
                worker.timer.waits.sleeps += 1;
                worker.timer.until(clock, until);
                Ok(())
            }
            Wait::Rest { until } => {
                let left = clock.nanos(until.saturating_sub(clock.ticks()));
                worker.timer.sleep(clock, left);
                Ok(())
            }
            Wait::Done => break,
        };
        if let Err(error) = asked {
            let errno = error.raw_os_error().unwrap_or(errno::EIO);
            let what = format!("submitting I/O to the kernel: {error}");
            worker.drain(EndReason::failed(ErrorCode::System, errno, what));
            break;
        }
        worker.finish();
        if let Some(before) = worker.timer.looking.take() {
            worker
                .timer
                .found(before.saturating_sub(worker.in_flight()));
        }
    }
}

/// The end of a worker that a defect of leadline's own ended, from what its panic carries.
pub(crate) fn defect(panic: &(dyn Any + Send)) -> EndReason {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("a panic without a message");
    let words: Vec<&str> = text.split_whitespace().collect();
    let what = format!("leadline itself failed: {}", words.join(" "));
    EndReason::failed(ErrorCode::Defect, EndReason::DEFECT, what)
}

impl<S: Source, B: Backend, C: Clock> Worker<S, B, C> {
    /// Why it ends: a defect, where its time is over and it could not do its part, although there was
    /// no other worker to wait for.
    pub(super) fn unless_barred(&self, reason: EndReason) -> EndReason {
        let barred = self.coupled.as_ref().is_some_and(CouplingHandle::is_barred);
        if !barred || !matches!(reason, EndReason::Time) {
            return reason;
        }
        defect(&"it held its I/O back although nothing limited it")
    }

    /// Ends where it is, for a defect: whatever was in flight is not counted.
    fn end_broken(&mut self, reason: EndReason) {
        self.draining = true;
        self.coupled = None;
        self.drained_at = self.clock.ticks();
        self.end.reason = Some(reason);
    }

    /// Processor time and events of the calling thread, which is the worker's, until now.
    pub(super) fn cpu_so_far(&self) -> CpuUse {
        CpuUse {
            waiting: Nanos(self.clock.nanos(self.timer.spun())),
            waits: self.timer.waits,
            ..cpu_use()
        }
    }
}

impl<S: Source, B: Backend> Worker<S, B, HostClock> {
    /// Waits for completions while an I/O is due later: asleep while there is time, then looking.
    fn wait_for_due(&mut self, want: u32, due: Due) -> io::Result<()> {
        let (clock, in_flight) = (self.clock, self.in_flight());
        let before = clock.ticks();
        let left = clock.nanos(due.tick.saturating_sub(before));
        if due.held_back {
            self.timer.busy();
            self.timer.waits.completions += 1;
            return self.backend.submit_and_wait(want, Some(Nanos(left)));
        }
        match self.timer.wait_mode_beside_io(due.tick, left) {
            WaitMode::Sleep(nanos) => {
                self.timer.busy();
                self.timer.waits.paced += 1;
                let answer = self.backend.submit_and_wait(want, Some(Nanos(nanos)));
                // A completion ends it earlier: then it is not late, and nothing is learned.
                let took = clock.nanos(clock.ticks() - before);
                if took > nanos {
                    self.timer.learn(took - nanos);
                }
                answer
            }
            WaitMode::Spin => {
                if due.idle {
                    self.timer.looked(clock, before, in_flight);
                } else {
                    self.timer.busy();
                }
                self.timer.looking = Some(in_flight);
                let answer = self.backend.submit_and_wait(0, None);
                PaceTimer::yield_cpu(left);
                answer
            }
        }
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
        waiting: now.waiting.since(before.waiting),
        waits: now.waits.since(&before.waits),
    }
}
