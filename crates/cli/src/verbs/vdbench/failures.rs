//! What ends everything: failed I/Os (data_errors=) and shares that were not kept (abort_failed_skew=).
//!
//! Belongs here: counting against the limits, and the user's command for the first failed I/O. Must never:
//! decide what a file means.

use super::Pages;
use super::commands::show;
use crate::mount::shell;
use crate::session::StudyControl;
use leadline_engine::os::wall::wall_ms;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Event;
use leadline_model::failure::Failure;
use leadline_model::plan::Stage;
use leadline_model::sample::{EndReason, WorkerTotals};
use leadline_model::units::number_of;
use leadline_results::run::{Run, StageRun};
use leadline_results::study::shares::{Share, shares};
use leadline_results::summary::planned;
use leadline_vdbench::original::WorkloadOriginal;
use leadline_vdbench::{CommandOutput, OnErrors};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// What is watched while stages run.
pub(super) struct Failures<'a> {
    pub(super) errors: &'a OnErrors,
    pub(super) skew: Option<f64>,
    pub(super) control: &'a StudyControl,
    pub(super) pages: &'a RefCell<Pages>,
    /// Failed I/Os of the stages that have ended.
    so_far: Cell<u64>,
    /// Those of the stage that continues.
    running: Cell<u64>,
    /// Wall clock of the first.
    first_ms: Cell<Option<u64>>,
}

impl<'a> Failures<'a> {
    pub(super) fn new(
        errors: &'a OnErrors,
        skew: Option<f64>,
        control: &'a StudyControl,
        pages: &'a RefCell<Pages>,
    ) -> Self {
        Self {
            errors,
            skew,
            control,
            pages,
            so_far: Cell::new(0),
            running: Cell::new(0),
            first_ms: Cell::new(None),
        }
    }

    /// Ends the stage at the limit, or when the first failed I/O is as long ago as is allowed. An I/O that
    /// failed in the warm-up has failed as well.
    pub(super) fn look(&self, event: &Event) {
        match event {
            Event::StageStarted { .. } => self.running.set(0),
            Event::Interval(sample) => {
                let failed: u64 = sample.counts.ops.values().map(|c| c.errors).sum();
                if failed == 0 {
                    return;
                }
                if self.first_ms.get().is_none() {
                    self.first_ms.set(Some(wall_ms()));
                }
                self.running.set(self.running.get() + failed);
                if self.so_far.get() + self.running.get() >= self.errors.limit {
                    self.control.end_stage();
                }
            }
            Event::Tick(_) => self.look_at_time(),
            _ => {}
        }
    }

    fn look_at_time(&self) {
        let (Some(first), Some(after)) = (self.first_ms.get(), self.errors.after_first) else {
            return;
        };
        if wall_ms().saturating_sub(first) < after.as_millis() {
            return;
        }
        let seconds = after.as_secs_f64();
        self.control.fail(io(format!(
            "I/Os failed, and the {seconds} s that data_errors= allows after the first error are \
             over"
        )));
        self.control.end_stage();
    }

    /// Judges the stage that has just ended; the first reason why everything ends is kept by the control.
    pub(super) fn after(&self, run: &Run) {
        let Some(stage) = run.stages.last() else {
            return;
        };
        let errors = stage.workers.iter().flat_map(|w| &w.errors);
        let failed: u64 = errors.map(|e| e.2).sum();
        let all = self.so_far.get() + failed;
        self.so_far.set(all);
        if failed > 0
            && let Some(command) = &self.errors.command
        {
            self.run_command(command, run);
        }
        // A host that was lost has its own law.
        let mut workers = stage.workers.iter();
        let here = workers.find_map(|w| broken(w).filter(|_| run.loss(w.host).is_none()));
        if let Some(why) = here {
            self.control.fail(why);
        }
        if all >= self.errors.limit {
            let limit = match &self.errors.command {
                Some(command) => command.clone(),
                None => self.errors.limit.to_string(),
            };
            let what = format!("{all} I/Os failed; data_errors={limit} ends the run");
            self.control.fail(io(what));
        }
        if failed > 0 {
            let name = planned(run, stage.stage).map_or("", |s| s.name.as_str());
            let mut text = failure(failed, name, stage, run);
            if self.errors.remove {
                text += &removed(stage, run);
            }
            self.control.fail(io(text));
        }
        let Some(limit) = self.skew else { return };
        let furthest = shares(run, stage).into_iter();
        if let Some(share) = furthest.max_by(|a, b| a.off().total_cmp(&b.off()))
            && share.off() > limit
        {
            self.control.fail(unkept(&share, limit));
        }
    }

    /// What the next stage may still do: the errors it may have.
    pub(super) fn limit(&self, stage: &mut Stage) {
        if !self.errors.remove {
            let left = self.errors.limit.saturating_sub(self.so_far.get());
            stage.until.errors = Some(left.max(1));
        }
    }

    /// Runs the user's command for the first failed I/O.
    fn run_command(&self, command: &str, run: &Run) {
        let Some(failed) = first(run) else { return };
        let directory = self.pages.borrow().directory.path().display().to_string();
        let words = [
            directory,
            failed.lun,
            failed.place,
            failed.size,
            failed.errno.to_string(),
        ];
        let line = format!(
            "{command} {}",
            leadline_text::shell::line(words.iter().map(String::as_str))
        );
        let (text, _) = shell(&line, &|| false);
        show(
            self.pages,
            CommandOutput::Console,
            &format!("{line}\n{text}"),
        );
    }
}

