//! What is below the targets of a stage. One medium for each kind ([`MediumKind`]): it says what a target is and
//! what is wrong with it before anything begins, prepares the targets, and opens them for each worker. No caller
//! above knows what a target is made of. What the back ends of a medium can do is in [`leadline_model::plan::powers`].
//!
//! Belongs here: the trait, the choice by the plan's engine, and a variant of [`Opened`] for each medium that opens
//! something; each medium has a file or folder of its own. Must never: choose an I/O, or keep time.

#![expect(
    unsafe_code,
    reason = "making a back end promises that the buffers outlive it"
)]

mod files;
mod null;
mod pass;
mod simulated;

pub(crate) use files::CachedFiles;
use files::OpenFiles;
pub use files::targets;
pub(crate) use pass::PassBoundary;

use crate::backend::{self, Buffers, Handles, Setup, User};
use crate::host_facts::{Cached, PathKind};
use crate::prepare::written::SeenPayloads;
use crate::prepare::{MadeFiles, PrepareContext, PrepareError};
use crate::problem::Problems;
use crate::program::{FilePlan, Program};
use leadline_model::facts::Fact;
use leadline_model::finding::Finding;
use leadline_model::plan::{MediumKind, Workload};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

/// The clock that I/O to a medium takes its time from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeBase {
    /// This host's.
    Host,
    /// One that the simulation moves.
    Virtual,
}

/// What one worker does I/O to.
pub(crate) struct Places {
    /// Each place, with what is there.
    pub(crate) at: Vec<(PathBuf, PathKind)>,
    /// There is nothing to check or to open.
    pub(crate) made_up: bool,
}

impl Places {
    /// This number of targets that are nowhere, each of `size` bytes.
    fn made_up(count: usize, size: u64) -> Self {
        let whole = PathKind::Block {
            size,
            logical_block: 1,
        };
        Self {
            at: vec![(PathBuf::new(), whole); count],
            made_up: true,
        }
    }
}

/// One kind of thing that I/O is done to. The methods are in the order of their use; those with a body suit a
/// medium that has nothing on this host.
pub(crate) trait Medium: Sync {
    /// The clock of its I/O.
    fn time(&self) -> TimeBase {
        TimeBase::Host
    }

    /// What worker `worker` of a workload does I/O to; `None` where a problem was noted instead.
    fn places(
        &self,
        workload: &Workload,
        worker: u32,
        host: &mut Cached<'_>,
        problems: &mut Problems,
    ) -> Option<Places>;

    /// How many files each worker of a workload has open; `None` = its targets are none.
    fn open_files(&self, workload: &Workload, host: &mut Cached<'_>) -> Option<u64> {
        let _ = (workload, host);
        None
    }

    /// Notes what its targets do not allow of the I/O that a workload is to do on them.
    fn check(
        &self,
        workload: &Workload,
        files: &[FilePlan],
        host: &mut Cached<'_>,
        problems: &mut Problems,
    ) {
        let _ = (workload, files, host, problems);
    }

    /// What is known of targets and what they lie on.
    fn facts(&self, targets: &[PathBuf]) -> Vec<Fact> {
        let _ = targets;
        Vec::new()
    }

    /// Makes the targets of these programs, all of this medium, ready and opens them: one for each program.
    ///
    /// # Errors
    /// The first thing that could not be done.
    fn open(
        &self,
        programs: &[&Program],
        context: &mut PrepareContext<'_>,
    ) -> Result<Vec<Opened>, PrepareError>;

    /// What the targets hold that these programs have read, by a few blocks of each that is not in `seen` yet, and likewise
    /// what they have written; those are added to it. After the stage: it reads.
    fn contents(&self, programs: &[&Program], seen: &mut SeenContents) -> Vec<Fact> {
        let _ = (programs, seen);
        Vec::new()
    }

