//! Two jobs in one run, in rounds of A, B, B, A and then B, A, A, B: what drifts, drifts for both.
//!
//! Belongs here: the stages of both jobs in the order of the rounds. Must never: compare.

use super::name_of_job;
use crate::args::{Compare as Args, DialectName};
use crate::checks::{CiFiles, known};
use crate::diagnostics::say_diagnostics;
use crate::exit::Exit;
use crate::fleet::HostsRequest;
use crate::knobs::Language;
use crate::live::Live;
use crate::result_file;
use crate::session::{self, Listeners};
use crate::switches::{Given, LimitSwitches};
use crate::verbs::measure::has_errors;
use crate::verbs::{Refusal, explain, plan};
use crate::{out, time};
use leadline_model::condition::Condition;
use leadline_model::event::Outcome;
use leadline_model::plan::study::{Axis, Coordinate, Role};
use leadline_model::plan::{Plan, Stage, StudyPoint};
use leadline_model::units::Nanos;
use leadline_results::compare::{CompareOptions, CompareSide, Subject, nothing_in_common};
use leadline_results::study::is_result;
use std::path::{Path, PathBuf};

/// Runs both jobs; the two sides, and how the run ended.
pub(super) fn run(
    args: &Args,
    options: &CompareOptions,
    conditions: &[Condition],
    files: &CiFiles,
) -> Result<(CompareSide, CompareSide, Exit), Refusal> {
    let said = |exit: Exit| (String::new(), exit);
    let asked = HostsRequest::of(&of_the_run(&args.on.0)).ok_or_else(|| said(Exit::Usage))?;
    let [a, b] = args.results.as_slice() else {
        return Err(said(Exit::Usage));
    };
    let names = named(a, b);
    let plans = [job(a, &asked)?, job(b, &asked)?];
    if let Some(why) = nothing_in_common(&plans[0], &plans[1], options) {
        let hint = "make the work the same, or name what may differ with --across";
        let text = format!("error: these jobs have nothing comparable:\n  {why}\n  hint: {hint}");
        return Err((text, Exit::Usage));
    }
    let stages: Vec<Stage> = plans.iter().flat_map(|plan| plan.stages.clone()).collect();
    let unknown = known::unknown("--fail-on", conditions, &stages, false);
    if !unknown.is_empty() {
        return Err((unknown.join("\n"), Exit::Usage));
    }
    let plan = together(&plans, &names, args.rounds).map_err(|why| (why, Exit::Usage))?;
    let base = args.out.clone();
    let base = base.unwrap_or_else(|| format!("compare-{}", time::stamp()).into());
    let place = result_file::beside(&base, "leadline");
    if !files.are_apart_from_run(&plan, [place.clone()]) {
        return Err(said(Exit::Usage));
    }
    let mut listeners = Listeners::new(Live::new(true).every(Nanos::SECOND));
    let kept = listeners.keep_apart(&place, &result_file::inputs(&plan));
    kept.map_err(|why| {
        let text = format!("error: {why}\n  hint: name another file with --out");
        (text, Exit::Environment)
    })?;
    let result = session::run_plan(&plan, asked.accept, session::interrupt(), &mut listeners);
    let file = listeners.close();
    let lost = listeners.has_lost_the_run_file();
    if let Err(error) = &result {
        explain(error, Language::of(&plan));
    }
    let run = listeners.into_run();
    if run.stages.is_empty() {
        let _ = file.map(std::fs::remove_file);
        return Err(said(
            result.as_ref().err().map_or(Exit::IoErrors, Exit::from),
        ));
    }
    let shown = file.map_or_else(String::new, |file: PathBuf| file.display().to_string());
    out::say(&format!("run file: {shown}"));
    let ended = match &result {
        Err(error) => Exit::from(error),
        Ok(_) if lost => Exit::Environment,
        Ok(Outcome::CutShort) => Exit::Interrupted,
        Ok(_) if asked.is_failed_by(&run) => Exit::Environment,
        Ok(_) if has_errors(&run) => Exit::IoErrors,
        Ok(_) => Exit::Fine,
    };
    let arms = CompareSide::arms(&Subject::from_run("compare", &shown, &run));
    let side = |name: &str| {
        let found = arms.iter().find(|arm| arm.name == name).cloned();
        found.unwrap_or_else(|| CompareSide {
            name: name.to_owned(),
            subjects: Vec::new(),
        })
    };
    Ok((side(&names[0]), side(&names[1]), ended))
}

/// What the jobs are called: their files without endings, where these are two.
fn named(a: &Path, b: &Path) -> [String; 2] {
    match [name_of_job(a), name_of_job(b)] {
        [a, b] if a == b => [format!("{a} A"), format!("{b} B")],
        names => names,
    }
}

/// The plan of a job file.
fn job(path: &Path, asked: &HostsRequest) -> Result<Plan, Refusal> {
    let shown = path.display().to_string();
    let failed = |text: String| (text, Exit::Usage);
    let text = std::fs::read_to_string(path)
        .map_err(|error| failed(format!("error: {shown}: {error}")))?;
    let (dialect, words) = match dialect_of(path, &text) {
        DialectName::Vdbench => (DialectName::Vdbench, vec!["-f".to_owned(), shown.clone()]),
        DialectName::Diskspd => (DialectName::Diskspd, vec![format!("-X{shown}")]),
        other => (other, vec![shown.clone()]),
    };
    let planned = plan::read(dialect, &words, asked.clone());
    let planned = planned.ok_or_else(|| failed(String::new()))?;
    if !say_diagnostics(&planned.diagnostics, &planned.sources) {
        return Err(failed(String::new()));
    }
    planned
        .plan
        .ok_or_else(|| failed(format!("error: {shown}: there is nothing to run")))
}

