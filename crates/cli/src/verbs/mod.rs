//! One file a verb: arguments in, exit code out.

pub(crate) mod agent;
pub(crate) mod assets;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod confirm;
pub(crate) mod diskspd;
pub(crate) mod explain;
pub(crate) mod fio;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod measure;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod report;
pub(crate) mod schema;
mod shown;
pub(crate) mod study;
mod targets;
pub(crate) mod vdbench;

use crate::diagnostics::say_diagnostics;
use crate::exit::Exit;
use crate::fleet::StageError;
use crate::knobs::{self, Language};
use crate::out;
use crate::switches::ACCEPT_LOST;
use leadline_dialect::diagnostic::{Diagnostic, Severity, Sources};
use leadline_engine::run::RunError;
use leadline_fleet::controller::NotRun;
use leadline_model::cure::Cure;
use leadline_model::finding::{Finding, FindingKind, Severity as Doubt};
use leadline_model::plan::{Dialect, Plan, Target};
use leadline_results::render::once::once;
use leadline_results::run::Run;
use std::path::Path;

/// Why there is nothing to do, in words, and how the command ends.
type Refusal = (String, Exit);

/// What the reader of a front end's text has to say, as notes of the run; `None` = there is an error among it, and
/// all was said. On a terminal it is said at once, with the place it is about; elsewhere nothing is, since users'
/// programs take any word on standard error for a failure, unless it was asked for `aloud`.
fn heard(diagnostics: &[Diagnostic], sources: &Sources, aloud: bool) -> Option<Vec<Finding>> {
    let wrong = diagnostics.iter().any(|d| d.severity == Severity::Error);
    if wrong || aloud || out::err_is_terminal() {
        say_diagnostics(diagnostics, sources);
    }
    let notes = diagnostics.iter().map(|d| note(d, sources));
    (!wrong).then(|| notes.collect())
}

/// A diagnostic as a finding: it doubts no figure.
fn note(diagnostic: &Diagnostic, sources: &Sources) -> Finding {
    let place = diagnostic.labels.first().map_or_else(String::new, |label| {
        let name = sources.name(label.span.source);
        let (line, _) = sources.position(label.span);
        let lines = sources.text(label.span.source).contains('\n');
        let line = if lines {
            format!(":{line}")
        } else {
            String::new()
        };
        let said = sources.slice(label.span);
        match name {
            "" => String::new(),
            name => format!("{name}{line}: `{said}`: "),
        }
    });
    let expected = diagnostic.expected.as_ref();
    let expected = expected.map_or_else(String::new, |e| format!("; expected {e}"));
    let usual = || FindingKind::named(diagnostic.code).map(|kind| kind.cure.to_owned());
    let cure = diagnostic.hint.clone().or_else(usual);
    Finding {
        code: diagnostic.code.to_owned(),
        severity: Doubt::Info,
        stage: None,
        workload: None,
        text: format!("{place}{}{expected}", diagnostic.message),
        cure: cure.unwrap_or_default().into(),
    }
}

/// Where a run has failed and there is no terminal: what was found, from `least` on, each kind once.
fn say_found(run: &Run, least: Doubt) {
    if !out::err_is_terminal() {
        for found in once(run, least) {
            if found.code != "run-failed" {
                out::say(&found.line());
            }
        }
    }
}

/// Says where a run is kept and how to see it, to whoever sits at a terminal.
fn say_where_kept(kept: Option<&Path>) {
    if let Some(kept) = kept.filter(|_| out::err_is_terminal()) {
        let kept = kept.display();
        out::say(&format!(
            "run file: {kept}\nHTML report: leadline report {kept}"
        ));
    }
}

/// Whether the files that a plan names are those that were meant: bytes in a job file that are no UTF-8 became
/// U+FFFD, and such a name is another file's. Says so where one is.
fn says_whole_names(plan: &Plan) -> bool {
    const LOST: char = char::REPLACEMENT_CHARACTER;
    let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    let lost = workloads
        .flat_map(|workload| match &workload.blocks().target {
            Target::Paths(paths) => paths.clone(),
            Target::Files(set) => {
                let mut names = [&set.directories[..], std::slice::from_ref(&set.pattern)].concat();
                let of_job = set.pattern.contains("$jobname");
                names.extend(of_job.then(|| workload.name.clone()));
                names
            }
            Target::Null { .. } | Target::Simulated(_) => Vec::new(),
        })
        .find(|name| name.contains(LOST));
    if let Some(name) = &lost {
        out::say(&format!(
            "error: the name {name} is not valid UTF-8 in the input"
        ));
        out::say("  hint: write the job file in UTF-8, or name the file through a link");
    }
    lost.is_none()
}

/// Says why a run could not continue, with the cure, and gives the exit code that means it.
fn explain(trouble: &StageError, language: Language) -> Exit {
    let hint = |cure: &Cure| hint(&cure.in_words_of(knobs::words(language)).text);
    let error = match trouble {
        StageError::Here(error) => error,
        StageError::Fleet(NotRun::Unlike(why)) => {
            for failure in &why.reasons {
                out::say(&format!("error: refused before the first byte: {failure}"));
                hint(&failure.cure);
            }
            return Exit::from(trouble);
        }
        StageError::Fleet(NotRun::AllHostsLost(losses) | NotRun::Refused { by: losses, .. }) => {
            for loss in losses {
                for failure in &loss.why.reasons {
                    out::say(&format!("error: {}: {failure}", loss.label));
                    hint(&failure.cure);
                }
            }
            if let StageError::Fleet(NotRun::Refused { others: true, .. }) = trouble {
                out::say("error: nothing was started on any host");
                self::hint(&format!(
                    "--{ACCEPT_LOST} starts without the hosts named above"
                ));
            }
            return Exit::from(trouble);
        }
    };
    match error {
        RunError::Problems(problems) => {
            for problem in problems {
                // DISKSPD's workloads are named by their target, with which the text may begin.
                let rest = problem.text.strip_prefix(&*problem.workload);
                let named = rest.is_some_and(|rest| rest.starts_with([' ', ':']));
                out::say(&match language {
                    Language::Of(Dialect::Diskspd) if named => format!("error: {}", problem.text),
                    _ => format!("error: {}: {}", problem.workload, problem.text),
                });
                hint(&problem.cure);
            }
        }
        other => {
            out::say(&format!("error: {other}"));
            hint(&other.cure());
        }
    }
    Exit::from(error)
}

fn hint(cure: &str) {
    if !cure.is_empty() {
        out::say(&format!("  hint: {cure}"));
    }
}
