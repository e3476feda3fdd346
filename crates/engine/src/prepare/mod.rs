//! Files are prepared: created, extended, filled with real data, looked through for holes, dropped
//! from the cache or read into it, and opened; deleted afterwards when asked.
//!
//! Belongs here: everything that happens to a target before the first and after the last measured I/O.
//! Must never: shorten a file that was there, overwrite its bytes, or delete one without being asked
//! (`Prepare::recreate`, `Prepare::unlink`).

mod cache;
pub(crate) mod contents;
mod error;
mod estimate;
mod guard;
mod holds;
mod host;
mod job;
mod layout;
mod look;
mod made;
mod open;
mod own;
mod progress;
mod source;
#[cfg(test)]
mod tests;
pub(crate) mod written;

pub use error::PrepareError;
pub use holds::Holds;
pub use host::Host;
pub use made::{MadeFiles, cleanup};
pub use open::{FileKind, OpenFile};
pub use source::sources;

use crate::os::{errno, limits};
use crate::problem;
use crate::program::{self, Program};
use job::Job;
use leadline_model::cure::Cure;
use leadline_model::error_code::ErrorCode;
use leadline_model::event::Event;
use leadline_model::facts::{Fact, FactKey};
use leadline_model::finding::{Finding, Severity};
use leadline_model::plan::Plan;
use leadline_model::units::Bytes;
use leadline_model::units::Percent;
use progress::Progress;
use std::sync::atomic::AtomicBool;

/// What preparing needs beside the programs.
pub struct PrepareContext<'a> {
    /// The plan, for what it allows.
    pub plan: &'a Plan,
    /// Stage being prepared, from 0.
    pub stage: u32,
    /// Ends preparing early with [`PrepareError::Interrupted`] when it becomes true.
    pub cancel: &'a AtomicBool,
    /// What this run has created so far; grows.
    pub made: &'a mut MadeFiles,
    /// The devices this run holds; grows.
    pub holds: &'a mut Holds,
    /// Takes [`Event::Preparing`] (at least every 250 ms while it takes long), [`Event::Facts`] of what stayed in
    /// the page cache, and [`Event::Finding`].
    pub emit: &'a mut dyn FnMut(Event),
}

/// Makes all files of a stage ready and opens them: for each program its files, in their order.
/// Programs without files get an empty list.
///
/// # Errors
/// The first thing that could not be done, with path and cure. Files this call created and could not
/// fill for lack of space are gone again; others stay.
pub fn prepare(
    programs: &[&Program],
    context: &mut PrepareContext<'_>,
) -> Result<Vec<Vec<OpenFile>>, PrepareError> {
    let jobs = job::merge(programs);
    if jobs.is_empty() {
        return Ok(programs.iter().map(|_| Vec::new()).collect());
    }
    enough_descriptors(programs)?;
    let destroy = &context.plan.destroy;
    let before = context.holds.all();
    own::look(&jobs, context.holds)?;
    let mut findings = guard::all(&jobs, destroy, context.holds)?;
    let mut fresh = context.holds.all();
    fresh.retain(|dev| !before.contains(dev));
    findings.extend(own::claim(&jobs, context.holds, context.made)?);
    findings.extend(all_open(programs));
    let (seen, cached) = make_ready(&jobs, context)?;
    findings.extend(seen);
    if !cached.is_empty() {
        (context.emit)(Event::Facts(cached));
    }
    guard::again(&jobs, destroy, context.holds, &fresh)?;
    for mut finding in findings {
        finding.stage = Some(context.stage);
        (context.emit)(Event::Finding(finding));
    }
    open::open_all(programs, context.holds)
}

/// Progress reports a second.
const WORDS_A_SECOND: u32 = 5;

/// What is to be said of the files, and how much of each is in the page cache though it was dropped.
type Prepared = (Vec<Finding>, Vec<Fact>);

/// Lays out, looks through, drops and reads, with progress reported from this thread.
fn make_ready(
    jobs: &[Job<'_>],
    context: &mut PrepareContext<'_>,
) -> Result<Prepared, PrepareError> {
    let (what, total) = job::describe(jobs);
    let progress = Progress::new(total, context.cancel);
    let made = std::sync::Mutex::new(std::mem::take(context.made));
    let stage = context.stage;
    let (emit, holds) = (&mut *context.emit, &*context.holds);
    let mut ticks = 0u32;
    holds.own_files_change_for(own::BRIEF);
    let result = progress::watched(&progress, || work(jobs, &progress, &made), &mut |done| {
        ticks += 1;
        if ticks.is_multiple_of(WORDS_A_SECOND) {
            holds.own_files_change_for(own::BRIEF);
        }
        emit(Event::Preparing {
            stage,
            what: what.clone(),
            done,
            total,
        });
    });
    *context.made = made.into_inner().unwrap_or_else(|e| e.into_inner());
    result
}

/// What happens to the files, away from the thread that reports it.
fn work(
    jobs: &[Job<'_>],
    progress: &Progress<'_>,
    made: &std::sync::Mutex<MadeFiles>,
) -> Result<Prepared, PrepareError> {
    layout::all(jobs, progress, made)?;
    let findings = job::look_for_holes(jobs)?;
    let mut cached = Vec::new();
    for job in jobs {
        if let Some(share) = job::never_written(job).filter(|share| *share > 0.0) {
            let path = job.path.display().to_string();
            let percent = Percent::nearest(share * 100.0);
            cached.push(Fact::new(FactKey::NEVER_WRITTEN, &path, percent));
        }
        if let Some(share) = cache::ready(job, progress)? {
            let path = job.path.display().to_string();
            let percent = Percent::nearest(share * 100.0);
            let key = match job.drop_cache {
                true => FactKey::CACHED_AT_START,
                false => FactKey::LEFT_IN_CACHE,
            };
            cached.push(Fact::new(key, &path, percent));
        }
    }
    Ok((findings, cached))
}

/// All files of all workers are open at once: enough descriptors, or a clear word before anything is
/// created.
fn enough_descriptors(programs: &[&Program]) -> Result<(), PrepareError> {
    let (files, wanted) = program::descriptors(programs.iter().copied());
    let Some(limit) = limits::raise_open_files().filter(|limit| wanted > *limit) else {
        return Ok(());
    };
    let (text, cure) = problem::too_many_open(files, wanted, limit);
    Err(PrepareError::Environment {
        code: ErrorCode::Limit,
        text,
        cure,
        errno: Some(errno::EMFILE),
    })
}

/// A bound on open files is not kept: said, because it changes what a server sees.
fn all_open(programs: &[&Program]) -> Option<Finding> {
    let program = programs.iter().find(|p| {
        let most = p
            .workload
            .blocks()
            .prepare
            .open_files
            .map_or(usize::MAX, |n| n as usize);
        p.files.len() > most
    })?;
    Some(Finding {
        code: "all-files-open".into(),
        severity: Severity::Info,
        stage: None,
        workload: Some(program.workload_index),
        text: format!(
            "all {} files of a worker stay open, although at most {} at once were requested: \
             opening and closing between I/Os is not measured",
            program.files.len(),
            program.workload.blocks().prepare.open_files.unwrap_or(0)
        ),
        cure: Cure::none(),
    })
}

/// Bytes in words for messages.
fn bytes(n: u64) -> String {
    Bytes(n).to_string()
}
