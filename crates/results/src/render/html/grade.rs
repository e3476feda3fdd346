//! The grade of a result, by its findings.

use crate::run::Run;
use crate::summary::Summary;
use crate::trust::checks;
use leadline_model::finding::{Finding, Severity};

/// The grade of a result: A to C by how many checks gave a warning, each counted once however often it spoke; F
/// when a check failed.
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
        Self::of_measured(&run.findings, measured)
    }

    /// The same, by all findings and whether anything was measured.
    #[must_use]
    pub fn of_measured(findings: &[Finding], measured: bool) -> Self {
        let grade = Self::of(findings);
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
        let count = |s| checks(findings, s);
        let (letter, words) = match (count(Severity::Fail), count(Severity::Warn)) {
            (0, 0..=2) => ('A', "no check failed, at most two warn"),
            (0, 3..=5) => ('B', "no check failed, three to five warn"),
            (0, _) => ('C', "no check failed, more than five warn"),
            _ => ('F', "a check failed: do not use the figures as they stand"),
        };
        Self { letter, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::cure::Cure;

    #[test]
    fn the_grade_counts_warnings_and_fails_at_a_failure() {
        let finding = |code: &str, severity| Finding {
            code: code.to_owned(),
            severity,
            stage: None,
            workload: None,
            text: String::new(),
            cure: Cure::none(),
        };
        let of = |warnings: &[&str], more: &[Severity]| {
            let warnings = warnings.iter().map(|code| finding(code, Severity::Warn));
            let more = more.iter().map(|&severity| finding("x", severity));
            Grade::of(&warnings.chain(more).collect::<Vec<_>>()).letter
        };
        assert_eq!(of(&[], &[]), 'A');
        assert_eq!(of(&["a", "b", "c"], &[]), 'B');
        assert_eq!(of(&["a", "b", "c", "d", "e", "f"], &[]), 'C');
        assert_eq!(of(&[], &[Severity::Info, Severity::Fail]), 'F');
        // One check that speaks of eleven points is one.
        assert_eq!(of(&["a"; 11], &[]), 'A');
        assert_eq!(of(&["a", "a", "b", "b", "c", "c"], &[]), 'B');
    }
}