/// The storage that did nothing after its first failed I/O.
fn removed(stage: &StageRun, run: &Run) -> String {
    let Some(plan) = planned(run, stage.stage) else {
        return String::new();
    };
    let failed = stage.workers.iter().filter(|w| !w.errors.is_empty());
    let asked = failed.filter_map(|w| plan.workloads.get(w.workload as usize));
    let names: BTreeSet<String> = asked.map(leadline_results::summary::target_name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("; data_errors=remove excluded {}", names.join(", "))
}

/// Failed I/Os of a run, of each kind how many, and the files that it left too short.
fn failure(failed: u64, name: &str, stage: &StageRun, run: &Run) -> String {
    let mut kinds: BTreeMap<(String, i32), u64> = BTreeMap::new();
    for (op, errno, times) in stage.workers.iter().flat_map(|w| &w.errors) {
        *kinds.entry((op.to_string(), *errno)).or_default() += times;
    }
    let kinds = kinds.iter().map(|((op, errno), times)| {
        let what = std::io::Error::from_raw_os_error(*errno);
        let often = number_of(*times, "time");
        format!("{op}: {what}, {often}")
    });
    let kinds = kinds.collect::<Vec<_>>().join("; ");
    let ios = number_of(failed, "I/O");
    let mut text = format!("{ios} of rd={name} failed ({kinds}): the runs after it are skipped");
    let plan = planned(run, stage.stage).filter(|s| s.name == super::FORMAT);
    for workload in plan.iter().flat_map(|s| &s.workloads) {
        let Some(WorkloadOriginal { lun, size, .. }) = WorkloadOriginal::of(workload) else {
            continue;
        };
        let found = std::fs::metadata(&lun).ok().map(|m| m.len());
        if let (true, Some(found), Some(size)) = (workload.hosts.is_all(), found, size)
            && found < size
        {
            text += &format!("; {lun} has {found} of {size} bytes");
        }
    }
    text
}

/// Why a worker ended before its time that did not end by its I/Os: the run has not done what it was asked for.
fn broken(worker: &WorkerTotals) -> Option<Failure> {
    match &worker.end {
        EndReason::Error {
            code, what, cure, ..
        } if worker.errors.is_empty() => {
            let what = format!("a workload ended early: {what}");
            Some(Failure::new(*code, what, cure.clone()))
        }
        _ => None,
    }
}

fn io(what: String) -> Failure {
    let cure = "check the kernel log and the target";
    Failure::new(ErrorCode::Io, what, cure)
}

fn unkept(share: &Share, limit: f64) -> Failure {
    let what = format!(
        "wd={} did {:.2} % of the I/Os, {:.2} % were requested: abort_failed_skew={limit} ends \
         the run",
        share.name, share.done, share.asked
    );
    let cure = "raise abort_failed_skew=, request shares that the storage can sustain together, or run longer; see \
                skew.html";
    Failure::new(ErrorCode::ShareMissed, what, cure)
}

/// A failed I/O, as words for a command.
#[derive(Debug, PartialEq, Eq)]
struct Failed {
    lun: String,
    /// First byte; `0` where that is not known.
    place: String,
    /// Bytes; `0` where that is not known.
    size: String,
    errno: i32,
}

/// The first failed I/O of the last stage that is known with its place, else what is known of one.
fn first(run: &Run) -> Option<Failed> {
    let stage = run.stages.last()?;
    let plan = planned(run, stage.stage)?;
    let lun = |w: &WorkerTotals| {
        let workload = plan.workloads.get(w.workload as usize);
        workload
            .and_then(|w| Some(WorkloadOriginal::of(w)?.lun))
            .unwrap_or_default()
    };
    let placed = |w: &WorkerTotals| match &w.end {
        EndReason::Error { errno, what, .. } => placed(what, *errno),
        _ => None,
    };
    let known = stage.workers.iter().find_map(placed);
    known.or_else(|| {
        stage.workers.iter().find_map(|w| {
            let (_, errno, _) = w.errors.first()?;
            Some(Failed {
                lun: lun(w),
                place: "0".to_owned(),
                size: "0".to_owned(),
                errno: *errno,
            })
        })
    })
}

/// What a worker that was ended by an I/O says: `read of 4096 bytes at 8192 of /data/f`.
fn placed(what: &str, errno: i32) -> Option<Failed> {
    let (_, rest) = what.split_once(" of ")?;
    let (size, rest) = rest.split_once(" bytes at ")?;
    let (place, lun) = rest.split_once(" of ")?;
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    (digits(size) && digits(place)).then(|| Failed {
        lun: lun.to_owned(),
        place: place.to_owned(),
        size: size.to_owned(),
        errno,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_io_is_known_by_what_its_worker_said() {
        let found = placed("write of 4096 bytes at 8192 of /d/a of b", 5).unwrap();
        let words = [found.lun, found.place, found.size];
        assert_eq!(words, ["/d/a of b", "8192", "4096"]);
        assert_eq!(placed("fsync at the end", 5), None);
        assert_eq!(placed("sync of x bytes at y of z", 5), None);
    }
}
