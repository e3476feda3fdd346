//! `-vs`: what threads waited for, as far as there is a like of it here.
//!
//! Belongs here: DISKSPD's wait statistics. Must never: print a number that was not counted.
//!
//! DISKSPD waits at a completion port, or looks aside at it without waiting, and keeps a throttled thread
//! waiting for its next I/O or asleep. Here a thread hands its I/Os over and waits for the first to end in
//! one call: that is the completion wait, counted where it brought any. Without a rate or pauses there is
//! nothing else, and the other figures are zero. With them a thread also sleeps, and looks without waiting
//! shortly before an I/O is due; that is not counted, and not shown.

use crate::run::StageRun;
use leadline_model::plan::{Pace, Stage};
use std::fmt::Write;

/// Completions by lookaside, from none to seven and more, where there is no lookaside.
pub(super) const NO_LOOKASIDE: &str = "0 0 0 0 0 0 0 0";

/// What a thread waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Waits {
    pub(super) thread: u32,
    /// Calls that waited for completions and brought some.
    pub(super) completions: u64,
    /// Whether it waited for nothing else.
    pub(super) only_completions: bool,
}

impl Waits {
    /// By thread, as `thread` numbers a stage's workers.
    pub(super) fn of(
        stage: &StageRun,
        plan: &Stage,
        thread: impl Fn(u32, u32) -> u32,
    ) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for worker in &stage.workers {
            let Some(workload) = plan.workloads.get(worker.workload as usize) else {
                continue;
            };
            let one = Self {
                thread: thread(worker.workload, worker.worker),
                completions: worker.counts.depths.complete.iter().skip(1).sum(),
                only_completions: workload.pace == Pace::Closed && workload.think.is_none(),
            };
            match all.iter_mut().find(|w| w.thread == one.thread) {
                Some(known) => {
                    known.completions += one.completions;
                    known.only_completions &= one.only_completions;
                }
                None => all.push(one),
            }
        }
        all.sort_by_key(|w| w.thread);
        all
    }
}

/// The table, with an empty line ahead.
pub(super) fn table(out: &mut String, all: &[Waits]) {
    let head = "thread | completion wait | throttle wait  -  sleep | lookaside | 0 - 7+ complete per lookaside";
    let _ = writeln!(out, "\nWait Statistics\n{head}\n{}", "-".repeat(95));
    for waits in all {
        let (zero, looked) = match waits.only_completions {
            true => ("0", NO_LOOKASIDE),
            false => ("N/A", "N/A"),
        };
        let _ = writeln!(
            out,
            "{:>6} | {:>15} | {zero:>13}  - {zero:>6} | {zero:>9} | {looked}",
            waits.thread, waits.completions
        );
    }
}
