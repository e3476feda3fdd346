//! Grades: what may be done with the figures of a run, and with those of each of its points.
//!
//! Belongs here: the one way from findings to grades. Must never: look for a finding.
//!
//! A point is a workload of a stage. Its grade is that of the worst finding that covers it. That of a run is the worst
//! of: what concerns the whole run, what all of its points share, and B where anything is marked.

use crate::run::Run;
use leadline_model::finding::{Effect, Finding, FindingKind, Subject};
use leadline_model::plan::Stage;
use leadline_model::plan::study::Role;
use std::collections::BTreeMap;

/// Most codes that a reason names.
const MOST: usize = 4;

/// What may be done with figures, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grade {
    /// A use the figures, B with the marked exceptions, C only compare, F do not use; a dash when nothing was measured.
    pub letter: char,
    /// What it means.
    pub words: &'static str,
    /// The codes of the findings that it follows from, the worst first, and how many points each is about; empty for A.
    pub reason: String,
}

impl Grade {
    fn of(effect: Effect, reason: String) -> Self {
        let (letter, words) = match effect {
            Effect::Note => ('A', "use the figures"),
            Effect::Exception => ('B', "use the figures, with the marked exceptions"),
            Effect::CompareOnly => (
                'C',
                "only compare: the figures are biased, the same way each time",
            ),
            Effect::Unusable => ('F', "do not use the figures"),
        };
        Self {
            letter,
            words,
            reason,
        }
    }

    /// That of a run in which nothing was measured and nothing failed.
    fn none() -> Self {
        Self {
            letter: '-',
            words: "nothing was measured",
            reason: String::new(),
        }
    }

    /// Meaning and reason: `only compare: ... (repeated-offsets at 2 of 5 points)`.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self.reason.as_str() {
            "" => self.words.to_owned(),
            reason => format!("{}: {reason}", self.words),
        }
    }

    /// The same for a report, where A has its reason too: what the checks found in the run does not limit its figures.
    #[must_use]
    pub fn sentence_of(&self, run: &Run) -> String {
        if self.letter != 'A' || !self.reason.is_empty() {
            return self.sentence();
        }
        let mut codes: Vec<&str> = Vec::new();
        for code in run.findings.iter().map(|f| f.code.as_str()) {
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        let more = codes.len().saturating_sub(MOST);
        codes.truncate(MOST);
        let notes = match (codes.as_slice(), more) {
            ([], _) => "no check reports anything".to_owned(),
            (codes, 0) => format!("the checks report notes only ({})", codes.join(", ")),
            (codes, more) => format!(
                "the checks report notes only ({} and {more} more)",
                codes.join(", ")
            ),
        };
        format!("{}: {notes}", self.words)
    }

    /// Whether it is this one or worse; no figures are worse than any.
    #[must_use]
    pub const fn is_as_bad_as(&self, letter: char) -> bool {
        // The letters stand in the alphabet as the grades do, and no figures are as useless as those of F.
        let own = if self.letter == '-' { 'F' } else { self.letter };
        own as u32 >= letter as u32
    }
}

/// The grades of a run and of its points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grades {
    /// That of the run.
    pub run: Grade,
    points: BTreeMap<(u32, u32), Grade>,
}

impl Grades {
    /// Those of a run with the findings that it holds.
    #[must_use]
    pub fn of_run(run: &Run) -> Self {
        Self::of_findings(run, &run.findings)
    }

    /// Those of a run with these findings.
    #[must_use]
    pub fn of_findings(run: &Run, findings: &[Finding]) -> Self {
        let points = measured(run);
        // The fill of a survey is no point of it: what it did wrong counts, and what it measured does not.
        let went_wrong = |f: &Finding| {
            let subject = FindingKind::named(&f.code).map(|kind| kind.subject);
            f.effect() == Effect::Unusable && subject == Some(Subject::Run)
        };
        let is_point = |stage: u32| points.iter().any(|p| p.0 == stage);
        let of_fill = |f: &Finding| f.stage.is_some_and(|s| !is_point(s) && is_fill(run, s));
        let counts = |f: &&Finding| !of_fill(f) || went_wrong(f);
        let findings: Vec<Finding> = findings.iter().filter(counts).cloned().collect();
        Self::of(&findings, &points)
    }