    /// Deletes what the plan says is to be deleted after its stage; all is closed by then.
    fn clean_up(&self, programs: &[&Program], made: &mut MadeFiles) -> Vec<Finding> {
        let _ = (programs, made);
        Vec::new()
    }
}

/// What a worker does I/O to, open.
#[derive(Debug)]
pub(crate) enum Opened {
    /// Files and devices of this host.
    Files(OpenFiles),
    /// Nothing: no target is opened.
    Nothing,
}

/// The medium of this kind.
const fn of_kind(kind: MediumKind) -> &'static dyn Medium {
    match kind {
        MediumKind::Files => &files::FileMedium,
        MediumKind::Null => &null::NullMedium,
        MediumKind::Simulated => &simulated::SimulatedMedium,
    }
}

/// What a workload's engine does I/O to.
pub(crate) fn of(workload: &Workload) -> &'static dyn Medium {
    of_kind(workload.engine.kind.powers().medium)
}

/// The programs of one medium, with their places among all.
struct OfMedium<'a> {
    medium: &'static dyn Medium,
    places: Vec<usize>,
    programs: Vec<&'a Program>,
}

/// Programs by their medium; none without a program.
fn by_medium(programs: &[Program]) -> Vec<OfMedium<'_>> {
    let each = MediumKind::ALL.into_iter().map(|kind| {
        let mine = |p: &&(usize, &Program)| p.1.workload.engine.kind.powers().medium == kind;
        let all: Vec<(usize, &Program)> = programs.iter().enumerate().collect();
        let (places, programs) = all.iter().filter(mine).copied().unzip();
        OfMedium {
            medium: of_kind(kind),
            places,
            programs,
        }
    });
    each.filter(|of| !of.places.is_empty()).collect()
}

/// Makes the targets of all programs ready and opens them, in the order of the programs.
///
/// # Errors
/// The first thing that could not be done.
pub(crate) fn open(
    programs: &[Program],
    context: &mut PrepareContext<'_>,
) -> Result<Vec<Opened>, PrepareError> {
    let mut all: Vec<Opened> = programs.iter().map(|_| Opened::Nothing).collect();
    for of in by_medium(programs) {
        let opened = of.medium.open(&of.programs, context)?;
        for (at, opened) in of.places.into_iter().zip(opened) {
            all[at] = opened;
        }
    }
    Ok(all)
}

/// What is known of targets, whichever medium they are of.
pub(crate) fn facts(targets: &[PathBuf]) -> Vec<Fact> {
    let all = MediumKind::ALL.into_iter().map(of_kind);
    all.flat_map(|medium| medium.facts(targets)).collect()
}

/// What was looked at already.
#[derive(Debug, Default)]
pub(crate) struct SeenContents {
    /// The stage that has ended, from 0.
    pub(crate) stage: u32,
    /// Targets that were read.
    pub(crate) targets: BTreeSet<PathBuf>,
    /// Data that were written.
    pub(crate) payloads: SeenPayloads,
}

/// What targets hold, whichever medium they are of: see [`Medium::contents`].
pub(crate) fn contents(programs: &[Program], seen: &mut SeenContents) -> Vec<Fact> {
    let all = by_medium(programs).into_iter();
    all.flat_map(|of| of.medium.contents(&of.programs, seen))
        .collect()
}

/// Deletes what the plan says is to be deleted after the stage; all is closed by then.
pub(crate) fn clean_up(programs: &[Program], made: &mut MadeFiles) -> Vec<Finding> {
    let all = by_medium(programs).into_iter();
    all.flat_map(|of| of.medium.clean_up(&of.programs, made))
        .collect()
}

/// Nothing for each program.
fn nothing(programs: &[&Program]) -> Vec<Opened> {
    programs.iter().map(|_| Opened::Nothing).collect()
}

