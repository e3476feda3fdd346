//! `-vs`: what threads waited for, as far as there is a like of it here.
//!
//! Belongs here: DISKSPD's wait statistics. Must never: print a number that was not counted.
//!
//! DISKSPD waits at a completion port (all it may have is in flight), waits there until a throttled I/O is due
//! (throttle wait), sleeps until then (nothing is in flight), or looks aside at the port without waiting. Here a
//! thread hands its I/Os over and waits in one call; until an I/O is due it waits likewise, or sleeps, or looks
//! without waiting when that is close. Workers count each of these over the measured window (DISKSPD: over the
//! thread's life). Of a file that does not have these counts, the completion waits are the calls that brought
//! any, and what a paced thread waited for otherwise is not known.

use leadline_model::plan::{Pace, Stage};
use leadline_model::sample as model;
use leadline_results::run::StageRun;
use std::fmt::Write;

/// What a thread waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Waits {
    pub(super) thread: u32,
    pub(super) counted: model::Waits,
    /// Whether all that it waited for is counted.
    pub(super) known: bool,
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
            let mut one = Self {
                thread: thread(worker.workload, worker.worker),
                counted: worker.cpu.waits,
                known: true,
            };
            if one.counted == model::Waits::default() {
                one.counted.completions = worker.counts.depths.complete.iter().skip(1).sum();
                one.known = workload.pace == Pace::Closed && workload.think.is_none();
            }
            match all.iter_mut().find(|w| w.thread == one.thread) {
                Some(known) => {
                    known.counted.merge(&one.counted);
                    known.known &= one.known;
                }
                None => all.push(one),
            }
        }
        all.sort_by_key(|w| w.thread);
        all
    }

    /// Throttle waits, sleeps, lookasides, and these by what they found; `None` = not known.
    pub(super) fn beside_completions(&self) -> Option<[String; 4]> {
        let Self { counted, known, .. } = self;
        let found = counted.looks.map(|n| n.to_string()).join(" ");
        let looks: u64 = counted.looks.iter().sum();
        known.then(|| {
            [
                counted.paced.to_string(),
                counted.sleeps.to_string(),
                looks.to_string(),
                found,
            ]
        })
    }
}

/// The table, with an empty line ahead.
pub(super) fn table(out: &mut String, all: &[Waits]) {
    let head = "thread | completion wait | throttle wait  -  sleep | lookaside | 0 - 7+ complete per lookaside";
    let _ = writeln!(out, "\nWait Statistics\n{head}\n{}", "-".repeat(95));
    for waits in all {
        let [paced, sleeps, looks, found] = waits.beside_completions().unwrap_or_else(|| {
            let unknown = "N/A".to_owned();
            [unknown.clone(), unknown.clone(), unknown.clone(), unknown]
        });
        let _ = writeln!(
            out,
            "{:>6} | {:>15} | {paced:>13}  - {sleeps:>6} | {looks:>9} | {found}",
            waits.thread, waits.counted.completions
        );
    }
}
