//! The grade of a result, by its findings.

use crate::run::Run;
use crate::summary::Summary;
use leadline_model::finding::{Finding, Severity};

/// The grade of a result: A to C by the number of warnings, F when a check failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grade {
    /// The letter.
    pub letter: char,
    /// What it means.
    pub words: &'static str,
}

impl Grade {
    /// The grade of a run; a dash when nothing was measured.
    #[must_use]
    pub fn of_run(run: &Run, summary: &Summary) -> Self {
        let measured = summary.stages.iter().any(|s| s.figures.data.ios > 0);
        let grade = Self::of(&run.findings);
        if measured || grade.letter == 'F' {
            return grade;
        }
        Self {
            letter: '-',
            words: "nothing was measured",
        }
    }

    /// The grade by the findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let count = |s| findings.iter().filter(|f| f.severity == s).count();
        let (letter, words) = match (count(Severity::Fail), count(Severity::Warn)) {
            (0, 0..=2) => ('A', "no check failed, at most two warnings"),
            (0, 3..=5) => ('B', "no check failed, three to five warnings"),
            (0, _) => ('C', "no check failed, more than five warnings"),
            _ => ('F', "a check failed: do not use the figures as they stand"),
        };
        Self { letter, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grade_counts_warnings_and_fails_at_a_failure() {
        let of = |severities: &[Severity]| {
            let findings: Vec<Finding> = severities
                .iter()
                .map(|s| Finding {
                    code: String::new(),
                    severity: *s,
                    stage: None,
                    workload: None,
                    text: String::new(),
                    cure: String::new(),
                })
                .collect();
            Grade::of(&findings).letter
        };
        assert_eq!(of(&[]), 'A');
        assert_eq!(of(&[Severity::Warn; 3]), 'B');
        assert_eq!(of(&[Severity::Warn; 6]), 'C');
        assert_eq!(of(&[Severity::Info, Severity::Fail]), 'F');
    }
}