/// Whose file it is, by its first line that says something.
fn dialect_of(path: &Path, text: &str) -> DialectName {
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("xml"))
    {
        return DialectName::Diskspd;
    }
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|l| !l.is_empty() && !l.starts_with(['#', ';', '*']));
    match first {
        Some(line) if line.starts_with('<') => DialectName::Diskspd,
        Some(line) if line.starts_with('[') => DialectName::Fio,
        Some(line) if line.contains('=') => DialectName::Vdbench,
        _ => DialectName::Fio,
    }
}

/// One plan of both.
fn together(plans: &[Plan; 2], names: &[String; 2], rounds: u32) -> Result<Plan, String> {
    let [a, b] = plans;
    if a.read_only != b.read_only {
        return Err(
            "error: one job is read-only and the other is not\n  hint: make both the same"
                .to_owned(),
        );
    }
    let groups = |plan: &Plan| {
        let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
        workloads.map(|w| w.group + 1).max().unwrap_or(0)
    };
    let mut stages = Vec::new();
    for round in 1..=rounds {
        let order = if round % 2 == 1 {
            [0, 1, 1, 0]
        } else {
            [1, 0, 0, 1]
        };
        let mut tries = [0_u32; 2];
        for side in order {
            tries[side] += 1;
            let place = (names[side].as_str(), round, tries[side]);
            let first = if side == 0 { 0 } else { groups(a) };
            // What is filled stays filled: once for each job, before its first run.
            let is_first = (round, tries[side]) == (1, 1);
            let each = plans[side].stages.iter();
            let each = each.filter(|stage| is_first || is_result(stage));
            stages.extend(each.map(|stage| in_round(stage, place, first)));
        }
    }
    Ok(Plan {
        title: format!("{} and {} in {rounds} rounds", names[0], names[1]),
        interval: a.interval.min(b.interval),
        destroy: [a.destroy.clone(), b.destroy.clone()].concat(),
        stages,
        ..a.clone()
    })
}

/// A stage of a job as a point of a round.
fn in_round(stage: &Stage, (arm, round, time): (&str, u32, u32), first: u32) -> Stage {
    let number = |n: u32| Coordinate::Number(f64::from(n));
    let at = [
        (Axis::Arm, Coordinate::Text(arm.to_owned())),
        (Axis::Repeat, number(round)),
        (Axis::Try, number(time)),
    ];
    let mut own = stage.clone();
    own.name = format!("{}-{arm}-r{round}-t{time}", stage.name);
    own.point = Some(StudyPoint {
        // A fill is no result.
        role: match is_result(stage) {
            true => Role::Point,
            false => Role::Fill,
        },
        at: at.into(),
    });
    for workload in &mut own.workloads {
        workload.group += first;
    }
    own
}

/// What the switches say of the run: files for CI are of the comparison.
fn of_the_run(given: &Given) -> Given {
    Given {
        limits: LimitSwitches::default(),
        ..given.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_files_are_known_by_their_first_words() {
        let of = |name: &str, text: &str| format!("{:?}", dialect_of(Path::new(name), text));
        assert_eq!(of("a.fio", "; a job\n[global]\nrw=read\n"), "Fio");
        assert_eq!(of("a", "* a file\nsd=sd1,lun=/x\n"), "Vdbench");
        assert_eq!(of("a.xml", ""), "Diskspd");
        assert_eq!(of("a", "<Profile>"), "Diskspd");
        assert_eq!(of("a", ""), "Fio");
    }

    #[test]
    fn rounds_begin_with_each_in_turn_and_each_runs_twice() {
        let plan = |name: &str| {
            leadline_testkit::plan(vec![Stage {
                name: name.into(),
                ..Stage::default()
            }])
        };
        let names = ["a".to_owned(), "b".to_owned()];
        let whole = together(&[plan("x"), plan("x")], &names, 2).unwrap();
        let stages: Vec<&str> = whole.stages.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(
            stages,
            [
                "x-a-r1-t1",
                "x-b-r1-t1",
                "x-b-r1-t2",
                "x-a-r1-t2",
                "x-b-r2-t1",
                "x-a-r2-t1",
                "x-a-r2-t2",
                "x-b-r2-t2",
            ]
        );
    }

    #[test]
    fn each_job_is_filled_once_and_its_fill_is_no_result() {
        let stage = |name: &str| Stage {
            name: name.into(),
            ..Stage::default()
        };
        let plan = || leadline_testkit::plan(vec![stage("SD_format"), stage("x")]);
        let names = ["a".to_owned(), "b".to_owned()];
        let whole = together(&[plan(), plan()], &names, 2).unwrap();
        let fills: Vec<&Stage> = whole.stages.iter().filter(|s| !is_result(s)).collect();
        let named: Vec<&str> = fills.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(named, ["SD_format-a-r1-t1", "SD_format-b-r1-t1"]);
        assert_eq!(whole.stages.len(), 8 + 2);
    }
}
