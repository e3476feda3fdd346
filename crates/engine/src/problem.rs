//! All that is wrong with a stage.
//!
//! Belongs here: the list of problems, kept short, and words for what may also be found later. Must never: look for one.

use crate::os::left::HUGE_PAGE;
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::failure::Failure;
use leadline_model::plan::Power;

/// Most problems of one kind of workload that are listed one by one.
const MAX_LISTED: usize = 12;

/// What to do if a file would exceed the limit of its size.
pub(crate) const SHORTER: (&str, [Knob; 1]) = (
    "raise the limit (ulimit -f), use several files, another file system \
     (xfs), or a smaller size",
    [Knob::Size],
);

/// What to do where there is too little memory for the buffers of the workers.
pub(crate) const LESS_MEMORY: (&str, [Knob; 3]) = (
    "lower the queue depth, the block size or the number of workers",
    [Knob::QueueDepth, Knob::BlockSize, Knob::Workers],
);

/// What a target or the kernel does not take, and what to do about it.
pub(crate) fn not_taken(power: Power) -> Option<(&'static str, Cure)> {
    Some(match power {
        Power::Nowait => (
            "this file system or kernel does not support RWF_NOWAIT",
            (
                "turn it off; it needs a block device or a file system that supports it (ext4, XFS, btrfs), which \
                 tmpfs, network and FUSE file systems do not",
                [Knob::MayWait],
            )
                .into(),
        ),
        Power::Uncached => (
            "this file system or kernel does not support RWF_DONTCACHE",
            (
                "turn it off; it needs Linux 6.14 and a file system that supports it (ext4, XFS, btrfs)",
                [Knob::KeepCached],
            )
                .into(),
        ),
        Power::AtomicWrites => (
            "the target does not support atomic writes (RWF_ATOMIC)",
            (
                "turn it off; it needs Linux 6.11, O_DIRECT, and a device and file system with atomic writes",
                [Knob::NotAtomic],
            )
                .into(),
        ),
        _ => return None,
    })
}

/// What to do where less memory can be locked than is asked for.
pub(crate) const LOCK_LESS: &str =
    "raise the limit of locked memory (ulimit -l), or lock less memory in each worker";

/// What to do where the kernel gives no thread.
pub(crate) const MORE_THREADS: (&str, [Knob; 2]) = (
    "raise the process limit (ulimit -u, pids.max of the control group), or use fewer workers",
    [Knob::Workers, Knob::Threads],
);

/// What to do where there are too few huge pages of 2 MiB for `bytes`.
pub(crate) fn more_huge_pages(bytes: u64) -> (String, [Knob; 1]) {
    let pages = bytes.div_ceil(HUGE_PAGE);
    let text = format!(
        "reserve some with `sysctl vm.nr_hugepages={pages}` (or more: the number is for the whole host), or use \
         ordinary memory"
    );
    (text, [Knob::OrdinaryMemory])
}

/// This many files cannot be open: what is wrong, and what to do about it.
pub(crate) fn too_many_open(files: u64, wanted: u64, limit: u64) -> (String, Cure) {
    let noun = if files == 1 { "file" } else { "files" };
    let text = format!(
        "{files} {noun} would be open at once ({wanted} descriptors in all); this process may open {limit}"
    );
    let cure = format!("raise the hard limit (ulimit -Hn {wanted}), or use fewer files or workers");
    (text, (cure, [Knob::FewerFiles, Knob::Workers]).into())
}

/// Why a stage cannot run on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Workload's name.
    pub workload: String,
    /// What kind of problem.
    pub code: ErrorCode,
    /// What is wrong, with path and figures.
    pub text: String,
    /// What to do about it.
    pub cure: Cure,
    /// It is a problem of the host (no permission, no space), not of the plan, which may run elsewhere.
    pub host: bool,
    /// It is refused for safety: the target is in use, or contains data.
    pub refused: bool,
}

impl Problem {
    /// As a reason for which a run fails: with its workload's name.
    pub(crate) fn failure(&self) -> Failure {
        let what = format!("{}: {}", self.workload, self.text);
        Failure::new(self.code, what, self.cure.clone())
    }
}

/// Problems found so far, each once.
#[derive(Default)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

impl Problems {
    /// Notes a problem unless it is there already.
    pub(crate) fn add(
        &mut self,
        workload: &str,
        code: ErrorCode,
        text: impl Into<String>,
        cure: impl Into<Cure>,
    ) {
        self.note(workload, code, text, cure, false);
    }

    /// Notes a problem of the host, or one of the plan, unless it is there already.
    pub(crate) fn note(
        &mut self,
        workload: &str,
        code: ErrorCode,
        text: impl Into<String>,
        cure: impl Into<Cure>,
        host: bool,
    ) {
        let problem = Problem {
            workload: workload.to_owned(),
            code,
            text: text.into(),
            cure: cure.into(),
            host,
            refused: false,
        };
        self.push(problem);
    }

    /// Notes a problem unless it is there already, or there are enough of its workload.
    pub(crate) fn push(&mut self, problem: Problem) {
        if self.0.contains(&problem) {
            return;
        }
        let of_this = self.0.iter().filter(|p| p.workload == problem.workload);
        match of_this.count() {
            0..MAX_LISTED => self.0.push(problem),
            MAX_LISTED => self.0.push(Problem {
                text: "and more problems like these".into(),
                cure: "fix these first".into(),
                ..problem
            }),
            _ => {}
        }
    }
}
