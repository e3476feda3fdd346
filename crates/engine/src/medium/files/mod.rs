//! Files and devices of this host.
//!
//! Belongs here: their names, what is there, what they ask of the I/O, and what is open of them for one worker. How
//! they are prepared is in `prepare`. Must never: do a worker's I/O.

mod check;
mod names;
mod open;
mod places;

pub use names::targets;
pub(crate) use open::CachedFiles;
pub(super) use open::OpenFiles;

use super::{Medium, Opened, Places, SeenContents};
use crate::clock::{Clock, HostClock};
use crate::host_facts::Cached;
use crate::os;
use crate::prepare::{self, MadeFiles, PrepareContext, PrepareError};
use crate::problem::Problems;
use crate::program::{FilePlan, Program};
use leadline_model::error_code::ErrorCode;
use leadline_model::facts::Fact;
use leadline_model::finding::Finding;
use leadline_model::plan::{Target, Workload};
use leadline_model::units::Nanos;
use std::path::PathBuf;

/// Files and devices.
#[derive(Debug)]
pub(super) struct FileMedium;

impl Medium for FileMedium {
    fn places(
        &self,
        workload: &Workload,
        worker: u32,
        host: &mut Cached<'_>,
        problems: &mut Problems,
    ) -> Option<Places> {
        if let Target::Null { .. } | Target::Simulated(_) = workload.blocks().target {
            problems.add(
                &workload.name,
                ErrorCode::PlanConflict,
                format!(
                    "{} does I/O on files and devices, and its target is neither",
                    workload.engine.kind.name()
                ),
                "name a file or a device, or choose the engine for this kind of target",
            );
            return None;
        }
        Some(Places {
            at: places::of(workload, worker, host, problems),
            made_up: false,
        })
    }

    fn open_files(&self, workload: &Workload, host: &mut Cached<'_>) -> Option<u64> {
        places::count(workload, host)
    }

    fn check(
        &self,
        workload: &Workload,
        files: &[FilePlan],
        host: &mut Cached<'_>,
        problems: &mut Problems,
    ) {
        check::each(workload, files, host, problems);
    }

    fn facts(&self, targets: &[PathBuf]) -> Vec<Fact> {
        os::facts::targets(targets)
    }

    fn open(
        &self,
        programs: &[&Program],
        context: &mut PrepareContext<'_>,
    ) -> Result<Vec<Opened>, PrepareError> {
        let files = prepare::prepare(programs, context)?;
        let opened = files.into_iter().map(OpenFiles).map(Opened::Files);
        Ok(opened.collect())
    }

    fn contents(&self, programs: &[&Program], seen: &mut SeenContents) -> Vec<Fact> {
        /// How long all of it may take: a part of it what was written, which needs no device, and the rest the reads.
        const WRITTEN: Nanos = Nanos::from_millis(40);
        const BUDGET: Nanos = Nanos::from_millis(100);
        let clock = HostClock::get();
        let now = clock.ticks();
        let until = |length: Nanos| now.saturating_add(clock.span(length.0));
        let (stage, payloads) = (seen.stage, &mut seen.payloads);
        let mut facts = prepare::written::sample(stage, programs, payloads, until(WRITTEN));
        let targets = &mut seen.targets;
        facts.extend(prepare::contents::sample(programs, targets, until(BUDGET)));
        facts
    }

    fn clean_up(&self, programs: &[&Program], made: &mut MadeFiles) -> Vec<Finding> {
        prepare::cleanup(programs, made)
    }
}