    /// Those of the points (stage and workload) by the findings.
    #[must_use]
    pub fn of(findings: &[Finding], points: &[(u32, u32)]) -> Self {
        let effect_on = |&(stage, workload): &(u32, u32)| {
            let own = findings.iter().filter(|f| f.covers(stage, workload));
            own.map(Finding::effect).max().unwrap_or(Effect::Note)
        };
        let graded = points.iter().map(|point| {
            let effect = effect_on(point);
            let own = findings.iter().filter(|f| f.covers(point.0, point.1));
            let reason = reason(own, effect, std::slice::from_ref(point));
            (*point, Grade::of(effect, reason))
        });
        let of_the_run = findings.iter().filter(|f| f.stage.is_none());
        let of_the_run = of_the_run.map(Finding::effect).max();
        let marked = findings.iter().map(|f| f.effect().min(Effect::Exception));
        // What more than half of the points have is no exception.
        let mut effects: Vec<Effect> = points.iter().map(effect_on).collect();
        effects.sort_unstable();
        let shared = effects.get(effects.len().saturating_sub(1) / 2).copied();
        let effect = [of_the_run, marked.max(), shared].into_iter().flatten();
        let effect = effect.max().unwrap_or(Effect::Note);
        let worst = findings.iter().map(Finding::effect).max();
        let grade = |effect| Grade::of(effect, reason(findings.iter(), effect, points));
        Self {
            run: match points.is_empty() {
                true if worst == Some(Effect::Unusable) => grade(Effect::Unusable),
                true => Grade::none(),
                false => grade(effect),
            },
            points: graded.collect(),
        }
    }

    /// That of a workload of a stage; `None` where it measured nothing.
    #[must_use]
    pub fn point(&self, stage: u32, workload: u32) -> Option<&Grade> {
        self.points.get(&(stage, workload))
    }

    /// Whether points have grades of their own that differ from that of the run.
    #[must_use]
    pub fn are_mixed(&self) -> bool {
        let mut letters = self.points.values().map(|grade| grade.letter);
        letters.any(|letter| letter != self.run.letter)
    }
}

/// The workloads that measured anything; without the fill of a survey, unless there is nothing else.
fn measured(run: &Run) -> Vec<(u32, u32)> {
    let mut points = Vec::new();
    for stage in &run.stages {
        let in_samples = stage.samples.iter().filter(|s| !s.warmup);
        let in_samples = in_samples.map(|s| (s.workload, s.counts.data_ios()));
        let in_totals = stage.workers.iter();
        let in_totals = in_totals.map(|w| (w.workload, w.counts.data_ios()));
        let busy = in_samples.chain(in_totals).filter(|(_, ios)| *ios > 0);
        points.extend(busy.map(|(workload, _)| (stage.stage, workload)));
    }
    points.sort_unstable();
    points.dedup();
    if points.iter().any(|p| !is_fill(run, p.0)) {
        points.retain(|p| !is_fill(run, p.0));
    }
    points
}

/// Whether a stage is the fill of a survey or a study, or brings the target into a state.
fn is_fill(run: &Run, stage: u32) -> bool {
    let conditions = |stage: &Stage| stage.point.as_ref().map(|p| p.role) == Some(Role::Condition);
    crate::summary::planned(run, stage)
        .is_some_and(|stage| conditions(stage) || super::writes_the_set(run, stage))
}

