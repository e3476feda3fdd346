//! Exit codes of leadline's own verbs. The front ends keep their originals' codes ([`Exit::Code`]).

use crate::args::GradeLimit;
use crate::out;
use leadline_engine::prepare::PrepareError;
use leadline_engine::run::RunError;
use leadline_results::run::Run;
use leadline_results::store::StoreError;
use leadline_results::trust::grade::Grades;
use std::process::ExitCode;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: fine.
    Fine,
    /// 1: I/O errors or verification failures.
    IoErrors,
    /// 2: usage or input.
    Usage,
    /// 3: the environment: permission, missing feature.
    Environment,
    /// 4: refused for safety.
    Refused,
    /// 99: the grade is as bad as the user said it must not be.
    Grade,
    /// 99: a limit that was asserted or published is not kept, or not for certain where that is asked for; or a condition
    /// on a comparison is met.
    Limit,
    /// 130: ended by the user.
    Interrupted,
    /// A front end's own code.
    Code(u8),
}

impl Exit {
    /// This one, or that of a grade which is as bad as `limit` says.
    pub(crate) fn or_grade(self, limit: Option<GradeLimit>, run: &Run) -> Self {
        let Some(limit) = limit.map(GradeLimit::letter).filter(|_| self.is_fine()) else {
            return self;
        };
        let grade = Grades::of_run(run).run;
        if !grade.is_as_bad_as(limit) {
            return self;
        }
        out::say(&format!(
            "error: grade {} ({}): --fail-on-grade={limit} makes this a failure",
            grade.letter,
            grade.sentence()
        ));
        Self::Grade
    }

    /// Whether all went well.
    pub(crate) const fn is_fine(self) -> bool {
        matches!(self, Self::Fine | Self::Code(0))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::IoErrors => 1,
            Exit::Usage => 2,
            Exit::Environment => 3,
            Exit::Refused => 4,
            Exit::Grade | Exit::Limit => 99,
            Exit::Interrupted => 130,
            Exit::Code(code) => code,
        })
    }
}

impl From<&StoreError> for Exit {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Write { .. } => Self::Environment,
            _ => Self::Usage,
        }
    }
}

impl From<&RunError> for Exit {
    fn from(error: &RunError) -> Self {
        match error {
            RunError::Problems(problems) if problems.iter().all(|p| p.host) => Self::Environment,
            RunError::Problems(problems) if problems.iter().all(|p| p.host || p.refused) => {
                Self::Refused
            }
            RunError::Problems(_) => Self::Usage,
            RunError::Prepare(PrepareError::Refused { .. }) => Self::Refused,
            RunError::Prepare(PrepareError::Interrupted) => Self::Interrupted,
            RunError::Prepare(_) | RunError::Thread(_) | RunError::NoWorkerReady { .. } => {
                Self::Environment
            }
        }
    }
}