impl Opened {
    /// How many targets it has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Files(files) => files.len(),
            Self::Nothing => 0,
        }
    }

    /// Brings down what was written to a target.
    ///
    /// # Errors
    /// The target's.
    pub(crate) fn flush(&self, target: usize) -> io::Result<()> {
        match self {
            Self::Files(files) => files.flush(target),
            Self::Nothing => Ok(()),
        }
    }

    /// Whether all I/O ends by a device's interrupt, and no thread wants a processor for it.
    pub(crate) fn ends_by_interrupt(&self) -> bool {
        match self {
            Self::Files(files) => files.end_by_interrupt(),
            Self::Nothing => true,
        }
    }

    /// What drops the targets from the client's cache, where one keeps them.
    pub(crate) fn cached(&self) -> CachedFiles {
        match self {
            Self::Files(files) => files.cached(),
            Self::Nothing => CachedFiles::default(),
        }
    }

    /// Makes the worker's back end, and has it used.
    ///
    /// # Safety
    /// The promise of [`Setup`] on the buffers. The targets stay open for as long as this lives, which has to be
    /// longer than `user` runs.
    pub(crate) unsafe fn back_end(
        &self,
        workload: &Workload,
        (buffers, depth): (Buffers, u32),
        user: impl User,
    ) {
        let (fds, sizes) = match self {
            Self::Files(files) => files.handles(),
            Self::Nothing => (Vec::new(), Vec::new()),
        };
        let handles = match self {
            Self::Files(_) => Handles::Files {
                fds: &fds,
                sizes: &sizes,
            },
            Self::Nothing => Handles::Nothing,
        };
        let setup = Setup {
            handles,
            buffers,
            depth,
            atomic: workload.blocks().open.atomic,
            engine: &workload.engine,
        };
        // SAFETY: the handles are of files that `self` keeps open; the rest is the caller's promise.
        unsafe { backend::make(&setup, user) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::{Holds, Host};
    use crate::schedule::compile;
    use leadline_model::op::Op;
    use leadline_model::plan::{Amount, EngineKind, OpMix, Plan, Stage, Target};
    use leadline_model::units::Nanos;
    use std::sync::atomic::AtomicBool;

    fn plan() -> Plan {
        Plan {
            interval: Nanos::SECOND,
            ..leadline_testkit::plan(vec![])
        }
    }

    /// Engines, depths and targets of one stage may be of several media.
    #[test]
    fn each_worker_gets_what_its_medium_opens() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("f").display().to_string();
        let mut null = Workload::new("null", Target::Null { size: 1 << 20 });
        null.engine.kind = EngineKind::NULL;
        let mut files = Workload::new("files", Target::Paths(vec![path.clone()]));
        files.engine.kind = EngineKind::PLAIN_CALL;
        files.blocks_mut().mix = OpMix::Only(Op::Write);
        files.blocks_mut().region.size = Some(Amount::Bytes(8192));
        // The null engine makes no file, whatever it is given.
        let mut named = files.clone();
        named.name = "named".into();
        named.engine.kind = EngineKind::NULL;
        named.blocks_mut().target = Target::Paths(vec![format!("{path}.null")]);
        let stage = Stage {
            workloads: vec![null, files, named],
            ..Stage::default()
        };
        let programs = compile(&stage, &plan(), &Host::default(), 1).unwrap();
        let opened = open(
            &programs,
            &mut PrepareContext {
                plan: &plan(),
                stage: 0,
                cancel: &AtomicBool::new(false),
                made: &mut MadeFiles::default(),
                holds: &mut Holds::of_run(1),
                emit: &mut |_| {},
            },
        )
        .unwrap();
        let targets: Vec<usize> = opened.iter().map(Opened::len).collect();
        assert_eq!(targets, [0, 1, 0]);
        assert!(opened[1].flush(0).is_ok());
        assert!(opened[0].ends_by_interrupt());
        let there = std::fs::read_dir(place.path()).unwrap().count();
        assert_eq!(there, 1, "only the files engine makes its file");
    }
}
