//! What is wrong with a stage, all of it at once.
//!
//! Belongs here: the list of problems, kept short. Must never: look for one.

use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;

/// Most problems of one kind of workload that are listed one by one.
const MAX_LISTED: usize = 12;

/// What to do where a file would be longer than it can be.
pub(crate) const SHORTER: (&str, [Knob; 1]) = (
    "raise the limit (ulimit -f), use several files, another file system \
     (xfs), or a smaller size",
    [Knob::Size],
);

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
    /// The host is in the way (no permission, no space), and not the plan, which may run elsewhere.
    pub host: bool,
    /// It is refused for safety: the target is used by others, or carries somebody's data.
    pub refused: bool,
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
                cure: "solve these first".into(),
                ..problem
            }),
            _ => {}
        }
    }
}
