//! Limits that a run has to keep (`--assert`), and the files in which CI systems read what became of them: the same for
//! every verb that runs I/O.
//!
//! Belongs here: reading the switches before anything runs, and judging at the end. Must never: compute a figure.

pub(crate) mod known;

use crate::args::GradeLimit;
use crate::diagnostics::say_diagnostics;
use crate::exit::Exit;
use crate::out;
use crate::published::Described;
use crate::result_file::{self, Inputs, Replace, ResultFile};
use crate::switches::LimitSwitches;
use leadline_dialect::condition::{LimitsIn, parse};
use leadline_model::condition::Condition;
use leadline_model::plan::{Plan, Stage};
use leadline_results::compare::{Asserted, Subject, asserted};
use leadline_results::render::compare::{GradeCase, asserted_line, junit, markdown};
use leadline_results::run::Run;
use leadline_results::trust::grade::Grades;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The limits of a command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    limits: Vec<Condition>,
    strict: bool,
    pub(crate) files: CiFiles,
    /// The grade from which on the run fails.
    grade: Option<GradeLimit>,
    /// The set-up whose published limits the run is compared with.
    pub(crate) setup: Option<Rc<Described>>,
}

/// Files for CI systems.
#[derive(Clone, Debug, Default)]
pub(crate) struct CiFiles {
    pub(crate) junit: Option<PathBuf>,
    pub(crate) markdown: Option<PathBuf>,
}

impl CiFiles {
    /// Those that were asked for.
    pub(crate) fn of(given: &LimitSwitches) -> Self {
        Self {
            junit: given.junit.as_ref().map(PathBuf::from),
            markdown: given.markdown.as_ref().map(PathBuf::from),
        }
    }

    fn named(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let junit = self.junit.iter().map(|path| ("--junit", path.as_path()));
        let markdown = self.markdown.iter();
        junit.chain(markdown.map(|path| ("--markdown", path.as_path())))
    }

    /// Whether they can be written, as far as that is known without making them; what cannot is said.
    pub(crate) fn are_free(&self, force: bool) -> bool {
        let mut free = true;
        if let (Some(junit), Some(markdown)) = (&self.junit, &self.markdown)
            && Inputs::of([junit.clone()]).leave(markdown).is_err()
        {
            out::say(&format!(
                "error: --junit {} and --markdown {} are one file\n  hint: give each its own",
                junit.display(),
                markdown.display()
            ));
            free = false;
        }
        for (option, path) in self.named() {
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            let there = folder.is_none_or(Path::is_dir);
            let why = match there {
                true => result_file::check(path, Replace::OwnReports.or_any(force)).err(),
                false => Some(format!("{}: there is no such folder", path.display())),
            };
            if let Some(why) = why {
                out::say(&format!("error: {option}: {why}"));
                free = false;
            }
        }
        free
    }

    /// Whether none of them is one of these, files that the command reads, measures or writes; which is, is said.
    pub(crate) fn are_apart_from(&self, others: &Inputs) -> bool {
        let mut apart = true;
        for (option, path) in self.named() {
            if let Err(why) = others.leave(path) {
                out::say(&format!(
                    "error: {option}: {why}\n  hint: name another file with {option}"
                ));
                apart = false;
            }
        }
        apart
    }

    /// The same before a run whose plan is known and that writes to `results` too.
    pub(crate) fn are_apart_from_run(
        &self,
        plan: &Plan,
        results: impl IntoIterator<Item = PathBuf>,
    ) -> bool {
        if self.named().next().is_none() {
            return true;
        }
        let mut others = result_file::inputs(plan);
        results.into_iter().for_each(|path| others.add(path));
        self.are_apart_from(&others)
    }