/// The codes of the findings with this effect or a worse one, the worst first, each with its number of points where it
/// is not about all of them.
fn reason<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    effect: Effect,
    points: &[(u32, u32)],
) -> String {
    if effect == Effect::Note {
        return String::new();
    }
    let findings: Vec<&Finding> = findings.filter(|f| f.effect() >= effect).collect();
    let mut codes: Vec<(Effect, &str)> = Vec::new();
    for finding in &findings {
        match codes.iter_mut().find(|code| code.1 == finding.code) {
            Some(code) => code.0 = code.0.max(finding.effect()),
            None => codes.push((finding.effect(), &finding.code)),
        }
    }
    codes.sort_by_key(|code| std::cmp::Reverse(code.0));
    let covered = |code: &str| {
        let covers = |&&(stage, workload): &&(u32, u32)| {
            let own = findings.iter().filter(|f| f.code == code);
            own.into_iter().any(|f| f.covers(stage, workload))
        };
        points.iter().filter(covers).count()
    };
    let said = codes
        .iter()
        .take(MOST)
        .map(|&(_, code)| match covered(code) {
            all if all == points.len() => code.to_owned(),
            0 => format!("{code} at a point without figures"),
            some => format!("{code} at {some} of {} points", points.len()),
        });
    let mut said = said.collect::<Vec<_>>().join(", ");
    if codes.len() > MOST {
        said.push_str(&format!(", and {} more", codes.len() - MOST));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use leadline_model::cure::Cure;
    use leadline_model::finding::Severity;
    use leadline_model::plan::Dialect;

    fn finding(code: &str, severity: Severity, stage: Option<u32>) -> Finding {
        Finding {
            code: code.to_owned(),
            severity,
            stage,
            workload: None,
            text: String::new(),
            cure: Cure::none(),
        }
    }

    fn warn(code: &str, stage: Option<u32>) -> Finding {
        finding(code, Severity::Warn, stage)
    }

    /// Letter and reason over four points.
    fn of_four(findings: &[Finding]) -> (char, String) {
        let points: Vec<(u32, u32)> = (0..4).map(|stage| (stage, 0)).collect();
        let run = Grades::of(findings, &points).run;
        (run.letter, run.reason)
    }

    fn said(letter: char, reason: &str) -> (char, String) {
        (letter, reason.to_owned())
    }

    #[test]
    fn what_concerns_the_whole_run_is_its_grade() {
        assert_eq!(of_four(&[]), said('A', ""));
        let note = finding("window-short", Severity::Info, None);
        assert_eq!(of_four(&[note]), said('A', ""));
        assert_eq!(of_four(&[warn("cut-short", None)]), said('B', "cut-short"));
        assert_eq!(
            of_four(&[warn("repeated-offsets", None), warn("stall", Some(1))]),
            said('C', "repeated-offsets")
        );
        let failed = finding("run-failed", Severity::Fail, None);
        assert_eq!(of_four(&[failed]), said('F', "run-failed"));
    }

    #[test]
    fn what_some_points_have_marks_them_and_what_most_have_is_the_grade() {
        let busy = |stages: std::ops::Range<u32>| -> Vec<Finding> {
            let one = |stage| finding("host-busy", Severity::Fail, Some(stage));
            stages.map(one).collect()
        };
        assert_eq!(of_four(&busy(0..4)), said('F', "host-busy"));
        assert_eq!(
            of_four(&busy(0..1)),
            said('B', "host-busy at 1 of 4 points")
        );
        assert_eq!(
            of_four(&busy(0..2)),
            said('B', "host-busy at 2 of 4 points")
        );
        assert_eq!(
            of_four(&busy(0..3)),
            said('F', "host-busy at 3 of 4 points")
        );
        // Most points are at least that bad, by different findings.
        let mut mixed = busy(0..2);
        mixed.push(warn("compressible-payload", Some(3)));
        assert_eq!(
            of_four(&mixed),
            said(
                'C',
                "host-busy at 2 of 4 points, compressible-payload at 1 of 4 points"
            )
        );
        // A point that failed before it measured anything.
        let gone = finding("io-errors", Severity::Fail, Some(9));
        assert_eq!(
            of_four(&[gone]),
            said('B', "io-errors at a point without figures")
        );
    }

    #[test]
    fn a_point_has_its_own_grade_and_a_run_of_one_point_that_one() {
        let findings = [
            warn("fits-memory", Some(2)),
            warn("cut-short", None),
            finding("io-errors", Severity::Fail, Some(1)),
        ];
        let grades = Grades::of(&findings, &[(1, 0), (2, 0), (2, 1), (3, 0)]);
        let letter = |stage, workload| grades.point(stage, workload).map(|g| g.letter);
        assert_eq!(
            [
                letter(1, 0),
                letter(2, 0),
                letter(2, 1),
                letter(3, 0),
                letter(4, 0)
            ],
            [Some('F'), Some('C'), Some('C'), Some('B'), None]
        );
        assert_eq!(grades.point(1, 0).unwrap().reason, "io-errors");
        assert!(
            grades.are_mixed() && grades.run.letter == 'C',
            "three of four are C or worse"
        );
        let alone = Grades::of(&findings[..2], &[(2, 0)]);
        assert_eq!((alone.run.letter, alone.are_mixed()), ('C', false));
        assert_eq!(alone.point(2, 0), Some(&alone.run));
    }

    #[test]
    fn without_a_figure_there_is_no_grade_but_that_of_a_failure() {
        let of = |findings: &[Finding]| Grades::of(findings, &[]).run.letter;
        assert_eq!(of(&[]), '-');
        assert_eq!(of(&[warn("nothing-measured", Some(0))]), '-');
        assert_eq!(of(&[finding("io-errors", Severity::Fail, Some(0))]), 'F');
    }

    #[test]
    fn grades_are_compared() {
        let grade = |letter| Grade {
            letter,
            ..Grade::none()
        };
        assert!(grade('C').is_as_bad_as('C') && grade('F').is_as_bad_as('C'));
        assert!(!grade('B').is_as_bad_as('C') && !grade('A').is_as_bad_as('B'));
        assert!(grade('-').is_as_bad_as('F'));
    }

    #[test]
    fn a_long_reason_is_cut() {
        let codes = ["a", "b", "c", "d", "e", "f"];
        let all: Vec<Finding> = codes.iter().map(|code| warn(code, None)).collect();
        assert_eq!(of_four(&all), said('B', "a, b, c, d, and 2 more"));
    }

    #[test]
    fn the_fill_of_a_survey_is_no_point() {
        let mut run = crate::fixture::run();
        let plan = run.plan.as_mut().unwrap();
        plan.stages[0].name = "fill/1m-write".to_owned();
        let all = measured(&run).len();
        run.plan.as_mut().unwrap().source.dialect = Dialect::Native;
        let points = measured(&run);
        assert!(
            points.len() < all && points.iter().all(|p| p.0 > 0),
            "{points:?}"
        );
        // What it measured is nothing to the grade; that it failed is.
        let grade = |finding: Finding| Grades::of_findings(&run, &[finding]).run.letter;
        assert_eq!(grade(warn("depth-not-reached", Some(0))), 'A');
        assert_eq!(grade(finding("host-busy", Severity::Fail, Some(0))), 'A');
        assert_eq!(grade(finding("io-errors", Severity::Fail, Some(0))), 'B');
        assert_eq!(grade(warn("depth-not-reached", Some(1))), 'B');
    }
}
