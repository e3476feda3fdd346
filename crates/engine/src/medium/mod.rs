//! What lies below the targets of a stage that begins. Each medium makes its targets ready and gives each worker what
//! its back end does I/O with; nobody else knows what that is.
//!
//! Belongs here: a variant of [`Opened`] for each medium that opens something, with a file or folder of its own.
//! What is planned of a medium is in `schedule::places`. Must never: plan, choose an I/O, or keep time.

#![expect(
    unsafe_code,
    reason = "making a back end promises that the buffers outlive it"
)]

mod files;

use crate::backend::{self, Buffers, Setup, User};
use crate::prepare::{PrepareContext, PrepareError, prepare};
use crate::schedule::Program;
pub(crate) use files::CachedFiles;
use files::Files;
use leadline_model::plan::{MediumKind, Workload};
use std::io;

/// What a worker does I/O to, open.
#[derive(Debug)]
pub(crate) enum Opened {
    /// Files and devices of this host.
    Files(Files),
    /// Nothing: each I/O completes at once.
    Nothing,
}

/// Makes the targets of all programs ready and opens them, in the order of the programs.
///
/// # Errors
/// The first thing that could not be done.
pub(crate) fn open(
    programs: &[Program],
    context: &mut PrepareContext<'_>,
) -> Result<Vec<Opened>, PrepareError> {
    let files = prepare(programs, context)?;
    let opened = programs.iter().zip(files).map(|(program, files)| {
        match program.workload.engine.kind.powers().medium {
            MediumKind::Files => Opened::Files(Files(files)),
            // Simulated stages are run apart and open nothing either.
            MediumKind::Null | MediumKind::Simulated => Opened::Nothing,
        }
    });
    Ok(opened.collect())
}

impl Opened {
    /// How many targets it has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Files(files) => files.0.len(),
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
        let setup = Setup {
            fds: &fds,
            sizes: &sizes,
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
    use crate::os::host::Host;
    use crate::prepare::{Holds, MadeFiles};
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
        let programs = compile(&stage, &plan(), &Host, 1).unwrap();
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