    /// Writes them; false where that failed, which was said.
    pub(crate) fn write(
        &self,
        (junit, markdown): (&dyn Fn() -> String, &dyn Fn() -> String),
        inputs: &Inputs,
        force: bool,
    ) -> bool {
        let mut written = true;
        let files = [("--junit", &self.junit), ("--markdown", &self.markdown)];
        for ((option, path), text) in files.into_iter().zip([junit, markdown]) {
            let Some(path) = path else { continue };
            let replace = Replace::OwnReports.or_any(force);
            let file = ResultFile::open(path, replace, inputs);
            if let Err(why) = file.and_then(|file| file.write_whole(&text())) {
                out::say(&format!("error: {option}: {why}"));
                written = false;
            }
        }
        written
    }
}

impl Checks {
    /// Those of the switches, and the grade from which on the run fails; what is wrong with them is said, all of it, and
    /// `None` comes back.
    pub(crate) fn of(given: &LimitSwitches, grade: Option<GradeLimit>) -> Option<Self> {
        let read = parse("--assert", &given.asserts, LimitsIn::Units);
        let mut fine = say_diagnostics(&read.diagnostics, &read.sources);
        let files = CiFiles::of(given);
        if given.asserts.is_empty() && grade.is_none() {
            for (option, _) in files.named() {
                out::say(&format!(
                    "error: {option} needs --assert or --fail-on-grade"
                ));
                out::say(&format!(
                    "  hint: {option} says what became of limits: --assert 'p99<2ms', --fail-on-grade C"
                ));
                fine = false;
            }
        }
        fine &= files.are_free(false);
        let setup = given.setup.as_deref().map(Described::of_text);
        fine &= !matches!(setup, Some(None));
        fine.then_some(Self {
            limits: read.conditions,
            strict: given.strict,
            files,
            grade,
            setup: setup.flatten().map(Rc::new),
        })
    }

    /// Whether no file for CI systems is one that a run reads, measures or writes; which is, is said.
    pub(crate) fn has_own_files(
        &self,
        plan: &Plan,
        results: impl IntoIterator<Item = PathBuf>,
    ) -> bool {
        self.files.are_apart_from_run(plan, results)
    }

    /// How the command ends: `exit`, or 99 where all else went well and a limit is not kept. What became of each limit is
    /// said, and written where that was asked for, however the run ended.
    pub(crate) fn judged(&self, exit: Exit, run: &Run) -> Exit {
        let has_files = self.files.named().next().is_some();
        if self.limits.is_empty() && !has_files || run.stages.is_empty() {
            return exit;
        }
        let title = run.plan.as_ref().map_or("run", |plan| plan.title.as_str());
        let subject = Subject::from_run(title, "", run);
        let all = asserted(&subject, &self.limits);
        let fails = |one: &Asserted| one.state.fails(self.strict);
        for one in &all {
            let undecided = one.state == leadline_results::compare::AssertState::Open;
            if fails(one) {
                out::say(&format!("error: {}", asserted_line(one)));
            } else if undecided || out::err_is_terminal() {
                out::say(&asserted_line(one));
            }
        }
        let inputs = run
            .plan
            .as_ref()
            .map(result_file::inputs)
            .unwrap_or_default();
        let graded = self.grade.map(|limit| {
            let grade = Grades::of_run(run).run;
            GradeCase {
                said: format!("grade {} ({})", grade.letter, grade.sentence()),
                fails: grade.is_as_bad_as(limit.letter()),
            }
        });
        let junit = || junit::asserted(title, &all, self.strict, graded.as_ref());
        let markdown = || markdown::asserted(title, &all, graded.as_ref());
        let written = self.files.write((&junit, &markdown), &inputs, false);
        match exit.is_fine() {
            true if !written => Exit::Environment,
            true if all.iter().any(fails) => Exit::Limit,
            _ => exit,
        }
    }
    /// Whether each limit names something that the stages of a plan measure; what does not is said. Where `more` stages
    /// may come than are known, what differs in its numbers alone may be the name of one of them.
    pub(crate) fn name_what_is_in(&self, stages: &[Stage], more: bool) -> bool {
        let unknown = known::unknown("--assert", &self.limits, stages, more);
        unknown.iter().for_each(|why| out::say(why));
        unknown.is_empty()
    }
}
